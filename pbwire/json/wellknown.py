"""Print and parse Google's well-known messages in JSON, except wrappers, whose code is generated.

In JSON, Timestamp, Duration and FieldMask are strings; Value, ListValue and Struct are any JSON values; an Any is the
JSON of its content with the additional key "@type". Functions that print raise EncodeError; functions that read raise
JsonError. The caller adds the path of the message to the error.

Printers take the output; `head`, the text before the message, such as its key; `line`, a newline and the indentation of
the message; the message; and `depth`, the number of messages that may still be nested, this one included. With
`opened`, the opening brace and a first field are already printed.

Readers take the options, the document, the number of messages that may still be nested, the table, and a message or
None. They replace the content of the given message and return it, or return a new message if it is None.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from math import isfinite
from typing import Any

from ..codec.codegen import function
from ..descriptor import Table, json_name
from ..errors import DecodeError, EncodeError, JsonError, UnknownType, compose, quoted_key
from ..lazy.messages import copy_with_maps
from ..states import PENDING
from ..text.scalars import bool_text
from ..wellknown import FIRST_SECOND, LAST_SECOND, MAX_SECONDS
from .field_lookup import SPECIAL, expect_list, expect_object
from .output import MAX_CHUNKS, MIN_LAZY_BYTES, Output, decoded_message, put_key, put_string
from .scalars import SCALARS, ParseOptions, describe_value

# --- texts of times and field masks ----------------------------------------------------------------------------------

BILLION = 10**9
EPOCH = datetime(1970, 1, 1)

_timestamp = re.compile(  # without hour 24, which fromisoformat accepts since Python 3.13
    r"(\d{4}-\d\d-\d\dT(?!24)\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))", re.ASCII
).fullmatch
_duration = re.compile(r"(-?)(\d{1,12})(?:\.(\d{1,9}))?s", re.ASCII).fullmatch


def timestamp_text(message: Any) -> str:
    seconds, nanos = message.seconds, message.nanos
    if not FIRST_SECOND <= seconds <= LAST_SECOND:
        raise EncodeError(f"{seconds:,} seconds are out of range for a Timestamp: years 1 to 9999")
    if not 0 <= nanos < BILLION:
        raise EncodeError(f"a Timestamp has 0 to 999,999,999 nanos, not {nanos:,}")
    return (EPOCH + timedelta(seconds=seconds)).isoformat() + _fraction(nanos) + "Z"


def duration_text(message: Any) -> str:
    seconds, nanos = message.seconds, message.nanos
    if abs(seconds) > MAX_SECONDS:
        raise EncodeError(
            f"{seconds:,} seconds are out of range for a Duration: "
            f"it must be between -{MAX_SECONDS:,} and {MAX_SECONDS:,}"
        )
    if abs(nanos) >= BILLION:
        raise EncodeError(f"the nanos of a Duration must be between -999,999,999 and 999,999,999, not {nanos:,}")
    if seconds * nanos < 0:
        raise EncodeError(f"the {seconds:,} seconds and {nanos:,} nanos of a Duration must have the same sign")
    sign = "-" if seconds < 0 or nanos < 0 else ""
    return f"{sign}{abs(seconds)}{_fraction(abs(nanos))}s"


def _fraction(nanos: int) -> str:
    """Return the fraction of a second: "" for 0, else a point and 3, 6 or 9 digits."""
    if not nanos:
        return ""
    digits = f"{nanos:09}"
    while digits.endswith("000"):
        digits = digits[:-3]
    return f".{digits}"


def mask_text(message: Any) -> str:
    for path in message.paths:
        if not _is_snake_path(path):
            raise EncodeError(
                f"the path {path!r} cannot be converted to lowerCamelCase and back: "
                "it must not have capitals or commas, and a lowercase letter must follow each underscore"
            )
        path.encode()  # raises UnicodeEncodeError for a lone surrogate
    return ",".join(map(json_name, message.paths))


def _is_snake_path(path: str) -> bool:
    _, *parts = path.split("_")
    return not any(map(str.isupper, path)) and "," not in path and all(part[:1].islower() for part in parts)


# --- parsers of times and field masks --------------------------------------------------------------------------------


def read_timestamp(text: Any) -> tuple[int, int]:
    """Return the seconds and the nanos of a Timestamp."""
    match = _timestamp(text) if isinstance(text, str) else None
    try:
        if match is None:
            raise ValueError
        local, fraction, sign, hours, minutes = match.groups()
        elapsed = datetime.fromisoformat(local) - EPOCH
    except ValueError:
        raise JsonError(
            f'expected a point in time such as "2024-05-31T23:59:59.5Z", got {describe_value(text)}'
        ) from None
    seconds = elapsed.days * 86_400 + elapsed.seconds
    if sign:
        offset = (int(hours) * 60 + int(minutes)) * 60
        seconds += offset if sign == "-" else -offset
    if not FIRST_SECOND <= seconds <= LAST_SECOND:
        raise JsonError(f"{describe_value(text)} is not in the years 1 to 9999, counted in UTC")
    return seconds, _parse_nanos(fraction)


def read_duration(text: Any) -> tuple[int, int]:
    """Return the seconds and the nanos of a Duration."""
    match = _duration(text) if isinstance(text, str) else None
    if match is None:
        raise JsonError(f'expected a length of time in seconds such as "-1.5s", got {describe_value(text)}')
    sign, whole, fraction = match.groups()
    seconds, nanos = int(whole), _parse_nanos(fraction)
    if seconds > MAX_SECONDS:
        raise JsonError(f"{describe_value(text)} is more than {MAX_SECONDS:,} seconds")
    return (-seconds, -nanos) if sign else (seconds, nanos)


def _parse_nanos(fraction: str | None) -> int:
    return int(fraction.ljust(9, "0")) if fraction else 0


def read_mask(text: Any) -> list[str]:
    """Return the paths of a FieldMask, with the field names of the .proto file."""
    if not isinstance(text, str):
        raise JsonError(f'expected field names in lowerCamelCase such as "a,b.cD", got {describe_value(text)}')
    if "_" in text:
        raise JsonError(f"{describe_value(text)} has an underscore: expected field names in lowerCamelCase")
    if not text:
        return []
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise JsonError(f"character {error.start:,} is {text[error.start]!a}, half of a surrogate pair") from None
    paths = "".join(f"_{character.lower()}" if character.isupper() else character for character in text).split(",")
    if ",".join(map(json_name, paths)) != text or not all(map(_is_snake_path, paths)):
        raise JsonError(
            f"{describe_value(text)} has a letter that is different after conversion to lower case and back"
        )
    return paths


# --- printers --------------------------------------------------------------------------------------------------------


def put_message(out: Output, head: str, line: str, message: Any, depth: int, opened: bool = False) -> None:
    """Append a message of any class; see the module docstring for the arguments."""
    table = message.__table__
    if message.__class__ is not table.cls:
        message = decoded_message(message, table)
    function(table, out.printer_name)(out, head, line, message, depth, opened)


def _put_timestamp(out: Output, head: str, line: str, message: Any, depth: int) -> None:
    out.append(f'{head}"{timestamp_text(message)}"')


def _put_duration(out: Output, head: str, line: str, message: Any, depth: int) -> None:
    out.append(f'{head}"{duration_text(message)}"')


def _put_mask(out: Output, head: str, line: str, message: Any, depth: int) -> None:
    put_string(out, head, mask_text(message))


def _put_value(out: Output, head: str, line: str, message: Any, depth: int) -> None:
    kind = message.which_oneof("kind")
    if kind is None and out.unset_value_is_null:
        out.append(f"{head}null")
        return
    if kind is None:
        raise EncodeError("nothing is set in this Value; for null, set null_value")
    value = getattr(message, kind)
    if kind in ("struct_value", "list_value"):
        put_message(out, head, line, value, depth - 1)
    elif kind == "string_value":
        put_string(out, head, value)
    elif kind == "number_value":
        if not isfinite(value):
            raise EncodeError(f"{value} is not a number that JSON can express")
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
        if len(out.chunks) > MAX_CHUNKS:
            out.flush()
    out.append(line + "]")


def _put_struct(out: Output, head: str, line: str, message: Any, depth: int) -> None:
    if message._fields.__class__ is PENDING:
        message = copy_with_maps(message)
    if not message.fields:
        out.append(head + "{}")
        return
    inner = line + out.step
    head = f"{head}{{{inner}"
    for key in sorted(message.fields):
        put_key(out, head, key)
        put_message(out, "", inner, message.fields[key], depth - 1)
        head = out.comma + inner
        if len(out.chunks) > MAX_CHUNKS:
            out.flush()
    out.append(line + "}")


def _put_any(out: Output, head: str, line: str, message: Any, depth: int) -> None:
    if not message.type_url and not message.value:
        out.append(head + "{}")
        return
    packed = unpack_any(message, out)
    inner = line + out.step
    put_string(out, f'{head}{{{inner}"@type": ', message.type_url)
    if packed.__table__.full_name in SPECIAL:
        put_message(out, f'{out.comma}{inner}"value": ', inner, packed, depth - 1)
        out.append(line + "}")
    else:
        put_message(out, "", line, packed, depth, True)


def unpack_any(message: Any, out: Output) -> Any:
    """Return the message that an Any holds.

    Raises EncodeError if its class is not known, or its bytes are not such a message.
    """
    _, slash, name = message.type_url.rpartition("/")
    if not slash or not name:
        raise EncodeError(f"{message.type_url!r} has no type name: expected a slash and then the type's full name")
    cls: Any = None if out.types is None else out.types.get(name)
    if cls is None:
        why = ": the argument types= is missing" if out.types is None else UnknownType()
        raise EncodeError(compose(f"an Any holds {name}, which cannot be printed without its class", why))
    try:
        return cls.from_bytes(message.value, lazy=len(message.value) > MIN_LAZY_BYTES)
    except DecodeError as error:
        raise EncodeError(f"the content of an Any is not a valid {name}: {error}") from None


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


# --- readers ---------------------------------------------------------------------------------------------------------


def _read_timestamp(options: ParseOptions, document: Any, depth: int, table: Table, message: Any) -> Any:
    message = message or table.cls()
    message.seconds, message.nanos = read_timestamp(document)
    return message


def _read_duration(options: ParseOptions, document: Any, depth: int, table: Table, message: Any) -> Any:
    message = message or table.cls()
    message.seconds, message.nanos = read_duration(document)
    return message


def _read_mask(options: ParseOptions, document: Any, depth: int, table: Table, message: Any) -> Any:
    message = message or table.cls()
    message.paths = read_mask(document)
    return message


def _read_value(options: ParseOptions, document: Any, depth: int, table: Table, message: Any) -> Any:
    message = message or table.cls()
    kind = document.__class__
    if document is None:
        message.null_value = table.by_name["null_value"].type(0)
    elif kind is bool:
        message.bool_value = document
    elif kind is str:
        message.string_value = SCALARS["string"](document)
    elif kind is not bool and isinstance(document, (int, float)):
        message.number_value = SCALARS["double"](document)
    elif isinstance(document, dict):
        message.struct_value = _read_inner("struct_value", options, document, depth, table)
    elif isinstance(document, (list, tuple)):
        message.list_value = _read_inner("list_value", options, document, depth, table)
    else:
        raise JsonError(f"expected a value that JSON can express, got {describe_value(document)}")
    return message


def _read_inner(name: str, options: ParseOptions, document: Any, depth: int, table: Table) -> Any:
    return function(table.by_name[name].type.__table__, "read_json")(options, document, depth - 1)


def _read_list_value(options: ParseOptions, document: Any, depth: int, table: Table, message: Any) -> Any:
    message = message or table.cls()
    read = function(table.by_name["values"].type.__table__, "read_json")
    values: list[Any] = []
    try:
        for element in expect_list(document):
            values.append(read(options, element, depth - 1))
    except JsonError as error:
        raise error.within(f"[{len(values)}]") from None
    message.values = values
    return message


def _read_struct(options: ParseOptions, document: Any, depth: int, table: Table, message: Any) -> Any:
    message = message or table.cls()
    expect_object(document, table)
    element = table.by_name["fields"].value
    assert element is not None
    read, fields, key = function(element.type.__table__, "read_json"), {}, None
    try:
        for key, value in document.items():
            fields[SCALARS["string"](key)] = read(options, value, depth - 1)
    except JsonError as error:
        raise error.within(f"[{quoted_key(key)}]" if isinstance(key, str) else "") from None
    message.fields = fields
    return message


def _read_any(options: ParseOptions, document: Any, depth: int, table: Table, message: Any) -> Any:
    message = message or table.cls()
    expect_object(document, table)
    if not document:
        message.type_url, message.value = "", b""
        return message
    if "@type" not in document:
        raise JsonError('an Any needs "@type", the URL of its type')
    url = document["@type"]
    packed_table = _find_class(options, url).__table__
    content = {name: value for name, value in document.items() if name != "@type"}
    if packed_table.full_name in SPECIAL:
        packed = _read_special(options, content, depth, packed_table)
    else:
        packed = function(packed_table, "read_json")(options, content, depth)
    message.type_url = url
    try:
        message.value = packed.to_bytes(deterministic=True)
    except EncodeError as error:  # a required field may be missing
        raise JsonError(f"the {packed_table.cls.__name__} in an Any cannot be encoded: {error}") from None
    return message


def _read_special(options: ParseOptions, content: dict[str, Any], depth: int, table: Table) -> Any:
    """Return the message in an Any whose JSON is not an object of its fields, such as a Timestamp.

    Its JSON is under the key "value".
    """
    if "value" not in content:
        raise JsonError(f'an Any of {table.cls.__name__} needs the key "value"')
    if len(content) > 1 and not options.ignore_unknown:
        other = next(name for name in content if name != "value")
        raise JsonError(
            f'an Any of {table.cls.__name__} may have only the keys "@type" and "value", got {describe_value(other)}'
        )
    try:
        return function(table, "read_json")(options, content["value"], depth - 1)
    except JsonError as error:
        raise error.within("value") from None


def _find_class(options: ParseOptions, url: Any) -> Any:
    if not isinstance(url, str):
        raise JsonError(f'"@type" should be the URL of a type, got {describe_value(url)}')
    _, slash, name = url.rpartition("/")
    if not slash or not name:
        raise JsonError(f'"@type" is {describe_value(url)}: expected a slash and then the full name of a type')
    cls = None if options.types is None else options.types.get(name)
    if cls is None:
        why = ": the argument types= is missing" if options.types is None else UnknownType()
        raise JsonError(compose(f"an Any of type {describe_value(name)} cannot be read without its class", why))
    SCALARS["string"](url)
    return cls


READERS: dict[str, Callable[[ParseOptions, Any, int, Table, Any], Any]] = {
    f"google.protobuf.{name}": read
    for name, read in {
        "Any": _read_any,
        "Duration": _read_duration,
        "FieldMask": _read_mask,
        "ListValue": _read_list_value,
        "Struct": _read_struct,
        "Timestamp": _read_timestamp,
        "Value": _read_value,
    }.items()
}
