"""Shape rules of ops that read or write elements and slices by index."""

from __future__ import annotations

from ...errors import GraphError
from ...shape import Shape, axis_of, merged, rows, text
from ..partial_tensors import Tensor
from ..shape_rules import Call, Result, Rule, share_rule

__all__ = ["RULES", "gathered", "gathered_nd", "like_first"]


def gathered(params: Shape | None, indices: Shape | None, axis: int | None, batch: int = 0) -> Shape | None:
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
    return _with_elements(call, gathered(call.shape(0), call.shape(1), 0))


def _gather_v2(call: Call) -> Result:
    shape = gathered(call.shape(0), call.shape(1), call.number(2), call.attr("batch_dims", int, 0))
    return _with_elements(call, shape)


def _with_elements(call: Call, shape: Shape | None) -> Result:
    value, indices = call.value(0), call.integers(1)
    if value is None or indices is None or len(call.shape(0) or ()) != 1 or shape is None or None in shape:
        return shape
    if any(index is not None and not 0 <= index < len(value) for index in indices):
        return shape
    return Tensor(shape, tuple(None if index is None else value[index] for index in indices))


def _gather_nd(call: Call) -> Result:
    return gathered_nd(call.shape(0), call.shape(1))


def gathered_nd(params: Shape | None, indices: Shape | None) -> Shape | None:
    """The last dimension of the indices says where in the first dimensions a part is."""
    rows(indices, 1)
    if params is None or indices is None or indices[-1] is None:
        return None
    if indices[-1] > len(params):
        raise GraphError(f"its indices have {indices[-1]} numbers, for {text(params)}")
    return (*indices[:-1], *params[indices[-1] :])


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


def like_first(call: Call) -> Result:
    return call.shape(0)


def _where(call: Call) -> Result:
    shape = call.shape(0)
    return (None, None if shape is None else len(shape))


RULES: dict[str, Rule] = {
    "Gather": _gather,
    "GatherNd": _gather_nd,
    "GatherV2": _gather_v2,
    "OneHot": _one_hot,
    "ScatterNd": _scatter_nd,
    "Where": _where,
    **share_rule(
        """
        InplaceAdd InplaceSub InplaceUpdate ScatterNdNonAliasingAdd TensorScatterAdd TensorScatterMax
        TensorScatterMin TensorScatterSub TensorScatterUpdate TensorStridedSliceUpdate
        """,
        like_first,
    ),
}
