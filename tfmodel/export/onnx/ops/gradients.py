"""Gradients, in models that return forces or sensitivities."""

from __future__ import annotations

from ..conversion import operators
from ..conversion.call import BOOL, Call
from ..conversion.model import Order, Value
from ..conversion.registry import converter

_BY_INPUT = ("ReluGrad", "Relu6Grad", "LeakyReluGrad", "SoftplusGrad", "EluGrad", "SeluGrad")
"""Gradients that are given dy, and the input x of the op; Elu and Selu have their result in its place."""

_SELU_SCALE, _SELU_SCALE_ALPHA = 1.0507009873554805, 1.7580993408473768


@converter("TanhGrad", "SigmoidGrad")
def _of_result(call: Call) -> Value:
    """Gradients that are given the result y of the op, and dy."""
    (y, dy), order = _pair(call)
    one = call.like(1, y)
    if call.node.op == "TanhGrad":
        return call.laid_out(call.add("Mul", dy, call.add("Sub", one, call.add("Mul", y, y))), order)
    return call.laid_out(call.add("Mul", dy, call.add("Mul", y, call.add("Sub", one, y))), order)


@converter(*_BY_INPUT)
def _of_input(call: Call) -> Value:
    (dy, x), order = _pair(call)
    op = call.node.op
    zero, one = call.like(0, x), call.like(1, x)
    if op == "SoftplusGrad":
        return call.laid_out(call.add("Div", dy, call.add("Add", call.add("Exp", call.add("Neg", x)), one)), order)
    is_positive, yes, no = call.add("Greater", x, zero, dtype=BOOL), dy, zero
    if op == "Relu6Grad":
        is_positive = call.add("And", is_positive, call.add("Less", x, call.like(6, x), dtype=BOOL))
    elif op == "LeakyReluGrad":
        no = call.add("Mul", dy, call.like(call.attr("alpha", float, 0.2), x))
    elif op in ("EluGrad", "SeluGrad"):
        scale, shift = (1.0, 1.0) if op == "EluGrad" else (_SELU_SCALE, _SELU_SCALE_ALPHA)
        no = call.add("Mul", dy, call.add("Add", x, call.like(shift, x)))
        yes = call.add("Mul", dy, call.like(scale, x)) if scale != 1 else dy
    return call.laid_out(operators.where(call, is_positive, yes, no), order)


def _pair(call: Call) -> tuple[list[Value], Order | None]:
    """Return both inputs; TensorFlow does not mind if the second one has another shape of as many elements."""
    (first, second), order = call.aligned()
    if second.shape != first.shape and first.shape is not None and None not in first.shape:
        second = operators.reshape(call, second, [size for size in first.shape if size is not None])
    return [first, second], order


@converter("BiasAddGrad")
def _bias(call: Call) -> Value:
    """The sum over all axes but that of the channels."""
    rank = call.rank(0)
    channels = 1 if call.attr("data_format", str, "NHWC").startswith("NC") else rank - 1
    axes = [axis for axis in range(rank) if axis != channels]
    return operators.reduce(call, "ReduceSum", call.input(0), axes, keepdims=False)
