"""Shape rules of reductions, cumulative ops, segment reductions and histograms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...errors import GraphError
from ...messages import DataType
from ...shape import SCALAR, Dim, Shape, axis_of, merge_dims, merge_shapes, rows_shape, shape_to_text, with_rank
from ..partial_tensors import Tensor
from ..shape_rules import Call, Result, Rule, same_shape, share_rule

__all__ = ["ELEMENTWISE", "RULES"]

_REDUCTIONS: dict[str, Callable[[Any], Any]] = {"Prod": math.prod, "Sum": sum, "Max": max, "Min": min}


def _reduced_shape(call: Call) -> Shape | None:
    shape, axes = call.shape(0), call.numbers(1)
    keep = call.attr("keep_dims", bool, False)
    if shape == ():
        return shape
    if axes is None:
        return None if shape is None or not keep else (None,) * len(shape)
    if shape is None:
        return None
    removed = {axis_of(axis, len(shape)) for axis in axes}
    if keep:
        return tuple(1 if axis in removed else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in removed)


def _reduce(call: Call) -> Result:
    return _reduced_shape(call)


def _reduce_elements(call: Call) -> Result:
    """Return the reduced input, with its element if it is a scalar: sizes are often the product of other sizes."""
    shape, value = _reduced_shape(call), call.value(0)
    if value is None or shape != SCALAR or None in value or (call.node.op in ("Max", "Min") and not value):
        return shape
    if not all(isinstance(element, int) for element in value):
        return shape
    result = _REDUCTIONS[call.node.op](value)
    bound = 1 << (31 if call.attr("T", DataType) == DataType.DT_INT32 else 63)
    return Tensor(shape, (result if -bound <= result < bound else None,))


def _arg(call: Call) -> Result:
    """Return the shape of ArgMax and ArgMin: the input without one dimension."""
    shape, axis = call.shape(0), call.number(1)
    if shape is None:
        return None
    if len(shape) <= 1:
        return SCALAR
    if axis is None:
        return (None,) * (len(shape) - 1)
    dim = axis_of(axis, len(shape))
    return shape[:dim] + shape[dim + 1 :]


def _segment(call: Call) -> Result:
    """Return the shape: one row for each segment. Their number depends on the ids."""
    with_rank(call.shape(1), 1)
    shape = rows_shape(call.shape(0), 1)
    return None if shape is None else (None, *shape[1:])


def _unsorted_segment(call: Call) -> Result:
    data, ids, count = call.shape(0), call.shape(1), call.number(2)
    if data is None or ids is None:
        return None
    if len(ids) > len(data):
        raise GraphError(f"segment_ids of shape {shape_to_text(ids)} do not fit data of shape {shape_to_text(data)}")
    merge_shapes(data[: len(ids)], ids)
    return (count, *data[len(ids) :])


def _sparse_segment(call: Call) -> Result:
    data = rows_shape(call.shape(0), 1)
    merge_dims(with_rank(call.shape(1), 1)[0], with_rank(call.shape(2), 1)[0])
    return None if data is None else (None, *data[1:])


def _sparse_segment_with_count(call: Call) -> Result:
    data = rows_shape(call.shape(0), 1)
    merge_dims(with_rank(call.shape(1), 1)[0], with_rank(call.shape(2), 1)[0])
    return None if data is None else (call.number(3), *data[1:])


def _sparse_segment_grad(call: Call) -> Result:
    data = rows_shape(call.shape(0), 1)
    return None if data is None else (call.number(3), *data[1:])


def _bincount(call: Call) -> Result:
    return (_check_size(call.number(1)),)


def _dense_bincount(call: Call) -> Result:
    shape = call.shape(0)
    size = _check_size(call.number(1))
    if shape is None:
        return None
    if len(shape) > 2:
        raise GraphError(f"{shape_to_text(shape)} has more than two dimensions")
    return (shape[0], size) if len(shape) == 2 else (size,)


def _check_size(size: Dim) -> Dim:
    if size is not None and size < 0:
        raise GraphError(f"size must not be negative, got {size}")
    return size


def _histogram(call: Call) -> Result:
    return (call.number(2),)


ELEMENTWISE: dict[str, Rule] = {
    "Cumprod": same_shape,
    "Cumsum": same_shape,
    "CumulativeLogsumexp": same_shape,
}

RULES: dict[str, Rule] = {
    **ELEMENTWISE,
    "ArgMax": _arg,
    "ArgMin": _arg,
    "Bincount": _bincount,
    "Bucketize": same_shape,
    "DenseBincount": _dense_bincount,
    "HistogramFixedWidth": _histogram,
    "SparseSegmentMean": _sparse_segment,
    "SparseSegmentMeanGrad": _sparse_segment_grad,
    "SparseSegmentMeanWithNumSegments": _sparse_segment_with_count,
    "SparseSegmentSqrtN": _sparse_segment,
    "SparseSegmentSqrtNGrad": _sparse_segment_grad,
    "SparseSegmentSqrtNWithNumSegments": _sparse_segment_with_count,
    "SparseSegmentSum": _sparse_segment,
    "SparseSegmentSumGrad": _sparse_segment_grad,
    "SparseSegmentSumWithNumSegments": _sparse_segment_with_count,
    **share_rule("All Any EuclideanNorm Mean", _reduce),
    **share_rule("Max Min Prod Sum", _reduce_elements),
    **share_rule("SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum", _segment),
    **share_rule("UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum", _unsorted_segment),
}
