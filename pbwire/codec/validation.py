"""Find the reason of an error: the value of a message that cannot be encoded, or the bytes that cannot be decoded.

Generated encoders and printers only detect that some value is invalid. The caller then calls `check`, which raises the
EncodeError for the first invalid value.

Generated decoders pass any exception to `locate_error`. If the error was located in a sub-message, `locate_error` only
adds a segment to the path. Otherwise it reads the message once more, with all checks, up to the first invalid field.
Both take time proportional to the size of this one message; sub-messages are skipped.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from operator import index

from ..descriptor import KINDS, LENGTH_DELIMITED, Field, Table
from ..errors import DecodeError, EncodeError, class_name, quoted_key
from ..states import PENDING, UNDECODED
from ..varints import Malformed, as_bytes
from ..wire import WireType, fail, fail_truncated, read_tag, read_varint, skip_field
from .codegen import function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FAULTS = (DecodeError, Malformed, IndexError, ValueError, struct.error, RecursionError, MemoryError)
"""Exceptions that bad input can cause in generated code; any other exception is a bug in pbwire."""

# --- messages to encode ----------------------------------------------------------------------------------------------


def check(message: Any) -> None:
    """Raise the EncodeError for the first value, by field number, that its field cannot hold; if all fit, return."""
    try:
        _check_message(message, message.__table__)
    except RecursionError:
        raise EncodeError("a message holds itself, or is nested more deeply than the recursion limit allows") from None


def elements(field: Field, value: Any) -> Any:
    """Yield the single values of a field with their path segments."""
    if field.label == "singular":
        yield field.shown_name, value
    elif field.label == "repeated":
        for index, item in enumerate(value):
            yield f"{field.shown_name}[{index}]", item
    else:
        for key, item in value.items():
            yield f"{field.name}[{quoted_key(key)}]", item


def _check_message(message: Any, table: Table) -> None:
    if not isinstance(message, table.cls):
        raise EncodeError(f"expected a {table.cls.__name__}, got {_describe_value(message, table.cls)}")
    if message._unknown.__class__ is UNDECODED:
        return  # undecoded: its bytes are written unchanged
    for field in table.by_number.values():
        try:
            if field.label == "map" and getattr(message, field.slot).__class__ is PENDING:
                continue  # undecoded: its bytes are written unchanged
            value = getattr(message, field.name)
        except AttributeError:
            raise EncodeError("was deleted; assign it, or use ClearField", path=field.name) from None
        if value is None and not field.required:
            continue
        if field.label == "map":
            for key in value:
                _check_value(key, field.key, f"{field.name}[{quoted_key(key)}]: its key")
        for segment, item in elements(field, value):
            _check_value(item, field.value or field, segment)
    if table.is_extendable and (extensions := message._extensions) is not None:
        _check_message(extensions, extensions.__table__)
    if not isinstance(message._unknown, bytes):
        raise EncodeError("expected bytes", path="unknown_fields")


def _check_value(value: Any, field: Any, path: str) -> None:
    problem = ""
    kind = KINDS[field.kind]
    if field.is_message:
        try:
            _check_message(value, field.type.__table__)
        except EncodeError as error:
            raise error.within(path) from None
    elif field.kind == "string":
        problem = _string_problem(value)
    elif field.kind == "bytes":
        try:
            as_bytes(value)
        except TypeError:
            problem = f"expected bytes, got {_describe_value(value)}"
    elif field.is_float:
        try:
            struct.pack("<d", value)
        except (struct.error, TypeError, ValueError):
            problem = f"expected a number, got {_describe_value(value)}"
        except OverflowError:
            problem = "is too large for a double"
    elif kind.bounds:
        problem = _integer_problem(value, field, *kind.bounds)
    elif not isinstance(value, int):
        problem = f"expected a bool, got {_describe_value(value)}"
    if problem:
        raise EncodeError(problem, path=path)


def _string_problem(value: Any) -> str:
    if not isinstance(value, str):
        return f"expected a str, got {_describe_value(value)}"
    try:
        value.encode()
    except UnicodeEncodeError as error:
        return f"has no UTF-8 form: character {error.start:,} is the lone surrogate {value[error.start]!a}"
    return ""


def _integer_problem(value: Any, field: Field, low: int, high: int) -> str:
    try:
        value = index(value)
    except (TypeError, ValueError):
        return f"expected an integer, got {_describe_value(value)}"
    if not low <= value <= high:
        return f"{value:,} is out of range for {field.kind} ({low:,} to {high:,})"
    if field.is_closed_enum and value not in field.type.__numbers__:
        return f"{value} is not a member of {field.type.__name__}, which is a closed enum"
    return ""


def _describe_value(value: Any, *expected: type) -> str:
    shown = repr(value)
    return f"{class_name(value, *expected)} {shown if len(shown) < 60 else shown[:57] + '...'}"


# --- bytes to decode -------------------------------------------------------------------------------------------------


def locate_error(
    error: Exception, table: Table, data: bytes, start: int, end: int, depth: int, tag_pos: int
) -> DecodeError:
    """Return the DecodeError for an exception that was raised while a message was decoded.

    The message is data[start:end], and `tag_pos` is the position of the tag of the field that was being decoded.
    """
    if isinstance(error, DecodeError):
        return error.within(_segment(table.by_number, data, start, end, tag_pos))
    if depth < 0:
        return DecodeError("nested too deeply", offset=start)
    if isinstance(error, RecursionError):
        return DecodeError("nested more deeply than this program's recursion limit allows", offset=start)
    if isinstance(error, MemoryError):
        return DecodeError("out of memory", offset=tag_pos)
    try:
        _examine(table.by_number, data, start, end, depth)
    except DecodeError as located:
        return located
    except RecursionError:
        return DecodeError("nested more deeply than this program's recursion limit allows", offset=start)
    return DecodeError(f"cannot be read ({type(error).__name__}: {error})", offset=tag_pos)


def _segment(fields: Mapping[int, Field], data: bytes, start: int, end: int, tag_pos: int) -> str:
    """Return the path segment of the field at `tag_pos`: `node[17]`, `attr["value"]`, `name`; "" for unknown fields."""
    try:
        number, wire_type, pos = read_tag(data, tag_pos, end)
    except DecodeError:
        return ""  # the error is in the tag
    field = fields.get(number)
    if field is None or wire_type not in _wire_types(field):
        return ""
    if field.label == "map":
        return f"{field.name}{_key(field, data, pos, end)}"
    if field.label == "singular" or wire_type != KINDS[field.kind].wire_type:
        return field.shown_name
    index, pos = 0, start
    while pos < tag_pos:
        other_number, wire_type, pos = read_tag(data, pos, end)
        index += other_number == number and wire_type == KINDS[field.kind].wire_type
        pos = skip_field(data, pos, end, other_number, wire_type, max_depth=end)
    return f"{field.shown_name}[{index}]"


def _key(field: Field, data: bytes, pos: int, end: int) -> str:
    """Return the key of the map entry at `pos` as a subscript, such as `["value"]`; "" if it cannot be read."""
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
    """Raise the DecodeError for the first error in data[start:end], a message with these fields.

    Complete sub-messages are skipped.
    """
    tag_pos = pos = start
    while pos < end:
        tag_pos = pos
        number, wire_type, pos = read_tag(data, pos, end)
        field = fields.get(number)
        try:
            if field is not None and wire_type == LENGTH_DELIMITED and wire_type in _wire_types(field):
                size, payload = read_varint(data, pos, end)
                _examine_payload(field, data, payload, min(payload + size, end), size > end - payload, depth)
            after = skip_field(data, pos, end, number, wire_type, max_depth=depth)
        except DecodeError as error:
            raise error.within(_segment(fields, data, start, end, tag_pos)) from None
        pos = after


def _examine_payload(field: Field, data: bytes, pos: int, end: int, cut: bool, depth: int) -> None:
    """Raise the DecodeError for the first error in the payload data[pos:end] of a length-delimited field.

    `cut` is true if the end of the payload is missing.
    """
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
            fail_truncated(end, f"holds {end - pos:,} bytes of numbers of {width} bytes")
    elif kind.packable:
        while pos < end:
            pos = read_varint(data, pos, end)[1]
