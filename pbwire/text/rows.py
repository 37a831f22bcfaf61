"""What a parser knows of a field: how its values are spelled, and where in a message they go."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from ..fields import Field, Table
from ..unknown import entry_class
from .runs import Runs, runs_of
from .values import word_reader

__all__ = ["APPEND", "ENTRY", "MANY", "MEMBER", "ONE", "PRESENT", "SET", "Row", "rows_of"]

# Where a value goes. A scalar goes to a list, or to a field that is absent while it is zero, while it is not the set
# member of its oneof, or while it is None; a message to a list, a map, or a field or oneof.
APPEND, SET, MEMBER, PRESENT, MANY, ENTRY, ONE = range(1, 8)


class Row:
    """One field of a class.

    `read` is the function that reads a word, `text` and `binary` say that values are literals. Of messages there is
    neither, and `target` is the table of what stands in brackets: of a map's entries, for a map. `values` is the table
    of its values if they are messages, and `has_names` says that its keys are strings. `runs` reads long lists of
    scalars.
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
        "slot",
        "target",
        "text",
        "values",
    )

    def __init__(self, field: Field) -> None:
        self.field = field
        self.name, self.number, self.slot = field.name, field.number, field.slot
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
            self.values = field.value.type.__table__ if field.value.kind == "message" else None
        elif field.kind in ("message", "group"):
            self.place, self.target = MANY if self.repeated else ONE, field.type.__table__
        else:
            self.read = word_reader(field)
            self.runs = runs_of(field) if self.repeated else None
            self.place = APPEND if self.repeated else MEMBER if field.oneof else PRESENT if field.presence else SET


@cache
def rows_of(table: Table) -> dict[str, Row]:
    """The fields of a class by the names that text has for them; a group is called by its type too."""
    rows = {field.text_name: Row(field) for field in table.fields}
    for field in table.fields:
        if field.kind == "group":
            rows[field.type.__table__.full_name.rpartition(".")[2]] = rows[field.text_name]
    return rows
