"""Names of fields in JSON, and the errors that generated readers raise.

The errors that are raised here have no path. `locate_error` adds one segment of the path on each level of messages.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NoReturn

from ..codec.codegen import function
from ..codec.hash_flooding import CROWDED_KEYS, Watch
from ..descriptor import Table, json_name
from ..errors import JsonError, quoted_key, suggestion
from ..kept import kept
from .scalars import ParseOptions, describe_value

WRAPPERS = frozenset(
    f"google.protobuf.{kind}Value"
    for kind in ("Bool", "Bytes", "Double", "Float", "Int32", "Int64", "String", "UInt32", "UInt64")
)
"""Messages whose JSON is the value of their only field, `value`."""

SPECIAL = WRAPPERS | {
    "google.protobuf.Any",
    "google.protobuf.Duration",
    "google.protobuf.FieldMask",
    "google.protobuf.ListValue",
    "google.protobuf.Struct",
    "google.protobuf.Timestamp",
    "google.protobuf.Value",
}
"""All messages whose JSON is not an object of their fields. Inside an Any, their JSON is under the key "value"."""


@kept
def json_names(table: Table) -> dict[int, str]:
    """Return the names of a message's fields in JSON, by number.

    Fields whose names would be equal, such as `a_b` and `aB`, keep their names in the .proto file.
    """
    short = {field.number: field.json_name or json_name(field.text_name) for field in table.fields}
    times = Counter(short.values())
    return {
        field.number: short[field.number] if times[short[field.number]] == 1 else field.text_name
        for field in table.fields
    }


FAULTS = (JsonError, RecursionError)
"""Exceptions that bad input can cause in generated code; any other exception is a bug in pbwire."""


class ObjectWithRepeatedKey(dict[str, Any]):
    """An object that has a key more than once."""

    key: str


class FieldNames:
    """The names of the fields of a class: in lowerCamelCase, and as in the .proto file where they differ."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.names = json_names(table)
        self.numbers = {name: number for number, name in self.names.items()}
        originals = {field.text_name: field.number for field in table.fields}
        self.originals = {name: number for name, number in originals.items() if name not in self.numbers}

    def find_original(self, options: ParseOptions, name: Any, document: dict[str, Any]) -> int:
        """Return the number of the field with this name in the .proto file; 0 for an unknown field that is skipped.

        Raises JsonError for other unknown fields, and if `document` has the same field under its other name.
        """
        number = self.originals.get(name)
        if number is not None:
            if (other := self.names[number]) in document:
                raise JsonError(f'"{name}" and "{other}" are the same field')
            return number
        if options.ignore_unknown:
            return 0
        if not isinstance(name, str):
            raise JsonError(f"expected keys that are strings, got {describe_value(name)}")
        known = self.numbers | self.originals
        raise JsonError(f"{self.table.cls.__name__} has no field {describe_value(name)}{suggestion(name, known)}")

    def refuse_second_member(self, set_member: int) -> NoReturn:
        """Raise the JsonError for a second member of a oneof. `set_member` is the number of the first one."""
        oneof = self.table.by_number[set_member].oneof
        raise JsonError(f'cannot be combined with "{self.names[set_member]}": both are members of the oneof {oneof}')

    def segment(self, name: Any, subscript: Any) -> str:
        """Return the path segment of a value; `subscript` is its index in a list or its key in a map."""
        number = self.numbers.get(name) or self.originals.get(name)
        if number is None:
            return ""  # the error is in the name
        field = self.table.by_number[number].shown_name
        if subscript is None:
            return field
        return f"{field}[{quoted_key(subscript)}]"


def locate_error(error: Exception, names: FieldNames, name: Any, subscript: Any) -> JsonError:
    """Return the JsonError for an exception in the field with this name, with its path segment.

    `subscript` is the index or the key of the value; None for a singular field.
    """
    if not isinstance(error, JsonError):
        return JsonError("nested more deeply than this program's recursion limit allows")
    return error.within(names.segment(name, subscript))


def clear_nulls(message: Any, document: dict[str, Any], names: FieldNames) -> None:
    """Clear the fields of `message` whose values in the document are null."""
    for name, value in document.items():
        if value is None:
            number = names.numbers.get(name) or names.originals.get(name)
            if number is not None:
                message.ClearField(names.table.by_number[number].name)


def names_extension(document: dict[Any, Any]) -> bool:
    """Return whether an object has a key in square brackets, as the names of extensions are."""
    return any(name.__class__ is str and name.startswith("[") for name in document)


def read_extended(
    read_json: Any, options: ParseOptions, document: dict[Any, Any], depth: int, message: Any, table: Any
) -> Any:
    """Read an object that has extensions into `message`, or into a new message if it is None, and return the message.

    `read_json` is the generated reader of the class.
    """
    values = {name: value for name, value in document.items() if name.__class__ is str and name.startswith("[")}
    others = {name: value for name, value in document.items() if name not in values}
    message = read_json(options, others, depth, message)
    if not table.extensions and not options.ignore_unknown:
        raise JsonError(f"{table.cls.__name__} has no field {describe_value(next(iter(values)))}")
    if table.extensions:
        extensions = table.extension_set(message)
        function(extensions.__table__, "read_json")(options, values, depth, extensions)
    return message


def refuse_depth(options: ParseOptions) -> NoReturn:
    """Raise the JsonError for messages that are nested too deeply."""
    raise JsonError(f"nested too deeply: more than {options.max_depth:,} levels of messages")


def expect_object(value: Any, table: Table | None) -> None:
    """Raise JsonError if a value is not an object, or if it has a repeated key. `table` is None for a map."""
    if isinstance(value, ObjectWithRepeatedKey):
        raise JsonError(f"duplicate key {describe_value(value.key)} in an object")
    if not isinstance(value, dict):
        what = "an object for a map" if table is None else f"an object for {table.cls.__name__}"
        raise JsonError(f"expected {what}, got {describe_value(value)}")


def expect_list(value: Any) -> Any:
    """Return a value that is a list. Raises JsonError for other values."""
    if not isinstance(value, (list, tuple)):
        raise JsonError(f"expected a list, got {describe_value(value)}")
    return value


def watch_key(watch: Watch | None, entries: dict[Any, Any], key: Any) -> Watch:
    """Record a key of a large map, and return the watch of the map. Raises JsonError for a hash-flooding attack."""
    watch = watch or Watch(entries)
    if watch.is_crowded(key):
        raise JsonError(CROWDED_KEYS)
    return watch


def refuse_repeated_key(key: Any) -> NoReturn:
    """Raise the JsonError for a key that the map already has in another spelling."""
    raise JsonError(f"duplicate key: the map has {describe_value(key)} already, in another spelling")
