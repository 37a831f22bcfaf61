"""Kernels of BiasAdd, batch normalization and local response normalization.

In inference, a batch norm is one multiplication and one addition for each element:

    (x - mean) / sqrt(variance + epsilon) * scale + offset  =  x * a + b
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...errors import RunError
from ..runtime.argument_checks import check_kind, widen_halves
from ..runtime.registry import Tensor, kernel
from .windows import to_channels_last, to_format

# --- biases ----------------------------------------------------------------------------------------------------------


@kernel("BiasAdd", "BiasAddV1")
def bias_add(value: Tensor, bias: Tensor, *, data_format: bytes = b"NHWC", own: bool = False) -> Tensor:
    axis = _channel_axis(value, data_format)
    if bias.ndim != 1 or value.shape[axis] != len(bias):
        raise RunError(f"a bias of shape {list(bias.shape)} does not fit an input of shape {list(value.shape)}")
    expanded = bias.reshape(-1, *[1] * (value.ndim - 1 - axis))
    return np.asarray(np.add(value, expanded, out=value if own else None))


def add_bias(y: Tensor, bias: Tensor) -> Tensor:
    """Add a bias to the last dimension of an array, in place."""
    if bias.shape != y.shape[-1:]:
        raise RunError(f"a bias of shape {list(bias.shape)} does not fit an input of shape {list(y.shape)}")
    y += bias
    return y


@kernel("BiasAddGrad")
def bias_add_grad(out_backprop: Tensor, *, data_format: bytes) -> Tensor:
    axis = _channel_axis(out_backprop, data_format)
    other_axes = tuple(number for number in range(out_backprop.ndim) if number != axis)
    return np.asarray(widen_halves(out_backprop).sum(other_axes, dtype=widen_halves(out_backprop).dtype))


def _channel_axis(value: Tensor, data_format: bytes) -> int:
    if value.ndim < 2:
        raise RunError(f"its input must be of rank 2 or more, and is of shape {list(value.shape)}")
    if data_format not in (b"NHWC", b"NCHW"):
        raise RunError("its data format must be NHWC or NCHW")
    return 1 if data_format == b"NCHW" else value.ndim - 1


# --- batch norms -----------------------------------------------------------------------------------------------------


@kernel("FusedBatchNorm", "FusedBatchNormV2")
def fused_batch_norm(
    x: Tensor,
    scale: Tensor,
    offset: Tensor,
    mean: Tensor,
    variance: Tensor,
    *,
    epsilon: float,
    exponential_avg_factor: float,
    data_format: bytes,
    is_training: bool,
    own: bool = False,
) -> tuple[Tensor, ...]:
    """Return the output, and a mean and a variance twice: those of the batch in training, else the inputs.

    In training, the first variance is the estimate for the population (with n - 1), the second that of the batch.
    """
    images = to_channels_last(x, data_format, x.ndim)
    if images.ndim not in (4, 5) or (len(data_format) != images.ndim and images.ndim != 4):
        raise RunError(f"its input must be of rank 4 or 5, and is of shape {list(x.shape)}")
    channels = images.shape[-1:]
    statistics = () if is_training and exponential_avg_factor == 1 else (mean, variance)
    for parameter in (scale, offset, *statistics):
        if parameter.shape != channels:
            raise RunError(f"parameters of shape {list(parameter.shape)} do not fit an input of shape {list(x.shape)}")
    if not is_training:
        out = images if own and widen_halves(images) is images else None
        y = scale_and_shift(images, scale, offset, mean, variance, epsilon, out)
        return to_format(y, data_format), mean, variance, mean, variance
    batch_mean, batch_variance, offsets = _statistics(images)
    factors = scale / np.sqrt(batch_variance + np.float32(epsilon))
    y = (offsets * factors.astype(offsets.dtype) + offset.astype(offsets.dtype)).reshape(images.shape)
    count = images.size // max(1, images.shape[-1])
    population_variance = batch_variance * (count / (count - 1 if count > 1 else 1))
    new_mean, new_variance = batch_mean, population_variance
    if exponential_avg_factor != 1:
        decay, factor = 1 - exponential_avg_factor, exponential_avg_factor
        new_mean, new_variance = decay * mean + factor * batch_mean, decay * variance + factor * population_variance
    if not count:  # an empty batch has undefined statistics; those for gradients are zero
        new_mean, new_variance = np.full_like(batch_mean, np.nan), np.full_like(batch_mean, np.nan)
    return to_format(y, data_format), new_mean, new_variance, batch_mean, batch_variance


@kernel("FusedBatchNormV3")
def fused_batch_norm_v3(
    x: Tensor,
    scale: Tensor,
    offset: Tensor,
    mean: Tensor,
    variance: Tensor,
    *,
    epsilon: float,
    exponential_avg_factor: float,
    data_format: bytes,
    is_training: bool,
    own: bool = False,
) -> tuple[Tensor, ...]:
    """Return the outputs of FusedBatchNorm and a sixth one, which is empty: only GPUs use it."""
    first = fused_batch_norm(
        x,
        scale,
        offset,
        mean,
        variance,
        epsilon=epsilon,
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
        own=own,
    )
    return (*first, np.zeros(0, np.float32))


def scale_and_shift(
    x: Tensor, scale: Tensor | None, offset: Tensor, mean: Tensor, variance: Tensor, epsilon: float, out: Any = None
) -> Tensor:
    """Compute a batch norm over the last dimension of an array, into a new array unless `out` is given."""
    check_kind(variance, "f")
    factor = 1 / np.sqrt(variance.astype(np.float64) + epsilon)
    if scale is not None:
        factor = factor * scale
    x = widen_halves(x)
    result: Tensor = np.multiply(x, factor.astype(x.dtype), out=out)
    result += (offset - mean * factor).astype(x.dtype)
    return result


def _statistics(images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the mean and the variance of each channel, and the differences of all elements from the mean."""
    rows = widen_halves(images).reshape(prod(images.shape[:-1]), images.shape[-1])
    if not rows.size:
        return np.zeros(rows.shape[1], np.float32), np.zeros(rows.shape[1], np.float32), rows
    mean = rows.mean(0, dtype=np.float64)
    offsets = rows - mean.astype(rows.dtype)
    variance = np.einsum("nc,nc->c", offsets, offsets, dtype=np.float64) / len(rows)
    return mean.astype(np.float32), variance.astype(np.float32), offsets


