"""Fake quantization, and conversion between floats and the integers that stand for them.

A fake quantization becomes a QuantizeLinear and a DequantizeLinear, which runtimes recognize. ONNX rounds halves to
even numbers, TensorFlow up: results that lie between two steps may differ by one.
"""

from __future__ import annotations

import numpy as np

from ....messages import DataType
from ....values.dtypes import dtype_of
from ..conversion import operators
from ..conversion.call import FLOAT, Call
from ..conversion.model import Array, Value
from ..conversion.probing import probe
from ..conversion.registry import beyond, converter

UINT8 = DataType.DT_UINT8
_F = np.float32


@converter("FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel")
def _fake(call: Call) -> Value:
    """Round to the steps of a range, which is moved so that zero is one of them."""
    if call.node.op == "FakeQuantWithMinMaxArgs":
        low, high = (np.asarray(call.attr(name, float, default), _F) for name, default in (("min", -6.0), ("max", 6.0)))
    else:
        low, high = (call.required(index, "its range").astype(_F) for index in (1, 2))
    first, last = int(call.attr("narrow_range", bool, False)), (1 << call.attr("num_bits", int, 8)) - 1
    x, order = call.moved(0)
    if not (np.any(low) or np.any(high)):  # an empty range, before training
        return call.laid_out(call.add("Mul", x, call.const(0, FLOAT)), order)
    if np.any(low >= high):
        call.refuse("its range is empty")
    scale = ((high - low) / _F(last - first)).astype(_F)
    zero = np.clip(np.floor(_F(first) - low / scale + _F(0.5)), first, last).astype(_F)
    place = call.places([call.rank(0) - 1], order)[0] if low.ndim else -1
    axis = {"axis": place} if low.ndim else {}
    if last > np.iinfo(np.uint8).max:
        return call.laid_out(_rounded(call, x, place, scale, zero, first, last), order)
    if first > 0 or last < np.iinfo(np.uint8).max:
        x = _limited(call, x, place, (first - zero) * scale, (last - zero) * scale)
    step, origin = call.const(scale, FLOAT), call.const(zero.astype(np.uint8), UINT8)
    quantized = call.add("QuantizeLinear", x, step, origin, dtype=UINT8, more=axis)
    return call.laid_out(call.add("DequantizeLinear", quantized, step, origin, dtype=FLOAT, more=axis), order)


def _limited(call: Call, x: Value, place: int, low: Array, high: Array) -> Value:
    """Limit elements to a range, or to one for each channel."""
    if not low.ndim:
        return operators.clip(call, x, float(low), float(high))
    low, high = (_along(x, place, limit) for limit in (low, high))
    return call.add("Max", call.add("Min", x, call.const(high, FLOAT)), call.const(low, FLOAT))


def _along(x: Value, place: int, array: Array) -> Array:
    """Return one number for each channel, or one for all, as it is broadcast along the axis of the channels."""
    behind = len(x.shape or ()) - 1 - place
    return array.reshape(-1, *[1] * behind) if array.ndim else array


def _rounded(call: Call, x: Value, place: int, scale: Array, zero: Array, first: int, last: int) -> Value:
    """Round to steps in float32: there are too many for a byte."""
    lowest, step = _along(x, place, (first - zero) * scale), _along(x, place, scale)
    limited = _limited(call, x, place, (first - zero) * scale, (last - zero) * scale)
    steps = call.add("Div", call.add("Sub", limited, call.const(lowest, FLOAT)), call.const(step, FLOAT))
    whole = call.add("Floor", call.add("Add", steps, call.const(0.5, FLOAT)))
    return call.add("Add", call.add("Mul", whole, call.const(step, FLOAT)), call.const(lowest, FLOAT))


