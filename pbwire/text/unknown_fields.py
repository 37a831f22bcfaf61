"""Printing of unknown fields: by number, with a guess whether bytes are a message.

The guess is that of protobuf's Python implementation, to print the same text: bytes are a message if they can be read
as fields to the end. Empty bytes are a message, field number 0 is valid, a group may be closed by another number than
opened it, and the last tag may close a group that was never opened.
"""

from __future__ import annotations

from ..errors import DecodeError
from ..wire import WireType, fail, read_varint, too_short
from .output import MAX_CHUNKS, Output, put_bytes

__all__ = ["put_unknown"]

_VARINT, _FIXED64, _LENGTH, _START_GROUP, _END_GROUP, _FIXED32 = map(int, WireType)
_UP_TO_ITS_TAG = -1  # the end of a group


def put_unknown(out: Output, line: str, data: bytes, depth: int) -> None:
    """Append the fields of `data`, which are complete. Guesses go at most `depth` levels deeper."""
    ends = [len(data)]  # of the enclosing messages and groups, outermost first
    pos = 0
    while True:
        while pos == ends[-1]:
            ends.pop()
            if not ends:
                return
            line = _close(out, line)
        number, wire_type, start, pos = _read_field(data, pos, len(data))
        if wire_type == _START_GROUP:
            ends.append(_UP_TO_ITS_TAG)
            line = _open(out, line, number)
        elif wire_type == _END_GROUP:
            if ends[-1] == _UP_TO_ITS_TAG:
                ends.pop()
                line = _close(out, line)
        elif wire_type != _LENGTH:
            value = int.from_bytes(data[start:pos], "little") if wire_type else read_varint(data, start, pos)[0]
            out.append(f"{line}{number}: {value}")
        elif len(ends) <= depth and _is_message(data, start, pos, depth - len(ends)):
            ends.append(pos)
            line = _open(out, line, number)
            pos = start
        else:
            put_bytes(out, f"{line}{number}: ", memoryview(data)[start:pos])
        if len(out.chunks) > MAX_CHUNKS:
            out.flush()


def _open(out: Output, line: str, number: int) -> str:
    out.append(f"{line}{number} {{")
    return line + out.step


def _close(out: Output, line: str) -> str:
    line = line[: len(line) - len(out.step)]
    out.append(f"{line}}}")
    return line


def _is_message(data: bytes, pos: int, end: int, depth: int) -> bool:
    groups = 0
    try:
        while pos < end:
            _, wire_type, _, pos = _read_field(data, pos, end)
            if wire_type == _START_GROUP:
                groups += 1
                if groups > depth:
                    return False
            elif wire_type == _END_GROUP:
                if not groups:
                    return pos == end
                groups -= 1
    except DecodeError:
        return False
    return not groups


def _read_field(data: bytes, pos: int, end: int) -> tuple[int, int, int, int]:
    """Return number, wire type, and start and end of the value; the tag of a group has an empty one."""
    tag, pos = read_varint(data, pos, end)
    number, wire_type = tag >> 3, tag & 7
    start = pos
    if wire_type == _VARINT:
        pos = read_varint(data, pos, end)[1]
    elif wire_type == _LENGTH:
        size, start = read_varint(data, pos, end)
        pos = start + size
    elif wire_type == _FIXED64:
        pos += 8
    elif wire_type == _FIXED32:
        pos += 4
    elif wire_type > _FIXED32:
        fail("no wire type", pos)
    if pos > end:
        too_short(pos - start, start, end)
    return number, wire_type, start, pos
