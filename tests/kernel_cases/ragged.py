"""Ragged tensors."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, f32, i32, i64, numbers, strings

RANGES = [
    ([0, 5, 8], [3, 5, 12], [1, 1, 2]),
    (0, [3, 0, -2], 1),
    ([5, 0], [0, 5], [-2, 3]),
    ([2], [8], [0]),
    (1, 4, 1),
    ([], [], []),
    ([1, 2], [3], [1]),
    ([0, 1], 4, [3, 1]),
    ([3], [0], [1]),
    ([[1]], [2], [1]),
    ([0], 4, [3, 3]),
]
SPLITS = [0, 2, 2, 5, 6]
INNER = [0, 1, 3, 3, 6, 7, 9]
ROWS = [[0, 2], [2, 2, 1], [], [[0, 1], [3, 2]], 2, [4], [-1], [[]], [[[3]], [[0]]]]
VALUES = f32(6)
FILL = np.float32(-1)
# shape, values, partitions by their types, shape of the default
DENSE = [
    ([-1, -1], 6, {"ROW_SPLITS": SPLITS}, ()),
    ([4, 3], 6, {"ROW_SPLITS": SPLITS}, ()),
    ([2, 2], 6, {"ROW_SPLITS": SPLITS}, ()),
    ([6, 5], 6, {"ROW_SPLITS": SPLITS}, ()),
    (-1, 6, {"ROW_SPLITS": SPLITS}, ()),
    ([-1, 1], 6, {"ROW_SPLITS": SPLITS}, ()),
    ([-1, -1], 6, {"FIRST_DIM_SIZE": 4, "VALUE_ROWIDS": [0, 0, 2, 2, 2, 3]}, ()),
    ([3, -1], 6, {"FIRST_DIM_SIZE": 4, "VALUE_ROWIDS": [0, 0, 2, 2, 2, 3]}, ()),
    ([-1, -1], 0, {"FIRST_DIM_SIZE": 2, "VALUE_ROWIDS": []}, ()),
    ([-1, -1], 0, {"ROW_SPLITS": [0]}, ()),
    ([-1, -1], 0, {"ROW_SPLITS": [0, 0, 0]}, ()),
    ([-1, -1], 6, {"VALUE_ROWIDS": [0, 0, 2, 2, 2, 3]}, ()),
    ([-1], 6, {"ROW_SPLITS": SPLITS}, ()),
    ([-1, -1], 6, {"ROW_LENGTHS": SPLITS}, ()),
]


def dense(shape, values, partitions, default=FILL, ints=i64):
    return Case(
        "RaggedTensorToTensor",
        [ints(shape), values, default, [ints(partition) for partition in partitions.values()]],
        row_partition_types=[kind.encode() for kind in partitions],
    )


CASES = [
    *(Case("RaggedRange", [dtype(number) for number in row]) for row in RANGES for dtype in (i32, i64, np.float32)),
    *(
        Case("RaggedRange", [np.float64(0), np.float64([limit]), np.float64(delta)])
        for limit, delta in ((1, 0.1), (-1, -0.3), (0.3, 0.1), (1, -1))
    ),
    *(
        Case("RaggedGather", [[i64(SPLITS)], values, ints(rows)], OUTPUT_RAGGED_RANK=max(np.ndim(rows), 1))
        for rows in ROWS
        for ints, values in ((i32, VALUES), (i64, f32(6, 2)))
        if np.ndim(rows)
    ),
    *(
        Case("RaggedGather", [[i32(SPLITS), i32(INNER)], f32(9), i32(rows)], OUTPUT_RAGGED_RANK=np.ndim(rows) + 1)
        for rows in ROWS
        if np.ndim(rows)
    ),
    *(Case("RaggedGather", [[i64(splits)], VALUES, i64([0])], OUTPUT_RAGGED_RANK=1) for splits in ([0, 7], [])),
    Case("RaggedGather", [[i64(SPLITS)], strings(["a", "b", "c", "d", "e", "f"]), i64([3, 2])], OUTPUT_RAGGED_RANK=1),
    *(
        Case("RaggedTensorToSparse", [list(map(ints, nested)), values])
        for ints in (i32, i64)
        for nested, values in (
            ([SPLITS], VALUES),
            ([SPLITS, INNER], f32(9)),
            ([[0]], f32(0)),
            ([[0, 0]], f32(0)),
            ([SPLITS], f32(6, 2)),
            ([SPLITS], strings(["a", "b", "c", "d", "e", "f"])),
            ([SPLITS], f32(5)),
            ([[0, 3, 2, 6]], VALUES),
            ([[1, 6]], VALUES),
            ([SPLITS], numbers([6, 1, 2], np.int32)),
            ([[0, 6]], VALUES),
        )
    ),
    *(dense(shape, f32(count), parts, ints=ints) for shape, count, parts, _ in DENSE for ints in (i32, i64)),
    *(
        dense(shape, f32(6, 2), {"ROW_SPLITS": SPLITS}, default)
        for shape in ([-1, -1, -1], [-1, -1, 2], [2, 2, -1], [-1, -1, 3])
        for default in (np.float32(5), f32(2))
    ),
    *(dense([-1, -1], f32(6), {"ROW_SPLITS": splits}) for splits in ([0, 3, 2, 6], [1, 6])),
    dense([-1, -1], strings(["a", "b", "c", "d", "e", "f"]), {"ROW_SPLITS": SPLITS}, strings("none")),
    *(
        dense([-1, -1], f32(6), {"FIRST_DIM_SIZE": 4, "VALUE_ROWIDS": rows})
        for rows in ([0, 0, 2, 2, 2, 4], [-1, 0, 2, 2, 2, 3])
    ),
]


def deep(kinds, parts, shape):
    return Case(
        "RaggedTensorToTensor",
        [i64(shape), f32(9), np.float32(0), list(map(i64, parts))],
        row_partition_types=list(kinds),
    )


CASES += [
    *(
        deep((b"ROW_SPLITS", b"ROW_SPLITS"), (SPLITS, INNER), shape)
        for shape in ([-1, -1, -1], [3, 2, 2], [5, 4, 4], -1)
    ),
    *(
        deep(
            (b"FIRST_DIM_SIZE", b"VALUE_ROWIDS", b"VALUE_ROWIDS"),
            (4, [0, 0, 2, 2, 2, 3], [0, 1, 1, 3, 3, 3, 4, 5, 5]),
            shape,
        )
        for shape in ([-1, -1, -1], [3, 2, 2], [-1, -1, 1])
    ),
]
