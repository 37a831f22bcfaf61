"""Kernels of activation functions, Softmax, cross entropies and TopK.

Softmax and its relatives subtract the largest logit before `exp`, so that large logits do not overflow.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...errors import RunError
from ..runtime.argument_checks import check, read_scalar, widen_halves
from ..runtime.memory_limit import INDEX_BYTES, claim
from ..runtime.registry import Tensor, kernel

_ZEROS = 8192
"""The number of zeros that the elements of a Relu are compared with at once."""

_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


# --- activations -----------------------------------------------------------------------------------------------------


def _relu(x: Tensor, out: Tensor | None = None) -> Tensor:
    """Compute max(x, 0). NumPy takes half the time if it gets a row of zeros instead of a single zero."""
    rows = x.size // _ZEROS
    if not rows or not x.flags.c_contiguous:
        return np.asarray(np.maximum(x, x.dtype.type(0), out=out))
    result = np.empty_like(x) if out is None else out
    source, target = x.reshape(-1), result.reshape(-1)
    zeros, whole = np.zeros(_ZEROS, x.dtype), rows * _ZEROS
    np.maximum(source[:whole].reshape(rows, _ZEROS), zeros, out=target[:whole].reshape(rows, _ZEROS))
    np.maximum(source[whole:], zeros[: x.size - whole], out=target[whole:])
    return result


def _relu6(x: Tensor, out: Tensor | None = None) -> Tensor:
    return np.asarray(np.clip(x, x.dtype.type(0), x.dtype.type(6), out=out))


def _elu(x: Tensor) -> Tensor:
    return np.where(x < 0, np.expm1(x), x)


def _selu(x: Tensor) -> Tensor:
    number = x.dtype.type
    return np.asarray(np.where(x < 0, number(_SELU_SCALE * _SELU_ALPHA) * np.expm1(x), number(_SELU_SCALE) * x))


def _softplus(x: Tensor) -> Tensor:
    """Return log(exp(x) + 1): x for large and exp(x) for small x, where rounding would lose the other term."""
    lower_limit = np.log(np.finfo(x.dtype).eps) + 2
    exponential = np.exp(x)
    return np.where(x > -lower_limit, x, np.where(x < lower_limit, exponential, np.log1p(exponential)))


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


def _activation_kernel(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    def compute(features: Tensor) -> Tensor:
        return function(widen_halves(features))

    return compute


def _in_place_kernel(function: Callable[[Tensor, Tensor | None], Tensor]) -> Callable[..., Tensor]:
    def compute(features: Tensor, *, own: bool = False) -> Tensor:
        x = widen_halves(features)
        return function(x, x if own else None)

    return compute


for _op, _function in ACTIVATIONS.items():
    kernel(_op)(_in_place_kernel(_function) if _function in (_relu, _relu6) else _activation_kernel(_function))


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
    negative = gradients * (outputs + number(_SELU_SCALE * _SELU_ALPHA))
    return np.asarray(np.where(outputs < 0, negative, gradients * number(_SELU_SCALE)))


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


def _gradient_kernel(function: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    def compute(gradients: Tensor, features: Tensor) -> Tensor:
        _check_same_shape(gradients, features)
        return function(widen_halves(gradients), widen_halves(features))

    return compute


for _op, _gradient_function in GRADIENTS.items():
    kernel(_op)(_gradient_kernel(_gradient_function))


@kernel("LeakyReluGrad")
def leaky_relu_grad(gradients: Tensor, features: Tensor, *, alpha: float) -> Tensor:
    _check_same_shape(gradients, features)
    gradients = widen_halves(gradients)
    return np.where(features > 0, gradients, gradients * gradients.dtype.type(np.float32(alpha)))


def _check_same_shape(gradients: Tensor, features: Tensor) -> None:
    if gradients.shape != features.shape:
        raise RunError(
            f"its inputs must have the same shape, but have {list(gradients.shape)} and {list(features.shape)}"
        )


# --- softmax ---------------------------------------------------------------------------------------------------------


@kernel("Softmax")
def softmax(logits: Tensor) -> Tensor:
    """Compute softmax over the last dimension."""
    result = _subtract_max(logits)
    np.exp(result, out=result)
    result /= result.sum(-1, keepdims=True)
    return result


@kernel("LogSoftmax")
def log_softmax(logits: Tensor) -> Tensor:
    result = _subtract_max(logits)
    result -= np.log(np.exp(result).sum(-1, keepdims=True))
    return result


def _subtract_max(logits: Tensor) -> Tensor:
    """Return a new array: each logit less the largest one of its row."""
    if logits.ndim < 1:
        raise RunError("its logits must not be a scalar")
    values = widen_halves(logits)
    if not values.size:
        return values.copy()
    return np.asarray(values - values.max(-1, keepdims=True))


# --- cross entropies -------------------------------------------------------------------------------------------------


@kernel("SoftmaxCrossEntropyWithLogits")
def softmax_cross_entropy(features: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Return the loss of each row, and its gradient. `labels` are probabilities."""
    logits, probabilities = np.broadcast_arrays(widen_halves(features), widen_halves(labels))
    if logits.ndim != 2:
        raise RunError(f"its logits and labels must be matrices, and are {list(features.shape)}, {list(labels.shape)}")
    logs = log_softmax(logits)
    return -(probabilities * logs).sum(-1), np.exp(logs) - probabilities


