"""What a message's table does not tell how to read: unknown fields, unusual map entries, strangers to a closed enum."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from ..descriptor import Field, table_of
from ..varints import write_varint
from ..wire import WireType, check_end_group, fail, read_tag, skip_field
from .byte_ranges import add_span
from .codegen import function

__all__ = ["complete", "entry_class", "learn_key", "only_known", "read_entry", "skip", "skip_group"]

KEY_TAG = 1 << 3 | WireType.LENGTH
REMEMBERED_KEYS = 4096
REMEMBERED_KEY_SIZE = 64


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


@cache
def entry_class(field: Field) -> Any:
    """The message that an entry of a map is on the wire: see `complete` for what it lacks."""
    from ..table import Message, message  # the language of tables stands above this module

    key, value, owner = field.key, field.value, field.owner
    assert key is not None and value is not None and owner is not None
    name = "".join(word.capitalize() for word in field.name.split("_")) + "Entry"
    rows = {"key": replace(key), "value": replace(value, reference=value.type)}
    around = {"__module__": owner.__module__, "__annotations__": {"key": "object", "value": "object"}}
    table = table_of(owner)
    return message(f"{table.full_name}.{name}", syntax=table.syntax)(type(name, (Message,), rows | around))


def complete(entry: Any, field: Field) -> None:
    """Give an entry of a map the key and the value that it means if it lacks them."""
    key, value = field.key, field.value
    assert key is not None and value is not None
    if entry.key is None:
        entry.key = key.zero
    if entry.value is None:
        entry.value = value.type() if value.kind == "message" else value.zero


def learn_key(keys: dict[bytes, str], raw: bytes, value_tag: int) -> str | None:
    """The key in `raw`, if that is the tag of a string key, the key, and the tag of the value; else None.

    Few keys come again and again: those are remembered, up to a bound.
    """
    if raw[0] != KEY_TAG or raw[-1] != value_tag or raw[1] > 127:
        return None
    key = raw[2:-1].decode()
    if len(keys) < REMEMBERED_KEYS and len(raw) < REMEMBERED_KEY_SIZE:
        keys[raw] = key
    return key


def read_entry(
    field: Field, data: bytes, pos: int, end: int, depth: int, entries: Any, unknown: Any, at: int
) -> tuple[Any, dict[Any, Any] | None, list[Any] | None]:
    """Add the entry at data[pos:end] to the dict `entries`, which may be None still, and give its key too.

    An entry that holds unknown fields, or a number that a closed enum does not know, goes to the unknown fields as a
    whole, as in protobuf's C implementation: nothing of it is lost, and a reader with a newer table will find it.
    """
    entry = function(entry_class(field).__table__, "decode")(data, pos, end, depth - 1)
    if entry._unknown:
        return None, entries, add_span(unknown, at, end)
    if entries is None:
        entries = {}
    complete(entry, field)
    entries[entry.key] = entry.value
    return entry.key, entries, unknown
