"""Kernels of sparse tensors: construction, slicing, concatenation, arithmetic and reductions.

    indices   [n, rank], the index of each value, in any order; SparseToDense can require that they are sorted
    values    [n]
    shape     [rank]

Indices are compared as flat positions, the indices in the flattened tensor: see `flat_positions`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from ..array.gather_scatter import flat_indices
from ..runtime.argument_checks import (
    check,
    check_indices,
    check_kind,
    int_list,
    normalize_axis,
    read_scalar,
    read_shape,
    read_vector,
    show,
    zeros,
)
from ..runtime.memory_limit import claim_array
from ..runtime.registry import Tensor, kernel

_WIDE = 16
"""The number of columns from which on a matrix is multiplied row by row."""


def check_sparse(indices: Tensor, values: Tensor, shape: Tensor) -> tuple[int, ...]:
    """Return the shape of a sparse tensor. Raises RunError if its parts do not fit together."""
    check(indices.ndim == 2, f"indices must be a matrix, not of shape {show(indices.shape)}")
    check(values.ndim == 1, f"values must be a vector, not of shape {show(values.shape)}")
    check(shape.ndim == 1, f"the shape must be a vector, not of shape {show(shape.shape)}")
    check(len(indices) == len(values), f"there are {len(indices)} indices for {len(values)} values")
    check(indices.shape[1] == shape.size, f"indices have {indices.shape[1]} elements, the shape {shape.size}")
    return read_shape(shape, "the shape")


def flat_positions(indices: Tensor, shape: Sequence[int]) -> Tensor:
    """Return the positions of elements in the flattened tensor. Raises RunError for indices outside of it."""
    check(math.prod(shape) < 2**63, f"a tensor of shape {show(shape)} has too many elements")
    return flat_indices(indices, tuple(shape))


def indices_of_positions(positions: Tensor, shape: Sequence[int]) -> Tensor:
    """Return the indices of elements, from their positions in the flattened tensor."""
    if not len(shape):
        return np.zeros((len(positions), 0), np.int64)
    if not positions.size:  # the shape may have a size of 0
        return np.zeros((0, len(shape)), np.int64)
    return np.stack(np.unravel_index(positions, tuple(shape)), -1).astype(np.int64)


def group_by_axes(indices: Tensor, shape: Sequence[int], axes: Sequence[int]) -> tuple[Tensor, tuple[int, ...]]:
    """Return the position of each value in the flattened tensor that has only `axes`, and the shape of that tensor.

    Raises RunError for indices outside of `shape`.
    """
    flat_positions(indices, shape)  # checks the indices
    remaining = tuple(shape[axis] for axis in axes)
    return flat_indices(indices[:, list(axes)], remaining), remaining


@kernel("SparseToDense")
def sparse_to_dense(
    sparse_indices: Tensor,
    output_shape: Tensor,
    sparse_values: Tensor,
    default_value: Tensor,
    *,
    validate_indices: bool,
) -> Tensor:
    check(
        sparse_indices.ndim <= 2, f"sparse_indices must be at most a matrix, not of shape {show(sparse_indices.shape)}"
    )
    check(output_shape.ndim == 1, f"output_shape must be a vector, not of shape {show(output_shape.shape)}")
    sizes = read_shape(output_shape, "output_shape")
    count = len(sparse_indices) if sparse_indices.ndim else 1
    indices = sparse_indices if sparse_indices.ndim == 2 else sparse_indices.reshape(count, 1)
    check(indices.shape[1] == len(sizes), f"indices have {indices.shape[1]} elements, output_shape {len(sizes)}")
    check(
        sparse_values.shape in ((), (count,)),
        f"sparse_values must be a scalar or of shape [{count}], not {show(sparse_values.shape)}",
    )
    rows = flat_positions(indices, sizes)
    check(not validate_indices or (np.diff(rows) > 0).all(), "indices must be sorted and unique")
    result = np.full(math.prod(sizes), read_scalar(default_value, "default_value"), sparse_values.dtype)
    result[rows] = sparse_values
    return result.reshape(sizes)


@kernel("SparseReorder")
def sparse_reorder(indices: Tensor, values: Tensor, shape: Tensor) -> tuple[Tensor, Tensor]:
    order = np.argsort(flat_positions(indices, check_sparse(indices, values, shape)), kind="stable")
    return indices[order], values[order]


@kernel("SparseReshape")
def sparse_reshape(indices: Tensor, shape: Tensor, new_shape: Tensor) -> tuple[Tensor, Tensor]:
    check(indices.ndim == 2, f"indices must be a matrix, not of shape {show(indices.shape)}")
    old = check_sparse(indices, np.zeros(len(indices)), shape)
    new = read_vector(new_shape, "new_shape")
    check(
        new.count(-1) <= 1 and min(new, default=0) >= -1,
        f"new_shape is {show(new)}, but only one size may be -1, and no other negative",
    )
    if -1 in new:
        known = math.prod(size for size in new if size != -1)
        check(known > 0, f"the -1 in new_shape {show(new)} cannot be inferred, as another size is 0")
        new[new.index(-1)] = math.prod(old) // known
    check(
        math.prod(old) == math.prod(new),
        f"a tensor of shape {show(old)} cannot be reshaped to {show(int_list(new_shape))}",
    )
    return indices_of_positions(flat_positions(indices, old), new), np.array(new, np.int64)


@kernel("SparseSlice")
def sparse_slice(
    indices: Tensor, values: Tensor, shape: Tensor, start: Tensor, size: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    sizes = np.array(check_sparse(indices, values, shape), np.int64)
    read_vector(start, "start", sizes.size), read_vector(size, "size", sizes.size)
    check((size >= 0).all(), f"size is {show(int_list(size))}, but must not be negative")
    part_sizes = np.maximum(np.minimum(size, sizes - start), 0)
    inside = ((indices >= start) & (indices < start + part_sizes)).all(1)
    return indices[inside] - start, values[inside], part_sizes


@kernel("SparseConcat")
def sparse_concat(*tensors: Tensor, concat_dim: int) -> tuple[Tensor, Tensor, Tensor]:
    count = len(tensors) // 3
    indices, values, shapes = tensors[:count], tensors[count : 2 * count], tensors[2 * count :]
    sizes = [list(check_sparse(*parts)) for parts in zip(indices, values, shapes, strict=True)]
    axis = normalize_axis(concat_dim, len(sizes[0]), "concat_dim")
    for row in sizes:
        same = len(row) == len(sizes[0]) and row[:axis] + row[axis + 1 :] == sizes[0][:axis] + sizes[0][axis + 1 :]
        check(same, f"shapes {show(sizes[0])} and {show(row)} differ in more than dimension {concat_dim}")
    starts = list(itertools.accumulate([row[axis] for row in sizes], initial=0))
    shifted = [np.array(part) for part in indices]
    for part, first in zip(shifted, starts, strict=False):
        part[:, axis] += first
    shape = np.array([*sizes[0][:axis], starts[-1], *sizes[0][axis + 1 :]], np.int64)
    return (*sparse_reorder(np.concatenate(shifted), np.concatenate(values), shape), shape)


@kernel("SparseSplit")
def sparse_split(split_dim: Tensor, indices: Tensor, values: Tensor, shape: Tensor, *, num_split: int) -> list[Tensor]:
    sizes = check_sparse(indices, values, shape)
    check(split_dim.size == 1, f"split_dim must be one number, not of shape {show(split_dim.shape)}")
    axis = normalize_axis(split_dim.item(), len(sizes), "split_dim")
    check(1 <= num_split <= sizes[axis], f"a size of {sizes[axis]} cannot be split into {num_split}")
    flat_positions(indices, sizes)  # checks the indices
    base_size, larger_count = divmod(sizes[axis], num_split)  # the first parts are larger by one
    ends = list(itertools.accumulate([base_size + (number < larger_count) for number in range(num_split)], initial=0))
    pieces = []
    for first, end in itertools.pairwise(ends):
        inside = (indices[:, axis] >= first) & (indices[:, axis] < end)
        part_indices = indices[inside]
        part_indices[:, axis] -= first
        pieces.append(
            (part_indices, values[inside], np.array([*sizes[:axis], end - first, *sizes[axis + 1 :]], np.int64))
        )
    return [tensor for group in zip(*pieces, strict=True) for tensor in group]


@kernel("SparseFillEmptyRows")
def sparse_fill_empty_rows(
    indices: Tensor, values: Tensor, dense_shape: Tensor, default_value: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Insert a default in empty rows; also return which rows are empty, and the new position of each value."""
    sizes = check_sparse(indices, values, dense_shape)
    check(len(sizes) > 0, "dense_shape must not be empty")
    rows = indices[:, 0]
    check_indices(rows, sizes[0], "rows")
    claim_array([sizes[0]], np.int64)
    empty = np.bincount(rows, minlength=sizes[0]) == 0
    new_indices = zeros((int(empty.sum()), len(sizes)), np.dtype(np.int64))
    new_indices[:, 0] = np.flatnonzero(empty)
    fill = np.full(len(new_indices), read_scalar(default_value, "default_value"), values.dtype)
    order = np.argsort(np.concatenate([rows, new_indices[:, 0]]), kind="stable")
    new_positions = np.empty_like(order)
    new_positions[order] = np.arange(order.size)
    outputs = np.concatenate([indices, new_indices])[order], np.concatenate([values, fill])[order]
    return (*outputs, empty, new_positions[: len(rows)])


