"""Streams of messages: one message after another, each behind its size in bytes, which is a varint.

    with open("events.bin", "wb") as file:
        streams.write(file, events)
    with open("events.bin", "rb") as file:
        for event in streams.read(file, Event):
            ...
    for data in streams.frames(events):               # pieces of bytes, as for a socket
        connection.send(data)

This is the form of Java's `writeDelimitedTo`, of C++'s `SerializeDelimitedToZeroCopyStream` and of Python's
`google.protobuf.proto.serialize_length_prefixed` (https://protobuf.dev/programming-guides/techniques/#streaming). A
stream has no head, no names and no checksums: the reader must know the class of the messages.

`read_lines` and `write_lines` do the same with JSON lines: a message on each line (https://jsonlines.org).

One message at a time is in memory, and nothing is allocated from a size that the stream declares before its bytes have
been read. After an error, the rest of a stream cannot be read: where the next message begins is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from typing import Any, Protocol, TypeVar, cast

from .errors import DecodeError, EncodeError, JsonError
from .message import MAX_DEPTH, Message
from .varints import write_varint

__all__ = ["MAX_SIZE", "frames", "read", "read_lines", "write", "write_lines"]

MAX_SIZE = (1 << 31) - 1
"""The largest message that protobuf's implementations read, in bytes."""

_PIECE = 1 << 18  # bytes that are read at once
_LONGEST_SIZE = 10  # bytes of a varint
_DOUBT = "(is this a stream of messages?)"

M = TypeVar("M", bound=Message)
Types = Mapping[str, type[Message]]


class Readable(Protocol):
    """The part of a binary file that `read` needs."""

    def read(self, size: int, /) -> bytes | None: ...


class Writable(Protocol):
    """The part of a binary file that `write` needs."""

    def write(self, data: bytes, /) -> object: ...


class WritableText(Protocol):
    """The part of a text file that `write_lines` needs."""

    def write(self, text: str, /) -> object: ...


def read(
    source: Readable | Iterable[bytes],
    cls: type[M],
    *,
    lazy: bool = False,
    max_size: int = MAX_SIZE,
    max_depth: int = MAX_DEPTH,
) -> Iterator[M]:
    """Yield the messages of a stream: of a binary file, or of pieces of bytes, which may end anywhere.

    `lazy` and `max_depth` are those of `Message.from_bytes`. `max_size` is the largest size of a message in bytes.

    Raises DecodeError for a stream that ends in a message or in a size, for a size that is not a varint or is above
    `max_size`, and for bytes that are not an encoding of `cls`. Its path begins with the message, such as
    `messages[2]`, and its `offset` is the position in the stream.
    """
    stream = _Stream(source)
    for number in count():
        name = f"messages[{number}]"
        size = _size(stream, name, max_size)
        if size is None:
            return
        start = stream.offset
        data = stream.take(size)
        if len(data) < size:
            detail = f"needs {size:,} bytes, {len(data):,} are left"
            raise DecodeError("truncated", offset=stream.offset, path=name, detail=detail, is_truncated=True)
        try:
            message = cls.from_bytes(data, lazy=lazy, max_depth=max_depth)
        except DecodeError as error:
            error.offset = start if error.offset is None else start + error.offset
            error.within(name)
            raise
        yield message


def write(file: Writable, messages: Iterable[Message]) -> int:
    """Write messages to a binary file, and return their number.

    Raises EncodeError, whose path begins with the message, such as `messages[2]`. Those before it have been written.
    """
    number = 0
    for data in frames(messages):
        _write_all(file, data)
        number += 1
    return number


def frames(messages: Iterable[Message]) -> Iterator[bytes]:
    """Yield each message with its size before it, as bytes. Raises EncodeError, as `write` does."""
    for number, message in enumerate(messages):
        try:
            data = message.to_bytes()
        except EncodeError as error:
            error.within(f"messages[{number}]")
            raise
        yield write_varint(len(data)) + data


def read_lines(
    lines: Iterable[str | bytes], cls: type[M], *, ignore_unknown_fields: bool = False, types: Types | None = None
) -> Iterator[M]:
    """Yield the messages of JSON lines, such as those of a text file. Lines of white space are skipped.

    The options are those of `pbwire.json.loads`. Raises JsonError, whose `line` counts the lines from 1.
    """
    from . import json  # binary streams need none

    for number, line in enumerate(lines, start=1):
        if line and not line.isspace():
            try:
                message = json.loads(line, cls, ignore_unknown_fields=ignore_unknown_fields, types=types)
            except JsonError as error:
                error.line = number
                raise
            yield message


def write_lines(file: WritableText, messages: Iterable[Message], *, types: Types | None = None, **options: Any) -> int:
    """Write messages as JSON lines to a text file, and return their number.

    The options are those of `pbwire.json.dumps` without `indent`. Raises EncodeError, as `write` does.
    """
    from . import json  # binary streams need none

    number = 0
    for number, message in enumerate(messages, start=1):
        try:
            text = json.dumps(message, indent=None, types=types, **options)
        except EncodeError as error:
            error.within(f"messages[{number - 1}]")
            raise
        file.write(f"{text}\n")
    return number


def _write_all(file: Writable, data: bytes) -> None:
    """Write bytes to a file that may take a part at a time, as unbuffered ones do."""
    written = file.write(data)
    while isinstance(written, int) and written < len(data):
        data = data[written:]
        written = file.write(data)


def _size(stream: _Stream, name: str, max_size: int) -> int | None:
    """Read the size of a message; None at the end of the stream."""
    start, size = stream.offset, 0
    for place in range(_LONGEST_SIZE):
        byte = stream.take(1)
        if not byte and not place:
            return None
        if not byte:
            raise DecodeError(
                "truncated", offset=start, path=name, detail="lacks the end of its size", is_truncated=True
            )
        size |= (byte[0] & 127) << 7 * place
        if byte[0] < 128:
            break
    else:
        raise DecodeError("the size is not a varint", offset=start, path=name, detail=_DOUBT)
    if size > max_size:
        detail = f"has {size:,} bytes, where at most {max_size:,} are allowed {_DOUBT}"
        raise DecodeError("the size is too large", offset=start, path=name, detail=detail)
    return size


class _Stream:
    """The bytes of a file, or of pieces of bytes, in the order in which they are taken."""

    def __init__(self, source: Readable | Iterable[bytes]) -> None:
        self.offset = 0
        read: Callable[[int], bytes] | None = getattr(source, "read", None)
        self._pieces = iter(cast("Iterable[bytes]", source)) if read is None else _pieces_of(read)
        self._piece = b""
        self._start = 0

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes; fewer at the end of the stream."""
        data = self._piece[self._start : self._start + size]
        self._start += len(data)
        if len(data) < size:
            data = self._with_next_pieces(data, size)
        self.offset += len(data)
        return data

    def _with_next_pieces(self, data: bytes, size: int) -> bytes:
        parts, missing = [data], size - len(data)
        while missing and (piece := next(self._pieces, None)) is not None:
            self._piece = bytes(piece)
            self._start = min(missing, len(self._piece))
            parts.append(self._piece[: self._start])
            missing -= self._start
        return b"".join(parts)


def _pieces_of(read_next: Callable[[int], bytes]) -> Iterator[bytes]:
    while data := read_next(_PIECE):
        yield data
