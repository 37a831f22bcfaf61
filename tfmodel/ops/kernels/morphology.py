"""Dilation of images by a filter: the largest sum of a number that the window sees and the filter's number there."""

from __future__ import annotations

import numpy as np

from ...errors import RunError
from .convolutions import wide
from .pooling import lowest
from .registry import Tensor, kernel
from .windows import Axis, axes_of, trimmed

__all__ = ["seeing"]


@kernel("Dilation2D")
def dilation2d(x: Tensor, filter: Tensor, *, strides: list[int], rates: list[int], padding: bytes) -> Tensor:
    """Filters are (height, width, channels). What lies outside of the image is left out."""
    if x.ndim != 4 or filter.ndim != 3 or x.shape[-1] != filter.shape[-1]:
        raise RunError(f"a filter {list(filter.shape)} is not for an input {list(x.shape)}")
    if padding == b"EXPLICIT":
        raise RunError("its padding must be SAME or VALID")
    axes = axes_of(
        x.shape[1:3], filter.shape[:2], strides=strides, padding=padding, data_format=b"NHWC", dilations=rates
    )
    axes, kept = trimmed(axes)
    x, filter = wide(x), wide(filter)[kept]
    made = np.full((len(x), axes[0].out, axes[1].out, x.shape[-1]), lowest(x.dtype), x.dtype)
    for at in np.ndindex(*filter.shape[:2]):
        (rows, seen_rows), (columns, seen_columns) = (seeing(axis, i) for axis, i in zip(axes, at, strict=True))
        part = made[:, rows, columns]
        np.maximum(part, x[:, seen_rows, seen_columns] + filter[at], out=part)
    return made


def seeing(axis: Axis, tap: int) -> tuple[slice, slice]:
    """The windows for which a tap is inside of the image, and the numbers that it sees of it."""
    offset = tap * axis.dilation - axis.before
    first = max(0, -(offset // axis.stride))
    stop = max(first, min(axis.out, (axis.size - 1 - offset) // axis.stride + 1))
    start = first * axis.stride + offset
    return slice(first, stop), slice(start, start + (stop - first) * axis.stride, axis.stride)
