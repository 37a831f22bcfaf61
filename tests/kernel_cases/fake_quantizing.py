"""Fake quantization of floats."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from tests.kernel_cases import Case, f32, i32, numbers

RANGES = [(-6, 6), (0, 6), (-1, 2.7), (-0.001, 0.002), (0.5, 1.5), (-4, -1), (-1000, 7)]
BITS = (2, 3, 8, 16)


def scalar(value: float, dtype: Any = np.float32) -> np.ndarray[Any, Any]:
    return np.array(value, dtype)


def around(low: float, high: float, dtype: Any = np.float32) -> np.ndarray[Any, Any]:
    return np.linspace(low - (high - low) / 16, high + (high - low) / 16, 145).astype(dtype)


def from_zero() -> Iterator[Case]:
    for (low, high), bits, narrow in product(RANGES, BITS, (False, True)):
        x = around(low, high)
        attributes: dict[str, Any] = {"num_bits": bits, "narrow_range": narrow, "ulps": 0}
        yield Case("FakeQuantWithMinMaxArgs", [x], min=low, max=high, **attributes)
        yield Case("FakeQuantWithMinMaxVars", [x, scalar(low), scalar(high)], **attributes)
    for bits, shape in product(BITS, ((3,), (2, 3), (2, 4, 3), (2, 2, 2, 3))):
        ends = [np.array([-1, 0, -3.3], np.float32), np.array([1, 0.1, 5], np.float32)]
        yield Case("FakeQuantWithMinMaxVarsPerChannel", [f32(*shape), *ends], num_bits=bits, ulps=0)
    x, low, high = f32(4), scalar(-1), scalar(1)
    for bits in (1, 17):
        yield Case("FakeQuantWithMinMaxVars", [x, low, high], num_bits=bits)
    yield Case("FakeQuantWithMinMaxArgs", [x], min=1.0, max=1.0)
    yield Case("FakeQuantWithMinMaxVars", [x, scalar(0), scalar(0)], ulps=0)
    yield Case("FakeQuantWithMinMaxVars", [f32(0), low, high])
    yield Case("FakeQuantWithMinMaxVars", [x, f32(1), high])
    yield Case("FakeQuantWithMinMaxVarsPerChannel", [x, f32(3), f32(4)])
    zeros = np.array([0, -1], np.float32), np.array([0, 1], np.float32)
    yield Case("FakeQuantWithMinMaxVarsPerChannel", [f32(3, 2), *zeros], ulps=0)


def around_zero() -> Iterator[Case]:
    for dtype, (low, high), signed, range_given in product(
        (np.float32, np.float64), RANGES, (True, False), (True, False)
    ):
        ends = [scalar(low, dtype), scalar(high, dtype)]
        x = around(low, high, dtype)
        own: dict[str, Any] = {"signed_input": signed, "range_given": range_given, "ulps": 0}
        if dtype == np.float32:
            yield Case("QuantizeAndDequantize", [x], input_min=low, input_max=high, **own)
        for bits, mode in ((8, "HALF_TO_EVEN"), (3, "HALF_UP"), (16, "HALF_UP")):
            yield Case("QuantizeAndDequantizeV2", [x, *ends], num_bits=bits, round_mode=mode, **own)
            yield Case("QuantizeAndDequantizeV3", [x, *ends, i32(bits)], **own)
            yield Case("QuantizeAndDequantizeV4", [x, *ends], num_bits=bits, round_mode=mode, narrow_range=True, **own)
    x = f32(2, 3, 4)
    for (axis, count), range_given in product(((0, 2), (1, 3), (2, 4)), (True, False)):
        ends = [numbers((count,), np.float32, -2, 0), numbers((count,), np.float32, 0, 3)]
        own = {"axis": axis, "range_given": range_given, "ulps": 0}
        yield Case("QuantizeAndDequantizeV2", [x, *ends], **own)
        yield Case("QuantizeAndDequantizeV3", [x, *ends, i32(8)], narrow_range=True, **own)
        yield Case("QuantizeAndDequantizeV4", [x, *ends], **own)
    low, high = scalar(-1), scalar(1)
    for op, more in (("V2", []), ("V4", []), ("V3", [i32(8)])):
        yield Case(f"QuantizeAndDequantize{op}", [x, high, low, *more], range_given=True)
        yield Case(f"QuantizeAndDequantize{op}", [x, low, high, *more], range_given=True, axis=1)
        yield Case(f"QuantizeAndDequantize{op}", [x, low, high, *more], range_given=True, axis=3)
    for bits, signed in ((0, True), (62, True), (61, True), (63, False), (62, False)):
        yield Case("QuantizeAndDequantizeV2", [x, low, high], num_bits=bits, signed_input=signed, range_given=True)


CASES = [*from_zero(), *around_zero()]
