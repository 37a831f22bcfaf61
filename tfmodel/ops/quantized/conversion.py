"""Conversion between floats and quantized values, with exactly the results of TensorFlow on CPUs.

    quantized = QuantizeV2(x, min, max)        quantized values, and their range
    x = Dequantize(codes, min, max)

A tensor of codes goes with a range: the lowest code of the type stands for its minimum, the highest for its maximum,
and those between are a step apart. Zero nearly always lies on a code. Codes come out exactly as in TensorFlow on CPUs,
and so all is computed in the types that it uses, which is why float32 and float64 alternate here.

    FloatCodes, CodeFloats    a range made ready to turn many numbers into codes, and back, in float32
    code_of, float_of         the same, in float64, for single numbers
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...dtypes import DTYPES
from ...errors import RunError
from ...messages import DataType
from ..runtime.argument_checks import check, normalize_axis, show
from ..runtime.registry import Tensor, kernel

__all__ = [
    "CodeFloats",
    "FloatCodes",
    "Result",
    "away_from_zero",
    "code_of",
    "codes_in",
    "float_of",
    "limits",
    "number",
    "pair",
    "unclamped",
]

Result = tuple[Tensor, Any, Any]
"""Codes with the minimum and the maximum of their range."""

_F = np.float32
_ONE = np.float32(1)


# --- codes -----------------------------------------------------------------------------------------------------------


def limits(dtype: Any) -> tuple[int, int]:
    """Return the lowest and the highest code of a type."""
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def codes_in(dtype: DataType) -> np.dtype[Any]:
    """Return the NumPy type of the codes of a quantized type."""
    found = DTYPES[dtype].numpy if dtype in DTYPES else np.dtype(object)
    if found.kind not in "iu":
        raise RunError(f"{dtype.name} is no type of codes")
    return found


def number(tensor: Tensor, name: str) -> np.float32:
    """Return the only element of a tensor."""
    check(tensor.size == 1, f"{name} must be one number, not a tensor of shape {show(tensor.shape)}")
    return np.float32(tensor.reshape(())[()])


def pair(low: Tensor, high: Tensor) -> tuple[np.float32, np.float32]:
    """Return a range from two tensors."""
    return number(low, "the minimum"), number(high, "the maximum")


def away_from_zero(x: Any) -> Any:
    """Round to the nearest integer, halves away from zero."""
    whole = np.trunc(x)
    return whole + np.where(np.abs(x - whole) >= 0.5, np.sign(x), 0).astype(np.asarray(x).dtype)


def unclamped(value: Any, low: np.float32, high: np.float32, dtype: Any) -> int:
    """Return the code of a number, which may lie outside of the type if the number is outside of the range."""
    lowest, highest = limits(dtype)
    if low == high:
        return lowest
    steps = highest - lowest + 1
    scale = steps / (float(high - low) * (steps / (steps - 1.0)))
    return int(away_from_zero(np.float64(value) * scale) - away_from_zero(np.float64(low) * scale)) + lowest


def code_of(value: Any, low: np.float32, high: np.float32, dtype: Any) -> int:
    """Return the code of a number, clamped to the type."""
    lowest, highest = limits(dtype)
    return min(max(unclamped(value, low, high, dtype), lowest), highest)


def float_of(codes: Any, low: np.float32, high: np.float32, dtype: Any) -> Any:
    """Return the floats that quantized values stand for, as float32."""
    if low == high:
        return np.full(np.shape(codes), low)[()]
    lowest, highest = limits(dtype)
    steps = highest - lowest + 1
    scale = float(high - low) * (steps / (steps - 1.0)) / steps
    start = away_from_zero(low / _F(scale)) * _F(scale)
    # Codes of 32 bits go through float32 in TensorFlow.
    return _F(np.float64(start) + (np.asarray(codes, np.float32).astype(np.float64) - lowest) * scale)


class CodeFloats(NamedTuple):
    """Return the floats that quantized values stand for: start + code * scale."""

    start: np.float32
    scale: np.float32

    @classmethod
    def of(cls, low: np.float32, high: np.float32, dtype: Any) -> CodeFloats:
        lowest, highest = limits(dtype)
        scale = _F(float(high - low) / float(highest - lowest))
        rounded = low if low == high else _F(away_from_zero(low / scale) * scale)
        return cls(_F(rounded - _F(lowest) * scale), scale)

    def __call__(self, codes: Tensor) -> Tensor:
        return np.asarray(self.start + codes.astype(np.float32) * self.scale)


class FloatCodes(NamedTuple):
    """Return the codes of numbers: round(number * scale) - start."""

    start: np.float32
    scale: np.float32
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, low: np.float32, high: np.float32, dtype: np.dtype[Any]) -> FloatCodes:
        lowest, highest = limits(dtype)
        scale = _F(0) if low == high else _F(float(highest - lowest) / float(high - low))
        return cls(_F(away_from_zero(low * scale) - _F(lowest)), scale, dtype)

    def __call__(self, numbers: Tensor) -> Tensor:
        lowest, highest = limits(self.dtype)
        found = away_from_zero(numbers * self.scale) - self.start
        # float32 cannot represent the largest int32.
        found = np.clip(found, _F(lowest), min(_F(highest), _F(2147483520)))
        return np.asarray(found.astype(np.int32).astype(self.dtype))


def _requantized(
    codes: Tensor, old: tuple[np.float32, np.float32], new: tuple[np.float32, np.float32], dtype: np.dtype[Any]
) -> Tensor:
    """Convert codes to another type and range."""
    if codes.dtype == np.int32 and dtype == np.uint8:
        return _down(codes, old, new)
    return FloatCodes.of(*new, dtype)(CodeFloats.of(*old, codes.dtype)(codes))


_SHIFT = 1 << 16


def _down(codes: Tensor, old: tuple[np.float32, np.float32], new: tuple[np.float32, np.float32]) -> Tensor:
    """Convert codes of 32 bits to 8 in fixed point with 16 fractional bits; the rounding is visible in the codes.

    TensorFlow rounds one of the constants and truncates the others, and takes codes by way of float32.
    """
    (low, high), (new_low, new_high) = old, new
    span, new_span = high - low, new_high - new_low
    if new_span == 0:
        factor = offset = new_offset = 0
    else:
        middle = _F(float(low + high) / 2.0)
        factor = int(255.0 * _SHIFT * float(span) / float(new_span))
        offset = int(middle * _F(255.0 / float(new_span)) * _F(_SHIFT))
        new_offset = int(away_from_zero(_SHIFT * (float(new_low) * 255.0) / float(new_span)))
    shifted = (codes.astype(np.float32).astype(np.int64) * factor) >> 32
    found = (shifted + (offset - new_offset + _SHIFT // 2)) >> 16
    return np.asarray(np.clip(found, 0, 255).astype(np.uint8))


# --- quantizing ------------------------------------------------------------------------------------------------------


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
    dtype = codes_in(T)
    check(round_mode == b"HALF_AWAY_FROM_ZERO" or mode == b"SCALED", "only the mode SCALED can round half to even")
    check(axis >= -1, f"axis is {axis}, and must be -1 or more")
    check(axis == -1 or mode != b"MIN_FIRST", "the mode MIN_FIRST has one range for all, and no axis")
    low, high = _ranges(min_range, max_range, x, axis)
    check(not (high < low).any(), "max_range must not be smaller than min_range")
    largest = np.maximum(_ONE, np.maximum(np.abs(low), np.abs(high)))
    low = np.minimum(_F(0), low)
    high = np.maximum(_F(0), np.maximum(high, low + largest * _F(ensure_minimum_range)))
    if mode == b"SCALED":
        codes, low, high = _scaled(x, low, high, dtype, narrow_range, axis, round_mode)
    elif mode == b"MIN_FIRST":
        codes = FloatCodes.of(number(low, "min_range"), number(high, "max_range"), dtype)(x)
    else:
        codes = _combined(x, low, high, dtype, axis)
    return codes, low, high


def _combined(x: Tensor, low: Tensor, high: Tensor, dtype: np.dtype[Any], axis: int) -> Tensor:
    lowest, highest = limits(dtype)
    lows, highs = _along(low, x, axis), _along(high, x, axis)
    scale = _F(highest - lowest) / (highs - lows)
    found = (np.maximum(np.minimum(x, highs), lows) - lows) * scale
    if lowest == 0:
        return (found + _F(0.5)).astype(dtype)
    half = _F((highest - lowest + 1) / 2)
    return np.asarray(away_from_zero(found - half).astype(dtype))


def _scaled(
    x: Tensor, low: Tensor, high: Tensor, dtype: np.dtype[Any], narrow: bool, axis: int, round_mode: bytes
) -> tuple[Tensor, Tensor, Tensor]:
    """Quantize with zero at zero; the larger side of the range sets the step."""
    lowest, highest = limits(dtype)
    lowest += narrow
    most = np.finfo(np.float32).max
    below = np.where(_F(lowest) * low > 0, _F(lowest) / low, most)
    above = np.where(_F(highest) * high > 0, _F(highest) / high, most)
    scale = np.minimum(below, above)
    low, high = np.asarray(_F(lowest) / scale), np.asarray(_F(highest) / scale)
    found = np.maximum(np.minimum(x, _along(high, x, axis)), _along(low, x, axis)) * _along(scale, x, axis)
    return (np.rint(found) if round_mode == b"HALF_TO_EVEN" else away_from_zero(found)).astype(dtype), low, high


def _ranges(min_range: Tensor, max_range: Tensor, x: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """Return one range as scalars or, with an axis, one for each slice as vectors."""
    if axis > -1:
        normalize_axis(axis, x.ndim)
        count = x.shape[axis]
        for name, each in (("min_range", min_range), ("max_range", max_range)):
            check(each.shape == (count,), f"{name} must have one element for each of {count} slices")
        return min_range, max_range
    return np.asarray(number(min_range, "min_range")), np.asarray(number(max_range, "max_range"))


def _along(values: Tensor, x: Tensor, axis: int) -> Tensor:
    """Reshape one value for each slice so that it can be broadcast."""
    return values if axis < 0 else values.reshape([-1 if at == axis else 1 for at in range(x.ndim)])


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
    check(dtype == DataType.DT_FLOAT or mode == b"MIN_COMBINED", "only the mode MIN_COMBINED gives bfloat16")
    low, high = _ranges(min_range, max_range, codes, axis)
    if mode == b"MIN_FIRST":
        check(low.size == 1, "the mode MIN_FIRST has one range for all, and no axis")
        return CodeFloats.of(number(low, "min_range"), number(high, "max_range"), codes.dtype)(codes)
    lowest, highest = limits(codes.dtype)
    if mode == b"SCALED":
        scale = high / _F(highest)
        if lowest:
            below = low / _F(lowest + narrow_range)
            scale = np.where(below < scale, scale, below)  # of two zeros, that with the sign which TensorFlow takes
        return np.asarray(codes.astype(np.float32) * _along(scale, codes, axis))
    scale = (high - low) / (_F(highest) - _F(lowest))
    half = _F((float(highest) - lowest + 1) / 2) if lowest else _F(0)
    found = (codes.astype(np.float32) + half) * _along(scale, codes, axis) + _along(low, codes, axis)
    return np.asarray(found)


# --- another range ---------------------------------------------------------------------------------------------------


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
    low, high = pair(input_min, input_max)
    new_low = number(requested_output_min, "requested_output_min")
    new_high = number(requested_output_max, "requested_output_max")
    check(new_low <= 0, f"requested_output_min must not be greater than 0, and is {new_low}")
    check(new_high >= new_low, f"requested_output_max is {new_high}, and requested_output_min {new_low}")
    return _requantized(codes, (low, high), (new_low, new_high), codes_in(out_type)), new_low, new_high


@kernel("RequantizationRange")
def requantization_range(codes: Tensor, input_min: Tensor, input_max: Tensor) -> tuple[Any, Any]:
    """Return the range that the codes use. It contains zero, at least as the minimum."""
    low, high = pair(input_min, input_max)
    lowest, highest = limits(codes.dtype)
    least, most = (codes.min(), codes.max()) if codes.size else (highest, lowest)
    used = float_of(least, low, high, codes.dtype), float_of(most, low, high, codes.dtype)
    return min(_F(0), used[0]), used[1]


@kernel("QuantizeDownAndShrinkRange")
def quantize_down(codes: Tensor, input_min: Tensor, input_max: Tensor, *, out_type: DataType) -> Result:
    used = requantization_range(codes, input_min, input_max)
    return _requantized(codes, pair(input_min, input_max), used, codes_in(out_type)), *used
