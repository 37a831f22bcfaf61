"""Kernels of decompositions, inverses and linear systems of batches of matrices, and of Einsum.

Matrices are the last two dimensions. The inverse of a singular matrix is an error.

    ij,jk->ik          Einsum as a product of matrices
    ...ij->...ji       a batch of transpositions
    ii->i   i->ii      a diagonal, read and written

Einsum first sums each tensor over labels that only it has and that are not in the result, and takes the diagonal of a
label that occurs twice. The other labels of two tensors are of four kinds: in both and in the result (batch), in both
and not in the result (summed), only in the first, only in the second. The dimensions of each kind are merged, and the
result is one batch of matrix products.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import RunError
from ...messages import DataType
from ...values.dtypes import dtype_of
from ...values.terminal import escape
from ..math.matmul import adjoint
from ..runtime.argument_checks import check, read_scalar, show, widen_halves
from ..runtime.memory_limit import claim_array
from ..runtime.registry import Tensor, kernel


def _read_matrices(x: Tensor, name: str = "the input", *, square: bool = True) -> Tensor:
    """Return matrices, with float16 converted to float32. Raises RunError for other shapes."""
    check(x.ndim >= 2, f"{name} must hold matrices, not be of shape {show(x.shape)}")
    fits = x.shape[-1] == x.shape[-2] or not square
    check(fits, f"{name} must hold square matrices, not be of shape {show(x.shape)}")
    return widen_halves(x)


def _compute(message: str, function: Callable[..., Any], *arrays: Tensor) -> Tensor:
    """Return the result of a NumPy function. Raises RunError with this message if the function fails."""
    try:
        return np.asarray(function(*arrays))
    except np.linalg.LinAlgError as error:
        raise RunError(message) from error


@kernel("MatrixInverse", "BatchMatrixInverse")
def matrix_inverse(input: Tensor, *, adjoint: bool) -> Tensor:
    x = _read_matrices(input)
    return _compute("a matrix is singular: it has no inverse", np.linalg.inv, _adjoint(x) if adjoint else x)


@kernel("MatrixDeterminant", "BatchMatrixDeterminant")
def matrix_determinant(input: Tensor) -> Tensor:
    return np.asarray(np.linalg.det(_read_matrices(input)))


@kernel("LogMatrixDeterminant")
def log_matrix_determinant(input: Tensor) -> tuple[Tensor, Tensor]:
    sign, logarithm = np.linalg.slogdet(_read_matrices(input))
    return np.asarray(sign), np.asarray(logarithm)


@kernel("Cholesky", "BatchCholesky")
def cholesky(input: Tensor) -> Tensor:
    x = _read_matrices(input)
    try:
        return np.asarray(np.linalg.cholesky(x))
    except np.linalg.LinAlgError:  # if one matrix fails, NumPy returns no result for the others
        return np.stack([_cholesky_or_nan(matrix) for matrix in x.reshape(-1, *x.shape[-2:])]).reshape(x.shape)


def _cholesky_or_nan(matrix: Tensor) -> Tensor:
    try:
        return np.asarray(np.linalg.cholesky(matrix))
    except np.linalg.LinAlgError:  # it is not positive definite
        return np.tril(np.full_like(matrix, np.nan))


@kernel("MatrixSolve", "BatchMatrixSolve")
def matrix_solve(matrix: Tensor, rhs: Tensor, *, adjoint: bool) -> Tensor:
    a, b = _read_matrices(matrix, "matrix"), _read_matrices(rhs, "rhs", square=False)
    check(
        a.shape[:-1] == b.shape[:-1],
        f"matrix {show(a.shape)} and rhs {show(b.shape)} differ in their number of rows",
    )
    message = "a matrix is singular: the equations have no unique solution"
    return _compute(message, np.linalg.solve, _adjoint(a) if adjoint else a, b)


@kernel("MatrixTriangularSolve", "BatchMatrixTriangularSolve")
def matrix_triangular_solve(matrix: Tensor, rhs: Tensor, *, lower: bool, adjoint: bool) -> Tensor:
    a, b = _read_matrices(matrix, "matrix"), _read_matrices(rhs, "rhs", square=False)
    check(
        a.shape[-1] == b.shape[-2],
        f"matrix {show(a.shape)} and rhs {show(b.shape)} differ in their number of rows",
    )
    return _substitute(_adjoint(a) if adjoint else a, b, lower != adjoint)


def _substitute(a: Tensor, b: Tensor, lower: bool) -> Tensor:
    """Solve row by row, from the row with one unknown. A zero in the diagonal gives infinities and NaN."""
    rows = a.shape[-1]
    solution = np.empty((*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:]), b.dtype)
    for row in range(rows) if lower else range(rows - 1, -1, -1):
        solved = slice(0, row) if lower else slice(row + 1, rows)
        solved_part = np.matmul(a[..., row : row + 1, solved], solution[..., solved, :])[..., 0, :]
        solution[..., row, :] = (b[..., row, :] - solved_part) / a[..., row, row, np.newaxis]
    return solution


@kernel("BandedTriangularSolve")
def banded_triangular_solve(matrix: Tensor, rhs: Tensor, *, lower: bool, adjoint: bool) -> Tensor:
    """Solve with the diagonals of a triangular matrix as rows, the uppermost first."""
    bands, b = _read_matrices(matrix, "matrix", square=False), _read_matrices(rhs, "rhs", square=False)
    count, size = bands.shape[-2:]
    check(count > 0, "matrix must have a diagonal")
    check(size == b.shape[-2], f"matrix {show(bands.shape)} and rhs {show(b.shape)} differ in their number of rows")
    claim_array([*bands.shape[:-2], size, size], bands.dtype)
    a = np.zeros((*bands.shape[:-2], size, size), bands.dtype)
    for distance in range(min(count, size)):
        rows = np.arange(distance, size) if lower else np.arange(size - distance)
        columns = rows - distance if lower else rows + distance
        a[..., rows, columns] = bands[..., distance if lower else count - 1 - distance, rows]
    return _substitute(_adjoint(a) if adjoint else a, b, lower != adjoint)


@kernel("MatrixSolveLs")
def matrix_solve_ls(matrix: Tensor, rhs: Tensor, l2_regularizer: Tensor, *, fast: bool) -> Tensor:
    """Return the least squares solution; with `fast`, by the normal equations, to which a multiple of 1 is added."""
    a, b = _read_matrices(matrix, "matrix", square=False), _read_matrices(rhs, "rhs", square=False)
    check(
        a.shape[:-1] == b.shape[:-1],
        f"matrix {show(a.shape)} and rhs {show(b.shape)} differ in their number of rows",
    )
    rows, columns = a.shape[-2:]
    if not fast:
        flat = zip(a.reshape(-1, rows, columns), b.reshape(-1, *b.shape[-2:]), strict=True)
        solutions = [np.linalg.lstsq(one, other, rcond=None)[0] for one, other in flat]
        return np.array(solutions, b.dtype).reshape(*b.shape[:-2], columns, b.shape[-1])
    regularizer = float(read_scalar(l2_regularizer, "l2_regularizer"))
    check(regularizer >= 0, f"l2_regularizer must not be negative, and is {regularizer}")
    size, other = min(rows, columns), _adjoint(a)
    normal = np.matmul(other, a) if rows >= columns else np.matmul(a, other)
    normal = normal + (regularizer * np.eye(size)).astype(a.dtype)
    message = "the normal equations are singular: give a larger l2_regularizer, or fast=false"
    if rows >= columns:
        return _compute(message, np.linalg.solve, normal, np.matmul(other, b))
    return np.asarray(np.matmul(other, _compute(message, np.linalg.solve, normal, b)))


_adjoint = adjoint  # kernels have a parameter of the name `adjoint`


# --- decompositions --------------------------------------------------------------------------------------------------


@kernel("Lu")
def lu(input: Tensor, *, output_idx_type: DataType) -> tuple[Tensor, Tensor]:
    """Return both triangles in one matrix, and the rows of the input in the order of their pivots."""
    x = np.array(_read_matrices(input))
    size = x.shape[-1]
    flat = x.reshape(math.prod(x.shape[:-2]), size, size)
    order = np.tile(np.arange(size), (len(flat), 1))
    every = np.arange(len(flat))
    for step in range(size):
        pivots = step + np.argmax(np.abs(flat[:, step:, step]), 1)
        for array in (flat, order):
            array[every, step], array[every, pivots] = array[every, pivots].copy(), array[every, step].copy()
        check((flat[:, step, step] != 0).all(), "a matrix is singular: it has no inverse")
        flat[:, step + 1 :, step] /= flat[:, step, step, np.newaxis]
        flat[:, step + 1 :, step + 1 :] -= flat[:, step + 1 :, step, np.newaxis] * flat[:, step, np.newaxis, step + 1 :]
    return x, order.reshape(x.shape[:-1]).astype(dtype_of(output_idx_type).numpy)


@kernel("Qr")
def qr(input: Tensor, *, full_matrices: bool) -> tuple[Tensor, Tensor]:
    q, r = np.linalg.qr(_read_matrices(input, square=False), mode="complete" if full_matrices else "reduced")
    return np.asarray(q), np.asarray(r)


@kernel("Svd")
def svd(input: Tensor, *, compute_uv: bool, full_matrices: bool) -> tuple[Tensor, Tensor, Tensor]:
    x = _read_matrices(input, square=False)
    if not compute_uv:
        empty = np.zeros(0, x.dtype)
        return np.asarray(np.linalg.svd(x, compute_uv=False)), empty, empty
    u, s, v = np.linalg.svd(x, full_matrices=full_matrices)
    return np.asarray(s), np.asarray(u), _adjoint(np.asarray(v))


@kernel("SelfAdjointEigV2")
def self_adjoint_eig(input: Tensor, *, compute_v: bool) -> tuple[Tensor, Tensor]:
    x = _read_matrices(input)
    if not compute_v:
        return np.asarray(np.linalg.eigvalsh(x)), np.zeros(0, x.dtype)
    values, vectors = np.linalg.eigh(x)
    return np.asarray(values), np.asarray(vectors)


@kernel("Eig")
def eig(input: Tensor, *, compute_v: bool, Tout: DataType) -> tuple[Tensor, Tensor]:
    """Return eigenvalues and unit eigenvectors. Matrices must be finite.

    TensorFlow gives them in another order, with vectors of other phases, and NaN for some matrices that are not finite.
    """
    x = _read_matrices(input)
    dtype = np.result_type(x.dtype, np.complex64)
    check(dtype_of(Tout).numpy == dtype, f"Tout must be {dtype.name} for matrices of type {x.dtype.name}")
    message = "a matrix has no eigenvalues: it must be finite"
    if not compute_v:
        return _compute(message, np.linalg.eigvals, x).astype(dtype), np.zeros(0, dtype)
    try:
        values, vectors = np.linalg.eig(x)
    except np.linalg.LinAlgError as error:
        raise RunError(message) from error
    return values.astype(dtype), vectors.astype(dtype)


# --- Einsum ----------------------------------------------------------------------------------------------------------

Labels = list[int]
"""The dimensions of a tensor: letters as their code points; dimensions of an ellipsis as -1, -2, ... from the right."""


@kernel("Einsum")
def einsum(*inputs: Tensor, equation: bytes) -> Tensor:
    text = equation.decode("latin-1")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    check(arrow and "->" not in right and "," not in right, f'{_quote(text)} is not an equation: it needs one "->"')
    check(len(inputs) in (1, 2), f"it takes one or two tensors, not {len(inputs)}")
    check(len(terms) == len(inputs), f"{_quote(text)} has {len(terms)} terms for {len(inputs)} tensors")
    input_labels = [_labels(term, tensor.shape) for term, tensor in zip(terms, inputs, strict=True)]
    ellipsis_rank = max((-min(labels, default=0) for labels in input_labels), default=0)
    result_labels = _labels(right, None, max(ellipsis_rank, 0))
    _check_sizes(input_labels, inputs, result_labels, text)
    tensors = [widen_halves(tensor) for tensor in inputs]
    reduced = []
    for number, (tensor, labels) in enumerate(zip(tensors, input_labels, strict=True)):
        other_labels = {label for index, row in enumerate(input_labels) if index != number for label in row}
        reduced.append(_reduce(tensor, labels, other_labels | set(result_labels)))
    product, labels = reduced[0] if len(reduced) == 1 else _product(*reduced[0], *reduced[1], result_labels)
    return _arrange(product, labels, result_labels)


def _quote(text: str) -> str:
    return f'"{escape(text)}"'


def _label_text(label: int) -> str:
    return escape(chr(label)) if label >= 0 else "..."


def _labels(term: str, shape: Sequence[int] | None, ellipsis_rank: int = 0) -> Labels:
    """Return the labels of a term. An ellipsis is the unlabeled part of `shape`, or `ellipsis_rank` dimensions."""
    before, dots, after = term.partition("...")
    letters = before + after
    check("." not in letters, f"{_quote(term)} has dots that are not an ellipsis")
    if shape is not None:
        ellipsis_rank = len(shape) - len(letters)
        check(
            ellipsis_rank == 0 or (dots and ellipsis_rank > 0),
            f"{_quote(term)} does not fit a tensor of shape {show(shape)}",
        )
    return [*map(ord, before), *range(-ellipsis_rank, 0), *map(ord, after)] if dots else [*map(ord, letters)]


def _check_sizes(input_labels: list[Labels], inputs: Sequence[Tensor], result_labels: Labels, text: str) -> None:
    sizes: dict[int, int] = {}
    for labels, tensor in zip(input_labels, inputs, strict=True):
        for label, size in zip(labels, tensor.shape, strict=True):
            known_size = sizes.setdefault(label, size)
            fits = known_size == size or (label < 0 and 1 in (known_size, size))
            check(fits, f"{_quote(text)}: {_label_text(label)} is {known_size} in one dimension and {size} in another")
            sizes[label] = known_size if size == 1 else size
    for label in result_labels:
        check(label in sizes, f"{_quote(text)}: {_label_text(label)} is only in the result")
    missing = [label for label in sizes if label < 0 and label not in result_labels]
    check(not missing, f"{_quote(text)}: the result lacks the ellipsis")


def _reduce(x: Tensor, labels: Labels, needed: set[int]) -> tuple[Tensor, Labels]:
    """Return a tensor with its diagonals extracted, and summed over labels that are not needed."""
    remaining = [label for label in dict.fromkeys(labels) if label in needed]
    if remaining == labels:
        return x, labels
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    sums = np.einsum(x, [numbers[label] for label in labels], [numbers[label] for label in remaining])
    return np.asarray(sums, x.dtype), remaining


def _product(a: Tensor, a_labels: Labels, b: Tensor, b_labels: Labels, result_labels: Labels) -> tuple[Tensor, Labels]:
    common = [label for label in a_labels if label in b_labels or label < 0]
    common += [label for label in b_labels if label < 0 and label not in common]
    batch = [label for label in common if label in result_labels]
    summed = [label for label in common if label not in result_labels]
    only_a = [label for label in a_labels if label not in common]
    only_b = [label for label in b_labels if label not in common]
    a = _group_dimensions(a, a_labels, batch, only_a, summed)
    b = _group_dimensions(b, b_labels, batch, summed, only_b)
    product = np.matmul(_merge_dimensions(a, len(batch), len(only_a)), _merge_dimensions(b, len(batch), len(summed)))
    shape = (*product.shape[:-2], *a.shape[len(batch) : len(batch) + len(only_a)], *b.shape[len(batch) + len(summed) :])
    return product.reshape(shape), [*batch, *only_a, *only_b]


def _group_dimensions(x: Tensor, labels: Labels, *groups: Labels) -> Tensor:
    """Return a tensor with its dimensions in this order; labels that it lacks become dimensions of size 1."""
    order = [label for group in groups for label in group]
    x = x.transpose([labels.index(label) for label in order if label in labels])
    sizes = iter(x.shape)
    return x.reshape([next(sizes) if label in labels else 1 for label in order])


def _merge_dimensions(x: Tensor, batch: int, rows: int) -> Tensor:
    """Return matrices: after the batch dimensions, merge the next `rows` dimensions, and the remaining ones."""
    middle = x.shape[batch : batch + rows]
    return x.reshape(*x.shape[:batch], math.prod(middle), math.prod(x.shape[batch + rows :]))


def _arrange(x: Tensor, labels: Labels, result_labels: Labels) -> Tensor:
    """Return the dimensions in the order of the result. A label that occurs more than once is a diagonal."""
    order = list(dict.fromkeys(result_labels))
    x = x.transpose([labels.index(label) for label in order])
    if order == result_labels:
        return x
    sizes = dict(zip(order, x.shape, strict=True))
    result = np.zeros([sizes[label] for label in result_labels], x.dtype)
    np.einsum(result, [order.index(label) for label in result_labels], list(range(len(order))))[...] = x
    return result