@kernel("SparseFillEmptyRowsGrad")
def sparse_fill_empty_rows_grad(reverse_index_map: Tensor, grad_values: Tensor) -> tuple[Tensor, Tensor]:
    read_vector(reverse_index_map, "reverse_index_map"), read_vector(grad_values, "grad_values")
    check_indices(reverse_index_map, grad_values.size, "reverse_index_map")
    is_default = np.ones(grad_values.size, bool)
    is_default[reverse_index_map] = False
    return grad_values[reverse_index_map], grad_values[is_default].sum(dtype=grad_values.dtype)


@kernel("SparseTensorDenseMatMul")
def sparse_dense_matmul(
    indices: Tensor, values: Tensor, shape: Tensor, b: Tensor, *, adjoint_a: bool, adjoint_b: bool
) -> Tensor:
    check_kind(values, "iufc")
    sizes = check_sparse(indices, values, shape)
    check(len(sizes) == 2 and b.ndim == 2, f"both must be matrices, not {show(sizes)} and {show(b.shape)}")
    flat_positions(indices, sizes)  # checks the indices
    b = b.conj().T if adjoint_b else b
    columns = indices[:, ::-1] if adjoint_a else indices
    rows, inner = sizes[::-1] if adjoint_a else sizes
    check(inner == len(b), f"a matrix of {rows} x {inner} cannot be multiplied by one of {len(b)} x {b.shape[1]}")
    result = zeros((rows, b.shape[1]), values.dtype)
    factors = values.conj() if adjoint_a else values
    if b.shape[1] < _WIDE:
        np.add.at(result, columns[:, 0], factors[:, np.newaxis] * b[columns[:, 1]])
        return result
    for (row, source), factor in zip(columns, factors, strict=True):  # rows that are gathered may exceed the memory
        result[row] += factor * b[source]
    return result


