"""Sparse tensors, which are indices [n, rank], values [n] and a shape [rank], and segments of rows."""

from __future__ import annotations

from ..conversion import operators
from ..conversion.call import BOOL, Call
from ..conversion.model import Value
from ..conversion.registry import converter
from ..conversion.scope import INT32, INT64
from .gathering import segment_count


def _factors(call: Call, sizes: Value, rank: int) -> Value:
    """Return how many elements a step along each axis passes: the products of the sizes behind it."""
    parts = [call.const([1])]
    for axis in reversed(range(1, rank)):
        size = operators.slice_axes(call, sizes, [axis], [axis + 1], [0])
        parts.insert(0, call.add("Mul", size, parts[0]) if axis < rank - 1 else size)
    return operators.join(call, *parts) if len(parts) > 1 else parts[0]


def _positions(call: Call, indices: Value, sizes: Value, rank: int) -> Value:
    """Return the place of each index in a flat tensor."""
    weighted = call.add("Mul", indices, _factors(call, sizes, rank)) if rank > 1 else indices
    return operators.reduce(call, "ReduceSum", weighted, [1], keepdims=False)


@converter("SparseReshape")
def _sparse_reshape(call: Call) -> list[Value]:
    """Indices in a tensor of other sizes, one of which may be -1; the elements keep their places."""
    indices, old, asked = call.int64(0), call.int64(1), call.int64(2)
    old_rank, new_rank = call.known_shape(1)[0], call.known_shape(2)[0]
    count = operators.reduce(call, "ReduceProd", old, [0], keepdims=True)
    is_open = call.add("Equal", asked, call.const(-1), dtype=BOOL)
    known = operators.where(call, is_open, call.const(1), asked)
    rest = call.add(
        "Div", count, call.add("Max", operators.reduce(call, "ReduceProd", known, [0], keepdims=True), call.const(1))
    )
    sizes = operators.where(call, is_open, rest, asked)
    places = operators.unsqueeze(call, _positions(call, indices, old, old_rank), [1])
    coordinates = places
    if new_rank > 1:
        quotients = call.add("Div", places, call.add("Max", _factors(call, sizes, new_rank), call.const(1)))
        coordinates = call.add("Mod", quotients, call.add("Max", sizes, call.const(1)))
    return [coordinates, sizes]


@converter("SparseReorder")
def _reorder(call: Call) -> list[Value]:
    """Indices and values in the order of their places."""
    indices, values, sizes = call.int64(0), call.input(1), call.int64(2)
    places = _positions(call, indices, sizes, call.known_shape(2)[0])
    order = _order(call, places)
    return [call.add("Gather", value, order, axis=0) for value in (indices, values)]


def _order(call: Call, keys: Value) -> Value:
    """Return the places of numbers when sorted; equal ones stay in their order."""
    count = operators.shape_of(call, keys, 0, 1)
    _, order = call.several("TopK", keys, count, types=[INT64, INT64], axis=0, largest=0, sorted=1)
    return order


@converter("SparseFillEmptyRows")
def _fill_empty_rows(call: Call) -> list[Value]:
    """Give each empty row of a sparse matrix a default value in its first column.

    Outputs: indices and values in the order of rows, which rows were empty, and where the old values are now.
    """
    indices, values, sizes, default = call.int64(0), call.input(1), call.int64(2), call.input(3)
    rows = operators.squeeze(call, operators.slice_axes(call, indices, [0], [1], [1]), [1])
    count = operators.slice_axes(call, sizes, [0], [1], [0])
    zeros = operators.filled(call, count, 0, INT32)
    ones = call.add("Expand", call.const(1, INT32), operators.shape_of(call, rows, 0, 1))
    is_full = call.cast(call.add("ScatterND", zeros, operators.unsqueeze(call, rows, [1]), ones), BOOL)
    is_empty = call.add("Not", is_full)
    empty = call.transposed(call.add("NonZero", is_empty, dtype=INT64), [1, 0])  # [k, 1]
    width = call.known_shape(2)[0] - 1
    added = call.add("Pad", empty, call.const([0, 0, 0, width])) if width else empty
    every = call.add("Concat", rows, operators.squeeze(call, empty, [1]), axis=0)
    order = _order(call, every)
    all_indices = call.add("Gather", call.add("Concat", indices, added, axis=0), order, axis=0)
    defaults = call.add("Expand", default, operators.shape_of(call, empty, 0, 1))
    all_values = call.add("Gather", call.add("Concat", values, defaults, axis=0), order, axis=0)
    outputs = [all_indices, all_values, is_empty]
    if call.is_used(3):
        places = _order(call, order)  # where each of the old and new ones is now
        outputs.append(operators.slice_axes(call, places, [0], operators.shape_of(call, rows, 0, 1), [0]))
    return outputs


_SEGMENTS = ("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN")


@converter("SegmentMean", *_SEGMENTS, *(f"{op}WithNumSegments" for op in _SEGMENTS))
def _segments(call: Call) -> Value:
    """Sums, means or sums divided by the root of the number of rows, of the rows in each segment."""
    op = call.node.op
    if op == "SegmentMean":
        data, ids = call.input(0), call.int64(1)
    else:
        data, ids = call.add("Gather", call.input(0), call.int64(1), axis=0), call.int64(2)
    count = operators.vector(call, 3) if op.endswith("WithNumSegments") else segment_count(call, ids)
    places = operators.unsqueeze(call, ids, [-1])
    shape = call.shape(0)
    sizes = count
    if shape is None or len(shape) > 1:
        sizes = operators.join(call, count, operators.shape_of(call, call.input(0), 1))
    total = operators.scatter(call, operators.filled(call, sizes, 0, data.dtype), places, data, "add")
    if "Sum" in op:
        return total
    ones = call.add("Expand", call.like(1, data), operators.shape_of(call, ids, 0, 1))
    rows = operators.scatter(call, operators.filled(call, count, 0, data.dtype), places, ones, "add")
    divisor = call.add("Max", rows, call.like(1, rows))
    if "SqrtN" in op:
        divisor = call.add("Sqrt", divisor)
    if shape is None:
        return call.add("Div", total, operators.with_ones(call, divisor, total))
    return call.add("Div", total, operators.unsqueeze(call, divisor, list(range(1, len(shape)))))
