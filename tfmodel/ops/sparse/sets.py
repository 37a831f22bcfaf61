"""Set operations, and EditDistance between sequences.

The last dimension of a tensor, dense or sparse, holds the elements of a set; the others number the sets.

    union of  [[1, 2], [3, 3]]  and  [[2], [4]]   ->   [[1, 2], [3, 4]], as a sparse tensor in order

All sets are computed at once, as one set of numbers: the number of the set times the number of values, plus the number
of the value among all values.

EditDistance counts the insertions, deletions and replacements that turn one sequence into another. The last dimension
of two sparse tensors holds the sequences; the others number them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..runtime.argument_checks import check, show
from ..runtime.memory_limit import INDEX_BYTES, claim, claim_array
from ..runtime.registry import Tensor, kernel
from .tensors import check_sparse, grouped, places, unplaced

__all__ = ["distance"]


_Result = tuple[Tensor, Tensor, Tensor]


class _Sets(NamedTuple):
    """Values, to which set each belongs, and the shape that numbers the sets."""

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
    return _combined(_of_dense(set1), _of_dense(set2), set_operation)


@kernel("DenseToSparseSetOperation")
def dense_to_sparse(
    set1: Tensor, indices: Tensor, values: Tensor, shape: Tensor, *, set_operation: bytes, validate_indices: bool
) -> _Result:
    return _combined(_of_dense(set1), _of_sparse(indices, values, shape, validate=validate_indices), set_operation)


@kernel("SparseToSparseSetOperation")
def sparse_to_sparse(*parts: Tensor, set_operation: bytes, validate_indices: bool) -> _Result:
    one, other = (_of_sparse(*each, validate=validate_indices) for each in (parts[:3], parts[3:]))
    return _combined(one, other, set_operation)


@kernel("SetSize")
def set_size(indices: Tensor, values: Tensor, shape: Tensor, *, validate_indices: bool) -> Tensor:
    sets = _of_sparse(indices, values, shape, validate=validate_indices)
    kinds, codes = np.unique(sets.values, return_inverse=True)
    rows = np.unique(sets.rows * max(kinds.size, 1) + codes) // max(kinds.size, 1)
    claim_array(sets.shape, np.int64)
    return np.bincount(rows, minlength=math.prod(sets.shape)).reshape(sets.shape)


def _of_dense(tensor: Tensor) -> _Sets:
    check(tensor.ndim >= 2, f"a tensor of sets must have 2 dimensions or more, not {tensor.ndim}")
    shape = tensor.shape[:-1]
    return _Sets(np.repeat(np.arange(math.prod(shape)), tensor.shape[-1]), tensor.reshape(-1), shape)


def _of_sparse(indices: Tensor, values: Tensor, shape: Tensor, *, validate: bool) -> _Sets:
    sizes = check_sparse(indices, values, shape)
    check(len(sizes) >= 2, f"a tensor of sets must have 2 dimensions or more, not {len(sizes)}")
    check(not validate or (np.diff(places(indices, sizes)) > 0).all(), "indices are not in order, or not unique")
    rows, lead = grouped(indices, sizes, range(len(sizes) - 1))
    return _Sets(rows, values, lead)


def _combined(one: _Sets, other: _Sets, operation: bytes) -> _Result:
    check(one.shape == other.shape, f"there are sets of {show(one.shape)} and of {show(other.shape)}")
    names = ", ".join(each.decode() for each in _OPERATIONS)
    check(operation.lower() in _OPERATIONS, f"set_operation must be one of {names}")
    claim(10 * INDEX_BYTES * (one.values.size + other.values.size))
    kinds, codes = np.unique(np.concatenate([one.values, other.values]), return_inverse=True)
    count = max(kinds.size, 1)
    codes = codes.reshape(-1)
    a, b = one.rows * count + codes[: one.values.size], other.rows * count + codes[one.values.size :]
    check(math.prod(one.shape) * count < 2**63, f"there are too many sets: {show(one.shape)}")
    rows, which = np.divmod(_OPERATIONS[operation.lower()](a, b), count)
    starts, sizes = np.unique(rows, return_index=True, return_counts=True)[1:]
    along = np.arange(rows.size) - np.repeat(starts, sizes)
    indices = np.concatenate([unplaced(rows, one.shape), along[:, np.newaxis]], 1)
    return indices, kinds[which], np.array([*one.shape, sizes.max(initial=0)], np.int64)


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
    one = check_sparse(hypothesis_indices, hypothesis_values, hypothesis_shape)
    other = check_sparse(truth_indices, truth_values, truth_shape)
    check(
        len(one) == len(other) >= 2,
        f"shapes {show(one)} and {show(other)} must have 2 or more dimensions, both",
    )
    shape = tuple(map(max, zip(one[:-1], other[:-1], strict=True)))
    guesses = _sequences(hypothesis_indices, hypothesis_values, one, shape)
    truths = _sequences(truth_indices, truth_values, other, shape)
    result = np.zeros(math.prod(shape), np.float32)
    nothing = hypothesis_values[:0]
    for row in guesses.keys() | truths.keys():
        guess, truth = guesses.get(row, nothing), truths.get(row, nothing)
        changes = np.float32(distance(guess, truth))
        result[row] = changes / np.float32(len(truth)) if normalize else changes
    return result.reshape(shape)


def _sequences(indices: Tensor, values: Tensor, sizes: tuple[int, ...], shape: tuple[int, ...]) -> dict[int, Tensor]:
    """Return the non-empty sequences by number."""
    rows, _ = grouped(indices, (*shape, sizes[-1]), range(len(shape)))
    check((np.diff(rows) >= 0).all(), "the indices of sequences are not in order")
    numbers, starts = np.unique(rows, return_index=True)
    return dict(zip(numbers.tolist(), np.split(values, starts[1:]), strict=True)) if numbers.size else {}


def distance(one: Tensor, other: Tensor) -> int:
    """Return the Levenshtein distance of two sequences, computed row by row of its table."""
    along = np.arange(len(one) + 1)
    row = along
    for element in other.tolist():
        best = np.concatenate([row[:1] + 1, np.minimum(row[1:] + 1, row[:-1] + (one != element))])
        row = np.minimum.accumulate(best - along) + along  # what comes from the left costs one for each step
    return int(row[-1])