@kernel("SparseTensorDenseAdd")
def sparse_dense_add(indices: Tensor, values: Tensor, shape: Tensor, b: Tensor) -> Tensor:
    sizes = check_sparse(indices, values, shape)
    check(
        sizes == b.shape,
        f"a sparse tensor of shape {show(sizes)} cannot be added to a dense tensor of shape {show(b.shape)}",
    )
    result = b.reshape(-1).copy()
    np.add.at(result, flat_positions(indices, sizes), values)
    return result.reshape(sizes)


@kernel("SparseDenseCwiseAdd")
def sparse_dense_cwise_add(indices: Tensor, values: Tensor, shape: Tensor, dense: Tensor) -> Tensor:
    return np.asarray(values + _gather_dense(indices, values, shape, dense))


@kernel("SparseDenseCwiseMul")
def sparse_dense_cwise_mul(indices: Tensor, values: Tensor, shape: Tensor, dense: Tensor) -> Tensor:
    return np.asarray(values * _gather_dense(indices, values, shape, dense))


@kernel("SparseDenseCwiseDiv")
def sparse_dense_cwise_div(indices: Tensor, values: Tensor, shape: Tensor, dense: Tensor) -> Tensor:
    divisors = _gather_dense(indices, values, shape, dense)
    check((dense != 0).all(), "the dense tensor has a zero: division by zero")
    if values.dtype.kind not in "iu":
        return np.asarray(values / divisors)
    return np.asarray((values - np.fmod(values, divisors)) // divisors)  # towards zero


def _gather_dense(indices: Tensor, values: Tensor, shape: Tensor, dense: Tensor) -> Tensor:
    """Return the elements of a tensor, broadcast to the shape of a sparse one, at its indices."""
    sizes = check_sparse(indices, values, shape)
    fits = dense.ndim <= len(sizes) and all(
        actual in (1, size) for actual, size in zip(dense.shape[::-1], sizes[::-1], strict=False)
    )
    check(
        fits,
        f"a tensor of shape {show(dense.shape)} cannot be broadcast to that of the sparse tensor, {show(sizes)}",
    )
    flat_positions(indices, sizes)  # checks the indices
    return np.asarray(np.broadcast_to(dense, sizes)[tuple(indices.T)])


@kernel("SparseSoftmax")
def sparse_softmax(indices: Tensor, values: Tensor, shape: Tensor) -> Tensor:
    sizes = check_sparse(indices, values, shape)
    check(len(sizes) >= 2, f"the tensor must have 2 dimensions or more, not {len(sizes)}")
    rows, outer_shape = group_by_axes(indices, sizes, range(len(sizes) - 1))
    claim_array(outer_shape, values.dtype)
    largest = np.full(math.prod(outer_shape), -np.inf, values.dtype)
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
    """Add two sparse tensors. Sums whose absolute value is below `thresh` are dropped; values of only one are kept."""
    indices, a, b, both = _merge(a_indices, a_values, a_shape, b_indices, b_values, b_shape)
    sums = a + b
    remaining = ~both | (np.abs(sums) >= read_scalar(thresh, "thresh"))
    return indices[remaining], sums[remaining], a_shape


@kernel("SparseSparseMaximum")
def sparse_sparse_maximum(*parts: Tensor) -> tuple[Tensor, Tensor]:
    indices, a, b, _ = _merge(*parts)
    return indices, np.maximum(a, b)


@kernel("SparseSparseMinimum")
def sparse_sparse_minimum(*parts: Tensor) -> tuple[Tensor, Tensor]:
    indices, a, b, _ = _merge(*parts)
    return indices, np.minimum(a, b)


def _merge(*parts: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the indices where either tensor has a value, both values there (0 if missing), and whether both exist."""
    sizes, other_sizes = check_sparse(*parts[:3]), check_sparse(*parts[3:])
    check(sizes == other_sizes, f"both must be of one shape, not {show(sizes)} and {show(other_sizes)}")
    numbers = [flat_positions(parts[0], sizes), flat_positions(parts[3], sizes)]
    union, inverse = np.unique(np.concatenate(numbers), return_inverse=True)
    values = np.zeros((2, union.size), parts[1].dtype)
    values[0, inverse[: len(numbers[0])]] = parts[1]
    values[1, inverse[len(numbers[0]) :]] = parts[4]
    both = np.bincount(inverse, minlength=union.size) > 1
    return indices_of_positions(union, sizes), values[0], values[1], both


# --- reductions ------------------------------------------------------------------------------------------------------


@kernel("SparseReduceSum")
def sparse_reduce_sum(indices: Tensor, values: Tensor, shape: Tensor, axes: Tensor, *, keep_dims: bool) -> Tensor:
    return _dense(*_reduce(np.add, indices, values, shape, axes, keep_dims))


@kernel("SparseReduceMax")
def sparse_reduce_max(indices: Tensor, values: Tensor, shape: Tensor, axes: Tensor, *, keep_dims: bool) -> Tensor:
    return _dense(*_reduce(np.maximum, indices, values, shape, axes, keep_dims))


@kernel("SparseReduceSumSparse")
def sparse_reduce_sum_sparse(
    indices: Tensor, values: Tensor, shape: Tensor, axes: Tensor, *, keep_dims: bool
) -> tuple[Tensor, Tensor, Tensor]:
    rows, reduced, sizes = _reduce(np.add, indices, values, shape, axes, keep_dims)
    return indices_of_positions(rows, sizes), reduced, np.array(sizes, np.int64)


@kernel("SparseReduceMaxSparse")
def sparse_reduce_max_sparse(
    indices: Tensor, values: Tensor, shape: Tensor, axes: Tensor, *, keep_dims: bool
) -> tuple[Tensor, Tensor, Tensor]:
    rows, reduced, sizes = _reduce(np.maximum, indices, values, shape, axes, keep_dims)
    return indices_of_positions(rows, sizes), reduced, np.array(sizes, np.int64)


def _reduce(
    function: np.ufunc, indices: Tensor, values: Tensor, shape: Tensor, axes: Tensor, keep_dims: bool
) -> tuple[Tensor, Tensor, list[int]]:
    """Return the positions of values in the flattened result, the values, and the shape of the result."""
    sizes = check_sparse(indices, values, shape)
    check(axes.ndim <= 1, f"reduction_axes must be a scalar or a vector, not of shape {show(axes.shape)}")
    removed = {normalize_axis(axis, len(sizes), "reduction_axes") for axis in int_list(axes.reshape(-1))}
    rows, remaining = group_by_axes(indices, sizes, [axis for axis in range(len(sizes)) if axis not in removed])
    order = np.argsort(rows, kind="stable")
    groups, starts = np.unique(rows[order], return_index=True)
    reduced = function.reduceat(values[order], starts, dtype=values.dtype) if starts.size else values[:0]
    return (
        groups,
        reduced,
        [1 if axis in removed else size for axis, size in enumerate(sizes)] if keep_dims else list(remaining),
    )


def _dense(rows: Tensor, values: Tensor, sizes: list[int]) -> Tensor:
    result = zeros([math.prod(sizes)], values.dtype)
    result[rows] = values
    return result.reshape(sizes)
