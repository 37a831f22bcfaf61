"""Counts of values: Bincount, histograms, and Bucketize."""

from __future__ import annotations

import numpy as np

from ..runtime.argument_checks import check, read_scalar, show
from ..runtime.arrays import zeros
from ..runtime.memory_limit import claim_array
from ..runtime.registry import Tensor, kernel

__all__: list[str] = []


@kernel("Bincount")
def bincount(arr: Tensor, size: Tensor, weights: Tensor) -> Tensor:
    count = _size(size)
    check(
        not weights.size or weights.shape == arr.shape,
        f"weights of shape {show(weights.shape)} do not fit numbers of shape {show(arr.shape)}",
    )
    return np.asarray(_counted(arr.reshape(1, -1), count, weights, False)[0])


@kernel("DenseBincount")
def dense_bincount(input: Tensor, size: Tensor, weights: Tensor, *, binary_output: bool) -> Tensor:
    """Count the values of a vector, or of each row of a matrix."""
    count = _size(size)
    check(input.ndim in (1, 2), f"the input must be a vector or a matrix, not of shape {show(input.shape)}")
    check(
        not weights.size or weights.shape == input.shape,
        f"weights of shape {show(weights.shape)} do not fit numbers of shape {show(input.shape)}",
    )
    rows = input if input.ndim == 2 else input[np.newaxis]
    found = _counted(rows, count, weights, binary_output)
    return found if input.ndim == 2 else found[0]


def _size(size: Tensor) -> int:
    count = int(read_scalar(size, "size"))
    check(count >= 0, f"size is {count}")
    return count


def _counted(rows: Tensor, count: int, weights: Tensor, binary: bool) -> Tensor:
    """Return the weights of the numbers below `count`, row by row. Larger numbers are ignored."""
    check(not rows.size or rows.min() >= 0, "the numbers to count must not be negative")
    found = zeros((len(rows), count), weights.dtype)
    kept = rows < count
    row = np.broadcast_to(np.arange(len(rows))[:, np.newaxis], rows.shape)[kept]
    if binary:
        found[row, rows[kept]] = 1
    else:
        added = weights.reshape(rows.shape)[kept] if weights.size else weights.dtype.type(1)
        np.add.at(found, (row, rows[kept]), added)
    return found


@kernel("HistogramFixedWidth")
def histogram_fixed_width(values: Tensor, value_range: Tensor, nbins: Tensor) -> Tensor:
    """Numbers outside of the range are counted at its ends."""
    check(value_range.shape == (2,), f"value_range must be two numbers, not of shape {show(value_range.shape)}")
    count = int(read_scalar(nbins, "nbins"))
    check(count > 0, f"nbins is {count}")
    low, high = value_range
    check(low < high, f"value_range is from {low} to {high}")
    claim_array([count], np.int64)
    step = (high - low).astype(np.float64) / count
    places = np.clip(np.floor((values.reshape(-1) - low).astype(np.float64) / step), 0, count - 1)
    return np.bincount(places.astype(np.int64), minlength=count)


@kernel("Bucketize")
def bucketize(input: Tensor, *, boundaries: list[float]) -> Tensor:
    """Return the number of boundaries that are not above each number."""
    edges = np.array(boundaries, np.float32)
    check((edges[1:] >= edges[:-1]).all(), "boundaries must be sorted")
    numbers = input.astype(np.float32) if input.dtype.kind in "iu" else input
    return np.asarray(np.searchsorted(edges, numbers, "right"))
