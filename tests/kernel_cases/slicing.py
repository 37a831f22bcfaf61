"""Slices."""

from __future__ import annotations

import itertools

import numpy as np

from tests.kernel_cases import Case, bf16, f32, i32, i64, numbers, strings

SLICES = [
    ([0, 1], [2, 3]),
    ([1, 0], [-1, -1]),
    ([2, 0], [1, 4]),
    ([3, 0], [0, 0]),
    ([3, 4], [-1, -1]),
    ([4, 0], [-1, 1]),
    ([-1, 0], [1, 1]),
    ([0, 0], [3, 5]),
    ([0, 0], [-2, 1]),
    ([0], [1]),
    ([0, 0], [1]),
    ([[0, 0]], [[1, 1]]),
    ([1, 1], [0, 2]),
]
NAMES = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
# begin, end, strides, then the masks in the order of their names
STRIDED = [
    ([1], [2], [1], 0, 0, 0, 0, 0),
    ([0, 1], [3, 3], [2, 1], 0, 0, 0, 0, 0),
    ([2], [0], [-1], 0, 0, 0, 0, 0),
    ([2, -1], [-4, 0], [-1, -2], 0, 0, 0, 0, 0),
    ([0], [0], [-1], 1, 1, 0, 0, 0),
    ([0], [0], [1], 1, 1, 0, 0, 0),
    ([0, 1], [0, 2], [1, 1], 0, 0, 1, 0, 0),  # [..., 1:2]
    ([1, 0], [2, 0], [1, 1], 0, 0, 2, 0, 1),  # [1, ...]
    ([0, 1, 0], [0, 2, 0], [1, 1, 1], 0, 0, 1, 4, 0),  # [..., 1:2, newaxis]
    ([0, 0, -1], [0, 0, 0], [1, 1, 1], 0, 0, 2, 1, 4),  # [newaxis, ..., -1]
    ([0, 0], [0, 0], [1, 1], 0, 0, 3, 0, 0),  # two ellipses
    ([-1], [0], [1], 0, 0, 0, 0, 1),
    ([-3], [0], [1], 0, 0, 0, 0, 1),
    ([3], [4], [1], 0, 0, 0, 0, 1),
    ([-4], [4], [1], 0, 0, 0, 0, 1),
    ([1], [9], [-1], 0, 0, 0, 0, 1),
    ([1], [9], [2], 1, 1, 0, 0, 1),
    ([9], [-9], [-1], 0, 0, 0, 0, 0),
    ([-9], [9], [2], 0, 0, 0, 0, 0),
    ([1], [1], [1], 0, 0, 0, 0, 0),
    ([0], [2], [0], 0, 0, 0, 0, 0),
    ([0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1], 0, 0, 0, 0, 0),
    ([0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1], 0, 0, 8, 0, 0),
    ([0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1], 0, 0, 0, 2, 0),
    ([1, 1, 1], [2, 2, 2], [1, 1, 1], 0, 0, 0, 0, 7),
    ([0, 0], [1, 1], [1, 1], 0, 0, 0, 3, 3),
    ([], [], [], 0, 0, 0, 0, 0),
    ([1, 2], [2, 3], [1], 0, 0, 0, 0, 0),
    ([[1]], [[2]], [[1]], 0, 0, 0, 0, 0),
]
MASKS = [(1, 0, 0, 0, 2), (2, 2, 0, 1, 0), (0, 3, 2, 0, 1), (3, 0, 1, 2, 0), (0, 0, 0, 1, 2), (1, 2, 4, 0, 3)]
X = f32(3, 4, 2)


def strided(op, row, ints, first, *last):
    begin, end, strides, *masks = row
    return Case(op, [first, ints(begin), ints(end), ints(strides), *last], **dict(zip(NAMES, masks, strict=True)))


def result(row):
    """The shape of a slice of X, with the rules of NumPy; None where TensorFlow refuses or NumPy cannot say it."""
    begin, end, strides, first, last, ellipsis, new, shrink = row
    index = []
    for place, (a, b, c) in enumerate(zip(begin, end, strides, strict=False)):
        bit = 1 << place
        if ellipsis & bit or new & bit or shrink & bit:
            index.append(... if ellipsis & bit else None if new & bit else a)
        else:
            index.append(slice(None if first & bit else a, None if last & bit else b, c))
    try:
        return X[tuple(index)].shape
    except (IndexError, ValueError, TypeError):
        return None


MIXED = [([1, -1, 0], [3, 0, 2], [1, steps, 1], *masks) for masks, steps in itertools.product(MASKS, (1, -1, 2))]
WRITTEN = [row for row in (*STRIDED, *MIXED) if result(row) is not None]

CASES = [
    *(Case("Slice", [f32(3, 4), ints(begin), ints(size)]) for begin, size in SLICES for ints in (i32, i64)),
    *(Case("Slice", [array, i32([1]), i32([-1])]) for array in (strings(["a", "b"]), numbers([3], bool), bf16([1, 2]))),
    Case("Slice", [f32(), i32([]), i32([])]),
    Case("Slice", [f32(0, 2), i32([0, 1]), i32([0, 1])]),
    *(strided("StridedSlice", row, ints, X) for row in (*STRIDED, *MIXED) for ints in (i32, i64)),
    *(
        strided("StridedSlice", STRIDED[1], i32, array)
        for array in (
            strings([["a", "b", "c", "d"]] * 3),
            numbers([3, 3], bool),
            bf16([[1, 2, 3]] * 3),
            f32(0, 3),
            f32(2),
        )
    ),
    strided("StridedSlice", STRIDED[1], lambda values: np.array(values, np.int16), X),
    *(strided("StridedSlice", row, i32, f32()) for row in (STRIDED[-3], STRIDED[0], ([0], [0], [1], 0, 0, 0, 1, 0))),
    *(
        strided("StridedSliceGrad", row, ints, ints(X.shape), f32(*result(row)))
        for row in WRITTEN
        for ints in (i32, i64)
    ),
    *(
        strided("StridedSliceGrad", STRIDED[0], i32, i32(shape), f32(1, 4, 2))
        for shape in ([3, 4], [2, 4, 2], [3, -4, 2], 3, [1, 4, 2])
    ),
    *(strided("TensorStridedSliceUpdate", row, i32, X, np.float32(9) + f32(*result(row))) for row in WRITTEN),
    *(
        strided("TensorStridedSliceUpdate", STRIDED[0], i32, X, f32(*shape))
        for shape in ((), (2,), (4, 2), (1, 1, 2), (3,), (1, 1, 4, 2), (4, 1))
    ),
]
