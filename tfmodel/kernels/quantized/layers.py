"""Kernels of quantized layers. The transform quantize_nodes replaces float layers by them.

    QuantizedConv2D(codes, filter, min_input, max_input, min_filter, max_filter)     int32 codes, and their range

Codes are quantized values: see `conversion`. Layers multiply the differences from the code of zero, so that 32-bit sums
are codes too, whose range follows from the ranges of the inputs. Pooling, resizing and reshaping keep the range;
concatenation extends it.

Inputs that TensorFlow's kernels refuse are refused here, and also inputs for which they return wrong results:
QuantizedAdd and QuantizedMul with broadcasting along other dimensions than the first ones.

Difference from TensorFlow: padding is always zero here, even if the range does not contain zero. No transform creates
such graphs.
"""

from __future__ import annotations

from itertools import dropwhile
from math import prod
from typing import Any

import numpy as np

from ...messages import DataType
from ...values.quantization import (
    Dequantizer,
    Quantizer,
    limits,
    round_half_away_from_zero,
    to_code,
    to_float,
    to_unclamped_code,
)
from ..image.resizing import neighbours, new_sizes, source_positions
from ..nn.convolutions import convolve
from ..nn.pooling import count_elements, max_pool, pool_axes, window_sum
from ..nn.windows import axes_of
from ..runtime.argument_checks import check, check_rank, read_shape, show
from ..runtime.memory_limit import INDEX_BYTES, claim
from ..runtime.registry import Tensor, kernel
from .conversion import Result, code_dtype, read_number, read_range

_F = np.float32


# --- products --------------------------------------------------------------------------------------------------------


