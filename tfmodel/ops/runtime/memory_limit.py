"""How much memory a kernel may take: for its results, and for what it makes on the way to them.

    with room(1 << 20):
        kernel(...)             # which says, before it makes it: claim(4 * height * width)

What the outputs of a node take is mostly known from the shapes of its inputs, before there is anything. What a kernel
makes besides them, such as images with padding around them, and how long strings become, only the kernel knows. Where
nobody sets a limit, there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import prod

import numpy as np

from ...errors import RunError

__all__ = ["INDEX", "ITEM", "STRING", "claim", "claim_array", "collected", "room"]

INDEX = 8
"""Bytes of an index, and of whatever else NumPy counts with."""
ITEM = 40
"""Bytes of a number in a list of Python's, with its place there."""
STRING = 41
"""Bytes of a string besides its characters, with its place in a list or an array."""

_LEFT: ContextVar[int | None] = ContextVar("left", default=None)


@contextmanager
def room(left: int | None) -> Iterator[None]:
    """What runs inside may take so many bytes at a time; any number if None."""
    before = _LEFT.set(left)
    try:
        yield
    finally:
        _LEFT.reset(before)


def claim(needed: int) -> None:
    """Raises RunError if there is no room for so many bytes."""
    left = _LEFT.get()
    if left is not None and needed > left:
        raise RunError(f"it needs {needed:,} bytes to compute, and of those that were allowed {left:,} are left")


def claim_array(shape: Iterable[int], dtype: np.typing.DTypeLike) -> None:
    """Raises RunError if there is no room for an array."""
    claim(prod(map(int, shape)) * np.dtype(dtype).itemsize)


def collected(strings: Iterable[bytes]) -> list[bytes]:
    """Strings that are made one by one, until there is no room for them: RunError."""
    found, size = [], 0
    for each in strings:
        size += STRING + len(each)
        claim(size)
        found.append(each)
    return found
