"""Parse lists and maps of messages from text, and recall elements that occurred before.

JSON of protobuf repeats itself: a graph has thousands of attributes such as `"T": {"type": "DT_FLOAT"}`. So the parser
remembers, in one call, the text of elements of lists, of entries of maps and of whole maps, and copies the messages if
the text occurs again. Text that was parsed exactly to its end has the same meaning everywhere in this field. The end of
a new element is not known, but mostly it is a closing brace with the indentation of the element. In text without line
breaks, each closing brace may be the end: a text is tried up to the next closing brace while a remembered element
begins with it.

Messages in maps are copied at the end of the call, all copies of a message together: see `copies`.

Where text does not repeat itself, Python's scanner and the reader of documents are faster. Samples show which elements
those are: see `Memory.sample`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NoReturn

from ..codec.codegen import function
from ..codec.hash_flooding import MIN_WATCHED_ENTRIES
from ..descriptor import Field, Table
from . import scalars
from .field_lookup import watch_key

__all__ = ["MAX_REMEMBERED", "Parser", "Unusual", "parse_list", "parse_map", "scan", "skip_null", "skip_whitespace"]

SAMPLE_LENGTH = 1 << 14  # characters of elements of a field that are parsed before it is decided how to parse others
MIN_KNOWN = 0.2  # of these characters, the part that must be known
MIN_PAUSE = 1 << 17  # characters that are parsed as documents before another sample
MAX_REMEMBERED = 4096  # elements of one field, maps of one field; names of one class
MAX_ELEMENT_LENGTH = 2048  # characters of an element that is remembered
MIN_COPIES = 4  # copies of a message that are made together
MAX_CLOSED = 16  # closing braces of an element that is remembered
MAX_MISSES = 64  # elements of a list that are all different, after which no others are remembered

skip_whitespace: Any = re.compile(r"[ \t\n\r]*").match  # it matches everywhere, never None
find_value = re.compile(r"[ \t\n\r]*:[ \t\n\r]*\{").match

BEGINNING = object()


class Unusual(Exception):
    """Input that is invalid or too unusual for the fast parser."""


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


def skip_null(text: str, pos: int) -> int:
    if not text.startswith("null", pos):
        raise Unusual
    return pos + 4


class Parser:
    """The text, the options, and the elements that are remembered, by field. `known` is the number of characters that
    were recalled instead of parsed."""

    __slots__ = ("find", "known", "memories", "options", "text")

    def __init__(self, text: str, options: scalars.ParseOptions) -> None:
        self.text = text
        self.find = text.find
        self.options = options
        self.known = 0
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
            after = skip_whitespace(self.text, pos + 1).end()
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
    longest    the length of the longest element that is remembered; `longest_map` that of the longest map

    Elements in which little is known are parsed faster as documents. This is decided when `sampled` characters of
    elements have been parsed, of which `known` were recalled. The next `documents_left` characters are then parsed as
    documents, at first `MIN_PAUSE`, and twice as many each time.
    """

    __slots__ = (
        "close",
        "closing",
        "documents_left",
        "elements",
        "entries",
        "known",
        "longest",
        "longest_map",
        "maps",
        "opening",
        "parser",
        "pause",
        "sampled",
    )

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.elements: dict[str, Any] = {}
        self.maps: dict[str, Any] = {}
        self.entries: list[Any] = []
        self.opening = self.close = self.closing = "?"
        self.documents_left = 0
        self.pause = MIN_PAUSE
        self.sampled = self.known = 0
        self.longest = self.longest_map = 0

    def sample(self, length: int, known: int) -> None:
        """Record that an element of this length has been parsed, and decide how to parse the next ones."""
        self.sampled += length
        self.known += known
        if self.sampled > SAMPLE_LENGTH:
            if self.known < MIN_KNOWN * self.sampled:
                self.documents_left = self.pause
                self.pause *= 2
            else:
                self.pause = MIN_PAUSE
            self.sampled = self.known = 0

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
            self.longest = max(self.longest, end - pos)

    def remember_map(self, pos: int, end: int, record: Any) -> None:
        """Remember the map at text[pos:end]. In text without line breaks, only its elements are remembered."""
        if len(self.closing) > 1 and end - pos <= MAX_ELEMENT_LENGTH and len(self.maps) < MAX_REMEMBERED:
            self.maps[self.parser.text[pos:end]] = record
            self.longest_map = max(self.longest_map, end - pos)

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


def parse_list(
    parser: Parser, pos: int, depth: int, field: Field, parse: Any, read: Any, copy: Any
) -> tuple[list[Any] | None, int]:
    """Return the list of messages at `pos` and the position after it.

    `parse`, `read` and `copy` are the functions "parse_json", "read_json" and "copy" of their class.

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
            reach = pos + memory.longest
            end = find(close, pos, reach) + width
            known = recall(text[pos:end])
            while known is BEGINNING:
                end = find(close, end, reach) + width
                known = recall(text[pos:end])
        if known is not None and known[0] <= depth:
            append(copy(known[1]))
            parser.known += end - pos
            pos = end
        else:
            if text.startswith(opening, pos):
                start = pos + width
            else:
                start = skip_whitespace(text, pos).end() + 1
                if text[start - 1] != "{":
                    raise Unusual
            if memory.documents_left > 0:
                document, end = scan(text, start - 1)
                value = read(parser.options, document, depth)
                memory.documents_left -= end - start
            else:
                known_before = parser.known
                value, end = parse(parser, start, depth)
                memory.sample(end - start, parser.known - known_before)
            append(value)
            if remembers:
                misses += 1
                remembers = misses < MAX_MISSES or misses < len(values)
                memory.remember(pos, end, close, (depth, value))
            pos = end
        if text[pos] != ",":
            pos = skip_whitespace(text, pos).end()
            if text[pos] == "]":
                return values, pos + 1
            if text[pos] != ",":
                raise Unusual
        pos += 1


def parse_map(
    parser: Parser, pos: int, depth: int, field: Field, read_key: Any, parse: Any, read: Any
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
        end = find(closing, pos, pos + memory.longest_map) + len(closing)
        known = memory.maps.get(text[pos:end])
        if known is not None and known[0] <= depth:
            equal = known[1].copy()
            known[3].append(equal)
            parser.known += end - pos
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
        reach = pos + memory.longest
        end = find(close, pos, reach) + width
        element = recall(text[pos:end])
        while element is BEGINNING:
            end = find(close, end, reach) + width
            element = recall(text[pos:end])
        if element is not None and element[0] <= depth:
            _, value, key, maps = element
            maps.append(entries)
            parser.known += end - pos
        else:
            start = skip_whitespace(text, pos).end()
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
            start = colon.end()
            if memory.documents_left > 0:
                document, end = scan(text, start - 1)
                value = read(parser.options, document, depth)
                memory.documents_left -= end - start
            else:
                known_before = parser.known
                value, end = parse(parser, start, depth)
                memory.sample(end - start, parser.known - known_before)
            element = (depth, value, key, [])
            memory.entries.append(element)
            memory.remember(pos, end, close, element)
        entries[key] = value
        elements.append(element)
        pos = end
        if read_key is not None and len(entries) > MIN_WATCHED_ENTRIES:
            watch = watch_key(watch, entries, key)
        if text[pos] != ",":
            end = skip_whitespace(text, pos).end()
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
