"""The memory that a kernel may allocate, for its outputs and for temporary arrays.

    with limit_memory(1 << 20):
        kernel(...)             # calls claim(4 * height * width) before it allocates them

The size of the outputs of a node mostly follows from the shapes of its inputs. Only the kernel knows the size of its
temporary arrays, such as padded images, and the length of the strings that it makes. Without `limit_memory` there is no
limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import prod

import numpy as np

from ...errors import RunError

__all__ = ["INDEX_BYTES", "LIST_ITEM_BYTES", "STRING_BYTES", "claim", "claim_array", "collect_strings", "limit_memory"]

INDEX_BYTES = 8
"""Bytes of an index of NumPy."""
LIST_ITEM_BYTES = 40
"""Bytes of a number in a Python list, with its pointer."""
STRING_BYTES = 41
"""Bytes of a string without its characters, with its pointer in a list or array."""

_LEFT: ContextVar[int | None] = ContextVar("left", default=None)


@contextmanager
def limit_memory(left: int | None) -> Iterator[None]:
    """Limit each claim of kernels that run inside to so many bytes; no limit if None."""
    before = _LEFT.set(left)
    try:
        yield
    finally:
        _LEFT.reset(before)


def claim(needed: int) -> None:
    """Check that so many bytes may be allocated. Raises RunError if not."""
    left = _LEFT.get()
    if left is not None and needed > left:
        raise RunError(f"it needs {needed:,} bytes to compute, and of those that were allowed {left:,} are left")


def claim_array(shape: Iterable[int], dtype: np.typing.DTypeLike) -> None:
    """Check that an array may be allocated. Raises RunError if not."""
    claim(prod(map(int, shape)) * np.dtype(dtype).itemsize)


def collect_strings(strings: Iterable[bytes]) -> list[bytes]:
    """Return the strings of an iterator as a list, claiming memory for each. Raises RunError at the limit."""
    collected, size = [], 0
    for string in strings:
        size += STRING_BYTES + len(string)
        claim(size)
        collected.append(string)
    return collected
