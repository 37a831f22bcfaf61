"""Families of ops, and the colours of the page."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple


class Family(NamedTuple):
    """Ops that have one colour. Colour-blind people can tell all of them apart, and black or white text can be read on
    each: a test computes both. The first seven are those of Okabe and Ito, as far as there are so many.
    """

    name: str
    colour: str
    ops: re.Pattern[str]


def _family(name: str, colour: str, *ops: str) -> Family:
    return Family(name, colour, re.compile("|".join(ops)))


FAMILIES = (
    _family("convolution and matrices", "#0072b2", "Conv|MatMul|Einsum|LSTM|GRU|RNN"),
    _family("variable", "#cc79a7", "Variable|VarHandle|VarIsInit|ReadVar|Assign|HashTable|Lookup"),
    _family("activation", "#d55e00", "[eE]lu|Sigmoid|Tanh|Softmax|Softplus|Erf"),
    _family("normalization", "#009e73", "BatchNorm|LRN|Moments|Rsqrt|L2"),
    _family(
        "pooling and resizing",
        "#56b4e9",
        "Pool|Resize|SpaceTo|DepthToSpace|BatchToSpace|ExtractImage|CropAndResize",
    ),
    _family(
        "control flow",
        "#e69f00",
        "^(Switch|Merge|Enter|Exit|NextIteration|LoopCond|While|If|Case)",
        "StatelessWhile|StatelessIf|PartitionedCall|TensorArray|TensorList",
    ),
    _family(
        "input and output",
        "#4aa04f",
        r"^(Placeholder|\(argument\)|\(result\)|_Arg|_Retval|Iterator|Parse|Decode|Read|QueueDequeue)",
    ),
    _family("files", "#56307e", "Save|Restore|Summary|MergeV2Checkpoints|ShardedFilename"),
    _family(
        "array",
        "#f0e442",
        "Reshape|Concat|Split|Slice|Pack|Transpose|Gather|Pad|Squeeze|ExpandDims|Tile|Shape|Fill|Range|Cast",
        "Scatter|Where|OneHot|Rank|Size",
    ),
    _family("constant", "#c4c4c4", "^Const$|^Identity|NoOp|StopGradient|PreventGradient"),
    _family("arithmetic", "#4f5b6b", ""),
)
"""The families in the order of what says most about a part of a model; the last one has all other ops."""

CONVOLUTIONS, INPUTS, CONSTANTS = 0, 6, 9
"""The ranks of some families."""


@lru_cache(10_000)
def family_of(op: str) -> int:
    """Return the rank of the family of an op."""
    return next(rank for rank, family in enumerate(FAMILIES) if family.ops.search(op))
