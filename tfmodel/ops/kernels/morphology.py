"""Dilation of images by a filter: the largest sum of a number that the window sees and the filter's number there."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import RunError
from ...messages import DataType
from .convolutions import wide
from .registry import Tensor, kernel
from .windows import Axis, axes_of, trimmed

__all__ = ["seeing"]

_BFLOAT16 = -(2.0**128 - 2.0**120)
"""The lowest number of its kind, which NumPy does not have."""


@kernel("Dilation2D")
def dilation2d(
    x: Tensor, filter: Tensor, *, T: DataType, strides: list[int], rates: list[int], padding: bytes
) -> Tensor:
    """Filters are (height, width, channels). What lies outside of the image is left out, and so is what is no number.

    A window that sees nothing gives the lowest number there is, which is not an infinite one.
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
    x, filter = wide(x), wide(filter)[kept]
    made = np.full((len(x), axes[0].out, axes[1].out, x.shape[-1]), least, x.dtype)
    for at in np.ndindex(*filter.shape[:2]):
        (rows, seen_rows), (columns, seen_columns) = (seeing(axis, i) for axis, i in zip(axes, at, strict=True))
        part = made[:, rows, columns]
        np.fmax(part, x[:, seen_rows, seen_columns] + filter[at], out=part)
    return made


def _least(dtype: np.dtype[Any]) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else np.finfo(dtype).min


def seeing(axis: Axis, tap: int) -> tuple[slice, slice]:
    """The windows for which a tap is inside of the image, and the numbers that it sees of it."""
    offset = tap * axis.dilation - axis.before
    first = max(0, -(offset // axis.stride))
    stop = max(first, min(axis.out, (axis.size - 1 - offset) // axis.stride + 1))
    start = first * axis.stride + offset
    return slice(first, stop), slice(start, start + (stop - first) * axis.stride, axis.stride)
