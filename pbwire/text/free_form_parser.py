"""The parser of text whose lines do not repeat: on one line, with comments, or as people write it.

One regular expression recognizes a field, `name: value` or `name {`, or the end of a message. All messages are parsed
in one loop with a stack, which is faster than a call for each. `parser` parses all elements that are not recognized.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..codec.codegen import function
from ..codec.hash_flooding import MIN_WATCHED_ENTRIES
from ..descriptor import Table
from ..states import PENDING
from .field_readers import APPEND, ENTRY, FLOAT, MANY, MEMBER, ONE, PRESENT, SET, FieldReader, field_readers
from .lexer import BLANK, COMMENTED, LITERAL, NAME, REST_OF_LINE, WORD
from .literals import unescape_literal
from .parser import CLOSING, Grammar
from .scalars import InvalidValue

MAX_REMEMBERED = 1 << 14  # words, lines or blocks per class
MAX_WORD_LENGTH = 64  # characters of a word that is remembered
RUN_INTERVAL = 16  # values of a list after which to look for a long run: see `field_readers`

SEPARATOR = rf"(?:{COMMENTED}[,;]|(?!))?+"
VALUE = rf":{BLANK}(?:({LITERAL})|({WORD})){SEPARATOR}"
_element = re.compile(
    rf"{COMMENTED}(?:({NAME}){BLANK}(?:{VALUE}|:?+{BLANK}([{{<]))|([}}>]){SEPARATOR})", re.ASCII
).match
_rest_of_line: Callable[[str, int], Any] = re.compile(REST_OF_LINE).match


class ClassMemory:
    """The texts of one class that a parser remembers, with their meaning.

    words          the reader and the value of a field's name and word
    nested         the reader of a field's name, and the memory of the class of its messages
    lines, blocks  see `fast_parser`
    """

    __slots__ = ("blocks", "copy", "empty", "lines", "nested", "rows", "table", "words")

    def __init__(self, table: Table) -> None:
        self.table = table
        self.rows = field_readers(table)
        self.copy: Callable[[Any], Any] = function(table, "copy")
        self.empty = table.cls()
        self.words: dict[tuple[str, str], tuple[FieldReader, Any]] = {}
        self.nested: dict[str, tuple[FieldReader, ClassMemory]] = {}
        self.lines: dict[str, tuple[int, Any, Any]] = {}
        self.blocks: dict[str, tuple[int, Any]] = {}


class FreeFormParser(Grammar):
    """A `Grammar` that recognizes elements by one regular expression."""

    def __init__(self, text: str, **options: Any) -> None:
        super().__init__(text, **options)
        self.classes: dict[Table, ClassMemory] = {}

    def class_memory(self, table: Table) -> ClassMemory:
        memory = self.classes.get(table)
        if memory is None:
            memory = self.classes[table] = ClassMemory(table)
        return memory

    def new(self, table: Table) -> Any:
        memory = self.class_memory(table)
        return memory.copy(memory.empty)

    def parse_free_form(self, table: Table, message: Any, pos: int, closer: str, depth: int) -> int:
        """Parse fields up to the bracket that closes the message, as `parse_body` does."""
        text, memory = self.text, self.class_memory(table)
        stack: list[tuple[FieldReader, ClassMemory, Any, str, int, int]] = []
        start = previous = pos
        while True:
            match: Any = _element(text, pos)
            name, literal, word, bracket, closing = match.groups() if match else _NOTHING
            row: FieldReader | None = None
            if closing is not None:
                if closing == closer:
                    if not stack:
                        return match.end(5)  # type: ignore[no-any-return]  # a match of unknown type
                    value = message
                    row, memory, message, closer, start, previous = stack.pop()
                    self._store_message(row, message, value, previous)
                    pos = match.end()
                    continue
            elif bracket is not None:
                row, inner = memory.nested.get(name) or self._find_nested(memory, name)
                if row and len(stack) < depth and (row.place != ONE or getattr(message, row.slot) is None):
                    stack.append((row, memory, message, closer, start, pos))
                    memory, message, closer = inner, inner.copy(inner.empty), CLOSING[bracket]
                    start = previous = pos = match.end()
                    continue
                row = None
            elif literal is not None:
                row, value = read_literal(memory, name, literal)
            elif word is not None:
                row, value = memory.words.get((name, word)) or _read_word(memory, name, word)
            if row is not None:
                place = row.place
                after = match.end()
                if place == APPEND:
                    values = getattr(message, row.slot)
                    if values is None:
                        setattr(message, row.slot, [value])
                    else:
                        values.append(value)
                        if not len(values) % RUN_INTERVAL and row.runs is not None:
                            pos, after = self.append_run(row, values, pos, _rest_of_line(text, after).end())
                    previous, pos = pos, after
                    continue
                if place == SET and not getattr(message, row.slot):
                    setattr(message, row.slot, value)
                    previous, pos = pos, after
                    continue
                if place == FLOAT and str(getattr(message, row.slot)) == "0.0":
                    setattr(message, row.slot, value)
                    previous, pos = pos, after
                    continue
                if place == MEMBER and not getattr(message, row.case_slot):
                    setattr(message, row.case_slot, row.number)
                    setattr(message, row.slot, value)
                    previous, pos = pos, after
                    continue
                if place == PRESENT and getattr(message, row.slot) is None:
                    setattr(message, row.slot, value)
                    previous, pos = pos, after
                    continue
            after, closed = self.parse_element(memory.table, message, pos, closer, depth - len(stack), start, previous)
            if not closed:
                previous, pos = pos, after
            elif not stack:
                return after
            else:
                value = message
                row, memory, message, closer, start, previous = stack.pop()
                self._store_message(row, message, value, previous)
                pos = self.tokens.skip_separator(after)

    def append_run(self, row: FieldReader, values: list[Any], pos: int, after: int) -> tuple[int, int]:
        """Append a run of values that begins at `after`, if there is one; the value before begins at `pos`.

        Return the start of the last value, and the position after it.
        """
        assert row.runs is not None
        more, end = row.runs.parse_lines(self.text, after)
        if not more:
            return pos, after
        values.extend(more)
        return max(after, self.text.rfind("\n", 0, end - 1) + 1), end  # the first one may begin inside a line

    def _find_nested(self, memory: ClassMemory, name: str) -> tuple[Any, Any]:
        row = memory.rows.get(name)
        if row is None or row.target is None:
            return _UNKNOWN
        memory.nested[name] = row, self.class_memory(row.target)
        return memory.nested[name]

    def _store_message(self, row: FieldReader, message: Any, value: Any, name_pos: int) -> None:
        """Store a complete message or entry in the field whose name is at `name_pos`."""
        stored = getattr(message, row.slot)
        if row.place == MANY:
            if stored is None:
                setattr(message, row.slot, [value])
            else:
                stored.append(value)
        elif row.place != ENTRY:
            setattr(message, row.slot, value)
            if row.case_slot:
                setattr(message, row.case_slot, row.number)
        elif value.key is None or value.value is None or stored.__class__ is PENDING:
            self.add(row, message, value, name_pos)
        elif stored is None:
            setattr(message, row.slot, {value.key: value.value})
        elif len(stored) < MIN_WATCHED_ENTRIES:
            stored[value.key] = value.value
        else:
            self.put(row, message, value.key, value.value, name_pos)


_NOTHING: tuple[Any, ...] = (None, None, None, None, None)
_UNKNOWN = (None, None)


def read_literal(memory: ClassMemory, name: str, literal: str) -> tuple[Any, Any]:
    """Return the reader of a field and the value of a literal; no reader if it is not a value of the field."""
    row = memory.rows.get(name)
    if row is None or not (row.text or row.binary):
        return _UNKNOWN
    if "\\" not in literal:
        return row, literal[1:-1] if row.text else literal[1:-1].encode()
    try:
        value = unescape_literal(literal[1:-1])
        return row, value.decode() if row.text else value
    except (InvalidValue, UnicodeDecodeError):
        return _UNKNOWN


def _read_word(memory: ClassMemory, name: str, word: str) -> tuple[Any, Any]:
    """Return the reader of a field and the value of a word; no reader if the word is not a value of the field."""
    row = memory.rows.get(name)
    if row is None or row.read is None:
        return _UNKNOWN
    try:
        value = row.read(word)
    except InvalidValue:
        return _UNKNOWN
    if len(memory.words) < MAX_REMEMBERED and len(word) <= MAX_WORD_LENGTH:
        memory.words[name, word] = row, value
    return row, value
