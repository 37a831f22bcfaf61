"""Sums, means, extrema, positions of extrema, cumulative sums."""

from __future__ import annotations

from ....messages import DataType
from ..conversion import operators
from ..conversion.call import Call
from ..conversion.model import Value
from ..conversion.registry import converter
from ..conversion.scope import INT32, INT64, without

REDUCTIONS = {
    "Sum": "ReduceSum", "Mean": "ReduceMean", "Max": "ReduceMax", "Min": "ReduceMin", "Prod": "ReduceProd",
    "EuclideanNorm": "ReduceL2", "All": "ReduceMin", "Any": "ReduceSum",
}  # fmt: skip
"""Reductions. Any is a sum, since ReduceMax of nothing is the smallest integer, which is true."""


@converter(*REDUCTIONS)
def _reduce(call: Call) -> Value:
    """Reduce over axes. All and Any reduce integers: ONNX has no reduction of bools below opset 20."""
    keepdims = call.attr("keep_dims", bool, False)
    logical = call.node.op in ("All", "Any")
    axes = call.constant(1)
    if axes is None:
        return _computed_axes(call, keepdims)
    shape = call.shape(0)
    if shape is None:
        return _unknown_rank(call, axes.ravel().tolist(), keepdims)
    chosen = call.axes(1, len(shape))
    value, order = call.moved(0)
    if logical:
        value = call.cast(value, INT32)
    places = sorted(call.places(chosen, order))
    result = operators.reduce(call, REDUCTIONS[call.node.op], value, places, keepdims=keepdims)
    result = call.cast(result, DataType.DT_BOOL) if logical else result
    if result is call.home(0):
        return result
    return call.laid_out(result, order if keepdims else without(order, chosen))


def _unknown_rank(call: Call, axes: list[int], keepdims: bool) -> Value:
    if call.node.op in ("All", "Any"):
        value = operators.reduce(call, REDUCTIONS[call.node.op], call.input(0, dtype=INT32), axes, keepdims=keepdims)
        return call.cast(value, DataType.DT_BOOL)
    return operators.reduce(call, REDUCTIONS[call.node.op], call.input(0), axes, keepdims=keepdims)


def _computed_axes(call: Call, keepdims: bool) -> Value:
    op = REDUCTIONS[call.node.op]
    if op != "ReduceSum":
        call.need_opset(18, "a reduction over computed axes")
    logical = call.node.op in ("All", "Any")
    value = call.input(0, dtype=INT32 if logical else None)
    axes = call.int64(1) if call.shape(1) is not None and call.rank(1) == 1 else operators.flat(call, call.int64(1))
    result = call.add(op, value, axes, keepdims=int(keepdims), noop_with_empty_axes=1)
    return call.cast(result, DataType.DT_BOOL) if logical else result


@converter("ArgMax", "ArgMin")
def _position(call: Call) -> Value:
    """The first position of the largest or smallest element along one axis."""
    axis = int(call.required(1, "the axis").ravel()[0])
    value, order = call.moved(0)
    if order is not None:
        (place,), order = call.places([axis % len(order)], order), without(order, [axis % len(order)])
        axis = place
    if value.dtype == DataType.DT_BOOL:
        value = call.cast(value, INT32)
    result = call.laid_out(call.add(call.node.op, value, dtype=INT64, axis=axis, keepdims=0), order)
    return call.cast(result, call.output_dtype()) if call.output_dtype() not in (INT32, INT64) else result


@converter("Cumsum")
def _cumulative(call: Call) -> Value:
    axis = call.int64(1)
    flags = {name: int(call.attr(name, bool, False)) for name in ("exclusive", "reverse")}
    return call.add("CumSum", call.input(0), axis, more=flags)


@converter("L2Loss")
def _half_square_sum(call: Call) -> Value:
    x = call.input(0)
    axes = list(range(call.rank(0)))
    total = operators.reduce(call, "ReduceSumSquare", x, axes, keepdims=False) if axes else call.add("Mul", x, x)
    return call.add("Mul", total, call.like(0.5, x))
