"""Reads schema facts: messages and enums as plain rows, one per line, fields parted by tabs.

    message <tab> full name <tab> .proto file <tab> syntax [<tab> notes]
    field   <tab> number <tab> name <tab> type <tab> label <tab> notes
    enum    <tab> full name <tab> .proto file [<tab> notes]
    value   <tab> number <tab> name

A field or value belongs to the message or enum above it. Blank lines and lines that begin with `#` are skipped, and
trailing empty columns may be left out. A field's type is a scalar kind, a full type name, or `map<key,value>` of those;
its label is "repeated" or nothing. Notes are words separated by spaces, with shell quotes around a word with
spaces: `packed`, `optional`, `required`, `group`, `deprecated`, `oneof=NAME`, `default=VALUE` of a field, `closed` of
an enum, `reserved` and its ranges of a message. `packed` is always explicit, even if the syntax implies it.

`data/schema_facts.tsv` has the content of TensorFlow's own descriptors, `data/onnx_facts.tsv` that of ONNX's; tests of
other shapes have their own rows.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "ONNX_FACTS",
    "SCALARS",
    "SCHEMA_FACTS",
    "FactEnum",
    "FactField",
    "FactMessage",
    "FactValue",
    "Facts",
    "load",
    "parse",
]

SCHEMA_FACTS = Path(__file__).parents[1] / "data" / "schema_facts.tsv"
ONNX_FACTS = SCHEMA_FACTS.with_name("onnx_facts.tsv")

PYTHON_TYPES = {
    "double": "float",
    "float": "float",
    "bool": "bool",
    "string": "str",
    "bytes": "bytes",
    "int32": "int",
    "int64": "int",
    "uint32": "int",
    "uint64": "int",
    "sint32": "int",
    "sint64": "int",
    "fixed32": "int",
    "fixed64": "int",
    "sfixed32": "int",
    "sfixed64": "int",
}
SCALARS = frozenset(PYTHON_TYPES)


@dataclass(frozen=True)
class FactField:
    """A field. `type`, `label` and `notes` are as written; the properties interpret them."""

    number: int
    name: str
    type: str
    label: str = ""
    notes: tuple[str, ...] = ()

    @property
    def map_types(self) -> tuple[str, str] | None:
        """Key and value type of a map, else None."""
        match = re.fullmatch(r"map<([\w.]+),\s*([\w.]+)>", self.type)
        return (match[1], match[2]) if match else None

    @property
    def repeated(self) -> bool:
        """Declared `repeated`. A map is not."""
        return self.label == "repeated"

    @property
    def packed(self) -> bool:
        return "packed" in self.notes

    @property
    def optional(self) -> bool:
        """Declared `optional` in proto3. In proto2 every singular field is."""
        return "optional" in self.notes

    @property
    def required(self) -> bool:
        return "required" in self.notes

    @property
    def group(self) -> bool:
        return "group" in self.notes

    @property
    def deprecated(self) -> bool:
        return "deprecated" in self.notes

    @property
    def oneof(self) -> str | None:
        """The name of the field's oneof."""
        return self._note("oneof")

    @property
    def default(self) -> str | None:
        """The declared default in the notation of a .proto file, without quotes; None without a default."""
        return self._note("default")

    def _note(self, name: str) -> str | None:
        for note in self.notes:
            if note.startswith(f"{name}="):
                return note[len(name) + 1 :]
        return None


@dataclass(frozen=True)
class FactMessage:
    """A message. `notes` holds `reserved` and the words after it."""

    full_name: str
    file: str
    syntax: str
    fields: tuple[FactField, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class FactValue:
    """A value of an enum: its name and number."""

    number: int
    name: str


@dataclass(frozen=True)
class FactEnum:
    """An enum. Values keep the order of their declaration; the first is the default."""

    full_name: str
    file: str
    values: tuple[FactValue, ...] = ()
    closed: bool = False


@dataclass(frozen=True)
class Facts:
    """All messages and enums of a text, by full name."""

    messages: dict[str, FactMessage]
    enums: dict[str, FactEnum]

    def __iter__(self) -> Iterator[FactMessage | FactEnum]:
        yield from self.messages.values()
        yield from self.enums.values()

    def presence(self, field: FactField, syntax: str) -> bool:
        """Return whether a field has presence: whether absent differs from zero or empty."""
        if field.map_types or field.repeated:
            return False
        return syntax == "proto2" or field.optional or field.oneof is not None or field.type in self.messages

    def annotation(self, field: FactField, syntax: str, named: Callable[[str], str]) -> str:
        """The annotation that a field should have; `named` spells messages and enums, given their full names."""

        def python(name: str) -> str:
            return PYTHON_TYPES[name] if name in SCALARS else named(name)

        if field.map_types:
            return f"dict[{', '.join(map(python, field.map_types))}]"
        if field.repeated:
            return f"list[{python(field.type)}]"
        return python(field.type) + (" | None" if self.presence(field, syntax) else "")

    def files(self) -> dict[str, list[FactMessage | FactEnum]]:
        """Return the types that each .proto file declares, nested ones included."""
        files: dict[str, list[FactMessage | FactEnum]] = {}
        for fact in self:
            files.setdefault(fact.file, []).append(fact)
        return files


def parse(text: str) -> Facts:
    """Return the facts in `text`. Raises ValueError for a malformed line."""
    heads: list[tuple[list[str], list[list[str]]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        columns = line.split("\t")
        match columns[0]:
            case "message" | "enum":
                heads.append((columns, []))
            case "field" if heads and heads[-1][0][0] == "message":
                heads[-1][1].append(columns)
            case "value" if heads and heads[-1][0][0] == "enum":
                heads[-1][1].append(columns)
            case word:
                raise ValueError(f"line {number}: {word!r} is unknown or stands in the wrong place")

    facts = Facts({}, {})
    for (what, full_name, file, *fields), rows in heads:
        if full_name in facts.messages or full_name in facts.enums:
            raise ValueError(f"{full_name} is declared twice")
        if what == "message":
            syntax, notes = fields[0], _notes(fields[1:])
            facts.messages[full_name] = FactMessage(full_name, file, syntax, tuple(map(_field, rows)), notes)
        else:
            values = tuple(FactValue(int(row[1]), row[2]) for row in rows)
            facts.enums[full_name] = FactEnum(full_name, file, values, closed="closed" in _notes(fields))
    return facts


def load(path: Path = SCHEMA_FACTS) -> Facts:
    """Return the facts of a file, by default TensorFlow's."""
    return parse(path.read_text(encoding="utf-8"))


def _field(columns: list[str]) -> FactField:
    _, number, name, type_, label, notes = [*columns, "", ""][:6]
    return FactField(int(number), name, type_, label, _notes([notes]))


def _notes(columns: list[str]) -> tuple[str, ...]:
    return tuple(shlex.split(" ".join(columns)))
