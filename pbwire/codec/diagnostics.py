"""Find out what is wrong with bytes that could not be decoded, and where.

A generated decoder passes any exception to `locate_error`. If a sub-message has failed, the error is explained already
and gets one more segment of its path. Otherwise the message is walked once more, with all checks, up to the first
invalid field. Both take time in proportion to that one message; sub-messages are skipped.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from ..descriptor import KINDS, LENGTH_DELIMITED, Field, Table
from ..errors import DecodeError
from ..printable import quoted_key
from ..varints import Malformed
from ..wire import WireType, fail, read_tag, read_varint, skip_field
from .codegen import function

__all__ = ["FAULTS", "locate_error"]

FAULTS = (DecodeError, Malformed, IndexError, ValueError, struct.error, RecursionError, MemoryError)
"""Exceptions that bad input can cause in generated code; any other exception is a bug in pbwire."""


def locate_error(error: Exception, table: Table, data: bytes, start: int, end: int, depth: int, at: int) -> DecodeError:
    """Return the DecodeError for an exception in data[start:end], in the field whose tag is at `at`."""
    if isinstance(error, DecodeError):
        return error.within(_segment(table.by_number, data, start, end, at))
    if depth < 0:
        return DecodeError("nested too deeply", offset=start)
    if isinstance(error, RecursionError):
        return DecodeError("nested more deeply than this program's recursion limit allows", offset=start)
    if isinstance(error, MemoryError):
        return DecodeError("out of memory", offset=at)
    try:
        _examine(table.by_number, data, start, end, depth)
    except DecodeError as explained:
        return explained
    except RecursionError:
        return DecodeError("nested more deeply than this program's recursion limit allows", offset=start)
    return DecodeError(f"cannot be read ({type(error).__name__}: {error})", offset=at)


def _segment(fields: Mapping[int, Field], data: bytes, start: int, end: int, at: int) -> str:
    """Return the path segment of the field at `at`: `node[17]`, `attr["value"]`, `name`; "" if it is unknown."""
    try:
        number, wire_type, pos = read_tag(data, at, end)
    except DecodeError:
        return ""  # the error is in the tag
    field = fields.get(number)
    if field is None or wire_type not in _wire_types(field):
        return ""
    if field.label == "map":
        return f"{field.name}{_key(field, data, pos, end)}"
    if field.label == "singular" or wire_type != KINDS[field.kind].wire_type:
        return field.name
    index, pos = 0, start
    while pos < at:
        other, wire_type, pos = read_tag(data, pos, end)
        index += other == number and wire_type == KINDS[field.kind].wire_type
        pos = skip_field(data, pos, end, other, wire_type, max_depth=end)
    return f"{field.name}[{index}]"


def _key(field: Field, data: bytes, pos: int, end: int) -> str:
    """Return the key of the entry at `pos` as an index, or "" if it cannot be read."""
    assert field.key is not None
    try:
        size, pos = read_varint(data, pos, end)
        stop = min(end, pos + size)
        while pos < stop:
            number, wire_type, pos = read_tag(data, pos, stop)
            if number == 1 and wire_type == KINDS[field.key.kind].wire_type:
                if wire_type == LENGTH_DELIMITED:
                    size, pos = read_varint(data, pos, stop)
                    return f"[{quoted_key(data[pos : min(stop, pos + size)].decode())}]"
                return f"[{read_varint(data, pos, stop)[0]}]" if wire_type == WireType.VARINT else ""
            pos = skip_field(data, pos, stop, number, wire_type)
    except (DecodeError, UnicodeDecodeError):
        pass
    return ""


def _wire_types(field: Field) -> tuple[int, ...]:
    kind = KINDS[field.kind]
    if field.label == "repeated" and kind.packable:
        return kind.wire_type, LENGTH_DELIMITED
    return (kind.wire_type,)


def _examine(fields: Mapping[int, Field], data: bytes, start: int, end: int, depth: int) -> None:
    """Raise the DecodeError for the first error in this message, without looking into complete sub-messages."""
    at = pos = start
    while pos < end:
        at = pos
        number, wire_type, pos = read_tag(data, pos, end)
        field = fields.get(number)
        try:
            if field is not None and wire_type == LENGTH_DELIMITED and wire_type in _wire_types(field):
                size, payload = read_varint(data, pos, end)
                _examine_payload(field, data, payload, min(payload + size, end), size > end - payload, depth)
            after = skip_field(data, pos, end, number, wire_type, max_depth=depth)
        except DecodeError as error:
            raise error.within(_segment(fields, data, start, end, at)) from None
        pos = after


def _examine_payload(field: Field, data: bytes, pos: int, end: int, cut: bool, depth: int) -> None:
    """Raise the DecodeError for the first error in a length-delimited field, of which the end may be cut off."""
    kind = KINDS[field.kind]
    if field.key is not None and field.value is not None:
        if depth < 1:
            fail("nested too deeply", pos)
        try:
            _examine({1: field.key, 2: field.value}, data, pos, end, depth - 1)
        except DecodeError as error:
            error.path = error.path.removeprefix("value").removeprefix(".")  # attr["T"], not attr["T"].value
            raise
    elif field.kind == "message":
        if cut:  # report the innermost truncated field; complete ones were decoded before
            function(field.type.__table__, "decode")(data, pos, end, depth - 1)
    elif cut:
        return
    elif field.kind == "string":
        try:
            str(data[pos:end], "utf-8")
        except UnicodeDecodeError as error:
            fail("not UTF-8", pos + error.start)
    elif kind.format:
        width = 4 if kind.wire_type == WireType.FIXED32 else 8
        if (end - pos) % width:
            fail("truncated", end, detail=f"holds {end - pos:,} bytes of numbers of {width} bytes")
    elif kind.packable:
        while pos < end:
            pos = read_varint(data, pos, end)[1]
