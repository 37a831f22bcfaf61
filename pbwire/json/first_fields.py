"""Recognize the first members of an object in one step, if they are written as a printer writes them.

Printers write the members of a message sorted by field number, with a comma after each member, and at most one newline
and some spaces in front of the next one. Mostly the first fields of a class are scalars: `name` and `op` of a node. One
regular expression matches all of them, and the name of the next field or the closing brace. This takes half the time of
parsing one member after another.

The lowest field must be present, and other members are matched only in this order. Strings without escapes and
non-ASCII characters, names of enums, booleans, and integers other than zero are matched. The parser of the class
continues where the match ends.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ..codec.codegen import Source, code, local_name
from ..descriptor import KINDS, Field, Table
from .field_lookup import json_names
from .scalars import QUOTED

GAP = "\n? *"
TEXT = r'"([ !#-\[\]-\x7f]*)"'
NUMBER = "(-?[1-9][0-9]{0,18})"
VALUES = {"string": TEXT, "enum": TEXT, "bool": "(true|false)"}

STRING = "$target = $group\n"
BOOL = '$target = $group == "true"\n'
INTEGER = """
$target = int($group)
if not $low <= $target <= $high:
    raise Unusual
"""
ENUM = """
$target = $members($group)
if $target is None:
    raise Unusual
"""
OPTIONAL = """
if $group is not None:
    $read
"""


class FirstFields(NamedTuple):
    """Code for the first members.

    groups  names of the groups of the regular expression
    reads   code that reads the groups
    seen    code for the bits of the fields that are present
    next    the number of the field whose name the expression matches at the end; None if there is none
    """

    groups: str
    reads: str
    seen: str
    next: int | None


def first_fields(source: Source, table: Table) -> FirstFields | None:
    """Return the code for the first members of a class, and bind the regular expression.

    Return None if the lowest field is not scalar. Bits of `seen` are in the order of field numbers.
    """
    names = json_names(table)
    pattern, groups, reads, seen = "", [], "", "1"
    next = None
    following = ""
    for index, (number, field) in enumerate(sorted(table.by_number.items())):
        name = f'{GAP}"{re.escape(names[number])}": ?'
        value = _value_pattern(field)
        if value is None:
            if not index:
                return None
            next = number
            following = f",{name}()|"
            groups.append("is_next")
            break
        group = f"text_{field.name}"
        groups.append(group)
        if index:
            pattern += f"(?:,{name}{value}|)"
            reads += code(OPTIONAL, group=group, read=_read(source, field))
            seen += f" | ({group} is not None) << {index}"
        else:
            pattern = name + value
            reads = _read(source, field)
    if not groups:
        return None
    source.bind("first_fields", re.compile(rf"{pattern}(?:{following}({GAP}\}})|)").match)
    return FirstFields(", ".join([*groups, "is_closed"]), reads, seen, next)


def _value_pattern(field: Field) -> str | None:
    """Return the expression of a value of the field; None if it is not a scalar that is recognized."""
    if field.label != "singular" or field.oneof:
        return None
    if KINDS[field.kind].bounds and field.kind != "enum":
        return f'"{NUMBER}"' if field.kind in QUOTED else NUMBER
    return VALUES.get(field.kind)


def _read(source: Source, field: Field) -> str:
    """Return code that stores the value of a group."""
    parts: dict[str, Any] = {"target": local_name(field.slot), "group": f"text_{field.name}"}
    if field.kind == "string":
        return code(STRING, **parts)
    if field.kind == "bool":
        return code(BOOL, **parts)
    if field.kind == "enum":
        members = source.bind(f"members_{field.name}", dict(field.type.__json_members__).get)
        return code(ENUM, members=members, **parts)
    low, high = KINDS[field.kind].bounds or (0, 0)
    return code(INTEGER, low=str(low), high=str(high), **parts)
