"""Matrices inverted, solved and taken apart."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, numbers
from tfmodel.messages import DataType

TYPES = (np.float32, np.float64, np.complex64, np.complex128)
REAL = (np.float32, np.float64)
SQUARES = [(3, 3), (1, 1), (2, 4, 4), (0, 0), (0, 3, 3), (2, 1, 2, 2)]
WRONG = [(3,), (2, 3), ()]
SIDES = [
    ((3, 3), (3, 2)),
    ((3, 3), (3, 1)),
    ((2, 3, 3), (2, 3, 4)),
    ((1, 1), (1, 5)),
    ((0, 0), (0, 2)),
    ((3, 3), (3, 0)),
    ((0, 3, 3), (0, 3, 1)),
]
UNFIT = [((3, 3), (2, 2)), ((3, 3), (3,)), ((2, 3), (2, 2)), ((2, 3, 3), (3, 3, 1))]
SINGULAR = np.array([[1.0, 2], [2, 4]])
OBLONG = [(3, 3), (4, 2), (2, 4), (2, 3, 2), (1, 1), (0, 2, 2)]


def sound(shape, dtype):
    """Matrices that are well conditioned."""
    return (numbers(shape, dtype, -1, 1) + 3 * np.eye(*shape[-2:], dtype=dtype)).astype(dtype)


def symmetric(shape, dtype):
    """Hermitian matrices whose eigenvalues are positive."""
    x = numbers(shape, dtype, -1, 1)
    return (np.matmul(x, np.conj(np.swapaxes(x, -1, -2))) + 2 * np.eye(shape[-1], dtype=dtype)).astype(dtype)


def loose(dtype):
    return {"rtol": 1e-5 if np.dtype(dtype).itemsize // (1 + (np.dtype(dtype).kind == "c")) == 4 else 1e-13}


def complex_type(dtype):
    """Return the type of the eigenvalues of matrices of a type."""
    is_single = np.result_type(dtype, np.complex64) == np.complex64
    return DataType.DT_COMPLEX64 if is_single else DataType.DT_COMPLEX128


def wide(dtype):
    """Normal equations square the condition of a matrix."""
    return {"rtol": 1e3 * loose(dtype)["rtol"]}


def bands(shape, dtype):
    """Diagonals of triangular matrices that are well conditioned."""
    return (numbers(shape, dtype, -1, 1) + dtype(3)).astype(dtype)


CASES = [
    *(
        Case("MatrixInverse", [sound(shape, dtype)], adjoint=flip, **loose(dtype))
        for dtype in TYPES
        for shape in SQUARES
        for flip in (False, True)
    ),
    *(
        Case(op, [sound(shape, dtype)], **loose(dtype))
        for op in ("MatrixDeterminant", "LogMatrixDeterminant")
        for dtype in TYPES
        for shape in SQUARES
    ),
    *(Case("Cholesky", [symmetric(shape, dtype)], **loose(dtype)) for dtype in TYPES for shape in SQUARES),
    *(
        Case(
            "Cholesky", [np.triu(numbers([3, 3], dtype)) + symmetric((3, 3), dtype)], note="lower only", **loose(dtype)
        )
        for dtype in REAL
    ),
    *(Case("BatchCholesky", [symmetric(shape, dtype)], **loose(dtype)) for dtype in REAL for shape in SQUARES),
    *(
        Case(op, [sound(shape, dtype)], **loose(dtype))
        for op in ("BatchMatrixInverse", "BatchMatrixDeterminant")
        for dtype in REAL
        for shape in SQUARES
    ),
    *(
        Case(op, [numbers(shape)])
        for op in ("MatrixInverse", "MatrixDeterminant", "LogMatrixDeterminant", "Cholesky", "SelfAdjointEigV2")
        for shape in WRONG
    ),
    *(Case(op, [array]) for op in ("MatrixInverse", "MatrixDeterminant") for array in (SINGULAR, np.zeros((2, 2, 2)))),
    *(Case("LogMatrixDeterminant", [-sound((3, 3), dtype)], **loose(dtype)) for dtype in TYPES),
    Case("LogMatrixDeterminant", [np.zeros((2, 2))]),
    *(
        Case(op, [sound(a, dtype), numbers(b, dtype)], adjoint=flip, **loose(dtype))
        for op in ("MatrixSolve", "BatchMatrixSolve")
        for dtype in REAL
        for a, b in (*SIDES, *UNFIT)
        for flip in (False, True)
    ),
    *(
        Case("MatrixSolve", [sound(a, dtype), numbers(b, dtype)], adjoint=True, **loose(dtype))
        for dtype in TYPES[2:]
        for a, b in SIDES
    ),
    *(Case(op, [SINGULAR, np.ones((2, 1))]) for op in ("MatrixSolve", "BatchMatrixSolve")),
    *(
        Case(op, [sound(a, dtype), numbers(b, dtype)], lower=lower, adjoint=flip, **loose(dtype))
        for op in ("MatrixTriangularSolve", "BatchMatrixTriangularSolve")
        for dtype in REAL
        for a, b in (*SIDES, *UNFIT[:3])
        for lower in (False, True)
        for flip in (False, True)
    ),
    *(
        Case("MatrixTriangularSolve", [sound(a, dtype), numbers(b, dtype)], lower=True, adjoint=True, **loose(dtype))
        for dtype in (*REAL, np.complex64)
        for a, b in (((3, 3), (2, 3, 1)), ((2, 1, 3, 3), (4, 3, 2)), ((2, 3, 3), (3, 3, 1)))
    ),
    Case("MatrixTriangularSolve", [np.float64([[1, 0], [1, 0]]), np.ones((2, 1))]),
    Case("MatrixTriangularSolve", [np.float64([[0, 0], [1, 1]]), np.ones((2, 3))]),
    *(
        Case("Qr", [numbers(shape, dtype)], full_matrices=full, **loose(dtype))
        for dtype in TYPES
        for shape in OBLONG
        for full in (False, True)
    ),
    *(
        Case("Svd", [numbers(shape, dtype)], compute_uv=vectors, full_matrices=True, only=[0], **loose(dtype))
        for dtype in REAL
        for shape in OBLONG
        for vectors in (False, True)
    ),
    *(
        Case("SelfAdjointEigV2", [symmetric(shape, dtype)], compute_v=vectors, only=[0], **loose(dtype))
        for dtype in TYPES
        for shape in SQUARES
        for vectors in (False, True)
    ),
    *(
        Case(
            "Eig",
            [numbers(shape, dtype)],
            Tout=complex_type(dtype),
            compute_v=vectors,
            eigen=True,
            **which,
            **wide(dtype),
        )
        for dtype in TYPES
        for shape in (*SQUARES, (5, 5))
        for vectors, which in ((True, {}), (False, {"only": [0]}))
    ),
    *(Case("Eig", [numbers(shape)], Tout=complex_type(np.float32)) for shape in WRONG),
    *(
        Case("Eig", [np.array(rows)], Tout=complex_type(np.float64), eigen=True, only=[0], rtol=1e-7)
        for rows in ([[0.0, 1], [-1, 0]], [[2.0, 1], [0, 2]], [[1.0, 2], [2, 4]], np.eye(3), [[np.nan, 1], [0, 1]])
    ),
    *(Case("Eig", [np.float64([[end, 1], [0, 1]])], Tout=complex_type(np.float64)) for end in (np.inf, -np.inf)),
    Case("Eig", [np.eye(2)], Tout=complex_type(np.float32)),
    Case("Eig", [np.eye(2, dtype=np.float32)], Tout=complex_type(np.float64)),
    *(Case("Lu", [numbers(shape, dtype)], **loose(dtype)) for dtype in TYPES for shape in (*SQUARES, *WRONG, (6, 6))),
    *(
        Case("Lu", [sound((3, 5, 5), np.float64)], output_idx_type=dtype)
        for dtype in (DataType.DT_INT32, DataType.DT_INT64)
    ),
    *(Case("Lu", [array]) for array in (SINGULAR, np.zeros((2, 2, 2)), np.float64([[0, 1], [1, 0]]))),
    *(
        Case("MatrixSolveLs", [numbers(a, dtype, -1, 1), numbers(b, dtype), np.float64(l2)], fast=fast, **wide(dtype))
        for dtype in TYPES
        for a, b in (((4, 2), (4, 3)), ((2, 4), (2, 1)), ((3, 3), (3, 2)), ((2, 5, 3), (2, 5, 2)), *UNFIT[:2])
        for l2, fast in ((0.5, True), (0.0, False))
    ),
    *(
        Case("MatrixSolveLs", [a, np.ones((2, 1)), np.float64(l2)], fast=fast, rtol=1e-9)
        for a in (SINGULAR, np.float64([[1, 0], [0, 1]]))
        for l2, fast in ((0.0, True), (0.0, False), (0.1, True), (-1.0, True), (0.7, False))
    ),
    *(
        Case(
            "BandedTriangularSolve", [bands(shape, dtype), numbers(b, dtype)], lower=lower, adjoint=flip, **loose(dtype)
        )
        for dtype in TYPES
        for shape, b in (
            ((1, 3), (3, 2)),
            ((2, 3), (3, 2)),
            ((3, 3), (3, 1)),
            ((2, 2, 4), (2, 4, 3)),
            ((2, 2, 4), (4, 1)),
            ((2, 1), (1, 1)),
            ((2, 3), (2, 1)),
            ((4, 3), (3, 1)),
            ((0, 3), (3, 1)),
        )
        for lower in (False, True)
        for flip in (False, True)
    ),
]
