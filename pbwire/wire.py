"""Read the wire format byte by byte: varints, tags, and the ends of fields. This needs no message classes.

Functions that read have these arguments, with 0 <= pos <= end <= len(data):

    data    bytes, a bytearray, or a memoryview of bytes
    pos     the position of the value
    end     the position after the last byte of the message

They return the value and the position after it, or raise DecodeError with the offset of the error in `data`. They raise
no other exceptions, never read at or after `end`, never recurse, and do not allocate memory according to sizes in the
input. Callers add paths to errors.

These functions accept the same input as protobuf's C implementation. A varint has up to ten bytes and may be longer
than needed; bits above the 64th are dropped. A tag has up to five bytes and a field number from 1 to 2**29 - 1. A
length is a varint.
"""

from __future__ import annotations

from enum import IntEnum

from .errors import DecodeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn, TypeAlias

Buffer: TypeAlias = bytes | bytearray | memoryview


class WireType(IntEnum):
    """The low three bits of a tag. They are the layout of the value, with which readers can skip an unknown field."""

    VARINT = 0
    FIXED64 = 1
    LENGTH = 2
    START_GROUP = 3
    END_GROUP = 4
    FIXED32 = 5


MAX_FIELD_NUMBER = 2**29 - 1
MAX_DEPTH = 100  # default maximum nesting of messages and groups

_VARINT, _FIXED64, _LENGTH, _START_GROUP, _END_GROUP, _FIXED32 = map(int, WireType)
_64_BITS = 2**64 - 1


def fail(problem: str, offset: int, *, detail: str = "") -> NoReturn:
    """Raise a DecodeError."""
    raise DecodeError(problem, offset=offset, detail=detail)


def fail_truncated(offset: int, detail: str = "", *, inside: str = "") -> NoReturn:
    """Raise the DecodeError for bytes that end inside of a field, or `inside` a part of it."""
    problem = f"truncated inside {inside}" if inside else "truncated"
    raise DecodeError(problem, offset=offset, detail=detail, is_truncated=True)


def read_varint(data: Buffer, pos: int, end: int) -> tuple[int, int]:
    """Return the unsigned integer at `pos`, from 0 to 2**64 - 1, and the position after it."""
    if pos < end and data[pos] < 0x80:  # most numbers have one byte
        return data[pos], pos + 1
    value = shift = 0
    for byte_pos in range(pos, min(end, pos + 10)):
        byte = data[byte_pos]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & _64_BITS, byte_pos + 1
        shift += 7
    if end - pos < 10:
        fail_truncated(pos, inside="a number")
    fail("number of more than 10 bytes", pos)


def read_tag(data: Buffer, pos: int, end: int) -> tuple[int, int, int]:
    """Return the field number and the wire type of the tag at `pos`, and the position after the tag.

    Raises DecodeError for an invalid number or wire type.
    """
    if pos < end and 8 <= (tag := data[pos]) < 0x80 and tag & 7 <= _FIXED32:  # most tags have one byte
        return tag >> 3, tag & 7, pos + 1
    tag = shift = 0
    for byte_pos in range(pos, min(end, pos + 5)):
        byte = data[byte_pos]
        tag |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
    else:
        if end - pos < 5:
            fail_truncated(pos, inside="a tag")
        fail("tag of more than 5 bytes", pos)
    number, wire_type = tag >> 3, tag & 7
    if number == 0:
        fail("field number 0", pos)
    if number > MAX_FIELD_NUMBER:
        fail(f"field number {number:,}, which is above {MAX_FIELD_NUMBER:,},", pos)
    if wire_type > _FIXED32:
        fail(f"field {number} of wire type {wire_type}, which does not exist,", pos)
    return number, wire_type, byte_pos + 1


def skip_field(data: Buffer, pos: int, end: int, number: int, wire_type: int, *, max_depth: int = MAX_DEPTH) -> int:
    """Return the position after the value at `pos`. A group is skipped with its content.

    `number` and `wire_type` are those of its tag, which is directly before `pos`.
    """
    open_groups: list[int] = []
    tag_pos = pos - 1  # the last byte of the tag, for errors
    while True:
        if wire_type == _VARINT:
            pos = read_varint(data, pos, end)[1]
        elif wire_type == _LENGTH:
            length, pos = read_varint(data, pos, end)
            if length > end - pos:
                fail_too_short(length, pos, end)
            pos += length
        elif wire_type in (_FIXED32, _FIXED64):
            size = 4 if wire_type == _FIXED32 else 8
            if size > end - pos:
                fail_too_short(size, pos, end)
            pos += size
        elif wire_type == _START_GROUP:
            if len(open_groups) >= max_depth:
                fail(f"nested more than {max_depth} levels deep", pos)
            open_groups.append(number)
        elif wire_type == _END_GROUP:
            check_end_group(number, open_groups[-1] if open_groups else None, tag_pos)
            open_groups.pop()
        else:
            raise ValueError(f"expected a wire type from 0 to 5, got {wire_type}")
        if not open_groups:
            return pos
        if pos == end:
            fail_truncated(pos, f"group {open_groups[-1]} is not closed")
        tag_pos = pos
        number, wire_type, pos = read_tag(data, pos, end)


def check_end_group(number: int, open_group: int | None, offset: int) -> None:
    """Raise DecodeError unless the end tag with this number closes the innermost open group.

    `open_group` is the number of that group, None outside of all groups; `offset` is the position of the end tag.
    """
    if open_group is None:
        fail(f"end of group {number}, which is not open,", offset)
    if open_group != number:
        fail(f"end of group {number} inside group {open_group}", offset)


def fail_too_short(needed: int, pos: int, end: int) -> NoReturn:
    """Raise the DecodeError for a truncated value at `pos` that needs `needed` bytes."""
    fail_truncated(pos, f"needs {needed:,} bytes, {end - pos:,} are left")
