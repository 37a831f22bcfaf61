"""Histograms."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, f32, f64, i32, i64, numbers
from tfmodel.messages import DataType

NONE = np.zeros(0, np.int32)
COUNTS = [
    ([0, 1, 1, 3], 4),
    ([0, 1, 1, 3], 6),
    ([0, 1, 1, 9], 4),
    ([], 3),
    ([2, 2], 0),
    ([[0, 1], [1, 1]], 3),
    ([0, -1], 3),
    ([0, 1], -1),
    ([[[0]]], 2),
    (1, 3),
    ([[], []], 2),
]
WEIGHTS = (np.float32, np.float64, np.int32, np.int64)
BINS = [
    ([0, 5], 5),
    ([-3, 3], 4),
    ([0, 1], 1),
    ([5, 0], 5),
    ([1, 1], 5),
    ([0, 5], 0),
    ([0, 5], -1),
    ([0, 0.3], 7),
    ([-10, 10], 3),
]

CASES = [
    *(Case("Bincount", [i32(arr), i32(size), np.zeros(0, dtype)]) for arr, size in COUNTS for dtype in WEIGHTS),
    *(
        Case("Bincount", [i32(arr), i32(size), numbers(np.shape(arr), dtype)])
        for arr, size in COUNTS
        for dtype in WEIGHTS
    ),
    Case("Bincount", [i32([0, 1]), i32(2), f32(3)]),
    Case("Bincount", [i32([0, 1]), i32([2]), f32(2)]),
    *(
        Case("DenseBincount", [whole(arr), whole(size), np.zeros(0, dtype)], binary_output=binary)
        for arr, size in COUNTS
        for whole, dtype in ((i32, np.float32), (i64, np.int32))
        for binary in (False, True)
    ),
    *(
        Case("DenseBincount", [i32(arr), i32(size), numbers(np.shape(arr), dtype)])
        for arr, size in COUNTS
        for dtype in WEIGHTS
    ),
    Case("DenseBincount", [i32([0, 1]), i32(2), f32(3)]),
    Case("DenseBincount", [i32([[0, 1]]), i32(2), f32(2)]),
    *(
        Case("HistogramFixedWidth", [numbers([4, 5], dtype, -4, 8), np.array(limits, dtype), i32(bins)], dtype=out)
        for limits, bins in BINS
        for dtype, out in ((np.float32, DataType.DT_INT32), (np.float64, DataType.DT_INT64))
    ),
    *(
        Case("HistogramFixedWidth", [numbers([9], dtype, -4, 8), np.array([0, 5], dtype), i32(5)])
        for dtype in (np.int32, np.int64)
    ),
    Case("HistogramFixedWidth", [f32(), np.float32([-3, 3]), i32(3)]),
    Case("HistogramFixedWidth", [f32(0), np.float32([-3, 3]), i32(3)]),
    Case("HistogramFixedWidth", [f32(3), np.float32([-3, 3, 4]), i32(3)]),
    Case("HistogramFixedWidth", [f64(3), f64(2, 1), i32(3)]),
    Case(
        "HistogramFixedWidth", [np.float32([0, 1, 2, 3, 4, 5, -0.5, 1e30, -np.inf, np.inf]), np.float32([0, 5]), i32(5)]
    ),
]
