"""The complete parser of text format (https://protobuf.dev/reference/protobuf/textformat-spec), token by token.

    message { field: value  other: [1, 2]  map { key: "k" value < > }  [type.googleapis.com/pkg.Any] { } }

`Grammar` parses any text, and explains errors. `fast_parser.Parser` adds speed.

If protobuf's Python parser and the specification disagree, this parser follows the specification: see `loads`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NoReturn

from ..behavior import behavior
from ..codec.hash_flooding import CROWDED_KEYS, MIN_WATCHED_ENTRIES, Watch, watch_for
from ..descriptor import Table
from ..errors import EncodeError, suggestion
from ..table import complete_entry
from .field_readers import APPEND, ENTRY, FLOAT, ONE, SET, FieldReader, field_readers
from .large_literals import LargeLiterals
from .lexer import QUOTES, SEPARATORS, Tokens, shorten_token
from .scalars import InvalidValue, is_word

CLOSING = {"{": "}", "<": ">"}

_URL = r"(?:[\w.~!$&()*+,;=/-]|%[0-9A-Fa-f]{2})"
_type_url = re.compile(rf"(?!/){_URL}+/([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)", re.ASCII).fullmatch
_extension = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII).fullmatch
_in_brackets = re.compile(r"[\w.~!$&()*+,;=%/-]++", re.ASCII).match


class Grammar:
    """A parser for one text, with the options of the call. Methods that parse take and return positions in the text."""

    def __init__(
        self,
        text: str,
        *,
        large: LargeLiterals | None = None,
        merge: bool,
        allow_unknown_field: bool,
        allow_field_number: bool,
        types: Mapping[str, type] | None,
        max_depth: int,
        allow_unknown_extension: bool = False,
    ) -> None:
        self.text = text
        self.tokens = Tokens(text, large)
        self.merge = merge
        self.allow_unknown_field = allow_unknown_field
        self.allow_unknown_extension = allow_unknown_extension
        self.allow_field_number = allow_field_number
        self.types = types
        self.max_depth = max_depth
        self.watches: dict[int, Watch] = {}

    def parse_body(self, table: Table, message: Any, pos: int, closer: str, depth: int) -> int:
        """Parse fields up to the bracket that closes the message, or to the end of the text if `closer` is "".

        `pos` is after the opening bracket; `depth` more levels may be nested.
        """
        start = previous = pos
        while True:
            after, closed = self.parse_element(table, message, pos, closer, depth, start, previous)
            if closed:
                return after
            previous, pos = pos, after

    def new(self, table: Table) -> Any:
        """Return an empty message."""
        return table.cls()

    # --- elements ------------------------------------------------------------------------------------------------

    def parse_element(
        self, table: Table, message: Any, pos: int, closer: str, depth: int, start: int, previous: int
    ) -> tuple[int, bool]:
        """Parse a field with its separator, or the end of the message whose fields start at `start`.

        Return the position after it, and whether it was the end of the message. `previous` is the start of the previous
        element: if that is a string, it may continue at `pos`.
        """
        tokens, previous_end = self.tokens, pos
        pos = tokens.skip_gap(pos)
        character = tokens.at(pos)
        if character == closer:
            return pos + len(closer), True
        if character in SEPARATORS and previous_end > start and not tokens.separator_before(previous_end):
            return tokens.skip_separator(pos), False
        if character in QUOTES and previous < pos and tokens.at(tokens.skip_gap(previous)) not in SEPARATORS:
            after = self._parse_field(table, message, previous, depth, again=True)
            if after > pos:
                return after, False
        return self._parse_field(table, message, pos, depth, closer=closer, start=start), False

    def _parse_field(
        self, table: Table, message: Any, pos: int, depth: int, *, again: bool = False, closer: str = "", start: int = 0
    ) -> int:
        """Parse one field, and return the position after its separator.

        With `again`, the field was parsed before, but its value was not complete.
        """
        tokens = self.tokens
        pos = name_pos = tokens.skip_gap(pos)
        if tokens.at(pos) == "[":
            name, pos = self._in_brackets(pos)
            if not table.is_extendable:
                return tokens.skip_separator(self._parse_expanded(table, message, name, name_pos, pos, depth))
            row = self._extension(table, name, name_pos, pos)
            skipped = row is None
            if row is not None:
                message = table.extension_set(message)  # type: ignore[attr-defined]  # a table with extensions
        else:
            name = tokens.read_name(pos)
            if not name and (self.allow_field_number or self.allow_unknown_field):
                name = tokens.read_number(pos)
            if not name:
                self._explain_no_field(pos, closer, start)
            row, skipped = self._row(table, name), self.allow_unknown_field or name in table.reserved_names
            if row is None and table.is_extendable and (row := self._numbered_extension(table, name)) is not None:
                message = table.extension_set(message)  # type: ignore[attr-defined]  # a table with extensions
            pos += len(name)
        if again and (row is None or not (row.text or row.binary)):
            return name_pos
        pos = tokens.skip_gap(pos)
        colon = tokens.at(pos) == ":"
        if colon:
            pos = tokens.skip_gap(pos + 1)
        if row is None:
            if not skipped:
                self._explain_unknown(table, name, name_pos)
            return tokens.skip_separator(self._skip_value(pos, colon, depth))
        if tokens.at(pos) == "[" and row.repeated and (colon or row.target):
            pos = self._parse_list(row, message, pos, depth)
        elif row.target is not None:
            pos = self._parse_message(row, message, pos, depth, name_pos)
        elif colon:
            value, pos = self._parse_scalar(row, pos)
            self.store(row, message, value, name_pos, again)
        else:
            tokens.fail(pos, f'expected ":" between "{name}" and its value')
        return tokens.skip_separator(pos)

    def _row(self, table: Table, name: str) -> FieldReader | None:
        rows = field_readers(table)
        if name in rows or not name.isdecimal() or not self.allow_field_number:
            return rows.get(name)
        digits = name.lstrip("0")
        field = table.by_number.get(int(digits)) if 0 < len(digits) < 10 else None
        return rows[field.text_name] if field else None

    def _numbered_extension(self, table: Any, name: str) -> FieldReader | None:
        """Return the extension that is named by its number, if that is allowed and there is one."""
        digits = name.lstrip("0")
        if not (self.allow_field_number and name.isdecimal() and 0 < len(digits) < 11):
            return None
        row = table.row_by_number(int(digits))
        return field_readers(table.set_table)[row.text_name] if row is not None else None

    def _extension(self, table: Any, name: str, name_pos: int, pos: int) -> FieldReader | None:
        """Return the extension whose name stands in brackets; None for an unknown one that is skipped."""
        field = table.names.get(name) if table.extensions else None
        if field is not None:
            return field_readers(table.set_table)[field.text_name]
        if not _extension(name):
            self.tokens.fail(name_pos, "expected the name of an extension in brackets", pos - name_pos)
        if not (self.allow_unknown_field or self.allow_unknown_extension):
            hint = suggestion(name, table.names) if table.extensions else ""
            problem = f'{table.full_name} has no extension "{shorten_token(name)}"{hint}'
            self.tokens.fail(name_pos, problem, pos - name_pos)
        return None

    # --- values --------------------------------------------------------------------------------------------------

    def _parse_scalar(self, row: FieldReader, pos: int) -> tuple[Any, int]:
        """Return the value at `pos`, and the position at which it ends."""
        tokens = self.tokens
        if row.text or row.binary:
            if tokens.at(pos) not in QUOTES:
                tokens.fail(pos, f'expected a string in quotes for field "{row.shown_name}"')
            data, end = tokens.read_literals(pos)
            if row.binary:
                return data, end
            try:
                return data.decode(), end
            except UnicodeDecodeError as error:
                problem = (
                    f'the string for field "{row.shown_name}" is not UTF-8: {error.reason} at its byte {error.start}'
                )
                tokens.fail(pos, problem, end - pos)
        word, end = tokens.read_word(pos)
        assert row.read is not None
        try:
            return row.read(word), end
        except InvalidValue as error:
            hint = suggestion(word, row.field.type.__members__) if row.field.kind == "enum" else ""
            tokens.fail(pos, f'expected {error.problem} for field "{row.shown_name}"{hint}', (end - pos) or None)

    def _parse_list(self, row: FieldReader, message: Any, pos: int, depth: int) -> int:
        """Parse values in square brackets."""
        if row.runs is not None:
            values, end = row.runs.parse_list(self.text, pos)
            if values:
                getattr(message, row.name).extend(values)
                return end
        tokens = self.tokens
        pos = tokens.skip_gap(pos + 1)
        if tokens.at(pos) == "]":
            return pos + 1
        while True:
            if row.target is not None:
                pos = self._parse_message(row, message, pos, depth, pos)
            else:
                value, pos = self._parse_scalar(row, pos)
                self.store(row, message, value, pos)
            pos = tokens.skip_gap(pos)
            if tokens.at(pos) == "]":
                return pos + 1
            if tokens.at(pos) != ",":
                tokens.fail(pos, f'expected "," or "]" in the list of "{row.shown_name}"')
            pos = tokens.skip_gap(pos + 1)

    def _parse_message(self, row: FieldReader, message: Any, pos: int, depth: int, name_pos: int) -> int:
        """Parse a message in brackets for the field whose name is at `name_pos`."""
        bracket = self.tokens.at(pos)
        if bracket not in CLOSING:
            self.tokens.fail(pos, f'expected "{{" to open the message "{row.shown_name}"')
        if row.place == ONE:
            return self.parse_single_message(row, message, pos + 1, CLOSING[bracket], depth, name_pos)
        assert row.target is not None
        element = self.new(row.target)
        after = self.parse_nested(row.target, element, pos + 1, CLOSING[bracket], depth)
        self.add(row, message, element, name_pos)
        return after

    def parse_single_message(
        self, row: FieldReader, message: Any, pos: int, closer: str, depth: int, name_pos: int
    ) -> int:
        """Parse the content of a message for a field that holds one message."""
        existing = getattr(message, row.name)
        if not self.merge:
            self._check_absent(row, message, name_pos)
        assert row.target is not None
        value = self.new(row.target) if existing is None else existing
        after = self.parse_nested(row.target, value, pos, closer, depth)
        if existing is None:
            setattr(message, row.name, value)
        return after

    def parse_nested(self, table: Table, message: Any, pos: int, closer: str, depth: int) -> int:
        if depth == 0:
            self.tokens.fail(self._bracket(pos), f"messages are nested more than {self.max_depth} levels deep")
        return self.parse_body(table, message, pos, closer, depth - 1)

    # --- storing -------------------------------------------------------------------------------------------------

    def add(self, row: FieldReader, message: Any, element: Any, name_pos: int) -> None:
        """Add a message to a list, or an entry to a map, for the field whose name is at `name_pos`."""
        if row.place == ENTRY:
            complete_entry(element, row.field)
            self.put(row, message, element.key, element.value, name_pos)
        else:
            getattr(message, row.name).append(element)

    def put(self, row: FieldReader, message: Any, key: Any, value: Any, name_pos: int) -> None:
        """Store an entry in a map."""
        entries = getattr(message, row.name)
        entries[key] = value
        if (
            len(entries) > MIN_WATCHED_ENTRIES
            and not row.has_names
            and watch_for(self.watches, entries).is_crowded(key)
        ):
            self.tokens.fail(self.tokens.skip_gap(name_pos), CROWDED_KEYS)

    def store(self, row: FieldReader, message: Any, value: Any, name_pos: int, again: bool = False) -> None:
        """Store a scalar for the field whose name is at `name_pos`. With `again`, replace the value stored last."""
        name = row.name
        if row.place == APPEND:
            values = getattr(message, name)
            if again:
                values.pop()
            values.append(value)
            return
        if not (self.merge or again):
            self._check_absent(row, message, name_pos)
        setattr(message, name, value)

    def _check_absent(self, row: FieldReader, message: Any, name_pos: int) -> None:
        """Raise TextFormatError for a singular field that is present already, or for a second member of a oneof."""
        name = row.shown_name
        if row.case_slot and getattr(message, row.case_slot) not in (0, row.number):
            other = message.which_oneof(row.field.oneof)
            problem = (
                f'"{other}" is set already and excludes "{row.shown_name}": both are of the oneof "{row.field.oneof}"'
            )
            self.tokens.fail(name_pos, problem)
        if _is_present(row, getattr(message, row.name)):
            self.tokens.fail(name_pos, f'"{name}" is set already, and it is not repeated')

    # --- Any -----------------------------------------------------------------------------------------------------

    def _parse_expanded(self, table: Table, message: Any, url: str, name_pos: int, pos: int, depth: int) -> int:
        """Parse `[type.googleapis.com/full.Name] { ... }`, the expanded form of a google.protobuf.Any.

        `name_pos` and `pos` are the positions of the brackets and after them.
        """
        tokens = self.tokens
        if table.full_name != "google.protobuf.Any":
            tokens.fail(name_pos, f"{table.full_name} has no extensions", pos - name_pos)
        match = _type_url(url)
        if match is None:
            tokens.fail(name_pos, "expected a type such as [type.googleapis.com/package.Message]", pos - name_pos)
        cls: Any = None if self.types is None else self.types.get(match[1])
        if cls is None:
            tokens.fail(name_pos, f"the class of {match[1]} is not in `types`", pos - name_pos)
        if not self.merge and (message.type_url or message.value):
            tokens.fail(name_pos, "this Any has a value already", pos - name_pos)
        pos = tokens.skip_gap(pos)
        if tokens.at(pos) == ":":
            pos = tokens.skip_gap(pos + 1)
        if (bracket := tokens.at(pos)) not in CLOSING:
            tokens.fail(pos, f'expected "{{" to open the message {match[1]}')
        content = cls()
        after = self.parse_nested(cls.__table__, content, pos + 1, CLOSING[bracket], depth)
        try:
            message.value = content.to_bytes()
        except EncodeError as error:
            tokens.fail(name_pos, f"this {match[1]} has no encoding: {error}", pos - name_pos)
        message.type_url = url
        return after

    def _in_brackets(self, pos: int) -> tuple[str, int]:
        """Return the content of square brackets, without gaps, and the position after them.

        White space and comments may stand anywhere in it, even inside of names.
        """
        tokens, parts = self.tokens, [""]
        pos = tokens.skip_gap(pos + 1)
        while match := _in_brackets(self.text, pos):
            parts.append(match[0])
            pos = tokens.skip_gap(match.end())
        if tokens.at(pos) != "]":
            tokens.fail(pos, f'expected "]", found {tokens.token_for_error(pos)}')
        return "".join(parts), pos + 1

    # --- unknown fields ------------------------------------------------------------------------------------------

    def _skip_value(self, pos: int, colon: bool, depth: int) -> int:
        """Skip the value of an unknown field, after its name and colon."""
        tokens = self.tokens
        character = tokens.at(pos)
        if character in CLOSING:
            return self._skip_message(pos, depth)
        if character == "[":
            return self._skip_list(pos, depth, scalars=colon)
        if not colon:
            tokens.fail(pos, f'expected ":" or "{{", found {tokens.token_for_error(pos)}')
        return self._skip_scalar(pos)

    def _skip_scalar(self, pos: int) -> int:
        tokens = self.tokens
        if tokens.at(pos) in QUOTES:
            return tokens.read_literals(pos)[1]
        word, end = tokens.read_word(pos)
        if not is_word(word):
            tokens.fail(pos, f"expected a value, found {tokens.token_for_error(pos)}")
        return end

    def _skip_list(self, pos: int, depth: int, scalars: bool) -> int:
        tokens = self.tokens
        pos = tokens.skip_gap(pos + 1)
        if tokens.at(pos) == "]":
            return pos + 1
        messages = tokens.at(pos) in CLOSING
        if not (messages or scalars):
            tokens.fail(pos, f'expected "{{" or "]", found {tokens.token_for_error(pos)}')
        while True:
            if messages and tokens.at(pos) not in CLOSING:
                tokens.fail(pos, f'expected "{{", found {tokens.token_for_error(pos)}')
            pos = tokens.skip_gap(self._skip_message(pos, depth) if messages else self._skip_scalar(pos))
            if tokens.at(pos) == "]":
                return pos + 1
            if tokens.at(pos) != ",":
                tokens.fail(pos, f'expected "," or "]", found {tokens.token_for_error(pos)}')
            pos = tokens.skip_gap(pos + 1)

    def _skip_message(self, pos: int, depth: int) -> int:
        tokens, closer, start = self.tokens, CLOSING[self.tokens.at(pos)], pos + 1
        if depth == 0:
            tokens.fail(pos, f"messages are nested more than {self.max_depth} levels deep")
        pos = tokens.skip_gap(start)
        while tokens.at(pos) != closer:
            if tokens.at(pos) == "[":
                name, pos = self._in_brackets(pos)
                if not (_type_url(name) or _extension(name)):
                    tokens.fail(start, "expected the name of an extension or a type in brackets")
            else:
                name = tokens.read_name(pos) or tokens.read_number(pos)
                if not name:
                    self._explain_no_field(pos, closer, start)
                pos += len(name)
            pos = tokens.skip_gap(pos)
            colon = tokens.at(pos) == ":"
            if colon:
                pos = tokens.skip_gap(pos + 1)
            pos = tokens.skip_gap(tokens.skip_separator(self._skip_value(pos, colon, depth - 1)))
        return pos + 1

    # --- errors --------------------------------------------------------------------------------------------------

    def _explain_no_field(self, pos: int, closer: str, start: int) -> NoReturn:
        """Raise the error for a position where a field or the end of a message was expected."""
        tokens = self.tokens
        character = tokens.at(pos)
        bracket = self._bracket(start)
        opened = f', which closes the "{tokens.at(bracket)}" of line {tokens.line(bracket):,}' if closer else ""
        if not character:
            tokens.fail(pos, f'the text ends where "{closer}" is missing{opened}')
        if character in CLOSING.values():
            problem = f'found "{character}" where "{closer}" is missing{opened}'
            tokens.fail(pos, problem if closer else f'this "{character}" does not close a message')
        json = "; is this JSON?" if character == "{" and pos == tokens.skip_gap(0) else ""
        tokens.fail(pos, f"expected the name of a field, found {tokens.token_for_error(pos)}{json}")

    def _explain_unknown(self, table: Table, name: str, name_pos: int) -> NoReturn:
        hint = suggestion(name, field_readers(table))
        self.tokens.fail(name_pos, f'{table.full_name} has no field "{shorten_token(name)}"{hint}', len(name))

    def _bracket(self, start: int) -> int:
        """Return the position of the bracket that opened the message whose fields start at `start`."""
        return len(self.text[:start].rstrip()) - 1


def _is_present(row: FieldReader, value: Any) -> bool:
    """Return whether a field that is not in a oneof is present with this value."""
    if row.place == FLOAT:
        return bool(value) or (str(value) == "-0.0" and behavior().negative_zero)
    return bool(value) if row.place == SET else value is not None
