"""Generate the fast JSON parser of a message class, which creates messages directly from the text.

    parse_json(parser, pos, depth) -> (message, position after it)

parses the object whose opening brace is in front of `pos`. Python's scanner, which is written in C, parses the values
of scalar fields, and `parser` converts them as it does for a document. Objects that are messages become no dict.

Names of members are recognized together with the punctuation and the whitespace around them. `elements` parses lists
and maps of messages.

The parser accepts only valid input. It raises `Unusual` for all other input, and for some forms that rarely occur, such
as names with escapes. Then the whole text is parsed again as a document: see `entry_points`. So all errors are found
and explained there.
"""

from __future__ import annotations

import re
from typing import Any

from ..codec.codegen import Source, branches, code, default_assignments, function, local_name
from ..descriptor import Field, Table, table_of
from ..errors import JsonError
from . import scalars
from .elements import MAX_REMEMBERED, Parser, Unusual, parse_list, parse_map, scan, skip_null, skip_whitespace
from .field_lookup import SPECIAL, FieldNames
from .parser import FieldWriter, takes_null

__all__ = ["parse", "write"]

PARSER = """
def parse_json(parser, pos, depth):
    if depth < 1:
        raise Unusual
    text, find$options = parser.text, parser.find$get_options
    seen = 0
    others = None
    $oneofs
    $defaults
    to_name, from_name, closing = layout[0]
    end = find('"', pos + to_name) + from_name
    number = find_first(text[pos:end])
    if number is not None:
        pos = end
        is_open = True
    else:
        match = first_member(text, pos)
        if match is None:
            raise Unusual
        name = match[1]
        is_open = name is not None
        if is_open:
            number = find_number(name)
            to_name, from_name = match.start(1) - pos, match.end() - match.end(1)
            layout[0] = to_name, from_name, closing
            if number is not None:
                learn_name(first, text[pos : match.end()], number)
        pos = match.end()
    while is_open:
        if number is None:
            number = 0
            others = skip_name(parser.options, name, others)
            value, pos = scan(text, pos)
        $fields
        if text[pos] == ",":
            end = find('"', pos + to_name + 1) + from_name
            number = find_next(text[pos:end])
            if number is not None:
                pos = end
                continue
        elif text.startswith(closing, pos):
            pos += len(closing)
            break
        match = next_member(text, pos)
        if match is None:
            raise Unusual
        name = match[1]
        if name is None:
            layout[0] = to_name, from_name, match[0]
            pos = match.end()
            break
        number = find_number(name)
        if number is not None:
            learn_name(next, match[0], number)
        pos = match.end()
    message = new(cls)
    message._unknown = b''
    $stores
    return message, pos
"""
ONCE = """
if seen & $bit:
    raise Unusual
seen |= $bit
$read
"""
SCALAR = """
value, pos = scan(text, pos)
if value is not None:
    $read
"""
MAYBE_NULL = """
value, pos = scan(text, pos)
$read
"""
MESSAGE = """
if text[pos] == "{":
    $read
else:
    pos = skip_null(text, pos)
"""
STRINGS = """
value, pos = scan(text, pos)
if value is not None:
    if value.__class__ is not list or not are_ascii(value):
        value = $read(expect_list(value))
    $target = value
"""
MEMBER = """
if $set:
    raise Unusual
$set = number
$read
"""

MIN_TEXT_LENGTH = 1 << 18  # characters: shorter texts are parsed faster as documents
MAX_NAME_LENGTH = 128  # characters of a name and the whitespace in front of it

_STRING = r'"([^"\\\x00-\x1f]*)"'
_member = rf"{_STRING}[ \t\n\r]*:[ \t\n\r]*|\}})"
first_member = re.compile(rf"[ \t\n\r]*(?:{_member}").match
next_member = re.compile(rf"[ \t\n\r]*(?:,[ \t\n\r]*{_member}").match

UNKNOWN_LAYOUT = (1, 3, "?")
"""The layout of an object: the number of characters between the opening brace and the first name, the number of
characters between a name and its value, and the text of the end. The next object of a class probably has the same one.
"""


NOT_PARSED = (Unusual, JsonError, ValueError, StopIteration, IndexError, RecursionError, MemoryError)
"""Exceptions that the parser raises for invalid and unusual input.

JSONDecodeError is a ValueError. The scanner raises StopIteration at the position of an invalid value. Characters behind
the end of the text raise IndexError.
"""


