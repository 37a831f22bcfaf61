"""Shapes of tensors, arithmetic on shapes, and reshaping."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, bf16, f32, f64, i32, i64, numbers, strings
from tfmodel.messages import DataType

INTS = (np.int32, np.int64)
ARRAYS = [f32(2, 3), f32(), f32(0), strings([["a"]]), numbers([4, 0, 2], bool), bf16([1, 2])]

RESHAPES = [
    ((2, 3), [3, 2]),
    ((2, 3), [-1]),
    ((2, 3), [6, -1]),
    ((2, 3), [4, -1]),
    ((2, 3), [-1, -1]),
    ((2, 3), [-2, 3]),
    ((2, 3), 6),
    ((2, 3), -1),
    ((2, 3), [[6]]),
    ((2, 3), []),
    ((), []),
    ((), [1, 1]),
    ((1, 1), []),
    ((0, 3), [-1]),
    ((0, 3), [-1, 0]),
    ((0, 3), [0, -1]),
    ((0, 3), [-1, 3]),
    ((0,), [5, 0]),
    ((0,), [2]),
    ((2, 3), [1, 6, -1, 1]),
]
SQUEEZES = [
    ((1, 2, 1), []),
    ((1, 2, 1), [0]),
    ((1, 2, 1), [-1]),
    ((1, 2, 1), [0, 2]),
    ((1, 2, 1), [0, 0]),
    ((1, 2, 1), [1]),
    ((1, 2, 1), [3]),
    ((1, 2, 1), [-4]),
    ((), []),
    ((1, 1), []),
    ((0, 1), []),
    ((1, 2, 1), [0, -3]),
    ((), [0]),
]
BROADCASTS = [
    ((3,), [2, 3]),
    ((2, 1), [2, 3]),
    ((), [2, 2]),
    ((2, 3), [3]),
    ((2, 3), [2, 3]),
    ((2,), [3]),
    ((1,), [0]),
    ((3,), [0]),
    ((2,), [2, -1]),
    ((1, 3), [4, 2, 3]),
    ((), []),
    ((1,), []),
    ((2,), 2),
    ((2,), [[2]]),
    ((0,), [3, 0]),
]
PAIRS = [
    ([2, 3], [3]),
    ([2, 3], [2, 3]),
    ([2, 1], [1, 3]),
    ([], [2]),
    ([1], [1]),
    ([1], [1, 1]),
    ([2], [3]),
    ([0], [1]),
    ([4, 1, 2], [3, 1]),
    ([1, 2, 1, 5], [7, 1, 1, 5]),
    ([], []),
    ([2, 3], [4, 3]),
    ([1, 1, 2], [2]),
    ([2, 0], [1]),
]
RANGES = [
    (0, 5, 1),
    (5, 0, -2),
    (0, 5, 2),
    (3, 3, 1),
    (3, 3, -1),
    (0, 5, -1),
    (5, 0, 1),
    (0, 5, 0),
    (-3, 3, 4),
    (0, 100, 7),
]
OFFSETS = [
    (0, [[2, 3], [4, 3]]),
    (1, [[2, 3], [2, 5], [2, 1]]),
    (-1, [[2, 3], [2, 5]]),
    (2, [[2, 3], [2, 3]]),
    (0, [[7], [0]]),
    (-2, [[2, 3], [4, 3]]),
    (-3, [[2, 3], [4, 3]]),
    (0, [[2, 3], [4, 4]]),
    (0, [[2, 3], [4]]),
    (1, [[2, 0], [2, 9]]),
]
SPACES = [(0, 1, 5), (2, 2, 3), (-1, 1, 1), (5, -5, 4), (0, 1, 0), (0, 1, -1), (1e-3, 7, 9), (0, 10, 11)]

CASES = [
    *(
        Case(op, [array], out_type=out)
        for op in ("Shape", "Size")
        for array in ARRAYS
        for out in (DataType.DT_INT32, DataType.DT_INT64)
    ),
    *(
        Case("ShapeN", [[f32(2, 3), f32(*shape)]], out_type=out)
        for shape in ((), (0,), (1,), (4, 0, 2), (5, 5))
        for out in (DataType.DT_INT32, DataType.DT_INT64)
    ),
    *(Case("Rank", [array]) for array in [*ARRAYS, f32(1, 1, 1, 1), i32([]), i64([[]]), strings([])]),
    *(Case("Reshape", [f32(*old), dtype(new)]) for dtype in (i32, i64) for old, new in RESHAPES),
    *(Case("Reshape", [array, i32([-1])]) for array in ARRAYS),
    *(Case("Squeeze", [f32(*shape)], squeeze_dims=dims) for shape, dims in SQUEEZES),
    *(Case("ExpandDims", [f32(2, 3), i32(dim)]) for dim in (0, 1, 2, 3, -1, -3, -4, [1], [[0]], [0, 1], [])),
    *(Case("ExpandDims", [array, i64(dim)]) for array in ARRAYS for dim in (0, -1)),
    *(Case("BroadcastTo", [f32(*old), i32(new)]) for old, new in BROADCASTS),
    *(Case("BroadcastTo", [array, i64([2, 1, 3])]) for array in (f64(3), strings(["a", "b", "c"]), numbers([1], bool))),
    *(
        Case(op, [dtype(a), dtype(b)])
        for op in ("BroadcastArgs", "BroadcastGradientArgs")
        for dtype in (i32, i64)
        for a, b in [*PAIRS, *((b, a) for a, b in PAIRS), ([[2]], [2])]
    ),
    *(Case("ConcatOffset", [i32(axis), list(map(i32, shapes))]) for axis, shapes in OFFSETS),
    Case("ConcatOffset", [i32([0]), [i32([1]), i32([2])]]),
    Case("ConcatOffset", [i32(0), [i32([[1]]), i32([[2]])]]),
    *(Case("Range", [dtype(number) for number in row]) for row in RANGES for dtype in (np.int32, np.int64)),
    *(
        Case("Range", [np.array(number, dtype) for number in row])
        for row in (
            (0, 1, 0.1),
            (1, 0, -0.25),
            (0, 3, 0.3),
            (0, 0, 1),
            (-1, 1.0001, 0.5),
            (0, 1, 0),
            (1, 0, 1),
            (0, np.inf, 1),
            (0, np.nan, 1),
        )
        for dtype in (np.float32, np.float64)
    ),
    *(Case("Range", [i32(a), i32(b), i32(1)]) for a, b in (([0], 5), (0, [5]), ([0, 1], 5))),
    *(
        Case("LinSpace", [dtype(a), dtype(b), size(n)])
        for a, b, n in SPACES
        for dtype, size in ((np.float32, i32), (np.float64, i64))
    ),
    *(
        Case("LinSpace", [a, b, c])
        for a, b, c in ((f32(1), f32(), i32(3)), (f32(), f32(1), i32(3)), (f32(), f32(), i32([3])))
    ),
]
