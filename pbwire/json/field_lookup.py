"""What fields are called in JSON, and which messages have a form of their own there.

Which field a name of JSON means, and what is wrong where something is: what generated readers call.

Whatever raises JsonError here gives it no path, or one that begins in the message at hand. `located` adds the rest.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any, NoReturn

from ..codec.hash_flooding import CROWDED, Watch
from ..descriptor import Table
from ..errors import JsonError
from ..printable import quoted_key
from ..suggestions import suggestion
from .scalars import Reader, shown

__all__ = [
    "FAULTS",
    "SPECIAL",
    "WRAPPERS",
    "Names",
    "Repeated",
    "clear_nulls",
    "expect_list",
    "expect_object",
    "json_name",
    "json_names",
    "located",
    "repeated_key",
    "too_deep",
    "watched",
]


WRAPPERS = frozenset(
    f"google.protobuf.{kind}Value"
    for kind in ("Bool", "Bytes", "Double", "Float", "Int32", "Int64", "String", "UInt32", "UInt64")
)
"""Messages that stand for their one field, which is called `value`."""

SPECIAL = WRAPPERS | {
    "google.protobuf.Any",
    "google.protobuf.Duration",
    "google.protobuf.FieldMask",
    "google.protobuf.ListValue",
    "google.protobuf.Struct",
    "google.protobuf.Timestamp",
    "google.protobuf.Value",
}
"""All that are not spelled as an object of their fields. Inside an Any, these stand under the key "value"."""


def json_name(name: str) -> str:
    """The field's name in lowerCamelCase, as protoc makes it: letters behind underscores grow, underscores go."""
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


@cache
def json_names(table: Table) -> dict[int, str]:
    """The names of a message's fields in JSON, by number.

    Fields whose names would be the same, such as `a_b` and `aB`, keep those that they have in the .proto file.
    """
    short = {field.number: json_name(field.text_name) for field in table.fields}
    times = Counter(short.values())
    return {
        field.number: short[field.number] if times[short[field.number]] == 1 else field.text_name
        for field in table.fields
    }


FAULTS = (JsonError, RecursionError)
"""What generated code may meet in bad input; anything else is a fault of ours."""


class Repeated(dict[str, Any]):
    """An object in which a key stands more than once."""

    key: str


class Names:
    """The names of one message class: in lowerCamelCase, and as they are in the .proto file where that differs."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.names = json_names(table)
        self.numbers = {name: number for number, name in self.names.items()}
        originals = {field.text_name: field.number for field in table.fields}
        self.originals = {name: number for name, number in originals.items() if name not in self.numbers}

    def other(self, reader: Reader, name: Any, document: dict[str, Any]) -> int:
        """The number of the field that is called so in the .proto file; 0 for what is unknown and to be passed over."""
        number = self.originals.get(name)
        if number is not None:
            if (twin := self.names[number]) in document:
                raise JsonError(f'"{name}" and "{twin}" are the same field')
            return number
        if reader.ignore_unknown:
            return 0
        if not isinstance(name, str):
            raise JsonError(f"expected keys that are strings, got {shown(name)}")
        known = self.numbers | self.originals
        raise JsonError(f"{self.table.cls.__name__} has no field {shown(name)}{suggestion(name, known)}")

    def clash(self, one: int) -> NoReturn:
        """Refuse a second member of the oneof of a field that was given."""
        oneof = self.table.by_number[one].oneof
        raise JsonError(f'is given beside "{self.names[one]}": the oneof {oneof} holds one of them')

    def segment(self, name: Any, at: Any) -> str:
        """What the value at hand adds to a path; `at` is its index in a list or its key in a map."""
        number = self.numbers.get(name) or self.originals.get(name)
        if number is None:
            return ""  # the name itself is what is wrong
        field = self.table.by_number[number].name
        if at is None:
            return field
        return f"{field}[{quoted_key(at)}]"


def located(error: Exception, names: Names, name: Any, at: Any) -> JsonError:
    """The JsonError for what happened in the field with that name."""
    if not isinstance(error, JsonError):
        return JsonError("nested more deeply than this program's recursion limit allows")
    return error.within(names.segment(name, at))


def clear_nulls(message: Any, document: dict[str, Any], names: Names) -> None:
    """Make the fields of `message` absent for which there is a null."""
    for name, value in document.items():
        if value is None:
            number = names.numbers.get(name) or names.originals.get(name)
            if number is not None:
                message.ClearField(names.table.by_number[number].name)


def too_deep(reader: Reader) -> NoReturn:
    raise JsonError(f"nested too deeply: more than {reader.max_depth:,} messages, one inside the other")


def expect_object(value: Any, table: Table | None) -> None:
    """Refuse what is no object, or one with a key twice."""
    if isinstance(value, Repeated):
        raise JsonError(f"the key {shown(value.key)} stands twice in one object")
    if not isinstance(value, dict):
        what = "an object, which is how JSON spells a map" if table is None else f"an object for {table.cls.__name__}"
        raise JsonError(f"expected {what}, got {shown(value)}")


def expect_list(value: Any) -> Any:
    """Refuse what is no list."""
    if not isinstance(value, (list, tuple)):
        raise JsonError(f"expected a list, got {shown(value)}")
    return value


def watched(watch: Watch | None, entries: dict[Any, Any], key: Any) -> Watch:
    """Look at the keys of a map that is not small any more and gets one, and give who does, for the next time."""
    watch = watch or Watch(entries)
    if watch.is_crowded(key):
        raise JsonError(CROWDED)
    return watch


def repeated_key(key: Any) -> NoReturn:
    raise JsonError(f"is the key {shown(key)} in another spelling, which stands in this map already")
