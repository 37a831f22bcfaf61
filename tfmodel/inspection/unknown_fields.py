"""Fields that no table knows: what a message keeps of a later version of its program, and text and JSON cannot say."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from pbwire import raw
from pbwire.descriptor import Field, Table
from pbwire.message import Message
from pbwire.wire import WireType

__all__ = ["unknown_fields"]


def unknown_fields(message: Message) -> Counter[tuple[str, int]]:
    """How many there are of each, by the full name of the message they stand in and their number, at any depth."""
    count: Counter[tuple[str, int]] = Counter()
    places: dict[type, _Places] = {}
    waiting: list[Any] = [message]
    while waiting:
        message = waiting.pop()
        if message.unknown_fields:
            count.update(_numbers(message))
        cls = type(message)
        if cls not in places:
            places[cls] = _places(cls.__table__)
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
    records = (each for each in raw.walk(message.unknown_fields) if each.wire_type is not WireType.END_GROUP)
    return [(name, record.number) for record in records if not record.depth]


class _Places(NamedTuple):
    """Where messages stand in a message: fields, and whether they are maps; and members of oneofs, by their number."""

    fields: list[tuple[str, bool]]
    oneofs: list[tuple[str, str, set[int]]]


def _places(table: Table) -> _Places:
    def holds_messages(field: Field) -> bool:
        return (field.value or field).kind in ("message", "group")

    fields = [(field.name, field.label == "map") for field in table.fields if holds_messages(field) and not field.oneof]
    oneofs = [
        (members[0].case_slot, members[0].slot, {field.number for field in members if holds_messages(field)})
        for members in table.oneofs.values()
    ]
    return _Places(fields, oneofs)
