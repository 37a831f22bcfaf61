"""BiasAdd, batch normalization and local response normalization.

In inference, a batch norm is one multiplication and one addition for each number:

    (x - mean) / sqrt(variance + epsilon) * scale + offset  =  x * a + b
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...errors import RunError
from ..runtime.argument_checks import widen_halves
from ..runtime.registry import Tensor, kernel
from .windows import as_format, channels_last

__all__ = ["add_bias", "scale_and_shift"]


# --- biases ----------------------------------------------------------------------------------------------------------


@kernel("BiasAdd", "BiasAddV1")
def bias_add(value: Tensor, bias: Tensor, *, data_format: bytes = b"NHWC", own: bool = False) -> Tensor:
    axis = _channel_axis(value, data_format)
    if bias.ndim != 1 or value.shape[axis] != len(bias):
        raise RunError(f"a bias of shape {list(bias.shape)} is not for an input of shape {list(value.shape)}")
    along = bias.reshape(-1, *[1] * (value.ndim - 1 - axis))
    return np.asarray(np.add(value, along, out=value if own else None))


def add_bias(y: Tensor, bias: Tensor) -> Tensor:
    """Add a bias to the last dimension of an array, in place."""
    if bias.shape != y.shape[-1:]:
        raise RunError(f"a bias of shape {list(bias.shape)} is not for an input of shape {list(y.shape)}")
    y += bias
    return y


@kernel("BiasAddGrad")
def bias_add_grad(out_backprop: Tensor, *, data_format: bytes) -> Tensor:
    axis = _channel_axis(out_backprop, data_format)
    others = tuple(each for each in range(out_backprop.ndim) if each != axis)
    return np.asarray(widen_halves(out_backprop).sum(others, dtype=widen_halves(out_backprop).dtype))


def _channel_axis(value: Tensor, data_format: bytes) -> int:
    if value.ndim < 2:
        raise RunError(f"its input must be of rank 2 at the least, and is of shape {list(value.shape)}")
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
    """The output, and twice a mean and a variance: those of the batch if it is training, or else those given.

    The first variance of a batch is that of what the batch is a sample of, the second its own.
    """
    images = channels_last(x, data_format, x.ndim)
    if images.ndim not in (4, 5) or (len(data_format) != images.ndim and images.ndim != 4):
        raise RunError(f"its input must be of rank 4 or 5, and is of shape {list(x.shape)}")
    channels = images.shape[-1:]
    statistics = () if is_training and exponential_avg_factor == 1 else (mean, variance)
    for given in (scale, offset, *statistics):
        if given.shape != channels:
            raise RunError(f"what it has for channels is {list(given.shape)}, and the input is {list(x.shape)}")
    if not is_training:
        out = images if own and widen_halves(images) is images else None
        y = scale_and_shift(images, scale, offset, mean, variance, epsilon, out)
        return as_format(y, data_format), mean, variance, mean, variance
    own_mean, own_variance, offsets = _statistics(images)
    spread = scale / np.sqrt(own_variance + np.float32(epsilon))
    y = (offsets * spread.astype(offsets.dtype) + offset.astype(offsets.dtype)).reshape(images.shape)
    count = images.size // max(1, images.shape[-1])
    sample = own_variance * (count / (count - 1 if count > 1 else 1))
    shown_mean, shown_variance = own_mean, sample
    if exponential_avg_factor != 1:
        kept, factor = 1 - exponential_avg_factor, exponential_avg_factor
        shown_mean, shown_variance = kept * mean + factor * own_mean, kept * variance + factor * sample
    if not count:  # an empty batch has undefined statistics; those for gradients are zero
        shown_mean, shown_variance = np.full_like(own_mean, np.nan), np.full_like(own_mean, np.nan)
    return as_format(y, data_format), shown_mean, shown_variance, own_mean, own_variance


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
    """The same with a sixth output, which is of use on other processors only."""
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
    factor = 1 / np.sqrt(variance.astype(np.float64) + epsilon)
    if scale is not None:
        factor = factor * scale
    x = widen_halves(x)
    made: Tensor = np.multiply(x, factor.astype(x.dtype), out=out)
    made += (offset - mean * factor).astype(x.dtype)
    return made


def _statistics(images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the mean and the variance of each channel, and the distances of all numbers from the mean."""
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
    if x.ndim != 4 or any(each.shape != x.shape[-1:] for each in (mean, variance, beta, gamma)):
        raise RunError(f"what it has for channels does not fit an input of shape {list(x.shape)}")
    return scale_and_shift(x, gamma if scale_after_normalization else None, beta, mean, variance, variance_epsilon)


# --- others ----------------------------------------------------------------------------------------------------------


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
