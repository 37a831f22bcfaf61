"""The wire, byte by byte: numbers, tags, and where a field ends. Knows no message and no table.

The contract of every function here: `data` is anything whose items are bytes (`bytes`, `bytearray`, a `memoryview`
of bytes), `pos` is where to read, `end` is the first byte that is not ours, with 0 <= pos <= end <= len(data). A
function returns what it read and the position behind it, or raises DecodeError with the offset, in `data`, of what
is wrong; it raises nothing else, never looks at `end` or beyond, never recurses, and allocates nothing of a declared
size. Paths are added by callers.

What is accepted is what protobuf's C implementation accepts. A number has up to ten bytes and may be longer than it
needs to be; bits above the 64th are dropped. A tag has up to five bytes and a field number from 1 to 2**29 - 1. A
length is a number.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NoReturn, TypeAlias

from .errors import DecodeError

__all__ = [
    "MAX_DEPTH",
    "MAX_FIELD_NUMBER",
    "Buffer",
    "WireType",
    "check_end_group",
    "fail",
    "read_tag",
    "read_varint",
    "skip_field",
    "too_short",
]

Buffer: TypeAlias = bytes | bytearray | memoryview


class WireType(IntEnum):
    """The low three bits of a tag: how the value is laid out, which is all one needs to step over it."""

    VARINT = 0
    FIXED64 = 1
    LENGTH = 2
    START_GROUP = 3
    END_GROUP = 4
    FIXED32 = 5


MAX_FIELD_NUMBER = 2**29 - 1
MAX_DEPTH = 100  # how many messages or groups may stand inside one another, unless the caller says otherwise

_VARINT, _FIXED64, _LENGTH, _START_GROUP, _END_GROUP, _FIXED32 = map(int, WireType)
_64_BITS = 2**64 - 1


def fail(problem: str, offset: int, *, detail: str = "") -> NoReturn:
    """Raise the DecodeError."""
    raise DecodeError(problem, offset=offset, detail=detail)


def read_varint(data: Buffer, pos: int, end: int) -> tuple[int, int]:
    """The unsigned number at `pos`, from 0 to 2**64 - 1, and the position behind it."""
    value = shift = 0
    for at in range(pos, min(end, pos + 10)):
        byte = data[at]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & _64_BITS, at + 1
        shift += 7
    fail("truncated inside a number" if end - pos < 10 else "number of more than 10 bytes", pos)


def read_tag(data: Buffer, pos: int, end: int) -> tuple[int, int, int]:
    """Field number, wire type and the position behind the tag at `pos`. The wire type is one of the six."""
    tag = shift = 0
    for at in range(pos, min(end, pos + 5)):
        byte = data[at]
        tag |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
    else:
        fail("truncated inside a tag" if end - pos < 5 else "tag of more than 5 bytes", pos)
    number, wire_type = tag >> 3, tag & 7
    if number == 0:
        fail("field number 0", pos)
    if number > MAX_FIELD_NUMBER:
        fail(f"field number {number:,}, which is above {MAX_FIELD_NUMBER:,},", pos)
    if wire_type > _FIXED32:
        fail(f"field {number} of wire type {wire_type}, which does not exist,", pos)
    return number, wire_type, at + 1


def skip_field(data: Buffer, pos: int, end: int, number: int, wire_type: int, *, max_depth: int = MAX_DEPTH) -> int:
    """The position behind the value that starts at `pos`, behind its tag. A group is skipped with all it holds."""
    open_groups: list[int] = []
    at = pos - 1  # of the tag, near enough for one that is its last byte
    while True:
        if wire_type == _VARINT:
            pos = read_varint(data, pos, end)[1]
        elif wire_type == _LENGTH:
            length, pos = read_varint(data, pos, end)
            if length > end - pos:
                too_short(length, pos, end)
            pos += length
        elif wire_type in (_FIXED32, _FIXED64):
            size = 4 if wire_type == _FIXED32 else 8
            if size > end - pos:
                too_short(size, pos, end)
            pos += size
        elif wire_type == _START_GROUP:
            if len(open_groups) >= max_depth:
                fail(f"nested more than {max_depth} levels deep", pos)
            open_groups.append(number)
        elif wire_type == _END_GROUP:
            check_end_group(number, open_groups[-1] if open_groups else None, at)
            open_groups.pop()
        else:
            raise ValueError(f"there is no wire type {wire_type}")
        if not open_groups:
            return pos
        if pos == end:
            fail("truncated", pos, detail=f"group {open_groups[-1]} is not closed")
        at = pos
        number, wire_type, pos = read_tag(data, pos, end)


def check_end_group(number: int, open_group: int | None, offset: int) -> None:
    """An end-group tag must close the innermost open group."""
    if open_group is None:
        fail(f"end of group {number}, which is not open,", offset)
    if open_group != number:
        fail(f"end of group {number} inside group {open_group}", offset)


def too_short(needed: int, pos: int, end: int) -> NoReturn:
    """Fail because a value of `needed` bytes begins at `pos`."""
    fail("truncated", pos, detail=f"needs {needed:,} bytes, {end - pos:,} are left")
