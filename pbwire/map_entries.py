"""Entries of maps as the messages that they are on the wire: a key with number 1 and a value with number 2.

These message classes are declared on first use. Decoders read an entry as such a message when it is not simply a key
followed by a value; text format prints and parses every entry as one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from .descriptor import Field, table_of
from .message import Message
from .table import message

__all__ = ["complete_entry", "entry_class"]


@cache
def entry_class(field: Field) -> Any:
    """Return the message class of the entries of a map. Entries may lack a key or a value: see `complete_entry`."""
    key, value, owner = field.key, field.value, field.owner
    assert key is not None and value is not None and owner is not None
    name = "".join(word.capitalize() for word in field.name.split("_")) + "Entry"
    rows = {"key": replace(key), "value": replace(value, reference=value.type)}
    around = {"__module__": owner.__module__, "__annotations__": {"key": "object", "value": "object"}}
    table = table_of(owner)
    return message(f"{table.full_name}.{name}", syntax=table.syntax)(type(name, (Message,), rows | around))


def complete_entry(entry: Any, field: Field) -> None:
    """Set the key and the value that an entry of a map lacks to their defaults."""
    key, value = field.key, field.value
    assert key is not None and value is not None
    if entry.key is None:
        entry.key = key.zero
    if entry.value is None:
        entry.value = value.type() if value.kind == "message" else value.zero
