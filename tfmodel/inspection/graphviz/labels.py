"""What stands in a box and at an edge, in few words.

Ops by what they are for, and the colour of each family.

The order of the table is how much a family tells of a part of a model: the ops that are named of a scope are those of
the first families that it has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ...errors import GraphError
from ...graph import attr
from ...messages import TensorProto
from ...printable import shortened as without_middle
from ..formatting import tensor_text, values_text

if TYPE_CHECKING:
    from ...graph import Functions
    from .boxes import Box, Bundle
    from .vertices import Vertex

__all__ = ["Family", "box_lines", "bundle_text", "family_of", "family_of_box", "shortened"]


LONGEST = 48  # characters of a name
OPS = 3  # that are named of a folded scope
CONSTANTS = 3  # that are named of a node


def box_lines(
    box: Box, vertices: Sequence[Vertex], constants: Sequence[tuple[str, Vertex]], functions: Functions
) -> list[str]:
    """The title, the op or the main ops, and what else is worth a line. `constants` are what the node takes of such,
    each with a name."""
    if box.kind != "node":
        title = f"{box.title}/" if box.kind == "scope" else box.title
        return [shortened(title), f"{len(box.members):,} nodes", *_main_ops(box, vertices)]
    vertex = vertices[box.members[0]]
    lines = [shortened(box.title)]
    if vertex.op != box.title:
        lines.append(vertex.op)
    if vertex.node is None:
        return lines
    called = functions.called_by(vertex.node)
    lines += [f"calls {shortened(name)}" for name in dict.fromkeys(called)][:CONSTANTS]
    if vertex.op == "Const":
        lines += _constant_text(vertex)
    for name, constant in constants[:CONSTANTS]:
        lines.append(f"{shortened(name)}: {' '.join(_constant_text(constant)) or '?'}")
    if len(constants) > CONSTANTS:
        more = len(constants) - CONSTANTS
        lines.append(f"and {more:,} more constant{'' if more == 1 else 's'}")
    return lines


def family_of_box(box: Box, vertices: Sequence[Vertex]) -> Family:
    """What the most telling ops of a box are for."""
    return min(family_of(vertices[number].op) for number in box.members)


def _main_ops(box: Box, vertices: Sequence[Vertex]) -> list[str]:
    """The ops that tell most of what is done in a box: `Conv2D, 2 Relu, ...`."""
    times = Counter(vertices[number].op for number in box.members)
    ops = sorted(times, key=lambda op: (family_of(op).rank, -times[op], op))
    shown = [f"{times[op]:,} {shortened(op)}" if times[op] > 1 else shortened(op) for op in ops[:OPS]]
    return [", ".join(shown + (["..."] if len(ops) > OPS else []))]


def _constant_text(constant: Vertex) -> list[str]:
    """Type and shape, and few values. A constant without a value has none."""
    assert constant.node is not None
    try:
        tensor = attr(constant.node, "value", TensorProto)
    except GraphError:
        return []
    return [shortened(f"{tensor_text(tensor)} {values_text(tensor)}".rstrip())]


def bundle_text(bundle: Bundle, shape_of: Callable[[str], str]) -> str:
    """The shape of a tensor, or how many tensors there are: `[?,224,224,3]`, `3 tensors`; nothing if it is not known.

    Edges that only order execution are counted.
    """
    tensors = {edge.tensor for edge in bundle.edges}
    if bundle.control:
        return f"{len(tensors):,}" if len(tensors) > 1 else ""
    shapes = {shape_of(tensor) for tensor in sorted(tensors)[:CONSTANTS]} if len(tensors) <= CONSTANTS else set()
    shape = shapes.pop() if len(shapes) == 1 else ""
    if len(tensors) == 1:
        return shape
    return f"{len(tensors):,} {shape}" if shape else f"{len(tensors):,} tensors"


def shortened(text: str) -> str:
    """A long name without its middle."""
    return without_middle(text, LONGEST)


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
