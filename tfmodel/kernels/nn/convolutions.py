"""Kernels of 2-D, 3-D and depthwise convolutions, and of their gradients.

For windows at p, taps t, stride s and dilation d:

    Conv2D                  y[p, o] = sum over t, c of image[p * s + t * d, c] * filter[t, c, o]
    ...BackpropInput        image[p * s + t * d, c] = sum over all such p, t of y[p, o] * filter[t, c, o]
    ...BackpropFilter       filter[t, c, o] = sum over p of image[p * s + t * d, c] * y[p, o]

The contents of windows are copied into a matrix, block by block, so that the matrix stays in the cache; each block is
one matrix product. Windows of one element need no copy. A filter with fewer channels than the image works on groups of
channels. Depthwise convolutions are sums of products over views.

The gradient for the input, which is a transposed convolution, is computed tap by tap: the product of one tap with all
windows is added to a strided view of the image.

Integers wrap around. float16 is computed in single precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...errors import RunError
from ..runtime.argument_checks import widen_halves
from ..runtime.memory_limit import claim, claim_array
from ..runtime.registry import Tensor, kernel
from .windows import Axis, axes_of, blocks, pad_image, tap_view, to_channels_last, to_format, trim_taps, window_views

BLOCK_BYTES = 1 << 20
"""The size of the matrix of window contents, so that it stays in the cache of one processor."""

MIN_ROWS = 512
"""The minimum number of rows of this matrix: with fewer, rearranging the filter takes most of the time."""

_MIN_LOOP = 1000
"""The minimum number of elements of an inner loop: with fewer, starting the loop takes longer than the sum."""


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
    images = to_channels_last(x, data_format, 4)
    _check_filter_rank(filter, 4)
    axes = axes_of(
        images.shape[1:-1],
        filter.shape[:2],
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        explicit_paddings=explicit_paddings,
    )
    return to_format(convolve(images, filter, axes), data_format)


@kernel("Conv3D", fresh=True)
def conv3d(
    x: Tensor, filter: Tensor, *, strides: list[int], padding: bytes, data_format: bytes, dilations: list[int]
) -> Tensor:
    """Convolve volumes with filters (depth, height, width, in, out)."""
    images = to_channels_last(x, data_format, 5)
    _check_filter_rank(filter, 5)
    axes = axes_of(
        images.shape[1:-1],
        filter.shape[:3],
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
    )
    return to_format(convolve(images, filter, axes), data_format)


def convolve(x: Tensor, filter: Tensor, axes: Sequence[Axis]) -> Tensor:
    """Return the convolution of (n, *space, c) with a filter (*kernel, c / groups, out): a new (n, *out, out)."""
    groups = count_groups(x.shape[-1], filter)
    depth, channels = filter.shape[-2:]
    x, filter = widen_halves(x), widen_halves(filter)
    axes, remaining = trim_taps(axes)
    filter = filter[remaining]
    taps = prod(filter.shape[:-2])
    out = np.empty((x.shape[0], *(axis.out for axis in axes), channels), x.dtype)
    if not out.size or not taps:  # the windows cover only padding
        out.fill(0)
        return out
    image = pad_image(x, axes)
    if taps == 1 and groups == 1:
        steps = (slice(None), *(slice(0, axis.reach, axis.stride) for axis in axes))
        np.matmul(image[steps].reshape(-1, depth), filter.reshape(depth, channels), out=out.reshape(-1, channels))
        return out
    matrices = filter.reshape(taps * depth, groups, channels // groups).swapaxes(0, 1)
    window_contents = window_views(np.ascontiguousarray(image), axes)
    window_contents = (
        window_contents.reshape(*window_contents.shape[:-1], groups, depth)
        if groups > 1
        else window_contents[..., None, :]
    )
    window_contents = window_contents.transpose(
        window_contents.ndim - 2, *range(window_contents.ndim - 2), window_contents.ndim - 1
    )
    limit = max(MIN_ROWS, BLOCK_BYTES // (taps * depth * groups * x.itemsize))
    buffer = np.empty(0, x.dtype)
    for block in blocks(out.shape[:-1], limit):
        part = window_contents[(slice(None), *block)]
        if buffer.size < part.size:
            claim(part.size * x.itemsize)
            buffer = np.empty(part.size, x.dtype)
        rows = buffer[: part.size].reshape(part.shape)
        rows[...] = part
        columns = out[block].reshape(-1, groups, channels // groups).swapaxes(0, 1)
        np.matmul(rows.reshape(groups, -1, taps * depth), matrices, out=columns)
    return out


def count_groups(channels: int, filter: Tensor) -> int:
    """Return the number of channel groups of a filter. Raises RunError if the channels are not divisible."""
    depth, out = filter.shape[-2:]
    if not depth or not channels or channels % depth:
        raise RunError(f"its filter {list(filter.shape)} takes {depth} channels, and the input has {channels}")
    groups: int = channels // depth
    if out % groups:
        raise RunError(
            f"its filter {list(filter.shape)} has {out} output channels, which {groups} groups do not divide"
        )
    return groups


def _check_filter_rank(filter: Tensor, rank: int) -> None:
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
    """Convolve each channel with filters (height, width, in, multiplier): `multiplier` outputs per channel."""
    images = to_channels_last(x, data_format, 4)
    _check_filter_rank(filter, 4)
    axes = axes_of(
        images.shape[1:-1],
        filter.shape[:2],
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        explicit_paddings=explicit_paddings,
    )
    return to_format(convolve_depthwise(images, filter, axes), data_format)


def convolve_depthwise(x: Tensor, filter: Tensor, axes: Sequence[Axis]) -> Tensor:
    """Convolve (n, h, w, c) with a filter (kh, kw, c, m), channel by channel: a new (n, *out, c * m)."""
    channels, multiplier = filter.shape[-2:]
    if x.shape[-1] != channels:
        raise RunError(f"its filter {list(filter.shape)} takes {channels} channels, and the input has {x.shape[-1]}")
    if channels == 1:
        return convolve(x, filter, axes)
    x, filter = widen_halves(x), widen_halves(filter)
    axes, remaining = trim_taps(axes)
    image, filter = np.ascontiguousarray(pad_image(x, axes)), filter[remaining]
    if not multiplier:
        return np.zeros((len(x), *(axis.out for axis in axes), 0), x.dtype)
    parts = [_convolve_channels(image, np.ascontiguousarray(filter[..., number]), axes) for number in range(multiplier)]
    return parts[0] if multiplier == 1 else np.stack(parts, -1).reshape(*parts[0].shape[:-1], channels * multiplier)


def _convolve_channels(image: Tensor, filter: Tensor, axes: Sequence[Axis]) -> Tensor:
    """Return one element per channel and window. Adjacent windows of few channels are processed as one row."""
    batch, channels = len(image), image.shape[-1]
    height, width = axes[0].out, axes[1].out
    out = np.empty((batch, height, width, channels), image.dtype)
    if not out.size:
        return out
    min_elements = min(_MIN_LOOP, width * channels) if axes[1].stride == 1 else 1
    row_windows = next(
        count for count in range(1, width + 1) if width % count == 0 and count * channels >= min_elements
    )
    shape = (batch, height, width // row_windows)
    window_contents = window_views(image, axes)
    if row_windows > 1:
        window_contents = window_contents.reshape(*shape, row_windows, *filter.shape).transpose(0, 1, 2, 4, 5, 3, 6)
        window_contents = window_contents.reshape(*shape, *filter.shape[:2], row_windows * channels)
        filter = np.tile(filter, row_windows)
    np.einsum("nyxijr,ijr->nyxr", window_contents, filter, out=out.reshape(*shape, row_windows * channels))
    return out


# --- gradients for the input -----------------------------------------------------------------------------------------


@kernel("Conv2DBackpropInput")
def conv2d_backprop_input(
    input_sizes: Tensor,
    filter: Tensor,
    out_backprop: Tensor,
    *,
    strides: list[int],
    padding: bytes,
    explicit_paddings: list[int],
    data_format: bytes,
    dilations: list[int],
) -> Tensor:
    """Return the gradient for the image. `input_sizes` is its shape, or only its height and width."""
    gradient = to_channels_last(out_backprop, data_format, 4)
    sizes = input_sizes.ravel().tolist()
    if len(sizes) == 2:
        sizes = [len(gradient), *sizes, filter.shape[2]]
    else:
        sizes = _channels_last_sizes(sizes, data_format, 4)
    axes = _gradient_axes(sizes, filter, gradient, 2, strides, padding, data_format, dilations, explicit_paddings)
    return to_format(convolve_transposed(gradient, filter, axes, sizes), data_format)


@kernel("Conv3DBackpropInputV2")
def conv3d_backprop_input(
    input_sizes: Tensor,
    filter: Tensor,
    out_backprop: Tensor,
    *,
    strides: list[int],
    padding: bytes,
    data_format: bytes,
    dilations: list[int],
) -> Tensor:
    gradient = to_channels_last(out_backprop, data_format, 5)
    sizes = _channels_last_sizes(input_sizes.ravel().tolist(), data_format, 5)
    axes = _gradient_axes(sizes, filter, gradient, 3, strides, padding, data_format, dilations)
    return to_format(convolve_transposed(gradient, filter, axes, sizes), data_format)


@kernel("Conv3DBackpropInput")
def conv3d_backprop_input_v1(
    input: Tensor, filter: Tensor, out_backprop: Tensor, *, strides: list[int], padding: bytes, dilations: list[int]
) -> Tensor:
    """Take the sizes from a tensor of the shape of the result; its values do not count."""
    sizes = np.array(input.shape, np.int32)
    options: dict[str, Any] = {"strides": strides, "padding": padding, "data_format": b"NDHWC", "dilations": dilations}
    return conv3d_backprop_input(sizes, filter, out_backprop, **options)


@kernel("DepthwiseConv2dNativeBackpropInput")
def depthwise_backprop_input(
    input_sizes: Tensor,
    filter: Tensor,
    out_backprop: Tensor,
    *,
    strides: list[int],
    padding: bytes,
    explicit_paddings: list[int],
    data_format: bytes,
    dilations: list[int],
) -> Tensor:
    """Return the gradient for the image, with `dilations`, which TensorFlow ignores by mistake."""
    gradient = to_channels_last(out_backprop, data_format, 4)
    sizes = _channels_last_sizes(input_sizes.ravel().tolist(), data_format, 4)
    axes = _gradient_axes(sizes, filter, gradient, 2, strides, padding, data_format, dilations, explicit_paddings)
    channels, multiplier = filter.shape[-2:]
    if gradient.shape[-1] != channels * multiplier or sizes[-1] != channels:
        raise RunError(f"its filter {list(filter.shape)} does not fit {sizes[-1]} and {gradient.shape[-1]} channels")
    parts = widen_halves(gradient).reshape(*gradient.shape[:-1], channels, multiplier)
    filter = widen_halves(filter)
    canvas = _make_canvas(sizes, axes, parts)
    for position in np.ndindex(*filter.shape[:2]):
        tap_view(canvas, axes, position)[...] += np.einsum("nyxcm,cm->nyxc", parts, filter[position])
    return to_format(_crop(canvas, sizes, axes), data_format)


def convolve_transposed(y: Tensor, filter: Tensor, axes: Sequence[Axis], sizes: Sequence[int]) -> Tensor:
    """Return the transposed convolution of (n, *out, out) with a filter (*kernel, c / groups, out): a new array.

    `sizes` is its shape, (n, *space, c).
    """
    groups = count_groups(sizes[-1], filter)
    depth, channels = filter.shape[-2:]
    if y.shape[-1] != channels:
        raise RunError(f"its filter {list(filter.shape)} gives {channels} channels, and the gradient has {y.shape[-1]}")
    y, filter = widen_halves(y), widen_halves(filter)
    axes, remaining = trim_taps(axes)
    filter = filter[remaining]
    kernels = filter.shape[:-2]
    canvas = _make_canvas(sizes, axes, y)
    parts = np.ascontiguousarray(np.moveaxis(y.reshape(*y.shape[:-1], groups, channels // groups), -2, 0))
    matrices = np.moveaxis(filter.reshape(-1, depth, groups, channels // groups), 2, 0).swapaxes(2, 3)
    views_of_taps = [tap_view(canvas, axes, position) for position in np.ndindex(*kernels)]
    limit = max(MIN_ROWS, BLOCK_BYTES // max(1, prod(kernels) * sizes[-1] * y.itemsize))
    for block in blocks(y.shape[:-1], limit):
        rows = parts[(slice(None), *block)]
        inner = rows.shape[1:-1]
        claim(prod(inner) * prod(kernels) * sizes[-1] * y.itemsize)
        products = np.matmul(
            rows.reshape(groups, 1, -1, channels // groups), matrices
        )  # (groups, taps, windows, depth)
        for number, view in enumerate(views_of_taps):
            target = view[block]
            target += np.moveaxis(products[:, number], 0, 1).reshape(*inner, sizes[-1])
    return _crop(canvas, sizes, axes)


def _make_canvas(sizes: Sequence[int], axes: Sequence[Axis], like: Tensor) -> Tensor:
    """Return zeros of the size of the image, with padding as far as the windows reach."""
    space = [max(axis.reach, axis.before + axis.size) for axis in axes]
    shape = (sizes[0], *space, sizes[-1])
    claim_array(shape, like.dtype)
    return np.zeros(shape, like.dtype)


def _crop(canvas: Tensor, sizes: Sequence[int], axes: Sequence[Axis]) -> Tensor:
    """Return the image without its padding. Elements that no window reaches are zero."""
    if all(axis.before >= 0 for axis in axes):
        return canvas[(slice(None), *(slice(axis.before, axis.before + axis.size) for axis in axes))]
    claim_array(sizes, canvas.dtype)
    image = np.zeros(tuple(sizes), canvas.dtype)
    source, target = [slice(None)], [slice(None)]
    for axis in axes:
        source.append(slice(max(0, axis.before), axis.before + axis.size))
        target.append(slice(max(0, -axis.before), axis.size))
    image[tuple(target)] = canvas[tuple(source)]
    return image


def _channels_last_sizes(sizes: list[int], data_format: bytes, rank: int) -> list[int]:
    if len(sizes) != rank or min(sizes) < 0:
        raise RunError(f"its sizes must be {rank} numbers that are not negative, and are {sizes}")
    return sizes if data_format.endswith(b"C") else [sizes[0], *sizes[2:], sizes[1]]


def _gradient_axes(
    sizes: Sequence[int],
    filter: Tensor,
    y: Tensor,
    space: int,
    strides: list[int],
    padding: bytes,
    data_format: bytes,
    dilations: list[int],
    explicit_paddings: Sequence[int] = (),
) -> list[Axis]:
    """Return the axes of the convolution of this gradient. Raises RunError if its output does not have y's shape."""
    if filter.ndim != space + 2:
        raise RunError(f"its filter must be of rank {space + 2}, and is of shape {list(filter.shape)}")
    axes = axes_of(
        sizes[1:-1],
        filter.shape[:space],
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        explicit_paddings=explicit_paddings,
    )
    expected = (sizes[0], *(axis.out for axis in axes))
    if y.shape[:-1] != expected:
        raise RunError(f"for an image {list(sizes)} its gradient must be {list(expected)}, and is {list(y.shape[:-1])}")
    return axes


