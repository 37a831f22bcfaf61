"""Kernels that count values: histograms, and counts of the values of dense, sparse and ragged tensors.

Bincount, DenseBincount, SparseBincount, RaggedBincount      one count for each number from 0 to `size`
DenseCountSparseOutput, SparseCount..., RaggedCount...       only the numbers that occur, as a sparse tensor
"""

from __future__ import annotations

import numpy as np

from ..runtime.argument_checks import check, read_scalar, show, zeros
from ..runtime.memory_limit import INDEX_BYTES, claim, claim_array
from ..runtime.registry import Tensor, kernel


@kernel("Bincount")
def bincount(arr: Tensor, size: Tensor, weights: Tensor) -> Tensor:
    count = _read_size(size)
    check(
        not weights.size or weights.shape == arr.shape,
        f"weights of shape {show(weights.shape)} do not fit numbers of shape {show(arr.shape)}",
    )
    return np.asarray(_count_values(arr.reshape(1, -1), count, weights, False)[0])


@kernel("DenseBincount")
def dense_bincount(input: Tensor, size: Tensor, weights: Tensor, *, binary_output: bool) -> Tensor:
    """Count the values of a vector, or of each row of a matrix."""
    count = _read_size(size)
    check(input.ndim in (1, 2), f"the input must be a vector or a matrix, not of shape {show(input.shape)}")
    check(
        not weights.size or weights.shape == input.shape,
        f"weights of shape {show(weights.shape)} do not fit numbers of shape {show(input.shape)}",
    )
    rows = input if input.ndim == 2 else input[np.newaxis]
    counts = _count_values(rows, count, weights, binary_output)
    return counts if input.ndim == 2 else counts[0]


def _read_size(size: Tensor) -> int:
    count = int(read_scalar(size, "size"))
    check(count >= 0, f"size must not be negative, and is {count}")
    return count


def _count_values(rows: Tensor, count: int, weights: Tensor, binary: bool) -> Tensor:
    """Return the weights of the numbers below `count`, row by row. Larger numbers are ignored."""
    check(not rows.size or rows.min() >= 0, "the numbers to count must not be negative")
    totals = zeros((len(rows), count), weights.dtype)
    is_counted = rows < count
    row = np.broadcast_to(np.arange(len(rows))[:, np.newaxis], rows.shape)[is_counted]
    if binary:
        totals[row, rows[is_counted]] = 1
    else:
        increments = weights.reshape(rows.shape)[is_counted] if weights.size else weights.dtype.type(1)
        np.add.at(totals, (row, rows[is_counted]), increments)
    return totals


@kernel("HistogramFixedWidth")
def histogram_fixed_width(values: Tensor, value_range: Tensor, nbins: Tensor) -> Tensor:
    """Count the values in each of `nbins` bins; values out of the range are counted in the first or the last bin."""
    check(value_range.shape == (2,), f"value_range must be two numbers, not of shape {show(value_range.shape)}")
    count = int(read_scalar(nbins, "nbins"))
    check(count > 0, f"nbins must be positive, and is {count}")
    low, high = value_range
    check(low < high, f"value_range is from {low} to {high}, but must not be empty")
    claim_array([count], np.int64)
    step = (high - low).astype(np.float64) / count
    bins = np.clip(np.floor((values.reshape(-1) - low).astype(np.float64) / step), 0, count - 1)
    return np.bincount(bins.astype(np.int64), minlength=count)


@kernel("Bucketize")
def bucketize(input: Tensor, *, boundaries: list[float]) -> Tensor:
    """Return for each number how many boundaries are less than or equal to it."""
    edges = np.array(boundaries, np.float32)
    check((edges[1:] >= edges[:-1]).all(), "boundaries must be sorted")
    numbers = input.astype(np.float32) if input.dtype.kind in "iu" else input
    return np.asarray(np.searchsorted(edges, numbers, "right"))


# --- rows of sparse and ragged tensors -------------------------------------------------------------------------------


@kernel("SparseBincount")
def sparse_bincount(
    indices: Tensor, values: Tensor, dense_shape: Tensor, size: Tensor, weights: Tensor, *, binary_output: bool
) -> Tensor:
    """Count the values of a sparse vector, or of each row of a sparse matrix, which may have no larger ones."""
    rows = _sparse_rows(indices, values, dense_shape)
    row_count = int(dense_shape[0]) if dense_shape.size > 1 else 1
    count = _read_size(size)
    fits = dense_shape.size == 1 or not values.size or values.max() < count
    check(fits, f"a value of a sparse matrix is not less than size, {count}")
    counts = _count_by_row(rows, row_count, values, count, weights, binary_output)
    return counts if dense_shape.size > 1 else counts[0]


@kernel("RaggedBincount")
def ragged_bincount(splits: Tensor, values: Tensor, size: Tensor, weights: Tensor, *, binary_output: bool) -> Tensor:
    """Count the values of each row of a ragged matrix."""
    rows, row_count = _ragged_rows(splits, values)
    return _count_by_row(rows, row_count, values, _read_size(size), weights, binary_output)


