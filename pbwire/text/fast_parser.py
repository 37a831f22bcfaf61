"""The fast parser of text format: it accepts the grammar of `parser`, but parses frequent elements faster.

One regular expression recognizes most fields, `name: value` and `name {`. Generated text repeats itself. So the parser
remembers, for each class, the meaning of whole lines, and of blocks of lines between two brackets. For a repeated line
or block it only has to find the end. `parser` parses all elements that are not recognized, so only `parser` needs to
know the complete grammar and to explain errors.

A line or a block has the same meaning everywhere if it was parsed exactly to its end, and its end is between two
fields. (But a string may continue on the next line: see `Grammar.parse_element`.) The remembered lines and blocks are
used in only one call, and their number is limited. If a text hardly repeats itself, `free_form_parser` parses it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import Any

from ..codec.copy import deep_copy
from ..collection import PausedCollection
from ..descriptor import Table
from ..errors import TextFormatError
from ..message import Message
from ..plain import parse_into_copy
from .field_readers import APPEND, FLOAT, MANY, MEMBER, ONE, PRESENT, SET, FieldReader
from .free_form_parser import MAX_REMEMBERED, RUN_INTERVAL, VALUE, ClassMemory, FreeFormParser, read_literal
from .large_literals import extract_literals
from .lexer import BLANK, COMMENTED, NAME, REST_OF_LINE, Tokens
from .parser import CLOSING
from .scalars import InvalidValue

MAX_LINE_LENGTH = 256  # characters of a line that is remembered
MAX_BLOCK_LENGTH = 512  # characters of a block that is remembered
# Characters of a new line, on average: if new lines follow at shorter distances, remembering lines takes longer than
# parsing them all. This is decided after SAMPLE_LENGTH characters, for the next FREE_FORM_LENGTH characters.
MEAN_LENGTH = 64
SAMPLE_LENGTH = 1 << 15
FREE_FORM_LENGTH = 1 << 20

OPEN, CLOSE, OTHER = -1, -2, -3  # actions other than storing a value; the place of a field is also an action
Action = tuple[int, Any, Any]  # action; field; value, or closing bracket
_OTHER: Action = (OTHER, None, None)
NEVER = (sys.maxsize, None)

_element = re.compile(
    rf"{COMMENTED}(?:({NAME}){BLANK}(?:{VALUE}|:?+{BLANK}([{{<])){REST_OF_LINE}|([}}>]))", re.ASCII
).match


class Parser(FreeFormParser):
    """A parser that remembers lines and blocks.

    new_lines     the number of elements since `sample_start` that were not remembered
    is_free_form  True if messages are parsed as free-form text, up to `sample_end`
    """

    def __init__(self, text: str, **options: Any) -> None:
        super().__init__(text, **options)
        self.new_lines = 0
        self.is_free_form = False
        self.sample_start, self.sample_end = 0, SAMPLE_LENGTH

    def parse(self, message: Any) -> None:
        """Parse the whole text into a message."""
        try:
            with PausedCollection():
                self.parse_body(message.__table__, message, 0, "", self.max_depth)
        except RecursionError:
            raise TextFormatError(
                "messages are nested more deeply than this program's recursion limit allows"
            ) from None

    def parse_body(self, table: Table, message: Any, pos: int, closer: str, depth: int) -> int:
        if pos >= self.sample_end:
            self._choose_parser(pos)
        if self.is_free_form:
            return self.parse_free_form(table, message, pos, closer, depth)
        text, find, recognize = self.text, self.text.find, self._recognize
        memory = self.class_memory(table)
        lines = memory.lines
        start = previous = pos
        while True:
            end = find("\n", pos, pos + MAX_LINE_LENGTH)
            action = lines.get(text[pos:end]) if end > 0 else None
            if action is None:
                action, after = recognize(memory, pos, end)
            else:
                after = end + 1
            kind, row, value = action
            if kind == APPEND:
                values = getattr(message, row.slot)
                if values is None:
                    setattr(message, row.slot, [value])
                else:
                    values.append(value)
                    if not len(values) % RUN_INTERVAL and row.runs is not None:
                        pos, after = self.append_run(row, values, pos, after)
            elif kind == OPEN:
                after = self._open(row, message, pos, after, value, depth)
            elif (kind == SET and not getattr(message, row.slot)) or (
                kind == FLOAT and str(getattr(message, row.slot)) == "0.0"
            ):
                setattr(message, row.slot, value)
            elif kind == MEMBER and not getattr(message, row.case_slot):
                setattr(message, row.case_slot, row.number)
                setattr(message, row.slot, value)
            elif kind == PRESENT and getattr(message, row.slot) is None:
                setattr(message, row.slot, value)
            elif kind == CLOSE and value == closer:
                return after - 1
            else:
                after, closed = self.parse_element(table, message, pos, closer, depth, start, previous)
                if closed:
                    return after
            previous = pos
            pos = after

    def _choose_parser(self, pos: int) -> None:
        """Decide how to parse the messages behind `pos`, up to `sample_end`."""
        self.is_free_form = not self.is_free_form and self.new_lines * MEAN_LENGTH > pos - self.sample_start
        self.new_lines = 0
        self.sample_start, self.sample_end = pos, pos + (FREE_FORM_LENGTH if self.is_free_form else SAMPLE_LENGTH)

    def _recognize(self, memory: ClassMemory, pos: int, end: int) -> tuple[Action, int]:
        """Return the action of the element at `pos` and the position after it; OTHER if it is not recognized.

        If the element ends at the end of its line, remember the line. The value of OPEN is the text that closes the
        message, the memory of its class, and the function that copies the value of a map, if it is a message.
        """
        self.new_lines += 1
        match = _element(self.text, pos)
        if match is None:
            return _OTHER, pos
        name, literal, word, bracket, closing = match.groups()
        after = match.end()
        if closing:
            action: Action = (CLOSE, None, closing)
            after += 1
        else:
            row = memory.rows.get(name)
            if row is None:
                return _OTHER, pos
            if word and row.read is not None:
                try:
                    action = (row.place, row, row.read(word))
                except InvalidValue:
                    return _OTHER, pos
            elif literal:
                row, value = read_literal(memory, name, literal)
                if row is None:
                    return _OTHER, pos
                action = (row.place, row, value)
            elif bracket and row.target is not None:
                close = CLOSING[bracket]
                if after == end + 1 and row.repeated:  # the closing line probably has the same indentation
                    close = f"\n{self.text[pos : match.start(1)]}{close}"
                action = (
                    OPEN,
                    row,
                    (close, self.class_memory(row.target), row.values and self.class_memory(row.values).copy),
                )
            else:
                return _OTHER, pos
        if after == end + 1 and len(memory.lines) < MAX_REMEMBERED:
            memory.lines[self.text[pos:end]] = action
        return action, after

    def _open(
        self,
        row: FieldReader,
        message: Any,
        name_pos: int,
        start: int,
        opened: tuple[str, ClassMemory, Any],
        depth: int,
    ) -> int:
        """Parse the message whose content starts at `start`, and store it. Return the position after it.

        `name_pos` is the position of the field's name; `opened` is the value of the OPEN action: see `_recognize`.
        """
        close, memory, copy_value = opened
        if row.place == ONE:
            return self._skip_end(
                self.parse_single_message(row, message, start, close, depth, self.tokens.skip_gap(name_pos))
            )
        stop = self.text.find(close, start - 1, start + MAX_BLOCK_LENGTH) if len(close) > 1 else -1
        if stop >= 0:
            block = self.text[start:stop]
            parsed_depth, element = memory.blocks.get(block, NEVER)
            if parsed_depth <= depth:
                if row.place == MANY:
                    getattr(message, row.name).append(memory.copy(element))
                else:
                    value = element.value
                    self.put(row, message, element.key, copy_value(value) if copy_value else value, name_pos)
                return self._skip_end(stop + len(close))
        element = memory.copy(memory.empty)
        after = self.parse_nested(memory.table, element, start, close[-1], depth)
        self.add(row, message, element, name_pos)
        if stop >= 0 and after == stop + len(close) and len(memory.blocks) < MAX_REMEMBERED:
            memory.blocks[block] = (depth, element)
        return self._skip_end(after)

    def _skip_end(self, pos: int) -> int:
        """Return the position after the separator and the line end of the message that ends here."""
        return pos + 1 if self.text[pos : pos + 1] == "\n" else self.tokens.skip_separator(pos)


def merge(
    text: str | bytes,
    message: Message,
    *,
    merge: bool,
    allow_unknown_field: bool,
    allow_field_number: bool,
    allow_unknown_extension: bool = False,
    types: Mapping[str, type[Message]] | None,
    max_depth: int,
) -> None:
    """Parse a text into `message`, with the options of `loads`. After an error, it may have a part of the text."""
    options: dict[str, Any] = {
        "merge": merge,
        "allow_unknown_field": allow_unknown_field,
        "allow_unknown_extension": allow_unknown_extension,
        "allow_field_number": allow_field_number,
        "types": types,
        "max_depth": max_depth,
    }
    if not message.__table__.is_plain:
        parse_into_copy(type(message), message, lambda _, message: _merge(text, message, **options))
    else:
        _merge(text, message, **options)


def _merge(text: str | bytes, message: Message, **options: Any) -> Message:
    """Parse a text into a dataclass, and return it."""
    source = _check_encodable(text) if isinstance(text, str) else _as_bytes(text)
    extracted = extract_literals(source)
    if extracted is not None:
        unchanged = deep_copy(message)
        try:
            Parser(extracted[0], large=extracted[1], **options).parse(message)
            return message
        except TextFormatError:  # its position is one in the text with placeholders
            message.Clear()
            message.MergeFrom(unchanged)
    Parser(source if isinstance(source, str) else _decode_utf8(source), **options).parse(message)
    return message


def _as_bytes(text: Any) -> bytes:
    if not isinstance(text, (bytes, bytearray, memoryview)):
        raise TypeError(f"text is a str or bytes, not {type(text).__name__}")
    return bytes(text)


def _decode_utf8(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        text = data.decode(errors="replace")
        Tokens(text).fail(len(data[: error.start].decode()), "the text is not UTF-8", 1)


def _check_encodable(text: str) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            Tokens(text).fail(error.start, "a lone surrogate is not a character", 1)
    return text
