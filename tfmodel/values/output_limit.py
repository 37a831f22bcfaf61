"""Limit the size of written data by the size of the data read.

    with limit_output(graph.ByteSize()):
        require(1 << 40, "the weights with zeros between them")      # GraphError, before anything is allocated
        claim(tensor.nbytes, 'the constant "w"')                     # GraphError if the total exceeds the limit

A graph of a few kilobytes can request gigabytes: by one number that fills a large shape, by a block size, or by a
constant that is copied for each of its uses. Real models grow little: when functions that are called twice are inlined,
or when quantized values become floats. So all code that writes a new model counts the bytes that the file will have;
data shared in memory are counted for each use. Code that only reads a model needs no limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ..errors import GraphError

MIN_LIMIT = 1 << 28
"""The number of bytes that may always be written, even if the input is small."""

MAX_GROWTH = 16
"""The number of further bytes that may be written for each byte read. Bits that become floats grow 32 times, but real
models do not consist of bits alone."""


def output_limit_for(read: int) -> int:
    """Return how many bytes may be written for an input of `read` bytes."""
    return MIN_LIMIT + MAX_GROWTH * read


class OutputLimit:
    """The number of bytes written, and its limit.

    read     the number of bytes read, or a function that returns it; it is called only if more than MIN_LIMIT bytes are
             to be written
    outer    the OutputLimit of the surrounding block; if it is not None, its limit applies
    """

    def __init__(self, read: int | Callable[[], int], outer: OutputLimit | None = None) -> None:
        self.written = 0
        self._read = read
        self._read_later = 0
        self._outer = outer

    @property
    def limit(self) -> int:
        """The number of bytes that may be written."""
        if self._outer is not None:
            return self._outer.limit
        if not isinstance(self._read, int):
            self._read = self._read()
        return output_limit_for(self._read + self._read_later)

    def count_input(self, size: int) -> None:
        """Add bytes to the size of the input, such as those of a checkpoint."""
        self._read_later += size
        if self._outer is not None:
            self._outer.count_input(size)

    def allows(self, size: int) -> bool:
        """Return whether `size` more bytes may be written."""
        return self.written + size <= MIN_LIMIT or self.written + size <= self.limit

    @property
    def explanation(self) -> str:
        """The rule for the limit, for error messages."""
        budget = f"{MAX_GROWTH} for each that was read and {MIN_LIMIT:,}"
        return f"at most {self.limit:,} are written, {budget} (tfmodel.values.output_limit)"

    def require(self, size: int, what: str) -> None:
        """Raise GraphError if `size` more bytes would exceed the limit. `what` names them in the error."""
        if not self.allows(size):
            raise GraphError(f"{what} would take {size:,} bytes: {self.explanation}")

    def claim(self, size: int, what: str) -> None:
        """Count `size` bytes that are about to be written.

        Raises GraphError, without counting them, if they exceed the limit. `what` names them in the error.
        """
        self.require(size, what)
        self.written += size


_CURRENT: ContextVar[OutputLimit | None] = ContextVar("growth", default=None)


@contextmanager
def limit_output(read: int | Callable[[], int]) -> Iterator[OutputLimit]:
    """Limit the bytes written inside the block by the size of the input.

    `read` is the number of bytes read, or a function that returns it. In a nested block the count begins at 0 again,
    and the limit of the outer block applies.
    """
    growth = OutputLimit(read, _CURRENT.get())
    token = _CURRENT.set(growth)
    try:
        yield growth
    finally:
        _CURRENT.reset(token)


def claim(size: int, what: str) -> None:
    """Count `size` bytes that are about to be written. Raise GraphError if they exceed the limit of the current block.

    `what` names the data in the error. Outside of a `limit_output` block, do nothing.
    """
    growth = _CURRENT.get()
    if growth is not None:
        growth.claim(size, what)


def count_input(size: int) -> None:
    """Add `size` bytes to the size of the input, for data that are read later than the graph."""
    growth = _CURRENT.get()
    if growth is not None:
        growth.count_input(size)


def require(size: int, what: str) -> None:
    """Raise GraphError if `size` more bytes, such as those of a new array, would exceed the limit of the current block.

    `what` names the data in the error. Outside of a `limit_output` block, do nothing.
    """
    growth = _CURRENT.get()
    if growth is not None:
        growth.require(size, what)
