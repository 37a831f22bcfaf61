"""Kernels of uniform quantization with scales and zero points: quantization, requantization, clipping.

    code = floor(x / scale + 0.5) + zero point, within quantization_min_val and quantization_max_val

Requantization multiplies in fixed point, by a factor of 31 bits and a power of two: see `Multiplier`.

Scales and zero points are one number each, or vectors with a number for each position along `quantization_axis`. Scales
that are not positive are refused, where TensorFlow quantizes with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...messages import DataType
from ..runtime.argument_checks import check, show
from ..runtime.memory_limit import claim
from ..runtime.registry import Tensor, kernel
from .conversion import code_dtype


def along(x: Tensor, first: Tensor, second: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """Return two parameters in a shape that fits x: scales and zero points, or limits."""
    check(axis >= -1 and axis < x.ndim, f"quantization_axis is {axis}, for a tensor of shape {show(x.shape)}")
    expected = x.shape[axis : axis + 1] if axis >= 0 else ()
    check(
        first.shape == second.shape == expected,
        f"parameters of shapes {show(first.shape)} and {show(second.shape)} do not fit axis {axis} of {show(x.shape)}",
    )
    shape = [-1 if place == axis else 1 for place in range(x.ndim)] if axis >= 0 else []
    return first.reshape(shape), second.reshape(shape)


def check_scales(*all_scales: Tensor) -> None:
    for scales in all_scales:
        check((np.isfinite(scales) & (scales > 0)).all(), "scales must be positive and finite")


@kernel("UniformQuantize")
def uniform_quantize(
    input: Tensor,
    scales: Tensor,
    zero_points: Tensor,
    *,
    Tout: DataType,
    quantization_axis: int,
    quantization_min_val: int,
    quantization_max_val: int,
) -> Tensor:
    check_scales(scales)
    scale, zero_point = along(input, scales, zero_points, quantization_axis)
    steps = np.floor(input.astype(np.float32) * (np.float32(1) / scale) + np.float32(0.5)) + zero_point
    return np.asarray(np.clip(steps, quantization_min_val, quantization_max_val), code_dtype(Tout))


@kernel("UniformDequantize")
def uniform_dequantize(
    input: Tensor,
    scales: Tensor,
    zero_points: Tensor,
    *,
    quantization_axis: int,
    quantization_min_val: int,
    quantization_max_val: int,
) -> Tensor:
    check_scales(scales)
    scale, zero_point = along(input, scales, zero_points, quantization_axis)
    return np.asarray((input.astype(np.int64) - zero_point).astype(np.float32) * scale)


@kernel("UniformQuantizedClipByValue")
def uniform_quantized_clip(
    operand: Tensor,
    min: Tensor,
    max: Tensor,
    scales: Tensor,
    zero_points: Tensor,
    *,
    quantization_axis: int,
    quantization_min_val: int,
    quantization_max_val: int,
) -> Tensor:
    low, high = along(operand, min, max, quantization_axis)
    return np.asarray(np.minimum(np.maximum(operand, low), high))


# --- requantization --------------------------------------------------------------------------------------------------

_LOWEST, _HIGHEST = -(1 << 31), (1 << 31) - 1
"""The limits of sums of codes."""
REQUANTIZATION_BYTES = 48
"""Temporary memory for each code: some integers of 64 bits."""


@dataclass(frozen=True)
class Multiplier:
    """Factors in fixed point: `factor` * 2**(shift - 31)."""

    factor: Tensor
    shift: Tensor

    @classmethod
    def of(cls, numbers: Any) -> Multiplier:
        """Return positive numbers as multipliers. Those below 2**-32 become 0, large ones 2**30 - 0.5."""
        numbers = np.asarray(numbers, np.float64)
        check((np.isfinite(numbers) & (numbers > 0)).all(), "a product or quotient of scales is not a positive number")
        fraction, shift = np.frexp(numbers)
        factor = np.floor(fraction * 2.0**31 + 0.5).astype(np.int64)
        is_one = factor == 1 << 31
        factor, shift = np.where(is_one, factor // 2, factor), np.where(is_one, shift + 1, shift).astype(np.int64)
        factor = np.where(shift > 30, _HIGHEST, np.where(shift < -31, 0, factor))
        return cls(factor, np.where(shift < -31, 0, np.minimum(shift, 30)))

    def times(self, codes: Tensor) -> Tensor:
        """Return the rounded products with codes of 32 bits, which are bounded."""
        total_shift = 31 - self.shift
        products = codes.astype(np.int64) * self.factor + (np.int64(1) << (total_shift - 1))
        return np.asarray(np.clip(products >> total_shift, _LOWEST, _HIGHEST))


def wrap(numbers: Tensor) -> Tensor:
    """Return integers as those of 32 bits, which wrap around."""
    return numbers.astype(np.int32).astype(np.int64)


def read_codes(codes: Tensor) -> Tensor:
    """Return codes as 64-bit integers. Those of 32 bits are rounded to single precision, and 2**31 overflows."""
    if codes.dtype != np.int32:
        return codes.astype(np.int64)
    rounded = codes.astype(np.float32).astype(np.int64)
    return np.where(rounded > _HIGHEST, _LOWEST, rounded)


def bounded(sums: Tensor, zero_points: Tensor, low: int, high: int, dtype: DataType) -> Tensor:
    """Add zero points, and return codes between two limits, of which the lower one counts if it is greater."""
    codes = np.maximum(np.minimum(wrap(sums + zero_points), high), low)
    return np.asarray(codes.astype(code_dtype(dtype)))


@kernel("UniformRequantize")
def uniform_requantize(
    input: Tensor,
    input_scales: Tensor,
    input_zero_points: Tensor,
    output_scales: Tensor,
    output_zero_points: Tensor,
    *,
    Tout: DataType,
    input_quantization_axis: int,
    output_quantization_axis: int,
    output_quantization_min_val: int,
    output_quantization_max_val: int,
) -> Tensor:
    fits = -1 in (input_quantization_axis, output_quantization_axis)
    check(fits or input_quantization_axis == output_quantization_axis, "input and output have different axes")
    check_scales(input_scales, output_scales)
    scale, zero_point = along(input, input_scales, input_zero_points, input_quantization_axis)
    new_scale, new_zero_point = along(input, output_scales, output_zero_points, output_quantization_axis)
    claim(REQUANTIZATION_BYTES * input.size)
    multiplier = Multiplier.of(scale.astype(np.float64) / new_scale.astype(np.float64))
    sums = multiplier.times(wrap(read_codes(input) - zero_point))
    return bounded(sums, new_zero_point, output_quantization_min_val, output_quantization_max_val, Tout)
