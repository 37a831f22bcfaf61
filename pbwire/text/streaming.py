"""Split undecoded messages into parts, so that a large one is never decoded as a whole.

Encoders write fields in ascending order of their numbers, and printing uses the same order. So a message can be cut
between two of its fields and printed part by part, with the same text. It is not cut if its fields are in another
order, or if it has several members of one oneof. Entries of one map stay together, since printing sorts them, and so do
occurrences of one singular field.

A large message that is not cut is decoded lazily: first its own fields, and each sub-message when it is printed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..codec.codegen import function
from ..descriptor import KINDS, LENGTH_DELIMITED, Field, Table
from ..errors import DecodeError
from ..lazy.messages import decode_copy, span_positions
from ..varints import write_varint
from ..wire import read_tag, read_varint, skip_field

MIN_PART_BYTES = 1 << 16  # smaller messages are decoded as a whole
MAX_SMALL_FIELD_BYTES = 2 + 127  # with a tag and a length of one byte each


def message_parts(table: Table, span: tuple[Any, ...], *, whole: bool, whole_lists: bool) -> Iterator[Any]:
    """Yield messages that together have the content of one undecoded message.

    `span` is its data, depth and positions.

    With `whole`, the message is not cut; with `whole_lists`, lists are not cut, except lists of messages. A large value
    of a bytes field is a view of the input. Raises DecodeError.
    """
    positions = span_positions(span)
    size = sum(positions[1::2]) - sum(positions[::2])
    try:
        if size < MIN_PART_BYTES:
            yield decode_copy(table, span)
        elif whole or len(positions) > 2:
            yield decode_copy(table, span, "decode_lazily")
        else:
            yield from _Cutter(table, span[0], span[1], whole_lists).parts(*positions)
    except DecodeError as error:
        raise _locate_in_whole(error, table, span).within(table.cls.__name__) from None


def _locate_in_whole(error: DecodeError, table: Table, span: tuple[Any, ...]) -> DecodeError:
    """Decode the whole message to get its error, with list indices that count from its start.

    `error` was raised for a part, and its indices count from the start of that part.
    """
    try:
        decode_copy(table, span)
    except DecodeError as located:
        return located
    return error


class _Cutter:
    """Cuts messages of one class in `data`, whose sub-messages may be nested `depth` levels deep."""

    def __init__(self, table: Table, data: bytes, depth: int, whole_lists: bool) -> None:
        self.table = table
        self.data = data
        self.depth = depth
        self.whole_lists = whole_lists

    def parts(self, start: int, end: int) -> Iterator[Any]:
        for begin, stop, is_single_field in self._split(start, end):
            if is_single_field and stop - begin > MIN_PART_BYTES:
                yield from self._parts_of_field(begin, stop)
            else:
                yield self._decode(self.data, begin, stop)

    def _decode(self, data: bytes, start: int, end: int) -> Any:
        what = "decode" if end - start <= MIN_PART_BYTES else "decode_lazily"
        return function(self.table, what)(data, start, end, self.depth)

    def _split(self, start: int, end: int) -> list[tuple[int, int, bool]]:
        """Return starts and ends of the parts, and whether a part is a single field."""
        data, by_number = self.data, self.table.by_number
        uncut = [(start, end, False)]  # one part: decoding it succeeds, or raises the error that belongs to the message
        parts = []
        members: dict[str, int] = {}
        begin = pos = start
        field_count = last_number = 0
        while pos < end:
            field_start = pos
            try:
                number, wire_type, pos = read_tag(data, pos, end)
                pos = skip_field(data, pos, end, number, wire_type, max_depth=self.depth)
            except DecodeError:
                return uncut
            field = by_number.get(number)
            field_count += 1
            if field is None:
                continue
            if number < last_number or (field.oneof and members.setdefault(field.oneof, number) != number):
                return uncut
            whole = self._must_be_whole(field)
            if pos - begin > MIN_PART_BYTES and field_start > begin and not (number == last_number and whole):
                parts.append((begin, field_start, field_count == 2))
                begin, field_count = field_start, 1
            last_number = number
            if wire_type == LENGTH_DELIMITED and data[field_start] < 128:  # skip small fields with the same tag quickly
                stop = end - 1 if whole else min(end - 1, begin + MIN_PART_BYTES - MAX_SMALL_FIELD_BYTES)
                while pos < stop and data[pos] == data[field_start] and data[pos + 1] < 128:
                    pos += data[pos + 1] + 2
                    field_count = 3
        return [*parts, (begin, end, field_count == 1)] if pos == end else uncut

    def _must_be_whole(self, field: Field) -> bool:
        """Return whether all occurrences of the field must be in one part."""
        return field.label != "repeated" or (self.whole_lists and not field.is_message)

    def _parts_of_field(self, start: int, end: int) -> Iterator[Any]:
        """Yield the parts of one large field: pieces of a packed list, or one view of a bytes value.

        Any other field is a single part.
        """
        number, wire_type, pos = read_tag(self.data, start, end)
        field = self.table.by_number.get(number)
        if field is None or field.label == "map" or wire_type != LENGTH_DELIMITED:
            yield self._decode(self.data, start, end)
            return
        pos = read_varint(self.data, pos, end)[1]
        if field.kind == "bytes":
            value = memoryview(self.data)[pos:end]
            yield self.table.cls(**{field.name: [value] if field.label == "repeated" else value})
        elif KINDS[field.kind].packable and not self._must_be_whole(field):
            tag = write_varint(number << 3 | LENGTH_DELIMITED)
            for values in self._split_numbers(field, pos, end):
                head = tag + write_varint(len(values))
                yield self._decode(head + values, 0, len(head) + len(values))
        else:
            yield self._decode(self.data, start, end)

    def _split_numbers(self, field: Field, pos: int, end: int) -> Iterator[bytes]:
        """Yield the parts of a packed list, each encoded as a field."""
        while pos < end:
            stop = min(pos + MIN_PART_BYTES // 2, end)
            if not KINDS[field.kind].format:
                while stop < end and self.data[stop - 1] > 127:
                    stop += 1
            yield self.data[pos:stop]
            pos = stop
