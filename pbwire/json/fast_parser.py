"""Generate the fast JSON parser of a message class, which creates messages directly from the text.

    parse_json(parser, pos, depth) -> (message, position after it)

parses the object whose opening brace is in front of `pos`. Python's scanner, which is written in C, parses the values
of scalar fields, and `parser` converts them as it does for a document. Objects that are messages become no dict.

The first members are mostly recognized in one step: see `first_fields`. For each other member, the text that
followed the last time is expected: a name with the punctuation and the whitespace around it, or the end of the object.
`elements` parses lists and maps of messages.

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
from .elements import Parser, Unusual, parse_list, parse_map, scan, skip_null, skip_whitespace
from .field_lookup import SPECIAL, FieldNames
from .first_fields import first_fields
from .parser import FieldWriter, takes_null

PARSER = """
def parse_json(parser, pos, depth):
    if depth < 1:
        raise Unusual
    text, startswith$options = parser.text, parser.startswith$get_options
    seen = 0
    others = None
    number = START
    $oneofs
    $defaults
    $first_fields
    while number != END:
        $fields
        expected, length, following = follow[number]
        if startswith(expected, pos):
            pos += length
            number = following
            continue
        match = (first_member if number == START else next_member)(text, pos)
        if match is None:
            raise Unusual
        pos = match.end()
        previous, number = number, find_number(match[1])
        if number is None:
            others = skip_name(parser.options, match[1], others)
            value, pos = scan(text, pos)
            number = UNKNOWN
        $else:
            expect(follow, previous, match[0], text[pos : pos + 1], number)
    message = new(cls)
    message._unknown = b''
    $stores
    return message, pos
"""
FIRST_FIELDS = """
match = first_fields(text, pos)
if match is not None:
    $groups = match.groups()
    pos = match.end()
    $reads
    if is_closed is None:
        seen = $seen
        number = $next
    else:
        number = END
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
    if value.__class__ is not list:
        raise Unusual
    try:
        is_ascii = "".join(value).isascii()
    except TypeError:
        raise Unusual from None
    $target = value if is_ascii else $read(value)
"""
KNOWN_MAP = """
memory = parser.memories.get(($field, depth - 1)) or parser.memory($field, depth - 1)
for known, length, $target, parsed, uses in memory.similar.get($hint, ()):
    if startswith(known, pos):
        uses.append(1)
        pos += length
        break
else:
    $target, pos = parse_map(parser, pos, depth - 1, $arguments)
"""
MEMBER = """
if $set:
    raise Unusual
$set = number
$read
"""

MIN_TEXT_LENGTH = 1 << 18  # characters: shorter texts are parsed faster as documents
MAX_NAME_LENGTH = 128  # characters of a name and the whitespace around it, if it is expected again

_STRING = r'"([^"\\\x00-\x1f]*)"'
_member = rf"{_STRING}[ \t\n\r]*:[ \t\n\r]*|\}})"
first_member = re.compile(rf"[ \t\n\r]*(?:{_member}").match
next_member = re.compile(rf"[ \t\n\r]*(?:,[ \t\n\r]*{_member}").match

# The state of a parser is the number of the last field, or one of these.
START = -1  # no member was parsed yet
UNKNOWN = -2  # the last member may be any one
END = 0  # of the object

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
        parser.share_members()
        return message
    except NOT_PARSED:
        return None


def _is_plain(table: Table) -> bool:
    """Return whether the JSON of a class is an object of its fields, without extensions."""
    return table.full_name not in SPECIAL and not table.is_extendable


# --- called by the generated code ------------------------------------------------------------------------------------


def skip_name(options: scalars.ParseOptions, name: str, others: set[str] | None) -> set[str]:
    """Return the names of unknown members of an object, with `name` added."""
    others = set() if others is None else others
    if not options.ignore_unknown or name in others:
        raise Unusual
    others.add(name)
    return others


def expect(follow: dict[int, tuple[str, int, int]], previous: int, text: str, value: str, number: int) -> None:
    """Expect a name, with the punctuation and the whitespace around it, or an end, after the field `previous`.

    `value` is the character after it. It is expected too if it is the same for all values of the field. So a text that
    has more whitespace there is not mistaken for this one.
    """
    if len(text) > MAX_NAME_LENGTH:
        return
    if number == END:
        follow[previous] = text, len(text), END
    elif value in ('"', "{", "["):
        follow[previous] = text + value, len(text), number
    elif not text.endswith(":"):
        follow[previous] = text, len(text), number


_STRINGS = scalars.list_reader(Field(1, "string", "repeated"))

# --- code generation -------------------------------------------------------------------------------------------------


def write(source: Source, table: Table, what: str) -> None:
    """Write the function "parse_json" of a class."""
    source.text = _Writer(source, table).parser()


class _Writer(FieldWriter):
    def parser(self) -> str:
        names = FieldNames(self.table)
        self.source.names.update(
            END=END,
            START=START,
            UNKNOWN=UNKNOWN,
            Unusual=Unusual,
            find_number=(names.originals | names.numbers | {None: END}).get,
            first_member=first_member,
            expect=expect,
            follow=dict.fromkeys((START, UNKNOWN, *self.table.by_number), ("}", 1, END)),
            names=names,
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
        uses_options = any("options" in body for _, body in fields)
        return code(
            PARSER,
            options=", options" if uses_options else "",
            get_options=", parser.options" if uses_options else "",
            oneofs="".join(f"set_{oneof} = 0\n" for oneof in self.table.oneofs),
            defaults=default_assignments(self.source, slots),
            first_fields=self._first_fields(),
            # The member of a oneof is not expected to be the same one as in the last message.
            **{"else": "elif previous != START" if self.table.is_one_oneof else "else"},
            fields=branches("number", fields) if fields else "",
            stores="".join(f"message.{slot} = {local_name(slot)}\n" for slot in slots),
        )

    def _first_fields(self) -> str:
        """Return code that parses the first members in one step, if the first fields of the class are scalar."""
        fields = first_fields(self.source, self.table)
        if fields is None:
            return ""
        next = "UNKNOWN" if fields.next is None else f"UNKNOWN if is_next is None else {fields.next}"
        return code(FIRST_FIELDS, groups=fields.groups, reads=fields.reads, seen=fields.seen, next=next)

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
        if field.key is None:
            return f"{local_name(field.slot)}, pos = parse_list(parser, pos, depth - 1, {parse})\n"
        field_name = self.bind(f"field_{field.name}", field)
        read_key = None if field.key.kind == "string" else scalars.KEYS[field.key.kind]
        key_name = self.bind(f"read_key_{field.name}", read_key)
        read = self.source.call("read_json", part.type.__table__, field.name)
        hint = self._hint()
        arguments = f"memory, {hint}, {key_name}, {parse}, {read}"
        return code(KNOWN_MAP, field=field_name, hint=hint, target=local_name(field.slot), arguments=arguments)

    def _hint(self) -> str:
        """Return code for a value that tells which maps of this class are probably similar.

        The first string is mostly a name, which differs; the second one may be a type.
        """
        strings = [field for field in self.table.fields if field.kind == "string" and field.label == "singular"]
        names = [local_name(field.slot) for field in strings if not field.oneof]
        return names[min(1, len(names) - 1)] if names else "None"
