"""Encoded messages as lists of buffers: small chunks, and large payloads that are not copied.

Some payloads are computed only when they are written: see `Deferred` in `pbwire.lazy.messages`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..descriptor import Table
from ..errors import DecodeError, EncodeError, class_name
from ..lazy.messages import Content, Deferred, decode_copy, encoded_span, get_deferred_bytes, span_positions
from ..varints import as_bytes, write_varint
from .codegen import function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

Buffer: TypeAlias = bytes | memoryview

MIN_BUFFER_BYTES = 1 << 16  # smaller payloads are copied, which costs less than one more buffer
MAX_ATTEMPTS = 8


class TooLarge(Exception):
    """A message is too large for the encoder that returns bytes, or probably is."""


class Chunks(list):  # type: ignore[type-arg]  # `Any` is not imported
    """The pieces of an encoded message, in order.

    `large` has the indices of the pieces that are not joined with others.
    """

    __slots__ = ("large",)

    def __init__(self) -> None:
        self.large: list[int] = []

    def to_bytes(self) -> bytes:
        """Return all pieces as one bytes object."""
        for index in self.large:
            if self[index].__class__ is Content:
                self[index] = self[index].compute_all()
        return b"".join(self)

    def to_buffers(self) -> list[Buffer]:
        """Return the pieces as buffers; adjacent small pieces are joined."""
        return [piece.compute_all() if piece.__class__ is Content else piece for piece in self._join_small()]

    def pieces(self) -> Iterator[Buffer]:
        """Yield the pieces as buffers. Computed content is yielded in parts, so that only one part is in memory."""
        for piece in self._join_small():
            if piece.__class__ is Content:
                yield from piece.pieces()
            else:
                yield piece

    def _join_small(self) -> list[Any]:
        buffers: list[Any] = []
        start = 0
        for index in [*self.large, len(self)]:
            if start < index:
                buffers.append(b"".join(self[start:index]))
            buffers += self[index : index + 1]
            start = index + 1
        return buffers


def encode_message(message: Any, deterministic: bool, *, partial: bool = False) -> Chunks:
    """Return the encoding of a message.

    With `deterministic`, undecoded parts are decoded, and entries of maps are sorted. Raises EncodeError for a value
    that its field cannot hold and, unless `partial` is set, for a missing required field. Raises DecodeError if an
    undecoded part is damaged. Generated encoders raise an exception for an invalid value, without details; `validation`
    then finds the value.
    """
    chunks = Chunks()
    table = message.__table__
    try:
        put_message(message, table, chunks, deterministic, MAX_ATTEMPTS)
    except DecodeError:
        raise
    except Exception as error:  # any exception that an invalid value causes
        from .validation import check  # needed after errors only

        check(message)
        raise EncodeError(f"cannot be written ({type(error).__name__}: {error})") from error
    if not partial and table.has_required_fields:
        from .required import check_required  # few messages have required fields

        check_required(message)
    return chunks


def put_message(message: Any, table: Table, chunks: Chunks, deterministic: bool, attempts: int) -> int:
    """Append a message without tag and length, and return its encoded size.

    The encoder for small messages is tried first. `attempts` is the number of further levels at which it is tried, so
    that a large value in nested messages does not cause all of them to be encoded again and again.
    """
    if message.__class__ is not table.cls:
        return put_other(message, table, chunks, deterministic)
    if attempts:
        encode_bytes = table.functions.get("encode_bytes") or function(table, "encode_bytes")
        try:
            piece = encode_bytes(message, deterministic)
        except TooLarge:
            attempts -= 1
        else:
            chunks.append(piece)
            return len(piece)
    return function(table, "encode")(message, chunks, deterministic, attempts)  # type: ignore[no-any-return]  # generated code has no types


def put_bytes(chunks: Chunks, heads: tuple[bytes, ...], tag: bytes, value: Any) -> int:
    """Append a bytes field with its tag, and return its encoded size. Large values are not copied.

    `tag` and `heads` are the encoded tag, and the tag with each one-byte length.
    """
    if value.__class__ is not bytes:
        value = as_bytes(value)
    n = len(value)
    head = heads[n] if n < 128 else tag + write_varint(n)
    if n < MIN_BUFFER_BYTES:
        chunks.append(head + value)
    else:
        chunks.append(head)
        chunks.large.append(len(chunks))
        chunks.append(value)
    return len(head) + n


def put_other(message: Any, table: Table, chunks: Chunks, deterministic: bool) -> int:
    """Append a sub-message that is not a direct instance of its message class, and return its encoded size.

    It is either an undecoded message, whose encoding is appended unchanged unless `deterministic` is set, or
    an instance of a subclass.
    """
    if not isinstance(message, table.cls):
        raise TypeError(f"{class_name(message, table.cls)} where a {table.cls.__name__} belongs")
    data = get_deferred_bytes(message)
    if data is not None:
        return put_deferred(chunks, data)
    span = encoded_span(message)
    if span is None:
        return function(table, "encode")(message, chunks, deterministic, MAX_ATTEMPTS)  # type: ignore[no-any-return]  # generated code has no types
    if deterministic:
        return function(table, "encode")(decode_copy(table, span), chunks, True, MAX_ATTEMPTS)  # type: ignore[no-any-return]  # generated code has no types
    return put_spans(chunks, span[0], span_positions(span))


def put_deferred(chunks: Chunks, data: Deferred) -> int:
    """Append the encoding of a message whose content is computed when it is written, and return its size."""
    chunks.append(data.head)
    chunks.large.append(len(chunks))
    chunks.append(data.content)
    return len(data)


def put_pending(entries: tuple[Any, ...], chunks: Chunks) -> int:
    """Append the entries of an undecoded map, with their tags, and return their size."""
    return put_spans(chunks, entries[1], entries[5:])


def put_spans(chunks: Chunks, data: bytes, spans: tuple[int, ...]) -> int:
    """Append byte ranges of the input, and return their total size. Large ranges are not copied.

    `spans` has their starts and ends in turn.
    """
    size = 0
    for start, end in zip(spans[::2], spans[1::2], strict=True):
        size += end - start
        if end - start < MIN_BUFFER_BYTES:
            chunks.append(data[start:end])
        else:
            chunks.large.append(len(chunks))
            chunks.append(memoryview(data)[start:end])
    return size


# --- called by encoders that return bytes ----------------------------------------------------------------------------


def long_head(tag: bytes, size: int) -> bytes:
    """Return a tag and a length of more than one byte. Raises TooLarge for a payload that is not to be copied."""
    if size >= MIN_BUFFER_BYTES:
        raise TooLarge
    return tag + write_varint(size)


def other_bytes(message: Any, table: Table, deterministic: bool) -> bytes:
    """Return what `put_other` appends. Raises TooLarge."""
    chunks = Chunks()
    if put_other(message, table, chunks, deterministic) >= MIN_BUFFER_BYTES:
        raise TooLarge
    return chunks.to_bytes()


def pending_bytes(entries: tuple[Any, ...]) -> bytes:
    """Return the entries of an undecoded map, with their tags. Raises TooLarge."""
    data, spans = entries[1], entries[5:]
    if sum(spans[1::2]) - sum(spans[::2]) >= MIN_BUFFER_BYTES:
        raise TooLarge
    return b"".join([data[start:end] for start, end in zip(spans[::2], spans[1::2], strict=True)])
