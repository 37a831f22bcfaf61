"""EditDistance: how many insertions, deletions and replacements make one sequence of another.

The last dimension of two sparse tensors holds the sequences, the others number them.
"""

from __future__ import annotations

import math

import numpy as np

from .checking import check, shown
from .registry import Tensor, kernel
from .sparse import check_sparse, grouped

__all__ = ["distance"]


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
    """The distances, divided by the length of the truth if asked for; infinite for one that is not there."""
    one = check_sparse(hypothesis_indices, hypothesis_values, hypothesis_shape)
    other = check_sparse(truth_indices, truth_values, truth_shape)
    check(len(one) == len(other) >= 2, f"shapes {shown(one)} and {shown(other)} must have 2 or more dimensions, both")
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
    """The sequences that have elements, by their number."""
    rows, _ = grouped(indices, (*shape, sizes[-1]), range(len(shape)))
    check((np.diff(rows) >= 0).all(), "the indices of sequences are not in order")
    numbers, starts = np.unique(rows, return_index=True)
    return dict(zip(numbers.tolist(), np.split(values, starts[1:]), strict=True)) if numbers.size else {}


def distance(one: Tensor, other: Tensor) -> int:
    """Levenshtein's distance of two sequences, a row of his table at a time."""
    along = np.arange(len(one) + 1)
    row = along
    for element in other.tolist():
        best = np.concatenate([row[:1] + 1, np.minimum(row[1:] + 1, row[:-1] + (one != element))])
        row = np.minimum.accumulate(best - along) + along  # what comes from the left costs one for each step
    return int(row[-1])
