"""Unique elements, set difference, inverse permutations and binary search."""

from __future__ import annotations

import numpy as np

from ..runtime.argument_checks import check, check_indices, normalize_axis, read_vector, show
from ..runtime.memory_limit import INDEX_BYTES, claim
from ..runtime.registry import Tensor, kernel

__all__: list[str] = []

_UNIQUE = 5 * INDEX_BYTES  # bytes for an element while elements are sorted and numbered


# --- unique ----------------------------------------------------------------------------------------------------------


@kernel("Unique")
def unique(x: Tensor) -> tuple[Tensor, Tensor]:
    return _unique(x, 0, vectors=True)[:2]


@kernel("UniqueWithCounts")
def unique_with_counts(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return _unique(x, 0, vectors=True)


@kernel("UniqueV2")
def unique_v2(x: Tensor, axis: Tensor) -> tuple[Tensor, Tensor]:
    return unique_with_counts_v2(x, axis)[:2]


@kernel("UniqueWithCountsV2")
def unique_with_counts_v2(x: Tensor, axis: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    axes = read_vector(axis, "axis")
    check(len(axes) <= 1, f"axis must be one axis or none, not {show(axes)}")
    return _unique(x, normalize_axis(axes[0], x.ndim) if axes else 0, vectors=not axes)


def _unique(x: Tensor, axis: int, *, vectors: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Return the unique slices in order of first occurrence, the number of each slice, and their counts."""
    check(x.ndim == 1 or not vectors, f"the input must be a vector, not of shape {show(x.shape)}")
    claim(_UNIQUE * x.size)
    codes = np.unique(x, return_inverse=True, equal_nan=False)[1].reshape(x.shape)
    if x.ndim > 1:
        codes = _row_codes(np.moveaxis(codes, axis, 0).reshape(x.shape[axis], -1 if x.size else 0))
    first, inverse, counts = np.unique(codes, return_index=True, return_inverse=True, return_counts=True)[1:]
    order = np.argsort(first)
    numbers = np.empty_like(order)
    numbers[order] = np.arange(order.size)
    return np.take(x, first[order], axis), numbers[inverse], counts[order]


def _row_codes(rows: Tensor) -> Tensor:
    """Return a number for each row; equal rows have equal numbers."""
    if not rows.size:
        return np.zeros(len(rows), np.int64)
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)


@kernel("ListDiff")
def list_diff(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    for name, each in (("x", x), ("y", y)):
        check(each.ndim == 1, f"{name} must be a vector, not of shape {show(each.shape)}")
    claim(_UNIQUE * (x.size + y.size))
    codes = np.unique(np.concatenate([x, y]), return_inverse=True, equal_nan=False)[1]
    indices = np.flatnonzero(~np.isin(codes[: x.size], codes[x.size :]))
    return x[indices], indices


@kernel("InvertPermutation")
def invert_permutation(x: Tensor) -> Tensor:
    check(x.ndim == 1, f"x must be a vector, not of shape {show(x.shape)}")
    check_indices(x, x.size, "x")
    there = np.zeros(x.size, np.bool_)
    there[x] = True
    check(there.all(), "x is no permutation, as it has a number twice")
    inverse = np.empty_like(x)
    inverse[x] = np.arange(x.size)
    return inverse


# --- searching -------------------------------------------------------------------------------------------------------


@kernel("LowerBound")
def lower_bound(sorted_inputs: Tensor, values: Tensor) -> Tensor:
    return _searched(sorted_inputs, values, before=True)


@kernel("UpperBound")
def upper_bound(sorted_inputs: Tensor, values: Tensor) -> Tensor:
    return _searched(sorted_inputs, values, before=False)


def _searched(rows: Tensor, values: Tensor, *, before: bool) -> Tensor:
    """Return the insertion positions of values in sorted rows. All rows are searched at once, by keys that grow with
    the row."""
    check(
        rows.ndim == values.ndim == 2 and len(rows) == len(values),
        f"sorted_inputs {show(rows.shape)} and values {show(values.shape)} must be matrices of as many rows",
    )
    claim(_UNIQUE * (rows.size + values.size))
    both = np.concatenate([rows, values], 1)
    kinds, codes = np.unique(both, return_inverse=True)
    counts = np.arange(len(both))[:, np.newaxis]
    numbers = codes.reshape(both.shape) + counts * kinds.size
    inputs, wanted = np.split(numbers, [rows.shape[1]], 1)
    found = np.searchsorted(inputs.reshape(-1), wanted.reshape(-1), "left" if before else "right")
    return np.asarray(found.reshape(values.shape) - counts * rows.shape[1])
