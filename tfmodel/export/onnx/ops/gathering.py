"""Gathering and scattering, selection of elements, one-hot vectors, sorting."""

from __future__ import annotations

import numpy as np

from ..conversion import operators
from ..conversion.call import BOOL, Call
from ..conversion.model import Value
from ..conversion.registry import converter
from ..conversion.scope import INT32, INT64

INDEX_TYPES = (INT32, INT64)


def _indices(call: Call, index: int) -> Value:
    """Return indices in the type that they have already: ONNX takes int32 and int64."""
    value = call.home(index)
    return call.int64(index) if value.dtype == INT64 else call.input(index)


@converter("Gather", "GatherV2", "ResourceGather")
def _gather(call: Call) -> Value:
    """Take slices of an axis. ONNX counts negative indices from the end, which are errors in TensorFlow."""
    axis = int(call.required(2, "the axis").ravel()[0]) if call.count > 2 else 0
    batches = call.attr("batch_dims", int, 0)
    data, indices = call.sized(0), _indices(call, 1)
    if batches == 0:
        return call.laid_out(call.add("Gather", data, indices, axis=axis))
    rank = call.rank(0)
    batches += call.rank(1) if batches < 0 else 0
    axis %= rank
    before = list(range(batches, axis))  # axes that stand behind the batches; they go behind the gathered one
    if before:
        data = call.transposed(data, [*range(batches), axis, *before, *range(axis + 1, rank)])
    nested = operators.unsqueeze(call, call.int64(1), [-1])
    result = call.add("GatherND", data, nested, batch_dims=batches)
    if before:
        count, places = len(before), call.rank(1) - batches
        moved = range(batches + places, batches + places + count)
        behind = range(batches + places + count, rank + places - 1)
        result = call.transposed(result, [*range(batches), *moved, *range(batches, batches + places), *behind])
    return call.laid_out(result)


@converter("GatherNd")
def _gather_nd(call: Call) -> Value:
    return call.laid_out(call.add("GatherND", call.sized(0), call.int64(1)))


@converter("ScatterNd")
def _scatter_nd(call: Call) -> Value:
    """Add updates at indices to zeros."""
    updates = call.input(1)
    zeros = operators.filled(call, call.int64(2), 0, updates.dtype)
    return operators.scatter(call, zeros, call.int64(0), updates, "add")


SCATTERS = {
    "TensorScatterUpdate": "none", "TensorScatterAdd": "add", "TensorScatterMax": "max", "TensorScatterMin": "min",
    "TensorScatterSub": "add", "ScatterNdNonAliasingAdd": "add",
}  # fmt: skip


@converter(*SCATTERS)
def _tensor_scatter(call: Call) -> Value:
    op = call.node.op
    reduction = SCATTERS[op]
    if reduction in ("max", "min"):
        call.need_opset(18, op)
    updates = call.input(2)
    if op == "TensorScatterSub":
        updates = call.add("Neg", updates)
    return operators.scatter(call, call.input(0), call.int64(1), updates, reduction)


@converter("SparseToDense")
def _sparse_to_dense(call: Call) -> Value:
    """Write values at indices into a tensor of equal elements."""
    values, default = call.input(2), call.input(3)
    rank = call.shape(0)
    if rank is None:
        call.refuse("the rank of its indices is not known", "--shape")
    indices = call.int64(0)
    if len(rank) < 2:
        indices = operators.unsqueeze(call, indices, [-1] if len(rank) == 1 else [0, 1])
    canvas = call.add("Expand", default, call.int64(1))
    if call.shape(2) == ():
        count = operators.shape_of(call, indices, 0, 1)
        values = call.add("Expand", values, count)
    return call.add("ScatterND", canvas, indices, values)


