"""List the records of encoded data without decoding messages. This also works for damaged files.

    for record in walk(data, cls=NodeDef):
        print(record.offset, record.number, record.wire_type.name, record.length)

`walk` reads the bytes from first to last and yields a Record for every tag. By default it does not enter payloads,
which are the contents of length-delimited fields. It always enters groups, since their end can only be found by reading
their content. Given a message class, it enters the fields that the class declares as messages. With `guess=True`, it
also enters payloads of unknown fields that look like messages. It does not use recursion, does not allocate memory
according to sizes in the input, and always takes time linear in the input.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .descriptor import KINDS, Field, Table, table_of
from .errors import DecodeError, is_visible
from .wire import (
    MAX_DEPTH,
    Buffer,
    WireType,
    check_end_group,
    fail,
    fail_too_short,
    fail_truncated,
    read_tag,
    read_varint,
    skip_field,
)

__all__ = ["Record", "looks_like_message", "walk"]

_WIRE_TYPES = tuple(WireType)
_TEXT_SAMPLE_BYTES = 64  # only these are tested for text: else, nested payloads would be read once per level
_MAX_KEY_BYTES = 100  # of a map's key, in the path of an error


@dataclass(frozen=True, slots=True)
class Record:
    """A tag and its value.

    offset     position of the tag in the whole input
    start      position of the value: after the tag and, for WireType.LENGTH, after the length
    length     size of the value in bytes, as declared, so `end` may be after the end of the input; 0 for the start and
               the end of a group
    value      an unsigned int, exactly as encoded; a view of the payload, or of its beginning if it is truncated; None
               for the start and the end of a group
    depth      number of enclosing messages and groups
    nested     True if the records of the content follow, one level deeper; a group ends with a record of its end tag
    field      descriptor of the field, if the message class has it and the wire type fits
    """

    offset: int
    number: int
    wire_type: WireType
    start: int
    length: int
    value: int | memoryview | None
    depth: int
    nested: bool
    field: Field | None

    @property
    def end(self) -> int:
        return self.start + self.length

    @property
    def cut(self) -> bool:
        """True if the input ends inside the payload.

        `walk` then raises a DecodeError, either in the content of this record or after it.
        """
        return isinstance(self.value, memoryview) and len(self.value) < self.length


def walk(
    data: Buffer,
    *,
    start: int = 0,
    end: int | None = None,
    cls: type | None = None,
    guess: bool = False,
    max_depth: int = MAX_DEPTH,
) -> Iterator[Record]:
    """Yield the records of `data[start:end]` in order. Raise DecodeError where the data is damaged.

    `cls` is the class of the message, if it is known; for `guess`, see the module. A truncated payload is yielded, and
    entered like a complete one, before the error is raised. At `max_depth`, payloads are not entered, and a group is an
    error, since its end can only be found by entering it.
    """
    view = _view(data)
    stop = _resolve_end(view, start, end)
    fields = {} if cls is None else _fields(table_of(cls))
    return _walk(view, _Level(start, stop, fields, None), guess, max_depth)


def looks_like_message(data: Buffer, *, start: int = 0, end: int | None = None, max_depth: int = MAX_DEPTH) -> bool:
    """Return whether `data[start:end]` consists of complete fields. Payloads are not examined. True for empty data.

    Short texts sometimes look like messages: "0x" encodes field 6 with the value 120.
    """
    view = _view(data)
    return _scan(view, start, _resolve_end(view, start, end), max_depth)[1] is None


@dataclass(slots=True)
class _Level:
    """A message or group that `walk` has entered: its range, the fields of its class, and the record that opened it."""

    start: int
    end: int
    fields: Mapping[int, Field]
    opener: Record | None

    @property
    def group(self) -> int | None:
        return self.opener.number if self.opener and self.opener.wire_type is WireType.START_GROUP else None

    @property
    def is_map_entry(self) -> bool:
        return bool(self.opener and self.opener.field and self.opener.field.label == "map")


def _walk(view: memoryview, outermost: _Level, guess: bool, max_depth: int) -> Iterator[Record]:
    level, levels, pos = outermost, [outermost], outermost.start
    record_offset: int | None = None  # offset of the current record in `level`, once its tag is read
    try:
        while True:
            while pos == level.end:
                opener = level.opener
                if opener is None:
                    return
                levels.pop()
                level, record_offset = levels[-1], opener.offset
                if opener.wire_type is WireType.START_GROUP:
                    fail_truncated(pos, "is not closed")
                if opener.cut:
                    fail_too_short(opener.length, opener.start, level.end)
            record_offset, offset, depth = None, pos, len(levels) - 1
            number, code, pos = read_tag(view, pos, level.end)
            record_offset = offset
            wire_type = _WIRE_TYPES[code]
            field = _field(level, number, wire_type)
            if wire_type is WireType.LENGTH:
                length, pos = read_varint(view, pos, level.end)
                payload = view[pos : min(pos + length, level.end)]
                inner_fields = (
                    _inner_fields(field, payload, length, guess, max_depth - depth - 1) if depth < max_depth else None
                )
                record = Record(offset, number, wire_type, pos, length, payload, depth, inner_fields is not None, field)
                yield record
                if inner_fields is not None:
                    level = _Level(pos, pos + len(payload), inner_fields, record)
                    levels.append(level)
                elif record.cut:
                    fail_too_short(length, pos, level.end)
                else:
                    pos += length
            elif wire_type is WireType.START_GROUP:
                if depth >= max_depth:
                    fail(f"nested more than {max_depth} levels deep", offset)
                record = Record(offset, number, wire_type, pos, 0, None, depth, True, field)
                yield record
                level = _Level(pos, level.end, _fields(table_of(field.type)) if field else {}, record)
                levels.append(level)
            elif wire_type is WireType.END_GROUP:
                record_offset, opener = None, level.opener
                check_end_group(number, level.group, offset)
                assert opener is not None
                levels.pop()
                level = levels[-1]
                yield Record(offset, number, wire_type, pos, 0, None, depth - 1, False, opener.field)
            else:
                value_start = pos
                value, pos = _read_number(view, pos, level.end, number, wire_type)
                yield Record(offset, number, wire_type, value_start, pos - value_start, value, depth, False, field)
    except DecodeError as error:
        _add_path(error, view, levels, record_offset, max_depth)
        raise


def _read_number(view: memoryview, pos: int, end: int, number: int, wire_type: WireType) -> tuple[int, int]:
    """Return the value of a record that is a varint or has a fixed size, and the position behind it."""
    if wire_type is WireType.VARINT:
        return read_varint(view, pos, end)
    stop = skip_field(view, pos, end, number, wire_type)
    return int.from_bytes(view[pos:stop], "little"), stop


def _add_path(
    error: DecodeError, view: memoryview, levels: list[_Level], record_offset: int | None, max_depth: int
) -> None:
    """Add the path of the current record to an error: the records that opened its levels, and the record itself."""
    openers = [level.opener.offset for level in levels if level.opener]
    for enclosing, child_offset in zip(reversed(levels), (record_offset, *reversed(openers)), strict=True):
        if child_offset is not None:
            error.within(_segment(view, enclosing, child_offset, max_depth))


def _fields(table: Table) -> Mapping[int, Field]:
    """Return the fields and extensions of a message by number. The items of a MessageSet are not fields."""
    extensions = table.extension_fields(table)
    if not extensions or table.message_set:  # type: ignore[attr-defined]  # a table with extensions
        return table.by_number
    return table.by_number | {field.number: field for field in extensions}


def _field(level: _Level, number: int, wire_type: int) -> Field | None:
    """Return the field with a number if its values can have that wire type, else None."""
    field = level.fields.get(number)
    if field is None or wire_type == KINDS[field.kind].wire_type or _is_packed(field, wire_type):
        return field
    return None


def _is_packed(field: Field, wire_type: int) -> bool:
    """Return whether a value is packed: readers accept a payload of packed numbers for every repeated numeric field."""
    return wire_type == WireType.LENGTH and field.label == "repeated" and KINDS[field.kind].packable


def _inner_fields(
    field: Field | None, payload: memoryview, length: int, guess: bool, max_depth: int
) -> Mapping[int, Field] | None:
    """Return the fields of the message in a payload by number; None if the payload must not be entered."""
    if field is None:
        return {} if guess and _is_probably_message(payload, length, max_depth) else None
    if field.key is not None and field.value is not None:
        return {1: field.key, 2: field.value}
    return _fields(table_of(field.type)) if field.kind == "message" else None


def _is_probably_message(payload: memoryview, length: int, max_depth: int) -> bool:
    """Return whether the payload of an unknown field looks like a message and not like text.

    A truncated payload must begin with a complete field.
    """
    if not payload:
        return False
    scanned_end, error = _scan(payload, 0, len(payload), max_depth)
    if error is not None and (length == len(payload) or scanned_end == 0 or not error.is_truncated):
        return False
    return not _is_text(payload)


def _is_text(payload: memoryview) -> bool:
    is_complete = len(payload) <= _TEXT_SAMPLE_BYTES
    try:
        return codecs.utf_8_decode(payload[:_TEXT_SAMPLE_BYTES], "strict", is_complete)[0].isprintable()
    except UnicodeDecodeError:
        return False


def _scan(view: memoryview, pos: int, end: int, max_depth: int) -> tuple[int, DecodeError | None]:
    """Skip complete fields. Return the position after the last one, and the error at this position; None at the end."""
    scanned_end = pos
    try:
        while scanned_end < end:
            number, wire_type, pos = read_tag(view, scanned_end, end)
            scanned_end = skip_field(view, pos, end, number, wire_type, max_depth=max_depth)
    except DecodeError as error:
        return scanned_end, error
    return scanned_end, None


def _segment(view: memoryview, level: _Level, offset: int, max_depth: int) -> str:
    """Return the path segment of the record at `offset`: `name`, `node[17]`, `attr["T"]`, or its field number."""
    number, code, pos = read_tag(view, offset, level.end)
    field = _field(level, number, code)
    if level.is_map_entry and field is not None:
        return "" if field.name == "value" else field.name
    if field is not None and field.label == "singular":
        return field.shown_name
    if field is not None and field.label == "map":
        return field.name + _entry_key(view, pos, level.end)
    if field is not None and _is_packed(field, code):
        return field.shown_name
    index, pos = 0, level.start
    while pos < offset:
        other_number, code, pos = read_tag(view, pos, level.end)
        pos = skip_field(view, pos, level.end, other_number, code, max_depth=max_depth)
        index += other_number == number
    if field is not None:
        return f"{field.shown_name}[{index}]"
    return f"{number}[{index}]" if index else str(number)


def _entry_key(view: memoryview, pos: int, end: int) -> str:
    """Return the key of a map entry as a subscript, `["T"]`; "" if it cannot be read. Its length is at `pos`."""
    try:
        length, pos = read_varint(view, pos, end)
        end = min(end, pos + length)
        while pos < end:
            number, code, pos = read_tag(view, pos, end)
            if number == 1 and code == WireType.LENGTH:
                length, pos = read_varint(view, pos, end)
                key = codecs.utf_8_decode(view[pos : min(end, pos + length, pos + _MAX_KEY_BYTES)], "replace")[0]
                return f"[{json.dumps(key, ensure_ascii=not is_visible(key))}]"
            if number == 1 and code == WireType.VARINT:
                return f"[{read_varint(view, pos, end)[0]}]"
            pos = skip_field(view, pos, end, number, code)
    except DecodeError:
        pass
    return ""


def _view(data: Buffer) -> memoryview:
    return memoryview(data).cast("B")


def _resolve_end(view: memoryview, start: int, end: int | None) -> int:
    stop = len(view) if end is None else end
    if not 0 <= start <= stop <= len(view):
        raise ValueError(f"{start}:{stop} is out of range for {len(view)} bytes")
    return stop
