"""Kernels of set operations, and of EditDistance between sequences.

The last dimension of a tensor, dense or sparse, holds the elements of a set; the other dimensions index the sets.

    union of  [[1, 2], [3, 3]]  and  [[2], [4]]   ->   [[1, 2], [3, 4]], as a sorted sparse tensor

All sets are computed at once, as one set of numbers: the number of the set times the count of distinct values, plus the
number of the value.

EditDistance counts the insertions, deletions and replacements that turn one sequence into another. The last dimension
of two sparse tensors holds the sequences; the other dimensions index them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..runtime.argument_checks import check, show
from ..runtime.memory_limit import INDEX_BYTES, claim, claim_array
from ..runtime.registry import Tensor, kernel
from .tensors import check_sparse, flat_positions, group_by_axes, indices_of_positions

__all__ = ["distance"]


_Result = tuple[Tensor, Tensor, Tensor]


class _Sets(NamedTuple):
    """Values, the number of the set of each value, and the shape of the tensor of sets."""

    rows: Tensor
    values: Tensor
    shape: tuple[int, ...]


_OPERATIONS: dict[bytes, Callable[[Tensor, Tensor], Tensor]] = {
    b"a-b": lambda a, b: np.setdiff1d(a, b),
    b"b-a": lambda a, b: np.setdiff1d(b, a),
    b"intersection": lambda a, b: np.intersect1d(a, b),
    b"union": lambda a, b: np.union1d(a, b),
}


@kernel("DenseToDenseSetOperation")
def dense_to_dense(set1: Tensor, set2: Tensor, *, set_operation: bytes) -> _Result:
    return _combine(_read_dense(set1), _read_dense(set2), set_operation)


@kernel("DenseToSparseSetOperation")
def dense_to_sparse(
    set1: Tensor, indices: Tensor, values: Tensor, shape: Tensor, *, set_operation: bytes, validate_indices: bool
) -> _Result:
    return _combine(_read_dense(set1), _read_sparse(indices, values, shape, validate=validate_indices), set_operation)


@kernel("SparseToSparseSetOperation")
def sparse_to_sparse(*parts: Tensor, set_operation: bytes, validate_indices: bool) -> _Result:
    first, second = (_read_sparse(*tensors, validate=validate_indices) for tensors in (parts[:3], parts[3:]))
    return _combine(first, second, set_operation)


@kernel("SetSize")
def set_size(indices: Tensor, values: Tensor, shape: Tensor, *, validate_indices: bool) -> Tensor:
    sets = _read_sparse(indices, values, shape, validate=validate_indices)
    kinds, codes = np.unique(sets.values, return_inverse=True)
    rows = np.unique(sets.rows * max(kinds.size, 1) + codes) // max(kinds.size, 1)
    claim_array(sets.shape, np.int64)
    return np.bincount(rows, minlength=math.prod(sets.shape)).reshape(sets.shape)


def _read_dense(tensor: Tensor) -> _Sets:
    check(tensor.ndim >= 2, f"a tensor of sets must have 2 dimensions or more, not {tensor.ndim}")
    shape = tensor.shape[:-1]
    return _Sets(np.repeat(np.arange(math.prod(shape)), tensor.shape[-1]), tensor.reshape(-1), shape)


def _read_sparse(indices: Tensor, values: Tensor, shape: Tensor, *, validate: bool) -> _Sets:
    sizes = check_sparse(indices, values, shape)
    check(len(sizes) >= 2, f"a tensor of sets must have 2 dimensions or more, not {len(sizes)}")
    check(
        not validate or (np.diff(flat_positions(indices, sizes)) > 0).all(), "indices are not in order, or not unique"
    )
    rows, set_shape = group_by_axes(indices, sizes, range(len(sizes) - 1))
    return _Sets(rows, values, set_shape)


def _combine(first: _Sets, second: _Sets, operation: bytes) -> _Result:
    check(first.shape == second.shape, f"the shapes of sets, {show(first.shape)} and {show(second.shape)}, differ")
    names = ", ".join(name.decode() for name in _OPERATIONS)
    check(operation.lower() in _OPERATIONS, f"set_operation must be one of {names}")
    claim(10 * INDEX_BYTES * (first.values.size + second.values.size))
    kinds, codes = np.unique(np.concatenate([first.values, second.values]), return_inverse=True)
    count = max(kinds.size, 1)
    codes = codes.reshape(-1)
    a, b = first.rows * count + codes[: first.values.size], second.rows * count + codes[first.values.size :]
    check(math.prod(first.shape) * count < 2**63, f"too many sets: {show(first.shape)}")
    rows, value_numbers = np.divmod(_OPERATIONS[operation.lower()](a, b), count)
    starts, sizes = np.unique(rows, return_index=True, return_counts=True)[1:]
    columns = np.arange(rows.size) - np.repeat(starts, sizes)
    indices = np.concatenate([indices_of_positions(rows, first.shape), columns[:, np.newaxis]], 1)
    return indices, kinds[value_numbers], np.array([*first.shape, sizes.max(initial=0)], np.int64)


@kernel("EditDistance")
def edit_distance(
    hypothesis_indices: Tensor,
    hypothesis_values: Tensor,
    hypothesis_shape: Tensor,
    truth_indices: Tensor,
    truth_values: Tensor,
    truth_shape: Tensor,
    *,
    normalize: bool,
) -> Tensor:
    """Return the distances, optionally divided by the length of the truth; infinite for an empty truth."""
    hypothesis_sizes = check_sparse(hypothesis_indices, hypothesis_values, hypothesis_shape)
    truth_sizes = check_sparse(truth_indices, truth_values, truth_shape)
    check(
        len(hypothesis_sizes) == len(truth_sizes) >= 2,
        f"shapes {show(hypothesis_sizes)} and {show(truth_sizes)} must have the same rank, 2 or more",
    )
    shape = tuple(map(max, zip(hypothesis_sizes[:-1], truth_sizes[:-1], strict=True)))
    hypotheses = _sequences(hypothesis_indices, hypothesis_values, hypothesis_sizes, shape)
    truths = _sequences(truth_indices, truth_values, truth_sizes, shape)
    result = np.zeros(math.prod(shape), np.float32)
    empty = hypothesis_values[:0]
    for row in hypotheses.keys() | truths.keys():
        hypothesis, truth = hypotheses.get(row, empty), truths.get(row, empty)
        changes = np.float32(distance(hypothesis, truth))
        result[row] = changes / np.float32(len(truth)) if normalize else changes
    return result.reshape(shape)


def _sequences(indices: Tensor, values: Tensor, sizes: tuple[int, ...], shape: tuple[int, ...]) -> dict[int, Tensor]:
    """Return the non-empty sequences by number."""
    rows, _ = group_by_axes(indices, (*shape, sizes[-1]), range(len(shape)))
    check((np.diff(rows) >= 0).all(), "the indices of sequences must be sorted")
    numbers, starts = np.unique(rows, return_index=True)
    return dict(zip(numbers.tolist(), np.split(values, starts[1:]), strict=True)) if numbers.size else {}


def distance(first: Tensor, second: Tensor) -> int:
    """Return the Levenshtein distance of two sequences, computed row by row of its table."""
    columns = np.arange(len(first) + 1)
    row = columns
    for element in second.tolist():
        best = np.concatenate([row[:1] + 1, np.minimum(row[1:] + 1, row[:-1] + (first != element))])
        row = np.minimum.accumulate(best - columns) + columns  # each step from the left costs one
    return int(row[-1])
