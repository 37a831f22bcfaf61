"""Kernels that convert between floats and quantized values, with exactly the results of TensorFlow on CPUs.

    quantized, min, max = QuantizeV2(x, min, max)        quantized values ("codes"), and their range
    x = Dequantize(quantized, min, max)

The arithmetic is in `tfmodel.values.quantization`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import RunError
from ...messages import DataType
from ...values.dtypes import DTYPES
from ...values.quantization import (
    Dequantizer,
    Quantizer,
    dequantize_codes,
    expand_along,
    limits,
    round_half_away_from_zero,
    to_float,
)
from ..runtime.argument_checks import check, normalize_axis, show
from ..runtime.registry import Tensor, kernel

Result = tuple[Tensor, Any, Any]
"""Quantized values with the minimum and the maximum of their range."""

_F = np.float32
_ONE = np.float32(1)


# --- codes -----------------------------------------------------------------------------------------------------------


def code_dtype(dtype: DataType) -> np.dtype[Any]:
    """Return the NumPy type of the codes of a quantized type."""
    numpy_dtype = DTYPES[dtype].numpy if dtype in DTYPES else np.dtype(object)
    if numpy_dtype.kind not in "iu":
        raise RunError(f"{dtype.name} is not a quantized type")
    return numpy_dtype


def read_number(tensor: Tensor, name: str) -> np.float32:
    """Return the only element of a tensor."""
    check(tensor.size == 1, f"{name} must be one number, not a tensor of shape {show(tensor.shape)}")
    return np.float32(tensor.reshape(())[()])


def read_range(low: Tensor, high: Tensor) -> tuple[np.float32, np.float32]:
    """Return a range from two tensors."""
    return read_number(low, "the minimum"), read_number(high, "the maximum")


def _requantize_codes(
    codes: Tensor, old: tuple[np.float32, np.float32], new: tuple[np.float32, np.float32], dtype: np.dtype[Any]
) -> Tensor:
    """Convert codes to another type and range."""
    if codes.dtype == np.int32 and dtype == np.uint8:
        return _requantize_to_8_bits(codes, old, new)
    return Quantizer.of(*new, dtype)(Dequantizer.of(*old, codes.dtype)(codes))


_SHIFT = 1 << 16


def _requantize_to_8_bits(
    codes: Tensor, old: tuple[np.float32, np.float32], new: tuple[np.float32, np.float32]
) -> Tensor:
    """Convert codes of 32 bits to 8 bits in fixed point with 16 fractional bits, with the same rounding as TensorFlow.

    TensorFlow rounds one of the constants and truncates the others, and converts codes to float32 first.
    """
    (low, high), (new_low, new_high) = old, new
    span, new_span = high - low, new_high - new_low
    if new_span == 0:
        factor = offset = new_offset = 0
    else:
        middle = _F(float(low + high) / 2.0)
        factor = int(255.0 * _SHIFT * float(span) / float(new_span))
        offset = int(middle * _F(255.0 / float(new_span)) * _F(_SHIFT))
        new_offset = int(round_half_away_from_zero(_SHIFT * (float(new_low) * 255.0) / float(new_span)))
    shifted = (codes.astype(np.float32).astype(np.int64) * factor) >> 32
    rounded = (shifted + (offset - new_offset + _SHIFT // 2)) >> 16
    return np.asarray(np.clip(rounded, 0, 255).astype(np.uint8))


# --- QuantizeV2 and Dequantize ---------------------------------------------------------------------------------------


@kernel("QuantizeV2")
def quantize_v2(
    x: Tensor,
    min_range: Tensor,
    max_range: Tensor,
    *,
    T: DataType,
    mode: bytes,
    round_mode: bytes,
    narrow_range: bool,
    axis: int,
    ensure_minimum_range: float,
) -> tuple[Tensor, Tensor, Tensor]:
    dtype = code_dtype(T)
    check(round_mode == b"HALF_AWAY_FROM_ZERO" or mode == b"SCALED", "only the mode SCALED can round half to even")
    check(axis >= -1, f"axis must be -1 or more, got {axis}")
    check(axis == -1 or mode != b"MIN_FIRST", "the mode MIN_FIRST does not support axis")
    low, high = _read_ranges(min_range, max_range, x, axis)
    check(not (high < low).any(), "max_range must not be smaller than min_range")
    largest = np.maximum(_ONE, np.maximum(np.abs(low), np.abs(high)))
    low = np.minimum(_F(0), low)
    high = np.maximum(_F(0), np.maximum(high, low + largest * _F(ensure_minimum_range)))
    if mode == b"SCALED":
        codes, low, high = _quantize_scaled(x, low, high, dtype, narrow_range, axis, round_mode)
    elif mode == b"MIN_FIRST":
        codes = Quantizer.of(read_number(low, "min_range"), read_number(high, "max_range"), dtype)(x)
    else:
        codes = _quantize_combined(x, low, high, dtype, axis)
    return codes, low, high


def _quantize_combined(x: Tensor, low: Tensor, high: Tensor, dtype: np.dtype[Any], axis: int) -> Tensor:
    lowest, highest = limits(dtype)
    lows, highs = expand_along(low, x, axis), expand_along(high, x, axis)
    scale = _F(highest - lowest) / (highs - lows)
    scaled = (np.maximum(np.minimum(x, highs), lows) - lows) * scale
    if lowest == 0:
        return (scaled + _F(0.5)).astype(dtype)
    half = _F((highest - lowest + 1) / 2)
    return np.asarray(round_half_away_from_zero(scaled - half).astype(dtype))


def _quantize_scaled(
    x: Tensor, low: Tensor, high: Tensor, dtype: np.dtype[Any], narrow: bool, axis: int, round_mode: bytes
) -> tuple[Tensor, Tensor, Tensor]:
    """Quantize so that the code of zero is 0; return the codes and their range.

    The side of the range that needs larger steps determines the step. In unsigned types, that is the positive side.
    """
    lowest, highest = limits(dtype)
    lowest += narrow
    max_float = np.finfo(np.float32).max
    negative_scale = np.where(_F(lowest) * low > 0, _F(lowest) / low, max_float)
    positive_scale = np.where(_F(highest) * high > 0, _F(highest) / high, max_float)
    scale = np.minimum(negative_scale, positive_scale)
    low, high = np.asarray(_F(lowest) / scale), np.asarray(_F(highest) / scale)
    scaled = np.maximum(np.minimum(x, expand_along(high, x, axis)), expand_along(low, x, axis)) * expand_along(
        scale, x, axis
    )
    rounded = np.rint(scaled) if round_mode == b"HALF_TO_EVEN" else round_half_away_from_zero(scaled)
    return rounded.astype(dtype), low, high


def _read_ranges(min_range: Tensor, max_range: Tensor, x: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """Return minimum and maximum: scalars, or vectors with an element for each slice along `axis`."""
    if axis > -1:
        normalize_axis(axis, x.ndim)
        count = x.shape[axis]
        for name, tensor in (("min_range", min_range), ("max_range", max_range)):
            check(tensor.shape == (count,), f"{name} must have one element for each of {count} slices")
        return min_range, max_range
    return np.asarray(read_number(min_range, "min_range")), np.asarray(read_number(max_range, "max_range"))


@kernel("Dequantize")
def dequantize(
    codes: Tensor,
    min_range: Tensor,
    max_range: Tensor,
    *,
    mode: bytes,
    narrow_range: bool = False,
    axis: int = -1,
    dtype: DataType = DataType.DT_FLOAT,
) -> Tensor:
    check(dtype == DataType.DT_FLOAT or mode == b"MIN_COMBINED", "only the mode MIN_COMBINED supports bfloat16")
    low, high = _read_ranges(min_range, max_range, codes, axis)
    check(mode != b"MIN_FIRST" or low.size == 1, "the mode MIN_FIRST does not support axis")
    return dequantize_codes(codes, low, high, mode=mode, narrow_range=narrow_range, axis=axis)


# --- requantization --------------------------------------------------------------------------------------------------


@kernel("Requantize")
def requantize(
    codes: Tensor,
    input_min: Tensor,
    input_max: Tensor,
    requested_output_min: Tensor,
    requested_output_max: Tensor,
    *,
    out_type: DataType,
) -> Result:
    low, high = read_range(input_min, input_max)
    new_low = read_number(requested_output_min, "requested_output_min")
    new_high = read_number(requested_output_max, "requested_output_max")
    check(new_low <= 0, f"requested_output_min must not be greater than 0, got {new_low}")
    check(
        new_high >= new_low, f"requested_output_max, {new_high}, must not be less than requested_output_min, {new_low}"
    )
    return _requantize_codes(codes, (low, high), (new_low, new_high), code_dtype(out_type)), new_low, new_high


@kernel("RequantizationRange")
def requantization_range(codes: Tensor, input_min: Tensor, input_max: Tensor) -> tuple[Any, Any]:
    """Return the range that the codes use. Its minimum is at most zero."""
    low, high = read_range(input_min, input_max)
    lowest, highest = limits(codes.dtype)
    min_code, max_code = (codes.min(), codes.max()) if codes.size else (highest, lowest)
    used = to_float(min_code, low, high, codes.dtype), to_float(max_code, low, high, codes.dtype)
    return min(_F(0), used[0]), used[1]


@kernel("QuantizeDownAndShrinkRange")
def quantize_down(codes: Tensor, input_min: Tensor, input_max: Tensor, *, out_type: DataType) -> Result:
    used = requantization_range(codes, input_min, input_max)
    return _requantize_codes(codes, read_range(input_min, input_max), used, code_dtype(out_type)), *used
