"""Arithmetic, comparisons, logic and activations, element by element."""

from __future__ import annotations

import numpy as np

from ....errors import GraphError
from ....messages import DataType
from ....values.dtypes import dtype_of
from ....values.shape import broadcast
from ..conversion import operators
from ..conversion.call import BOOL, Call
from ..conversion.model import Array, Value
from ..conversion.registry import converter
from ..conversion.scope import INT64
from .tables import encoded

UNARY = {
    "Abs": "Abs", "Acos": "Acos", "Acosh": "Acosh", "Asin": "Asin", "Asinh": "Asinh", "Atan": "Atan", "Atanh": "Atanh",
    "Ceil": "Ceil", "Cos": "Cos", "Cosh": "Cosh", "Erf": "Erf", "Exp": "Exp", "Floor": "Floor", "Inv": "Reciprocal",
    "Log": "Log", "Neg": "Neg", "Reciprocal": "Reciprocal", "Relu": "Relu", "Rint": "Round", "Round": "Round",
    "Sigmoid": "Sigmoid", "Sign": "Sign", "Sin": "Sin", "Sinh": "Sinh", "Softplus": "Softplus", "Softsign": "Softsign",
    "Sqrt": "Sqrt", "Tan": "Tan", "Tanh": "Tanh",
}  # fmt: skip
"""Ops with one input and the same operator."""

BINARY = {
    "Add": "Add", "AddV2": "Add", "BiasAddV1": "Add", "Sub": "Sub", "Mul": "Mul", "RealDiv": "Div", "Pow": "Pow",
    "TruncateDiv": "Div", "Div": "Div", "Maximum": "Max", "Minimum": "Min",
}  # fmt: skip
"""Ops with two inputs and the same operator. Div of integers truncates in both."""

COMPARISONS = {
    "Equal": "Equal", "Greater": "Greater", "GreaterEqual": "GreaterOrEqual", "Less": "Less",
    "LessEqual": "LessOrEqual",
}  # fmt: skip
LOGICAL = {"LogicalAnd": "And", "LogicalOr": "Or"}
BITWISE = {"BitwiseAnd": "BitwiseAnd", "BitwiseOr": "BitwiseOr", "BitwiseXor": "BitwiseXor", "Invert": "BitwiseNot"}


def is_integer(dtype: DataType) -> bool:
    return dtype_of(dtype).numpy.kind in "iu"


@converter(*UNARY)
def _unary(call: Call) -> Value:
    (x,), order = call.aligned()
    if is_integer(x.dtype) and call.node.op in ("Ceil", "Floor", "Rint", "Round"):
        return x
    return call.laid_out(call.add(UNARY[call.node.op], x), order)


@converter(*BINARY)
def _binary(call: Call) -> Value:
    if call.dtype(0) == DataType.DT_STRING:
        call.refuse("it joins strings")
    op = BINARY[call.node.op]
    if op == "Div":
        _check_divisor(call)
    (x, y), order = call.aligned(sizes=True)
    return call.laid_out(call.add(op, x, y), order)


def _check_divisor(call: Call) -> None:
    """Refuse a constant integer divisor of 0: onnxruntime does not load such a file, and TensorFlow fails too."""
    divisor = call.constant(1)
    if divisor is not None and is_integer(call.dtype(1)) and not divisor.all():
        call.refuse("it divides by zero")


@converter(*COMPARISONS, "NotEqual")
def _comparison(call: Call) -> Value:
    op = call.node.op
    if call.dtype(0) == DataType.DT_STRING:
        return _compared_strings(call)
    if op in ("Equal", "NotEqual") and not call.attr("incompatible_shape_error", bool, True):
        try:
            broadcast(call.shape(0), call.shape(1))
        except GraphError:  # tensors of other shapes are never equal
            return call.const(op == "NotEqual", BOOL)
    (x, y), order = call.aligned(sizes=True)
    result = call.add(COMPARISONS.get(op, "Equal"), x, y, dtype=BOOL)
    return call.laid_out(call.add("Not", result) if op == "NotEqual" else result, order)


def _compared_strings(call: Call) -> Value:
    """Compare strings with a constant one, as a table with one key; others from opset 19 on."""
    op = call.node.op
    for index in range(2):
        text = call.constant(index)
        if text is not None and text.size == 1 and text.ndim <= len(call.shape(1 - index) or ()):
            found = encoded(call, call.input(1 - index), text.ravel(), np.array([1]), 0, DataType.DT_INT64)
            return call.laid_out(call.cast(found if op == "Equal" else _inverse(call, found), BOOL))
    call.need_opset(19, "comparing strings")
    result = call.add("Equal", call.input(0), call.input(1), dtype=BOOL)
    return call.laid_out(call.add("Not", result) if op == "NotEqual" else result)


