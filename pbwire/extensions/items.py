"""The items of a MessageSet: groups of a number and a message."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..descriptor import END_GROUP, LENGTH_DELIMITED, START_GROUP, VARINT
from ..varints import write_varint
from ..wire import read_tag, read_varint, skip_field

ITEM, TYPE_ID, CONTENT = 1, 2, 3
"""Field numbers in the encoding of an item."""
ITEM_END = bytes([ITEM << 3 | END_GROUP])
_HEAD = bytes([ITEM << 3 | START_GROUP, TYPE_ID << 3])
_CONTENT_TAG = bytes([CONTENT << 3 | LENGTH_DELIMITED])


class Item(NamedTuple):
    """An item of a MessageSet, whose message is data[start:end]."""

    type_id: int
    start: int
    end: int


def read_item(data: Any, field_number: int, wire_type: int, pos: int, end: int) -> Item | None:
    """Return the item in a field whose content begins at `pos`; None if the field is not an item.

    An item is a group with a number and a message, of which the first ones count. A message may also be a field of its
    own, as in other messages.
    """
    if wire_type == LENGTH_DELIMITED:
        return Item(field_number, read_varint(data, pos, end)[1], end)
    if field_number != ITEM or wire_type != START_GROUP:
        return None
    type_id = content = None
    while pos < end:
        number, wire_type, body = read_tag(data, pos, end)
        if wire_type == END_GROUP:
            break
        pos = skip_field(data, body, end, number, wire_type)
        if number == TYPE_ID and wire_type == VARINT and type_id is None:
            type_id = read_varint(data, body, pos)[0] & 0xFFFFFFFF
        elif number == CONTENT and wire_type == LENGTH_DELIMITED and content is None:
            size, start = read_varint(data, body, pos)
            content = start, start + size
    return None if type_id is None or content is None else Item(type_id, *content)


def item_head(type_id: int, size: int) -> bytes:
    """Return everything in an item that stands before its message."""
    return _HEAD + write_varint(type_id) + _CONTENT_TAG + write_varint(size)
