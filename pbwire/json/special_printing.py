"""Printers of the messages that JSON spells in a way of their own; wrappers, which are generated, excepted."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

from ..compiling import function
from ..errors import DecodeError, EncodeError
from ..lazy import with_maps_read
from .literals import bool_text
from .names import SPECIAL
from .output import FULL, LARGE, Output, put_key, put_string, readable
from .times import duration_text, mask_text, timestamp_text

__all__ = ["PRINTERS", "packed_in", "put_message"]


def put_message(out: Output, head: str, line: str, message: Any, depth: int, opened: bool = False) -> None:
    """Append a message of whatever class; `depth` is how many may stand one inside the other, this one included."""
    table = message.__table__
    if message.__class__ is not table.cls:
        message = readable(message, table)
    function(table, out.what)(out, head, line, message, depth, opened)


def _put_timestamp(out: Output, head: str, line: str, message: Any, depth: int) -> None:
    out.append(f'{head}"{timestamp_text(message)}"')


def _put_duration(out: Output, head: str, line: str, message: Any, depth: int) -> None:
    out.append(f'{head}"{duration_text(message)}"')


def _put_mask(out: Output, head: str, line: str, message: Any, depth: int) -> None:
    put_string(out, head, mask_text(message))


# --- any JSON value ----------------------------------------------------------------------------------------------


def _put_value(out: Output, head: str, line: str, message: Any, depth: int) -> None:
    kind = message.which_oneof("kind")
    if kind is None:
        raise EncodeError("nothing is set in this Value; for null, set null_value")
    value = getattr(message, kind)
    if kind in ("struct_value", "list_value"):
        put_message(out, head, line, value, depth - 1)
    elif kind == "string_value":
        put_string(out, head, value)
    elif kind == "number_value":
        if not isfinite(value):
            raise EncodeError(f"{value} has no form in JSON that would be read as a number")
        out.append(f"{head}{float(value)}")
    else:
        out.append(head + ("null" if kind == "null_value" else bool_text(value)))


def _put_list_value(out: Output, head: str, line: str, message: Any, depth: int) -> None:
    if not message.values:
        out.append(head + "[]")
        return
    inner = line + out.step
    head = f"{head}[{inner}"
    for value in message.values:
        put_message(out, head, inner, value, depth - 1)
        head = out.comma + inner
        if len(out.chunks) > FULL:
            out.flush()
    out.append(line + "]")


def _put_struct(out: Output, head: str, line: str, message: Any, depth: int) -> None:
    if message._fields.__class__ is tuple:  # not read yet
        message = with_maps_read(message)
    if not message.fields:
        out.append(head + "{}")
        return
    inner = line + out.step
    head = f"{head}{{{inner}"
    for key in sorted(message.fields):
        put_key(out, head, key)
        put_message(out, "", inner, message.fields[key], depth - 1)
        head = out.comma + inner
        if len(out.chunks) > FULL:
            out.flush()
    out.append(line + "}")


# --- Any ---------------------------------------------------------------------------------------------------------


def _put_any(out: Output, head: str, line: str, message: Any, depth: int) -> None:
    if not message.type_url and not message.value:
        out.append(head + "{}")
        return
    packed = packed_in(message, out)
    inner = line + out.step
    put_string(out, f'{head}{{{inner}"@type": ', message.type_url)
    if packed.__table__.full_name in SPECIAL:
        put_message(out, f'{out.comma}{inner}"value": ', inner, packed, depth - 1)
        out.append(line + "}")
    else:
        put_message(out, "", line, packed, depth, True)


def packed_in(message: Any, out: Output) -> Any:
    """The message that an Any holds. Raises EncodeError if its class is not known, or its bytes are no such message."""
    _, slash, name = message.type_url.rpartition("/")
    if not slash or not name:
        raise EncodeError(f"{message.type_url!r} names no type: expected a slash and then the type's full name")
    cls: Any = None if out.types is None else out.types.get(name)
    if cls is None:
        what = "no types= are given" if out.types is None else "types= has no such name"
        raise EncodeError(f"an Any holds {name}, which cannot be printed without its class: {what}")
    try:
        return cls.from_bytes(message.value, lazy=len(message.value) > LARGE)
    except DecodeError as error:
        raise EncodeError(f"an Any should hold {name}, but: {error}") from None


PRINTERS: dict[str, Callable[[Output, str, str, Any, int], None]] = {
    f"google.protobuf.{name}": put
    for name, put in {
        "Any": _put_any,
        "Duration": _put_duration,
        "FieldMask": _put_mask,
        "ListValue": _put_list_value,
        "Struct": _put_struct,
        "Timestamp": _put_timestamp,
        "Value": _put_value,
    }.items()
}
