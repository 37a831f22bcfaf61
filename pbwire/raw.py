"""Looking at wire bytes without decoding them: what stands where, even in a damaged file.

    for record in walk(data, cls=NodeDef):
        print(record.offset, record.number, record.wire_type.name, record.length)

`walk` goes through the bytes from first to last and yields a Record for every tag. Left alone it stays on one level
(what is inside a group belongs to it, since only walking shows where a group ends). Given a message class it descends
into the fields that its table says are messages; with `guess=True` it also descends into payloads that no table
explains but that look like messages. It uses no recursion, allocates nothing of a declared size, and takes time
linear in the input whatever the input is.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .descriptor import KINDS, Field, table_of
from .errors import DecodeError
from .printable import is_visible
from .wire import MAX_DEPTH, Buffer, WireType, check_end_group, fail, read_tag, read_varint, skip_field, too_short

__all__ = ["Record", "looks_like_message", "walk"]

_WIRE_TYPES = tuple(WireType)
_TEXT_SAMPLE = 64  # so many bytes decide whether a payload is text; a bound keeps nested payloads from being reread
_KEY_SHOWN = 100  # bytes


@dataclass(frozen=True, slots=True)
class Record:
    """A tag and its value.

    offset     where the tag is, in the whole input
    start      where the value is: behind the tag and, for WireType.LENGTH, behind the length
    length     how many bytes the value has; as declared, so `end` may lie behind the input if that was cut off.
               The two ends of a group have 0.
    value      an unsigned int, exactly as it was on the wire; a view of the payload (of what there is of it, when it
               was cut off); None for the ends of a group
    depth      how many messages and groups are around it
    nested     the records of its payload follow, one deeper. Of a group, they stand between its two ends.
    field      the row of the table it belongs to, if that is known and its wire type fits
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
        """Whether the input ends before the payload does. The walk ends with a DecodeError in or behind this one."""
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
    """Yield what stands in `data[start:end]`, in order; then raise DecodeError if that is damaged.

    A payload that goes on behind the end is yielded, and entered where a whole one would be, before the error.
    Below `max_depth` a payload is shown as bytes, while a group, which has no end to show, is an error.
    """
    view = _view(data)
    stop = _stop(view, start, end)
    fields = {} if cls is None else table_of(cls).by_number
    return _walk(view, _Level(start, stop, fields, None), guess, max_depth)


def looks_like_message(data: Buffer, *, start: int = 0, end: int | None = None, max_depth: int = MAX_DEPTH) -> bool:
    """Whether `data[start:end]` is whole fields from start to end, on the outermost level. No bytes at all are.

    Short texts sometimes look like messages; "0x" says that field 6 is 120.
    """
    view = _view(data)
    return _scan(view, start, _stop(view, start, end), max_depth)[1] is None


@dataclass(slots=True)
class _Level:
    """A message or group being walked: where its records are, what its fields are called, what opened it."""

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
    at: int | None = None  # the record in `level` that an error is about, once its tag has been read
    try:
        while True:
            while pos == level.end:
                opener = level.opener
                if opener is None:
                    return
                levels.pop()
                level, at = levels[-1], opener.offset
                if opener.wire_type is WireType.START_GROUP:
                    fail("truncated", pos, detail="is not closed")
                if opener.cut:
                    too_short(opener.length, opener.start, level.end)
            at, offset, depth = None, pos, len(levels) - 1
            number, code, pos = read_tag(view, pos, level.end)
            at = offset
            wire_type = _WIRE_TYPES[code]
            field = _field(level, number, wire_type)
            if wire_type is WireType.LENGTH:
                length, pos = read_varint(view, pos, level.end)
                payload = view[pos : min(pos + length, level.end)]
                inside = _inside(field, payload, length, guess, max_depth - depth - 1) if depth < max_depth else None
                record = Record(offset, number, wire_type, pos, length, payload, depth, inside is not None, field)
                yield record
                if inside is not None:
                    level = _Level(pos, pos + len(payload), inside, record)
                    levels.append(level)
                elif record.cut:
                    too_short(length, pos, level.end)
                else:
                    pos += length
            elif wire_type is WireType.START_GROUP:
                if depth >= max_depth:
                    fail(f"nested more than {max_depth} levels deep", offset)
                record = Record(offset, number, wire_type, pos, 0, None, depth, True, field)
                yield record
                level = _Level(pos, level.end, table_of(field.type).by_number if field else {}, record)
                levels.append(level)
            elif wire_type is WireType.END_GROUP:
                at, opener = None, level.opener
                check_end_group(number, level.group, offset)
                assert opener is not None
                levels.pop()
                level = levels[-1]
                yield Record(offset, number, wire_type, pos, 0, None, depth - 1, False, opener.field)
            else:
                value_at = pos
                if wire_type is WireType.VARINT:
                    value, pos = read_varint(view, pos, level.end)
                else:
                    pos = skip_field(view, pos, level.end, number, code)
                    value = int.from_bytes(view[value_at:pos], "little")
                yield Record(offset, number, wire_type, value_at, pos - value_at, value, depth, False, field)
    except DecodeError as error:
        openers = [level.opener.offset for level in levels if level.opener]
        for around, child in zip(reversed(levels), (at, *reversed(openers)), strict=True):
            if child is not None:
                error.within(_segment(view, around, child, max_depth))
        raise


