"""Parse lists and maps of messages from text, and recall maps and entries that occurred before.

JSON of protobuf repeats itself: a graph has thousands of attributes such as `"T": {"type": "DT_FLOAT"}`. So the parser
remembers, in one call, the text of maps and of their entries, and uses the messages again if the text occurs again.
Text that was parsed exactly to its end has the same meaning everywhere in this field, if the same nesting is allowed.

A hint, such as the op of a node, tells which maps are probably equal. The text of a map is compared with the last maps
that had the same hint, and each of its entries with the entry at the same place of the last one: comparing needs no end
of the text. For other entries, the end is mostly a closing brace with the indentation of the entry. In text without
line breaks, each closing brace may be the end: a text is tried up to the next closing brace while a remembered entry
begins with it.

Maps that are equal share one dict until they are read, and maps that have equal entries share their messages: see
`pbwire.lazy.shared`. If most of a map are long entries, which are not remembered, it has its own messages at once:
copying weights when they are read would take longer than copying the other entries.

Where entries do not repeat themselves, Python's scanner and the reader of documents are faster. Samples show where that
is: see `Memory`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from sys import maxsize
from typing import Any, NoReturn

from ..codec.codegen import function
from ..codec.hash_flooding import MIN_WATCHED_ENTRIES
from ..codec.map_decoder import shared_member
from ..descriptor import Field, Table
from ..lazy.shared import SharedMap
from . import scalars
from .field_lookup import watch_key

SAMPLE = 64  # new entries of a field after which it is decided how to parse others
MAX_NEW = 0.75  # of the entries in a sample, the part that may be new
MIN_PAUSE = 1 << 10  # entries that are read as documents before another sample
MAX_REMEMBERED = 4096  # entries of one field; hints
MAX_LENGTH = 2048  # characters of an entry or a map that is remembered
MIN_SHARED = 8  # uses of a message whose member is shared
MAX_CLOSED = 16  # closing braces of an entry that is remembered

skip_whitespace: Any = re.compile(r"[ \t\n\r]*").match  # it matches everywhere, never None
next_element = re.compile(r"[ \t\n\r]*(?:,[ \t\n\r]*\{|\])").match
find_value = re.compile(r"[ \t\n\r]*:[ \t\n\r]*\{").match
find_nan = re.compile(r'"(?:N|\\u004[Ee])(?:a|\\u0061)(?:N|\\u004[Ee])"').search

Entry = tuple[str, int, Any, Any, list[int]]
"""An entry of a map: its text, the length of the text, the key, the message, and counts of its repetitions."""

Map = tuple[str, int, SharedMap, list[Entry], list[int]]
"""A map: its text, the length of the text, the map, its entries and NO_ENTRY, and counts of its repetitions."""

NO_ENTRY: Entry = ("\0", maxsize, "\U0010ffff" * 2, None, [])
"""An entry that is not in any valid text, at a position after the end, and whose key is greater than all others."""

BEGINNING: Any = object()


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
    """The text, the options, and what is remembered.

    memories    the memory of each field, for each nesting that is allowed
    separator   the text between two elements of the last list, with the opening brace
    """

    __slots__ = ("memories", "options", "separator", "startswith", "text")

    def __init__(self, text: str, options: scalars.ParseOptions) -> None:
        self.text = text
        self.startswith = text.startswith
        self.options = options
        self.separator = ",{"
        self.memories: dict[tuple[Field, int], Memory] = {}

    def share_members(self) -> None:
        """Share the members of messages that occur often."""
        for (field, _), memory in self.memories.items():
            assert field.value is not None, "it is a map"
            memory.share_members(field.value.type.__table__)

    def memory(self, field: Field, depth: int) -> Memory:
        """Return a new memory of a map field, for the nesting that is allowed for its messages."""
        memory = self.memories[field, depth] = Memory()
        return memory


class Memory:
    """The maps of a field that are remembered, with their entries, and the layout of the last map.

    similar    by hint: the last different maps, the last one first
    by_text    entries by text, and BEGINNING for the beginning of an entry, up to a closing brace
    opening    the opening brace of the last map and the whitespace in front of the first entry
    close      this whitespace and a closing brace
    closing    the whitespace after the last entry, and the closing brace
    longest    the length of the longest entry

    Remembering takes longer than parsing where little is repeated. This is decided when `SAMPLE` of `count` entries
    were new. The next `documents_left` entries are then read as documents, at first `MIN_PAUSE`, and twice as many each
    time.
    """

    __slots__ = (
        "by_text",
        "close",
        "closing",
        "count",
        "documents_left",
        "longest",
        "new",
        "opening",
        "pause",
        "similar",
    )

    def __init__(self) -> None:
        self.similar: dict[Any, tuple[Map, ...]] = {}
        self.by_text: dict[str, Any] = {}
        self.opening = self.close = self.closing = "?"
        self.pause = MIN_PAUSE
        self.count = self.documents_left = self.longest = self.new = 0

    def entries(self) -> list[Entry]:
        """Return the entries that are remembered."""
        return [entry for entry in self.by_text.values() if entry is not BEGINNING]

    def remember(self, text: str, start: int, end: int, key: Any, value: Any) -> Entry | None:
        """Remember a new entry, which is text[start:end], and return it; None if it is long or there are too many.

        An entry with a NaN is not remembered either: it would equal itself, but a NaN does not.
        """
        self.new += 1
        if self.new == SAMPLE:
            self.decide()
        length = end - start
        if length > MAX_LENGTH or len(self.by_text) > MAX_REMEMBERED:
            return None
        close, find = self.close, text.find
        width = len(close)
        closed = find(close, start, end) + width
        beginnings: list[str] = []
        if closed != end:
            while width <= closed < end and len(beginnings) < MAX_CLOSED:
                beginnings.append(text[start:closed])
                closed = find(close, closed, end) + width
            if closed != end:
                return None
        if find_nan(text, start, end):
            return None
        self.by_text.update(dict.fromkeys(beginnings, BEGINNING))
        entry: Entry = (text[start:end], length, key, value, [])
        self.by_text[entry[0]] = entry
        self.longest = max(self.longest, length)
        return entry

    def remember_map(self, hint: Any, similar: tuple[Map, ...], known: Map) -> None:
        """Remember a map beside those that are remembered for the same hint."""
        if len(self.similar) < MAX_REMEMBERED:
            if len(similar) > 1:
                _count_entries(similar[1])
            self.similar[hint] = known, *similar[:1]

    def decide(self) -> None:
        """Decide how to parse the next entries."""
        if self.count * MAX_NEW < SAMPLE:
            self.documents_left = self.pause
            self.pause *= 2
        else:
            self.pause = MIN_PAUSE
        self.count = self.new = 0

    def share_members(self, table: Table) -> None:
        """Share the members of messages that occur often. `table` is that of their class: see `pbwire.lazy.shared`."""
        for similar in self.similar.values():
            for known in similar:
                _count_entries(known)
        if not table.is_one_oneof or table.has_required_fields:
            return
        slot, case_slot = table.fields[0].slot, table.fields[0].case_slot
        messages = {field.number for field in table.fields if field.is_message}
        for _, _, _, value, uses in self.entries():
            if sum(uses) >= MIN_SHARED and getattr(value, case_slot) in messages:
                member = shared_member(getattr(value, slot))
                if member is not None:
                    setattr(value, slot, member)


def _count_entries(known: Map) -> None:
    """Count the uses of a map as uses of its entries."""
    *_, parsed, uses = known
    if uses:
        for _, _, _, _, counts in parsed[:-1]:  # without NO_ENTRY
            counts.append(len(uses))


def parse_list(parser: Parser, pos: int, depth: int, parse: Any) -> tuple[list[Any] | None, int]:
    """Return the list of messages at `pos` and the position after it; None as the list for null.

    `parse` is the function "parse_json" of their class, and `depth` the nesting that is allowed for them.
    """
    text, startswith = parser.text, parser.startswith
    if text[pos] != "[":
        return None, skip_null(text, pos)
    values: list[Any] = []
    pos = skip_whitespace(text, pos + 1).end()
    if text[pos] == "]":
        return values, pos + 1
    if text[pos] != "{":
        raise Unusual
    pos += 1
    append = values.append
    separator = parser.separator
    width = len(separator)
    while True:
        value, pos = parse(parser, pos, depth)
        append(value)
        if startswith(separator, pos):
            pos += width
            continue
        match = next_element(text, pos)
        if match is None:
            raise Unusual
        pos = match.end()
        if text[pos - 1] == "]":
            return values, pos
        parser.separator = separator = match[0]
        width = len(separator)


def parse_map(
    parser: Parser, pos: int, depth: int, memory: Memory, hint: Any, read_key: Any, parse: Any, read: Any
) -> tuple[dict[Any, Any] | None, int]:
    """Return the map of messages at `pos` and the position after it; None as the map for null.

    The caller has compared the text with the maps in `memory.similar`. `read_key` is the function that converts a key,
    None if keys are strings. `parse` and `read` are the functions "parse_json" and "read_json" of the class. `depth` is
    the nesting that is allowed for the messages.
    """
    text, startswith = parser.text, parser.startswith
    if text[pos] != "{":
        return None, skip_null(text, pos)
    if memory.documents_left > 0:
        return _read_map(parser, memory, pos, depth, read_key, read)
    if not startswith(memory.opening, pos):
        memory.opening = text[pos : skip_whitespace(text, pos + 1).end()]
        memory.close = memory.opening[1:] + "}"
    similar = memory.similar.get(hint, ())
    expected: Any = similar[0][3] if similar else (NO_ENTRY,)
    find, recall, close, closing, longest = text.find, memory.by_text.get, memory.close, memory.closing, memory.longest
    width = len(close)
    entries = SharedMap()
    parsed: list[Any] = []
    opened = pos
    index = own_length = 0
    is_recalled = is_remembered = True
    watch = None
    pos += 1
    while True:
        known, length, key, value, uses = entry = expected[index]
        if startswith(known, pos):
            uses.append(1)
            pos += length
            index += 1
        else:
            reach = pos + longest
            end = find(close, pos, reach) + width
            entry = recall(text[pos:end])
            while entry is BEGINNING:
                end = find(close, end, reach) + width
                entry = recall(text[pos:end])
            if entry is not None:
                _, _, key, value, uses = entry
                uses.append(1)
            else:
                start = skip_whitespace(text, pos).end()
                if text[start] != '"':
                    if text[start] == "}" and not parsed:
                        return entries, start + 1
                    raise Unusual
                key, start = scan(text, start)
                key = _read_key(read_key, key)
                colon = find_value(text, start)
                if colon is None:
                    raise Unusual
                value, end = parse(parser, colon.end(), depth)
                entry = memory.remember(text, pos, end, key, value)
                longest = memory.longest
                is_recalled = False
                if entry is None:
                    entry, is_remembered = NO_ENTRY, False
                    own_length += end - pos
            pos = end
            if read_key is None:  # look for the key among those that are expected
                while (other := expected[index][2]) < key:
                    index += 1
                if other == key:
                    index += 1
        entries[key] = value
        parsed.append(entry)
        if read_key is not None and len(entries) > MIN_WATCHED_ENTRIES:
            watch = watch_key(watch, entries, key)
        if text[pos] == ",":
            pos += 1
            continue
        if startswith(closing, pos):
            end = pos + len(closing)
        else:
            end = skip_whitespace(text, pos).end()
            if text[end] == ",":
                pos = end + 1
                continue
            if text[end] != "}":
                raise Unusual
            end += 1
            memory.closing = text[pos:end]
        memory.count += len(parsed)
        if len(entries) != len(parsed):
            raise Unusual
        length = end - opened
        if own_length * 2 > length:
            return _with_own_messages(entries, parsed), end
        if length <= MAX_LENGTH and is_remembered and (is_recalled or not similar):
            parsed.append(NO_ENTRY)
            memory.remember_map(hint, similar, (text[opened:end], length, entries, parsed, []))
        return entries, end


def _with_own_messages(entries: dict[Any, Any], parsed: list[Entry]) -> dict[Any, Any]:
    """Return a map as a dict, with copies of those messages that are remembered."""
    copy: Any = None
    own: dict[Any, Any] = {}
    for (key, value), entry in zip(entries.items(), parsed, strict=True):
        if entry is not NO_ENTRY:
            if copy is None:
                copy = function(value.__table__, "copy")
            value = copy(value)
        own[key] = value
    return own


def _read_map(
    parser: Parser, memory: Memory, pos: int, depth: int, read_key: Any, read: Any
) -> tuple[dict[Any, Any], int]:
    """Read the map at `pos` as a document. Return the map and the position after it."""
    document, end = scan(parser.text, pos)
    entries: dict[Any, Any] = {}
    watch = None
    for key, value in document.items():
        key = _read_key(read_key, key)
        entries[key] = read(parser.options, value, depth)
        if read_key is not None and len(entries) > MIN_WATCHED_ENTRIES:
            watch = watch_key(watch, entries, key)
    if len(entries) != len(document):
        raise Unusual
    memory.documents_left -= len(entries)
    return entries, end


def _read_key(read_key: Any, key: str) -> Any:
    """Return the key of an entry."""
    if read_key is not None:
        return read_key(key)
    return key if key.isascii() else scalars.SCALARS["string"](key)