def parse(text: str, cls: type, options: scalars.ParseOptions, *, min_length: int = MIN_TEXT_LENGTH) -> Any:
    """Return the message of a text; None if the text must be parsed as a document: also if it is short."""
    table = table_of(cls)
    if len(text) < min_length or not _is_plain(table):
        return None
    try:
        start = skip_whitespace(text).end()
        if text[start] != "{":
            return None
        parser = Parser(text, options)
        message, end = function(table, "parse_json")(parser, start + 1, options.max_depth)
        if skip_whitespace(text, end).end() < len(text):
            return None
        parser.copy_entries()
        return message
    except NOT_PARSED:
        return None


def _is_plain(table: Table) -> bool:
    """Return whether the JSON of a class is an object of its fields, without extensions."""
    return table.full_name not in SPECIAL and not table.is_extendable


# --- called by the generated code ------------------------------------------------------------------------------------


def are_ascii(values: list[Any]) -> bool:
    """Return whether all values of a document's list are ASCII strings."""
    try:
        return "".join(values).isascii()
    except TypeError:
        return False


def skip_name(options: scalars.ParseOptions, name: str, others: set[str] | None) -> set[str]:
    """Return the names of unknown members of an object, with `name` added."""
    others = set() if others is None else others
    if not options.ignore_unknown or name in others:
        raise Unusual
    others.add(name)
    return others


def learn_name(punctuated: dict[str, int], text: str, number: int) -> None:
    """Remember that `text`, a name with the punctuation around it, stands for the field with this number."""
    if len(text) <= MAX_NAME_LENGTH and len(punctuated) < MAX_REMEMBERED:
        punctuated[text] = number


_STRINGS = scalars.list_reader(Field(1, "string", "repeated"))

# --- code generation -------------------------------------------------------------------------------------------------


def write(source: Source, table: Table, what: str) -> None:
    """Write the function "parse_json" of a class."""
    source.text = _Writer(source, table).parser()


class _Writer(FieldWriter):
    def parser(self) -> str:
        names = FieldNames(self.table)
        first: dict[str, int] = {}
        next: dict[str, int] = {}
        self.source.names.update(
            Unusual=Unusual,
            are_ascii=are_ascii,
            names=names,
            find_number=(names.originals | names.numbers).get,
            find_first=first.get,
            find_next=next.get,
            first=first,
            first_member=first_member,
            layout=[UNKNOWN_LAYOUT],
            learn_name=learn_name,
            next=next,
            next_member=next_member,
            parse_list=parse_list,
            parse_map=parse_map,
            scan=scan,
            skip_name=skip_name,
            skip_null=skip_null,
        )
        slots = self.table.slots
        fields = [
            (number, code(ONCE, bit=str(1 << index), read=self._once(field)))
            for index, (number, field) in enumerate(sorted(self.table.by_number.items()))
        ]
        text = "".join(body for _, body in fields)
        uses_options = "options" in text
        return code(
            PARSER,
            options=", options" if uses_options else "",
            get_options=", parser.options" if uses_options else "",
            oneofs="".join(f"set_{oneof} = 0\n" for oneof in self.table.oneofs),
            defaults=default_assignments(self.source, slots) or "pass",
            fields=branches("number", fields) if fields else "",
            stores="".join(f"message.{slot} = {local_name(slot)}\n" for slot in slots),
        )

    def _once(self, field: Field) -> str:
        """Return code that parses the value of a field at `pos`, and stores it."""
        part = field.value or field
        if field.label == "repeated" and field.kind == "string":
            read = self.bind(f"read_{field.name}", _STRINGS)
            return code(STRINGS, target=local_name(field.slot), read=read)
        if not part.is_message or not _is_plain(part.type.__table__):
            return code(MAYBE_NULL if takes_null(field) else SCALAR, read=self.field(field))
        parse = self.source.call("parse_json", part.type.__table__, field.name)
        if field.label == "singular":
            keep = f"value, pos = {parse}(parser, pos + 1, depth - 1)\n{self.store(field)}"
            if field.oneof:
                keep = code(MEMBER, set=f"set_{field.oneof}", read=keep)
            return code(MESSAGE, read=keep)
        read = self.source.call("read_json", part.type.__table__, field.name)
        field_name = self.bind(f"field_{field.name}", field)
        if field.key is None:
            copy = self.source.call("copy", part.type.__table__, field.name)
            arguments = f"{field_name}, {parse}, {read}, {copy}"
            return f"{local_name(field.slot)}, pos = parse_list(parser, pos, depth, {arguments})\n"
        read_key = None if field.key.kind == "string" else scalars.KEYS[field.key.kind]
        key_name = self.bind(f"read_key_{field.name}", read_key)
        arguments = f"{field_name}, {key_name}, {parse}, {read}"
        return f"{local_name(field.slot)}, pos = parse_map(parser, pos, depth, {arguments})\n"
