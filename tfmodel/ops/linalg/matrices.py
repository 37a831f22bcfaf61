"""Decompositions, inverses and linear systems of batches of matrices, which are the last two dimensions.

A singular matrix has no inverse, which is an error. Results are NaN where they are in TensorFlow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import RunError
from ..math.matmul import adjoint
from ..runtime.argument_checks import check, show
from ..runtime.arrays import widen_halves
from ..runtime.registry import Tensor, kernel

__all__: list[str] = []


def _checked(x: Tensor, name: str = "the input", *, square: bool = True) -> Tensor:
    """Return matrices, with halves converted to single precision."""
    check(x.ndim >= 2, f"{name} must hold matrices, not be of shape {show(x.shape)}")
    fits = x.shape[-1] == x.shape[-2] or not square
    check(fits, f"{name} must hold square matrices, not be of shape {show(x.shape)}")
    return widen_halves(x)


def _computed(words: str, function: Callable[..., Any], *arrays: Tensor) -> Tensor:
    try:
        return np.asarray(function(*arrays))
    except np.linalg.LinAlgError as error:
        raise RunError(words) from error


@kernel("MatrixInverse", "BatchMatrixInverse")
def matrix_inverse(input: Tensor, *, adjoint: bool) -> Tensor:
    x = _checked(input)
    return _computed("a matrix is singular: it has no inverse", np.linalg.inv, _adjoint(x) if adjoint else x)


@kernel("MatrixDeterminant", "BatchMatrixDeterminant")
def matrix_determinant(input: Tensor) -> Tensor:
    return np.asarray(np.linalg.det(_checked(input)))


@kernel("LogMatrixDeterminant")
def log_matrix_determinant(input: Tensor) -> tuple[Tensor, Tensor]:
    sign, logarithm = np.linalg.slogdet(_checked(input))
    return np.asarray(sign), np.asarray(logarithm)


@kernel("Cholesky", "BatchCholesky")
def cholesky(input: Tensor) -> Tensor:
    x = _checked(input)
    try:
        return np.asarray(np.linalg.cholesky(x))
    except np.linalg.LinAlgError:  # for one of them, and NumPy then gives none
        return np.stack([_root(each) for each in x.reshape(-1, *x.shape[-2:])]).reshape(x.shape)


def _root(matrix: Tensor) -> Tensor:
    try:
        return np.asarray(np.linalg.cholesky(matrix))
    except np.linalg.LinAlgError:  # it is not positive definite
        return np.tril(np.full_like(matrix, np.nan))


@kernel("MatrixSolve", "BatchMatrixSolve")
def matrix_solve(matrix: Tensor, rhs: Tensor, *, adjoint: bool) -> Tensor:
    a, b = _checked(matrix, "matrix"), _checked(rhs, "rhs", square=False)
    check(
        a.shape[:-1] == b.shape[:-1],
        f"matrix {show(a.shape)} and rhs {show(b.shape)} do not have as many rows",
    )
    words = "a matrix is singular: the equations have no one solution"
    return _computed(words, np.linalg.solve, _adjoint(a) if adjoint else a, b)


@kernel("MatrixTriangularSolve", "BatchMatrixTriangularSolve")
def matrix_triangular_solve(matrix: Tensor, rhs: Tensor, *, lower: bool, adjoint: bool) -> Tensor:
    a, b = _checked(matrix, "matrix"), _checked(rhs, "rhs", square=False)
    check(
        a.shape[-1] == b.shape[-2],
        f"matrix {show(a.shape)} and rhs {show(b.shape)} do not have as many rows",
    )
    return _substituted(_adjoint(a) if adjoint else a, b, lower != adjoint)


def _substituted(a: Tensor, b: Tensor, lower: bool) -> Tensor:
    """Row by row, from the one that has a single unknown. A zero in the diagonal gives infinities and NaN."""
    rows = a.shape[-1]
    found = np.empty((*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:]), b.dtype)
    for row in range(rows) if lower else range(rows - 1, -1, -1):
        known = slice(0, row) if lower else slice(row + 1, rows)
        known_part = np.matmul(a[..., row : row + 1, known], found[..., known, :])[..., 0, :]
        found[..., row, :] = (b[..., row, :] - known_part) / a[..., row, row, np.newaxis]
    return found


_adjoint = adjoint  # an attribute has this name


# --- decompositions --------------------------------------------------------------------------------------------------


@kernel("Qr")
def qr(input: Tensor, *, full_matrices: bool) -> tuple[Tensor, Tensor]:
    q, r = np.linalg.qr(_checked(input, square=False), mode="complete" if full_matrices else "reduced")
    return np.asarray(q), np.asarray(r)


@kernel("Svd")
def svd(input: Tensor, *, compute_uv: bool, full_matrices: bool) -> tuple[Tensor, Tensor, Tensor]:
    x = _checked(input, square=False)
    if not compute_uv:
        empty = np.zeros(0, x.dtype)
        return np.asarray(np.linalg.svd(x, compute_uv=False)), empty, empty
    u, s, v = np.linalg.svd(x, full_matrices=full_matrices)
    return np.asarray(s), np.asarray(u), _adjoint(np.asarray(v))


@kernel("SelfAdjointEigV2")
def self_adjoint_eig(input: Tensor, *, compute_v: bool) -> tuple[Tensor, Tensor]:
    x = _checked(input)
    if not compute_v:
        return np.asarray(np.linalg.eigvalsh(x)), np.zeros(0, x.dtype)
    values, vectors = np.linalg.eigh(x)
    return np.asarray(values), np.asarray(vectors)
