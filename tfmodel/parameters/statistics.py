"""Statistics of a weight: minimum, maximum, mean, standard deviation, histogram and number of distinct values.

Arrays are processed in chunks, to save memory, and scaled, so that finite numbers do not overflow.

After `round_weights`, a weight has few distinct values: the file is as large as before, but compresses well. A
compressor that knows only the frequency of each value needs as many bits per element as the entropy of these
frequencies (Shannon). xz comes close to that; zip needs about 50 % more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .weight import BINS

_Array = npt.NDArray[Any]
_CHUNK = 1 << 16  # elements that are processed at a time, so that temporary arrays stay in the cache
_SMALL, _LARGE = 1e-120, 1e120  # outside of these limits, squares nearly underflow or overflow a float64


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of an array of real numbers.

    min, max, mean, std   of the finite numbers; None if no number is finite. `std` is that of a population
    zeros                 the number of zeros
    nan, inf              the numbers of NaNs, and of infinite numbers
    """

    min: float | int | None
    max: float | int | None
    mean: float | None
    std: float | None
    zeros: int
    nan: int
    inf: int


def compute_statistics(array: _Array) -> Statistics:
    """Return the statistics of an array."""
    flat, repeats = _without_repeats(array)
    zeros = nan = inf = count = 0
    low = high = None
    mean = squares = 0.0
    scale = _scale(flat)
    for chunk in _chunks(flat):
        zeros += int(np.count_nonzero(chunk == 0))
        finite = _finite(chunk)
        if finite.size != chunk.size:
            nan_count = int(np.count_nonzero(np.isnan(chunk)))
            nan, inf = nan + nan_count, inf + chunk.size - finite.size - nan_count
        if not finite.size:
            continue
        lowest, highest = finite.min().item(), finite.max().item()
        low = lowest if low is None else min(low, lowest)
        high = highest if high is None else max(high, highest)
        values = _divide(finite, scale)
        chunk_mean = float(values.mean())
        values -= chunk_mean
        values *= values  # not a dot product: BLAS would start threads, which wait for each other on a busy machine
        # Chan's algorithm combines two means and two sums of squares.
        total, delta = count + finite.size, chunk_mean - mean
        squares += float(values.sum()) + delta * delta * count * finite.size / total
        mean += delta * finite.size / total
        count = total
    if not count or low is None or high is None:
        return Statistics(None, None, None, None, zeros * repeats, nan * repeats, inf * repeats)
    mean = min(max(mean * scale, float(low)), float(high))  # rounding may have left the range
    std = math.sqrt(squares / count) * scale if low != high else 0.0
    return Statistics(low, high, mean, std, zeros * repeats, nan * repeats, inf * repeats)


def compute_histogram(array: _Array, low: float, high: float, bins: int = BINS) -> tuple[int, ...]:
    """Count the finite numbers in each of `bins` equal intervals from their minimum `low` to their maximum `high`."""
    flat, repeats = _without_repeats(array)
    counts = np.zeros(bins, np.int64)
    scale = _scale_for(max(abs(float(low)), abs(float(high))))
    start = float(low) / scale
    width = float(high) / scale - start
    for chunk in _chunks(flat):
        values = _divide(_finite(chunk), scale)
        if width > 0:
            values -= start
            values *= bins / width
        else:
            values[:] = bins // 2
        np.minimum(values, bins - 1, out=values)
        counts += np.bincount(values.astype(np.intp), minlength=bins)
    return tuple(int(count) * repeats for count in counts)


def _without_repeats(array: _Array) -> tuple[_Array, int]:
    """Return the array without axes of stride 0, which repeat elements, and the number of repetitions."""
    if array.dtype.kind == "b":
        array = array.view(np.uint8)
    repeated_axes = [axis for axis, step in enumerate(array.strides) if step == 0 and array.shape[axis] > 1]
    index = tuple(slice(1) if axis in repeated_axes else slice(None) for axis in range(array.ndim))
    return array[index], math.prod(array.shape[axis] for axis in repeated_axes)


def _chunks(array: _Array) -> Iterator[_Array]:
    flat = array.reshape(-1)
    for start in range(0, flat.size, _CHUNK):
        yield flat[start : start + _CHUNK]


def _finite(array: _Array) -> _Array:
    """Return the finite numbers of an array. This is the array itself if all numbers are finite."""
    if array.dtype.kind != "f" or (np.isfinite(array.min()) and np.isfinite(array.max())):
        return array
    return array[np.isfinite(array)]


def _divide(array: _Array, scale: float) -> npt.NDArray[np.float64]:
    """Return the numbers divided by `scale`, as a new array."""
    values = array.astype(np.float64)
    if scale != 1.0:
        values /= scale
    return values


def _scale(array: _Array) -> float:
    """Return a divisor that keeps the squares of the finite numbers from overflow and underflow."""
    if array.dtype.kind != "f" or array.dtype.itemsize < 8:
        return 1.0
    finite = (chunk for chunk in map(_finite, _chunks(array)) if chunk.size)
    return _scale_for(max((max(abs(float(chunk.min())), abs(float(chunk.max()))) for chunk in finite), default=0.0))


def _scale_for(largest: float) -> float:
    return 1.0 if not largest or _SMALL < largest < _LARGE else largest


_MIN_ELEMENTS = 16
_MAX_VALUES = 1 << 10
_SAMPLE = 1 << 12  # elements that are examined first


class DistinctValues(NamedTuple):
    """The number of distinct values, and the minimum number of bits per element in an archive."""

    values: int
    bits: float

    def packed_size(self, elements: int, itemsize: int) -> int:
        """Return the minimum bytes of all elements in an archive, plus the bytes of a list of the distinct values."""
        return math.ceil(elements * self.bits / 8) + self.values * itemsize


def count_distinct_values(array: npt.NDArray[Any]) -> DistinctValues | None:
    """Count the distinct values of an array of floats.

    Return None for fewer than 16 elements, for more than 1,024 values, or if compression would save less than half of
    the bytes. Floats that differ in their bits are distinct. A sample of a few thousand elements is counted first. In
    most arrays, the sample has too many values; then the other elements are not read.
    """
    if array.size < _MIN_ELEMENTS or array.dtype.kind != "f":
        return None
    if not any(array.strides):
        return DistinctValues(1, 0.0)
    flat = np.ascontiguousarray(array).reshape(-1).view(f"u{array.dtype.itemsize}")
    if np.unique(flat[:: max(1, flat.size // _SAMPLE)]).size > _MAX_VALUES:
        return None
    counts: dict[int, int] = {}
    for start in range(0, flat.size, _CHUNK):
        values, times = np.unique(flat[start : start + _CHUNK], return_counts=True)
        if values.size <= _MAX_VALUES:
            for value, count in zip(values.tolist(), times.tolist(), strict=True):
                counts[value] = counts.get(value, 0) + count
        if max(values.size, len(counts)) > _MAX_VALUES:
            return None
    shares = np.fromiter(counts.values(), np.float64, len(counts)) / flat.size
    distinct = DistinctValues(len(counts), max(0.0, float(-(shares * np.log2(shares)).sum())))
    return distinct if distinct.packed_size(flat.size, flat.itemsize) * 2 <= flat.nbytes else None