def _inverse(call: Call, flag: Value) -> Value:
    return call.add("Sub", call.like(1, flag), flag)


@converter("LogicalNot", *LOGICAL)
def _logical(call: Call) -> Value:
    values, order = call.aligned()
    return call.laid_out(call.add(LOGICAL.get(call.node.op, "Not"), *values), order)


@converter(*BITWISE)
def _bitwise(call: Call) -> Value:
    call.need_opset(18, call.node.op)
    values, order = call.aligned()
    return call.laid_out(call.add(BITWISE[call.node.op], *values), order)


@converter("LeftShift", "RightShift")
def _shift(call: Call) -> Value:
    """Shift bits, at most all but one of them as in TensorFlow. ONNX shifts unsigned integers alone."""
    (x, y), order = call.aligned()
    kind = dtype_of(x.dtype)
    if kind.kind != "u":
        call.refuse("it shifts numbers with a sign")
    count = call.add("Min", y, call.like(8 * kind.itemsize - 1, y))
    direction = call.node.op.removesuffix("Shift").upper()
    return call.laid_out(call.add("BitShift", x, count, direction=direction), order)


@converter("Square", "SquaredDifference", "Rsqrt", "Log1p", "Expm1", "Erfc")
def _short_formulas(call: Call) -> Value:
    values, order = call.aligned()
    x, one = values[0], call.like(1, values[0])
    op = call.node.op
    if op == "Square":
        result = call.add("Mul", x, x)
    elif op == "SquaredDifference":
        difference = call.add("Sub", *values)
        result = call.add("Mul", difference, difference)
    elif op == "Rsqrt":
        result = call.add("Reciprocal", call.add("Sqrt", x))
    elif op == "Erfc":
        result = call.add("Sub", one, call.add("Erf", x))
    else:
        call.note(f"{op} loses digits near 0, as ONNX has no operator for it")
        result = call.add("Log", call.add("Add", x, one)) if op == "Log1p" else call.add("Sub", call.add("Exp", x), one)
    return call.laid_out(result, order)


@converter("FloorDiv", "FloorMod", "Mod", "TruncateMod")
def _floor_division(call: Call) -> Value:
    """Division that rounds down. Integer Div truncates, and Mod has the sign of the divisor unless fmod is 1."""
    _check_divisor(call)
    (x, y), order = call.aligned(sizes=True)
    op = call.node.op
    if is_integer(x.dtype):
        rest = call.add("Mod", x, y, fmod=int(op in ("TruncateMod", "Mod")))
        result = call.add("Div", call.add("Sub", x, rest), y) if op == "FloorDiv" else rest
    elif op == "FloorDiv":
        result = call.add("Floor", call.add("Div", x, y))
    elif op == "FloorMod":
        rest = call.add("Mod", x, y, fmod=1)
        signs = [call.add("Less", each, call.like(0, each), dtype=BOOL) for each in (x, y)]
        moved = call.add("Mod", call.add("Add", rest, y), y, fmod=1)
        result = operators.where(call, call.add("Equal", *signs), rest, moved)
    else:
        result = call.add("Mod", x, y, fmod=1)
    return call.laid_out(result, order)


@converter("DivNoNan", "MulNoNan", "Xdivy", "Xlogy", "Xlog1py")
def _without_nan(call: Call) -> Value:
    """Products and quotients that are 0 where one operand is 0, whatever the other is."""
    (x, y), order = call.aligned()
    op = call.node.op
    zero = call.like(0, x)
    if op in ("DivNoNan", "Xdivy"):
        value = call.add("Div", x, y)
    elif op == "MulNoNan":
        value = call.add("Mul", x, y)
    else:
        inner = call.add("Add", y, call.like(1, y)) if op == "Xlog1py" else y
        value = call.add("Mul", x, call.add("Log", inner))
    is_zero = call.add("Equal", y if op in ("DivNoNan", "MulNoNan") else x, zero, dtype=BOOL)
    return call.laid_out(call.add("Where", is_zero, zero, value, dtype=x.dtype), order)