@converter("SparseTensorDenseMatMul")
def _sparse_matmul(call: Call) -> Value:
    """A sparse matrix made dense, times a dense one."""
    zeros = operators.filled(call, call.int64(2), 0, call.dtype(1))
    a = operators.scatter(call, zeros, call.int64(0), call.input(1), "add")
    b = call.input(3)
    a = call.transposed(a, [1, 0]) if call.attr("adjoint_a", bool, False) else a
    b = call.transposed(b, [1, 0]) if call.attr("adjoint_b", bool, False) else b
    return call.add("MatMul", a, b)


@converter("OneHot")
def _one_hot(call: Call) -> Value:
    """Compare indices with a range: unlike ONNX's OneHot, negative indices give no element."""
    axis = call.attr("axis", int, -1)
    depth = call.constant(1)
    indices = call.input(0)
    if indices.dtype not in INDEX_TYPES:
        indices = call.cast(indices, INT32)
    if depth is not None:
        places = call.const(np.arange(int(depth.ravel()[0])), indices.dtype)
    else:
        size = call.input(1, dtype=indices.dtype)
        places = call.add("Range", call.like(0, indices), size, call.like(1, indices))
    rank = call.rank(0)
    axis = axis % (rank + 1)
    nested = operators.unsqueeze(call, indices, [axis])
    places = operators.unsqueeze(call, places, list(range(1, rank + 1 - axis))) if axis < rank else places
    is_there = call.add("Equal", nested, places, dtype=BOOL)
    on, off = call.constant(2), call.constant(3)
    dtype = call.output_dtype()
    if on is not None and off is not None and dtype != BOOL and on.ravel()[0] == 1 and off.ravel()[0] == 0:
        return call.laid_out(call.cast(is_there, dtype))
    return call.laid_out(operators.where(call, is_there, call.input(2), call.input(3)))


@converter("Where")
def _where(call: Call) -> Value:
    """The places of elements that are not zero, one a row."""
    condition = call.input(0)
    if condition.dtype != BOOL:
        is_zero = call.add("Equal", condition, call.like(0, condition), dtype=BOOL)
        condition = call.add("Not", is_zero)
    return call.add("Transpose", call.add("NonZero", condition, dtype=INT64), perm=[1, 0])


@converter("TopK", "TopKV2")
def _top(call: Call) -> list[Value]:
    values = call.input(0)
    if call.node.op == "TopK":
        count = call.const([call.attr("k", int)])
    else:
        count = operators.vector(call, 1)
    found = call.several("TopK", values, count, types=[values.dtype, INT64], axis=-1, sorted=1)
    return [call.laid_out(value, port=port) for port, value in enumerate(found)]


@converter("Unique", "UniqueWithCounts", "UniqueV2")
def _unique(call: Call) -> list[Value]:
    """Distinct elements in the order in which they appear, the place of each element, and their counts."""
    value = call.input(0)
    extra = {}
    if call.node.op == "UniqueV2" and call.rank(0) != 1:
        if 0 in call.known_shape(0):
            call.refuse("onnxruntime ends when it looks for unique rows of an empty tensor")
        axes = call.required(1, "the axis").ravel().tolist()
        extra = {"axis": int(axes[0]) % call.rank(0)} if axes else {}
    types = [value.dtype, INT64, INT64, INT64]
    distinct, _, places, counts = call.several("Unique", value, types=types, sorted=0, more=extra)
    return [distinct, places, counts][: 3 if "Counts" in call.node.op else 2]


@converter("ListDiff")
def _difference(call: Call) -> list[Value]:
    """The elements of x that are not in y, and their places."""
    x, y = call.input(0), call.input(1)
    if x.dtype == operators.STRING:
        call.need_opset(19, "comparing strings")
    is_equal = call.add("Equal", operators.unsqueeze(call, x, [1]), operators.unsqueeze(call, y, [0]), dtype=BOOL)
    is_there = operators.reduce(call, "ReduceSum", call.cast(is_equal, INT32), [1], keepdims=False)
    is_new = call.add("Not", call.cast(is_there, BOOL))
    count = operators.squeeze(call, operators.shape_of(call, x, 0, 1), [0])
    places = call.add("Range", call.const(0), count, call.const(1))
    return [call.add("Compress", value, is_new, axis=0) for value in (x, places)]


