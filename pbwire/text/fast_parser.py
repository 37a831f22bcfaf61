"""Reads text format fast: the same grammar, with less to do for what is met often.

What most fields look like, `name: value` and `name {`, one regular expression recognises at once. And since text that
a program wrote repeats itself, it is remembered for each class what a whole line turned out to mean, and what a block
of lines between two brackets did: one that was met before costs little more than to find its end. What is not
recognised is left to `grammar`, from where it starts, so there is one place where the grammar is complete and where
errors are explained.

That a line or a block means the same everywhere needs no more than that it was read to its end, no less and no more,
between two fields. (But a string may go on in the next line: see `Grammar.element`.) What is remembered belongs to one
call and is bounded.
"""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from ..codec.codegen import function
from ..descriptor import Table
from ..errors import TextFormatError
from ..message import Message
from .field_readers import APPEND, MANY, MEMBER, ONE, PRESENT, SET, Row, rows_of
from .lexer import BLANK, COMMENTED, NAME, PLAIN_LITERAL, REST_OF_LINE, WORD, Tokens
from .parser import CLOSING, Grammar
from .scalars import Misspelt

__all__ = ["Parser", "merge"]

LONGEST_LINE = 256  # characters of a line that is remembered
LONGEST_BLOCK = 512
RUN = 16  # values of a list after which the rest may be a long run
MOST = 1 << 14  # lines, and blocks, that are remembered of a class

OPEN, CLOSE, OTHER = -1, -2, -3  # what an element does that is not just a value for the place of its row
Action = tuple[int, Any, Any]  # that or the place; the row; the value, or the bracket that closes the message
_OTHER: Action = (OTHER, None, None)
NEVER = (sys.maxsize, None)

_value = rf":{BLANK}(?:({PLAIN_LITERAL})|({WORD}))(?:{COMMENTED}[,;])?+"
_element = re.compile(
    rf"{COMMENTED}(?:({NAME}){BLANK}(?:{_value}|:?+{BLANK}([{{<])){REST_OF_LINE}|([}}>]))", re.ASCII
).match


class _Class:
    """What one call knows of a class."""

    __slots__ = ("blocks", "copy", "empty", "lines", "rows", "table")

    def __init__(self, table: Table) -> None:
        self.table = table
        self.rows = rows_of(table)
        self.copy: Callable[[Any], Any] = function(table, "copy")
        self.empty = table.cls()
        self.lines: dict[str, Action] = {}
        self.blocks: dict[str, tuple[int, Any]] = {}


