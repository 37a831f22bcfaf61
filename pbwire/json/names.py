"""What fields are called in JSON, and which messages have a form of their own there."""

from __future__ import annotations

__all__ = ["SPECIAL", "WRAPPERS", "json_name"]

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