@converter("QuantizeAndDequantize", "QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4")
def _quantize_and_dequantize(call: Call) -> Value:
    """Round to multiples of the smallest step with which the codes cover a range: a given one, or that of the data.

    With a given range, numbers are limited to it. Without sign, codes begin at 0, and the start of the range is not
    used.
    """
    op = call.node.op
    is_given = call.attr("range_given", bool, op == "QuantizeAndDequantizeV3")
    if op == "QuantizeAndDequantizeV3":
        bits = int(call.required(3, "its number of bits").ravel()[0])
    else:
        bits = call.attr("num_bits", int, 8)
    is_signed, narrow = call.attr("signed_input", bool, True), int(call.attr("narrow_range", bool, False))
    first = narrow - (1 << bits - 1) if is_signed else 0
    last = (1 << (bits - 1 if is_signed else bits)) - 1
    x = call.input(0)
    low, high = _range(call, x, is_given=is_given)
    steps = [call.add("Div", end, call.like(code, x)) for end, code in ((low, first), (high, last)) if code]
    if not steps:
        call.refuse("it has a single code")
    step = call.add("Max", *steps, call.like(np.finfo(np.float32).tiny, x))
    if is_given:
        limits = [call.add("Mul", step, call.like(code, x)) for code in (first, last)]
        x = call.add("Max", call.add("Min", x, limits[1]), limits[0])
    codes = call.add("Div", x, step)
    if call.attr("round_mode", str, "HALF_TO_EVEN") == "HALF_UP":
        codes = call.add("Floor", call.add("Add", codes, call.like(0.5, x)))
    else:
        codes = call.add("Round", codes)
    return call.laid_out(call.add("Mul", codes, step))


def _range(call: Call, x: Value, *, is_given: bool) -> list[Value]:
    """Return both ends of a range: numbers for all elements, or one for each slice of an axis."""
    rank, axis = call.rank(0), call.attr("axis", int, -1)
    if not is_given:
        axes = [each for each in range(rank) if each != axis]
        return [operators.reduce(call, op, x, axes, keepdims=axis >= 0) for op in ("ReduceMin", "ReduceMax")]
    if call.node.op == "QuantizeAndDequantize":
        return [call.like(call.attr(name, float, 0.0), x) for name in ("input_min", "input_max")]
    ends = [call.input(index) for index in (1, 2)]
    if axis >= 0:
        return [operators.unsqueeze(call, end, list(range(1, rank - axis))) for end in ends]
    return [operators.reshape(call, end, []) for end in ends]


@converter("Dequantize")
def _dequantize(call: Call) -> Value:
    """Numbers of a constant range: a line through the numbers of the lowest and the highest integer."""
    ends = [call.required(index, "its range") for index in (1, 2)]
    if call.attr("axis", int, -1) != -1:
        call.refuse("each slice has a range of its own")
    limits = np.iinfo(dtype_of(call.dtype(0)).numpy)
    codes = np.array([limits.min, limits.max], limits.dtype)
    low, high = probe(call, [codes, *ends], dtype=FLOAT).astype(np.float64)
    step = (high - low) / (int(limits.max) - int(limits.min))
    start = low - int(limits.min) * step
    result = call.add("Mul", call.cast(call.input(0), FLOAT), call.const(step, FLOAT))
    if abs(start) > 1e-6 * step:
        result = call.add("Add", result, call.const(start, FLOAT))
    return call.laid_out(call.cast(result, call.output_dtype()))


_QUANTIZED = (
    "QuantizedAdd", "QuantizedBatchNormWithGlobalNormalization", "QuantizedBiasAdd", "QuantizedConcat",
    "QuantizedConv2D", "QuantizedInstanceNorm", "QuantizedMatMul", "QuantizedMul", "QuantizedRelu", "QuantizedRelu6",
    "QuantizedReluX", "QuantizedReshape", "QuantizedResizeBilinear", "QuantizedAvgPool", "QuantizedMaxPool",
    "QuantizeDownAndShrinkRange", "QuantizeV2", "RequantizationRange", "Requantize",
)  # fmt: skip

beyond(
    dict.fromkeys(_QUANTIZED, "layers of 8-bit integers with computed ranges"),
    "export the graph as it was before quantization",
)
