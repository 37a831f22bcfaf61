"""The texts of boxes and edges, and the colours of boxes by families of ops.

The table of families is ordered by how much a family says about a part of a model: the label of a scope names the ops
of the first families in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ...errors import GraphError
from ...graph import attr
from ...io.terminal import shortened as without_middle
from ...messages import TensorProto
from ..formatting import tensor_text, values_text

if TYPE_CHECKING:
    from ...graph import Functions
    from .boxes import Box, Bundle
    from .vertices import Vertex

__all__ = ["Family", "box_lines", "bundle_text", "family_of", "family_of_box", "shortened"]


MAX_NAME = 48  # characters
MAX_OPS = 3  # named in the box of a folded scope
MAX_CONSTANTS = 3  # named in the box of a node


def box_lines(
    box: Box, vertices: Sequence[Vertex], constants: Sequence[tuple[str, Vertex]], functions: Functions
) -> list[str]:
    """Return the lines of a box: title, op or main ops, called functions, and `constants` with their names."""
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
    lines += [f"calls {shortened(name)}" for name in dict.fromkeys(called)][:MAX_CONSTANTS]
    if vertex.op == "Const":
        lines += _constant_text(vertex)
    for name, constant in constants[:MAX_CONSTANTS]:
        lines.append(f"{shortened(name)}: {' '.join(_constant_text(constant)) or '?'}")
    if len(constants) > MAX_CONSTANTS:
        more = len(constants) - MAX_CONSTANTS
        lines.append(f"and {more:,} more constant{'' if more == 1 else 's'}")
    return lines


def family_of_box(box: Box, vertices: Sequence[Vertex]) -> Family:
    """Return the most significant family of the ops in a box."""
    return min(family_of(vertices[number].op) for number in box.members)


def _main_ops(box: Box, vertices: Sequence[Vertex]) -> list[str]:
    """Return the most significant ops of a box: `Conv2D, 2 Relu, ...`."""
    times = Counter(vertices[number].op for number in box.members)
    ops = sorted(times, key=lambda op: (family_of(op).rank, -times[op], op))
    shown = [f"{times[op]:,} {shortened(op)}" if times[op] > 1 else shortened(op) for op in ops[:MAX_OPS]]
    return [", ".join(shown + (["..."] if len(ops) > MAX_OPS else []))]


def _constant_text(constant: Vertex) -> list[str]:
    """Return dtype, shape and few values of a constant; empty for one without a value."""
    assert constant.node is not None
    try:
        tensor = attr(constant.node, "value", TensorProto)
    except GraphError:
        return []
    return [shortened(f"{tensor_text(tensor)} {values_text(tensor)}".rstrip())]


def bundle_text(bundle: Bundle, shape_of: Callable[[str], str]) -> str:
    """Return the shape of a tensor, or the number of tensors: `[?,224,224,3]`, `3 tensors`; empty if unknown.

    Control edges are counted.
    """
    tensors = {edge.tensor for edge in bundle.edges}
    if bundle.control:
        return f"{len(tensors):,}" if len(tensors) > 1 else ""
    shapes = (
        {shape_of(tensor) for tensor in sorted(tensors)[:MAX_CONSTANTS]} if len(tensors) <= MAX_CONSTANTS else set()
    )
    shape = shapes.pop() if len(shapes) == 1 else ""
    if len(tensors) == 1:
        return shape
    return f"{len(tensors):,} {shape}" if shape else f"{len(tensors):,} tensors"


def shortened(text: str) -> str:
    """Return a name, without its middle if it is long."""
    return without_middle(text, MAX_NAME)


class Family(NamedTuple):
    """Ops of one purpose: `rank` is the position in the table, `colour` the fill colour."""

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
_OTHER_FAMILY = next(Family(rank, *row[:2]) for rank, row in enumerate(_FAMILIES) if row[0] == _OTHER)


@cache
def _match_family(op: str) -> Family:
    return next((family for family, matches in _PATTERNS if matches(op)), _OTHER_FAMILY)


def family_of(op: str) -> Family:
    """Return the family of an op; "other" if no family has it."""
    return _match_family(op) if len(op) <= 100 else _OTHER_FAMILY
