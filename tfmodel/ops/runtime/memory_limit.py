"""The memory that a kernel may allocate, for its outputs and for temporary arrays.

    with limit_memory(1 << 20):
        kernel(...)             # the kernel calls claim(4 * height * width) before it allocates these bytes

The size of a node's outputs mostly follows from the shapes of its inputs. Only the kernel knows the size of its
temporary arrays, such as padded images, and the length of the strings that it computes. Without `limit_memory`, memory
is not limited.
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
"""Bytes of a NumPy index."""
LIST_ITEM_BYTES = 40
"""Bytes of a number in a Python list, with its pointer."""
STRING_BYTES = 41
"""Bytes of a string without its characters, with its pointer in a list or array."""

_BYTES_LEFT: ContextVar[int | None] = ContextVar("left", default=None)


@contextmanager
def limit_memory(bytes_left: int | None) -> Iterator[None]:
    """Limit each claim in this context to `bytes_left`; None for no limit."""
    token = _BYTES_LEFT.set(bytes_left)
    try:
        yield
    finally:
        _BYTES_LEFT.reset(token)


def claim(size: int) -> None:
    """Check that `size` bytes may be allocated. Raises RunError if not."""
    bytes_left = _BYTES_LEFT.get()
    if bytes_left is not None and size > bytes_left:
        raise RunError(f"it needs {size:,} bytes to compute, and {bytes_left:,} of the allowed bytes are left")


def claim_array(shape: Iterable[int], dtype: np.typing.DTypeLike) -> None:
    """Check that an array of this shape and type may be allocated. Raises RunError if not."""
    claim(prod(map(int, shape)) * np.dtype(dtype).itemsize)


def collect_strings(strings: Iterable[bytes]) -> list[bytes]:
    """Return the strings of an iterator as a list, claiming memory for each. Raises RunError at the limit."""
    collected, size = [], 0
    for string in strings:
        size += STRING_BYTES + len(string)
        claim(size)
        collected.append(string)
    return collected
