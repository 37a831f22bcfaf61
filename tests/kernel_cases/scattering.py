"""Scatter ops."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, bf16, f32, f64, i32, i64, numbers, strings, u8

# shape of the target, indices, shape of the updates
PUTS = [
    ((4,), [[1], [3]], (2,)),
    ((4,), [[1], [1], [0]], (3,)),
    ((4, 3), [[2], [0]], (2, 3)),
    ((4, 3), [[2], [2]], (2, 3)),
    ((4, 3), [[2, 1], [0, 0]], (2,)),
    ((4, 3), [[[2], [1]], [[0], [2]]], (2, 2, 3)),
    ((4,), [[4]], (1,)),
    ((4,), [[-1]], (1,)),
    ((4,), [1], ()),
    ((4, 3), [1], (3,)),
    ((4, 3), [1, 2], ()),
    ((4,), [[1], [3]], (3,)),
    ((4, 3), [[1]], (1, 2)),
    ((4, 3), [[0, 0, 0]], (1,)),
    ((4,), np.zeros((0, 1)), (0,)),
    ((0,), np.zeros((0, 1)), (0,)),
    ((0,), [[0]], (1,)),
    ((4, 0), [[1]], (1, 0)),
    ((0, 3), [[0]], (1, 3)),
    ((4,), 1, ()),
    ((4,), [1], (1,)),
    ((2, 2, 2), [[0, 1], [1, 1]], (2, 2)),
    ((2, 2, 2), [[0, 1, 1], [0, 1, 1]], (2,)),
    ((4, 3), [[0, 3]], (1,)),
    ((), [[0]], (1,)),
    ((2, 3), np.zeros((1, 0)), (1, 2, 3)),
    ((3, 3), [[0], [2], [0], [0]], (4, 3)),
]
UPDATES = ("TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub", "TensorScatterMin", "TensorScatterMax")
ARRAYS = [numbers([3], dtype, 0, 100) for dtype in (np.float64, np.int32, np.int64, np.uint8, np.int8, np.float16)]
# indices, shapes of the data
STITCHES = [
    ([[0, 2], [1, 3]], [(2,), (2,)]),
    ([[0, 1], [1, 2]], [(2, 3), (2, 3)]),
    ([1, [0, 2]], [(3,), (2, 3)]),
    ([[0, 0]], [(2,)]),
    ([[[0, 1], [2, 3]]], [(2, 2)]),
    ([[], []], [(0, 2), (0, 2)]),
    ([[-1]], [(1,)]),
    ([[0], [1]], [(1, 2), (1, 3)]),
    ([[0, 1]], [(3,)]),
    ([0], [()]),
    ([[3, 2, 1, 0], [1]], [(4, 2), (1, 2)]),
    ([[0, 1], [0]], [(2,), (1,)]),
]


def shaped(shape):
    return f64(*shape) + 0.25


CASES = [
    *(
        Case("ScatterNd", [ints(indices), f32(*updates), ints(shape)])
        for shape, indices, updates in PUTS
        for ints in (i32, i64)
    ),
    *(Case("ScatterNd", [i32([[2], [0], [2]]), array, i32([4])]) for array in [*ARRAYS, numbers([3], np.complex64)]),
    Case("ScatterNd", [i32([[2], [0]]), strings(["a", "b"]), i32([3])]),
    Case("ScatterNd", [i32([[2], [0], [2]]), np.array([True, True, False]), i32([3])]),
    *(Case("ScatterNd", [i32([[1]]), f32(1), i32(shape)]) for shape in ([-2], [[4]], 4)),
    *(Case(op, [shaped(shape), i32(indices), f64(*updates)]) for op in UPDATES for shape, indices, updates in PUTS),
    *(Case(op, [array[::-1], i64([[1], [2], [1]]), array]) for op in UPDATES for array in ARRAYS[:-2]),
    *(Case(op, [bf16([1, 2, 3]), i64([[1], [2]]), bf16([1.5, -2])]) for op in UPDATES),
    Case("TensorScatterUpdate", [strings(["a", "b", "c"]), i32([[1], [1]]), strings(["x", "y"])]),
    Case("TensorScatterUpdate", [numbers([3], bool), i32([[1], [0]]), numbers([2], bool)]),
    *(
        Case("ScatterNdNonAliasingAdd", [shaped(shape), i32(indices), f64(*updates)])
        for shape, indices, updates in PUTS
        if np.ndim(indices) > 1
    ),
    *(
        Case(op, [list(map(i32, indices)), [f32(*shape) + np.float32(n) for n, shape in enumerate(shapes)]])
        for op in ("DynamicStitch", "ParallelDynamicStitch")
        for indices, shapes in STITCHES
    ),
    *(
        Case("DynamicStitch", [[i32([1, 0]), i32([2, 3])], [array, array]])
        for array in (strings(["a", "b"]), u8(2, 2), numbers([2], bool), bf16([1, 2]), i64([5, 6]))
    ),
    *(
        Case(op, [numbers(x, dtype), i32(rows), numbers(v, dtype)])
        for op in ("InplaceUpdate", "InplaceAdd", "InplaceSub")
        for dtype in (np.float32, np.float16, np.int32, np.int64, bool)
        for x, rows, v in (
            ([4, 2], [0, 2], [2, 2]),
            ([4, 2], [1, 1, 1], [3, 2]),
            ([4], [3], [1]),
            ([4, 2], [-1, 5], [2, 2]),
            ([4, 2], [], [0, 2]),
            ([4, 2], [0, 1], [1, 2]),
            ([4, 2], [0], [1, 3]),
            ([4, 2], [[0, 1]], [2, 2]),
            ([0, 2], [], [0, 2]),
        )
    ),
    Case("InplaceUpdate", [strings(["a", "b"]), i32([1]), strings(["x"])]),
]
