"""Ops that take the numbers of one tensor one by one: a table of op and NumPy function.

Halves are computed in single precision and rounded once, as TensorFlow does.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..runtime.argument_checks import check, shown
from ..runtime.arrays import wide
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
        return function(wide(x))

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
        check(y.size == dy.size, f"a result of shape {shown(y.shape)} has no gradient of shape {shown(dy.shape)}")
        return function(wide(y), wide(dy).reshape(y.shape))

    return computed


for _op, _gradient in GRADIENTS.items():
    kernel(_op)(_of_gradient(_gradient))
