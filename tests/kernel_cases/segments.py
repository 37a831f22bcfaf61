"""Rows reduced to one for each segment."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, bf16, f32, i32, i64, numbers

TYPES = (np.float32, np.float64, np.float16, np.int32, np.int64, np.int8, np.uint8, np.uint16)
COMPLEX = (np.complex64, np.complex128)
SORTED = ("SegmentSum", "SegmentMean", "SegmentProd", "SegmentMin", "SegmentMax")
UNSORTED = ("UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMin", "UnsortedSegmentMax")
IDS = [
    ((5, 2), [0, 0, 1, 1, 1]),
    ((5, 2), [0, 0, 2, 2, 4]),
    ((5, 2), [3, 3, 3, 3, 3]),
    ((5,), [0, 1, 2, 3, 4]),
    ((5, 2, 0), [0, 0, 0, 1, 1]),
    ((0, 2), []),
    ((5, 2), [0, 1, 0, 1, 2]),
    ((5, 2), [-1, 0, 0, 1, 1]),
    ((5, 2), [0, 0, 1]),
    ((), 0),
    ((3, 2), [[0], [1], [2]]),
    ((4, 2, 3), [1, 1, 1, 2]),
]
FREE = [
    ((5, 2), [0, 2, 1, 0, 2], 3),
    ((5, 2), [0, 2, 1, 0, 2], 5),
    ((5, 2), [-1, 0, -7, 0, 2], 3),
    ((5, 2), [0, 1, 2, 3, 4], 3),
    ((2, 3, 2), [[0, 1, 0], [2, 2, 1]], 4),
    ((2, 3), [[0, 1, 0], [2, 2, 1]], 3),
    ((), 0, 1),
    ((0, 2), [], 3),
    ((5, 2), [0, 0], 2),
    ((5, 2), [0, 0, 0, 0, 0], -1),
    ((5, 2), [-1] * 5, 0),
    ((3,), [1, 1, 1], 2),
    ((2, 0), [1, 0], 2),
    ((4,), 0, 2),
]

CASES = [
    *(Case(op, [f32(*shape), dtype(ids)]) for op in SORTED for shape, ids in IDS for dtype in (i32, i64)),
    *(
        Case(op, [numbers([6, 2], dtype, 1, 9), i32([0, 0, 1, 1, 1, 3])], rtol=1e-2 if dtype == np.float16 else 0)
        for op in SORTED
        for dtype in TYPES
    ),
    *(Case(op, [numbers([4, 2], dtype), i32([0, 0, 2, 2])], rtol=1e-6) for op in SORTED[:3] for dtype in COMPLEX),
    *(Case(op, [np.float32([1, np.nan, 2, np.inf, -np.inf]), i32([0, 0, 1, 1, 1])]) for op in SORTED),
    *(Case(op, [f32(*shape), i32(ids), i32(count)]) for op in UNSORTED for shape, ids, count in FREE),
    *(
        Case(
            op, [numbers([6, 2], dtype, 1, 9), i64([4, 0, 1, 1, 1, 0]), i64(6)], rtol=1e-2 if dtype == np.float16 else 0
        )
        for op in UNSORTED
        for dtype in TYPES
    ),
    *(
        Case(op, [numbers([4, 2], dtype), i32([2, 0, 2, 0]), i32(3)], rtol=1e-6)
        for op in UNSORTED[:2]
        for dtype in COMPLEX
    ),
    *(Case(op, [bf16([1, 2, 3]), i32([1, 0, 1]), i32(3)]) for op in UNSORTED),
    *(Case(op, [f32(2), i32([0, 0]), i32(count)]) for op in UNSORTED for count in ([2], [[2]], [1, 2])),
]
