"""2-D, 3-D and depthwise convolutions.

    y[n, y, x, o] = sum over i, j, c of image[n, y * s + i * d, x * s + j * d, c] * filter[i, j, c, o]

The windows are copied into a matrix, block by block, so that they stay in the cache; each block is one matrix product.
Windows of one number need no copy. A filter with fewer channels than the image works on groups of channels. Depthwise
convolutions are sums of products over views.

Integers wrap around. Halves are computed in single precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ...errors import RunError
from ..runtime.arrays import widen_halves
from ..runtime.memory_limit import claim
from ..runtime.registry import Tensor, kernel
from .windows import Axis, as_format, axes_of, blocks, channels_last, padded, trimmed, views

__all__ = ["BLOCK", "ROWS", "convolved", "depthwise", "groups_of"]

BLOCK = 1 << 20
"""Bytes of the matrix of what windows see, so that it stays in the cache of one processor ..."""

ROWS = 512
"""... but this many rows it has at the least: a product of fewer spends its time on rearranging the filter."""

_LOOP = 1000
"""Numbers that are enough for an inner loop: of fewer, starting it takes longer than the sum."""


# --- convolutions ----------------------------------------------------------------------------------------------------


@kernel("Conv2D", fresh=True)
def conv2d(
    x: Tensor,
    filter: Tensor,
    *,
    strides: list[int],
    padding: bytes,
    explicit_paddings: list[int],
    data_format: bytes,
    dilations: list[int],
) -> Tensor:
    """Convolve images with filters (height, width, in, out)."""
    images = channels_last(x, data_format, 4)
    _check_rank(filter, 4)
    axes = axes_of(
        images.shape[1:-1],
        filter.shape[:2],
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        explicit_paddings=explicit_paddings,
    )
    return as_format(convolved(images, filter, axes), data_format)


@kernel("Conv3D", fresh=True)
def conv3d(
    x: Tensor, filter: Tensor, *, strides: list[int], padding: bytes, data_format: bytes, dilations: list[int]
) -> Tensor:
    """Convolve volumes with filters (depth, height, width, in, out)."""
    images = channels_last(x, data_format, 5)
    _check_rank(filter, 5)
    axes = axes_of(
        images.shape[1:-1],
        filter.shape[:3],
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
    )
    return as_format(convolved(images, filter, axes), data_format)


def convolved(x: Tensor, filter: Tensor, axes: Sequence[Axis]) -> Tensor:
    """The convolution of (n, *space, c) with a filter of (*kernel, c / groups, out): a new array (n, *out, out)."""
    groups = groups_of(x.shape[-1], filter)
    depth, channels = filter.shape[-2:]
    x, filter = widen_halves(x), widen_halves(filter)
    axes, kept = trimmed(axes)
    filter = filter[kept]
    taps = prod(filter.shape[:-2])
    out = np.empty((x.shape[0], *(axis.out for axis in axes), channels), x.dtype)
    if not out.size or not taps:  # all that the windows see is padding
        out.fill(0)
        return out
    image = padded(x, axes)
    if taps == 1 and groups == 1:
        steps = (slice(None), *(slice(0, axis.reach, axis.stride) for axis in axes))
        np.matmul(image[steps].reshape(-1, depth), filter.reshape(depth, channels), out=out.reshape(-1, channels))
        return out
    matrices = filter.reshape(taps * depth, groups, channels // groups).swapaxes(0, 1)
    seen = views(np.ascontiguousarray(image), axes)
    seen = seen.reshape(*seen.shape[:-1], groups, depth) if groups > 1 else seen[..., None, :]
    seen = seen.transpose(seen.ndim - 2, *range(seen.ndim - 2), seen.ndim - 1)
    limit = max(ROWS, BLOCK // (taps * depth * groups * x.itemsize))
    buffer = np.empty(0, x.dtype)
    for block in blocks(out.shape[:-1], limit):
        part = seen[(slice(None), *block)]
        if buffer.size < part.size:
            claim(part.size * x.itemsize)
            buffer = np.empty(part.size, x.dtype)
        rows = buffer[: part.size].reshape(part.shape)
        rows[...] = part
        columns = out[block].reshape(-1, groups, channels // groups).swapaxes(0, 1)
        np.matmul(rows.reshape(groups, -1, taps * depth), matrices, out=columns)
    return out


def groups_of(channels: int, filter: Tensor) -> int:
    """Return the number of channel groups of a filter. Raises RunError if the channels are not divisible."""
    depth, out = filter.shape[-2:]
    if not depth or not channels or channels % depth:
        raise RunError(f"its filter {list(filter.shape)} takes {depth} channels, and the input has {channels}")
    groups: int = channels // depth
    if out % groups:
        raise RunError(f"its filter {list(filter.shape)} gives {out} channels, which {groups} groups cannot share")
    return groups


def _check_rank(filter: Tensor, rank: int) -> None:
    if filter.ndim != rank:
        raise RunError(f"its filter must be of rank {rank}, and is of shape {list(filter.shape)}")


# --- depthwise -------------------------------------------------------------------------------------------------------


@kernel("DepthwiseConv2dNative", fresh=True)
def depthwise_conv2d(
    x: Tensor,
    filter: Tensor,
    *,
    strides: list[int],
    padding: bytes,
    explicit_paddings: list[int],
    data_format: bytes,
    dilations: list[int],
) -> Tensor:
    """Filters are (height, width, in, multiplier); each channel gives as many as the multiplier says."""
    images = channels_last(x, data_format, 4)
    _check_rank(filter, 4)
    axes = axes_of(
        images.shape[1:-1],
        filter.shape[:2],
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        explicit_paddings=explicit_paddings,
    )
    return as_format(depthwise(images, filter, axes), data_format)


def depthwise(x: Tensor, filter: Tensor, axes: Sequence[Axis]) -> Tensor:
    """The convolution of (n, h, w, c) with a filter (kh, kw, c, m), channel by channel: a new (n, *out, c * m)."""
    channels, multiplier = filter.shape[-2:]
    if x.shape[-1] != channels:
        raise RunError(f"its filter {list(filter.shape)} takes {channels} channels, and the input has {x.shape[-1]}")
    if channels == 1:
        return convolved(x, filter, axes)
    x, filter = widen_halves(x), widen_halves(filter)
    axes, kept = trimmed(axes)
    image, filter = np.ascontiguousarray(padded(x, axes)), filter[kept]
    if not multiplier:
        return np.zeros((len(x), *(axis.out for axis in axes), 0), x.dtype)
    made = [_one_each(image, np.ascontiguousarray(filter[..., each]), axes) for each in range(multiplier)]
    return made[0] if multiplier == 1 else np.stack(made, -1).reshape(*made[0].shape[:-1], channels * multiplier)


def _one_each(image: Tensor, filter: Tensor, axes: Sequence[Axis]) -> Tensor:
    """One number per channel and window. Neighbouring windows of few channels are taken together, as one row."""
    batch, channels = len(image), image.shape[-1]
    height, width = axes[0].out, axes[1].out
    out = np.empty((batch, height, width, channels), image.dtype)
    if not out.size:
        return out
    enough = min(_LOOP, width * channels) if axes[1].stride == 1 else 1
    together = next(each for each in range(1, width + 1) if width % each == 0 and each * channels >= enough)
    shape = (batch, height, width // together)
    seen = views(image, axes)
    if together > 1:
        seen = seen.reshape(*shape, together, *filter.shape).transpose(0, 1, 2, 4, 5, 3, 6)
        seen = seen.reshape(*shape, *filter.shape[:2], together * channels)
        filter = np.tile(filter, together)
    np.einsum("nyxijr,ijr->nyxr", seen, filter, out=out.reshape(*shape, together * channels))
    return out
