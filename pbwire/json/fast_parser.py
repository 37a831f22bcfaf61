"""Generate the fast JSON parser of a message class, which creates messages directly from the text.

    parse_json(parser, pos, depth) -> (message, position after it)

parses the object whose opening brace is in front of `pos`. Python's scanner, which is written in C, parses the values
of scalar fields, and `parser` converts them as it does for a document. Objects that are messages become no dict.

JSON of protobuf repeats itself: a graph has thousands of attributes such as `"T": {"type": "DT_FLOAT"}`. So the parser
remembers, in one call, the text of elements of lists, of entries of maps and of whole maps, and copies the messages if
the text occurs again. Text that was parsed exactly to its end has the same meaning everywhere in this field. The end of
a new element is not known, but mostly it is a closing brace with the indentation of the element. In text without line
breaks, each closing brace may be the end: a text is tried up to the next closing brace while a remembered element
begins with it. Names of members are recognized together with the punctuation and the whitespace around them.

Messages in maps are copied at the end of the call, all copies of a message together: see `copies`.

The parser accepts only valid input. It raises `Unusual` for all other input, and for some forms that rarely occur, such
as names with escapes. Then the whole text is parsed again as a document: see `entry_points`. So all errors are found
and explained there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NoReturn

from ..codec.codegen import Source, branches, code, default_assignments, function, local_name
from ..codec.hash_flooding import MIN_WATCHED_ENTRIES
from ..descriptor import Field, Table, table_of
from ..errors import JsonError
from . import scalars
from .field_lookup import SPECIAL, FieldNames, watch_key
from .parser import FieldWriter, takes_null

__all__ = ["Unusual", "parse", "write"]

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

MAX_REMEMBERED = 4096  # elements of one field, names of one class
MAX_ELEMENT_LENGTH = 2048  # characters of an element that is remembered
MAX_NAME_LENGTH = 128  # characters of a name and the whitespace in front of it
MIN_COPIES = 4  # copies of a message that are made together
MAX_CLOSED = 16  # closing braces of an element that is remembered
MAX_MISSES = 64  # elements of a list that are all different, after which no others are remembered

_STRING = r'"([^"\\\x00-\x1f]*)"'
_member = rf"{_STRING}[ \t\n\r]*:[ \t\n\r]*|\}})"
first_member = re.compile(rf"[ \t\n\r]*(?:{_member}").match
next_member = re.compile(rf"[ \t\n\r]*(?:,[ \t\n\r]*{_member}").match
skip_whitespace = re.compile(r"[ \t\n\r]*").match
find_value = re.compile(r"[ \t\n\r]*:[ \t\n\r]*\{").match

BEGINNING = object()
UNKNOWN_LAYOUT = (1, 3, "?")
"""The layout of an object: the number of characters between the opening brace and the first name, the number of
characters between a name and its value, and the text of the end. The next object of a class probably has the same one.
"""


class Unusual(Exception):
    """Input that is invalid or too unusual for the fast parser."""


NOT_PARSED = (Unusual, JsonError, ValueError, StopIteration, IndexError, RecursionError, MemoryError)
"""Exceptions that the parser raises for invalid and unusual input.

