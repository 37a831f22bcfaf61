"""Printing fields that no table knows: by number, and with a guess whether bytes are a message.

The guess is that of protobuf's Python implementation, whatever one may think of it: bytes are a message if they can be
read as fields up to the last one. No bytes at all are an empty message, field number 0 is as good as any, a group may
be closed by another number than opened it, and the last thing may be the end of a group that nothing opened.
"""

from __future__ import annotations

from ..errors import DecodeError
from ..wire import WireType, fail, read_varint, too_short
from .output import FULL, Output, put_bytes

__all__ = ["put_unknown"]

_VARINT, _FIXED64, _LENGTH, _START_GROUP, _END_GROUP, _FIXED32 = map(int, WireType)
_UP_TO_ITS_TAG = -1  # where a group ends


def put_unknown(out: Output, line: str, data: bytes, depth: int) -> None:
    """Append the fields of `data`, which are whole. Guesses go as deep as `depth` more levels, and no deeper."""
    ends = [len(data)]  # of the messages and groups around, outermost first
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
        if len(out.chunks) > FULL:
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
    """Number, wire type, and where the value begins and ends; a tag that belongs to a group has none."""
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
