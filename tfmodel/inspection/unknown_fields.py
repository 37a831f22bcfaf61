"""Count unknown fields: those of later .proto files, which messages keep, and which text and JSON cannot express."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from pbwire import raw
from pbwire.descriptor import Field, Table
from pbwire.message import Message
from pbwire.wire import WireType

__all__ = ["count_unknown_fields"]


def count_unknown_fields(message: Message) -> Counter[tuple[str, int]]:
    """Return the numbers of unknown fields at any depth, by full name of the message and field number."""
    count: Counter[tuple[str, int]] = Counter()
    places: dict[type, _MessageFields] = {}
    waiting: list[Any] = [message]
    while waiting:
        message = waiting.pop()
        if message.unknown_fields:
            count.update(_numbers(message))
        cls = type(message)
        if cls not in places:
            places[cls] = _message_fields(cls.__table__)
        fields, oneofs = places[cls]
        for name, is_map in fields:
            if value := getattr(message, name):
                if value.__class__ is list:
                    waiting += value
                elif is_map:
                    waiting += value.values()
                else:
                    waiting.append(value)
        for case, slot, numbers in oneofs:
            if getattr(message, case) in numbers:
                waiting.append(getattr(message, slot))
    return count


def _numbers(message: Message) -> list[tuple[str, int]]:
    name = message.__table__.full_name
    records = (record for record in raw.walk(message.unknown_fields) if record.wire_type is not WireType.END_GROUP)
    return [(name, record.number) for record in records if not record.depth]


class _MessageFields(NamedTuple):
    """The fields of a class that hold messages, with whether they are maps; and members of oneofs, by number."""

    fields: list[tuple[str, bool]]
    oneofs: list[tuple[str, str, set[int]]]


def _message_fields(table: Table) -> _MessageFields:
    def holds_messages(field: Field) -> bool:
        return (field.value or field).kind in ("message", "group")

    fields = [(field.name, field.label == "map") for field in table.fields if holds_messages(field) and not field.oneof]
    oneofs = [
        (members[0].case_slot, members[0].slot, {field.number for field in members if holds_messages(field)})
        for members in table.oneofs.values()
    ]
    return _MessageFields(fields, oneofs)
