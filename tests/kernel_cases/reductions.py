"""Sums, means, extremes, where these are, and running totals."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, bf16, f32, f64, i32, i64, numbers
from tfmodel.messages import DataType

INTEGERS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
FLOATS = (np.float32, np.float64, np.float16)
OF_NUMBERS = ("Sum", "Mean", "Prod", "EuclideanNorm")
OF_ORDERED = ("Max", "Min")
AXES = [
    ((2, 3, 4), [0]),
    ((2, 3, 4), [1]),
    ((2, 3, 4), [2]),
    ((2, 3, 4), [-1]),
    ((2, 3, 4), [0, 2]),
    ((2, 3, 4), [2, 0]),
    ((2, 3, 4), [0, 1, 2]),
    ((2, 3, 4), []),
    ((2, 3, 4), 1),
    ((2, 3, 4), [3]),
    ((2, 3, 4), [-4]),
    ((2, 3, 4), [1, 1]),
    ((2, 3, 4), [1, -2]),
    ((), []),
    ((), [0]),
    ((0, 3), [0]),
    ((0, 3), [1]),
    ((2, 0), [0, 1]),
    ((5,), [0]),
    ((3, 2), [[1]]),
    ((1, 3, 1), [0, -1]),
    ((2, 3, 2, 2, 2), [1, 3]),
    ((2, 0, 3), [1]),
]
SPECIAL = np.array(
    [
        [1, np.nan, 2],
        [np.inf, -np.inf, 0],
        [np.inf, np.inf, -0.0],
        [np.nan, np.nan, np.nan],
        [-np.inf, -np.inf, -np.inf],
    ]
)
PLACES = [
    ((2, 3, 4), 0),
    ((2, 3, 4), 1),
    ((2, 3, 4), -1),
    ((2, 3, 4), -3),
    ((2, 3), 2),
    ((2, 3), -3),
    ((), 0),
    ((0, 3), 0),
    ((0, 3), 1),
    ((2, 0), 0),
    ((5,), 0),
    ((2, 3), [1]),
    ((2, 1), 1),
]
TIES = np.array([[1, 3, 3], [2, 2, 2], [3, 1, 1]])
OUT = (DataType.DT_INT32, DataType.DT_INT64)
SCANS = ("Cumsum", "Cumprod", "CumulativeLogsumexp")
WAYS = [{"exclusive": exclusive, "reverse": reverse} for exclusive in (False, True) for reverse in (False, True)]


def spread(dtype):
    """Numbers of which sums and products do not fit."""
    high = {1: 100, 2: 3000}.get(np.dtype(dtype).itemsize, 1 << 20)
    low = 1 if np.dtype(dtype).kind == "u" else -high
    return numbers([6, 5], dtype, low, high)


CASES = [
    *(
        Case(op, [f32(*shape), i32(axes)], keep_dims=keep)
        for op in (*OF_NUMBERS, *OF_ORDERED)
        for shape, axes in AXES
        for keep in (False, True)
    ),
    *(Case(op, [spread(dtype), i64(1)]) for op in ("Sum", "Mean", "Prod", *OF_ORDERED) for dtype in INTEGERS),
    *(
        Case(op, [numbers([3, 40], dtype, 0.9, 1.1), i32([1])], rtol=2e-3 if dtype == np.float16 else 1e-6)
        for op in (*OF_NUMBERS, *OF_ORDERED)
        for dtype in FLOATS
    ),
    *(
        Case(op, [numbers([3, 5], dtype), i32([axis])], rtol=1e-6)
        for op in OF_NUMBERS
        for dtype in (np.complex64, np.complex128)
        for axis in (0, 1)
    ),
    *(Case(op, [bf16(f32(3, 5)), i32([axis])], rtol=2**-6) for op in (*OF_NUMBERS, *OF_ORDERED) for axis in (0, 1)),
    *(
        Case(op, [SPECIAL.astype(dtype), i32([axis])])
        for op in (*OF_NUMBERS, *OF_ORDERED)
        for dtype in FLOATS
        for axis in (0, 1)
    ),
    *(
        Case(op, [np.zeros((0, 2), dtype), i32([0])])
        for op in ("Sum", "Prod", *OF_ORDERED)
        for dtype in (np.int32, np.uint8, np.float64)
    ),
    *(
        Case(op, [numbers(shape, bool), i32(axes)], keep_dims=keep)
        for op in ("All", "Any")
        for shape, axes in AXES
        for keep in (False, True)
    ),
    *(
        Case(op, [f32(*shape), i32(axis)], output_type=out)
        for op in ("ArgMax", "ArgMin")
        for shape, axis in PLACES
        for out in OUT
    ),
    *(Case(op, [TIES.astype(dtype), i64(1)]) for op in ("ArgMax", "ArgMin") for dtype in (*INTEGERS, *FLOATS)),
    *(
        Case(op, [SPECIAL.astype(dtype), i32(axis)])
        for op in ("ArgMax", "ArgMin")
        for dtype in FLOATS
        for axis in (0, 1)
    ),
    *(Case(op, [array, i32(0)]) for op in ("ArgMax", "ArgMin") for array in (numbers([5], bool), bf16([1, 3, 2]))),
    *(Case("ArgMax", [f32(3, 2), i32(0)], output_type=out) for out in (DataType.DT_INT16, DataType.DT_UINT16)),
    *(Case(op, [f32(*shape), i32(axis)], **way) for op in SCANS for shape, axis in PLACES for way in WAYS),
    *(
        Case(op, [spread(dtype), i64(-1)], **way)
        for op in ("Cumsum", "Cumprod")
        for dtype in INTEGERS[:5]
        for way in WAYS[:2]
    ),
    *(
        Case(op, [numbers([4, 6], dtype), i32(1)], **way, rtol=2e-3 if dtype == np.float16 else 1e-6)
        for op in SCANS
        for dtype in FLOATS
        for way in WAYS[1:]
    ),
    *(
        Case(op, [numbers([4, 3], np.complex64), i32(0)], **way, rtol=1e-6)
        for op in ("Cumsum", "Cumprod")
        for way in WAYS
    ),
    *(
        Case("CumulativeLogsumexp", [np.array(values), i32(0)], **way)
        for way in WAYS
        for values in ([-np.inf, 1.0, 2.0], [np.inf, 1.0], [1e3, 1e3, -1e3], [-np.inf, -np.inf])
    ),
    Case("Mean", [f64(100), i32([0])], rtol=1e-15),
]
