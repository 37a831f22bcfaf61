"""Arithmetic with sparse tensors, and sums over segments of rows that are picked by index."""

from __future__ import annotations

import math

import numpy as np

from ..runtime.argument_checks import axis_of, check, listed, scalar, shown
from ..runtime.arrays import blank
from ..runtime.memory_limit import claim_array
from ..runtime.registry import Tensor, kernel
from .tensors import check_sparse, grouped, places, unplaced

__all__: list[str] = []


@kernel("SparseTensorDenseMatMul")
def sparse_dense_matmul(
    indices: Tensor, values: Tensor, shape: Tensor, b: Tensor, *, adjoint_a: bool, adjoint_b: bool
) -> Tensor:
    sizes = check_sparse(indices, values, shape)
    check(len(sizes) == 2 and b.ndim == 2, f"both must be matrices, not {shown(sizes)} and {shown(b.shape)}")
    places(indices, sizes)
    b = b.conj().T if adjoint_b else b
    columns = indices[:, ::-1] if adjoint_a else indices
    rows, inner = sizes[::-1] if adjoint_a else sizes
    check(inner == len(b), f"a matrix of {rows} x {inner} cannot be multiplied by one of {len(b)} x {b.shape[1]}")
    result = blank((rows, b.shape[1]), values.dtype)
    factors = values.conj() if adjoint_a else values
    np.add.at(result, columns[:, 0], factors[:, np.newaxis] * b[columns[:, 1]])
    return result


@kernel("SparseTensorDenseAdd")
def sparse_dense_add(indices: Tensor, values: Tensor, shape: Tensor, b: Tensor) -> Tensor:
    sizes = check_sparse(indices, values, shape)
    check(sizes == b.shape, f"a sparse tensor of shape {shown(sizes)} cannot be added to one of {shown(b.shape)}")
    result = b.reshape(-1).copy()
    np.add.at(result, places(indices, sizes), values)
    return result.reshape(sizes)


@kernel("SparseDenseCwiseAdd")
def sparse_dense_cwise_add(indices: Tensor, values: Tensor, shape: Tensor, dense: Tensor) -> Tensor:
    return np.asarray(values + _at(indices, values, shape, dense))


@kernel("SparseDenseCwiseMul")
def sparse_dense_cwise_mul(indices: Tensor, values: Tensor, shape: Tensor, dense: Tensor) -> Tensor:
    return np.asarray(values * _at(indices, values, shape, dense))


