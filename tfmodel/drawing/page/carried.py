"""Values of weights that the page carries: all of the small ones, and the first of the others.

The bytes that a page has for values are shared out: a weight that needs less than its share leaves the rest to others.
Of a larger one, whole slices of its last two axes are carried, or else whole rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

MAX_BYTES = {"none": 0, "top": 48 << 10, "all": 1 << 20}
"""The maximum number of bytes of values on a page, by the choice of weights."""

MAX_SHARE = 256 << 10


def shares(sizes: Sequence[int], total: int) -> list[int]:
    """Return how many bytes of each of some tensors are carried, given their sizes in bytes."""
    result = [0] * len(sizes)
    for left, place in zip(range(len(sizes), 0, -1), sorted(range(len(sizes)), key=sizes.__getitem__), strict=True):
        result[place] = min(sizes[place], total // left, MAX_SHARE)
        total -= result[place]
    return result


def carry(array: npt.NDArray[Any], share: int, content: bytearray) -> dict[str, Any] | None:
    """Append the first values of an array, up to `share` bytes, at a multiple of 8.

    Return their place, their number and the NumPy type; None if there are none.
    """
    count = _whole(array.shape, min(array.size, share // array.itemsize))
    if not count:
        return None
    first = np.ascontiguousarray(array.flat[:count])
    first = first.astype(first.dtype.newbyteorder("<"))
    content += b"\0" * (-len(content) % 8)
    place = len(content)
    content += first.tobytes()
    return {"at": place, "count": count, "type": first.dtype.str}


def _whole(shape: Sequence[int], count: int) -> int:
    """Return the largest number of values up to `count` that are whole slices, or whole rows, if there is one."""
    for unit in (prod(shape[-2:]), prod(shape[-1:])):
        if 0 < unit <= count:
            return count // unit * unit
    return count
