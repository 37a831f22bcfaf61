"""Kernels that convert between floats and quantized values, with exactly the results of TensorFlow on CPUs.

    quantized, min, max = QuantizeV2(x, min, max)        quantized values ("codes"), and their range
    x = Dequantize(quantized, min, max)

Quantized values have a range: the lowest integer of the type represents its minimum, the highest integer its maximum,
and neighboring integers are one step apart. Some modes shift the range by less than a step so that an integer
represents zero. To return the same values as TensorFlow, each step is computed in the type that TensorFlow uses.

    Quantizer, Dequantizer    quantize and dequantize arrays, in float32
    to_code, to_float         quantize a number, and dequantize numbers or arrays, mostly in float64
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...errors import RunError
from ...messages import DataType
from ...values.dtypes import DTYPES
from ..runtime.argument_checks import check, normalize_axis, show
from ..runtime.registry import Tensor, kernel

__all__ = [
    "Dequantizer",
    "Quantizer",
    "Result",
    "code_dtype",
    "limits",
    "read_number",
    "read_range",
    "round_half_away_from_zero",
    "to_code",
    "to_float",
    "to_unclamped_code",
]

Result = tuple[Tensor, Any, Any]
"""Quantized values with the minimum and the maximum of their range."""

_F = np.float32
_ONE = np.float32(1)


# --- codes -----------------------------------------------------------------------------------------------------------


def limits(dtype: Any) -> tuple[int, int]:
    """Return the lowest and the highest code of a type."""
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


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


def round_half_away_from_zero(x: Any) -> Any:
    """Round to the nearest integer, halves away from zero."""
    truncated = np.trunc(x)
    return truncated + np.where(np.abs(x - truncated) >= 0.5, np.sign(x), 0).astype(np.asarray(x).dtype)


def to_unclamped_code(value: Any, low: np.float32, high: np.float32, dtype: Any) -> int:
    """Return the code of a number; it may not fit into the type if the number is outside of the range."""
    lowest, highest = limits(dtype)
    if low == high:
        return lowest
    steps = highest - lowest + 1
    scale = steps / (float(high - low) * (steps / (steps - 1.0)))
    code, code_of_low = (round_half_away_from_zero(np.float64(number) * scale) for number in (value, low))
    return int(code - code_of_low) + lowest


def to_code(value: Any, low: np.float32, high: np.float32, dtype: Any) -> int:
    """Return the code of a number, clamped to the type."""
    lowest, highest = limits(dtype)
    return min(max(to_unclamped_code(value, low, high, dtype), lowest), highest)


def to_float(codes: Any, low: np.float32, high: np.float32, dtype: Any) -> Any:
    """Return the floats that quantized values stand for, as float32."""
    if low == high:
        return np.full(np.shape(codes), low)[()]
    lowest, highest = limits(dtype)
    steps = highest - lowest + 1
    scale = float(high - low) * (steps / (steps - 1.0)) / steps
    start = round_half_away_from_zero(low / _F(scale)) * _F(scale)
    # TensorFlow converts codes of 32 bits to float32 first.
    return _F(np.float64(start) + (np.asarray(codes, np.float32).astype(np.float64) - lowest) * scale)


class Dequantizer(NamedTuple):
    """Dequantizes arrays: code_zero + code * step, where `code_zero` is the float of the code 0."""

    code_zero: np.float32
    step: np.float32

    @classmethod
    def of(cls, low: np.float32, high: np.float32, dtype: Any) -> Dequantizer:
        lowest, highest = limits(dtype)
        step = _F(float(high - low) / float(highest - lowest))
        rounded = low if low == high else _F(round_half_away_from_zero(low / step) * step)
        return cls(_F(rounded - _F(lowest) * step), step)

    def __call__(self, codes: Tensor) -> Tensor:
        return np.asarray(self.code_zero + codes.astype(np.float32) * self.step)


class Quantizer(NamedTuple):
    """Quantizes arrays: round(number * steps_per_unit) - offset, clamped to the type."""

    offset: np.float32
    steps_per_unit: np.float32
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, low: np.float32, high: np.float32, dtype: np.dtype[Any]) -> Quantizer:
        lowest, highest = limits(dtype)
        steps_per_unit = _F(0) if low == high else _F(float(highest - lowest) / float(high - low))
        return cls(_F(round_half_away_from_zero(low * steps_per_unit) - _F(lowest)), steps_per_unit, dtype)

    def __call__(self, numbers: Tensor) -> Tensor:
        lowest, highest = limits(self.dtype)
        codes = round_half_away_from_zero(numbers * self.steps_per_unit) - self.offset
        # float32 cannot represent the largest int32.
        codes = np.clip(codes, _F(lowest), min(_F(highest), _F(2147483520)))
        return np.asarray(codes.astype(np.int32).astype(self.dtype))


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
    lows, highs = _expand_along(low, x, axis), _expand_along(high, x, axis)
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
    scaled = np.maximum(np.minimum(x, _expand_along(high, x, axis)), _expand_along(low, x, axis)) * _expand_along(
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


def _expand_along(values: Tensor, x: Tensor, axis: int) -> Tensor:
    """Reshape a vector with a value for each slice along `axis` so that it can be broadcast to `x`."""
    return values if axis < 0 else values.reshape([-1 if dim == axis else 1 for dim in range(x.ndim)])


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
    if mode == b"MIN_FIRST":
        check(low.size == 1, "the mode MIN_FIRST does not support axis")
        return Dequantizer.of(read_number(low, "min_range"), read_number(high, "max_range"), codes.dtype)(codes)
    lowest, highest = limits(codes.dtype)
    if mode == b"SCALED":
        scale = high / _F(highest)
        if lowest:
            negative_scale = low / _F(lowest + narrow_range)
            # np.maximum might return a zero of the other sign than TensorFlow.
            scale = np.where(negative_scale < scale, scale, negative_scale)
        return np.asarray(codes.astype(np.float32) * _expand_along(scale, codes, axis))
    scale = (high - low) / (_F(highest) - _F(lowest))
    half = _F((float(highest) - lowest + 1) / 2) if lowest else _F(0)
    floats = (codes.astype(np.float32) + half) * _expand_along(scale, codes, axis) + _expand_along(low, codes, axis)
    return np.asarray(floats)


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