@kernel("SparseDenseCwiseDiv")
def sparse_dense_cwise_div(indices: Tensor, values: Tensor, shape: Tensor, dense: Tensor) -> Tensor:
    divisors = _at(indices, values, shape, dense)
    check((dense != 0).all(), "the dense tensor has a zero, which nothing can be divided by")
    if values.dtype.kind not in "iu":
        return np.asarray(values / divisors)
    return np.asarray((values - np.fmod(values, divisors)) // divisors)  # towards zero


def _at(indices: Tensor, values: Tensor, shape: Tensor, dense: Tensor) -> Tensor:
    """What a tensor, broadcast to the shape of a sparse one, has where that has values."""
    sizes = check_sparse(indices, values, shape)
    fits = dense.ndim <= len(sizes) and all(
        own in (1, size) for own, size in zip(dense.shape[::-1], sizes[::-1], strict=False)
    )
    check(fits, f"a tensor of shape {shown(dense.shape)} cannot be broadcast to the sparse one's, {shown(sizes)}")
    places(indices, sizes)
    return np.asarray(np.broadcast_to(dense, sizes)[tuple(indices.T)])


@kernel("SparseSoftmax")
def sparse_softmax(indices: Tensor, values: Tensor, shape: Tensor) -> Tensor:
    sizes = check_sparse(indices, values, shape)
    check(len(sizes) >= 2, f"the tensor must have 2 dimensions or more, not {len(sizes)}")
    rows, lead = grouped(indices, sizes, range(len(sizes) - 1))
    claim_array(lead, values.dtype)
    largest = np.full(math.prod(lead), -np.inf, values.dtype)
    np.maximum.at(largest, rows, values)
    powers = np.exp(values - largest[rows])
    sums = np.zeros_like(largest)
    np.add.at(sums, rows, powers)
    return np.asarray(powers / sums[rows])


# --- two sparse tensors ----------------------------------------------------------------------------------------------


@kernel("SparseAdd")
def sparse_add(
    a_indices: Tensor,
    a_values: Tensor,
    a_shape: Tensor,
    b_indices: Tensor,
    b_values: Tensor,
    b_shape: Tensor,
    thresh: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """A sum that is smaller than `thresh` is left out; a value that only one of them has is not."""
    indices, a, b, both = _together(a_indices, a_values, a_shape, b_indices, b_values, b_shape)
    sums = a + b
    kept = ~both | (np.abs(sums) >= scalar(thresh, "thresh"))
    return indices[kept], sums[kept], a_shape


@kernel("SparseSparseMaximum")
def sparse_sparse_maximum(*parts: Tensor) -> tuple[Tensor, Tensor]:
    indices, a, b, _ = _together(*parts)
    return indices, np.maximum(a, b)


@kernel("SparseSparseMinimum")
def sparse_sparse_minimum(*parts: Tensor) -> tuple[Tensor, Tensor]:
    indices, a, b, _ = _together(*parts)
    return indices, np.minimum(a, b)


def _together(*parts: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the indices where either tensor has a value, both values there (0 if missing), and whether both exist."""
    sizes, others = check_sparse(*parts[:3]), check_sparse(*parts[3:])
    check(sizes == others, f"both must be of one shape, not {shown(sizes)} and {shown(others)}")
    numbers = [places(parts[0], sizes), places(parts[3], sizes)]
    union, inverse = np.unique(np.concatenate(numbers), return_inverse=True)
    values = np.zeros((2, union.size), parts[1].dtype)
    values[0, inverse[: len(numbers[0])]] = parts[1]
    values[1, inverse[len(numbers[0]) :]] = parts[4]
    both = np.bincount(inverse, minlength=union.size) > 1
    return unplaced(union, sizes), values[0], values[1], both


# --- reductions ------------------------------------------------------------------------------------------------------


@kernel("SparseReduceSum")
def sparse_reduce_sum(indices: Tensor, values: Tensor, shape: Tensor, axes: Tensor, *, keep_dims: bool) -> Tensor:
    return _dense(*_reduced(np.add, indices, values, shape, axes, keep_dims))


@kernel("SparseReduceMax")
def sparse_reduce_max(indices: Tensor, values: Tensor, shape: Tensor, axes: Tensor, *, keep_dims: bool) -> Tensor:
    return _dense(*_reduced(np.maximum, indices, values, shape, axes, keep_dims))


@kernel("SparseReduceSumSparse")
def sparse_reduce_sum_sparse(
    indices: Tensor, values: Tensor, shape: Tensor, axes: Tensor, *, keep_dims: bool
) -> tuple[Tensor, Tensor, Tensor]:
    rows, found, sizes = _reduced(np.add, indices, values, shape, axes, keep_dims)
    return unplaced(rows, sizes), found, np.array(sizes, np.int64)


@kernel("SparseReduceMaxSparse")
def sparse_reduce_max_sparse(
    indices: Tensor, values: Tensor, shape: Tensor, axes: Tensor, *, keep_dims: bool
) -> tuple[Tensor, Tensor, Tensor]:
    rows, found, sizes = _reduced(np.maximum, indices, values, shape, axes, keep_dims)
    return unplaced(rows, sizes), found, np.array(sizes, np.int64)


def _reduced(
    function: np.ufunc, indices: Tensor, values: Tensor, shape: Tensor, axes: Tensor, keep_dims: bool
) -> tuple[Tensor, Tensor, list[int]]:
    """Elements of the flattened result that have values, these, and the shape of the result."""
    sizes = check_sparse(indices, values, shape)
    check(axes.ndim <= 1, f"reduction_axes must be a scalar or a vector, not of shape {shown(axes.shape)}")
    gone = {axis_of(axis, len(sizes), "reduction_axes") for axis in listed(axes.reshape(-1))}
    rows, kept = grouped(indices, sizes, [axis for axis in range(len(sizes)) if axis not in gone])
    order = np.argsort(rows, kind="stable")
    groups, starts = np.unique(rows[order], return_index=True)
    found = function.reduceat(values[order], starts, dtype=values.dtype) if starts.size else values[:0]
    return groups, found, [1 if axis in gone else size for axis, size in enumerate(sizes)] if keep_dims else list(kept)


def _dense(rows: Tensor, values: Tensor, sizes: list[int]) -> Tensor:
    result = blank([math.prod(sizes)], values.dtype)
    result[rows] = values
    return result.reshape(sizes)
