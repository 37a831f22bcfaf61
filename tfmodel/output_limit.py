"""Limit the size of what is written by the size of what was read.

    with growth_limit(graph.ByteSize()):
        require(1 << 40, "the weights with zeros between them")      # GraphError, before anything is allocated
        claim(tensor.nbytes, 'the constant "w"')                     # GraphError if it is too much with all before

A graph of a few kilobytes may ask for gigabytes: one number that fills a shape, a block size, a payload that is copied
for each of its uses. Real models grow little: functions that are called twice are inlined, codes of a byte become
floats. So whatever writes a new model counts the bytes of what it writes, as they will be in the file, and what is
shared in memory is counted for each use. Messages and commands that read a model without writing one need no limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .errors import GraphError

__all__ = ["ALWAYS", "TIMES", "Growth", "claim", "growth_limit", "limit_for", "read_more", "require"]

ALWAYS = 1 << 28
"""Bytes that may be written however small the input is."""

TIMES = 16
"""Bytes that may be written besides for each byte that was read: bits that become floats are 32 times as large, and no
real model consists of these."""


def limit_for(read: int) -> int:
    """Return how many bytes may be written for so many that were read."""
    return ALWAYS + TIMES * read


class Growth:
    """The bytes that were written, and how many may be.

    `read` is how many bytes were read, or a function that measures them: it is called only when more than ALWAYS are to
    be written.
    """

    def __init__(self, read: int | Callable[[], int], outer: Growth | None = None) -> None:
        self.written = 0
        self._read = read
        self._read_later = 0
        self._outer = outer

    @property
    def limit(self) -> int:
        """How many bytes may be written."""
        if self._outer is not None:
            return self._outer.limit
        if not isinstance(self._read, int):
            self._read = self._read()
        return limit_for(self._read + self._read_later)

    def read_more(self, size: int) -> None:
        """Count bytes that were read after all, such as those of a checkpoint."""
        self._read_later += size
        if self._outer is not None:
            self._outer.read_more(size)

    def allows(self, size: int) -> bool:
        """Return whether there is room for so many bytes more."""
        return self.written + size <= ALWAYS or self.written + size <= self.limit

    @property
    def explanation(self) -> str:
        """Why no more is written."""
        return (
            f"at most {self.limit:,} are written, {TIMES} for each that was read and {ALWAYS:,} (tfmodel.output_limit)"
        )

    def require(self, size: int, what: str) -> None:
        """Raise GraphError if there is no room for so many bytes more."""
        if not self.allows(size):
            raise GraphError(f"{what} would take {size:,} bytes: {self.explanation}")

    def claim(self, size: int, what: str) -> None:
        """Count bytes that are about to be written. Raise GraphError, and count nothing, if there is no room."""
        self.require(size, what)
        self.written += size


_CURRENT: ContextVar[Growth | None] = ContextVar("growth", default=None)


@contextmanager
def growth_limit(read: int | Callable[[], int]) -> Iterator[Growth]:
    """Limit what is written inside, by what was read. Inside of another limit, that one holds; counting begins anew."""
    growth = Growth(read, _CURRENT.get())
    token = _CURRENT.set(growth)
    try:
        yield growth
    finally:
        _CURRENT.reset(token)


def claim(size: int, what: str) -> None:
    """Count bytes that are about to be written. Raise GraphError if they are too many; nothing without a limit."""
    growth = _CURRENT.get()
    if growth is not None:
        growth.claim(size, what)


def read_more(size: int) -> None:
    """Count bytes that were read after all: of what is read later than the graph."""
    growth = _CURRENT.get()
    if growth is not None:
        growth.read_more(size)


def require(size: int, what: str) -> None:
    """Raise GraphError if there is no room for so many bytes more, such as those of an array that is to be made."""
    growth = _CURRENT.get()
    if growth is not None:
        growth.require(size, what)
