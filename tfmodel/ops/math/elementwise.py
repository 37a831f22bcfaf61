"""Elementwise ops: arithmetic with broadcasting, comparisons, and functions of one tensor.

Binary elementwise ops with broadcasting, by a table from op to NumPy function; AddN, Range and LinSpace.

Integers wrap around, as in NumPy; integer division by zero is an error.

Comparisons, logical ops, Select and ClipByValue.

Unary elementwise ops, by a table from op to NumPy function, and Cast.

Halves are computed in single precision and rounded once, as in TensorFlow.

Cast converts floats beyond the range of an integer type as x86 processors do, on which models are trained and tested:
to signed 32 or 64 bits, with the lowest number for overflow and NaN; narrower types keep the lower bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...dtypes import dtype_of
from ...messages import DataType
from ..runtime.argument_checks import check, read_scalar, show, widen_halves
from ..runtime.registry import Tensor, kernel

__all__ = ["BINARY", "COMPARISONS", "UNARY", "add_n", "broadcastable", "sigmoid"]


Binary = Callable[[Tensor, Tensor], Tensor]


# --- division --------------------------------------------------------------------------------------------------------


def _are_integers(x: Tensor, y: Tensor) -> bool:
    """Return whether the tensors are integers. Raises RunError for an integer divisor of zero."""
    if x.dtype.kind not in "iu":
        return False
    check(x.size == 0 or y.all(), "integer division by zero")
    return True


def _divide(x: Tensor, y: Tensor) -> Tensor:
    """Divide; integers are rounded towards zero."""
    if not _are_integers(x, y):
        return np.asarray(np.true_divide(x, y))
    return np.asarray((x - np.fmod(x, y)) // y)


def _truncate_divide(x: Tensor, y: Tensor) -> Tensor:
    quotient = _divide(x, y)
    return quotient if x.dtype.kind in "iu" else np.asarray(np.trunc(quotient))


def _floor_divide(x: Tensor, y: Tensor) -> Tensor:
    """Of floats, the quotient as it is, rounded down: 1 by 0.1 gives 10. NumPy's gives 9."""
    return np.asarray(x // y if _are_integers(x, y) else np.floor(np.true_divide(x, y)))


def _truncate_modulo(x: Tensor, y: Tensor) -> Tensor:
    _are_integers(x, y)
    return np.asarray(np.fmod(x, y))


def _floor_modulo(x: Tensor, y: Tensor) -> Tensor:
    if _are_integers(x, y):
        return np.asarray(np.mod(x, y))
    left = np.fmod(x, y)
    return np.asarray(np.where((left != 0) & ((y < 0) != (left < 0)), left + y, left))


# --- others ----------------------------------------------------------------------------------------------------------


def _unless_zero(tested: Tensor, result: Tensor) -> Tensor:
    """Return a result, with zero where the tested operand is zero, for any value of the other."""
    return np.where(tested == 0, result.dtype.type(0), result)


def _power(x: Tensor, y: Tensor) -> Tensor:
    check(y.dtype.kind != "i" or x.size == 0 or not (y < 0).any(), "integers have no negative integer powers")
    return np.asarray(np.power(x, y))


def _squared_difference(x: Tensor, y: Tensor) -> Tensor:
    apart = x - y
    return np.asarray(apart * np.conj(apart))


def _shifted(shift: Binary) -> Binary:
    """A shift by no less than nothing and no more than all bits but one."""

    def computed(x: Tensor, y: Tensor) -> Tensor:
        return shift(x, np.clip(y, 0, 8 * x.dtype.itemsize - 1).astype(y.dtype))

    return computed


IN_PLACE: dict[str, Callable[..., Tensor]] = {
    "Add": np.add,  # strings are joined
    "AddV2": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
}
"""Those that can put the result where the first tensor is."""

BINARY: dict[str, Binary] = {
    **IN_PLACE,
    "MulNoNan": lambda x, y: _unless_zero(y, x * y),
    "Div": _divide,
    "RealDiv": _divide,
    "DivNoNan": lambda x, y: _unless_zero(y, np.true_divide(x, y)),
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
    "Xdivy": lambda x, y: _unless_zero(x, np.true_divide(x, y)),
    "Xlogy": lambda x, y: _unless_zero(x, x * np.log(y)),
    "Xlog1py": lambda x, y: _unless_zero(x, x * np.log1p(y)),
    "NextAfter": np.nextafter,
    "LeftShift": _shifted(np.left_shift),
    "RightShift": _shifted(np.right_shift),
    "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or,
    "BitwiseXor": np.bitwise_xor,
    "Complex": lambda real, imaginary: real + 1j * imaginary,
}


def _of_two(function: Binary) -> Binary:
    def computed(x: Tensor, y: Tensor) -> Tensor:
        return function(x, y)

    return computed


def _into_first(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def computed(x: Tensor, y: Tensor, *, own: bool = False) -> Tensor:
        fits = own and x.dtype == y.dtype and np.broadcast(x, y).shape == x.shape
        return function(x, y, out=x) if fits else function(x, y)

    return computed


for _op, _function in BINARY.items():
    kernel(_op)(_into_first(_function) if _op in IN_PLACE else _of_two(_function))


@kernel("AddN", "AccumulateNV2")
def add_n(*tensors: Tensor) -> Tensor:
    first = tensors[0]
    total = widen_halves(first)
    for tensor in tensors[1:]:
        check(
            tensor.shape == first.shape,
            f"its inputs must be of one shape, and are {show(first.shape)} and {show(tensor.shape)}",
        )
        total = np.asarray(total + tensor)
    return total


@kernel("Range")
def range_(start: Tensor, limit: Tensor, delta: Tensor) -> Tensor:
    first, end, step = (
        read_scalar(each, name, vector_of_one=True)
        for each, name in ((start, "start"), (limit, "limit"), (delta, "delta"))
    )
    check(step, "delta must not be 0")
    check((end - first) * (1 if step > 0 else -1) >= 0, f"a range from {first} to {end} does not go by steps of {step}")
    if start.dtype.kind in "iu":
        return np.arange(first, end, step, dtype=start.dtype)
    steps = np.abs((limit.reshape(()) - start.reshape(())) / delta.reshape(()))
    check(np.isfinite(steps), f"a range from {first} to {end} by steps of {step} has no end")
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


COMPARISONS: dict[str, Binary] = {
    "Less": np.less,
    "LessEqual": np.less_equal,
    "Greater": np.greater,
    "GreaterEqual": np.greater_equal,
    "LogicalAnd": np.logical_and,
    "LogicalOr": np.logical_or,
}


for _op, _function in COMPARISONS.items():
    kernel(_op)(_of_two(_function))


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
    _check_same(x, y)
    return np.asarray(np.abs(x - y) <= np.asarray(tolerance).astype(x.real.dtype))


# --- choosing --------------------------------------------------------------------------------------------------------


@kernel("SelectV2")
def select_v2(condition: Tensor, t: Tensor, e: Tensor) -> Tensor:
    return np.where(condition, t, e)


@kernel("Select")
def select(condition: Tensor, t: Tensor, e: Tensor) -> Tensor:
    """A condition that is a vector chooses rows."""
    _check_same(t, e)
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
            f"limits must be scalars or of shape {show(t.shape)}, and one is of shape {show(bound.shape)}",
        )
    if not any((bound != bound).any() for bound in (clip_value_min, clip_value_max)):
        return np.asarray(np.maximum(np.minimum(t, clip_value_max), clip_value_min))
    lowered = np.where(clip_value_max < t, clip_value_max, t)  # a limit that is NaN limits nothing
    return np.where(lowered < clip_value_min, clip_value_min, lowered)


def _check_same(x: Tensor, y: Tensor) -> None:
    check(x.shape == y.shape, f"its inputs must be of one shape, and are {show(x.shape)} and {show(y.shape)}")


Unary = Callable[[Tensor], Tensor]


# --- what NumPy has under no name ------------------------------------------------------------------------------------


def _sign(x: Tensor) -> Tensor:
    """Of complex numbers, the direction."""
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
    """1 / (1 + exp(-x)), without losing what is small at the one end or overflowing at the other."""
    if x.dtype.kind == "c":
        return np.asarray(1 / (1 + np.exp(-x)))
    shrunk = np.exp(-np.abs(x))
    return np.asarray(np.where(x < 0, shrunk, x.dtype.type(1)) / (1 + shrunk))


def _population_count(x: Tensor) -> Tensor:
    octets = np.ascontiguousarray(x).reshape(-1, 1).view(np.uint8)
    return np.asarray(np.unpackbits(octets, axis=1).sum(1, dtype=np.uint8)).reshape(x.shape)


def _rounded(x: Tensor) -> Tensor:
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
    "Round": _rounded,
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


def _of_one(function: Unary) -> Unary:
    def computed(x: Tensor) -> Tensor:
        return function(widen_halves(x))

    return computed


for _op, _unary in UNARY.items():
    kernel(_op)(_of_one(_unary))


# --- gradients -------------------------------------------------------------------------------------------------------

GRADIENTS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "SigmoidGrad": lambda y, dy: dy * y * (1 - y),
    "TanhGrad": lambda y, dy: dy * (1 - y * y),
    "SqrtGrad": lambda y, dy: dy * y.dtype.type(0.5) / np.conj(y),
    "RsqrtGrad": lambda y, dy: y.dtype.type(-0.5) * dy * np.conj(y) * np.conj(y) * np.conj(y),
    "InvGrad": lambda y, dy: -dy * np.conj(y) * np.conj(y),
    "ReciprocalGrad": lambda y, dy: -dy * np.conj(y) * np.conj(y),
}
"""From y = f(x) and its gradient, the gradient of x. Two leave it to others to conjugate y."""