@converter("Relu6", "ClipByValue")
def _clip(call: Call) -> Value:
    values, order = call.aligned()
    x = values[0]
    if call.node.op == "Relu6":
        return call.laid_out(operators.clip(call, x, 0, 6), order)
    if call.shape(1) == () == call.shape(2) and not _is_crossed(call.constant(1), call.constant(2)):
        return call.laid_out(call.add("Clip", *values), order)
    return call.laid_out(call.add("Max", call.add("Min", x, values[2]), values[1]), order)


def _is_crossed(low: Array | None, high: Array | None) -> bool:
    return low is not None and high is not None and bool(low > high)


@converter("Elu", "Selu", "LeakyRelu")
def _activation(call: Call) -> Value:
    (x,), order = call.aligned()
    attributes = {"alpha": call.attr("alpha", float, 0.2)} if call.node.op == "LeakyRelu" else {}
    return call.laid_out(call.add(call.node.op, x, more=attributes), order)


@converter("Softmax", "LogSoftmax")
def _softmax(call: Call) -> Value:
    (x,), order = call.aligned()
    axis = -1 if order is None else order.index(len(order) - 1)
    return call.laid_out(call.add(call.node.op, x, axis=axis), order)


@converter("AddN", "AccumulateNV2")
def _sum(call: Call) -> Value:
    """A sum of any number of tensors. Sum takes floats alone, and both are left to right."""
    values, order = call.aligned()
    total = values[0]
    if len(values) > 2 and not is_integer(total.dtype):
        return call.laid_out(call.add("Sum", *values), order)
    for value in values[1:]:
        total = call.add("Add", total, value)
    return total if len(values) == 1 else call.laid_out(total, order)


@converter("Select", "SelectV2")
def _select(call: Call) -> Value:
    """Choose elements. In Select, a vector chooses rows."""
    condition_shape, *shapes = (call.shape(index) for index in range(3))
    shape = next((each for each in shapes if each is not None), None)
    if call.node.op == "Select" and (condition_shape is None or len(condition_shape) == 1):
        if condition_shape is None or shape is None:
            condition = operators.with_ones(call, call.input(0), call.input(1))
        else:
            condition = operators.unsqueeze(call, call.input(0), list(range(1, len(shape))))
        return call.laid_out(operators.where(call, condition, call.input(1), call.input(2)))
    sizes = call.stays_int64([1, 2])
    (condition, *_), order = call.aligned()
    if order is not None:
        (condition, yes, no), _ = call.aligned()
    else:
        dtype = INT64 if sizes else None
        yes, no = (call.input(index, dtype=dtype) for index in (1, 2))
    return call.laid_out(operators.where(call, condition, yes, no), order)


@converter("IsNan", "IsInf", "IsFinite")
def _tests(call: Call) -> Value:
    (x,), order = call.aligned()
    op = call.node.op
    if op == "IsFinite":
        either = call.add("Or", call.add("IsNaN", x, dtype=BOOL), call.add("IsInf", x, dtype=BOOL))
        return call.laid_out(call.add("Not", either), order)
    return call.laid_out(call.add({"IsNan": "IsNaN"}.get(op, op), x, dtype=BOOL), order)


@converter("Atan2")
def _atan2(call: Call) -> Value:
    """The angle of a point, from Atan of the quotient and the quadrant."""
    (y, x), order = call.aligned()
    zero, pi = call.like(0, x), call.like(np.pi, x)
    angle = call.add("Atan", call.add("Div", y, x))
    is_left = call.add("Less", x, zero, dtype=BOOL)
    is_below = call.add("Less", y, zero, dtype=BOOL)
    turned = call.add("Where", is_below, call.add("Sub", angle, pi), call.add("Add", angle, pi), dtype=x.dtype)
    result = call.add("Where", is_left, turned, angle, dtype=x.dtype)
    both = call.add("And", call.add("Equal", x, zero, dtype=BOOL), call.add("Equal", y, zero, dtype=BOOL))
    return call.laid_out(call.add("Where", both, zero, result, dtype=x.dtype), order)


@converter("Bucketize")
def _bucketize(call: Call) -> Value:
    """The number of boundaries that an element reaches; NaN reaches all."""
    x = call.input(0, dtype=DataType.DT_FLOAT if is_integer(call.dtype(0)) else None)
    boundaries = call.like(np.array(call.attr("boundaries", list[float]), np.float32), x)
    below = call.add("Less", operators.unsqueeze(call, x, [-1]), boundaries, dtype=BOOL)
    reached = call.add("Not", below)
    counted = call.cast(reached, DataType.DT_INT32)
    return operators.reduce(call, "ReduceSum", counted, [-1], keepdims=False)
