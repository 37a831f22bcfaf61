"""Linear algebra of matrices, and Einsum.

Decompositions, inverses and linear systems of batches of matrices, which are the last two dimensions.

A singular matrix has no inverse, which is an error. Results are NaN where they are in TensorFlow.

Einsum: sums of products along labelled dimensions.

    ij,jk->ik          a product of matrices
    ...ij->...ji       a batch of transpositions
    ii->i   i->ii      a diagonal, read and written

Of two tensors, labels are of four kinds: those in both and in the result (batch), in both and not in the result (added
up), and those of one alone. With dimensions moved together by kind and joined, it is a product of matrices, for which
there is fast code. A label of one tensor alone that is not in the result is added up before, and a label that comes
twice in one tensor is its diagonal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import RunError
from ...io.terminal import printable
from ..math.matmul import adjoint
from ..runtime.argument_checks import check, show, widen_halves
from ..runtime.registry import Tensor, kernel

__all__ = ["einsum"]


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


Labels = list[int]  # letters as their code points; dimensions of an ellipsis as -1, -2, ... from the right


@kernel("Einsum")
def einsum(*inputs: Tensor, equation: bytes) -> Tensor:
    text = equation.decode("latin-1")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    check(arrow and "->" not in right and "," not in right, f'{_quoted(text)} is no equation: it needs one "->"')
    check(len(inputs) in (1, 2), f"it takes one tensor or two, and there are {len(inputs)}")
    check(len(terms) == len(inputs), f"{_quoted(text)} is about {len(terms)} tensors, and there are {len(inputs)}")
    named = [_labels(term, each.shape) for term, each in zip(terms, inputs, strict=True)]
    spread = max((-min(labels, default=0) for labels in named), default=0)
    wanted = _labels(right, None, max(spread, 0))
    _check_sizes(named, inputs, wanted, text)
    tensors = [widen_halves(each) for each in inputs]
    reduced = []
    for place, (tensor, labels) in enumerate(zip(tensors, named, strict=True)):
        others = {label for at, each in enumerate(named) if at != place for label in each}
        reduced.append(_reduced(tensor, labels, others | set(wanted)))
    found, labels = reduced[0] if len(reduced) == 1 else _product(*reduced[0], *reduced[1], wanted)
    return _arranged(found, labels, wanted)


def _quoted(text: str) -> str:
    return f'"{printable(text)}"'


def _name(label: int) -> str:
    return printable(chr(label)) if label >= 0 else "..."


def _labels(term: str, shape: Sequence[int] | None, spread: int = 0) -> Labels:
    """The labels of a tensor. Those of an ellipsis go by what the others leave of the shape, or by `spread`."""
    before, dots, behind = term.partition("...")
    letters = before + behind
    check("." not in letters, f"{_quoted(term)} has dots that are no ellipsis")
    if shape is not None:
        spread = len(shape) - len(letters)
        check(spread == 0 or (dots and spread > 0), f"{_quoted(term)} does not fit a tensor of shape {show(shape)}")
    return [*map(ord, before), *range(-spread, 0), *map(ord, behind)] if dots else [*map(ord, letters)]


def _check_sizes(named: list[Labels], inputs: Sequence[Tensor], wanted: Labels, text: str) -> None:
    sizes: dict[int, int] = {}
    for labels, tensor in zip(named, inputs, strict=True):
        for label, size in zip(labels, tensor.shape, strict=True):
            other = sizes.setdefault(label, size)
            fits = other == size or (label < 0 and 1 in (other, size))
            check(fits, f"{_quoted(text)}: {_name(label)} is {other} in one place and {size} in another")
            sizes[label] = other if size == 1 else size
    for label in wanted:
        check(label in sizes, f"{_quoted(text)}: {_name(label)} is only in the result")
    lost = [label for label in sizes if label < 0 and label not in wanted]
    check(not lost, f"{_quoted(text)}: the result lacks the ellipsis")


def _reduced(x: Tensor, labels: Labels, kept: set[int]) -> tuple[Tensor, Labels]:
    """Return a tensor with its diagonals extracted, and summed over labels that are not needed."""
    left = [label for label in dict.fromkeys(labels) if label in kept]
    if left == labels:
        return x, labels
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    found = np.einsum(x, [numbers[label] for label in labels], [numbers[label] for label in left])
    return np.asarray(found, x.dtype), left


def _product(a: Tensor, of_a: Labels, b: Tensor, of_b: Labels, wanted: Labels) -> tuple[Tensor, Labels]:
    both = [label for label in of_a if label in of_b or label < 0]
    both += [label for label in of_b if label < 0 and label not in both]
    batch = [label for label in both if label in wanted]
    added = [label for label in both if label not in wanted]
    own_a = [label for label in of_a if label not in both]
    own_b = [label for label in of_b if label not in both]
    a = _grouped(a, of_a, batch, own_a, added)
    b = _grouped(b, of_b, batch, added, own_b)
    found = np.matmul(_joined(a, len(batch), len(own_a)), _joined(b, len(batch), len(added)))
    shape = (*found.shape[:-2], *a.shape[len(batch) : len(batch) + len(own_a)], *b.shape[len(batch) + len(added) :])
    return found.reshape(shape), [*batch, *own_a, *own_b]


def _grouped(x: Tensor, labels: Labels, *groups: Labels) -> Tensor:
    """A tensor with its dimensions in this order; those that it lacks are of size 1."""
    order = [label for group in groups for label in group]
    x = x.transpose([labels.index(label) for label in order if label in labels])
    sizes = iter(x.shape)
    return x.reshape([next(sizes) if label in labels else 1 for label in order])


def _joined(x: Tensor, batch: int, rows: int) -> Tensor:
    """Matrices: behind some dimensions, the next ones are made one, and the rest another."""
    middle = x.shape[batch : batch + rows]
    return x.reshape(*x.shape[:batch], math.prod(middle), math.prod(x.shape[batch + rows :]))


def _arranged(x: Tensor, labels: Labels, wanted: Labels) -> Tensor:
    """The dimensions in the order of the result, where a label may come more than once: that is a diagonal."""
    order = list(dict.fromkeys(wanted))
    x = x.transpose([labels.index(label) for label in order])
    if order == wanted:
        return x
    sizes = dict(zip(order, x.shape, strict=True))
    found = np.zeros([sizes[label] for label in wanted], x.dtype)
    np.einsum(found, [order.index(label) for label in wanted], list(range(len(order))))[...] = x
    return found
