"""Sorting and searching."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, bf16, f32, i32, i64, numbers, strings
from tfmodel.messages import DataType

TYPES = (np.float32, np.float64, np.int32, np.int64, np.uint8, np.int8, np.int16, np.float16)
TIES = np.float32([[3, 1, 3, 2, 1], [0, -0.0, 5, 5, 5]])
EXTREMES = np.array([0, -(2**31), 2**31 - 1, -1], np.int32)
LISTS = [
    [1, 1, 2, 4, 4, 4, 7, 8, 8],
    [5, 1, 5, 3, 1, 5],
    [],
    [3],
    [2, 2, 2],
    [-1, 0, 1, 0, -1],
    [0.5, -0.0, 0, 0.5],
    [np.nan, 1, np.nan],
    [np.inf, -np.inf, np.inf],
]
MATRIX = np.float32([[1, 0, 1], [1, 0, 1], [2, 0, 2], [1, 0, 1]])
WORDS = strings(["b", "a", "b", "", "a", "b"])
DIFFERENCES = [
    ([1, 2, 3, 4, 5, 6], [1, 3, 5]),
    ([1, 1, 2, 3, 3], [2]),
    ([], [1]),
    ([1, 2], []),
    ([], []),
    ([3, 1, 3], [3, 3, 4]),
    ([5, 4], [4, 5]),
    ([1], [2, 3]),
    ([0, -1], [-1]),
    ([[1]], [1]),
    ([1], [[1]]),
    ([7, 7], [8]),
]
SORTED = [
    ([[1, 3, 5, 7]], [[0, 1, 2, 7, 8]]),
    ([[1, 3, 3], [2, 4, 9]], [[3, 4], [1, 9]]),
    ([[]], [[1, 2]]),
    ([[1, 2]], [[]]),
    ([[1, 2]], [[1], [2]]),
    ([1, 2], [1]),
    ([[5, 5, 5]], [[5, 4, 6]]),
    ([[1, 2], [1, 2]], [[2, 2], [1, 1]]),
]

CASES = [
    *(Case("TopKV2", [numbers([3, 6], dtype, 0, 9), i32(k)]) for dtype in TYPES for k in (0, 2, 6)),
    *(Case("TopKV2", [array, i32(k)]) for array in (TIES, EXTREMES, -EXTREMES.astype(np.int64)) for k in (1, 3, 4)),
    *(
        Case("TopKV2", [f32(*shape), i32(k)])
        for shape, k in (
            ((3,), 4),
            ((3,), -1),
            ((), 0),
            ((3,), [1]),
            ((0, 4), 2),
            ((2, 3, 4), 2),
            ((2, 0), 0),
            ((100,), 10),
        )
    ),
    *(Case("TopKV2", [TIES, i32(k)], sorted=False) for k in (1, 5)),
    Case("TopKV2", [bf16([3, 1, 2]), i32(2)]),
    *(Case("TopK", [array], k=k) for array in (TIES, EXTREMES, f32(2, 3, 4)) for k in (0, 1, 4, 6)),
    *(
        Case("NthElement", [numbers([3, 6], dtype, 0, 9), i32(2)], reverse=reverse)
        for dtype in TYPES
        for reverse in (False, True)
    ),
    *(
        Case("NthElement", [f32(*shape), i32(n)])
        for shape, n in (((3,), 3), ((3,), -1), ((), 0), ((3,), [1]), ((0, 4), 2), ((2, 3, 4), 0), ((1,), 0))
    ),
    *(
        Case(op, [np.array(values, dtype)], out_idx=out)
        for op in ("Unique", "UniqueWithCounts")
        for values in LISTS
        for dtype, out in ((np.float32, DataType.DT_INT32), (np.float64, DataType.DT_INT64))
    ),
    *(
        Case(op, [array])
        for op in ("Unique", "UniqueWithCounts")
        for array in (WORDS, i64([2**62, 1, 2**62]), numbers([9], np.uint8, 0, 3), numbers([5], bool), MATRIX, f32())
    ),
    *(
        Case(op, [array, ints(axis)])
        for op in ("UniqueV2", "UniqueWithCountsV2")
        for ints in (i32, i64)
        for array, axis in (
            (MATRIX, [0]),
            (MATRIX, [1]),
            (MATRIX, [-1]),
            (MATRIX, []),
            (MATRIX, [2]),
            (MATRIX, [0, 1]),
            (MATRIX, 0),
            (np.float32(LISTS[0]), []),
            (np.float32(LISTS[0]), [0]),
            (np.float32(LISTS[7]), [0]),
            (WORDS, [0]),
            (WORDS, []),
            (WORDS.reshape(3, 2), [1]),
            (WORDS.reshape(3, 2), [0]),
            (f32(0, 2), [0]),
            (f32(2, 0), [0]),
            (f32(2, 0), [1]),
            (numbers([3, 2, 2], np.int32, 0, 2), [1]),
            (numbers([3, 2, 2], np.int32, 0, 2), [-2]),
            (f32(), []),
            (f32(), [0]),
        )
    ),
    *(
        Case("ListDiff", [dtype(x), dtype(y)], out_idx=out)
        for x, y in DIFFERENCES
        for dtype, out in ((i32, DataType.DT_INT32), (np.float32, DataType.DT_INT64))
    ),
    Case("ListDiff", [WORDS, strings(["a"])]),
    Case("ListDiff", [np.float32([np.nan, 1]), np.float32([np.nan])]),
    *(
        Case("InvertPermutation", [ints(values)])
        for ints in (i32, i64)
        for values in ([2, 0, 1], [0], [], [1, 0], [0, 0], [0, 2], [-1, 0], [[0]], [3, 1, 0, 2], 0)
    ),
    *(
        Case(op, [dtype(rows), dtype(values)], out_type=out)
        for op in ("LowerBound", "UpperBound")
        for rows, values in SORTED
        for dtype, out in ((np.float32, DataType.DT_INT32), (i64, DataType.DT_INT64))
    ),
]
