"""Shapes and sizes, reshaping, filling, ranges."""

from __future__ import annotations

import numpy as np

from ..conversion import operators
from ..conversion.call import BOOL, Call
from ..conversion.model import Value
from ..conversion.registry import converter
from ..conversion.scope import INT32, INT64, inverse, with_axis, without


@converter("Shape", "ShapeN")
def _shape(call: Call) -> list[Value]:
    """Sizes stay int64 until int32 is asked for."""
    return [_sizes_of(call, index) for index in range(call.count)]


def _sizes_of(call: Call, index: int) -> Value:
    value = call.home(index)
    sizes = operators.shape_of(call, value)
    if value.order is None:
        return sizes
    places = inverse(value.order)
    if sizes.data is not None:
        return call.const(sizes.data[places])
    return call.add("Gather", sizes, call.const(places), axis=0)


@converter("Size")
def _size(call: Call) -> Value:
    return call.add("Size", call.home(0), dtype=INT64)


@converter("Rank")
def _rank(call: Call) -> Value:
    sizes = call.add("Shape", call.home(0), dtype=INT64)
    return call.add("Size", sizes, dtype=INT64)


@converter("Reshape")
def _reshape(call: Call) -> Value:
    """Give a tensor other sizes; if all but one are known from shapes, they are constants. See also passes/sizes.py."""
    value = call.sized(0)
    sizes = _constant_sizes(call)
    if sizes is not None:
        return call.laid_out(operators.reshape(call, value, sizes))
    asked = call.known(1) or ()
    if 0 in asked and -1 in asked:
        call.refuse("one of its sizes is 0 and another one open")
    return call.laid_out(call.add("Reshape", value, operators.flat(call, call.int64(1))))


def _constant_sizes(call: Call) -> list[int] | None:
    """Return the sizes of the result, if they are constants but for one, which is -1."""
    asked, shape = call.known(1), call.output_shape()
    if shape is None and asked is None:
        return None
    sizes: list[int | None] = list(shape) if shape is not None else [None] * len(asked or ())
    is_constant = call.constant(1) is not None
    for place, size in enumerate(asked or ()):
        if size is not None and (size >= 0 or is_constant) and sizes[place] is None:
            sizes[place] = int(size)
    unknown = [place for place, size in enumerate(sizes) if size is None or size == -1]
    if len(unknown) > 1 or (unknown and 0 in sizes):
        return None
    return [-1 if size is None else size for size in sizes]


@converter("ExpandDims")
def _expand(call: Call) -> Value:
    if call.constant(1) is None:
        return call.add("Unsqueeze", call.input(0), operators.flat(call, call.int64(1)))
    axis = int(call.required(1, "the axis").ravel()[0])
    value, order = call.moved(0)
    if order is not None:
        order, axis = with_axis(order, axis % (len(order) + 1))
    return call.laid_out(operators.unsqueeze(call, value, [axis]), order)


@converter("Squeeze")
def _squeeze(call: Call) -> Value:
    axes = call.attr("squeeze_dims", list[int], None) or call.attr("axis", list[int], None) or []
    value, order = call.moved(0)
    if order is not None:
        shape = call.shape(0) or ()
        axes = [axis % len(order) for axis in axes] or [axis for axis, size in enumerate(shape) if size == 1]
        places, order = call.places(axes, order), without(order, axes)
        return call.laid_out(operators.squeeze(call, value, sorted(places)), order)
    if not axes:
        return call.laid_out(call.add("Squeeze", value))
    return call.laid_out(operators.squeeze(call, value, sorted(axes)))


@converter("Transpose", "ConjugateTranspose")
def _transpose(call: Call) -> Value:
    """No node but another order of axes, which is undone where TensorFlow's order is needed."""
    axes = call.required(1, "the permutation").ravel().tolist()
    rank = len(axes)
    turned = [int(axis) % rank for axis in axes]
    value, order = call.moved(0)
    if value.data is not None:
        return call.laid_out(call.transposed(call.input(0), turned))
    result = call.add("Identity", value)
    return call.laid_out(result, tuple(turned.index(axis) for axis in order or range(rank)))


@converter("Fill")
def _fill(call: Call) -> Value:
    """Equal elements: a constant one by ConstantOfShape, else by Expand."""
    element = call.constant(1)
    sizes = operators.flat(call, call.int64(0))
    if element is not None:
        return operators.filled(call, sizes, element.ravel()[0], call.dtype(1))
    return call.add("Expand", _scalar(call, call.input(1)), sizes)


