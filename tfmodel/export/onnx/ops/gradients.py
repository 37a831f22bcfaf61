"""Gradients and losses, in models that return forces, sensitivities or how wrong they are."""

from __future__ import annotations

from ..conversion import operators
from ..conversion.call import BOOL, Call
from ..conversion.model import Order, Value
from ..conversion.registry import converter
from ..conversion.scope import INT32

_BY_RESULT = ("TanhGrad", "SigmoidGrad", "RsqrtGrad", "SqrtGrad", "ReciprocalGrad", "InvGrad")
"""Gradients that are given the result y of the op, and dy."""

_BY_INPUT = (
    "ReluGrad", "Relu6Grad", "LeakyReluGrad", "SoftplusGrad", "SoftsignGrad", "EluGrad", "SeluGrad",
)  # fmt: skip
"""Gradients that are given dy, and the input x of the op; Elu and Selu have their result in its place."""

_SELU_SCALE, _SELU_SCALE_ALPHA = 1.0507009873554805, 1.7580993408473768


@converter(*_BY_RESULT)
def _of_result(call: Call) -> Value:
    (y, dy), order = _pair(call)
    op = call.node.op
    one = call.like(1, y)
    if op == "TanhGrad":
        result = call.add("Mul", dy, call.add("Sub", one, call.add("Mul", y, y)))
    elif op == "SigmoidGrad":
        result = call.add("Mul", dy, call.add("Mul", y, call.add("Sub", one, y)))
    elif op == "RsqrtGrad":
        cube = call.add("Mul", y, call.add("Mul", y, y))
        result = call.add("Mul", call.add("Mul", dy, call.like(-0.5, y)), cube)
    elif op == "SqrtGrad":
        result = call.add("Div", call.add("Mul", dy, call.like(0.5, y)), y)
    else:
        result = call.add("Neg", call.add("Mul", dy, call.add("Mul", y, y)))
    return call.laid_out(result, order)


@converter(*_BY_INPUT)
def _of_input(call: Call) -> Value:
    (dy, x), order = _pair(call)
    op = call.node.op
    zero, one = call.like(0, x), call.like(1, x)
    is_positive = call.add("Greater", x, zero, dtype=BOOL) if op not in ("SoftplusGrad", "SoftsignGrad") else None
    if op == "SoftplusGrad":
        result = call.add("Div", dy, call.add("Add", call.add("Exp", call.add("Neg", x)), one))
    elif op == "SoftsignGrad":
        size = call.add("Add", call.add("Abs", x), one)
        result = call.add("Div", dy, call.add("Mul", size, size))
    else:
        assert is_positive is not None
        yes, no = dy, zero
        if op == "Relu6Grad":
            is_positive = call.add("And", is_positive, call.add("Less", x, call.like(6, x), dtype=BOOL))
        elif op == "LeakyReluGrad":
            no = call.add("Mul", dy, call.like(call.attr("alpha", float, 0.2), x))
        elif op in ("EluGrad", "SeluGrad"):
            scale, shift = (1.0, 1.0) if op == "EluGrad" else (_SELU_SCALE, _SELU_SCALE_ALPHA)
            no = call.add("Mul", dy, call.add("Add", x, call.like(shift, x)))
            yes = call.add("Mul", dy, call.like(scale, x)) if scale != 1 else dy
        result = operators.where(call, is_positive, yes, no)
    return call.laid_out(result, order)


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


@converter("SoftmaxCrossEntropyWithLogits")
def _cross_entropy(call: Call) -> list[Value]:
    """Losses, and their gradients: the softmax less the labels."""
    logits, labels = call.input(0), call.input(1)
    logarithms = call.add("LogSoftmax", logits, axis=-1)
    loss = call.add(
        "Neg", operators.reduce(call, "ReduceSum", call.add("Mul", labels, logarithms), [1], keepdims=False)
    )
    if not call.is_used(1):
        return [loss]
    return [loss, call.add("Sub", call.add("Softmax", logits, axis=-1), labels)]


@converter("SparseSoftmaxCrossEntropyWithLogits")
def _sparse_cross_entropy(call: Call) -> list[Value]:
    """The same for labels that are the numbers of classes."""
    logits = call.input(0)
    place = operators.unsqueeze(call, call.int64(1), [-1])
    logarithms = call.add("LogSoftmax", logits, axis=-1)
    chosen = call.add("GatherND", logarithms, place, batch_dims=1)
    loss = call.add("Neg", chosen)
    if not call.is_used(1):
        return [loss]
    is_label = call.cast(call.add("Equal", place, _classes(call, logits), dtype=BOOL), logits.dtype)
    return [loss, call.add("Sub", call.add("Softmax", logits, axis=-1), is_label)]


def _classes(call: Call, values: Value) -> Value:
    """Return the numbers of the columns of a matrix."""
    count = operators.squeeze(call, operators.shape_of(call, values, 1, 2), [0])
    return call.add("Range", call.const(0), count, call.const(1))


@converter("InTopK", "InTopKV2")
def _is_among_largest(call: Call) -> Value:
    """Whether fewer than k predictions are larger than that of the target, which must be one of the classes.

    All predictions must be finite.
    """
    predictions = call.input(0)
    place = operators.unsqueeze(call, call.int64(1), [-1])
    count = call.attr("k", int) if call.node.op == "InTopK" else None
    limit = call.const(count) if count is not None else call.int64(2)
    is_target = call.add("Equal", place, _classes(call, predictions), dtype=BOOL)
    chosen = operators.where(call, is_target, predictions, call.like(operators.lowest(predictions.dtype), predictions))
    target = operators.reduce(call, "ReduceMax", chosen, [1], keepdims=True)
    found = operators.reduce(call, "ReduceSum", call.cast(is_target, INT32), [1], keepdims=False)
    is_larger = call.add("Greater", predictions, target, dtype=BOOL)
    larger = operators.reduce(call, "ReduceSum", call.cast(is_larger, INT32), [1], keepdims=False)
    is_among = call.add("Less", call.cast(larger, limit.dtype), limit, dtype=BOOL)
    no_number = call.add("Or", call.add("IsNaN", predictions, dtype=BOOL), call.add("IsInf", predictions, dtype=BOOL))
    bad = operators.reduce(call, "ReduceSum", call.cast(no_number, INT32), [1], keepdims=False)
    is_valid = call.add("And", call.cast(found, BOOL), call.add("Not", call.cast(bad, BOOL)))
    return call.add("And", is_among, is_valid)