JSONDecodeError is a ValueError. The scanner raises StopIteration at the position of an invalid value. Characters behind
the end of the text raise IndexError.
"""


def parse(text: str, cls: type, options: scalars.ParseOptions) -> Any:
    """Return the message of a text; None if the text must be parsed as a document."""
    table = table_of(cls)
    if not _is_plain(table):
        return None
    try:
        start = skip_whitespace(text).end()  # type: ignore[union-attr]  # it matches everywhere
        if text[start] != "{":
            return None
        parser = Parser(text, options)
        message, end = function(table, "parse_json")(parser, start + 1, options.max_depth)
        if skip_whitespace(text, end).end() < len(text):  # type: ignore[union-attr]
            return None
        parser.copy_entries()
        return message
    except NOT_PARSED:
        return None


def _is_plain(table: Table) -> bool:
    """Return whether the JSON of a class is an object of its fields, without extensions."""
    return table.full_name not in SPECIAL and not table.is_extendable


class Parser:
    """The text, the options, and the elements that are remembered, by field."""

    __slots__ = ("find", "memories", "options", "text")

    def __init__(self, text: str, options: scalars.ParseOptions) -> None:
        self.text = text
        self.find = text.find
        self.options = options
        self.memories: dict[Field, Memory] = {}

    def copy_entries(self) -> None:
        """Replace the messages that several maps hold by copies."""
        for field, memory in self.memories.items():
            if memory.entries:
                memory.copy_entries((field.value or field).type.__table__)

    def open(self, pos: int, field: Field) -> tuple[int, Memory]:
        """Skip the opening bracket of a list or a map and the whitespace after it.

        Return the position and the memory of the field.
        """
        memory = self.memories.get(field)
        if memory is None:
            memory = self.memories[field] = Memory(self)
        opening = memory.opening
        if not self.text.startswith(opening, pos):
            after = skip_whitespace(self.text, pos + 1).end()  # type: ignore[union-attr]  # it matches everywhere
            memory.opening = opening = self.text[pos:after]
            memory.close = self.text[pos + 1 : after] + "}"
        return pos + len(opening), memory


class Memory:
    """The elements of a field that are remembered, and the layout of the last list or map.

    An element is a tuple: the nesting that was allowed when it was parsed, the message, the key of an entry, and the
    maps that have the same entry. These maps hold the message itself, until `copy_entries` replaces it by copies.

    elements   elements by text, and BEGINNING for the beginning of an element, up to a closing brace
    maps       maps by text: the nesting that was allowed, the map, its elements, and the maps that are equal to it
    opening    the opening bracket and the whitespace in front of the first element
    close      this whitespace and a closing brace
    closing    the whitespace behind the last entry of a map, and the closing brace
    """

    __slots__ = ("close", "closing", "elements", "entries", "maps", "opening", "parser")

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.elements: dict[str, Any] = {}
        self.maps: dict[str, Any] = {}
        self.entries: list[Any] = []
        self.opening = self.close = self.closing = "?"

    def remember(self, pos: int, end: int, close: str, element: Any) -> None:
        """Remember the element at text[pos:end]."""
        if end - pos > MAX_ELEMENT_LENGTH or len(self.elements) > MAX_REMEMBERED:
            return
        text, find = self.parser.text, self.parser.find
        width = len(close)
        beginnings: list[str] = []
        closed = find(close, pos, end) + width
        while width <= closed < end and len(beginnings) < MAX_CLOSED:
            beginnings.append(text[pos:closed])
            closed = find(close, closed, end) + width
        if closed == end:
            for beginning in beginnings:
                self.elements[beginning] = BEGINNING
            self.elements[text[pos:end]] = element

    def remember_map(self, pos: int, end: int, record: Any) -> None:
        """Remember the map at text[pos:end]. In text without line breaks, only its elements are remembered."""
        if len(self.closing) > 1 and end - pos <= MAX_ELEMENT_LENGTH and len(self.maps) < MAX_REMEMBERED:
            self.maps[self.parser.text[pos:end]] = record

    def copy_entries(self, table: Table) -> None:
        """Replace the messages that several maps hold by copies. `table` is that of their class."""
        copy, copy_many = function(table, "copy"), function(table, "copy_many")
        for _, _, elements, equal in self.maps.values():
            if equal:
                for element in elements:
                    element[3].extend(equal)
        for _, value, key, equal in self.entries:
            if len(equal) < MIN_COPIES:
                for entries in equal:
                    entries[key] = copy(value)
            else:
                for entries, copied in zip(equal, copy_many(value, len(equal)), strict=True):
                    entries[key] = copied


# --- called by the generated code ------------------------------------------------------------------------------------


def parse_list(
    parser: Parser, pos: int, depth: int, field: Field, parse: Any, copy: Any
) -> tuple[list[Any] | None, int]:
    """Return the list of messages at `pos` and the position after it. `parse` and `copy` are functions of their class.

    The list is None for null.
    """
    text, find = parser.text, parser.find
    if text[pos] != "[":
        return None, skip_null(text, pos)
    start, memory = parser.open(pos, field)
    values: list[Any] = []
    if text[start] == "]":
        return values, start + 1
    pos += 1
    recall, append = memory.elements.get, values.append
    close = memory.close
    opening = close[:-1] + "{"
    width = len(close)
    misses = 0
    remembers = True
    depth -= 1
    while True:
        known = None
        if remembers:
            end = find(close, pos, pos + MAX_ELEMENT_LENGTH) + width
            known = recall(text[pos:end])
            while known is BEGINNING:
                end = find(close, end, pos + MAX_ELEMENT_LENGTH) + width
                known = recall(text[pos:end])
        if known is not None and known[0] <= depth:
            append(copy(known[1]))
            pos = end
        else:
            if text.startswith(opening, pos):
                start = pos + width
            else:
                start = skip_whitespace(text, pos).end() + 1  # type: ignore[union-attr]
                if text[start - 1] != "{":
                    raise Unusual
            value, end = parse(parser, start, depth)
            append(value)
            if remembers:
                misses += 1
                remembers = misses < MAX_MISSES or misses < len(values)
                memory.remember(pos, end, close, (depth, value))
            pos = end
        if text[pos] != ",":
            pos = skip_whitespace(text, pos).end()  # type: ignore[union-attr]
            if text[pos] == "]":
                return values, pos + 1
            if text[pos] != ",":
                raise Unusual
        pos += 1


def parse_map(
    parser: Parser, pos: int, depth: int, field: Field, read_key: Any, parse: Any
) -> tuple[dict[Any, Any] | None, int]:
    """Return the map of messages at `pos` and the position after it; None as the map for null.

    `read_key` is the function that converts a key, None if keys are strings.
    """
    text, find = parser.text, parser.find
    if text[pos] != "{":
        return None, skip_null(text, pos)
    depth -= 1
    memory = parser.memories.get(field)
    if memory is not None:
        closing = memory.closing
        end = find(closing, pos, pos + MAX_ELEMENT_LENGTH) + len(closing)
        known = memory.maps.get(text[pos:end])
        if known is not None and known[0] <= depth:
            equal = known[1].copy()
            known[3].append(equal)
            return equal, end
    start, memory = parser.open(pos, field)
    entries: dict[Any, Any] = {}
    if text[start] == "}":
        return entries, start + 1
    opened = pos
    pos += 1
    recall = memory.elements.get
    close = memory.close
    width = len(close)
    elements: list[Any] = []
    watch = None
    while True:
        end = find(close, pos, pos + MAX_ELEMENT_LENGTH) + width
        element = recall(text[pos:end])
        while element is BEGINNING:
            end = find(close, end, pos + MAX_ELEMENT_LENGTH) + width
            element = recall(text[pos:end])
        if element is not None and element[0] <= depth:
            _, value, key, maps = element
            maps.append(entries)
        else:
            start = skip_whitespace(text, pos).end()  # type: ignore[union-attr]
            if text[start] != '"':
                raise Unusual
            key, start = scan(text, start)
            if read_key is not None:
                key = read_key(key)
            elif not key.isascii():
                scalars.SCALARS["string"](key)
            colon = find_value(text, start)
            if colon is None:
                raise Unusual
            value, end = parse(parser, colon.end(), depth)
            element = (depth, value, key, [])
            memory.entries.append(element)
            memory.remember(pos, end, close, element)
        entries[key] = value
        elements.append(element)
        pos = end
        if read_key is not None and len(entries) > MIN_WATCHED_ENTRIES:
            watch = watch_key(watch, entries, key)
        if text[pos] != ",":
            end = skip_whitespace(text, pos).end()  # type: ignore[union-attr]
            if text[end] == "}":
                if len(entries) != len(elements):
                    raise Unusual
                memory.closing = closing = text[pos : end + 1]
                memory.remember_map(opened, end + 1, (depth, entries, elements, []))
                return entries, end + 1
            if text[end] != ",":
                raise Unusual
            pos = end
        pos += 1


def are_ascii(values: list[Any]) -> bool:
    """Return whether all values of a document's list are ASCII strings."""
    try:
        return "".join(values).isascii()
    except TypeError:
        return False


def skip_null(text: str, pos: int) -> int:
    if not text.startswith("null", pos):
        raise Unusual
    return pos + 4


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


def _object_without_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise Unusual
    return value


def _refuse(name: str) -> NoReturn:
    raise Unusual


_decoder: Any = json.JSONDecoder(object_pairs_hook=_object_without_repeated_keys, parse_constant=_refuse)
scan: Callable[[str, int], tuple[Any, int]] = _decoder.scan_once
"""Parse the value at a position. Return the value and the position after it."""

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
        field_name = self.bind(f"field_{field.name}", field)
        if field.key is None:
            copy = self.source.call("copy", part.type.__table__, field.name)
            return f"{local_name(field.slot)}, pos = parse_list(parser, pos, depth, {field_name}, {parse}, {copy})\n"
        read_key = None if field.key.kind == "string" else scalars.KEYS[field.key.kind]
        key_name = self.bind(f"read_key_{field.name}", read_key)
        return f"{local_name(field.slot)}, pos = parse_map(parser, pos, depth, {field_name}, {key_name}, {parse})\n"
