"""`UnknownFieldSet`: the fields of a message that its table does not declare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..extensions.items import CONTENT, ITEM, TYPE_ID
from ..wire import MAX_DEPTH, WireType, read_tag, read_varint, skip_field
from .values.extensions import current_extensions

__all__ = ["UnknownField", "UnknownFieldSet"]


class UnknownField(NamedTuple):
    """A field that is not declared. `data` is an int, bytes, or the UnknownFieldSet of a group."""

    field_number: int
    wire_type: int
    data: Any


class UnknownFieldSet(Sequence[UnknownField]):
    """The unknown fields of a message, in their order."""

    def __init__(self, message: Any) -> None:
        current_extensions(message)  # no extension is unknown
        self._fields = _read(message._unknown)
        if message.__table__.is_extendable and message.__table__.message_set:
            self._fields = [_item(field) for field in self._fields]

    def __len__(self) -> int:
        return len(self._fields)

    def __getitem__(self, place: Any) -> Any:
        return self._fields[place]

    def __repr__(self) -> str:
        return f"UnknownFieldSet({self._fields!r})"


def _read(data: bytes) -> list[UnknownField]:
    fields, pos = [], 0
    while pos < len(data):
        number, wire_type, pos = read_tag(data, pos, len(data))
        end = skip_field(data, pos, len(data), number, wire_type, max_depth=MAX_DEPTH)
        fields.append(UnknownField(number, int(wire_type), _value(data, pos, end, wire_type)))
        pos = end
    return fields


def _item(field: UnknownField) -> UnknownField:
    """Return an item of a MessageSet as the field that it stands for; other fields unchanged."""
    if not isinstance(field.data, UnknownFieldSet):
        return field
    parts = {part.field_number: part.data for part in reversed(field.data)}
    if field.field_number != ITEM or not {TYPE_ID, CONTENT} <= parts.keys():
        return field
    return UnknownField(parts[TYPE_ID], int(WireType.LENGTH), parts[CONTENT])


def _value(data: bytes, pos: int, end: int, wire_type: int) -> Any:
    if wire_type == WireType.VARINT:
        return read_varint(data, pos, end)[0]
    if wire_type in (WireType.FIXED32, WireType.FIXED64):
        return int.from_bytes(data[pos:end], "little")
    if wire_type == WireType.LENGTH:
        _, start = read_varint(data, pos, end)
        return data[start:end]
    group = object.__new__(UnknownFieldSet)
    last = pos
    while last < end:  # the end tag of the group is the last tag
        number, inner, after = read_tag(data, last, end)
        if inner == WireType.END_GROUP:
            break
        last = skip_field(data, after, end, number, inner, max_depth=MAX_DEPTH)
    group._fields = _read(data[pos:last])
    return group
