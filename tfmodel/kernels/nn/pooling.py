"""Kernels of max and average pooling, their gradients, and Dilation2D.

A window is reduced first over its rows, then over its columns, each by shifted views of the whole image. Averages do
not count padding. The gradient of max pooling goes to the largest element of each window, that of average pooling to
all of its elements in equal parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import RunError
from ...messages import DataType
from ..runtime.argument_checks import widen_halves
from ..runtime.registry import Tensor, kernel
from .windows import Axis, axes_of, pad_image, read_spatial, tap_view, to_channels_last, to_format, trim_taps

_BFLOAT16_MIN = -(2.0**128 - 2.0**120)
"""The lowest finite bfloat16, a type that NumPy does not have."""


@kernel("Dilation2D")
def dilation2d(
    x: Tensor, filter: Tensor, *, T: DataType, strides: list[int], rates: list[int], padding: bytes
) -> Tensor:
    """Dilate by a filter of shape (height, width, channels). Padding and NaN are ignored.

    A window that covers only padding gives the lowest finite number.
    """
    if x.ndim != 4 or filter.ndim != 3 or x.shape[-1] != filter.shape[-1]:
        raise RunError(f"a filter {list(filter.shape)} does not fit an input {list(x.shape)}")
    if padding == b"EXPLICIT":
        raise RunError("its padding must be SAME or VALID")
    axes = axes_of(
        x.shape[1:3], filter.shape[:2], strides=strides, padding=padding, data_format=b"NHWC", dilations=rates
    )
    axes, remaining = trim_taps(axes)
    lowest_finite = _BFLOAT16_MIN if T == DataType.DT_BFLOAT16 else _min_finite(x.dtype)
    x, filter = widen_halves(x), widen_halves(filter)[remaining]
    result = np.full((len(x), axes[0].out, axes[1].out, x.shape[-1]), lowest_finite, x.dtype)
    for position in np.ndindex(*filter.shape[:2]):
        (rows, image_rows), (columns, image_columns) = (
            inner_slices(axis, i) for axis, i in zip(axes, position, strict=True)
        )
        part = result[:, rows, columns]
        np.fmax(part, x[:, image_rows, image_columns] + filter[position], out=part)
    return result


def _min_finite(dtype: np.dtype[Any]) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else np.finfo(dtype).min


def inner_slices(axis: Axis, tap: int) -> tuple[slice, slice]:
    """Return the windows for which a tap is inside the image, and the elements of the image there."""
    offset = tap * axis.dilation - axis.before
    first = max(0, -(offset // axis.stride))
    stop = max(first, min(axis.out, (axis.size - 1 - offset) // axis.stride + 1))
    start = first * axis.stride + offset
    return slice(first, stop), slice(start, start + (stop - first) * axis.stride, axis.stride)


@kernel("MaxPool")
def max_pool(
    x: Tensor,
    *,
    ksize: list[int],
    strides: list[int],
    padding: bytes,
    explicit_paddings: list[int],
    data_format: bytes,
) -> Tensor:
    images = to_channels_last(x, data_format, 4)
    if data_format == b"NHWC" and len(ksize) == 4 and ksize[3] != 1:
        return _max_pool_channels(images, ksize, strides)
    axes = pool_axes(images, ksize, strides, padding, data_format, explicit_paddings)
    return to_format(_max_pool(images, axes), data_format)


@kernel("MaxPoolV2")
def max_pool_v2(x: Tensor, ksize: Tensor, strides: Tensor, *, padding: bytes, data_format: bytes) -> Tensor:
    """Return max pooling; window sizes and strides are inputs."""
    sizes, steps = ksize.ravel().tolist(), strides.ravel().tolist()
    return max_pool(x, ksize=sizes, strides=steps, padding=padding, explicit_paddings=[], data_format=data_format)


@kernel("MaxPool3D")
def max_pool3d(x: Tensor, *, ksize: list[int], strides: list[int], padding: bytes, data_format: bytes) -> Tensor:
    images = to_channels_last(x, data_format, 5)
    return to_format(_max_pool(images, pool_axes(images, ksize, strides, padding, data_format)), data_format)


@kernel("AvgPool")
def avg_pool(x: Tensor, *, ksize: list[int], strides: list[int], padding: bytes, data_format: bytes) -> Tensor:
    images = to_channels_last(x, data_format, 4)
    return to_format(_average_pool(images, pool_axes(images, ksize, strides, padding, data_format)), data_format)


@kernel("AvgPool3D")
def avg_pool3d(x: Tensor, *, ksize: list[int], strides: list[int], padding: bytes, data_format: bytes) -> Tensor:
    images = to_channels_last(x, data_format, 5)
    return to_format(_average_pool(images, pool_axes(images, ksize, strides, padding, data_format)), data_format)


def pool_axes(
    images: Tensor,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: bytes,
    data_format: bytes,
    explicit_paddings: Sequence[int] = (),
) -> list[Axis]:
    """Return the axes of the windows of a pool over (n, *space, c)."""
    kernel = read_spatial(ksize, data_format, "ksize", images.ndim)
    axes = axes_of(
        images.shape[1:-1],
        kernel,
        strides=strides,
        padding=padding,
        data_format=data_format,
        explicit_paddings=explicit_paddings,
    )
    # The maximum of a window that covers only padding is undefined.
    paddings = list(explicit_paddings) or [0] * 2 * images.ndim
    first = 2 if data_format.endswith(b"C") else 4
    if any(axis.out and not axis.size for axis in axes):
        raise RunError(f"an image of shape {list(images.shape)} has no elements to pool")
    for axis_number, size in enumerate(kernel):
        if max(paddings[first + 2 * axis_number : first + 2 * axis_number + 2]) >= size:
            raise RunError(f"its explicit_paddings {paddings} must be smaller than its windows {kernel}")
    return axes


# --- reductions of windows -------------------------------------------------------------------------------------------


def _max_pool(images: Tensor, axes: Sequence[Axis]) -> Tensor:
    axes, _ = trim_taps(axes)
    return _reduce_windows(np.maximum, pad_image(images, axes, lowest(images.dtype)), axes)


def lowest(dtype: Any) -> Any:
    """Return the lowest value of a type."""
    return np.iinfo(dtype).min if np.dtype(dtype).kind in "iu" else -np.inf


def _average_pool(images: Tensor, axes: Sequence[Axis]) -> Tensor:
    total = window_sum(widen_halves(images), axes)
    sizes = count_elements(axes).astype(total.dtype)
    if np.may_share_memory(total, images):
        return np.asarray(total / sizes[..., None])
    total /= sizes[..., None]
    return total


def window_sum(images: Tensor, axes: Sequence[Axis]) -> Tensor:
    """Return the sums of the windows of (n, *space, c)."""
    axes, _ = trim_taps(axes)
    return _reduce_windows(np.add, pad_image(images, axes), axes)


def count_elements(axes: Sequence[Axis]) -> Tensor:
    """Return the number of elements of each window that are inside the image: an array of shape (*out,)."""
    products = np.ones((), np.int64)
    for axis in axes:
        first = np.arange(axis.out) * axis.stride - axis.before
        inside = np.minimum(first + axis.kernel, axis.size) - np.maximum(first, 0)
        products = products[..., None] * inside
    return products


def _reduce_windows(function: Callable[..., Any], image: Tensor, axes: Sequence[Axis]) -> Tensor:
    """Reduce each window of a padded image by a function. The result may be a view of the image."""
    for number, axis in enumerate(axes):
        leading = (slice(None),) * (number + 1)
        stop = (axis.out - 1) * axis.stride + 1 if axis.out else 0
        result = image[(*leading, slice(0, stop, axis.stride))]
        for i in range(1, axis.kernel):
            shifted = image[(*leading, slice(i, i + stop, axis.stride))]
            result = function(result, shifted, out=result if i > 1 else None)
        image = result
    return image


def _max_pool_channels(images: Tensor, ksize: list[int], strides: list[int]) -> Tensor:
    """Return the maximum over neighboring channels."""
    channels, window = images.shape[-1], ksize[3]
    if ksize[:3] != [1, 1, 1] or list(strides) != [1, 1, 1, window]:
        raise RunError(f"pooling across channels needs ksize and strides [1, 1, 1, n], not {ksize} and {list(strides)}")
    if window < 1 or channels % window:
        raise RunError(f"{channels} channels cannot be divided into windows of {window}")
    return np.asarray(images.reshape(*images.shape[:-1], channels // window, window).max(-1))


# --- positions of maxima, and gradients ------------------------------------------------------------------------------


@kernel("MaxPoolWithArgmax")
def max_pool_with_argmax(
    x: Tensor, *, ksize: list[int], strides: list[int], padding: bytes, include_batch_in_index: bool
) -> tuple[Tensor, Tensor]:
    """Return the maxima and their positions, (y * width + x) * channels + c: the first of equal maxima."""
    images = to_channels_last(x, b"NHWC", 4)
    axes = pool_axes(images, ksize, strides, padding, b"NHWC")
    best, positions = find_maxima(images, axes)
    if include_batch_in_index:
        positions = positions + np.arange(len(x)).reshape(-1, 1, 1, 1) * (x.size // max(1, len(x)))
    return best, positions


def find_maxima(images: Tensor, axes: Sequence[Axis]) -> tuple[Tensor, Tensor]:
    """Return the maximum of each window, and its position in its image."""
    axes, _ = trim_taps(axes)
    image = pad_image(images, axes, lowest(images.dtype))
    height, width = (np.arange(axis.out) * axis.stride - axis.before for axis in axes)
    channels = np.arange(images.shape[-1])
    shape = (len(images), axes[0].out, axes[1].out, images.shape[-1])
    best, positions = np.full(shape, lowest(images.dtype), images.dtype), np.full(shape, -1)
    for tap_position in np.ndindex(axes[0].kernel, axes[1].kernel):
        elements = tap_view(image, axes, tap_position)
        position = ((height + tap_position[0])[:, None] * images.shape[2] + width + tap_position[1])[
            ..., None
        ] * images.shape[3] + channels
        inside = _is_inside(axes[0], tap_position[0])[:, None] & _is_inside(axes[1], tap_position[1])
        better = (elements > best) | ((positions < 0) & inside[..., None])
        np.copyto(best, elements, where=better)
        np.copyto(positions, position, where=better)
    return best, positions


def _is_inside(axis: Axis, tap_number: int) -> Tensor:
    """Return the windows for which a tap is inside the image."""
    positions = np.arange(axis.out) * axis.stride - axis.before + tap_number
    return (positions >= 0) & (positions < axis.size)


@kernel("MaxPoolGrad")
def max_pool_grad(
    orig_input: Tensor,
    orig_output: Tensor,
    grad: Tensor,
    *,
    ksize: list[int],
    strides: list[int],
    padding: bytes,
    explicit_paddings: list[int],
    data_format: bytes,
) -> Tensor:
    """Return the gradient; the first of equal maxima gets all of it."""
    images, gradient = to_channels_last(orig_input, data_format, 4), to_channels_last(grad, data_format, 4)
    axes = pool_axes(images, ksize, strides, padding, data_format, explicit_paddings)
    best, positions = find_maxima(images, axes)
    if gradient.shape != best.shape or orig_output.shape != grad.shape:
        raise RunError(f"its gradient must be of the shape {list(best.shape)}, and is {list(gradient.shape)}")
    result = np.zeros((len(images), images[:1].size), widen_halves(gradient).dtype)
    for row, row_positions, parts in zip(result, positions, gradient, strict=True):
        np.add.at(row, row_positions.ravel(), parts.ravel())
    return to_format(result.reshape(images.shape), data_format)


@kernel("MaxPoolGradV2")
def max_pool_grad_v2(
    orig_input: Tensor,
    orig_output: Tensor,
    grad: Tensor,
    ksize: Tensor,
    strides: Tensor,
    *,
    padding: bytes,
    data_format: bytes,
) -> Tensor:
    """Return the gradient of MaxPoolV2, whose window sizes and strides are inputs."""
    return max_pool_grad(
        orig_input,
        orig_output,
        grad,
        ksize=ksize.ravel().tolist(),
        strides=strides.ravel().tolist(),
        padding=padding,
        explicit_paddings=[],
        data_format=data_format,
    )


@kernel("AvgPoolGrad")
def avg_pool_grad(
    orig_input_shape: Tensor,
    grad: Tensor,
    *,
    ksize: list[int],
    strides: list[int],
    padding: bytes,
    data_format: bytes,
) -> Tensor:
    sizes = orig_input_shape.ravel().tolist()
    if len(sizes) != 4 or min(sizes) < 0:
        raise RunError(f"its orig_input_shape must be 4 numbers that are not negative, and is {sizes}")
    result = np.zeros(sizes, widen_halves(grad).dtype)
    image, gradient = to_channels_last(result, data_format, 4), to_channels_last(widen_halves(grad), data_format, 4)
    axes = pool_axes(image, ksize, strides, padding, data_format)
    expected = (len(image), *(axis.out for axis in axes), image.shape[-1])
    if gradient.shape != expected:
        raise RunError(f"its gradient must be of the shape {list(expected)}, and is {list(gradient.shape)}")
    parts = gradient / count_elements(axes).astype(gradient.dtype)[..., None]
    axes, _ = trim_taps(axes)
    for position in np.ndindex(axes[0].kernel, axes[1].kernel):
        (rows, image_rows), (columns, image_columns) = (
            inner_slices(axis, i) for axis, i in zip(axes, position, strict=True)
        )
        target = image[:, image_rows, image_columns]
        target += parts[:, rows, columns]
    return result
