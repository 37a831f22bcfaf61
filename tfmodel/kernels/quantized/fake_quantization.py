"""Kernels of fake quantization: round floats to the numbers that quantized values of `num_bits` bits represent.

    FakeQuantWithMinMaxVars(x, -1, 1, num_bits=2)      each x becomes one of four numbers

Models that are trained with these ops can be quantized later. Zero is always one of the numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime.argument_checks import check, normalize_axis, read_scalar, show
from ..runtime.registry import Tensor, kernel

_F = np.float32


# --- FakeQuant -------------------------------------------------------------------------------------------------------


@kernel("FakeQuantWithMinMaxArgs")
def fake_quant_args(x: Tensor, *, min: float, max: float, num_bits: int, narrow_range: bool) -> Tensor:
    # `min` and `max` hide the builtins: arguments of kernels have the names of attributes.
    check(min < max, f"min, {min}, must be smaller than max, {max}")
    return _fake_quantize(x, np.asarray(min, _F), np.asarray(max, _F), num_bits, narrow_range, divide=False)


@kernel("FakeQuantWithMinMaxVars")
def fake_quant_vars(x: Tensor, min: Tensor, max: Tensor, *, num_bits: int, narrow_range: bool) -> Tensor:
    low, high = np.asarray(read_scalar(min, "min"), _F), np.asarray(read_scalar(max, "max"), _F)
    return _fake_quantize(x, low, high, num_bits, narrow_range, divide=True)


@kernel("FakeQuantWithMinMaxVarsPerChannel")
def fake_quant_channels(x: Tensor, min: Tensor, max: Tensor, *, num_bits: int, narrow_range: bool) -> Tensor:
    """Quantize with one range for each slice of the last dimension."""
    check(x.ndim, "the input must not be a scalar")
    for name, tensor in (("min", min), ("max", max)):
        check(
            tensor.shape == x.shape[-1:],
            f"{name} must be of shape {show(x.shape[-1:])}, not {show(tensor.shape)}",
        )
    return _fake_quantize(x, min, max, num_bits, narrow_range, divide=False)


def _fake_quantize(x: Tensor, low: Tensor, high: Tensor, bits: int, narrow: bool, *, divide: bool) -> Tensor:
    """Round numbers. With `divide` they are divided by the size of a step, otherwise multiplied by its inverse.

    The results may differ in the last bit; each kernel of TensorFlow uses one of the two.
    """
    check(2 <= bits <= 16, f"num_bits must be from 2 to 16, got {bits}")
    first, last = _F(narrow), _F((1 << bits) - 1)
    scale = (high - low) / (last - first)
    zero = first - low / scale
    zero = np.where(zero < first, first, np.where(zero > last, last, np.floor(zero + _F(0.5))))
    low_used, high_used = (first - zero) * scale, (last - zero) * scale
    shifted = np.maximum(np.minimum(x, high_used), low_used) - low_used
    steps = shifted / scale if divide else shifted * ((last - first) / (high - low))
    rounded = np.floor(steps - (zero - first) + _F(0.5)) * scale
    return np.where((low == 0) & (high == 0), _F(0), rounded)  # an empty range, before training


# --- QuantizeAndDequantize -------------------------------------------------------------------------------------------


@kernel("QuantizeAndDequantize")
def quantize_and_dequantize(
    x: Tensor, *, signed_input: bool, num_bits: int, range_given: bool, input_min: float, input_max: float
) -> Tensor:
    low, high = np.asarray(input_min, x.dtype), np.asarray(input_max, x.dtype)
    return _quantize_and_dequantize(x, low, high, num_bits, signed_input, range_given, False, -1, b"HALF_TO_EVEN")


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
    return _quantize_and_dequantize(
        x, input_min, input_max, num_bits, signed_input, range_given, narrow_range, axis, round_mode
    )


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
    return _quantize_and_dequantize(
        x, input_min, input_max, bits, signed_input, range_given, narrow_range, axis, b"HALF_TO_EVEN"
    )


def _quantize_and_dequantize(
    x: Tensor,
    low: Tensor,
    high: Tensor,
    bits: int,
    signed: bool,
    range_given: bool,
    narrow: bool,
    axis: int,
    round_mode: bytes,
) -> Tensor:
    """Round numbers to multiples of a step: the smallest step with which the codes cover the range.

    Without `range_given`, the range is the minimum and maximum of `x`. If not `signed`, the codes begin at 0, and `low`
    does not count: numbers below 0 become 0 with `range_given`, and get negative codes without it, as in TensorFlow.
    """
    check(0 < bits < (62 if signed else 63), f"num_bits must be from 1 to {61 if signed else 62}, got {bits}")
    check(axis >= -1, f"axis must be -1 or more, got {axis}")
    reduced_axes = tuple(range(x.ndim))
    if axis >= 0:
        normalize_axis(axis, x.ndim)
        reduced_axes = tuple(number for number in reduced_axes if number != axis)
    if range_given:
        low, high = (_range_end(values, x, axis) for values in (low, high))
        check(not (low > high).any(), "input_min must not be greater than input_max")
    elif x.size:
        low, high = x.min(reduced_axes, keepdims=True), x.max(reduced_axes, keepdims=True)
    else:
        return x
    lowest = 0 if not signed else narrow - (1 << (bits - 1))
    highest = (1 << (bits - 1 if signed else bits)) - 1
    number: Any = x.dtype.type
    max_float = np.finfo(x.dtype).max
    negative_scale = np.where(number(lowest) * low > 0, number(lowest) / low, max_float)
    positive_scale = np.where(number(highest) * high > 0, number(highest) / high, max_float)
    scale = np.minimum(negative_scale, positive_scale)
    step = np.where(negative_scale < positive_scale, low / number(lowest), high / number(highest))
    if range_given:
        # The end of the range that needs larger steps determines them; the other end becomes its last code.
        low, high = (
            np.where(negative_scale < positive_scale, low, number(lowest) * step),
            np.where(negative_scale < positive_scale, number(highest) * step, high),
        )
        x = np.maximum(np.minimum(x, high), low)
    codes = x * scale
    codes = np.rint(codes) if round_mode == b"HALF_TO_EVEN" else np.floor(codes + number(0.5))
    return np.asarray(codes * step, x.dtype)


def _range_end(values: Tensor, x: Tensor, axis: int) -> Tensor:
    """Return one end of the range in a shape that can be broadcast to x: for all elements, or for each slice."""
    if axis < 0:
        check(values.size == 1, f"a range must be one number, not of shape {show(values.shape)}")
        return values.reshape(())
    check(
        values.shape == (x.shape[axis],),
        f"a range for each slice must be of shape [{x.shape[axis]}], not {show(values.shape)}",
    )
    return values.reshape([-1 if number == axis else 1 for number in range(x.ndim)])
