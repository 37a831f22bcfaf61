"""Activation functions and their gradients."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...errors import RunError
from ..runtime.arrays import widen_halves
from ..runtime.registry import Tensor, kernel

__all__ = ["ACTIVATIONS", "leaky_relu"]

_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


# --- activations -----------------------------------------------------------------------------------------------------


def _relu(x: Tensor, out: Tensor | None = None) -> Tensor:
    return np.asarray(np.maximum(x, x.dtype.type(0), out=out))


def _relu6(x: Tensor, out: Tensor | None = None) -> Tensor:
    return np.asarray(np.clip(x, x.dtype.type(0), x.dtype.type(6), out=out))


def _elu(x: Tensor) -> Tensor:
    return np.where(x < 0, np.expm1(x), x)


def _selu(x: Tensor) -> Tensor:
    number = x.dtype.type
    return np.asarray(np.where(x < 0, number(_SELU_SCALE * _SELU_ALPHA) * np.expm1(x), number(_SELU_SCALE) * x))


def _softplus(x: Tensor) -> Tensor:
    """log(exp(x) + 1). Where one of the two is lost in the other, the sum is not made."""
    edge = np.log(np.finfo(x.dtype).eps) + 2
    grown = np.exp(x)
    return np.where(x > -edge, x, np.where(x < edge, grown, np.log1p(grown)))


def _softsign(x: Tensor) -> Tensor:
    return np.asarray(x / (np.abs(x) + 1))


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "Relu": _relu,
    "Relu6": _relu6,
    "Elu": _elu,
    "Selu": _selu,
    "Softplus": _softplus,
    "Softsign": _softsign,
}


def _activation(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    def computed(features: Tensor) -> Tensor:
        return function(widen_halves(features))

    return computed


def _in_place(function: Callable[[Tensor, Tensor | None], Tensor]) -> Callable[..., Tensor]:
    def computed(features: Tensor, *, own: bool = False) -> Tensor:
        x = widen_halves(features)
        return function(x, x if own else None)

    return computed


for _op, _function in ACTIVATIONS.items():
    kernel(_op)(_in_place(_function) if _function in (_relu, _relu6) else _activation(_function))


@kernel("LeakyRelu")
def leaky_relu(features: Tensor, *, alpha: float) -> Tensor:
    x = widen_halves(features)
    slope = x.dtype.type(np.float32(alpha))
    return np.asarray(np.maximum(x, x * slope) if alpha < 1 else np.where(x > 0, x, x * slope))


# --- gradients -------------------------------------------------------------------------------------------------------


def _relu_grad(gradients: Tensor, features: Tensor) -> Tensor:
    return np.asarray(gradients * (features > 0))


def _relu6_grad(gradients: Tensor, features: Tensor) -> Tensor:
    return np.asarray(gradients * ((features > 0) & (features < 6)))


def _elu_grad(gradients: Tensor, outputs: Tensor) -> Tensor:
    return np.where(outputs < 0, (outputs + 1) * gradients, gradients)


def _selu_grad(gradients: Tensor, outputs: Tensor) -> Tensor:
    number = outputs.dtype.type
    below = gradients * (outputs + number(_SELU_SCALE * _SELU_ALPHA))
    return np.asarray(np.where(outputs < 0, below, gradients * number(_SELU_SCALE)))


def _softplus_grad(gradients: Tensor, features: Tensor) -> Tensor:
    return np.asarray(gradients / (np.exp(-features) + 1))


def _softsign_grad(gradients: Tensor, features: Tensor) -> Tensor:
    return np.asarray(gradients / np.square(1 + np.abs(features)))


GRADIENTS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "ReluGrad": _relu_grad,
    "Relu6Grad": _relu6_grad,
    "EluGrad": _elu_grad,
    "SeluGrad": _selu_grad,
    "SoftplusGrad": _softplus_grad,
    "SoftsignGrad": _softsign_grad,
}


def _gradient(function: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    def computed(gradients: Tensor, features: Tensor) -> Tensor:
        _check_alike(gradients, features)
        return function(widen_halves(gradients), widen_halves(features))

    return computed


for _op, _gradient_function in GRADIENTS.items():
    kernel(_op)(_gradient(_gradient_function))


@kernel("LeakyReluGrad")
def leaky_relu_grad(gradients: Tensor, features: Tensor, *, alpha: float) -> Tensor:
    _check_alike(gradients, features)
    gradients = widen_halves(gradients)
    return np.where(features > 0, gradients, gradients * gradients.dtype.type(np.float32(alpha)))


def _check_alike(gradients: Tensor, features: Tensor) -> None:
    if gradients.shape != features.shape:
        raise RunError(f"its inputs must be of one shape, and are {list(gradients.shape)} and {list(features.shape)}")
