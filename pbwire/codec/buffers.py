"""Encoded messages before they are joined: small chunks, and payloads too large to be copied for nothing.

Some of these may be still to be computed: see `deferral`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from ..descriptor import Table
from ..errors import DecodeError, EncodeError, class_name
from ..lazy.deferred_bytes import Content, Deferred
from ..lazy.messages import deferred, detached, positions, span_of
from ..varints import as_bytes, write_varint
from .codegen import function

__all__ = ["LARGE", "Buffer", "Chunks", "encoded", "put_bytes", "put_other", "put_pending"]

Buffer: TypeAlias = bytes | memoryview

LARGE = 1 << 16  # bytes: below that, one copy costs less than one more buffer


class Chunks(list[Any]):
    """Pieces of the wire, the last one first while they are made: see `encoding`.

    `large` are the indices of those that stay buffers of their own.
    """

    __slots__ = ("large",)

    def __init__(self) -> None:
        self.large: list[int] = []

    def turn_round(self) -> None:
        """Put the pieces in order, when all are there."""
        self.reverse()
        self.large = [len(self) - 1 - index for index in reversed(self.large)]

    def whole(self) -> bytes:
        """All in one."""
        for index in self.large:
            if self[index].__class__ is Content:
                self[index] = self[index].whole()
        return b"".join(self)

    def joined(self) -> list[Buffer]:
        """The same with all neighbours joined that are not large."""
        return [each.whole() if each.__class__ is Content else each for each in self._joined()]

    def pieces(self) -> Iterator[Buffer]:
        """The same one after another: of what is computed, no more than a piece is there at a time."""
        for each in self._joined():
            if each.__class__ is Content:
                yield from each.pieces()
            else:
                yield each

    def _joined(self) -> list[Any]:
        buffers: list[Any] = []
        start = 0
        for index in [*self.large, len(self)]:
            if start < index:
                buffers.append(b"".join(self[start:index]))
            buffers += self[index : index + 1]
            start = index + 1
        return buffers


def encoded(message: Any, deterministic: bool, *, partial: bool = False) -> Chunks:
    """A message on the wire. Raises EncodeError, also for a missing required field unless `partial` is good enough,
    and DecodeError if `deterministic` makes it read a damaged part that was untouched.

    The generated encoders notice a value that does not fit, and `checking` finds it.
    """
    chunks = Chunks()
    table = message.__table__
    try:
        if message.__class__ is table.cls:
            function(table, "encode")(message, chunks, deterministic)
        else:
            put_other(message, table, chunks, deterministic)
    except DecodeError:
        raise
    except Exception as error:  # whatever a wrong value makes of Python's own operations
        from .validation import check  # not needed while all is well

        check(message)
        raise EncodeError(f"cannot be written ({type(error).__name__}: {error})") from error
    chunks.turn_round()
    if not partial and table.requires:
        from .validation import check_required

        check_required(message)
    return chunks


def put_bytes(chunks: Chunks, heads: tuple[bytes, ...], tag: bytes, value: Any) -> int:
    """Append a bytes field and tell its size on the wire. What is large is not copied."""
    if value.__class__ is not bytes:
        value = as_bytes(value)
    n = len(value)
    head = heads[n] if n < 128 else tag + write_varint(n)
    if n < LARGE:
        chunks.append(head + value)
    else:
        chunks.large.append(len(chunks))
        chunks.append(value)
        chunks.append(head)
    return len(head) + n


def put_other(message: Any, table: Table, chunks: Chunks, deterministic: bool) -> int:
    """Append a sub-message that is not simply of its class: an untouched one as the bytes it is, one of a subclass."""
    if not isinstance(message, table.cls):
        raise TypeError(f"{class_name(message, table.cls)} where a {table.cls.__name__} belongs")
    data = deferred(message)
    if data is not None:
        return put_deferred(chunks, data)
    span = span_of(message)
    if span is None:
        return function(table, "encode")(message, chunks, deterministic)  # type: ignore[no-any-return]  # generated code has no types
    if deterministic:
        return function(table, "encode")(detached(table, span), chunks, True)  # type: ignore[no-any-return]  # generated code has no types
    return put_spans(chunks, span[0], positions(span))


def put_deferred(chunks: Chunks, data: Deferred) -> int:
    """Append what is to be computed when it is written. What stands there is the same if it is `deterministic`."""
    chunks.large.append(len(chunks))
    chunks.append(data.content)
    chunks.append(data.head)
    return len(data)


def put_pending(entries: tuple[Any, ...], chunks: Chunks) -> int:
    """Append the entries of a map that were not read, tags and all."""
    return put_spans(chunks, entries[1], entries[5:])


def put_spans(chunks: Chunks, data: bytes, spans: tuple[int, ...]) -> int:
    """Append stretches of the input as they are; large ones are not copied."""
    size = 0
    for end, start in zip(spans[::-2], spans[-2::-2], strict=True):
        size += end - start
        if end - start < LARGE:
            chunks.append(data[start:end])
        else:
            chunks.large.append(len(chunks))
            chunks.append(memoryview(data)[start:end])
    return size
