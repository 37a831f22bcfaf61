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

EMPTY = np.zeros(0, np.float32)
# TensorFlow 2.12 writes outside of its buffers for some that are not sound: see tests/tfmodel/kernels/test_counting.py.
SPARSE = [  # indices, values, dense_shape
    ([[0], [2], [5]], [1, 1, 4], [6]),
    ([[0, 0], [0, 2], [1, 1], [3, 0]], [1, 1, 4, 0], [4, 3]),
    ([], [], [3]),
    ([], [], [2, 3]),
]
RAGGED = [  # splits, values
    ([0, 3, 3, 5], [1, 1, 4, 0, 2]),
    ([0, 0], []),
    ([0, 1], [7]),
]
DENSE = [[1, 1, 4, 0], [[1, 1, 4], [0, 9, 9]], [], [[], []], [-1, 2], [[-1, 2], [3, 3]], 3, [[[1]]]]
LENGTHS = [{"minlength": -1, "maxlength": -1}, {"minlength": 8, "maxlength": -1}, {"minlength": -1, "maxlength": 4}]
COUNTED = [*LENGTHS, {"minlength": 2, "maxlength": 3}, {"minlength": 3, "maxlength": 0}]


def sparse(indices, dense_shape):
    return np.array(indices, np.int64).reshape(-1, np.shape(indices)[-1] if indices else len(dense_shape))


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
    *(
        Case(
            "SparseBincount",
            [sparse(indices, shape), whole(values), i64(shape), whole(size), weights],
            binary_output=binary,
        )
        for indices, values, shape in SPARSE
        for whole, size in ((i32, 5), (i64, 3), (i32, 0))
        for weights, binary in ((EMPTY, False), (EMPTY, True), (numbers((len(values),), np.int32), False))
    ),
    *(
        Case("RaggedBincount", [i64(splits), whole(values), whole(size), weights], binary_output=binary)
        for splits, values in RAGGED
        for whole, size in ((i32, 5), (i64, 3), (i32, 0))
        for weights, binary in ((EMPTY, False), (EMPTY, True), (numbers((len(values),), np.float64), False))
    ),
    *(
        Case("DenseCountSparseOutput", [whole(values), weights], binary_output=binary, **lengths)
        for values in DENSE
        for whole in (i32, i64)
        for lengths in COUNTED
        for weights, binary in ((EMPTY, False), (NONE, True), (numbers(np.shape(values), np.float32), False))
    ),
    *(
        Case(
            "SparseCountSparseOutput",
            [sparse(indices, shape), i64(values), i64(shape), weights],
            binary_output=binary,
            **lengths,
        )
        for indices, values, shape in SPARSE
        for lengths in COUNTED
        for weights, binary in ((EMPTY, False), (NONE, True), (numbers((len(values),), np.float64), False))
    ),
    *(
        Case("RaggedCountSparseOutput", [i64(splits), i32(values), weights], binary_output=binary, **lengths)
        for splits, values in RAGGED
        for lengths in COUNTED
        for weights, binary in ((EMPTY, False), (NONE, True), (numbers((len(values),), np.int64), False))
    ),
]
