"""Max and average pooling, their gradients, and grayscale dilation by a filter.

A window is reduced first over its rows, then over its columns, each by shifted views of the whole image. Padding does
not count: means are of the numbers inside the image. The gradient of max pooling goes to the largest number of each
window, that of average pooling to all of its numbers in equal parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import RunError
from ...messages import DataType
from ..runtime.argument_checks import widen_halves
from ..runtime.registry import Tensor, kernel
from .windows import Axis, as_format, axes_of, channels_last, padded, spatial, tap, trimmed

__all__ = ["counts", "lowest", "pool_axes", "seeing", "window_sum"]


_BFLOAT16 = -(2.0**128 - 2.0**120)
"""The lowest number of its kind, which NumPy does not have."""


@kernel("Dilation2D")
def dilation2d(
    x: Tensor, filter: Tensor, *, T: DataType, strides: list[int], rates: list[int], padding: bytes
) -> Tensor:
    """Dilate by a filter of shape (height, width, channels). Padding and NaN are ignored.

    A window of padding alone gives the lowest finite number.
    """
    if x.ndim != 4 or filter.ndim != 3 or x.shape[-1] != filter.shape[-1]:
        raise RunError(f"a filter {list(filter.shape)} is not for an input {list(x.shape)}")
    if padding == b"EXPLICIT":
        raise RunError("its padding must be SAME or VALID")
    axes = axes_of(
        x.shape[1:3], filter.shape[:2], strides=strides, padding=padding, data_format=b"NHWC", dilations=rates
    )
    axes, kept = trimmed(axes)
    least = _BFLOAT16 if T == DataType.DT_BFLOAT16 else _least(x.dtype)
    x, filter = widen_halves(x), widen_halves(filter)[kept]
    made = np.full((len(x), axes[0].out, axes[1].out, x.shape[-1]), least, x.dtype)
    for at in np.ndindex(*filter.shape[:2]):
        (rows, seen_rows), (columns, seen_columns) = (seeing(axis, i) for axis, i in zip(axes, at, strict=True))
        part = made[:, rows, columns]
        np.fmax(part, x[:, seen_rows, seen_columns] + filter[at], out=part)
    return made


def _least(dtype: np.dtype[Any]) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else np.finfo(dtype).min


def seeing(axis: Axis, tap: int) -> tuple[slice, slice]:
    """Return the windows for which a tap is inside the image, and the numbers there."""
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
    images = channels_last(x, data_format, 4)
    if data_format == b"NHWC" and len(ksize) == 4 and ksize[3] != 1:
        return _across_channels(images, ksize, strides)
    axes = pool_axes(images, ksize, strides, padding, data_format, explicit_paddings)
    return as_format(_largest(images, axes), data_format)


@kernel("MaxPoolV2")
def max_pool_v2(x: Tensor, ksize: Tensor, strides: Tensor, *, padding: bytes, data_format: bytes) -> Tensor:
    """The sizes of windows and steps are inputs."""
    sizes, steps = ksize.ravel().tolist(), strides.ravel().tolist()
    return max_pool(x, ksize=sizes, strides=steps, padding=padding, explicit_paddings=[], data_format=data_format)


@kernel("MaxPool3D")
def max_pool3d(x: Tensor, *, ksize: list[int], strides: list[int], padding: bytes, data_format: bytes) -> Tensor:
    images = channels_last(x, data_format, 5)
    return as_format(_largest(images, pool_axes(images, ksize, strides, padding, data_format)), data_format)


@kernel("AvgPool")
def avg_pool(x: Tensor, *, ksize: list[int], strides: list[int], padding: bytes, data_format: bytes) -> Tensor:
    images = channels_last(x, data_format, 4)
    return as_format(_mean(images, pool_axes(images, ksize, strides, padding, data_format)), data_format)


@kernel("AvgPool3D")
def avg_pool3d(x: Tensor, *, ksize: list[int], strides: list[int], padding: bytes, data_format: bytes) -> Tensor:
    images = channels_last(x, data_format, 5)
    return as_format(_mean(images, pool_axes(images, ksize, strides, padding, data_format)), data_format)


def pool_axes(
    images: Tensor,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: bytes,
    data_format: bytes,
    explicit_paddings: Sequence[int] = (),
) -> list[Axis]:
    """Return the axes of the windows of a pool over (n, *space, c)."""
    kernel = spatial(ksize, data_format, "ksize", images.ndim)
    axes = axes_of(
        images.shape[1:-1],
        kernel,
        strides=strides,
        padding=padding,
        data_format=data_format,
        explicit_paddings=explicit_paddings,
    )
    # A window that sees nothing but padding has no largest number.
    around = list(explicit_paddings) or [0] * 2 * images.ndim
    first = 2 if data_format.endswith(b"C") else 4
    if any(axis.out and not axis.size for axis in axes):
        raise RunError(f"there is nothing to pool in an image of shape {list(images.shape)}")
    for at, size in enumerate(kernel):
        if max(around[first + 2 * at : first + 2 * at + 2]) >= size:
            raise RunError(f"its explicit_paddings {around} must be smaller than its windows {kernel}")
    return axes


# --- taking windows apart --------------------------------------------------------------------------------------------


def _largest(images: Tensor, axes: Sequence[Axis]) -> Tensor:
    axes, _ = trimmed(axes)
    return _reduced(np.maximum, padded(images, axes, lowest(images.dtype)), axes)


def lowest(dtype: Any) -> Any:
    """Return the lowest value of a type."""
    return np.iinfo(dtype).min if np.dtype(dtype).kind in "iu" else -np.inf


def _mean(images: Tensor, axes: Sequence[Axis]) -> Tensor:
    total = window_sum(widen_halves(images), axes)
    inside = counts(axes).astype(total.dtype)
    if np.may_share_memory(total, images):
        return np.asarray(total / inside[..., None])
    total /= inside[..., None]
    return total


def window_sum(images: Tensor, axes: Sequence[Axis]) -> Tensor:
    """Return the sums of the windows of (n, *space, c)."""
    axes, _ = trimmed(axes)
    return _reduced(np.add, padded(images, axes), axes)


def counts(axes: Sequence[Axis]) -> Tensor:
    """Return how many numbers of each window are inside the image: an array of shape (*out,)."""
    made = np.ones((), np.int64)
    for axis in axes:
        first = np.arange(axis.out) * axis.stride - axis.before
        inside = np.minimum(first + axis.kernel, axis.size) - np.maximum(first, 0)
        made = made[..., None] * inside
    return made


def _reduced(function: Callable[..., Any], image: Tensor, axes: Sequence[Axis]) -> Tensor:
    """Reduce each window of a padded image by a function. The result may be a view of the image."""
    for at, axis in enumerate(axes):
        before = (slice(None),) * (at + 1)
        stop = (axis.out - 1) * axis.stride + 1 if axis.out else 0
        made = image[(*before, slice(0, stop, axis.stride))]
        for i in range(1, axis.kernel):
            shifted = image[(*before, slice(i, i + stop, axis.stride))]
            made = function(made, shifted, out=made if i > 1 else None)
        image = made
    return image


def _across_channels(images: Tensor, ksize: list[int], strides: list[int]) -> Tensor:
    """Return the maximum over neighboring channels."""
    channels, window = images.shape[-1], ksize[3]
    if ksize[:3] != [1, 1, 1] or list(strides) != [1, 1, 1, window]:
        raise RunError(f"windows across channels can be nothing else: ksize {ksize}, strides {list(strides)}")
    if window < 1 or channels % window:
        raise RunError(f"{channels} channels cannot be cut into windows of {window}")
    return np.asarray(images.reshape(*images.shape[:-1], channels // window, window).max(-1))


# --- where the largest is --------------------------------------------------------------------------------------------


@kernel("MaxPoolWithArgmax")
def max_pool_with_argmax(
    x: Tensor, *, ksize: list[int], strides: list[int], padding: bytes, include_batch_in_index: bool
) -> tuple[Tensor, Tensor]:
    """Return the maxima and their positions, (y * width + x) * channels + c; the first of several."""
    images = channels_last(x, b"NHWC", 4)
    axes = pool_axes(images, ksize, strides, padding, b"NHWC")
    best, where = largest_of(images, axes)
    if include_batch_in_index:
        where = where + np.arange(len(x)).reshape(-1, 1, 1, 1) * (x.size // max(1, len(x)))
    return best, where


def largest_of(images: Tensor, axes: Sequence[Axis]) -> tuple[Tensor, Tensor]:
    """Return the maximum of each window, and its position in its image."""
    axes, _ = trimmed(axes)
    image = padded(images, axes, lowest(images.dtype))
    height, width = (np.arange(axis.out) * axis.stride - axis.before for axis in axes)
    channels = np.arange(images.shape[-1])
    shape = (len(images), axes[0].out, axes[1].out, images.shape[-1])
    best, where = np.full(shape, lowest(images.dtype), images.dtype), np.full(shape, -1)
    for at in np.ndindex(axes[0].kernel, axes[1].kernel):
        seen = tap(image, axes, at)
        place = ((height + at[0])[:, None] * images.shape[2] + width + at[1])[..., None] * images.shape[3] + channels
        inside = _inside(axes[0], at[0])[:, None] & _inside(axes[1], at[1])
        better = (seen > best) | ((where < 0) & inside[..., None])
        np.copyto(best, seen, where=better)
        np.copyto(where, place, where=better)
    return best, where


def _inside(axis: Axis, at: int) -> Tensor:
    """Return the windows for which a tap is inside the image."""
    places = np.arange(axis.out) * axis.stride - axis.before + at
    return (places >= 0) & (places < axis.size)


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
    """Return the gradient; the first of several maxima gets all of it."""
    images, given = channels_last(orig_input, data_format, 4), channels_last(grad, data_format, 4)
    axes = pool_axes(images, ksize, strides, padding, data_format, explicit_paddings)
    best, where = largest_of(images, axes)
    if given.shape != best.shape or orig_output.shape != grad.shape:
        raise RunError(f"its gradient must be of the shape {list(best.shape)}, and is {list(given.shape)}")
    made = np.zeros((len(images), images[:1].size), widen_halves(given).dtype)
    for row, places, parts in zip(made, where, given, strict=True):
        np.add.at(row, places.ravel(), parts.ravel())
    return as_format(made.reshape(images.shape), data_format)


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
    """The sizes of windows and steps are inputs."""
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
    made = np.zeros(sizes, widen_halves(grad).dtype)
    image, given = channels_last(made, data_format, 4), channels_last(widen_halves(grad), data_format, 4)
    axes = pool_axes(image, ksize, strides, padding, data_format)
    wanted = (len(image), *(axis.out for axis in axes), image.shape[-1])
    if given.shape != wanted:
        raise RunError(f"its gradient must be of the shape {list(wanted)}, and is {list(given.shape)}")
    parts = given / counts(axes).astype(given.dtype)[..., None]
    axes, _ = trimmed(axes)
    for at in np.ndindex(axes[0].kernel, axes[1].kernel):
        (rows, seen_rows), (columns, seen_columns) = (seeing(axis, i) for axis, i in zip(axes, at, strict=True))
        target = image[:, seen_rows, seen_columns]
        target += parts[:, rows, columns]
    return made
