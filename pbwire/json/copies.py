"""Generate functions that copy a new message many times.

    copy_many(message, count) -> list of messages

returns copies that share no list, map or message with the original or with each other, except for members of oneofs
that are shared until they are read. All copies are made together, one slot after another, so that every decision about
the content of the message is made only once. For more than a few copies, this takes less than half the time of copying
them one by one.

The message must be new: made by a parser and not used yet. So it is decoded, and its values are of the right types.
"""

from __future__ import annotations

from itertools import repeat

from ..codec.codegen import Source, code, local_name
from ..codec.map_decoder import shared_member
from ..descriptor import Field, Table

__all__ = ["write"]

MIN_SHARED = 8  # copies: fewer are made faster than the member that they would share

COPY_MANY = """
def copy_many(message, count):
    copies = list(map(new, repeat(cls, count)))
    $loads
    $share
    for copied in copies:
        $stores
    $fields
    return copies
"""
COPY_ONE_BY_ONE = """
def copy_many(message, count):
    return list(map(copy_one, repeat(message, count)))
"""
MESSAGE = """
if $is_set:
    for copied, value in zip(copies, $copy_many($value, count)):
        copied.$slot = value
"""
# Copies share the member until it is read: see `pbwire.lazy.shared`.
SHARED_MEMBER = """
shared = shared_member($value) if $case in $messages and count >= MIN_SHARED else None
if shared is not None:
    $value = shared
    for copied in copies:
        $stores
    return copies
"""
LIST = """
if $value is not None:
    for copied in copies:
        copied.$slot = [*$value]
"""
MESSAGES = """
if $value is not None:
    for copied in copies:
        copied.$slot = []
    for item in $value:
        for copied, value in zip(copies, $copy_many(item, count)):
            copied.$slot.append(value)
"""
MAP = """
if $value is not None:
    for copied in copies:
        copied.$slot = {**$value}
"""
MAP_OF_MESSAGES = """
if $value is not None:
    for copied in copies:
        copied.$slot = {}
    for key, item in $value.items():
        for copied, value in zip(copies, $copy_many(item, count)):
            copied.$slot[key] = value
"""


def write(source: Source, table: Table, what: str) -> None:
    """Write the function "copy_many" of a class."""
    source.names.update(new=object.__new__, cls=table.cls, repeat=repeat)
    if table.is_extendable:
        source.call("copy", table, "one")
        source.text = code(COPY_ONE_BY_ONE)
        return
    slots = [*table.slots, "_unknown"]
    stores = "".join(f"copied.{slot} = {local_name(slot)}\n" for slot in slots)
    share = ""
    if table.is_one_oneof and not table.has_required_fields:
        source.names.update(MIN_SHARED=MIN_SHARED, shared_member=shared_member)
        messages = source.bind("messages", frozenset(field.number for field in table.fields if field.is_message))
        value, case = local_name(table.fields[0].slot), local_name(table.fields[0].case_slot)
        share = code(SHARED_MEMBER, messages=messages, stores=stores, value=value, case=case)
    source.text = code(
        COPY_MANY,
        loads="".join(f"{local_name(slot)} = message.{slot}\n" for slot in slots),
        share=share,
        stores=stores,
        fields="".join(_field(source, field) for field in table.fields),
    )


def _field(source: Source, field: Field) -> str:
    """Return the code for a field whose value the copies must not share."""
    part = field.value or field
    parts = {"slot": field.slot, "value": local_name(field.slot)}
    if part.is_message:
        parts["copy_many"] = source.call("copy_many", part.type.__table__, field.name)
        if field.label == "singular":
            value = local_name(field.slot)
            is_set = f"{local_name(field.case_slot)} == {field.number}" if field.oneof else f"{value} is not None"
            return code(MESSAGE, is_set=is_set, **parts)
        return code(MAP_OF_MESSAGES if field.key else MESSAGES, **parts)
    if field.label == "singular":
        return ""
    return code(MAP if field.key else LIST, **parts)
