"""Ops by what they are for, and the colour of each family.

The order of the table is how much a family tells of a part of a model: the ops that are named of a scope are those of
the first families that it has.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

__all__ = ["Family", "family_of"]


class Family(NamedTuple):
    """Ops of one purpose: `rank` is the place in the table, `colour` what they are filled with."""

    rank: int
    name: str
    colour: str


_OTHER = "other"

_FAMILIES = (
    (
        "linear",
        "#cfe2f3",
        r"(Quantized|_Fused)?(Conv[123]D|DepthwiseConv|Dilation2D|(Sparse|Batch)?MatMul|Einsum|Cudnn"
        r"|(Block)?LSTM|GRUBlock).*",
    ),
    (
        "call",
        "#d9d2e9",
        r"(Stateless|_)?(If|While|Case|For)|(Stateful|Remote|TPU)?PartitionedCall|(Ref)?(Switch|Merge|"
        r"Enter|Exit|NextIteration|Next)|_SwitchN|LoopCond|SymbolicGradient|.*Dataset(V\d)?",
    ),
    ("pooling", "#fce5cd", r"(Quantized)?(Max|Avg|Fractional.*)Pool.*|.*BatchNorm.*|LRN|(Log)?Softmax|.*Entropy.*"),
    ("training", "#f4cccc", r"(Resource|Sparse)*Apply.*|.*Grad(V\d|Input|Filter)?|.*Backprop.*"),
    ("activation", "#fce5cd", r"(Quantized)?(Relu6?|Elu|Selu|LeakyRelu|Sigmoid|Tanh|Softplus|Softsign|BiasAdd).*"),
    ("input", "#d9ead3", r"Placeholder.*|_Arg|_Retval|argument|result|Iterator.*|.*Reader(V\d)?|Decode.*|Parse.*"),
    ("files", "#eadfd0", r"Save.*|Restore.*|MergeV2Checkpoints|ShardedFilename|.*Summary.*"),
    ("state", "#fff2cc", r"(Temporary)?Variable(V2)?|VarHandleOp|.*VariableOp|Assign.*|.*HashTable.*|.*Initialized"),
    (_OTHER, "#ffffff", r".*"),
    ("constant", "#eeeeee", r"Const|HostConst"),
    ("passing", "#ffffff", r"Identity(N)?|NoOp|Snapshot|StopGradient|Shape|missing"),
)

_PATTERNS = [
    (Family(rank, name, colour), re.compile(pattern, re.DOTALL).fullmatch)
    for rank, (name, colour, pattern) in enumerate(_FAMILIES)
    if name != _OTHER
]
_REST = next(Family(rank, *row[:2]) for rank, row in enumerate(_FAMILIES) if row[0] == _OTHER)


@cache
def _known(op: str) -> Family:
    return next((family for family, matches in _PATTERNS if matches(op)), _REST)


def family_of(op: str) -> Family:
    """The family of an op; that of all others for one that has none."""
    return _known(op) if len(op) <= 100 else _REST