def _subtract_zero_code(codes: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """Return the differences of codes from the code of zero."""
    return codes.astype(np.int32) - np.int64(to_unclamped_code(_F(0), *read_range(low, high), codes.dtype)).astype(
        np.int32
    )


def _range_of_products(
    a: Tensor, a_range: tuple[Any, Any], b: Tensor, b_range: tuple[Any, Any], dtype: Any
) -> tuple[Any, Any]:
    """Return the range of the codes of products: a step is the product of the steps."""
    steps = []
    for codes, (low, high) in ((a, a_range), (b, b_range)):
        lowest, highest = limits(codes.dtype)
        steps.append((read_number(high, "the maximum") - read_number(low, "the minimum")) / _F(highest - lowest))
    step = steps[0] * steps[1]
    lowest, highest = limits(dtype)
    return step * _F(lowest), step * _F(highest)


def _check_ranges(*ranges: tuple[Tensor, Tensor]) -> list[tuple[np.float32, np.float32]]:
    """Return the ranges. Raises RunError if a maximum is not greater than its minimum."""
    pairs = [read_range(low, high) for low, high in ranges]
    for low, high in pairs:
        check(high > low, f"the maximum of a range, {high}, must be greater than its minimum, {low}")
    return pairs


def _check_broadcast(x: Tensor, y: Tensor) -> None:
    """Check that broadcasting repeats at most one of two tensors, and only along the first dimensions of the other."""
    first, second = (tuple(dropwhile(lambda size: size == 1, tensor.shape)) for tensor in (x, y))
    rank = min(len(first), len(second))
    fits = first[len(first) - rank :] == second[len(second) - rank :]
    shapes = f"{show(x.shape)} and {show(y.shape)}"
    check(fits, f"{shapes} cannot be broadcast: only the first dimensions may differ")


@kernel("QuantizedConv2D")
def conv2d(
    x: Tensor,
    filter: Tensor,
    min_input: Tensor,
    max_input: Tensor,
    min_filter: Tensor,
    max_filter: Tensor,
    *,
    strides: list[int],
    padding: bytes,
    dilations: list[int],
    out_type: DataType,
) -> Result:
    check(x.ndim == 4, f"its input must be of rank 4, and is of shape {show(x.shape)}")
    check(filter.ndim == 4, f"its filter must be of rank 4, and is of shape {show(filter.shape)}")
    check(set(dilations) == {1}, f"its dilations must be 1, and are {list(dilations)}")
    check(len({*strides[1:3]}) <= 1, f"its strides must be the same in both directions, and are {list(strides)}")
    check(x.shape[3] == filter.shape[2], f"its filter takes {filter.shape[2]} channels, and the input has {x.shape[3]}")
    dtype = code_dtype(out_type)
    axes = axes_of(x.shape[1:3], filter.shape[:2], strides=strides, padding=padding, data_format=b"NHWC")
    claim(PRODUCT_BYTES * (x.size + filter.size))
    sums = multiply_exactly(
        convolve,
        _subtract_zero_code(x, min_input, max_input),
        _subtract_zero_code(filter, min_filter, max_filter),
        axes,
    )
    ranges = _range_of_products(x, (min_input, max_input), filter, (min_filter, max_filter), dtype)
    return sums.astype(dtype), *ranges


@kernel("QuantizedMatMul")
def matmul(
    a: Tensor,
    b: Tensor,
    min_a: Tensor,
    max_a: Tensor,
    min_b: Tensor,
    max_b: Tensor,
    *,
    transpose_a: bool,
    transpose_b: bool,
    Toutput: DataType,
) -> Result:
    check(
        a.ndim == 2 and b.ndim == 2,
        f"a and b must be matrices, not of shapes {show(a.shape)} and {show(b.shape)}",
    )
    dtype = code_dtype(Toutput)
    _check_ranges((min_a, max_a), (min_b, max_b))
    claim(PRODUCT_BYTES * (a.size + b.size))
    left, right = _subtract_zero_code(a, min_a, max_a), _subtract_zero_code(b, min_b, max_b)
    left, right = left.T if transpose_a else left, right.T if transpose_b else right
    check(left.shape[1] == right.shape[0], f"matrices {show(left.shape)} and {show(right.shape)} do not fit")
    ranges = _range_of_products(a, (min_a, max_a), b, (min_b, max_b), dtype)
    return multiply_exactly(np.matmul, left, right).astype(dtype), *ranges


PRODUCT_BYTES = 16
"""Temporary memory for each code: an integer and a float."""

_MAX_EXACT_INTEGER = 2.0**53
"""Sums of integers below this limit are exact in float64, which is much faster."""


def multiply_exactly(function: Any, a: Tensor, b: Tensor, *arguments: Any) -> Tensor:
    """Return sums of products of integers, which wrap around at 32 bits."""
    largest = [float(np.abs(codes, dtype=np.float64).max(initial=0)) for codes in (a, b)]
    if max(1, b.size) * largest[0] * largest[1] < _MAX_EXACT_INTEGER:
        a, b = a.astype(np.float64), b.astype(np.float64)
    return np.asarray(function(a, b, *arguments)).astype(np.int64).astype(np.int32)


@kernel("QuantizedMul")
def mul(
    x: Tensor, y: Tensor, min_x: Tensor, max_x: Tensor, min_y: Tensor, max_y: Tensor, *, Toutput: DataType
) -> Result:
    dtype = code_dtype(Toutput)
    _check_ranges((min_x, max_x), (min_y, max_y))
    _check_broadcast(x, y)
    product = _subtract_zero_code(x, min_x, max_x) * _subtract_zero_code(y, min_y, max_y)
    return product.astype(dtype), *_range_of_products(x, (min_x, max_x), y, (min_y, max_y), dtype)


# --- sums ------------------------------------------------------------------------------------------------------------


@kernel("QuantizedBiasAdd")
def bias_add(
    x: Tensor,
    bias: Tensor,
    min_input: Tensor,
    max_input: Tensor,
    min_bias: Tensor,
    max_bias: Tensor,
    *,
    out_type: DataType,
) -> Result:
    check(x.ndim >= 2, f"its input must be of rank 2 or more, and is of shape {show(x.shape)}")
    check(
        bias.shape == x.shape[-1:],
        f"its bias must be of shape {show(x.shape[-1:])}, and is {show(bias.shape)}",
    )
    dtype = code_dtype(out_type)
    x_range, bias_range = read_range(min_input, max_input), read_range(min_bias, max_bias)
    high = max(x_range[1], -x_range[0], bias_range[1], -bias_range[0]) * _F(1 << 17)
    to_codes = Quantizer.of(-high, high, dtype)
    sums = to_codes(Dequantizer.of(*x_range, x.dtype)(x)) + (
        to_codes(Dequantizer.of(*bias_range, bias.dtype)(bias)) + dtype.type(to_code(_F(0), -high, high, dtype))
    )
    return sums, -high, high


@kernel("QuantizedAdd")
def add(
    x: Tensor, y: Tensor, min_x: Tensor, max_x: Tensor, min_y: Tensor, max_y: Tensor, *, Toutput: DataType
) -> Result:

    dtype = code_dtype(Toutput)
    ranges = _check_ranges((min_x, max_x), (min_y, max_y))
    _check_broadcast(x, y)
    high = max(abs(min(ranges[0][0], ranges[1][0])), abs(max(ranges[0][1], ranges[1][1]))) * _F(1 << 14)
    new_range = -high, high
    if x.size == 1:
        sums = _convert_code(x, ranges[0], new_range, dtype) + _convert_codes(y, ranges[1], new_range, dtype)
    elif y.size == 1:
        sums = _convert_codes(x, ranges[0], new_range, dtype) + _convert_code(y, ranges[1], new_range, dtype)
    else:
        sums = _convert_codes(x, ranges[0], new_range, dtype) + _convert_codes(y, ranges[1], new_range, dtype)
    return np.asarray(sums), *new_range


def _convert_code(codes: Tensor, old: tuple[Any, Any], new: tuple[Any, Any], dtype: Any) -> Tensor:
    """Convert one code to the nearest code of a wider range."""
    return _quantize(to_float(codes, *old, codes.dtype), *new, dtype)


def _convert_codes(codes: Tensor, old: tuple[Any, Any], new: tuple[Any, Any], dtype: Any) -> Tensor:
    """Convert many codes to a wider range, by steps from the lowest code. This is faster, but rounds differently."""
    first, second = (to_unclamped_code(to_float(code, *old, codes.dtype), *new, dtype) for code in (0, 1))
    return np.clip(first + codes.astype(np.int64) * (second - first), *limits(dtype)).astype(dtype)


# --- element-wise ----------------------------------------------------------------------------------------------------


@kernel("QuantizedRelu")
def relu(x: Tensor, min_features: Tensor, max_features: Tensor) -> Result:
    low, high = read_range(min_features, max_features)
    return np.maximum(x, x.dtype.type(to_code(_F(0), low, high, x.dtype))), low, high


@kernel("QuantizedRelu6")
def relu6(x: Tensor, min_features: Tensor, max_features: Tensor) -> Result:
    codes, low, high = relu(x, min_features, max_features)
    return np.minimum(codes, x.dtype.type(to_code(_F(6), low, high, x.dtype))), low, high


@kernel("QuantizedBatchNormWithGlobalNormalization")
def batch_norm(
    x: Tensor,
    x_min: Tensor,
    x_max: Tensor,
    mean: Tensor,
    mean_min: Tensor,
    mean_max: Tensor,
    variance: Tensor,
    variance_min: Tensor,
    variance_max: Tensor,
    beta: Tensor,
    beta_min: Tensor,
    beta_max: Tensor,
    gamma: Tensor,
    gamma_min: Tensor,
    gamma_max: Tensor,
    *,
    out_type: DataType,
    variance_epsilon: float,
    scale_after_normalization: bool,
) -> Result:
    """Compute x * scale + offset in 32-bit fixed point with ten fractional bits."""
    check(x.ndim == 4, f"its input must be of rank 4, and is of shape {show(x.shape)}")
    for values in (mean, variance, beta, gamma):
        check(values.shape == x.shape[3:], f"parameters must be of shape {show(x.shape[3:])}, not {show(values.shape)}")
    dtype = code_dtype(out_type)
    m, v, b, g = (
        to_float(codes, *read_range(low, high), codes.dtype)
        for codes, low, high in (
            (mean, mean_min, mean_max),
            (variance, variance_min, variance_max),
            (beta, beta_min, beta_max),
            (gamma, gamma_min, gamma_max),
        )
    )
    low, high = _F(-(1 << 20)), _F(1 << 20)
    scale = _F(1) / np.sqrt(v + _F(variance_epsilon))
    scale = scale * g if scale_after_normalization else scale
    scales, offsets, one, codes = (
        _quantize(values, low, high, dtype)
        for values in (scale, -m * scale + b, _F(1), to_float(x, *read_range(x_min, x_max), x.dtype))
    )
    products = codes * scales  # wraps around
    quotients = np.where(products < 0, -(-products.astype(np.int64) // one), products.astype(np.int64) // one)
    return quotients.astype(dtype) + offsets, low, high


def _quantize(values: Any, low: np.float32, high: np.float32, dtype: np.dtype[Any]) -> Tensor:
    """Return the codes of an array: see `to_code`."""
    lowest, highest = limits(dtype)
    steps = highest - lowest + 1
    scale = steps / (float(high - low) * (steps / (steps - 1.0)))
    codes = (
        round_half_away_from_zero(np.asarray(values, np.float64) * scale)
        - round_half_away_from_zero(np.float64(low) * scale)
        + lowest
    )
    return np.asarray(np.clip(codes, lowest, highest).astype(dtype))


# --- images ----------------------------------------------------------------------------------------------------------


@kernel("QuantizedMaxPool")
def quantized_max_pool(
    x: Tensor, min_input: Tensor, max_input: Tensor, *, ksize: list[int], strides: list[int], padding: bytes
) -> Result:
    pooled = max_pool(x, ksize=ksize, strides=strides, padding=padding, explicit_paddings=[], data_format=b"NHWC")
    return pooled, *read_range(min_input, max_input)


@kernel("QuantizedAvgPool")
def quantized_avg_pool(
    x: Tensor, min_input: Tensor, max_input: Tensor, *, ksize: list[int], strides: list[int], padding: bytes
) -> Result:
    check(x.ndim == 4, f"its input must be of rank 4, and is of shape {show(x.shape)}")
    axes = pool_axes(x, ksize, strides, padding, b"NHWC")
    claim(20 * x.size)  # a few integers for each code
    total, counts = window_sum(x.astype(np.int32), axes), count_elements(axes).astype(np.int32)[..., None]
    return _divide(total, counts).astype(x.dtype), *read_range(min_input, max_input)


@kernel("QuantizedResizeBilinear")
def resize_bilinear(
    images: Tensor, size: Tensor, min: Tensor, max: Tensor, *, align_corners: bool, half_pixel_centers: bool
) -> Result:
    """Resize; weights are rounded to multiples of 1/128 for codes of 8 bits, of 2**-30 for codes of 32 bits."""
    height, width = new_sizes(images, size)
    low, high = read_range(min, max)
    if (height, width) == images.shape[1:3]:
        return images, low, high
    pixels = prod((len(images), height, width + images.shape[2], images.shape[3]))
    claim(8 * INDEX_BYTES * pixels)  # rows of the old width, and of the new one, as integers of 64 bits
    (top, bottom, y), (left, right, x) = (
        neighbours(source_positions(old, new, align_corners, half_pixel_centers), old)
        for old, new in zip(images.shape[1:3], (height, width), strict=True)
    )
    y, x = y[:, None, None], x[:, None]
    rows = images[:, top], images[:, bottom]
    if images.dtype.kind == "f":
        upper, lower = (values[:, :, left] + (values[:, :, right] - values[:, :, left]) * x for values in rows)
        return upper + (lower - upper) * y, low, high
    bits, dtype = (7, np.dtype(np.int16)) if images.dtype == np.uint8 else (30, np.dtype(np.int64))
    one = np.array(1 << bits, dtype)
    y, x = ((values * _F(1 << bits)).astype(dtype) for values in (y, x))
    rows = rows[0].astype(_F).astype(dtype), rows[1].astype(_F).astype(dtype)  # as in TensorFlow
    upper, lower = (values[:, :, left] * one + (values[:, :, right] - values[:, :, left]) * x for values in rows)
    resized = upper + np.multiply(_divide(lower - upper, one), y)
    return _divide(resized + one // 2, one).astype(images.dtype), low, high


def _divide(a: Tensor, b: Any) -> Tensor:
    """Return the quotient, rounded towards zero."""
    return np.asarray(np.sign(a) * (np.abs(a) // b))


# --- Reshape ----------------------------------------------------------------------------------------------------------


@kernel("QuantizedReshape")
def reshape(x: Tensor, shape: Tensor, input_min: Tensor, input_max: Tensor) -> Result:
    check(shape.ndim == 1, f"shape must be a vector, and is of shape {show(shape.shape)}")
    check_rank(shape, "shape")
    sizes = shape.tolist()
    check(sizes.count(-1) <= 1, f"only one size may be -1, but shape is {sizes}")
    known_size = prod(size for size in sizes if size != -1)
    if -1 in sizes and known_size:
        sizes = [x.size // known_size if size == -1 else size for size in sizes]
    check(
        prod(sizes) == x.size and min(sizes, default=0) >= 0, f"{x.size} elements cannot be reshaped to {show(sizes)}"
    )
    return x.reshape(read_shape(np.array(sizes, np.int64), "shape")), *read_range(input_min, input_max)
