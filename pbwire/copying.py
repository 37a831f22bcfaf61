"""Writes the function that copies a message of a class.

    copy(message) -> message

gives a message of its own, all the way down, of one whose every part is decoded. It costs about half of decoding the
same once more.
"""

from __future__ import annotations

from itertools import groupby

from .compiling import Source, code
from .fields import Field, Table

__all__ = ["write"]

COPY = """
def copy(message):
    copied = new(cls)
    $fields
    copied._unknown = message._unknown
    return copied
"""
SCALAR = """
copied.$slot = message.$slot
"""
MESSAGE = """
value = message.$slot
copied.$slot = value if value is None else $copy(value)
"""
LIST = """
value = message.$slot
copied.$slot = value if value is None else $copied
"""
ONEOF = """
copied.$case_slot = case = message.$case_slot
value = message.$slot
$members
copied.$slot = value
"""
MEMBER = """
if case == $number:
    value = $copy(value)
"""


def write(source: Source, table: Table, what: str) -> None:
    """Write the function "copy" of a class."""
    source.names.update(new=object.__new__, cls=table.cls)
    text = ""
    for oneof, group in groupby(sorted(table.fields, key=lambda field: field.oneof or ""), lambda field: field.oneof):
        members = list(group)
        text += _oneof(source, members) if oneof else "".join(_field(source, field) for field in members)
    source.text = code(COPY, fields=text)


def _oneof(source: Source, members: list[Field]) -> str:
    messages = [field for field in members if _is_message(field)]
    copies = [code(MEMBER, number=str(field.number), copy=_copy_of(source, field, field.name)) for field in messages]
    return code(ONEOF, slot=members[0].slot, case_slot=members[0].case_slot, members="el".join(copies))


def _field(source: Source, field: Field) -> str:
    part = field.value or field
    if not _is_message(part):
        return code(SCALAR if field.label == "singular" else LIST, slot=field.slot, copied="value.copy()")
    copy = _copy_of(source, part, field.name)
    if field.label == "singular":
        return code(MESSAGE, slot=field.slot, copy=copy)
    if field.label == "repeated":
        return code(LIST, slot=field.slot, copied=f"[{copy}(item) for item in value]")
    return code(LIST, slot=field.slot, copied=f"{{key: {copy}(item) for key, item in value.items()}}")


def _is_message(field: Field) -> bool:
    return field.kind in ("message", "group")


def _copy_of(source: Source, field: Field, hint: str) -> str:
    return source.call("copy", field.type.__table__, hint)