@kernel("SparseSoftmaxCrossEntropyWithLogits")
def sparse_softmax_cross_entropy(features: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Return the loss of each row, and its gradient. `labels` are class numbers."""
    if features.ndim != 2 or labels.shape != features.shape[:1]:
        raise RunError(f"logits {list(features.shape)} and labels {list(labels.shape)} do not fit")
    classes = features.shape[1]
    if len(labels) and not classes:
        raise RunError("the logits have 0 classes")
    outside = (labels < 0) | (labels >= classes)
    if outside.any():
        raise RunError(f"the label {labels[outside][0]} is not in [0, {classes})")
    logs = log_softmax(features)
    rows = np.arange(len(labels))
    gradient = np.exp(logs)
    gradient[rows, labels] -= 1
    return -logs[rows, labels], gradient


# --- TopK and decoding -----------------------------------------------------------------------------------------------


@kernel("InTopK")
def in_top_k(predictions: Tensor, targets: Tensor, *, k: int) -> Tensor:
    """Return whether fewer than k predictions are larger than that of the target; false for rows with NaN or Inf."""
    if predictions.ndim != 2 or targets.shape != predictions.shape[:1]:
        raise RunError(f"predictions {list(predictions.shape)} and targets {list(targets.shape)} do not fit")
    is_valid = (targets >= 0) & (targets < predictions.shape[1])
    rows = np.arange(len(targets))
    result = np.zeros(len(targets), bool)
    rows, classes = rows[is_valid], targets[is_valid]
    target_predictions = predictions[rows, classes][:, None]
    result[is_valid] = ((predictions[is_valid] > target_predictions).sum(-1) < k) & np.isfinite(
        predictions[is_valid]
    ).all(-1)
    return result


@kernel("InTopKV2")
def in_top_k_v2(predictions: Tensor, targets: Tensor, k: Tensor) -> Tensor:
    if k.ndim:
        raise RunError(f"k must be a scalar, and is of shape {list(k.shape)}")
    return in_top_k(predictions, targets, k=int(k))


@kernel("TopK")
def top_k(x: Tensor, *, k: int) -> tuple[Tensor, Tensor]:
    return _find_largest(x, k)


@kernel("TopKV2")
def top_k_v2(x: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    return _find_largest(x, read_scalar(k, "k"))


def _find_largest(x: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the k largest values along the last axis, in descending order, and their indices.

    Equal values are in the order of their indices.
    """
    check(x.ndim > 0, "the input must not be a scalar")
    check(0 <= k <= x.shape[-1], f"k is {k}, but the last dimension has {x.shape[-1]} elements")
    claim(3 * INDEX_BYTES * x.size)
    backwards = np.argsort(x[..., ::-1], axis=-1, kind="stable")
    indices = x.shape[-1] - 1 - backwards[..., ::-1][..., :k]
    return np.take_along_axis(x, indices, -1), indices


@kernel("NthElement")
def nth_element(x: Tensor, n: Tensor, *, reverse: bool) -> Tensor:
    check(x.ndim > 0, "the input must not be a scalar")
    index, last = read_scalar(n, "n"), x.shape[-1] - 1
    check(0 <= index <= last, f"n is {index}, but the last dimension has {last + 1} elements")
    index = last - index if reverse else index
    return np.asarray(np.partition(x, index, -1)[..., index])
