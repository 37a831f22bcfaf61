"""What stands in a box and at an edge, in few words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...errors import GraphError
from ...graph import attr
from ...messages import TensorProto
from ...printable import shortened as without_middle
from ..describing import tensor_text, values_text
from .families import Family, family_of

if TYPE_CHECKING:
    from ...graph import Functions
    from .bundling import Bundle
    from .folding import Box
    from .wiring import Vertex

__all__ = ["box_lines", "bundle_text", "family_of_box", "shortened"]

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