@kernel("BatchNormWithGlobalNormalization")
def batch_norm_with_global_normalization(
    x: Tensor,
    mean: Tensor,
    variance: Tensor,
    beta: Tensor,
    gamma: Tensor,
    *,
    variance_epsilon: float,
    scale_after_normalization: bool,
) -> Tensor:
    if x.ndim != 4 or any(parameter.shape != x.shape[-1:] for parameter in (mean, variance, beta, gamma)):
        raise RunError(f"its parameters do not fit an input of shape {list(x.shape)}")
    return scale_and_shift(x, gamma if scale_after_normalization else None, beta, mean, variance, variance_epsilon)


# --- other normalization ---------------------------------------------------------------------------------------------


@kernel("LRN")
def lrn(x: Tensor, *, depth_radius: int, bias: float, alpha: float, beta: float) -> Tensor:
    """Compute x / (bias + alpha * sum of squares of the neighboring channels) ** beta."""
    if x.ndim != 4:
        raise RunError(f"its input must be of rank 4, and is of shape {list(x.shape)}")
    if depth_radius < 0:
        raise RunError(f"its depth_radius must not be negative, and is {depth_radius}")
    values = widen_halves(x)
    squares = values * values
    base = squares.copy()
    for distance in range(1, min(depth_radius, x.shape[-1] - 1) + 1):
        base[..., distance:] += squares[..., :-distance]
        base[..., :-distance] += squares[..., distance:]
    base *= values.dtype.type(alpha)
    base += values.dtype.type(bias)
    powers = 1 / np.sqrt(base) if beta == 0.5 else np.power(base, values.dtype.type(-beta))
    powers *= values
    return np.asarray(powers)


@kernel("L2Loss")
def l2_loss(t: Tensor) -> Tensor:
    """Return half of the sum of squares."""
    flat = widen_halves(t).ravel()
    return np.asarray(np.dot(flat, flat) / 2)