def _sparse_rows(indices: Tensor, values: Tensor, dense_shape: Tensor) -> Tensor:
    """Return the row of each value of a sparse vector or matrix."""
    check(indices.ndim == 2, f"indices must be a matrix, not of shape {show(indices.shape)}")
    check(values.ndim == 1, f"values must be a vector, not of shape {show(values.shape)}")
    check(dense_shape.ndim == 1, f"dense_shape must be a vector, not of shape {show(dense_shape.shape)}")
    rank = dense_shape.size
    check(rank in (1, 2), f"a sparse vector or matrix is counted, not a tensor of {rank} dimensions")
    check(
        indices.shape == (len(values), rank),
        f"indices of shape {show(indices.shape)} do not fit {len(values)} values of {rank} dimensions",
    )
    check((dense_shape >= 0).all(), f"sizes must not be negative: {show(dense_shape.tolist())}")
    if rank == 1:
        return np.zeros(len(values), np.int64)
    rows = np.asarray(indices[:, 0])
    check(not rows.size or (rows.min() >= 0 and rows.max() < dense_shape[0]), "an index is outside of the tensor")
    return rows


def _ragged_rows(splits: Tensor, values: Tensor) -> tuple[Tensor, int]:
    """Return the row of each value of a ragged matrix, and the number of rows."""
    check(splits.ndim == 1 and splits.size > 0, f"splits must be a vector with a number, not {show(splits.shape)}")
    check(values.ndim == 1, f"values must be a vector, not of shape {show(values.shape)}")
    lengths = np.diff(splits)
    check(splits[0] == 0, f"the first split must be 0, and is {splits[0]}")
    check(splits[-1] == len(values), f"the last split must be the number of values, {len(values)}, and is {splits[-1]}")
    check((lengths >= 0).all(), "splits must be sorted")
    return np.repeat(np.arange(len(lengths)), lengths), len(lengths)


def _count_by_row(rows: Tensor, row_count: int, values: Tensor, count: int, weights: Tensor, binary: bool) -> Tensor:
    """Return the weights of the numbers below `count`, for each row. Larger numbers are ignored."""
    check(not values.size or values.min() >= 0, "the numbers to count must not be negative")
    check(
        not weights.size or weights.shape == values.shape,
        f"weights of shape {show(weights.shape)} do not fit numbers of shape {show(values.shape)}",
    )
    totals = zeros((row_count, count), weights.dtype)
    is_counted = values < count
    places = rows[is_counted], values[is_counted]
    if binary:
        totals[places] = 1
    else:
        np.add.at(totals, places, weights[is_counted] if weights.size else weights.dtype.type(1))
    return totals


# --- counts of the numbers that occur --------------------------------------------------------------------------------

Sparse = tuple[Tensor, Tensor, Tensor]


@kernel("DenseCountSparseOutput")
def dense_count(values: Tensor, weights: Tensor, *, minlength: int, maxlength: int, binary_output: bool) -> Sparse:
    """Count the values of a vector, or of each row of a matrix."""
    check(values.ndim in (1, 2), f"values must be a vector or a matrix, not of shape {show(values.shape)}")
    check(
        not weights.size or weights.shape == values.shape,
        f"weights of shape {show(weights.shape)} do not fit values of shape {show(values.shape)}",
    )
    is_vector = values.ndim == 1
    row_count = 1 if is_vector else len(values)
    rows = np.repeat(np.arange(row_count), values.size // row_count if row_count else 0)
    flat = values.reshape(-1), weights.reshape(-1)
    return _occurring(rows, None if is_vector else row_count, *flat, minlength, maxlength, binary_output)


@kernel("SparseCountSparseOutput")
def sparse_count(
    indices: Tensor,
    values: Tensor,
    dense_shape: Tensor,
    weights: Tensor,
    *,
    minlength: int,
    maxlength: int,
    binary_output: bool,
) -> Sparse:
    """Count the values of a sparse vector, or of each row of a sparse matrix."""
    rows = _sparse_rows(indices, values, dense_shape)
    row_count = int(dense_shape[0]) if dense_shape.size > 1 else None
    return _occurring(rows, row_count, values, weights, minlength, maxlength, binary_output)


@kernel("RaggedCountSparseOutput")
def ragged_count(
    splits: Tensor, values: Tensor, weights: Tensor, *, minlength: int, maxlength: int, binary_output: bool
) -> Sparse:
    """Count the values of each row of a ragged matrix."""
    rows, row_count = _ragged_rows(splits, values)
    return _occurring(rows, row_count, values, weights, minlength, maxlength, binary_output)


def _occurring(
    rows: Tensor, row_count: int | None, values: Tensor, weights: Tensor, minlength: int, maxlength: int, binary: bool
) -> Sparse:
    """Return the counts of the numbers that occur in each row: a sparse matrix, or a vector if `row_count` is None.

    Numbers from `maxlength` on are ignored. `maxlength` and `minlength` also say how long a row is; without them, it
    ends with the largest number.
    """
    check(not values.size or values.min() >= 0, "the numbers to count must not be negative")
    check(
        not weights.size or weights.shape == values.shape,
        f"weights of shape {show(weights.shape)} do not fit values of shape {show(values.shape)}",
    )
    claim(_COUNTED_BYTES * values.size)
    is_counted = values < maxlength if maxlength >= 0 else values >= 0
    pairs = np.stack([rows[is_counted], values[is_counted].astype(np.int64)], 1)
    places, numbers = np.unique(pairs, axis=0, return_inverse=True)
    totals = np.zeros(len(places), weights.dtype)
    if binary:
        totals[:] = 1
    else:
        np.add.at(totals, numbers.reshape(-1), weights[is_counted] if weights.size else weights.dtype.type(1))
    length = maxlength if maxlength >= 0 else max(int(pairs[:, 1].max(initial=0)) + 1, minlength)
    if row_count is None:
        return places[:, 1:], totals, np.array([length], np.int64)
    return places, totals, np.array([row_count, length], np.int64)


_COUNTED_BYTES = 12 * INDEX_BYTES
"""Temporary memory for a value while values are sorted and counted."""
