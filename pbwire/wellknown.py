"""Google's well-known messages: Any, wrappers, Timestamp, Duration, Struct, FieldMask and Empty.

They are declared like all other messages. `pbwire.text` and `pbwire.json` handle their special forms.
"""

from __future__ import annotations

from . import table as pb

__all__ = [
    "Any",
    "BoolValue",
    "BytesValue",
    "DoubleValue",
    "Duration",
    "Empty",
    "FieldMask",
    "FloatValue",
    "Int32Value",
    "Int64Value",
    "ListValue",
    "NullValue",
    "StringValue",
    "Struct",
    "Timestamp",
    "UInt32Value",
    "UInt64Value",
    "Value",
]

FILES = {
    "any": ("Any",),
    "duration": ("Duration",),
    "empty": ("Empty",),
    "field_mask": ("FieldMask",),
    "struct": ("Struct", "Value", "ListValue", "NullValue"),
    "timestamp": ("Timestamp",),
    "wrappers": (
        "DoubleValue",
        "FloatValue",
        "Int64Value",
        "UInt64Value",
        "Int32Value",
        "UInt32Value",
        "BoolValue",
        "StringValue",
        "BytesValue",
    ),
}
"""The names of the messages and enums of google/protobuf/X.proto, by X."""


@pb.message("google.protobuf.Any")
class Any(pb.Message):
    """A serialized message of any type, with the name of its type.

    There is no registry of types: functions that expand an Any take a mapping from full names to classes.
    """

    type_url: str = pb.string(1)  # "type.googleapis.com/" and the full name; the part before the last slash is ignored
    value: bytes = pb.bytes(2)


@pb.message("google.protobuf.DoubleValue")
class DoubleValue(pb.Message):
    """A double that can be absent. Wrappers are older than the keyword `optional` in proto3."""

    value: float = pb.double(1)


@pb.message("google.protobuf.FloatValue")
class FloatValue(pb.Message):
    """A float that can be absent."""

    value: float = pb.float(1)


@pb.message("google.protobuf.Int64Value")
class Int64Value(pb.Message):
    """An int64 that can be absent."""

    value: int = pb.int64(1)


@pb.message("google.protobuf.UInt64Value")
class UInt64Value(pb.Message):
    """A uint64 that can be absent."""

    value: int = pb.uint64(1)


@pb.message("google.protobuf.Int32Value")
class Int32Value(pb.Message):
    """An int32 that can be absent."""

    value: int = pb.int32(1)


@pb.message("google.protobuf.UInt32Value")
class UInt32Value(pb.Message):
    """A uint32 that can be absent."""

    value: int = pb.uint32(1)


@pb.message("google.protobuf.BoolValue")
class BoolValue(pb.Message):
    """A bool that can be absent."""

    value: bool = pb.bool(1)


@pb.message("google.protobuf.StringValue")
class StringValue(pb.Message):
    """A string that can be absent."""

    value: str = pb.string(1)


@pb.message("google.protobuf.BytesValue")
class BytesValue(pb.Message):
    """Bytes that can be absent."""

    value: bytes = pb.bytes(1)


@pb.message("google.protobuf.Timestamp")
class Timestamp(pb.Message):
    """A point in time, between the years 1 and 9999, without leap seconds."""

    seconds: int = pb.int64(1)  # since 1970-01-01T00:00:00Z; negative for earlier times
    nanos: int = pb.int32(2)  # 0 to 999,999,999; always added to the seconds, even if these are negative


@pb.message("google.protobuf.Duration")
class Duration(pb.Message):
    """A length of time, positive or negative, up to about 10,000 years."""

    seconds: int = pb.int64(1)
    nanos: int = pb.int32(2)  # -999,999,999 to 999,999,999, with the sign of `seconds`


@pb.enum("google.protobuf.NullValue")
class NullValue(pb.Enum):
    """JSON's null. The enum has only this value."""

    NULL_VALUE = 0


@pb.message("google.protobuf.Struct")
class Struct(pb.Message):
    """A JSON object."""

    fields: dict[str, Value] = pb.map(pb.string, "Value", 1)


@pb.message("google.protobuf.Value")
class Value(pb.Message):
    """Any JSON value. One member must be set: JSON cannot express an empty Value."""

    null_value: NullValue | None = pb.field(NullValue, 1, oneof="kind")
    number_value: float | None = pb.double(2, oneof="kind")  # nan and the infinities have no JSON form
    string_value: str | None = pb.string(3, oneof="kind")
    bool_value: bool | None = pb.bool(4, oneof="kind")
    struct_value: Struct | None = pb.field(Struct, 5, oneof="kind")
    list_value: ListValue | None = pb.field("ListValue", 6, oneof="kind")


@pb.message("google.protobuf.ListValue")
class ListValue(pb.Message):
    """A JSON array."""

    values: list[Value] = pb.repeated(Value, 1)


@pb.message("google.protobuf.FieldMask")
class FieldMask(pb.Message):
    """A set of field paths."""

    paths: list[str] = pb.repeated(pb.string, 1)  # field names joined by dots, such as "meta_info_def.tags"


@pb.message("google.protobuf.Empty")
class Empty(pb.Message):
    """A message without fields."""
