"""Ops that take sizes as an input, such as Reshape, and how these sizes change if their data has another shape.

    size = Const (1, 784)           x changes from (1, 28, 28) to (8, 28, 28)
    y = Reshape(x, size)            RULES["Reshape"] returns (8, 784)

`OPERANDS` names the input of each op that holds sizes. `RULES` has functions for ops that must follow their data;
`REPEATING` has functions for ops that repeat values up to a size, which changes if another node needs that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import prod
from typing import NamedTuple

from ...errors import TransformError
from ...graph import attr, describe
from ...messages import NodeDef
from ...values.shape import Shape, shape_to_text


class Change(NamedTuple):
    """An axis of a tensor, with its size before and after."""

    axis: int
    old: int
    new: int


def changed_axes(old: Shape | None, new: Shape | None) -> list[Change]:
    """Return the axes whose known sizes differ."""
    if old is None or new is None or len(old) != len(new):
        return []
    pairs = enumerate(zip(old, new, strict=True))
    return [Change(axis, a, b) for axis, (a, b) in pairs if a is not None and b is not None and a != b]


class Case(NamedTuple):
    """A node that takes sizes.

    data, output   the old shapes of its data and of its output
    sizes          the old sizes that it takes
    begin          the positions at which a slice begins, if the node is a slice
    """

    node: NodeDef
    data: Shape
    output: Shape
    sizes: tuple[int, ...]
    begin: tuple[int | None, ...]


def _reshape(case: Case, changes: list[Change]) -> Sequence[int]:
    """Return the sizes of a Reshape: the size of the axis that contains the changed axis is multiplied."""
    sizes = list(case.sizes)
    for change in changes:
        axis = _axis_of_result(case, change)
        if axis is None:
            raise TransformError(_no_place(case, change))
        if sizes[axis] == -1:
            continue
        new_size = sizes[axis] * Fraction(change.new, change.old)
        if new_size.denominator != 1:
            raise TransformError(_no_place(case, change))
        sizes[axis] = int(new_size)
    return sizes


def _axis_of_result(case: Case, change: Change) -> int | None:
    """Return the axis of a Reshape's result that contains the changed axis of its input; None if no axis does.

    The axis is found by the old shapes. Elements keep their order. So the first axis of the input is in the first axis
    of the result. For another axis, one step along it must be a whole number of steps along the axis of the result.

    An axis of size 1 must be an axis of size 1 in the result too: a Reshape that removes it often treats a batch of 1
    as one example.
    """
    if change.axis == 0 and case.sizes[:1] == (-1,):
        return 0
    inner_sizes = case.data[change.axis + 1 :]
    if change.old == 0 or not case.sizes:
        return None
    if change.axis == 0:
        return 0 if change.old > 1 or case.output[0] == 1 else None
    if None in inner_sizes:
        return None
    step = prod(size or 0 for size in inner_sizes)
    candidates = []
    for axis, size in enumerate(case.output):
        if size and None not in case.output[axis:]:
            inner = prod(inner_size or 0 for inner_size in case.output[axis + 1 :])
            if inner and step % inner == 0 and inner * size % (step * change.old or 1) == 0:
                candidates.append(axis)
    if change.old == 1:
        candidates = [axis for axis in candidates if case.output[axis] == 1]
    return candidates[0] if candidates else None


def _no_place(case: Case, change: Change) -> str:
    shapes = f"{shape_to_text(case.data)} to {shape_to_text(case.output)}"
    return f"{describe(case.node)}, from {shapes}: there is no place for {change.new:,} instead of {change.old:,}"


def _slice(case: Case, changes: list[Change]) -> Sequence[int]:
    """Return the sizes of a Slice. If it takes a whole axis, its size there becomes the new size of the axis."""
    sizes = list(case.sizes)
    for axis, old, new in changes:
        if axis < len(sizes) and case.begin[axis : axis + 1] == (0,) and sizes[axis] == old:
            sizes[axis] = new
    return sizes


def _strided_slice(case: Case, changes: list[Change]) -> Sequence[int]:
    """Return the ends of a StridedSlice. If it takes a whole axis, its end there becomes the new size of the axis."""
    masks = ("ellipsis_mask", "new_axis_mask")
    ends = list(case.sizes)
    if any(attr(case.node, mask, int, 0) for mask in masks):
        return ends
    kept = attr(case.node, "end_mask", int, 0) | attr(case.node, "shrink_axis_mask", int, 0)
    for axis, old, new in changes:
        begins = attr(case.node, "begin_mask", int, 0) >> axis & 1 or case.begin[axis : axis + 1] == (0,)
        if axis < len(ends) and begins and not kept >> axis & 1 and ends[axis] == old:
            ends[axis] = new
    return ends


def _broadcast_to(case: Case, changes: list[Change]) -> Sequence[int]:
    """Return the sizes of a BroadcastTo: sizes of changed axes become the new sizes of these axes."""
    sizes = list(case.sizes)
    for axis, old, new in changes:
        place = axis + len(sizes) - len(case.data)
        if sizes[place] == old:
            sizes[place] = new
    return sizes


def _transposed_convolution(case: Case, changes: list[Change]) -> Sequence[int]:
    """Return the sizes of the result, which change by the same factor as those of the data.

    In old graphs, the sizes are only height and width.
    """
    sizes = list(case.sizes)
    for axis, old, new in changes:
        place = axis if len(sizes) == len(case.data) else axis - 1
        if 0 <= place < len(sizes) and old and (size := Fraction(sizes[place] * new, old)).denominator == 1:
            sizes[place] = int(size)
    return sizes


DATA = dict.fromkeys(("Conv2DBackpropInput", "Conv3DBackpropInputV2", "DepthwiseConv2dNativeBackpropInput"), 2)
"""The number of the input with the data, for ops whose data is not their first input."""

_RANDOM = ("RandomUniform", "RandomUniformInt", "RandomStandardNormal", "TruncatedNormal")
OPERANDS = {
    **dict.fromkeys(_RANDOM, (0, "shape")),
    **dict.fromkeys(DATA, (0, "input_sizes")),
    "Reshape": (1, "shape"),
    "Slice": (2, "size"),
    "StridedSlice": (2, "end"),
    "BroadcastTo": (1, "shape"),
    "Tile": (1, "multiples"),
    "Fill": (0, "dims"),
}
"""The input of each op that holds sizes: its number and its name."""

RULES: dict[str, Callable[[Case, list[Change]], Sequence[int]]] = {
    "Reshape": _reshape,
    "Slice": _slice,
    "StridedSlice": _strided_slice,
    "BroadcastTo": _broadcast_to,
    **dict.fromkeys(DATA, _transposed_convolution),
}
"""By op: a function that returns the new sizes for changed axes of the data."""

REPEATING: dict[str, Callable[[int, Change], int]] = {
    **dict.fromkeys(_RANDOM, lambda size, change: change.new),
    "Fill": lambda size, change: change.new,
    "BroadcastTo": lambda size, change: change.new,
    "Tile": lambda size, change: change.new if size == change.old else size,  # it repeats one row
}
"""By op: a function that returns the new size for a changed axis of the result; for Tile, the number of repetitions."""

OPEN = {"Reshape": -1, "Slice": -1, "StridedSlice": 2**31 - 1}
"""By op: the number that stands for the whole axis, in the input that holds sizes."""