@converter("ZerosLike", "OnesLike")
def _like(call: Call) -> Value:
    element = int(call.node.op == "OnesLike")
    dtype = call.output_dtype()
    value = call.home(0)
    sizes = operators.shape_of(call, value)
    result = operators.filled(call, sizes, element, dtype)
    return call.laid_out(result, value.order)


@converter("BroadcastTo", "Tile")
def _repeat(call: Call) -> Value:
    op = "Tile" if call.node.op == "Tile" else "Expand"
    value = call.sized(0)
    if op == "Tile" and (times := call.constant(1)) is not None and all(each == 1 for each in times.ravel()):
        return call.home(0)
    return call.add(op, value, call.int64(1))


@converter("Range")
def _range(call: Call) -> Value:
    """A range; of sizes it stays int64."""
    dtype = INT64 if call.stays_int64() else None
    values = [call.input(index, dtype=dtype) for index in range(3)]
    return call.add("Range", *(_scalar(call, value) for value in values))


def _scalar(call: Call, value: Value) -> Value:
    return operators.reshape(call, value, []) if value.shape not in ((), None) else value


@converter("LinSpace")
def _linspace(call: Call) -> Value:
    """Evenly spaced numbers: start + i * (stop - start) / (num - 1)."""
    count = int(call.required(2, "the number of elements").ravel()[0])
    start, stop = call.input(0), call.input(1)
    places = call.const(np.arange(count), start.dtype)
    if count == 1:
        return operators.reshape(call, start, [1])
    step = call.add("Div", call.add("Sub", stop, start), call.like(count - 1, start))
    return call.add("Add", start, call.add("Mul", places, step))


@converter("ConcatOffset")
def _offsets(call: Call) -> list[Value]:
    """Where each part of a concatenation begins: the sums of the sizes before it along the axis."""
    axis = int(call.required(0, "the axis").ravel()[0])
    count, rank = call.count - 1, call.known_shape(1)[0]
    mask = call.const([int(place == axis % rank) for place in range(rank)])
    offset = call.const([0] * rank)
    outputs = []
    for index in range(1, count + 1):
        outputs.append(offset)
        offset = call.add("Add", offset, call.add("Mul", call.int64(index), mask))
    return outputs


@converter("BroadcastGradientArgs")
def _broadcast_axes(call: Call) -> list[Value]:
    """The axes along which each of two operands was repeated, for shapes of one length."""
    sizes = [call.int64(index) for index in range(2)]
    counts = [call.known_shape(index)[0] for index in range(2)]
    rank = max(counts)
    outputs = []
    wide = [
        operators.join(call, call.const([1] * (rank - count)), size) if count < rank else size
        for size, count in zip(sizes, counts, strict=True)
    ]
    is_differing = call.add("Not", call.add("Equal", *wide, dtype=BOOL))
    differing = operators.reduce(call, "ReduceSum", call.cast(is_differing, INT64), [0], keepdims=True)
    is_other = call.cast(differing, BOOL) if counts[0] == counts[1] else call.const([True], BOOL)
    for own, other, count in zip(wide, reversed(wide), counts, strict=True):
        is_one = call.add("Equal", own, call.const(1), dtype=BOOL)
        is_missing = call.const([place < rank - count for place in range(rank)], BOOL)
        repeated = call.add("Or", is_missing, call.add("And", is_one, is_differing))
        both = call.add("And", is_one, call.add("Equal", other, call.const(1), dtype=BOOL))
        both = call.add("And", both, is_other)  # equal shapes have no such axes
        axes = call.add("NonZero", call.add("Or", repeated, both), dtype=INT64)
        outputs.append(operators.squeeze(call, axes, [0]))
    return outputs


@converter("InvertPermutation")
def _invert(call: Call) -> Value:
    """The places of 0, 1, 2, ... in a permutation: its order when sorted."""
    order = call.int64(0)
    size = operators.shape_of(call, order, 0, 1)
    _, places = call.several("TopK", order, size, types=[INT64, INT64], axis=0, largest=0, sorted=1)
    return places if call.output_dtype() in (INT32, INT64) else call.cast(places, call.output_dtype())
