"""Numbers that are computed from sizes and are always equal, such as the rounds of a loop and the rows it goes over.

    Min(n, Max(1, n))  =  n        where n is an element of Shape(x), however it is taken

Such a number is a function of one unknown size. It is n or a constant in each interval between the constants in it, so
it is compared at these constants, beside them, and far from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias, Union

from .model import OnnxNode, Value

Size: TypeAlias = "tuple[Value, int]"
"""A size: a tensor and an axis."""

Number: TypeAlias = Union[int, Size, "tuple[str, list[Number]]", None]
"""A constant, a size, or the least or the largest of several; None for anything else."""

_FUNCTIONS = {"Min": min, "Max": max}
_PASSING = frozenset({"Identity", "Cast", "Squeeze", "Unsqueeze"})
_ALL = 1 << 31  # bounds beyond this go to the end of an axis


def same_number(one: Value, other: Value) -> bool:
    """Return whether two numbers are always equal."""
    return one is other or _same(_number(one), _number(other))


def is_length(number: Value, tensor: Value) -> bool:
    """Return whether a number is always the first size of a tensor."""
    return _same(_number(number), _size(tensor, 0))


def _same(one: Number, other: Number) -> bool:
    parts = [*_parts(one), *_parts(other)]
    sizes = {part for part in parts if isinstance(part, tuple)}
    if None in parts or len(sizes) > 1:
        return False
    tried = {0, 1 << 40} | {part + step for part in parts if isinstance(part, int) for step in (-1, 0, 1)}
    return all(_at(one, size) == _at(other, size) for size in tried if size >= 0)


def _parts(number: Number) -> Iterator[int | Size | None]:
    if isinstance(number, tuple) and isinstance(number[1], list):
        for each in number[1]:
            yield from _parts(each)
    else:
        yield number


def _at(number: Number, size: int) -> int:
    """Return a number for one value of its unknown size."""
    if isinstance(number, tuple):
        if isinstance(number[1], list):
            return int(_FUNCTIONS[str(number[0])](_at(each, size) for each in number[1]))
        return size
    assert number is not None
    return number


def _number(value: Value) -> Number:
    """Return what a scalar, or a vector of one element, is computed from."""
    if value.data is not None:
        return int(value.data.ravel()[0]) if value.data.size == 1 else None
    node = value.producer
    if node is None:
        return None
    inputs = [each for each in node.inputs if each is not None]
    if node.op in _PASSING:
        return _number(inputs[0])
    if node.op in _FUNCTIONS:
        return (node.op, [_number(each) for each in inputs])
    found = _vector(value)
    if node.op == "Gather" and inputs[1].data is not None and inputs[1].data.size == 1:
        whole, place = _vector(inputs[0]), int(inputs[1].data.ravel()[0])
        return whole[place] if whole is not None and -len(whole) <= place < len(whole) else None
    return found[0] if found is not None and len(found) == 1 else None


def _vector(value: Value) -> list[Number] | None:
    """Return the elements of a vector of sizes."""
    node = value.producer
    if node is None:
        return None
    inputs = [each for each in node.inputs if each is not None]
    if node.op in ("Identity", "Cast"):
        return _vector(inputs[0])
    if node.op == "Shape":
        rank = inputs[0].rank
        if rank is None:
            return None
        bounds: Any = node.attributes.get("start", 0), node.attributes.get("end", rank)
        return [_size(inputs[0], axis) for axis in range(rank)][slice(*bounds)]
    if node.op not in ("Gather", "Slice"):
        return None
    whole, constants = _vector(inputs[0]), [each.data for each in inputs[1:]]
    if whole is None or any(each is None for each in constants):
        return None
    listed = [each.ravel().tolist() for each in constants if each is not None]
    if node.op == "Gather":
        inside = all(-len(whole) <= place < len(whole) for place in listed[0])
        return [whole[place] for place in listed[0]] if inside else None
    return whole[listed[0][0] : listed[1][0] : listed[3][0] if len(listed) > 3 else 1]


def _size(tensor: Value, axis: int) -> Number:
    """Return a size, of the tensor from which this one takes it."""
    while True:
        if tensor.shape is not None:
            if not axis < len(tensor.shape):
                return None
            if (size := tensor.shape[axis]) is not None:
                return int(size)
        node = tensor.producer
        before = None if node is None else _axis_before(node, tensor, axis)
        if before is None:
            return tensor, axis
        tensor, axis = before


def _axis_before(node: OnnxNode, tensor: Value, axis: int) -> Size | None:
    """Return the tensor and axis that gives an axis of an output its size."""
    source = node.inputs[0] if node.inputs else None
    if source is None:
        return None
    if node.op == "Transpose":
        order: Any = node.attributes["perm"]
        return source, int(order[axis])
    if node.op in ("Identity", "Cast"):
        return source, axis
    if node.op == "Slice" and _keeps(node, axis):
        return source, axis
    if node.op in ("LSTM", "GRU", "RNN") and tensor is node.outputs[0] and axis == 0:
        return source, 0
    axes = node.inputs[1] if len(node.inputs) > 1 else None
    if node.op == "Squeeze" and axis == 0 and axes is not None and axes.data is not None:
        return (source, 0) if 0 not in axes.data and min(axes.data) > 0 else None
    return None


def _keeps(node: OnnxNode, axis: int) -> bool:
    """Return whether a Slice leaves an axis as it is, or reverses it."""
    starts, ends, axes, *steps = (None if each is None else each.data for each in node.inputs[1:])
    if axes is None or min(axes) < 0:
        return False
    if axis not in axes:
        return True
    place = axes.tolist().index(axis)
    if starts is None or ends is None or not steps or steps[0] is None:
        return False
    return bool(steps[0][place] == -1 and starts[place] == -1 and ends[place] < -_ALL)
