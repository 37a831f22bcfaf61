"""How parsers of text format parse the values of a field, and where they store them.

Long lists of numbers or strings in the usual form are parsed in one step:

    float_val: 0.5        and       [0.5, 1.25]
    float_val: 1.25

Weights are printed in this form by the million. One regular expression finds the end of such a run, and functions of
Python that are written in C split it. This is ten times as fast as parsing value by value. Values in other forms, such
as octal numbers, do not belong to a run and are parsed one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from ..descriptor import Field, Table
from ..kept import kept
from ..table import entry_class
from .lexer import BLANK
from .scalars import TEXT_KINDS, word_reader

# Where a value is stored:
#   APPEND   a scalar, in a list
#   SET      a scalar other than a float, in a field that is absent while it is zero
#   FLOAT    a float, in a field that is absent while it is 0.0
#   MEMBER   a scalar, in a member of a oneof
#   PRESENT  a scalar, in a field that is absent while it is None
#   MANY     a message, in a list
#   ENTRY    an entry, in a map
#   ONE      a message, in a singular field
APPEND, SET, MEMBER, PRESENT, MANY, ENTRY, ONE, FLOAT = range(1, 9)


class FieldReader:
    """A field of a class.

    shown_name      the name in errors
    place           the kind of place where values are stored, such as APPEND
    read            the function that parses a word; None if values are not words
    text, binary    True if values are string literals, for a field of strings or of bytes
    target          the table of the message in brackets; for a map, this is an entry. None for scalars
    values          the table of a map's values if they are messages
    has_names       True if the keys of a map are strings
    runs            the parser of long lists of scalars
    """

    __slots__ = (
        "binary",
        "case_slot",
        "field",
        "has_names",
        "name",
        "number",
        "place",
        "read",
        "repeated",
        "runs",
        "shown_name",
        "slot",
        "target",
        "text",
        "values",
    )

    def __init__(self, field: Field) -> None:
        self.field = field
        self.name, self.number, self.slot = field.name, field.number, field.slot
        self.shown_name = field.shown_name
        self.case_slot = field.case_slot if field.oneof else ""
        self.repeated = field.label != "singular"
        self.has_names = field.key is not None and field.key.kind == "string"
        self.text, self.binary = field.kind == "string", field.kind == "bytes"
        self.read: Callable[[str], Any] | None = None
        self.target: Table | None = None
        self.values: Table | None = None
        self.runs: Runs | None = None
        if field.value is not None:
            self.place, self.target = ENTRY, entry_class(field).__table__
            self.values = field.value.type.__table__ if field.value.is_message else None
        elif field.is_message:
            self.place, self.target = MANY if self.repeated else ONE, field.type.__table__
        else:
            self.read = word_reader(field)
            self.runs = make_runs(field) if self.repeated else None
            self.place = APPEND if self.repeated else MEMBER if field.oneof else PRESENT if field.presence else SET
            if self.place == SET and field.is_float:
                self.place = FLOAT


@kept
def field_readers(table: Table) -> dict[str, FieldReader]:
    """Return the fields of a class by their names in text. A group of proto2 also has the name of its type."""
    rows = {field.text_name: FieldReader(field) for field in table.fields}
    for field in table.fields:
        if field.group_name:
            rows[field.group_name] = rows[field.text_name]
    return rows


class Runs:
    """Parses runs of values of one repeated field."""

    __slots__ = ("_head", "_read", "_value")

    def __init__(self, name: str, value: str, read: Callable[[list[str]], list[Any]]) -> None:
        self._head = re.compile(rf"[ \t]*+{name}[ \t]*+:[ \t]*+").match
        self._value = value
        self._read = read

    def parse_lines(self, text: str, pos: int) -> tuple[list[Any], int]:
        """Return the values of consecutive lines in the usual form, from `pos` on, and the position after them."""
        head = self._head(text, pos)
        match = head and re.compile(rf"(?:{re.escape(head[0])}{self._value}\n|(?!))++").match(text, pos)
        if not (head and match):
            return [], pos
        try:
            return self._read(match[0][len(head[0]) : -1].split(f"\n{head[0]}")), match.end()
        except OverflowError:
            return [], pos

    def parse_list(self, text: str, pos: int) -> tuple[list[Any], int]:
        """Return the values of the list in brackets at `pos`, and its end. If it is not a run, return no values."""
        match = _list_of(self._value)(text, pos)
        if match is None:
            return [], pos
        try:
            return self._read(_values(self._value)(match[1])), match.end()
        except OverflowError:
            return [], pos


@cache
def _values(value: str) -> Callable[[str], list[str]]:
    return re.compile(value).findall


@cache
def _list_of(value: str) -> Callable[[str, int], re.Match[str] | None]:
    one = rf"{BLANK}{value}{BLANK}"
    return re.compile(rf"\[({one}(?:,{one}|(?!))*+)\]").match


def make_runs(field: Field) -> Runs | None:
    """Return the parser of runs of a repeated field; None for kinds without long lists."""
    run = TEXT_KINDS[field.kind].run
    return Runs(re.escape(field.text_name), *run) if run else None
