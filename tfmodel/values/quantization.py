"""Quantized values ("codes") and the floats that they stand for, with exactly the results of TensorFlow on CPUs.

Codes have a range: the lowest integer of the type represents its minimum, the highest integer its maximum, and
neighboring integers are one step apart. Some modes shift the range by less than a step so that an integer represents
zero. To return the same values as TensorFlow, each step is computed in the type that TensorFlow uses. Needs NumPy.

    Quantizer, Dequantizer    quantize and dequantize arrays, in float32
    to_code, to_float         quantize a number, and dequantize numbers or arrays, mostly in float64
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = "npt.NDArray[Any]"

_F = np.float32
_ONE = np.float32(1)


def limits(dtype: Any) -> tuple[int, int]:
    """Return the lowest and the highest code of a type."""
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


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

    def __call__(self, codes: Array) -> Array:
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

    def __call__(self, numbers: Array) -> Array:
        lowest, highest = limits(self.dtype)
        codes = round_half_away_from_zero(numbers * self.steps_per_unit) - self.offset
        # float32 cannot represent the largest int32.
        codes = np.clip(codes, _F(lowest), min(_F(highest), _F(2147483520)))
        return np.asarray(codes.astype(np.int32).astype(self.dtype))


def expand_along(values: Array, x: Array, axis: int) -> Array:
    """Reshape a vector with a value for each slice along `axis` so that it can be broadcast to `x`."""
    return values if axis < 0 else values.reshape([-1 if dim == axis else 1 for dim in range(x.ndim)])


def dequantize_codes(codes: Array, low: Array, high: Array, *, mode: bytes, narrow_range: bool, axis: int) -> Array:
    """Return the float32 values that codes stand for, as the op Dequantize in one of its modes.

    `low` and `high` are scalars, or vectors with an element for each slice along `axis`; of one element in MIN_FIRST.
    """
    if mode == b"MIN_FIRST":
        return Dequantizer.of(_F(low.reshape(())), _F(high.reshape(())), codes.dtype)(codes)
    lowest, highest = limits(codes.dtype)
    if mode == b"SCALED":
        scale = high / _F(highest)
        if lowest:
            negative_scale = low / _F(lowest + narrow_range)
            # np.maximum might return a zero of the other sign than TensorFlow.
            scale = np.where(negative_scale < scale, scale, negative_scale)
        return np.asarray(codes.astype(np.float32) * expand_along(scale, codes, axis))
    scale = (high - low) / (_F(highest) - _F(lowest))
    half = _F((float(highest) - lowest + 1) / 2) if lowest else _F(0)
    floats = (codes.astype(np.float32) + half) * expand_along(scale, codes, axis) + expand_along(low, codes, axis)
    return np.asarray(floats)


def dequantize_view(
    codes: Array,
    low: Sequence[float],
    high: Sequence[float],
    *,
    mode: bytes,
    narrow_range: bool,
    axis: int | None,
) -> Array:
    """Return the float32 values of codes, as `dequantize_codes`; ranges of one element if `axis` is None.

    If `codes` is a view that repeats elements, so is the result.
    """
    varies = [step != 0 or other == axis for other, step in enumerate(codes.strides)]
    unrepeated = codes[tuple(slice(None) if is_varying else slice(1) for is_varying in varies)]
    ends = [np.array(end, np.float32).reshape(() if axis is None else -1) for end in (low, high)]
    with np.errstate(over="ignore", invalid="ignore"):  # for a range that exceeds float32
        numbers = dequantize_codes(
            unrepeated, *ends, mode=mode, narrow_range=narrow_range, axis=-1 if axis is None else axis
        )
    return np.broadcast_to(numbers, codes.shape)
