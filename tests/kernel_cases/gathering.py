"""Gather ops."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, bf16, f32, f64, i32, i64, numbers, strings, u8

WORDS = strings([["a", "bb", ""], ["c", "d", b"\xff"]])
OTHERS = [WORDS, u8(2, 3), numbers([2, 3], bool), f64(2, 3), numbers([2, 3], np.complex64), bf16([[1, 2, 3]] * 2)]

INDICES = [[0, 2, 1], 1, [], [[0, 1], [2, 2]], [3], [-1], [0, 3], [[]]]
# params, indices, axis, batch_dims
GATHERS = [
    ((3, 4), [0, 2], 0, 0),
    ((3, 4), [0, 3, 1], 1, 0),
    ((3, 4), [[0], [3]], -1, 0),
    ((3, 4), [0], 2, 0),
    ((3, 4), [0], -3, 0),
    ((2, 3, 4), [[0, 2], [1, 1]], 1, 1),
    ((2, 3, 4), [[0, 3], [1, 1]], 2, 1),
    ((2, 3, 4), [[0, 2], [1, 1]], 1, -1),
    ((2, 3, 4), [[0, 2], [1, 1]], 0, 1),
    ((2, 3, 4), [0, 1], 2, 2),
    ((2, 3, 4), [[0, 1, 2], [1, 3, 3]], 2, 2),
    ((2, 3, 4), [0, 1], 1, 1),
    ((2, 3, 4), [0, 1, 2], 1, 1),
    ((2, 3), 1, 0, 0),
    ((2, 3), [0], [1], 0),
    ((), [0], 0, 0),
    ((2, 0), [0], 1, 0),
    ((2, 0), [], 1, 0),
    ((0, 3), [0], 0, 0),
    ((0, 3), [], 0, 0),
    ((2, 3), [[0], [5]], 1, 1),
    ((2, 3), [0, -1], 0, 0),
    ((2, 2, 2, 2), [[[0], [1]], [[1], [1]]], 3, 1),
    ((2, 3), [0, 1], 1, 3),
    ((0, 3), np.zeros((0, 2)), 1, 1),
]
NESTED = [
    ((2, 3), [[0, 1], [1, 2]]),
    ((2, 3), [[1], [0], [1]]),
    ((2, 3), [1]),
    ((2, 3), [0, 2]),
    ((2, 3), [[0, 3]]),
    ((2, 3), [[-1]]),
    ((2, 3), [[0, 0, 0]]),
    ((2, 3), [[]]),
    ((2, 3), np.zeros((0, 2))),
    ((2, 3), 0),
    ((), [[]]),
    ((), [0]),
    ((2, 3, 4), [[[0, 1], [1, 2]]]),
    ((0, 3), [[0]]),
    ((0, 3), np.zeros((0, 1))),
    ((2, 0), [[1]]),
    ((2, 0), [[2]]),
    ((2, 0), [[0, 0]]),
]
HOT = [
    ([0, 2, 1], 3, -1),
    ([0, 2, 1], 3, 0),
    ([0, -1, 5], 3, 1),
    ([[0, 1], [2, 3]], 4, 1),
    ([[0, 1], [2, 3]], 4, 2),
    (1, 3, -1),
    (1, 3, 0),
    ([0], 0, -1),
    ([], 3, -1),
    ([0], -1, -1),
    ([0], 3, 2),
    ([0], 3, -2),
    ([0], [3], -1),
]
UNRAVELLED = [
    ([0, 5, 11], [3, 4]),
    (7, [3, 4]),
    ([12], [3, 4]),
    ([-1], [3, 4]),
    ([], [3, 4]),
    ([1], [2]),
    ([[1]], [2]),
    ([1], 2),
    ([1], [2, 0]),
    ([23, 0, 5], [2, 3, 4]),
    (0, [1, 1]),
]
PARTITIONS = [
    ((4,), [0, 1, 0, 1], 2),
    ((4, 2), [2, 0, 0, 2], 3),
    ((2, 2), [[0, 1], [1, 1]], 2),
    ((2, 2, 3), [[0, 1], [2, 1]], 4),
    ((), 1, 2),
    ((3,), 1, 2),
    ((4,), [0, 2, 0, 1], 2),
    ((4,), [0, -1, 0, 1], 2),
    ((3,), [0, 1], 2),
    ((0,), [], 2),
    ((0, 3), [], 1),
    ((4,), [0, 0, 0, 0], 1),
    ((2,), [[0, 1]], 2),
]

CASES = [
    *(Case("Gather", [f32(3, 2), ints(indices)]) for indices in INDICES for ints in (i32, i64)),
    *(Case("Gather", [array, i32([1, 0])]) for array in [*OTHERS, f32()]),
    *(
        Case("GatherV2", [f32(*shape), i64(indices), i32(axis)], batch_dims=batch)
        for shape, indices, axis, batch in GATHERS
    ),
    *(Case("GatherV2", [array, i32([1, 0]), i64(axis)]) for array in OTHERS for axis in (0, 1)),
    *(Case("GatherNd", [f32(*shape), ints(indices)]) for shape, indices in NESTED for ints in (i32, i64)),
    *(Case("GatherNd", [array, i32([[1, 0], [0, 2]])]) for array in OTHERS),
    *(
        Case("Where", [array])
        for array in (
            numbers([3, 4], bool),
            numbers([5], bool),
            np.array(True),
            np.array(False),
            numbers([0, 2], bool),
            np.float32([0, np.nan, -0.0, 2]),
            i32([[0, 1], [2, 0]]),
            i64([3, 0]),
            u8(2, 3),
            f64(2, 2, 2),
            numbers([2, 2], np.complex64),
            np.zeros((2, 2), bool),
            numbers([2, 1, 2, 1, 2], bool),
        )
    ),
    *(
        Case("OneHot", [dtype(indices), i32(depth), np.float32(2), np.float32(-1)], axis=axis)
        for indices, depth, axis in HOT
        for dtype in (i32, i64)
    ),
    *(
        Case("OneHot", [i64([1, 0]), i32(3), on, off])
        for on, off in (
            (np.array(True), np.array(False)),
            (strings("yes"), strings("")),
            (i64(5), i64(0)),
            (f32(1), np.float32(0)),
            (np.float32(0), f32(1)),
            (bf16(2), bf16(0)),
            (np.uint8(1), np.uint8(0)),
        )
    ),
    Case("OneHot", [np.uint8([0, 255, 2]), i32(4), np.float32(1), np.float32(0)]),
    *(Case("UnravelIndex", [ints(indices), ints(dims)]) for indices, dims in UNRAVELLED for ints in (i32, i64)),
    *(Case("DynamicPartition", [f32(*shape), i32(parts)], num_partitions=count) for shape, parts, count in PARTITIONS),
    *(Case("DynamicPartition", [array, i32([1, 1])], num_partitions=3) for array in OTHERS),
]
