"""Shape rules of ops that read or write elements and slices by index, and of unique and sorted elements."""

from __future__ import annotations

from ...errors import GraphError
from ...values.shape import Shape, axis_of, merge_shapes, rows_shape, shape_to_text, with_rank
from .partial_tensors import Tensor
from .table import Call, Result, Rule, same_shape, share_rule


def _search_sorted(call: Call) -> Result:
    with_rank(call.shape(0), 2)
    return with_rank(call.shape(1), 2)


def _unique(call: Call) -> Result:
    return [(None,), with_rank(call.shape(0), 1)]


def _unique_with_counts(call: Call) -> Result:
    return [(None,), with_rank(call.shape(0), 1), (None,)]


def _unique_v2(call: Call) -> Result:
    shape, axes = call.shape(0), call.numbers(1)
    indices: Shape = (None,)
    unique_shape: Shape | None = None
    if shape is not None:
        unique_shape = (None,) * len(shape)
        if axes is not None:
            if not axes:
                with_rank(shape, 1)
            axis = axis_of(axes[0], len(shape)) if axes else 0
            indices = (shape[axis],)
            unique_shape = (*shape[:axis], None, *shape[axis + 1 :])
    counts: list[Shape | Tensor | None] = [(None,)] if call.node.op == "UniqueWithCountsV2" else []
    return [unique_shape, indices, *counts]


def _list_diff(call: Call) -> Result:
    return [(None,), (None,)]


def gather_shape(params: Shape | None, indices: Shape | None, axis: int | None, batch: int = 0) -> Shape | None:
    """Return the shape of Gather: the indices replace dimension `axis`; both share the first `batch` dimensions."""
    if params is None or indices is None:
        return None
    rows_shape(params, 1)
    if batch:
        batch = batch if batch == len(indices) else axis_of(batch, len(indices))
        if batch > len(params):
            raise GraphError(
                f"{shape_to_text(params)} has no {batch} dimensions in common with {shape_to_text(indices)}"
            )
    if axis is None:
        return (None,) * (len(params) + len(indices) - 1 - batch)
    dim = axis_of(axis, len(params))
    if batch > dim:
        raise GraphError(f"axis is {dim}, but the first {batch} dimensions are batch dimensions")
    common = merge_shapes(params[:batch], indices[:batch]) or ()
    return (*common, *params[batch:dim], *indices[batch:], *params[dim + 1 :])


def _gather(call: Call) -> Result:
    return _add_elements(call, gather_shape(call.shape(0), call.shape(1), 0))


def _gather_v2(call: Call) -> Result:
    shape = gather_shape(call.shape(0), call.shape(1), call.number(2), call.attr("batch_dims", int, 0))
    return _add_elements(call, shape)


def _add_elements(call: Call, shape: Shape | None) -> Result:
    value, indices = call.value(0), call.integers(1)
    if value is None or indices is None or len(call.shape(0) or ()) != 1 or shape is None or None in shape:
        return shape
    if any(index is not None and not 0 <= index < len(value) for index in indices):
        return shape
    return Tensor(shape, tuple(None if index is None else value[index] for index in indices))


def _gather_nd(call: Call) -> Result:
    return gather_nd_shape(call.shape(0), call.shape(1))


def gather_nd_shape(params: Shape | None, indices: Shape | None) -> Shape | None:
    """Return the shape of GatherNd: the last dimension of the indices holds an index into the first ones of params."""
    rows_shape(indices, 1)
    if params is None or indices is None or indices[-1] is None:
        return None
    if indices[-1] > len(params):
        raise GraphError(f"indices of {indices[-1]} numbers are too long for {shape_to_text(params)}")
    return (*indices[:-1], *params[indices[-1] :])


def _scatter_nd(call: Call) -> Result:
    return call.sizes(2)


def _one_hot(call: Call) -> Result:
    shape, depth = call.shape(0), call.number(1)
    if depth is not None and depth < 0:
        raise GraphError(f"depth must not be negative, got {depth}")
    if shape is None:
        return None
    axis = call.attr("axis", int, -1)
    dim = axis_of(axis, len(shape) + 1)
    return (*shape[:dim], depth, *shape[dim:])


def _where(call: Call) -> Result:
    shape = call.shape(0)
    return (None, None if shape is None else len(shape))


RULES: dict[str, Rule] = {
    "Gather": _gather,
    "GatherNd": _gather_nd,
    "GatherV2": _gather_v2,
    "ListDiff": _list_diff,
    "LowerBound": _search_sorted,
    "OneHot": _one_hot,
    "ScatterNd": _scatter_nd,
    "Unique": _unique,
    "UniqueV2": _unique_v2,
    "UniqueWithCounts": _unique_with_counts,
    "UniqueWithCountsV2": _unique_v2,
    "UpperBound": _search_sorted,
    "Where": _where,
    **share_rule(
        """
        InplaceAdd InplaceSub InplaceUpdate ScatterNdNonAliasingAdd TensorScatterAdd TensorScatterMax
        TensorScatterMin TensorScatterSub TensorScatterUpdate TensorStridedSliceUpdate
        """,
        same_shape,
    ),
}
