"""Readers of the messages that JSON spells in a way of their own; wrappers, which are generated, excepted.

Each is given the reader's options, the document, how many messages may stand one inside the other, the table, and the
message to fill or None; whatever that one held is replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..compiling import function
from ..diagnosis import quoted
from ..errors import EncodeError, JsonError
from ..fields import Table
from .members import expect_list, expect_object
from .names import SPECIAL
from .scalars import SCALARS, Reader, shown
from .times import read_duration, read_mask, read_timestamp

__all__ = ["READERS"]


def _read_timestamp(reader: Reader, document: Any, depth: int, table: Table, message: Any) -> Any:
    message = message or table.cls()
    message.seconds, message.nanos = read_timestamp(document)
    return message


def _read_duration(reader: Reader, document: Any, depth: int, table: Table, message: Any) -> Any:
    message = message or table.cls()
    message.seconds, message.nanos = read_duration(document)
    return message


def _read_mask(reader: Reader, document: Any, depth: int, table: Table, message: Any) -> Any:
    message = message or table.cls()
    message.paths = read_mask(document)
    return message


# --- any JSON value ----------------------------------------------------------------------------------------------


def _read_value(reader: Reader, document: Any, depth: int, table: Table, message: Any) -> Any:
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
        message.struct_value = _inner("struct_value", reader, document, depth, table)
    elif isinstance(document, (list, tuple)):
        message.list_value = _inner("list_value", reader, document, depth, table)
    else:
        raise JsonError(f"expected a value that JSON has, got {shown(document)}")
    return message


def _inner(name: str, reader: Reader, document: Any, depth: int, table: Table) -> Any:
    return function(table.by_name[name].type.__table__, "read_json")(reader, document, depth - 1)


def _read_list_value(reader: Reader, document: Any, depth: int, table: Table, message: Any) -> Any:
    message = message or table.cls()
    read = function(table.by_name["values"].type.__table__, "read_json")
    values: list[Any] = []
    try:
        for element in expect_list(document):
            values.append(read(reader, element, depth - 1))
    except JsonError as error:
        raise error.within(f"[{len(values)}]") from None
    message.values = values
    return message


def _read_struct(reader: Reader, document: Any, depth: int, table: Table, message: Any) -> Any:
    message = message or table.cls()
    expect_object(document, table)
    element = table.by_name["fields"].value
    assert element is not None
    read, fields, key = function(element.type.__table__, "read_json"), {}, None
    try:
        for key, value in document.items():
            fields[SCALARS["string"](key)] = read(reader, value, depth - 1)
    except JsonError as error:
        raise error.within(f"[{quoted(key)}]" if isinstance(key, str) else "") from None
    message.fields = fields
    return message


# --- Any ---------------------------------------------------------------------------------------------------------


def _read_any(reader: Reader, document: Any, depth: int, table: Table, message: Any) -> Any:
    message = message or table.cls()
    expect_object(document, table)
    if not document:
        message.type_url, message.value = "", b""
        return message
    if "@type" not in document:
        raise JsonError('an Any needs "@type", the URL of its type')
    url = document["@type"]
    packed_table = _class_of(reader, url).__table__
    content = {name: value for name, value in document.items() if name != "@type"}
    if packed_table.full_name in SPECIAL:
        packed = _read_special(reader, content, depth, packed_table)
    else:
        packed = function(packed_table, "read_json")(reader, content, depth)
    message.type_url = url
    try:
        message.value = packed.to_bytes(deterministic=True)
    except EncodeError as error:  # what is required may be missing
        raise JsonError(f"the {packed_table.cls.__name__} in an Any cannot be encoded: {error}") from None
    return message


def _read_special(reader: Reader, content: dict[str, Any], depth: int, table: Table) -> Any:
    """A message that is not spelled as an object of its fields, and so stands under the key "value"."""
    if "value" not in content:
        raise JsonError(f'an Any of {table.cls.__name__} has that under the key "value", which is not there')
    if len(content) > 1 and not reader.ignore_unknown:
        other = next(name for name in content if name != "value")
        raise JsonError(f'an Any of {table.cls.__name__} has "@type" and "value", and no {shown(other)}')
    try:
        return function(table, "read_json")(reader, content["value"], depth - 1)
    except JsonError as error:
        raise error.within("value") from None


def _class_of(reader: Reader, url: Any) -> Any:
    if not isinstance(url, str):
        raise JsonError(f'"@type" should be the URL of a type, got {shown(url)}')
    _, slash, name = url.rpartition("/")
    if not slash or not name:
        raise JsonError(f'"@type" is {shown(url)}: expected a slash and then the full name of a type')
    cls = None if reader.types is None else reader.types.get(name)
    if cls is None:
        what = "no types= are given" if reader.types is None else "types= has no such name"
        raise JsonError(f"an Any of type {shown(name)} cannot be read without its class: {what}")
    SCALARS["string"](url)
    return cls


READERS: dict[str, Callable[[Reader, Any, int, Table, Any], Any]] = {
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
