"""Quantized layers of TensorFlow with oneDNN: fused layers, requantization of channels, concatenation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from tests.kernel_cases import Case, Typed, numbers
from tests.kernel_cases.quantizing import codes, scalar
from tfmodel.messages import DataType

__all__ = ["CASES"]

BYTE, SIGNED, WIDE, FLOAT = DataType.DT_QUINT8, DataType.DT_QINT8, DataType.DT_QINT32, DataType.DT_FLOAT
EXACT = {"ulps": 0}
WITH_SIGN = {
    "QuantizedConv2DWithBias",
    "QuantizedConv2DWithBiasAndRelu",
    "QuantizedConv2DWithBiasAndReluAndRequantize",
    "QuantizedConv2DWithBiasAndRequantize",
}
CONVOLUTIONS = [
    *WITH_SIGN,
    "QuantizedConv2DAndRelu",
    "QuantizedConv2DAndReluAndRequantize",
    "QuantizedConv2DAndRequantize",
    "QuantizedConv2DPerChannel",
    "QuantizedConv2DWithBiasSignedSumAndReluAndRequantize",
    "QuantizedConv2DWithBiasSumAndRelu",
    "QuantizedConv2DWithBiasSumAndReluAndRequantize",
    "QuantizedDepthwiseConv2D",
    "QuantizedDepthwiseConv2DWithBias",
    "QuantizedDepthwiseConv2DWithBiasAndRelu",
    "QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize",
]
WITHOUT_PADDING_LIST = {
    "QuantizedConv2DPerChannel",
    "QuantizedDepthwiseConv2D",
    "QuantizedDepthwiseConv2DWithBias",
}
WINDOWS: list[dict[str, Any]] = [
    {"strides": [1, 1, 1, 1], "padding": "SAME"},
    {"strides": [1, 1, 1, 1], "padding": "VALID"},
    {"strides": [1, 2, 2, 1], "padding": "SAME"},
    {"strides": [1, 1, 1, 1], "padding": "VALID", "dilations": [1, 2, 2, 1]},
    {"strides": [1, 2, 1, 1], "padding": "SAME"},
]
PRODUCTS = ["", "AndRelu", "AndRequantize", "AndReluAndRequantize", "AndDequantize"]


def ends(*pairs: tuple[float, float]) -> list[Any]:
    return [scalar(end) for pair in pairs for end in pair]


def convolution(
    op: str,
    windows: dict[str, Any],
    output: tuple[int, int],
    *,
    dtype: DataType = BYTE,
    bias_type: DataType = FLOAT,
    per_channel: bool = False,
    size: tuple[int, ...] = (2, 5, 6, 3),
    filter_size: tuple[int, ...] | None = None,
    **others: Any,
) -> Case:
    depthwise = "Depthwise" in op
    filter_size = filter_size or (3, 2, 3, 2 if depthwise else 4)
    channels = filter_size[2] * filter_size[3] if depthwise else filter_size[3]
    inputs: list[Any] = [codes(dtype, *size), codes(SIGNED, *filter_size)]
    if "WithBias" in op:
        bias = numbers((channels,), np.int32, -9000, 9000)
        inputs.append(numbers((channels,), np.float32, -3, 3) if bias_type == FLOAT else Typed(bias, WIDE))
    low, high = numbers((channels,), np.float32, -2, -0.1), numbers((channels,), np.float32, 0, 2)
    inputs += [*ends((-0.5, 1.5)), *([low, high] if per_channel else [low[0], high[0]])]
    out_type = WIDE
    if "Requantize" in op:
        inputs += ends((-1, 30))
        out_type = BYTE if "Relu" in op else SIGNED
    if "Sum" in op:
        shape = (size[0], *output, channels)
        summand = SIGNED if "Signed" in op else BYTE
        inputs.append(codes(summand, *shape) if "Requantize" in op else numbers(shape, np.float32, -9, 9))
        inputs += ends((-2, 14)) if "Requantize" in op else []
    return Case(op, inputs, out_type=out_type, **windows, **others, **EXACT)


def convolutions() -> Iterator[Case]:
    sizes = [(5, 6), (3, 5), (3, 3), (1, 4), (3, 6)]
    for op in sorted(CONVOLUTIONS):
        bias_types = [FLOAT, WIDE] if "WithBias" in op and "Requantize" in op else [FLOAT]
        dtypes = [BYTE, SIGNED] if op in WITH_SIGN else [BYTE]
        for (windows, output), per_channel in product(zip(WINDOWS, sizes, strict=True), (False, True)):
            for dtype, bias_type in product(dtypes, bias_types):
                yield convolution(op, windows, output, dtype=dtype, bias_type=bias_type, per_channel=per_channel)
        if op not in WITHOUT_PADDING_LIST:
            yield convolution(op, WINDOWS[1], (5, 8), padding_list=[0, 0, 1, 1, 1, 2, 0, 0])
        yield convolution(op, WINDOWS[1], (3, 5), filter_size=(3, 2, 2, 4))  # for another number of channels
    many = {"size": (1, 3, 3, 300), "filter_size": (3, 3, 300, 2)}  # sums that are not exact in single precision
    yield convolution("QuantizedConv2DPerChannel", WINDOWS[1], (1, 1), **many)
    yield convolution("QuantizedConv2DAndRelu", WINDOWS[1], (1, 1), **many)
    yield convolution(
        "QuantizedConv2DAndRelu", WINDOWS[1], (3, 3), size=(1, 4, 4, 4), filter_size=(2, 2, 2, 4)
    )  # groups
    yield convolution("QuantizedConv2DAndRelu", {**WINDOWS[1], "strides": [1, 1, 2, 1]}, (3, 3))
    x, filter = codes(BYTE, 1, 4, 4, 3), codes(SIGNED, 2, 2, 3, 4)
    four = numbers((4,), np.float32)
    for bias, pairs in (
        (numbers((3,), np.float32), ((0, 1), (-1, 1))),
        (four, ((0, 0), (-1, 1))),
        (four, ((0, 1), (0, 0))),
        (four, ((0, np.nan), (-1, 1))),
        (np.array([np.nan, np.inf, -np.inf, 1e30], np.float32), ((0, 1), (-1, 1))),
    ):
        yield Case("QuantizedConv2DWithBias", [x, filter, bias, *ends(*pairs)], **WINDOWS[1], **EXACT)


def products() -> Iterator[Case]:
    for fused, mode, a_range, bias_type in product(
        PRODUCTS, ("MIN_FIRST", "SCALED"), ((0, 1.7), (-0.4, 2), (0.5, 1)), (FLOAT, WIDE)
    ):
        if fused == "AndRelu" and bias_type == WIDE:
            continue
        for size, columns in ((3, 5), (40, 17)):
            yield _product(fused, (4, size), (size, columns), a_range, bias_type, input_quant_mode=mode)
    yield _product("", (2, 900), (900, 2), (0, 1), FLOAT)
    for a, b in (((0, 3), (3, 4)), ((2, 3), (4, 5)), ((2, 0), (0, 3)), ((1, 2, 3), (3, 4))):
        yield _product("AndRequantize", a, b, (0, 1), FLOAT)
    for low, high in ((0, 0), (1, -1), (0, np.inf)):
        yield _product("", (2, 3), (3, 4), (low, high), FLOAT)
    vector = [codes(BYTE, 2, 3), codes(SIGNED, 3, 4), numbers((4,), np.float32), *ends((0, 1), (-1, 1))]
    yield Case("QuantizedMatMulWithBias", [*vector[:-1], np.array([1], np.float32)])
    yield Case("QuantizedMatMulWithBias", [*vector[:2], numbers((3,), np.float32), *vector[3:]])
    yield _product("AndRequantize", (2, 3), (3, 4), (0, 1), FLOAT, output=(0, 0))
    yield _product("", (2, 3), (4, 3), (0, 1), FLOAT, transpose_b=True)
    yield _product("", (3, 2), (3, 4), (0, 1), FLOAT, transpose_a=True)


def _product(
    fused: str,
    a: tuple[int, ...],
    b: tuple[int, ...],
    a_range: tuple[float, float],
    bias_type: DataType,
    output: tuple[float, float] = (-1, 40),
    **attributes: Any,
) -> Case:
    bias = numbers((b[-1],), np.int32, -9000, 9000)
    inputs = [codes(BYTE, *a), codes(SIGNED, *b)]
    inputs.append(numbers((b[-1],), np.float32, -3, 3) if bias_type == FLOAT else Typed(bias, WIDE))
    inputs += ends(a_range, (-0.7, 0.9))
    out_type = WIDE
    if fused.endswith(("Requantize", "Dequantize")):
        inputs += ends(output)
        out_type = BYTE if fused.endswith("Requantize") else FLOAT
    return Case(f"QuantizedMatMulWithBias{fused}", inputs, Toutput=out_type, **attributes, **EXACT)


def requantization() -> Iterator[Case]:
    for shape, low, high, dtype in product(((2, 3, 4, 5), (1, 2, 3, 5)), (-1.0, -0.01), (0.5, 20), (BYTE, SIGNED)):
        sums = Typed(numbers(shape, np.int32, -(10**6), 10**6), WIDE)
        ranges = [numbers((5,), np.float32, -900, 0), numbers((5,), np.float32, 0, 900)]
        yield Case("RequantizePerChannel", [sums, *ranges, *ends((low, high))], out_type=dtype, **EXACT)
    wide, ranges = codes(WIDE, 2, 3, 4, 5), [numbers((5,), np.float32, -2, 0), numbers((5,), np.float32, 0, 2)]
    for low, high in ((-1, 1), (0, 1), (0.5, 1), (0, 0), (-3, -2)):
        for dtype in (BYTE, SIGNED):
            yield Case("RequantizePerChannel", [wide, *ranges, *ends((low, high))], out_type=dtype, **EXACT)
    yield Case("RequantizePerChannel", [codes(WIDE, 1, 1, 3, 4, 5), *ranges, *ends((-1, 1))])
    yield Case("RequantizePerChannel", [wide, ranges[0], ranges[1][:4], *ends((-1, 1))])
    positive = Typed(numbers((2, 3, 4, 5), np.int32, 0, 10**6), WIDE)
    for sums, clip in product((wide, positive, Typed(np.zeros((1, 1, 1, 5), np.int32), WIDE)), (6.0, 1e-4, 1e9)):
        yield Case("RequantizationRangePerChannel", [sums, *ranges], clip_value_max=clip, **EXACT)
    for shape, count in (((4, 5), 5), ((0, 2, 2, 5), 5), ((1, 2, 2, 4), 5), ((1, 2, 2, 5), 4)):
        some = [numbers((count,), np.float32, -2, 0), numbers((count,), np.float32, 0, 2)]
        yield Case("RequantizationRangePerChannel", [codes(WIDE, *shape), *some], clip_value_max=6.0)


def concatenations() -> Iterator[Case]:
    pairs = [
        ((0, 1), (0, 1)),
        ((-1, 1), (-1, 1)),
        ((0, 1), (0, 3)),
        ((-1, 1), (-5, 3)),
        ((0.5, 1), (0.25, 3)),
        ((-3, -1), (-2, -1)),
    ]
    for dtype, (first, second), (shape, axis) in product(
        (BYTE, SIGNED), pairs, (((2, 3), 1), ((1, 2, 3, 4), 3), ((4,), 0))
    ):
        yield _concatenation(dtype, [shape, shape], axis, (first, second))
    near = ((0, 1), (0, 1 + 5e-7))
    yield _concatenation(BYTE, [(1, 2, 2, 3), (1, 2, 2, 5)], -1, near)
    yield _concatenation(BYTE, [(2, 3), (2, 5)], -1, near)
    yield _concatenation(SIGNED, [(2, 3), (1, 3), (0, 3)], 0, ((0, 1), (0, 9), (-1, 1)))
    yield _concatenation(SIGNED, [(0, 3), (0, 3)], 0, ((0, 1), (-1, 1)))
    for shapes, axis in (
        ([(2, 3), (3, 3)], 1),
        ([(2, 3), (2, 3, 1)], 0),
        ([(2, 3), (2, 3)], 2),
        ([(2, 3), (2, 3)], -3),
    ):
        yield _concatenation(BYTE, shapes, axis, pairs[0])


def _concatenation(dtype: DataType, shapes: Any, axis: int, ranges: Any) -> Case:
    lows, highs = ([scalar(pair[place]) for pair in ranges] for place in (0, 1))
    return Case("QuantizedConcatV2", [[codes(dtype, *shape) for shape in shapes], np.int32(axis), lows, highs], **EXACT)


CASES = [*convolutions(), *products(), *requantization(), *concatenations()]
