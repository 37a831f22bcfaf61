"""Kernels of elementwise ops: arithmetic with broadcasting, comparisons, Select, and functions of one tensor.

Most kernels are a row of a table from op to NumPy function: `BINARY`, `COMPARISONS`, `UNARY`, `GRADIENTS`.

Integers wrap around, as in NumPy; integer division by zero is an error. Functions of one tensor, gradients and AddN
compute float16 in single precision and round once, as in TensorFlow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..runtime.argument_checks import add as add_two
from ..runtime.argument_checks import check, check_kind, read_scalar, show, widen_halves
from ..runtime.memory_limit import INDEX_BYTES, claim
from ..runtime.registry import Tensor, kernel

Binary = Callable[[Tensor, Tensor], Tensor]


# --- division --------------------------------------------------------------------------------------------------------


def _check_divisor(x: Tensor, y: Tensor) -> bool:
    """Raise RunError for an integer divisor of zero; return whether the tensors are integers."""
    if x.dtype.kind not in "iu":
        return False
    check(x.size == 0 or y.all(), "integer division by zero")
    return True


def _divide(x: Tensor, y: Tensor) -> Tensor:
    """Divide; integers are rounded towards zero."""
    if not _check_divisor(x, y):
        return np.asarray(np.true_divide(x, y))
    return np.asarray((x - np.fmod(x, y)) // y)


def _truncate_divide(x: Tensor, y: Tensor) -> Tensor:
    check_kind(x, "iuf")
    quotient = _divide(x, y)
    return quotient if x.dtype.kind in "iu" else np.asarray(np.trunc(quotient))


def _floor_divide(x: Tensor, y: Tensor) -> Tensor:
    """Divide and round down. For floats, 1 by 0.1 gives 10 as in TensorFlow; NumPy's // gives 9."""
    check_kind(x, "iuf")
    return np.asarray(x // y if _check_divisor(x, y) else np.floor(np.true_divide(x, y)))


def _truncate_modulo(x: Tensor, y: Tensor) -> Tensor:
    _check_divisor(x, y)
    return np.asarray(np.fmod(x, y))


def _floor_modulo(x: Tensor, y: Tensor) -> Tensor:
    if _check_divisor(x, y):
        return np.asarray(np.mod(x, y))
    remainder = np.fmod(x, y)
    return np.asarray(np.where((remainder != 0) & ((y < 0) != (remainder < 0)), remainder + y, remainder))


# --- other binary ops ------------------------------------------------------------------------------------------------


def _zero_where(operand: Tensor, result: Tensor) -> Tensor:
    """Return a result, with zero where the operand is zero, even if the other operand is infinite or NaN."""
    return np.where(operand == 0, result.dtype.type(0), result)


def _power(x: Tensor, y: Tensor) -> Tensor:
    check(y.dtype.kind != "i" or x.size == 0 or not (y < 0).any(), "integers have no negative integer powers")
    return np.asarray(np.power(x, y))


def _squared_difference(x: Tensor, y: Tensor) -> Tensor:
    difference = x - y
    return np.asarray(difference * np.conj(difference))


def _clip_shift(shift: Binary) -> Binary:
    """Return a shift with the number of bits clipped to the valid range: 0 to the width of the type less 1."""

    def compute(x: Tensor, y: Tensor) -> Tensor:
        return shift(x, np.clip(y, 0, 8 * x.dtype.itemsize - 1).astype(y.dtype))

    return compute


IN_PLACE: dict[str, Callable[..., Tensor]] = {
    "Add": np.add,  # strings are joined
    "AddV2": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
}
"""Ops that can write the result into the first input."""

BINARY: dict[str, Binary] = {
    **IN_PLACE,
    "MulNoNan": lambda x, y: _zero_where(y, x * y),
    "Div": _divide,
    "RealDiv": _divide,
    "DivNoNan": lambda x, y: _zero_where(y, np.true_divide(x, y)),
    "TruncateDiv": _truncate_divide,
    "FloorDiv": _floor_divide,
    "Mod": _truncate_modulo,
    "TruncateMod": _truncate_modulo,
    "FloorMod": _floor_modulo,
    "Pow": _power,
    "Maximum": np.maximum,
    "Minimum": np.minimum,
    "SquaredDifference": _squared_difference,
    "Atan2": np.arctan2,
    "Xdivy": lambda x, y: _zero_where(x, np.true_divide(x, y)),
    "Xlogy": lambda x, y: _zero_where(x, x * np.log(y)),
    "Xlog1py": lambda x, y: _zero_where(x, x * np.log1p(y)),
    "NextAfter": np.nextafter,
    "LeftShift": _clip_shift(np.left_shift),
    "RightShift": _clip_shift(np.right_shift),
    "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or,
    "BitwiseXor": np.bitwise_xor,
    "Complex": lambda real, imaginary: real + 1j * imaginary,
}


def _binary_kernel(function: Binary) -> Binary:
    def compute(x: Tensor, y: Tensor) -> Tensor:
        return function(x, y)

    return compute


def _in_place_kernel(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def compute(x: Tensor, y: Tensor, *, own: bool = False) -> Tensor:
        fits = own and x.dtype == y.dtype and np.broadcast(x, y).shape == x.shape
        return function(x, y, out=x) if fits else function(x, y)

    return compute


for _op, _function in BINARY.items():
    kernel(_op)(_in_place_kernel(_function) if _op in IN_PLACE else _binary_kernel(_function))


@kernel("AddN", "AccumulateNV2")
def add_n(*tensors: Any) -> Any:
    first = tensors[0]
    total = widen_halves(first) if isinstance(first, np.ndarray) else first
    for tensor in tensors[1:]:
        total = add_two(total, tensor)
    return (total,)


@kernel("Range")
def range_(start: Tensor, limit: Tensor, delta: Tensor) -> Tensor:
    start_value, limit_value, step = (
        read_scalar(tensor, name, vector_of_one=True)
        for tensor, name in ((start, "start"), (limit, "limit"), (delta, "delta"))
    )
    check(step, "delta must not be 0")
    check(
        (limit_value - start_value) * (1 if step > 0 else -1) >= 0,
        f"a range from {start_value} to {limit_value} needs a delta of the opposite sign, not {step}",
    )
    if start.dtype.kind in "iu":
        claim(max(0, -((start_value - limit_value) // step)) * start.dtype.itemsize)
        return np.arange(start_value, limit_value, step, dtype=start.dtype)
    steps = np.abs((limit.reshape(()) - start.reshape(())) / delta.reshape(()))
    check(np.isfinite(steps), f"a range from {start_value} to {limit_value} by steps of {step} never ends")
    claim(math.ceil(steps) * (INDEX_BYTES + 3 * start.dtype.itemsize))
    return np.asarray(start.reshape(()) + np.arange(math.ceil(steps)).astype(start.dtype) * delta.reshape(()))


@kernel("LinSpace")
def lin_space(start: Tensor, stop: Tensor, num: Tensor) -> Tensor:
    first, last = start.dtype.type(read_scalar(start, "start")), start.dtype.type(read_scalar(stop, "stop"))
    count = read_scalar(num, "num")
    check(count > 0, f"num must be positive, not {count}")
    if count == 1:
        return start.reshape(1)
    numbers = first + (last - first) / start.dtype.type(count - 1) * np.arange(count).astype(start.dtype)
    numbers[-1] = last
    return np.asarray(numbers, start.dtype)


# --- comparisons -----------------------------------------------------------------------------------------------------

COMPARISONS: dict[str, Binary] = {
    "Less": np.less,
    "LessEqual": np.less_equal,
    "Greater": np.greater,
    "GreaterEqual": np.greater_equal,
    "LogicalAnd": np.logical_and,
    "LogicalOr": np.logical_or,
}


for _op, _function in COMPARISONS.items():
    kernel(_op)(_binary_kernel(_function))


@kernel("Equal")
def equal(x: Tensor, y: Tensor, *, incompatible_shape_error: bool) -> Tensor:
    if not incompatible_shape_error and not broadcastable(x.shape, y.shape):
        return np.asarray(False)
    return np.asarray(np.equal(x, y))


@kernel("NotEqual")
def not_equal(x: Tensor, y: Tensor, *, incompatible_shape_error: bool) -> Tensor:
    if not incompatible_shape_error and not broadcastable(x.shape, y.shape):
        return np.asarray(True)
    return np.asarray(np.not_equal(x, y))


def broadcastable(shape: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether two shapes can be broadcast."""
    return all(a == b or 1 in (a, b) for a, b in zip(reversed(shape), reversed(other), strict=False))


@kernel("ApproximateEqual")
def approximate_equal(x: Tensor, y: Tensor, *, tolerance: float) -> Tensor:
    _check_same_shape(x, y)
    return np.asarray(np.abs(x - y) <= np.asarray(tolerance).astype(x.real.dtype))


# --- selection -------------------------------------------------------------------------------------------------------


@kernel("SelectV2")
def select_v2(condition: Tensor, t: Tensor, e: Tensor) -> Tensor:
    return np.where(condition, t, e)


@kernel("Select")
def select(condition: Tensor, t: Tensor, e: Tensor) -> Tensor:
    """Return elements of t or e. A condition that is a vector selects rows."""
    _check_same_shape(t, e)
    if condition.ndim == 0:
        return t if condition else e
    if condition.shape != t.shape:
        check(
            condition.ndim == 1 and condition.shape == t.shape[:1],
            f"a condition of shape {show(condition.shape)} cannot choose between tensors of shape {show(t.shape)}",
        )
        condition = condition.reshape(-1, *(1,) * (t.ndim - 1))
    return np.where(condition, t, e)


@kernel("ClipByValue")
def clip_by_value(t: Tensor, clip_value_min: Tensor, clip_value_max: Tensor) -> Tensor:
    for bound in (clip_value_min, clip_value_max):
        check(
            bound.ndim == 0 or bound.shape == t.shape,
            f"limits must be scalars or of shape {show(t.shape)}, not {show(bound.shape)}",
        )
    if not any((bound != bound).any() for bound in (clip_value_min, clip_value_max)):
        return np.asarray(np.maximum(np.minimum(t, clip_value_max), clip_value_min))
    lowered = np.where(clip_value_max < t, clip_value_max, t)  # a NaN is not a limit
    return np.where(lowered < clip_value_min, clip_value_min, lowered)


def _check_same_shape(x: Tensor, y: Tensor) -> None:
    check(x.shape == y.shape, f"its inputs must have the same shape, but have {show(x.shape)} and {show(y.shape)}")


# --- unary ops -------------------------------------------------------------------------------------------------------

Unary = Callable[[Tensor], Tensor]


def _sign(x: Tensor) -> Tensor:
    """Return the sign; for complex numbers, x / |x|."""
    if x.dtype.kind != "c":
        return np.asarray(np.sign(x))
    length = np.abs(x)
    return np.asarray(x / np.where(length == 0, 1, length))


def _inverse(x: Tensor) -> Tensor:
    check(x.dtype.kind not in "iu" or x.all(), "integer division by zero")
    return np.asarray(np.reciprocal(x))


def _rsqrt(x: Tensor) -> Tensor:
    return np.asarray(np.reciprocal(np.sqrt(x)))


def sigmoid(x: Tensor) -> Tensor:
    """Return 1 / (1 + exp(-x)), without overflow and without cancellation."""
    if x.dtype.kind == "c":
        return np.asarray(1 / (1 + np.exp(-x)))
    exponential = np.exp(-np.abs(x))
    return np.asarray(np.where(x < 0, exponential, x.dtype.type(1)) / (1 + exponential))


def _population_count(x: Tensor) -> Tensor:
    octets = np.ascontiguousarray(x).reshape(-1, 1).view(np.uint8)
    return np.asarray(np.unpackbits(octets, axis=1).sum(1, dtype=np.uint8)).reshape(x.shape)


def _round(x: Tensor) -> Tensor:
    return x if x.dtype.kind in "iu" else np.asarray(np.rint(x))


UNARY: dict[str, Unary] = {
    "Abs": np.abs,
    "ComplexAbs": np.abs,
    "Neg": np.negative,
    "Sign": _sign,
    "Inv": _inverse,
    "Reciprocal": _inverse,
    "Square": np.square,
    "Sqrt": np.sqrt,
    "Rsqrt": _rsqrt,
    "Exp": np.exp,
    "Expm1": np.expm1,
    "Log": np.log,
    "Log1p": np.log1p,
    "Sin": np.sin,
    "Cos": np.cos,
    "Tan": np.tan,
    "Asin": np.arcsin,
    "Acos": np.arccos,
    "Atan": np.arctan,
    "Sinh": np.sinh,
    "Cosh": np.cosh,
    "Tanh": np.tanh,
    "Asinh": np.arcsinh,
    "Acosh": np.arccosh,
    "Atanh": np.arctanh,
    "Sigmoid": sigmoid,
    "Ceil": np.ceil,
    "Floor": np.floor,
    "Round": _round,
    "Rint": np.rint,
    "IsNan": np.isnan,
    "IsInf": np.isinf,
    "IsFinite": np.isfinite,
    "LogicalNot": np.logical_not,
    "Invert": np.invert,
    "Conj": np.conj,
    "Real": np.real,
    "Imag": np.imag,
    "Angle": np.angle,
    "PopulationCount": _population_count,
}


def _unary_kernel(function: Unary) -> Unary:
    def compute(x: Tensor) -> Tensor:
        return function(widen_halves(x))

    return compute


for _op, _unary in UNARY.items():
    kernel(_op)(_unary_kernel(_unary))


# --- gradients -------------------------------------------------------------------------------------------------------

GRADIENTS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "SigmoidGrad": lambda y, dy: dy * y * (1 - y),
    "TanhGrad": lambda y, dy: dy * (1 - y * y),
    "SqrtGrad": lambda y, dy: dy * y.dtype.type(0.5) / np.conj(y),
    "RsqrtGrad": lambda y, dy: y.dtype.type(-0.5) * dy * np.conj(y) * np.conj(y) * np.conj(y),
    "InvGrad": lambda y, dy: -dy * np.conj(y) * np.conj(y),
    "ReciprocalGrad": lambda y, dy: -dy * np.conj(y) * np.conj(y),
}
"""The gradient of x, from y = f(x) and the gradient of y. Only some of TensorFlow's ops conjugate y."""


def _gradient_kernel(function: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    def compute(y: Tensor, dy: Tensor) -> Tensor:
        check(
            y.size == dy.size,
            f"a result of shape {show(y.shape)} has no gradient of shape {show(dy.shape)}",
        )
        return function(widen_halves(y), widen_halves(dy).reshape(y.shape))

    return compute


for _op, _gradient in GRADIENTS.items():
    kernel(_op)(_gradient_kernel(_gradient))