class Parser(Grammar):
    """A `Grammar` that remembers."""

    def __init__(self, text: str, **options: Any) -> None:
        super().__init__(text, **options)
        self.classes: dict[Table, _Class] = {}

    def parse(self, message: Any) -> None:
        """Read the whole text into a message."""
        collecting = gc.isenabled()
        gc.disable()  # as in decoding, nothing but objects that stay is made here
        try:
            self.body(message.__table__, message, 0, "", self.max_depth)
        except RecursionError:
            raise TextFormatError("messages are nested more deeply than Python can follow") from None
        finally:
            if collecting:
                gc.enable()

    def body(self, table: Table, message: Any, pos: int, closer: str, depth: int) -> int:
        text, find, recognise = self.text, self.text.find, self._recognise
        known = self._class(table)
        lines = known.lines
        start = previous = pos
        while True:
            end = find("\n", pos, pos + LONGEST_LINE)
            action = lines.get(text[pos:end]) if end > 0 else None
            if action is None:
                action, after = recognise(known, pos, end)
            else:
                after = end + 1
            what, row, value = action
            if what == APPEND:
                values = getattr(message, row.slot)
                if values is None:
                    setattr(message, row.slot, [value])
                else:
                    values.append(value)
                    if not len(values) % RUN and row.runs is not None:
                        more, after = row.runs.lines(text, after)
                        if more:
                            values.extend(more)
                            pos = text.rfind("\n", 0, after - 1) + 1  # where the last of these lines starts
            elif what == OPEN:
                after = self._open(row, message, pos, after, value, depth)
            elif what == SET and not getattr(message, row.slot):
                setattr(message, row.slot, value)
            elif what == MEMBER and not getattr(message, row.case_slot):
                setattr(message, row.case_slot, row.number)
                setattr(message, row.slot, value)
            elif what == PRESENT and getattr(message, row.slot) is None:
                setattr(message, row.slot, value)
            elif what == CLOSE and value == closer:
                return after - 1
            else:
                after, closed = self.element(table, message, pos, closer, depth, start, previous)
                if closed:
                    return after
            previous = pos
            pos = after

    def _class(self, table: Table) -> _Class:
        known = self.classes.get(table)
        if known is None:
            known = self.classes[table] = _Class(table)
        return known

    def new(self, table: Table) -> Any:
        known = self._class(table)
        return known.copy(known.empty)

    def _recognise(self, known: _Class, pos: int, end: int) -> tuple[Action, int]:
        """What an element does and where it ends, if it is a usual one. If its line ends there too, that is learned."""
        match = _element(self.text, pos)
        if match is None:
            return _OTHER, pos
        name, literal, word, bracket, closing = match.groups()
        after = match.end()
        if closing:
            action: Action = (CLOSE, None, closing)
            after += 1
        else:
            row = known.rows.get(name)
            if row is None:
                return _OTHER, pos
            if word and row.read is not None:
                try:
                    action = (row.place, row, row.read(word))
                except Misspelt:
                    return _OTHER, pos
            elif literal and row.text:
                action = (row.place, row, literal[1:-1])
            elif literal and row.binary:
                action = (row.place, row, literal[1:-1].encode())
            elif bracket and row.target is not None:
                close = CLOSING[bracket]
                if after == end + 1 and row.repeated:  # the line that closes it is probably indented like this one
                    close = f"\n{self.text[pos : match.start(1)]}{close}"
                action = (OPEN, row, (close, self._class(row.target), row.values and self._class(row.values).copy))
            else:
                return _OTHER, pos
        if after == end + 1 and len(known.lines) < MOST:
            known.lines[self.text[pos:end]] = action
        return action, after

    def _open(self, row: Row, message: Any, at: int, start: int, opened: tuple[str, _Class, Any], depth: int) -> int:
        """Read the message for the field at `at` that starts at `start`; see `_recognise` for `opened`."""
        close, known, copy_value = opened
        if row.place == ONE:
            return self._behind(self.single(row, message, start, close, depth, self.tokens.gap(at)))
        stop = self.text.find(close, start - 1, start + LONGEST_BLOCK) if len(close) > 1 else -1
        if stop >= 0:
            block = self.text[start:stop]
            seen_at, element = known.blocks.get(block, NEVER)
            if seen_at <= depth:
                if row.place == MANY:
                    getattr(message, row.name).append(known.copy(element))
                else:
                    value = element.value
                    self.put(row, message, element.key, copy_value(value) if copy_value else value, at)
                return self._behind(stop + len(close))
        element = known.copy(known.empty)
        after = self.nested(known.table, element, start, close[-1], depth)
        self.add(row, message, element, at)
        if stop >= 0 and after == stop + len(close) and len(known.blocks) < MOST:
            known.blocks[block] = (depth, element)
        return self._behind(after)

    def _behind(self, pos: int) -> int:
        """The position behind the separator and the end of the line of the message that ends here."""
        return pos + 1 if self.text[pos : pos + 1] == "\n" else self.tokens.separated(pos)


def merge(
    text: str | bytes,
    message: Message,
    *,
    merge: bool,
    allow_unknown_field: bool,
    allow_field_number: bool,
    types: Mapping[str, type[Message]] | None,
    max_depth: int,
) -> None:
    """Read a text on top of what is in a message; the options are those of `loads`. If it fails, part of it is read."""
    parser = Parser(
        _decoded(text) if isinstance(text, (bytes, bytearray, memoryview)) else _encodable(text),
        merge=merge,
        allow_unknown_field=allow_unknown_field,
        allow_field_number=allow_field_number,
        types=types,
        max_depth=max_depth,
    )
    parser.parse(message)


def _decoded(data: bytes | bytearray | memoryview) -> str:
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError as error:
        text = str(error.object, "utf-8", "replace")
        Tokens(text).fail(len(error.object[: error.start].decode()), "the text is not UTF-8", 1)


def _encodable(text: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"text is a str or bytes, not {type(text).__name__}")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            Tokens(text).fail(error.start, "a surrogate is no character", 1)
    return text
