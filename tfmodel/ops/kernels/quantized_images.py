"""Images of codes: pooled, resized, put together. Their range stays as it is, or becomes one that holds all of them."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .checking import check, check_rank, scalar, shape_of, shown
from .pooling import counts, max_pool, pool_axes, window_sum
from .quantizing import CodeFloats, FloatCodes, Result, limits, pair
from .registry import Tensor, kernel
from .resizing import neighbours, new_sizes, places_in
from .room import INDEX, claim

__all__: list[str] = []

_F = np.float32


@kernel("QuantizedMaxPool")
def quantized_max_pool(
    x: Tensor, min_input: Tensor, max_input: Tensor, *, ksize: list[int], strides: list[int], padding: bytes
) -> Result:
    pooled = max_pool(x, ksize=ksize, strides=strides, padding=padding, explicit_paddings=[], data_format=b"NHWC")
    return pooled, *pair(min_input, max_input)


@kernel("QuantizedAvgPool")
def quantized_avg_pool(
    x: Tensor, min_input: Tensor, max_input: Tensor, *, ksize: list[int], strides: list[int], padding: bytes
) -> Result:
    check(x.ndim == 4, f"its input must be of rank 4, and is of shape {shown(x.shape)}")
    axes = pool_axes(x, ksize, strides, padding, b"NHWC")
    claim(20 * x.size)  # a few integers for each code
    total, inside = window_sum(x.astype(np.int32), axes), counts(axes).astype(np.int32)[..., None]
    return _quotient(total, inside).astype(x.dtype), *pair(min_input, max_input)


@kernel("QuantizedResizeBilinear")
def resize_bilinear(
    images: Tensor, size: Tensor, min: Tensor, max: Tensor, *, align_corners: bool, half_pixel_centers: bool
) -> Result:
    """Where a pixel is between two others is rounded: to parts of 128 for codes of 8 bits, of 2**30 for those of 32."""
    height, width = new_sizes(images, size)
    low, high = pair(min, max)
    if (height, width) == images.shape[1:3]:
        return images, low, high
    pixels = prod((len(images), height, width + images.shape[2], images.shape[3]))
    claim(8 * INDEX * pixels)  # rows of the old width, and of the new one, as integers of 64 bits
    (top, bottom, y), (left, right, x) = (
        neighbours(places_in(old, new, align_corners, half_pixel_centers), old)
        for old, new in zip(images.shape[1:3], (height, width), strict=True)
    )
    y, x = y[:, None, None], x[:, None]
    rows = images[:, top], images[:, bottom]
    if images.dtype.kind == "f":
        upper, lower = (each[:, :, left] + (each[:, :, right] - each[:, :, left]) * x for each in rows)
        return upper + (lower - upper) * y, low, high
    bits, dtype = (7, np.dtype(np.int16)) if images.dtype == np.uint8 else (30, np.dtype(np.int64))
    one = np.array(1 << bits, dtype)
    y, x = ((each * _F(1 << bits)).astype(dtype) for each in (y, x))
    rows = rows[0].astype(_F).astype(dtype), rows[1].astype(_F).astype(dtype)  # as it is in TensorFlow
    upper, lower = (each[:, :, left] * one + (each[:, :, right] - each[:, :, left]) * x for each in rows)
    found = upper + np.multiply(_quotient(lower - upper, one), y)
    return _quotient(found + one // 2, one).astype(images.dtype), low, high


def _quotient(a: Tensor, b: Any) -> Tensor:
    """Rounded towards zero."""
    return np.asarray(np.sign(a) * (np.abs(a) // b))


# --- moving ----------------------------------------------------------------------------------------------------------


@kernel("QuantizedReshape")
def reshape(x: Tensor, shape: Tensor, input_min: Tensor, input_max: Tensor) -> Result:
    check(shape.ndim == 1, f"shape must be a vector, and is of shape {shown(shape.shape)}")
    check_rank(shape, "shape")
    sizes = shape.tolist()
    check(sizes.count(-1) <= 1, f"only one size can be -1, and shape is {sizes}")
    rest = prod(size for size in sizes if size != -1)
    if -1 in sizes and rest:
        sizes = [x.size // rest if size == -1 else size for size in sizes]
    check(prod(sizes) == x.size and min(sizes, default=0) >= 0, f"{x.size} elements cannot become {shown(sizes)}")
    return x.reshape(shape_of(np.array(sizes, np.int64), "shape")), *pair(input_min, input_max)


@kernel("QuantizedConcat")
def concat(concat_dim: Tensor, *tensors: Tensor, N: int) -> Result:
    check(len(tensors) == 3 * N, f"{N} tensors with their ranges are {3 * N}, and it got {len(tensors)}")
    values = tensors[:N]
    ranges = [pair(low, high) for low, high in zip(tensors[N : 2 * N], tensors[2 * N :], strict=True)]
    axis = scalar(concat_dim, "concat_dim")
    check(0 <= axis < values[0].ndim, f"concat_dim is {axis}, and the tensors have {values[0].ndim} dimensions")
    low, high = min(_F(0), *(each[0] for each in ranges)), max(each[1] for each in ranges)
    if limits(values[0].dtype)[0] < 0:
        high = max(abs(low), abs(high))
        low = -high
    claim(24 * sum(codes.size for codes in values))  # floats, and their codes before they are narrowed
    moved = [
        codes if old == (low, high) else FloatCodes.of(low, high, codes.dtype)(CodeFloats.of(*old, codes.dtype)(codes))
        for codes, old in zip(values, ranges, strict=True)
    ]
    return np.concatenate(moved, axis), low, high
