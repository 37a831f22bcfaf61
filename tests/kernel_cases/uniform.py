"""Uniform quantization with scales and zero points."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, Typed, i32, numbers
from tests.kernel_cases.quantizing import codes, halfway
from tfmodel.messages import DataType

TYPES = {DataType.DT_QINT8: (-128, 127), DataType.DT_QINT32: (-(2**31), 2**31 - 1)}
STORED = {  # TensorFlow overflows at the ends of qint32
    DataType.DT_QINT8: codes(DataType.DT_QINT8, 3, 4),
    DataType.DT_QINT32: Typed(numbers((3, 4), np.int32, -100_000, 100_000), DataType.DT_QINT32),
}
X = numbers((3, 4), np.float32, -9, 9)
PARAMETERS = [  # scales, zero points, axis
    (np.float32(0.5), i32(3), -1),
    (np.float32(0.037), i32(-7), -1),
    (np.float32([0.1, 0.25, 2]), i32([0, 5, -3]), 0),
    (np.float32([0.1, 0.25, 2, 0.3]), i32([0, 5, -3, 1]), 1),
    (np.float32([0.1, 0.25]), i32([0, 5]), 0),
    (np.float32([0.1, 0.25, 2]), i32([0, 5, -3]), -1),
    (np.float32(0), i32(0), -1),
    (np.float32(-1), i32(0), -1),
    (np.float32(0.5), i32([3]), -1),
    (np.float32(0.5), i32(3), 5),
]


def span(low, high):
    return {"quantization_min_val": low, "quantization_max_val": high}


CASES = [
    *(
        Case("UniformQuantize", [X, scales, zeros], Tout=dtype, quantization_axis=axis, **span(*ends), ulps=0)
        for dtype, ends in TYPES.items()
        for scales, zeros, axis in PARAMETERS
        if scales.min() > 0
    ),
    *(
        Case(
            "UniformQuantize", [halfway(-1, 2), np.float32(0.25), i32(1)], Tout=DataType.DT_QINT8, **span(*ends), ulps=0
        )
        for ends in ((-128, 127), (-3, 4), (5, 5))
    ),
    *(
        Case(
            "UniformDequantize",
            [STORED[dtype], scales, zeros],
            Tout=DataType.DT_FLOAT,
            quantization_axis=axis,
            **span(*ends),
            ulps=0,
        )
        for dtype, ends in TYPES.items()
        for scales, zeros, axis in PARAMETERS
    ),
    *(
        Case(
            "UniformQuantizedClipByValue",
            [
                codes(DataType.DT_QINT32, 3, 4),
                Typed(low, DataType.DT_QINT32),
                Typed(high, DataType.DT_QINT32),
                np.ones(low.shape, np.float32),
                np.zeros(low.shape, np.int32),
            ],
            quantization_axis=axis,
            **span(-(2**31), 2**31 - 1),
        )
        for low, high, axis in (
            (i32(-100), i32(10**9), -1),
            (i32(0), i32(0), -1),
            (i32(7), i32(-7), -1),
            (i32(-(2**31)), i32(2**31 - 1), -1),
            (i32([1]), i32([2]), -1),
            (i32([1, 2]), i32([2, 3]), 0),
            (i32([1, 2, 3]), i32([2, 3, 4]), 2),
            (i32([[1, 2, 3]]), i32([[2, 3, 4]]), 0),
            (i32([-5, 0, 7]), i32([5, 10**9, 8]), 0),
            (i32([1, 2, 3, 4]), i32([5, 6, 7, 8]), 1),
        )
    ),
]
