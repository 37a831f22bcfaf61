"""Shape rules of sparse and ragged tensors. A sparse tensor is indices (n, rank), values (n) and shape (rank)."""

from __future__ import annotations

from ...values.shape import SCALAR, Dim, Shape, axis_of, merge_dims, rows_shape, with_rank
from .table import Call, Result, Rule


def _sparse_dense(call: Call) -> Result:
    """Return the shape of the product of a sparse and a dense matrix."""
    with_rank(call.shape(0), 2)
    a = with_rank(call.sizes(2), 2)
    b = with_rank(call.shape(3), 2)
    a = a[::-1] if call.attr("adjoint_a", bool, False) else a
    b = b[::-1] if call.attr("adjoint_b", bool, False) else b
    merge_dims(a[1], b[0])
    return a[0], b[1]


def _sparse(call: Call, index: int) -> tuple[Dim, Dim]:
    """Return the number of elements and the rank of the sparse tensor that begins at an input."""
    indices, values, shape = (call.shape(index + offset) for offset in range(3))
    count, rank = with_rank(indices, 2)
    return merge_dims(count, with_rank(values, 1)[0]), merge_dims(rank, with_rank(shape, 1)[0])


def _to_dense(call: Call) -> Result:
    return call.sizes(1)


def _reorder(call: Call) -> Result:
    count, rank = _sparse(call, 0)
    return [(count, rank), (count,)]


def _reshape(call: Call) -> Result:
    count = with_rank(call.shape(0), 2)[0]
    rank = with_rank(call.shape(2), 1)[0]
    return [(count, rank), (rank,)]


def _add(call: Call) -> Result:
    _, rank = _sparse(call, 0)
    return [(None, rank), (None,), (rank,)]


def _concat(call: Call) -> Result:
    third = len(call.inputs) // 3
    count: Dim = 0
    rank: Dim = None
    for index in range(third):
        part_count, part_rank = with_rank(call.shape(index), 2)
        part_count = merge_dims(part_count, with_rank(call.shape(third + index), 1)[0])
        rank = merge_dims(merge_dims(rank, part_rank), with_rank(call.shape(2 * third + index), 1)[0])
        count = None if count is None or part_count is None else count + part_count
    return [(count, rank), (count,), (rank,)]


def _dense_add(call: Call) -> Result:
    return call.shape(3)


def _slice(call: Call) -> Result:
    rank = with_rank(call.shape(2), 1)[0]
    return [(None, rank), (None,), with_rank(call.shape(2), 1)]


def _split(call: Call) -> Result:
    count = call.count("num_split")
    shape = with_rank(call.shape(3), 1)
    if count > 1 << 16:
        return []
    return [*[(None, shape[0])] * count, *[(None,)] * count, *[shape] * count]


def _fill_empty_rows(call: Call) -> Result:
    indices = with_rank(call.shape(0), 2)
    merge_dims(indices[0], with_rank(call.shape(1), 1)[0])
    rank = merge_dims(indices[1], with_rank(call.shape(2), 1)[0])
    shape = call.numbers(2)
    return [(None, rank), (None,), (shape[0] if shape else None,), (indices[0],)]


def _softmax(call: Call) -> Result:
    count, _ = _sparse(call, 0)
    return (count,)


def _reduce(call: Call) -> Result:
    """Return the reduced shape, if the shape of the sparse tensor is known."""
    sizes, axes, keep = call.sizes(2), call.numbers(3), call.attr("keep_dims", bool, False)
    if sizes is None or call.value(2) is None or axes is None:
        return None
    removed = {axis_of(axis, len(sizes)) for axis in axes}
    return tuple(1 if axis in removed else size for axis, size in enumerate(sizes) if keep or axis not in removed)


def _values(call: Call) -> Result:
    return (merge_dims(with_rank(call.shape(0), 2)[0], with_rank(call.shape(1), 1)[0]),)


def _cross(call: Call) -> Result:
    return [(None, 2), (None,), (2,)]


def _ragged_range(call: Call) -> Result:
    count: Dim = None
    for shape in call.shapes:
        if shape:
            count = merge_dims(count, shape[0])
    if count is None:
        count = 1 if all(shape == () for shape in call.shapes) else None
    return [(None if count is None else count + 1,), (None,)]


def _ragged_gather(call: Call) -> Result:
    """Return the shapes of the splits of each outer dimension, and of the values."""
    splits = call.count("OUTPUT_RAGGED_RANK")
    if splits > 1 << 8:
        return []
    indices, params = call.shape(len(call.inputs) - 1), rows_shape(call.shape(len(call.inputs) - 2), 1)
    first = indices[0] if indices is not None and len(indices) == 1 else None
    split_shapes: list[Shape | None] = [(None,) if level or first is None else (first + 1,) for level in range(splits)]
    return [*split_shapes, None if params is None else (None, *params[1:])]


def _ragged_to_variant(call: Call) -> Result:
    """Return one variant, or one for each row: of the outermost splits, or of the values if there are no splits."""
    if not call.attr("batched_input", bool):
        return SCALAR
    rank = call.attr("RAGGED_RANK", int)
    rows = rows_shape(call.shape(0), 1)
    count = None if rows is None else rows[0]
    return (count if count is None or not rank else max(0, count - 1),)


def _ragged_from_variant(call: Call) -> Result:
    rank, own = call.attr("output_ragged_rank", int), call.attr("input_ragged_rank", int)
    if own >= 0:
        with_rank(call.shape(0), rank - own)
    return [*[(None,)] * max(0, rank), None]


RULES: dict[str, Rule] = {
    "DeserializeSparse": lambda call: [(None, None), (None,), (None,)],
    "RaggedGather": _ragged_gather,
    "RaggedRange": _ragged_range,
    "RaggedTensorFromVariant": _ragged_from_variant,
    "RaggedTensorToVariant": _ragged_to_variant,
    "RaggedTensorToVariantGradient": lambda call: call.sizes(2),
    "SerializeSparse": lambda call: (3,),
    "SparseAdd": _add,
    "SparseConcat": _concat,
    "SparseCross": _cross,
    "SparseCrossHashed": _cross,
    "SparseCrossV2": _cross,
    "SparseDenseCwiseAdd": _values,
    "SparseDenseCwiseDiv": _values,
    "SparseDenseCwiseMul": _values,
    "SparseFillEmptyRows": _fill_empty_rows,
    "SparseReduceMax": _reduce,
    "SparseReduceSum": _reduce,
    "SparseReorder": _reorder,
    "SparseReshape": _reshape,
    "SparseSlice": _slice,
    "SparseSoftmax": _softmax,
    "SparseSparseMaximum": lambda call: [(None, _sparse(call, 0)[1]), (None,)],
    "SparseSparseMinimum": lambda call: [(None, _sparse(call, 0)[1]), (None,)],
    "SparseSplit": _split,
    "SparseTensorDenseAdd": _dense_add,
    "SparseTensorDenseMatMul": _sparse_dense,
    "SparseToDense": _to_dense,
}