def _field(level: _Level, number: int, wire_type: int) -> Field | None:
    """The row for this number, if a value laid out like this belongs to it."""
    field = level.fields.get(number)
    if field is None or wire_type == KINDS[field.kind].wire_type or _is_packed(field, wire_type):
        return field
    return None


def _is_packed(field: Field, wire_type: int) -> bool:
    """Whether a payload is many numbers. Readers accept that wherever a field is repeated."""
    return wire_type == WireType.LENGTH and field.label == "repeated" and KINDS[field.kind].packable


def _inside(
    field: Field | None, payload: memoryview, length: int, guess: bool, max_depth: int
) -> Mapping[int, Field] | None:
    """The fields to look for inside a payload; None if it is not to be entered."""
    if field is None:
        return {} if guess and _worth_entering(payload, length, max_depth) else None
    if field.key is not None and field.value is not None:
        return {1: field.key, 2: field.value}
    return table_of(field.type).by_number if field.kind == "message" else None


def _worth_entering(payload: memoryview, length: int, max_depth: int) -> bool:
    """Whether unexplained bytes are better shown as a message. One that is cut off must have a whole field first."""
    if not payload:
        return False
    behind, error = _scan(payload, 0, len(payload), max_depth)
    if error is not None and (length == len(payload) or behind == 0 or not error.message.startswith("truncated")):
        return False
    return not _is_text(payload)


def _is_text(payload: memoryview) -> bool:
    whole = len(payload) <= _TEXT_SAMPLE
    try:
        return codecs.utf_8_decode(payload[:_TEXT_SAMPLE], "strict", whole)[0].isprintable()
    except UnicodeDecodeError:
        return False


def _scan(view: memoryview, pos: int, end: int, max_depth: int) -> tuple[int, DecodeError | None]:
    """Step over whole fields: the position behind the last one, and what is wrong there if that is not the end."""
    behind = pos
    try:
        while behind < end:
            number, wire_type, pos = read_tag(view, behind, end)
            behind = skip_field(view, pos, end, number, wire_type, max_depth=max_depth)
    except DecodeError as error:
        return behind, error
    return behind, None


def _segment(view: memoryview, level: _Level, offset: int, max_depth: int) -> str:
    """How the record at `offset` is called in a path: `name`, `node[17]`, `attr["T"]`; by its number if need be."""
    number, code, pos = read_tag(view, offset, level.end)
    field = _field(level, number, code)
    if level.is_map_entry and field is not None:
        return "" if field.name == "value" else field.name
    if field is not None and field.label == "singular":
        return field.name
    if field is not None and field.label == "map":
        return field.name + _entry_key(view, pos, level.end)
    if field is not None and _is_packed(field, code):
        return field.name
    index, pos = 0, level.start
    while pos < offset:
        other, code, pos = read_tag(view, pos, level.end)
        pos = skip_field(view, pos, level.end, other, code, max_depth=max_depth)
        index += other == number
    if field is not None:
        return f"{field.name}[{index}]"
    return f"{number}[{index}]" if index else str(number)


def _entry_key(view: memoryview, pos: int, end: int) -> str:
    """The key of the map entry whose length is at `pos`, as a path shows it; nothing if it cannot be read."""
    try:
        length, pos = read_varint(view, pos, end)
        end = min(end, pos + length)
        while pos < end:
            number, code, pos = read_tag(view, pos, end)
            if number == 1 and code == WireType.LENGTH:
                length, pos = read_varint(view, pos, end)
                key = codecs.utf_8_decode(view[pos : min(end, pos + length, pos + _KEY_SHOWN)], "replace")[0]
                return f"[{json.dumps(key, ensure_ascii=not is_visible(key))}]"
            if number == 1 and code == WireType.VARINT:
                return f"[{read_varint(view, pos, end)[0]}]"
            pos = skip_field(view, pos, end, number, code)
    except DecodeError:
        pass
    return ""


def _view(data: Buffer) -> memoryview:
    return memoryview(data).cast("B")


def _stop(view: memoryview, start: int, end: int | None) -> int:
    stop = len(view) if end is None else end
    if not 0 <= start <= stop <= len(view):
        raise ValueError(f"{start}:{stop} is not a part of {len(view)} bytes")
    return stop
