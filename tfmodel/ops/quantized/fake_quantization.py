"""Fake quantization: round floats to the numbers that quantized values of some bits can represent.

    FakeQuantWithMinMaxVars(x, -1, 1, num_bits=2)      each x becomes one of four numbers

Training with these makes models that can be quantized later. Zero is always one of the numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime.argument_checks import check, normalize_axis, read_scalar, show
from ..runtime.registry import Tensor, kernel

__all__: list[str] = []

_F = np.float32


# --- codes from 0 on -------------------------------------------------------------------------------------------------


@kernel("FakeQuantWithMinMaxArgs")
def fake_quant_args(x: Tensor, *, min: float, max: float, num_bits: int, narrow_range: bool) -> Tensor:
    # The parameters are called as the attributes are.
    check(min < max, f"min is {min}, and must be smaller than max, which is {max}")
    return _rounded(x, np.asarray(min, _F), np.asarray(max, _F), num_bits, narrow_range, divide=False)


@kernel("FakeQuantWithMinMaxVars")
def fake_quant_vars(x: Tensor, min: Tensor, max: Tensor, *, num_bits: int, narrow_range: bool) -> Tensor:
    low, high = np.asarray(read_scalar(min, "min"), _F), np.asarray(read_scalar(max, "max"), _F)
    return _rounded(x, low, high, num_bits, narrow_range, divide=True)


@kernel("FakeQuantWithMinMaxVarsPerChannel")
def fake_quant_channels(x: Tensor, min: Tensor, max: Tensor, *, num_bits: int, narrow_range: bool) -> Tensor:
    """Quantize with one range for each slice of the last dimension."""
    check(x.ndim, "a scalar has no channels")
    for name, each in (("min", min), ("max", max)):
        check(
            each.shape == x.shape[-1:],
            f"{name} must be of shape {show(x.shape[-1:])}, not {show(each.shape)}",
        )
    return _rounded(x, min, max, num_bits, narrow_range, divide=False)


def _rounded(x: Tensor, low: Tensor, high: Tensor, bits: int, narrow: bool, *, divide: bool) -> Tensor:
    """Numbers are divided by the size of a step, or multiplied with how many make one, which rounds otherwise."""
    check(2 <= bits <= 16, f"num_bits is {bits}, and must be from 2 to 16")
    first, last = _F(narrow), _F((1 << bits) - 1)
    scale = (high - low) / (last - first)
    zero = first - low / scale
    zero = np.where(zero < first, first, np.where(zero > last, last, np.floor(zero + _F(0.5))))
    low_used, high_used = (first - zero) * scale, (last - zero) * scale
    moved = np.maximum(np.minimum(x, high_used), low_used) - low_used
    steps = moved / scale if divide else moved * ((last - first) / (high - low))
    found = np.floor(steps - (zero - first) + _F(0.5)) * scale
    return np.where((low == 0) & (high == 0), _F(0), found)  # an empty range: nothing was seen yet


# --- codes around 0 --------------------------------------------------------------------------------------------------


@kernel("QuantizeAndDequantize")
def quantize_and_dequantize(
    x: Tensor, *, signed_input: bool, num_bits: int, range_given: bool, input_min: float, input_max: float
) -> Tensor:
    low, high = np.asarray(input_min, x.dtype), np.asarray(input_max, x.dtype)
    return _symmetric(x, low, high, num_bits, signed_input, range_given, False, -1, b"HALF_TO_EVEN")


@kernel("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4")
def quantize_and_dequantize_v2(
    x: Tensor,
    input_min: Tensor,
    input_max: Tensor,
    *,
    signed_input: bool,
    num_bits: int,
    range_given: bool,
    round_mode: bytes = b"HALF_TO_EVEN",
    narrow_range: bool = False,
    axis: int = -1,
) -> Tensor:
    return _symmetric(x, input_min, input_max, num_bits, signed_input, range_given, narrow_range, axis, round_mode)


@kernel("QuantizeAndDequantizeV3")
def quantize_and_dequantize_v3(
    x: Tensor,
    input_min: Tensor,
    input_max: Tensor,
    num_bits: Tensor,
    *,
    signed_input: bool,
    range_given: bool,
    narrow_range: bool = False,
    axis: int = -1,
) -> Tensor:
    bits = read_scalar(num_bits, "num_bits", vector_of_one=True)
    return _symmetric(x, input_min, input_max, bits, signed_input, range_given, narrow_range, axis, b"HALF_TO_EVEN")


def _symmetric(
    x: Tensor,
    low: Tensor,
    high: Tensor,
    bits: int,
    signed: bool,
    given: bool,
    narrow: bool,
    axis: int,
    round_mode: bytes,
) -> Tensor:
    """Steps so large that both ends of the range have a code. The range is that of x if none is given."""
    check(0 < bits < (62 if signed else 63), f"num_bits is {bits}, and must be from 1 to {61 if signed else 62}")
    check(axis >= -1, f"axis is {axis}, and must be -1 or more")
    others = tuple(range(x.ndim))
    if axis >= 0:
        normalize_axis(axis, x.ndim)
        others = tuple(each for each in others if each != axis)
    if given:
        low, high = (_range(each, x, axis) for each in (low, high))
        check(not (low > high).any(), "input_min must not be greater than input_max")
    elif x.size:
        low, high = x.min(others, keepdims=True), x.max(others, keepdims=True)
    else:
        return x
    lowest = 0 if not signed else narrow - (1 << (bits - 1))
    highest = (1 << (bits - 1 if signed else bits)) - 1
    number: Any = x.dtype.type
    most = np.finfo(x.dtype).max
    below = np.where(number(lowest) * low > 0, number(lowest) / low, most)
    above = np.where(number(highest) * high > 0, number(highest) / high, most)
    scale = np.minimum(below, above)
    step = np.where(below < above, low / number(lowest), high / number(highest))
    if given:
        # The end of the range that needs larger steps decides; the other end moves out.
        low, high = (
            np.where(below < above, low, number(lowest) * step),
            np.where(below < above, number(highest) * step, high),
        )
        x = np.maximum(np.minimum(x, high), low)
    codes = x * scale
    codes = np.rint(codes) if round_mode == b"HALF_TO_EVEN" else np.floor(codes + number(0.5))
    return np.asarray(codes * step, x.dtype)


def _range(values: Tensor, x: Tensor, axis: int) -> Tensor:
    """One end of the range, for all or for each slice, made to be broadcast."""
    if axis < 0:
        check(values.size == 1, f"a range must be one number, not of shape {show(values.shape)}")
        return values.reshape(())
    check(values.shape == (x.shape[axis],), f"ranges of slices must be {x.shape[axis]}, not {show(values.shape)}")
    return values.reshape([-1 if at == axis else 1 for at in range(x.ndim)])