@converter("DynamicPartition")
def _partition(call: Call) -> list[Value]:
    """Rows by the number of their part, one output a part."""
    count = call.attr("num_partitions", int)
    data, partitions = _rows(call, call.input(0), 1), operators.flat(call, call.input(1))
    parts = []
    for number in range(count):
        chosen = call.add("Equal", partitions, call.like(number, partitions), dtype=BOOL)
        parts.append(call.add("Compress", data, chosen, axis=0))
    return parts


@converter("DynamicStitch", "ParallelDynamicStitch")
def _stitch(call: Call) -> Value:
    """Rows at given places of a new tensor; its size is one more than the largest place."""
    count = call.count // 2
    rows = [operators.flat(call, call.int64(index)) for index in range(count)]
    data = [_rows(call, call.input(count + index), index) for index in range(count)]
    places = call.add("Concat", *rows, axis=0) if count > 1 else rows[0]
    values = call.add("Concat", *data, axis=0) if count > 1 else data[0]
    size = segment_count(call, places)
    if call.rank(count) > call.rank(0):
        size = call.add("Concat", size, operators.shape_of(call, values, 1), axis=0)
    zeros = operators.filled(call, size, 0, values.dtype)
    return operators.scatter(call, zeros, operators.unsqueeze(call, places, [-1]), values)


def _rows(call: Call, data: Value, index: int) -> Value:
    """Return data with one dimension in place of those that it shares with an input of numbers or places."""
    rank = call.rank(index)
    if rank == 1:
        return data
    if rank == 0:
        return operators.unsqueeze(call, data, [0])
    if data.shape is not None and None not in data.shape[rank:]:
        return operators.reshape(call, data, [-1, *(size for size in data.shape[rank:] if size is not None)])
    sizes = call.add("Concat", call.const([-1]), operators.shape_of(call, data, rank), axis=0)
    return call.add("Reshape", data, sizes)


def segment_count(call: Call, places: Value) -> Value:
    """Return one more than the largest place as a vector of one size; 0 if there is none."""
    last = operators.reduce(call, "ReduceMax", places, [0], keepdims=True)
    if places.shape is None or places.shape[0] in (None, 0):
        last = call.add("Max", last, call.const([-1]))
    return call.add("Add", last, call.const([1]))


SEGMENTS = {
    "SegmentSum": "add", "SegmentProd": "mul", "UnsortedSegmentSum": "add", "UnsortedSegmentProd": "mul",
    "UnsortedSegmentMax": "max", "UnsortedSegmentMin": "min",
}  # fmt: skip


@converter(*SEGMENTS)
def _segments(call: Call) -> Value:
    """Combine rows by the number of their segment."""
    op = call.node.op
    reduction = SEGMENTS[op]
    if reduction in ("max", "min"):
        call.need_opset(18, op)
    data, ids = _rows(call, call.input(0), 1), operators.flat(call, call.int64(1))
    is_unsorted = op.startswith("Unsorted")
    count = operators.vector(call, 2) if is_unsorted else segment_count(call, ids)
    rows = count
    if is_unsorted:  # negative numbers go to a row of their own, which is cut off
        rows = call.add("Add", count, call.const([1]))
        ids = call.add("Where", call.add("Less", ids, call.const(0), dtype=BOOL), count, ids, dtype=INT64)
    if call.shape(0) is None or call.rank(0) > call.rank(1):
        rows = call.add("Concat", rows, operators.shape_of(call, data, 1), axis=0)
    low, high = operators.limits(data.dtype)
    start = {"add": 0, "mul": 1, "max": low, "min": high}[reduction]
    canvas = operators.filled(call, rows, start, data.dtype)
    result = operators.scatter(call, canvas, operators.unsqueeze(call, ids, [-1]), data, reduction)
    return operators.slice_axes(call, result, [0], count, [0]) if is_unsorted else result
