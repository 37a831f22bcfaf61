"""Sparse tensors taken apart and put together."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, f32, i32, i64, numbers, strings

# indices and shapes of sparse tensors: in order, out of order, of other ranks, empty; then wrong ones
A = ([[0, 1], [1, 0], [1, 3], [3, 2]], [4, 4])
MIXED = ([[3, 2], [0, 1], [1, 3], [1, 0]], [4, 4])
DEEP = ([[0, 0, 1], [0, 2, 0], [1, 1, 1]], [2, 3, 2])
ROW = ([[1], [4]], [6])
EMPTY = (np.zeros((0, 2)), [3, 2])
NOTHING = (np.zeros((0, 2)), [0, 2])
OUTSIDE = ([[0, 1], [1, 4]], [4, 4])
BELOW = ([[0, 1], [-1, 0]], [4, 4])
LONG = ([[0, 1, 0]], [4, 4])
GOOD = [A, MIXED, DEEP, ROW, EMPTY, NOTHING]
TYPES = (np.float64, np.int32, bool, np.int64)


def parts(sparse, dtype=np.float32):
    indices, shape = sparse
    return [i64(indices), numbers([len(indices)], dtype), i64(shape)]


def words(sparse):
    return [i64(sparse[0]), strings([f"w{number}" for number in range(len(sparse[0]))]), i64(sparse[1])]


RESHAPES = [
    (A, [2, 8]),
    (A, [16]),
    (A, [-1]),
    (A, [2, -1, 2]),
    (A, [3, -1]),
    (A, [5]),
    (A, [-1, -1]),
    (DEEP, [3, 4]),
    (DEEP, [2, 3, 2]),
    (EMPTY, [6]),
    (EMPTY, [-1]),
    (ROW, [2, 3]),
    (A, [[16]]),
    (LONG, [16]),
    (NOTHING, [2, 0]),
]
SLICES = [
    (A, [0, 0], [2, 2]),
    (A, [1, 0], [3, 4]),
    (A, [1, 1], [9, 9]),
    (A, [0, 0], [0, 4]),
    (A, [4, 0], [1, 1]),
    (A, [5, 5], [1, 1]),
    (DEEP, [0, 1, 0], [2, 2, 2]),
    (ROW, [2], [3]),
    (EMPTY, [0, 0], [1, 1]),
    (A, [0], [1]),
    (A, [0, 0], [2]),
    (A, [-1, 0], [2, 2]),
    (A, [-3, 0], [9, 9]),
    (A, [0, 0], [-1, 2]),
]
JOINS = [
    (0, [A, A]),
    (1, [A, A]),
    (-1, [A, MIXED]),
    (-2, [A, EMPTY]),
    (1, [A, EMPTY]),
    (2, [DEEP, DEEP]),
    (0, [ROW, ROW, ROW]),
    (2, [A, A]),
    (-3, [A, A]),
    (0, [A, ROW]),
    (0, [EMPTY, EMPTY]),
]
SPLITS = [
    (A, 0, 2),
    (A, 1, 2),
    (A, 0, 3),
    (A, 1, 4),
    (A, 0, 1),
    (A, 0, 5),
    (A, 2, 1),
    (A, -1, 2),
    (DEEP, 1, 2),
    (DEEP, 1, 3),
    (ROW, 0, 4),
    (EMPTY, 0, 3),
    (A, 0, 0),
]
SCATTERED = [
    ([[0, 1], [2, 0]], [3, 2], 2),
    ([[2, 0], [0, 1]], [3, 2], 2),
    ([[0, 1], [0, 1]], [3, 2], 2),
    ([1, 3], [5], 2),
    (2, [4], 0),
    ([[0, 1], [2, 0]], [3, 2], 0),
    ([[0, 2]], [3, 2], 1),
    ([[-1, 0]], [3, 2], 1),
    (np.zeros((0, 2)), [3, 2], 1),
    ([[0]], [3, 2], 1),
    ([1, 3], [5], 3),
    ([[0, 1], [2, 0]], [[3, 2]], 2),
    ([], [4], 1),
    ([1], 4, 1),
]


def given(count, size):
    return np.float32(7) if count == 0 else f32(max(size, 0))


CASES = [
    *(
        Case(
            "SparseToDense",
            [ints(indices), ints(shape), given(rank, len(np.atleast_1d(indices)) + (rank == 3)), np.float32(-1)],
            validate_indices=validate,
        )
        for indices, shape, rank in SCATTERED
        for ints in (i32, i64)
        for validate in (True, False)
        if validate or rank == 2
    ),
    Case("SparseToDense", [i32([1]), i32([3]), strings(["a"]), strings("none")]),
    Case("SparseToDense", [i64([1]), i64([3]), np.array([True]), np.array(False)]),
    Case("SparseToDense", [i64([1]), i64([3]), f32(1), f32(1)]),
    *(Case("SparseReorder", parts(tensor, dtype)) for tensor in GOOD for dtype in (np.float32, *TYPES)),
    Case("SparseReorder", words(MIXED)),
    Case("SparseReorder", parts(LONG)),
    *(Case("SparseReshape", [*parts(tensor)[::2], i64(shape)]) for tensor, shape in RESHAPES),
    *(Case("SparseSlice", [*parts(tensor), i64(start), i64(size)]) for tensor, start, size in SLICES),
    *(Case("SparseSlice", [*parts(A, dtype), i64([1, 0]), i64([2, 3])]) for dtype in TYPES),
    *(
        Case(
            "SparseConcat",
            [list(group) for group in zip(*(parts(tensor) for tensor in several), strict=True)],
            concat_dim=axis,
        )
        for axis, several in JOINS
    ),
    Case("SparseConcat", [[word, word] for word in words(A)], concat_dim=1),
    *(Case("SparseSplit", [i64(axis), *parts(tensor)], num_split=count) for tensor, axis, count in SPLITS),
    Case("SparseSplit", [i64(1), *words(A)], num_split=2),
    *(Case("SparseFillEmptyRows", [*parts(tensor), np.float32(-1)]) for tensor in [*GOOD, OUTSIDE, BELOW]),
    *(Case("SparseFillEmptyRows", [*parts(A, dtype), numbers([], dtype)]) for dtype in TYPES),
    Case("SparseFillEmptyRows", [*words(DEEP), strings("none")]),
    Case("SparseFillEmptyRows", [*parts(A), f32(1)]),
    *(
        Case("SparseFillEmptyRowsGrad", [i64(places), f32(count)])
        for places, count in (
            ([0, 2], 4),
            ([], 3),
            ([2, 0, 1], 3),
            ([0, 0], 2),
            ([4], 4),
            ([-1], 4),
            ([], 0),
            ([1], 2),
            ([[1]], 2),
            ([3], 9),
        )
    ),
]
