"""Numbers as codes of few bits and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.kernel_cases import Case, Typed, f32, numbers
from tfmodel.messages import DataType

CODES = {
    DataType.DT_QUINT8: np.uint8,
    DataType.DT_QINT8: np.int8,
    DataType.DT_QUINT16: np.uint16,
    DataType.DT_QINT16: np.int16,
    DataType.DT_QINT32: np.int32,
}
SMALL = [dtype for dtype in CODES if dtype != DataType.DT_QINT32]
RANGES = [(-3, 3), (0, 6), (-1, 2.7), (-0.001, 0.002), (0.5, 1.5), (-4, -1), (0, 0), (-1000, 7)]
EXACT = {"ulps": 0}


def scalar(value: float) -> np.ndarray[Any, Any]:
    return np.array(value, np.float32)


def codes(dtype: DataType, *shape: int) -> Typed:
    """Codes all over the range of a type, with both of its ends."""
    info = np.iinfo(CODES[dtype])
    array = numbers(shape, CODES[dtype], info.min, info.max)
    array.flat[:2] = [info.min, info.max][: array.size]
    return Typed(array, dtype)


def halfway(low: float, high: float) -> np.ndarray[Any, Any]:
    """Numbers in and around a range, many of them just between two codes."""
    return np.linspace(low - (high - low) / 16, high + (high - low) / 16, 145, dtype=np.float32)


def quantized() -> Iterator[Case]:
    for dtype in SMALL:
        for low, high in RANGES:
            inputs = [halfway(low, high), scalar(low), scalar(high)]
            for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
                yield Case("QuantizeV2", inputs, T=dtype, mode=mode, **EXACT)
            for narrow in (False, True) if high > 0 else ():  # else TensorFlow's scale is so large that 1 / it is 0
                yield Case("QuantizeV2", inputs, T=dtype, mode="SCALED", round_mode="HALF_TO_EVEN", narrow_range=narrow)
    x, low, high = f32(2, 3, 4), scalar(-1), scalar(2)
    for axis, count in ((0, 2), (1, 3), (2, 4)):
        ends = [numbers((count,), np.float32, -2, 0), numbers((count,), np.float32, 0, 3)]
        for dtype in SMALL:
            for mode in ("MIN_COMBINED", "SCALED"):
                yield Case("QuantizeV2", [x, *ends], T=dtype, mode=mode, axis=axis, **EXACT)
    for least in (0.0, 0.5, 2.0):
        yield Case("QuantizeV2", [x, scalar(0), scalar(0.1)], T=DataType.DT_QUINT8, ensure_minimum_range=least)
    yield Case("QuantizeV2", [f32(0, 3), low, high], T=DataType.DT_QUINT8)
    refused: list[dict[str, Any]] = [{"round_mode": "HALF_TO_EVEN"}, {"axis": -2}, {"axis": 3}, {"axis": 1}]
    for attributes in refused:
        yield Case("QuantizeV2", [x, low, high], T=DataType.DT_QUINT8, **attributes)
    yield Case("QuantizeV2", [x, high, low], T=DataType.DT_QUINT8)


def dequantized() -> Iterator[Case]:
    for dtype in CODES:
        for low, high in RANGES:
            inputs = [codes(dtype, 60), scalar(low), scalar(high)]
            for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
                if dtype == DataType.DT_QINT32 and mode == "SCALED":  # it makes the lowest code of the highest ones
                    inputs[0] = Typed(numbers((60,), np.int32, -(2.0**31), 2.0**31 - 200), dtype)
                yield Case("Dequantize", inputs, mode=mode, **EXACT)
        few = Typed(codes(dtype, 9).array // 2, dtype)
        yield Case("Dequantize", [few, scalar(-2), scalar(1)], mode="SCALED", narrow_range=True, **EXACT)
        yield Case("Dequantize", [codes(dtype, 9), scalar(-2), scalar(1)], dtype=DataType.DT_BFLOAT16, **EXACT)
        for axis, count in ((0, 2), (1, 3)):
            ends = [numbers((count,), np.float32, -2, 0), numbers((count,), np.float32, 0, 3)]
            for mode in ("MIN_COMBINED", "SCALED"):
                yield Case("Dequantize", [codes(dtype, 2, 3, 4), *ends], mode=mode, axis=axis, **EXACT)
    inputs = [codes(DataType.DT_QUINT8, 2, 3), scalar(-1), scalar(2)]
    yield Case("Dequantize", inputs, mode="MIN_FIRST", dtype=DataType.DT_BFLOAT16)
    yield Case("Dequantize", inputs, axis=2)
    yield Case("Dequantize", inputs, axis=1)


def moved() -> Iterator[Case]:
    wide = DataType.DT_QINT32
    for low, high in RANGES:
        original = [codes(wide, 60), scalar(low), scalar(high)]
        near = [Typed(numbers((60,), np.int32, -(2**20), 2**24), wide), scalar(low), scalar(high)]
        for inputs in (original, near):
            yield Case("RequantizationRange", inputs, **EXACT)
            yield Case("QuantizeDownAndShrinkRange", inputs, out_type=DataType.DT_QUINT8, **EXACT)
            for new in ((-1, 1), (0, 0.3), (-2000, 0.01), (0, 0)):
                ends = [scalar(end) for end in new]
                for dtype in (DataType.DT_QUINT8, DataType.DT_QINT8):
                    yield Case("Requantize", [*inputs, *ends], out_type=dtype, **EXACT)
    original = [codes(wide, 3), scalar(-1), scalar(1)]
    for new in ((1, 2), (-1, -2)):
        yield Case("Requantize", [*original, *map(scalar, new)], out_type=DataType.DT_QUINT8)
    yield Case("RequantizationRange", [codes(wide, 0), scalar(-1), scalar(1)], **EXACT)
    # Which of two codes numbers amid them get: the first are all the sums that a layer gave, the others large ones.
    for sums, end, new in (
        (np.arange(-8000, 8000), 669884.8, (-4.78749, 5.179286)),
        (np.arange(1387216800, 1387217200), 2.384, (-0.87, 3.95)),
    ):
        inputs = [Typed(sums.astype(np.int32), wide), scalar(-end), scalar(end), *map(scalar, new)]
        yield Case("Requantize", inputs, out_type=DataType.DT_QUINT8, **EXACT)


CASES = [*quantized(), *dequantized(), *moved()]
