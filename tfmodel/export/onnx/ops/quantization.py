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
    if last > np.iinfo(np.uint8).max:
        call.refuse("its steps are more than a byte holds")
    if np.any(low >= high):
        call.refuse("its range is empty")
    scale = ((high - low) / _F(last - first)).astype(_F)
    zero = np.clip(np.floor(_F(first) - low / scale + _F(0.5)), first, last).astype(_F)
    place = call.places([call.rank(0) - 1], order)[0] if low.ndim else -1
    axis = {"axis": place} if low.ndim else {}
    if first > 0 or last < np.iinfo(np.uint8).max:
        x = _limited(call, x, place, (first - zero) * scale, (last - zero) * scale)
    step, origin = call.const(scale, FLOAT), call.const(zero.astype(np.uint8), UINT8)
    quantized = call.add("QuantizeLinear", x, step, origin, dtype=UINT8, more=axis)
    return call.laid_out(call.add("DequantizeLinear", quantized, step, origin, dtype=FLOAT, more=axis), order)


def _limited(call: Call, x: Value, place: int, low: Array, high: Array) -> Value:
    """Limit elements to a range, or to one for each channel."""
    if not low.ndim:
        return operators.clip(call, x, float(low), float(high))
    behind = [1] * (len(x.shape or ()) - 1 - place)
    least, most = (call.const(limit.reshape(-1, *behind), FLOAT) for limit in (low, high))
    return call.add("Max", call.add("Min", x, most), least)


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
