"""Diagonals of matrices."""

from __future__ import annotations

import itertools

import numpy as np

from tests.kernel_cases import Case, bf16, f32, f64, i32, i64, numbers, u8

ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")
SHAPES = [(3, 3), (2, 3), (3, 2), (2, 2, 3), (3,), (), (0, 3), (3, 0), (2, 0, 0), (1, 1), (4, 2, 3)]
BATCHES = [("MatrixDiag", "BatchMatrixDiag"), ("MatrixDiagPart", "BatchMatrixDiagPart")]
OTHERS = [
    u8(3, 3),
    numbers([3, 3], bool),
    f64(3, 3),
    numbers([3, 3], np.complex64),
    bf16(np.eye(3)),
    i64([[1, 2], [3, 4]]),
]
# shape of a matrix, k
TAKEN = [
    ((3, 4), 0),
    ((3, 4), 1),
    ((3, 4), -2),
    ((3, 4), [-1, 1]),
    ((4, 3), [-3, 2]),
    ((2, 3, 4), [0, 3]),
    ((3, 4), 4),
    ((3, 4), -3),
    ((3, 4), [1, 0]),
    ((3, 4), [[0]]),
    ((3, 4), [-1, 4]),
    ((3, 4), [-2, -1]),
    ((3, 4), [1]),
    ((1, 1), 0),
    ((3,), 0),
    ((0, 3), 0),
    ((3, 4), [2, 3]),
    ((3, 4), [0, 0]),
]
# shape of the diagonal, k, num_rows, num_cols
SPREAD = [
    ((3,), 0, -1, -1),
    ((3,), 1, -1, -1),
    ((3,), -1, -1, -1),
    ((3, 3), [-1, 1], -1, -1),
    ((3, 3), [-1, 1], 3, 4),
    ((2, 3), 0, 3, 5),
    ((2, 3), 0, 5, 3),
    ((2, 3), 0, 4, 4),
    ((2, 3), 0, 2, 3),
    ((2, 3), [0, 1], -1, -1),
    ((2, 3), [0, 1], 3, -1),
    ((2, 3), [0, 1], -1, 4),
    ((2, 2, 3), [-2, -1], -1, -1),
    ((2, 3), [0, 2], -1, -1),
    ((3,), [1, 0], -1, -1),
    ((), 0, -1, -1),
    ((0,), 0, -1, -1),
    ((3,), 1, 3, 4),
    ((2,), 2, 2, 4),
    ((2,), 2, 2, 3),
]
# shape of a matrix, shape of the diagonal, k
SET = [
    ((3, 4), (3,), 0),
    ((3, 4), (3,), 1),
    ((3, 4), (1,), -2),
    ((3, 4), (3, 3), [-1, 1]),
    ((2, 3, 3), (2, 3), 0),
    ((3, 4), (4,), 0),
    ((3, 4), (2, 3), [-1, 1]),
    ((2, 3, 3), (3,), 0),
    ((4, 3), (2, 3), [-1, 0]),
    ((4, 3), (2, 2), [1, 2]),
    ((3, 4), (3,), 4),
    ((3,), (3,), 0),
    ((0, 3), (0,), 0),
    ((1, 1), (1,), 0),
    ((3, 4), (3, 2), [-2, 0]),
    ((3, 4), (3, 3), [-2, 0]),
]

CASES = [
    *(
        Case(op, [numbers(shape, dtype)])
        for op in itertools.chain(*BATCHES)
        for shape in SHAPES
        for dtype in (np.float32, np.int32)
    ),
    *(Case(op, [array]) for op in ("MatrixDiag", "MatrixDiagPart") for array in OTHERS),
    *(
        Case(op, [f32(*shape), 9 + i32(diagonal).astype(np.float32)])
        for op in ("MatrixSetDiag", "BatchMatrixSetDiag")
        for shape, diagonal in (
            ((3, 3), [1, 2, 3]),
            ((2, 3), [1, 2]),
            ((3, 2), [1, 2]),
            ((3, 2), [1, 2, 3]),
            ((2, 2, 2), [[1, 2], [3, 4]]),
            ((3,), [1]),
            ((2, 2, 2), [1, 2]),
            ((0, 2), []),
            ((2, 0), []),
            ((1, 1), [5]),
        )
    ),
    *(Case("MatrixDiagPartV2", [f32(*shape), i32(k), np.float32(7)]) for shape, k in TAKEN),
    *(
        Case("MatrixDiagPartV3", [f64(*shape), i32(k), np.float64(7)], align=align)
        for shape, k in TAKEN
        for align in ALIGNMENTS
    ),
    *(
        Case("MatrixDiagV2", [f32(*shape), i32(k), i32(rows), i32(columns), np.float32(7)])
        for shape, k, rows, columns in SPREAD
    ),
    *(
        Case("MatrixDiagV3", [f64(*shape), i32(k), i32(rows), i32(columns), np.float64(7)], align=align)
        for shape, k, rows, columns in SPREAD
        for align in ALIGNMENTS
    ),
    *(Case("MatrixSetDiagV2", [f32(*shape), np.float32(9) + f32(*diagonal), i32(k)]) for shape, diagonal, k in SET),
    *(
        Case("MatrixSetDiagV3", [f64(*shape), 9 + f64(*diagonal), i32(k)], align=align)
        for shape, diagonal, k in SET
        for align in ALIGNMENTS
    ),
    *(Case("MatrixDiagPartV3", [array, i32([-1, 1]), array[0, 0]]) for array in (u8(3, 3), numbers([3, 3], bool))),
    *(
        Case(op, [f32(*shape), ints(below), ints(above)])
        for op, ints in (("MatrixBandPart", i32), ("BatchMatrixBandPart", i64))
        for shape, below, above in (
            ((3, 4), 0, 0),
            ((3, 4), -1, 0),
            ((3, 4), 0, -1),
            ((3, 4), 1, 2),
            ((3, 4), -1, -1),
            ((3, 4), 3, 4),
            ((3, 4), 4, 0),
            ((3, 4), 0, 5),
            ((2, 3, 3), 1, 0),
            ((3,), 0, 0),
            ((0, 3), 0, 0),
            ((3, 4), [0], 0),
            ((3, 4), -5, 1),
        )
    ),
    *(Case("MatrixBandPart", [array, i64(0), i64(1)]) for array in OTHERS[:-2]),
    *(
        Case(op, [numbers(shape, dtype)])
        for op in ("Diag", "DiagPart")
        for dtype in (np.float32, np.int64, np.complex64)
        for shape in ((3,), (2, 3), (), (3, 3), (2, 3, 2, 3), (0,), (0, 0), (2, 1, 2), (1, 1), (2, 2, 3, 2))
    ),
]
