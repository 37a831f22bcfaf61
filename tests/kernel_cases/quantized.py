"""Quantized layers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from tests.kernel_cases import Case, Typed, numbers
from tests.kernel_cases.quantizing import codes, scalar
from tfmodel.messages import DataType

BYTE, WIDE = DataType.DT_QUINT8, DataType.DT_QINT32
EXACT = {"ulps": 0}
RANGES = [((-1, 1), (-2, 3)), ((0, 6), (-0.5, 0.25)), ((-3, 0), (0, 255)), ((0, 1), (0, 1)), ((-7, 2), (-1, 0.01))]
RANGES += [((0.5, 1), (-1, 1)), ((-1, 1), (-2, -1))]  # without a zero

NARROW = [(-1, -1), (0, 0), (2, 2), (1, -1)]  # of one number, or the wrong way round

REPEATED = [
    ((2, 3, 4), (1, 3, 4)),
    ((2, 3, 4), (1, 1, 4)),
    ((2, 3, 4), (1, 1, 1)),
    ((1, 3, 4), (2, 3, 4)),
    ((1, 4), (4,)),
    ((2, 1, 3, 4), (3, 4)),
    ((2, 1, 4), (4,)),
    ((2, 3, 1), (1,)),
    ((1, 1), (6,)),
    ((), (5,)),
    ((4, 1), (4, 1)),
    ((2, 3, 4), (2, 1, 4)),
    ((2, 3, 3, 4), (2, 1, 1, 4)),
]
"""The shapes that TensorFlow refuses are last. Where the last dimension is one of these, it reads beyond the data."""


def ends(*ranges: tuple[float, float]) -> list[Any]:
    return [scalar(end) for pair in ranges for end in pair]


def products() -> Iterator[Case]:
    for a, b in RANGES:
        for stride, padding in ((1, "SAME"), (1, "VALID"), (2, "SAME")):
            inputs = [codes(BYTE, 1, 5, 6, 3), codes(BYTE, 3, 2, 3, 4), *ends(a, b)]
            yield Case("QuantizedConv2D", inputs, strides=[1, stride, stride, 1], padding=padding, **EXACT)
        for first, second in product((False, True), repeat=2):
            left, right = (4, 3) if first else (3, 4), (5, 4) if second else (4, 5)
            inputs = [codes(BYTE, *left), codes(BYTE, *right), *ends(a, b)]
            yield Case("QuantizedMatMul", inputs, transpose_a=first, transpose_b=second, **EXACT)
        for x, y in (((2, 3), (2, 3)), ((7,), (1,)), ((1,), (9,)), ((2, 16), (16,)), ((4,), (3, 4))):
            inputs = [codes(BYTE, *x), codes(BYTE, *y), *ends(a, b)]
            yield Case("QuantizedMul", inputs, Toutput=WIDE, **EXACT)
            yield Case("QuantizedAdd", inputs, Toutput=WIDE, **EXACT)
    one = ends((-1, 1), (-1, 1))
    yield Case(
        "QuantizedConv2D",
        [codes(BYTE, 2, 4, 4, 3), codes(BYTE, 1, 1, 3, 2), *one],
        strides=[1, 1, 1, 1],
        padding="SAME",
        **EXACT,
    )
    yield Case(
        "QuantizedConv2D",
        [codes(BYTE, 1, 4, 4, 3), codes(BYTE, 2, 2, 2, 2), *one],
        strides=[1, 1, 1, 1],
        padding="SAME",
    )
    yield Case("QuantizedMatMul", [codes(BYTE, 2, 3), codes(BYTE, 4, 5), *one])
    yield Case("QuantizedAdd", [codes(BYTE, 3), codes(BYTE, 3), *ends((1, 1), (-1, 1))], Toutput=WIDE)
    for op in ("QuantizedMul", "QuantizedAdd"):
        yield Case(op, [codes(BYTE, 3), codes(BYTE, 4), *one], Toutput=WIDE)
        for x, y in REPEATED:
            yield Case(op, [codes(BYTE, *x), codes(BYTE, *y), *one], Toutput=WIDE, **EXACT)
        for a, b in product(NARROW, ((-1, 1), (-1, -1))):
            yield Case(op, [codes(BYTE, 2, 3), codes(BYTE, 2, 3), *ends(a, b)], Toutput=WIDE)
    for a, b in product(NARROW, ((-1, 1), (-1, -1))):
        yield Case("QuantizedMatMul", [codes(BYTE, 2, 3), codes(BYTE, 3, 5), *ends(a, b)])
    for strides in ([1, 2, 1, 1], [1, 1, 2, 1], [1, 3, 3, 1]):
        yield Case(
            "QuantizedConv2D",
            [codes(BYTE, 1, 4, 4, 3), codes(BYTE, 1, 1, 3, 2), *one],
            strides=strides,
            padding="VALID",
            **EXACT,
        )


def biases() -> Iterator[Case]:
    for (a, b), dtype in product(RANGES, (BYTE, DataType.DT_QINT8)):
        inputs = [codes(dtype, 2, 3, 5), codes(dtype, 5), *ends(a, b)]
        yield Case("QuantizedBiasAdd", inputs, out_type=WIDE, **EXACT)
    yield Case("QuantizedBiasAdd", [codes(BYTE, 2, 5), codes(BYTE, 4), *ends((-1, 1), (-1, 1))], out_type=WIDE)


def activations() -> Iterator[Case]:
    for pair, dtype in product([*RANGES[0], *RANGES[1], *RANGES[2], (-10, 20)], (BYTE, WIDE)):
        inputs = [codes(dtype, 40), *ends(pair)]
        for op in ("QuantizedRelu", "QuantizedRelu6"):
            yield Case(op, inputs, out_type=dtype, **EXACT)


def norms() -> Iterator[Case]:
    for spread, scaled, epsilon in product((1, 10, 0.1), (False, True), (0.001, 0.3)):
        inputs: list[Any] = [codes(BYTE, 1, 3, 4, 5), *ends((-10, 10))]
        for at, pair in enumerate(((-1, 2), (0, 4), (-3, 1), (-1, spread))):
            inputs += [Typed(numbers((5,), np.uint8, 40 + at, 250), BYTE), *ends(pair)]
        yield Case(
            "QuantizedBatchNormWithGlobalNormalization",
            inputs,
            out_type=WIDE,
            variance_epsilon=epsilon,
            scale_after_normalization=scaled,
            **EXACT,
        )


CASES = [*products(), *biases(), *activations(), *norms()]