# --- gradients for the filter ----------------------------------------------------------------------------------------


@kernel("Conv2DBackpropFilter")
def conv2d_backprop_filter(
    x: Tensor,
    filter_sizes: Tensor,
    out_backprop: Tensor,
    *,
    strides: list[int],
    padding: bytes,
    explicit_paddings: list[int],
    data_format: bytes,
    dilations: list[int],
) -> Tensor:
    image, y = to_channels_last(x, data_format, 4), to_channels_last(out_backprop, data_format, 4)
    filter = _filter_of_sizes(filter_sizes, x)
    axes = _gradient_axes(image.shape, filter, y, 2, strides, padding, data_format, dilations, explicit_paddings)
    groups = count_groups(image.shape[-1], filter)
    depth, channels = filter.shape[-2:]
    if y.shape[-1] != channels:
        raise RunError(f"its filter {list(filter.shape)} gives {channels} channels, and the gradient has {y.shape[-1]}")
    gradient = np.zeros((groups, prod(filter.shape[:2]) * depth, channels // groups), widen_halves(x).dtype)
    window_contents = window_views(pad_image(widen_halves(image), axes), axes)
    window_contents = np.moveaxis(
        window_contents.reshape(*window_contents.shape[:-1], groups, depth)
        if groups > 1
        else window_contents[..., None, :],
        -2,
        0,
    )
    parts = np.moveaxis(widen_halves(y).reshape(*y.shape[:-1], groups, channels // groups), -2, 0)
    for block in blocks(
        y.shape[:-1], max(MIN_ROWS, BLOCK_BYTES // max(1, gradient.shape[1] * groups * gradient.itemsize))
    ):
        position = (slice(None), *block)
        claim(window_contents[position].size * gradient.itemsize)
        columns = window_contents[position].reshape(groups, -1, gradient.shape[1]).swapaxes(1, 2)
        gradient += np.matmul(columns, parts[position].reshape(groups, -1, channels // groups))
    return (
        gradient.reshape(groups, *filter.shape[:-1], channels // groups).transpose(1, 2, 3, 0, 4).reshape(filter.shape)
    )


@kernel("DepthwiseConv2dNativeBackpropFilter")
def depthwise_backprop_filter(
    x: Tensor,
    filter_sizes: Tensor,
    out_backprop: Tensor,
    *,
    strides: list[int],
    padding: bytes,
    explicit_paddings: list[int],
    data_format: bytes,
    dilations: list[int],
) -> Tensor:
    image, y = to_channels_last(x, data_format, 4), to_channels_last(out_backprop, data_format, 4)
    filter = _filter_of_sizes(filter_sizes, x)
    axes = _gradient_axes(image.shape, filter, y, 2, strides, padding, data_format, dilations, explicit_paddings)
    if image.shape[-1] != filter.shape[-2] or y.shape[-1] != filter.shape[-2] * filter.shape[-1]:
        raise RunError(f"its filter {list(filter.shape)} does not fit {image.shape[-1]} and {y.shape[-1]} channels")
    parts = widen_halves(y).reshape(*y.shape[:-1], *filter.shape[-2:])
    image = pad_image(widen_halves(image), axes)
    gradient = np.zeros(filter.shape, parts.dtype)
    for position in np.ndindex(*filter.shape[:2]):
        np.einsum("nyxc,nyxcm->cm", tap_view(image, axes, position), parts, out=gradient[position])
    return gradient


def _filter_of_sizes(sizes: Tensor, x: Tensor) -> Tensor:
    """Return zeros of these sizes, a view of a single element."""
    shape = sizes.ravel().tolist()
    if len(shape) != 4 or min(shape) < 0:
        raise RunError(f"its filter_sizes must be 4 numbers that are not negative, and are {shape}")
    return np.broadcast_to(np.zeros((), x.dtype), shape)
