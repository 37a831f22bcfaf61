"""What fields are called in JSON, and which messages have a form of their own there."""

from __future__ import annotations

from collections import Counter
from functools import cache

from ..fields import Table

__all__ = ["SPECIAL", "WRAPPERS", "json_name", "json_names"]

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
