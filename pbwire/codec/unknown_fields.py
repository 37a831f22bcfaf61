"""What a message's table does not tell how to read: unknown fields, unusual map entries, strangers to a closed enum."""

from __future__ import annotations

from typing import Any

from ..varints import write_varint
from ..wire import WireType, check_end_group, fail, read_tag, skip_field

__all__ = ["only_known", "skip", "skip_group"]


def skip(data: bytes, pos: int, end: int, tag: int, depth: int) -> int:
    """The position behind the field whose tag ends at `pos`. Raises DecodeError for a tag that no field can have."""
    number, wire_type = tag >> 3, tag & 7
    if not number or wire_type > 5:
        read_tag(data, pos - 1, end)  # raises; a tag of more bytes than one has been checked
    return skip_field(data, pos, end, number, wire_type, max_depth=depth)


def skip_group(data: bytes, pos: int, end: int, number: int, depth: int) -> tuple[int, int]:
    """Where the content of the group ends that starts at `pos`, and the position behind its end tag."""
    while pos < end:
        at = pos
        inner, wire_type, pos = read_tag(data, pos, end)
        if wire_type == WireType.END_GROUP:
            check_end_group(inner, number, at)
            return at, pos
        pos = skip_field(data, pos, end, inner, wire_type, max_depth=depth - 1)
    fail("truncated", pos, detail=f"group {number} is not closed")


def only_known(names: dict[int, Any], values: list[int], number: int) -> tuple[list[Any], bytes]:
    """The members of a closed enum among packed numbers; the other numbers as unknown fields of their own."""
    tag = write_varint(number << 3)
    strangers = [tag + write_varint(value) for value in values if value not in names]
    return [names[value] for value in values if value in names], b"".join(strangers)
