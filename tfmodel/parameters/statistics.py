"""Minimum, maximum, mean, deviation, and how numbers are distributed: in pieces, so that large arrays take no more
memory, and without overflow where the numbers themselves are finite.

How many different values a weight has, and how small that lets it become in an archive.

`round_weights` leaves few of them: the file is as large as before, and packs well. A packer that knows no more than how
frequent each value is needs as many bits for an element as the entropy of these frequencies tells (Shannon). xz comes
near to that, zip takes about half as much again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["BINS", "Distinct", "Statistics", "distinct_of", "histogram_of", "statistics_of"]


_Array = npt.NDArray[Any]
_PIECE = 1 << 16  # elements: what is computed with stays in the cache
_SMALL, _LARGE = 1e-120, 1e120  # outside, squares are nearly too small or too large for a float64

BINS = 24


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of an array of real numbers. Minimum, maximum, mean and standard deviation (that of the numbers as they are, not
    of a population they were drawn from) are those of the finite ones, None if there are none; `nan` and `inf` count
    the others, `zeros` the zeros."""

    min: float | int | None
    max: float | int | None
    mean: float | None
    std: float | None
    zeros: int
    nan: int
    inf: int


def statistics_of(array: _Array) -> Statistics:
    """All of it."""
    flat, times = _distinct(array)
    zeros = nan = inf = count = 0
    low = high = None
    mean = spread = 0.0
    scale = _scale(flat)
    for whole in _pieces(flat):
        zeros += int(np.count_nonzero(whole == 0))
        finite = _finite(whole)
        if finite.size != whole.size:
            here = int(np.count_nonzero(np.isnan(whole)))
            nan, inf = nan + here, inf + whole.size - finite.size - here
        if not finite.size:
            continue
        lowest, highest = finite.min().item(), finite.max().item()
        low = lowest if low is None else min(low, lowest)
        high = highest if high is None else max(high, highest)
        values = _scaled(finite, scale)
        middle = float(values.mean())
        values -= middle
        values *= values  # not a dot product: BLAS would start threads, which wait for each other on a busy machine
        # Chan's way to put two means and two sums of squares together.
        total, apart = count + finite.size, middle - mean
        spread += float(values.sum()) + apart * apart * count * finite.size / total
        mean += apart * finite.size / total
        count = total
    if not count or low is None or high is None:
        return Statistics(None, None, None, None, zeros * times, nan * times, inf * times)
    mean = min(max(mean * scale, float(low)), float(high))  # where rounding has led out
    std = math.sqrt(spread / count) * scale if low != high else 0.0
    return Statistics(low, high, mean, std, zeros * times, nan * times, inf * times)


def histogram_of(array: _Array, low: float, high: float, bins: int = BINS) -> tuple[int, ...]:
    """How many finite numbers lie in each of `bins` equal parts of what is between `low` and `high`, both included."""
    flat, times = _distinct(array)
    counts = np.zeros(bins, np.int64)
    scale = _scale_for(max(abs(float(low)), abs(float(high))))
    start = float(low) / scale
    width = float(high) / scale - start
    for whole in _pieces(flat):
        values = _scaled(_finite(whole), scale)
        if width > 0:
            values -= start
            values *= bins / width
        else:
            values[:] = bins // 2
        np.minimum(values, bins - 1, out=values)
        counts += np.bincount(values.astype(np.intp), minlength=bins)
    return tuple(int(count) * times for count in counts)


def _distinct(array: _Array) -> tuple[_Array, int]:
    """The array without what is only the same element again, and how often each comes."""
    if array.dtype.kind == "b":
        array = array.view(np.uint8)
    repeated = [axis for axis, step in enumerate(array.strides) if step == 0 and array.shape[axis] > 1]
    index = tuple(slice(1) if axis in repeated else slice(None) for axis in range(array.ndim))
    return array[index], math.prod(array.shape[axis] for axis in repeated)


def _pieces(array: _Array) -> Iterator[_Array]:
    flat = array.reshape(-1)
    for start in range(0, flat.size, _PIECE):
        yield flat[start : start + _PIECE]


def _finite(array: _Array) -> _Array:
    """The finite numbers. In most arrays all are, as the smallest and the largest tell."""
    if array.dtype.kind != "f" or (np.isfinite(array.min()) and np.isfinite(array.max())):
        return array
    return array[np.isfinite(array)]


def _scaled(array: _Array, scale: float) -> npt.NDArray[np.float64]:
    """A copy to work with."""
    values = array.astype(np.float64)
    if scale != 1.0:
        values /= scale
    return values


def _scale(array: _Array) -> float:
    """What to divide by so that squares do not overflow, nor vanish."""
    if array.dtype.kind != "f" or array.dtype.itemsize < 8:
        return 1.0
    finite = (each for each in map(_finite, _pieces(array)) if each.size)
    return _scale_for(max((max(abs(float(each.min())), abs(float(each.max()))) for each in finite), default=0.0))


def _scale_for(largest: float) -> float:
    return 1.0 if not largest or _SMALL < largest < _LARGE else largest


_LEAST_ELEMENTS = 16
_MOST_VALUES = 1 << 10
_SAMPLE = 1 << 12


class Distinct(NamedTuple):
    """How many values there are, and the bits that an element takes at least when it is packed."""

    values: int
    bits: float

    def packed(self, elements: int, itemsize: int) -> int:
        """The bytes of all elements when they are packed, and of a list of the values."""
        return math.ceil(elements * self.bits / 8) + self.values * itemsize


def distinct_of(array: npt.NDArray[Any]) -> Distinct | None:
    """The values of an array of floats; None if there are more than 1,024, or if they would not pack to half the size.

    Floats that differ in their bits are different. Most arrays have too many values in a few thousand elements already,
    and then the others are not looked at.
    """
    if array.size < _LEAST_ELEMENTS or array.dtype.kind != "f":
        return None
    if not any(array.strides):
        return Distinct(1, 0.0)
    flat = np.ascontiguousarray(array).reshape(-1).view(f"u{array.dtype.itemsize}")
    if np.unique(flat[:: max(1, flat.size // _SAMPLE)]).size > _MOST_VALUES:
        return None
    counts: dict[int, int] = {}
    for start in range(0, flat.size, _PIECE):
        values, times = np.unique(flat[start : start + _PIECE], return_counts=True)
        if values.size <= _MOST_VALUES:
            for value, count in zip(values.tolist(), times.tolist(), strict=True):
                counts[value] = counts.get(value, 0) + count
        if max(values.size, len(counts)) > _MOST_VALUES:
            return None
    shares = np.fromiter(counts.values(), np.float64, len(counts)) / flat.size
    found = Distinct(len(counts), max(0.0, float(-(shares * np.log2(shares)).sum())))
    return found if found.packed(flat.size, flat.itemsize) * 2 <= flat.nbytes else None
