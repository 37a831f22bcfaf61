"""Unary elementwise ops, by a table from op to NumPy function, and Cast.

Halves are computed in single precision and rounded once, as in TensorFlow.

Cast converts floats beyond the range of an integer type as x86 processors do, on which models are trained and tested:
to signed 32 or 64 bits, with the lowest number for overflow and NaN; narrower types keep the lower bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dtypes import dtype_of
from ...messages import DataType
from ..runtime.argument_checks import check, show
from ..runtime.arrays import widen_halves
from ..runtime.registry import Tensor, kernel

__all__ = ["UNARY", "sigmoid"]


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


for _op, _function in UNARY.items():
    kernel(_op)(_of_one(_function))


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
