"""Ops that take or put elements by their indices, and ops that find indices: gather, scatter, one hot, top k."""

from __future__ import annotations

from ...errors import GraphError
from ...ops.partial_tensors import Tensor
from ...ops.shape_rules import Call, Result, Rule, alike
from ...shape import Shape, axis_of, merged, ranked, rows, text

__all__ = ["RULES"]


# --- gather ----------------------------------------------------------------------------------------------------------


def _gathered(params: Shape | None, indices: Shape | None, axis: int | None, batch: int = 0) -> Shape | None:
    """The indices in place of a dimension; the first `batch` dimensions are those of both."""
    if params is None or indices is None:
        return None
    rows(params, 1)
    if batch:
        batch = batch if batch == len(indices) else axis_of(batch, len(indices))
        if batch > len(params):
            raise GraphError(f"{text(params)} has no {batch} dimensions in common with {text(indices)}")
    if axis is None:
        return (None,) * (len(params) + len(indices) - 1 - batch)
    at = axis_of(axis, len(params))
    if batch > at:
        raise GraphError(f"it gathers in dimension {at} of {batch} that are in common")
    common = merged(params[:batch], indices[:batch]) or ()
    return (*common, *params[batch:at], *indices[batch:], *params[at + 1 :])


def _gather(call: Call) -> Result:
    return _with_elements(call, _gathered(call.shape(0), call.shape(1), 0))


def _gather_v2(call: Call) -> Result:
    shape = _gathered(call.shape(0), call.shape(1), call.number(2), call.attr("batch_dims", int, 0))
    return _with_elements(call, shape)


def _with_elements(call: Call, shape: Shape | None) -> Result:
    value, indices = call.value(0), call.integers(1)
    if value is None or indices is None or len(call.shape(0) or ()) != 1 or shape is None or None in shape:
        return shape
    if any(index is not None and not 0 <= index < len(value) for index in indices):
        return shape
    return Tensor(shape, tuple(None if index is None else value[index] for index in indices))


def _gather_nd(call: Call) -> Result:
    return _gathered_nd(call.shape(0), call.shape(1))


def _gathered_nd(params: Shape | None, indices: Shape | None) -> Shape | None:
    """The last dimension of the indices says where in the first dimensions a part is."""
    rows(indices, 1)
    if params is None or indices is None or indices[-1] is None:
        return None
    if indices[-1] > len(params):
        raise GraphError(f"its indices have {indices[-1]} numbers, for {text(params)}")
    return (*indices[:-1], *params[indices[-1] :])


def _resource_gather(call: Call) -> Result:
    handle = call.tensor(0).handle
    shape = handle[0] if handle else None
    return _gathered(shape, call.shape(1), call.attr("batch_dims", int, 0), call.attr("batch_dims", int, 0))


def _resource_gather_nd(call: Call) -> Result:
    handle = call.tensor(0).handle
    return _gathered_nd(handle[0] if handle else None, call.shape(1))


def _scatter_nd(call: Call) -> Result:
    return call.sizes(2)


def _one_hot(call: Call) -> Result:
    shape, depth = call.shape(0), call.number(1)
    if depth is not None and depth < 0:
        raise GraphError(f"a depth of {depth} cannot be")
    if shape is None:
        return None
    axis = call.attr("axis", int, -1)
    at = axis_of(axis, len(shape) + 1)
    return (*shape[:at], depth, *shape[at:])


def _like_first(call: Call) -> Result:
    return call.shape(0)


def _searched(call: Call) -> Result:
    ranked(call.shape(0), 2)
    return ranked(call.shape(1), 2)


# --- which and how many ----------------------------------------------------------------------------------------------


def _where(call: Call) -> Result:
    shape = call.shape(0)
    return (None, None if shape is None else len(shape))


def _unique(call: Call) -> Result:
    return [(None,), ranked(call.shape(0), 1)]


def _unique_with_counts(call: Call) -> Result:
    return [(None,), ranked(call.shape(0), 1), (None,)]


def _unique_v2(call: Call) -> Result:
    shape, axes = call.shape(0), call.numbers(1)
    indices: Shape = (None,)
    found: Shape | None = None
    if shape is not None:
        found = (None,) * len(shape)
        if axes is not None:
            at = axis_of(axes[0], len(ranked(shape, len(shape) if axes else 1))) if axes else 0
            indices = (shape[at],)
            found = (*shape[:at], None, *shape[at + 1 :])
    counts: list[Shape | Tensor | None] = [(None,)] if call.node.op == "UniqueWithCountsV2" else []
    return [found, indices, *counts]


def _top_k(call: Call) -> Result:
    shape = rows(call.shape(0), 1)
    k = call.number(1) if call.node.op == "TopKV2" else call.attr("k", int)
    if shape is None:
        return [None, None]
    if k is not None and (k < 0 or (shape[-1] is not None and shape[-1] < k)):
        raise GraphError(f"the {k} largest are wanted of {text(shape)}")
    return [(*shape[:-1], k)] * 2


def _nth_element(call: Call) -> Result:
    shape = rows(call.shape(0), 1)
    return None if shape is None else shape[:-1]


def _in_top_k(call: Call) -> Result:
    predictions, targets = ranked(call.shape(0), 2), ranked(call.shape(1), 1)
    return merged(predictions[:1], targets)


def _list_diff(call: Call) -> Result:
    return [(None,), (None,)]


def _inverted(call: Call) -> Result:
    """Of an order of dimensions, the order that undoes it."""
    shape, order = ranked(call.shape(0), 1), call.numbers(0)
    if order is None:
        return shape
    if sorted(order) != list(range(len(order))):
        raise GraphError(f"{order} is no permutation")
    return Tensor(shape, tuple(order.index(place) for place in range(len(order))))


RULES: dict[str, Rule] = {
    "Bucketize": _like_first,
    "Gather": _gather,
    "GatherNd": _gather_nd,
    "GatherV2": _gather_v2,
    "InTopK": _in_top_k,
    "InTopKV2": _in_top_k,
    "InvertPermutation": _inverted,
    "ListDiff": _list_diff,
    "LowerBound": _searched,
    "NthElement": _nth_element,
    "OneHot": _one_hot,
    "ResourceGather": _resource_gather,
    "ResourceGatherNd": _resource_gather_nd,
    "ReverseSequence": _like_first,
    "ScatterNd": _scatter_nd,
    "TopK": _top_k,
    "TopKV2": _top_k,
    "Unique": _unique,
    "UniqueV2": _unique_v2,
    "UniqueWithCounts": _unique_with_counts,
    "UniqueWithCountsV2": _unique_v2,
    "UpperBound": _searched,
    "Where": _where,
    **alike(
        """ScatterNdNonAliasingAdd TensorScatterAdd TensorScatterMax TensorScatterMin TensorScatterSub
        TensorScatterUpdate TensorStridedSliceUpdate InplaceAdd InplaceSub InplaceUpdate""",
        _like_first,
    ),
}