def _of_gradient(function: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    def computed(y: Tensor, dy: Tensor) -> Tensor:
        check(
            y.size == dy.size,
            f"a result of shape {show(y.shape)} has no gradient of shape {show(dy.shape)}",
        )
        return function(widen_halves(y), widen_halves(dy).reshape(y.shape))

    return computed


for _op, _gradient in GRADIENTS.items():
    kernel(_op)(_of_gradient(_gradient))


_MANTISSAS = {
    (DataType.DT_DOUBLE, DataType.DT_FLOAT): 52 - 23,
    (DataType.DT_DOUBLE, DataType.DT_HALF): 52 - 10,
    (DataType.DT_FLOAT, DataType.DT_HALF): 23 - 10,
    (DataType.DT_FLOAT, DataType.DT_BFLOAT16): 23 - 7,
}
"""How many bits of its mantissa a float loses, between types of which TensorFlow can cut them off."""
_BEYOND_SIGNED = 2.0**63


@kernel("Cast")
def cast(x: Tensor, *, SrcT: DataType, DstT: DataType, Truncate: bool) -> Tensor:
    row = dtype_of(DstT)
    check(not row.is_object and x.dtype.kind != "O", "strings and handles cannot be cast")
    if SrcT == DstT:
        return x
    if x.dtype.kind == "c" and row.kind != "c":
        x = x.real
    if row.kind == "b":
        return np.asarray(x != 0)
    if row.numpy.kind in "iu" and x.dtype.kind == "f":
        return to_integers(x, row.numpy)
    if Truncate and (SrcT, DstT) in _MANTISSAS:
        x = _cut(x, _MANTISSAS[SrcT, DstT])
    if DstT == DataType.DT_HALF:
        x = x.astype(np.float32, copy=False)  # TensorFlow rounds doubles and integers twice
    return x.astype(row.numpy)


def to_integers(x: Tensor, dtype: np.dtype[Any]) -> Tensor:
    """Floats without their fractions."""
    if dtype == np.uint64:
        upper = x >= _BEYOND_SIGNED  # of these, 2**63 is taken off first, and put back as a bit
        low = _converted(np.where(upper, x - x.dtype.type(_BEYOND_SIGNED), x), np.dtype(np.int64)).astype(np.uint64)
        return np.asarray(np.where(upper, low ^ np.uint64(1 << 63), low))
    wide = np.dtype(np.int64 if dtype.itemsize == 8 or dtype == np.uint32 else np.int32)
    return _converted(x, wide).astype(dtype)


def _converted(x: Tensor, dtype: np.dtype[Any]) -> Tensor:
    limits = np.iinfo(dtype)
    fits = (x >= float(limits.min)) & (x < -float(limits.min))
    return np.where(fits, np.where(fits, x, 0).astype(dtype), dtype.type(limits.min))


def _cut(x: Tensor, bits: int) -> Tensor:
    """Floats without so many of the last bits of their mantissas."""
    integer = np.dtype(f"u{x.dtype.itemsize}")
    mask = integer.type((1 << 8 * integer.itemsize) - (1 << bits))
    return np.asarray((np.ascontiguousarray(x).view(integer) & mask).view(x.dtype)).reshape(x.shape)
