"""How many different values a weight has, and how small that lets it become in an archive.

`round_weights` leaves few of them: the file is as large as before, and packs well. A packer that knows no more than how
frequent each value is needs as many bits for an element as the entropy of these frequencies tells (Shannon). xz comes
near to that, zip takes about half as much again.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Distinct", "distinct_of"]

_LEAST_ELEMENTS = 16
_MOST_VALUES = 1 << 10
_SAMPLE = 1 << 12
_PIECE = 1 << 16


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
