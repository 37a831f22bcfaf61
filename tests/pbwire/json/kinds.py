"""A message with Google's own messages in every position, as facts for the twin and as a table.

The other samples have none, since text format and wire format treat them like any message.
"""

from __future__ import annotations

from pbwire import table as pb
from pbwire.wellknown import (
    Any,
    BoolValue,
    BytesValue,
    DoubleValue,
    Duration,
    Empty,
    FieldMask,
    FloatValue,
    Int32Value,
    Int64Value,
    ListValue,
    NullValue,
    StringValue,
    Struct,
    Timestamp,
    UInt32Value,
    UInt64Value,
    Value,
)

__all__ = ["FACTS", "Named", "Special"]


@pb.message("kinds.Special")
class Special(pb.Message):
    """All messages that JSON spells in a special form."""

    any: Any | None = pb.field(Any, 1)
    timestamp: Timestamp | None = pb.field(Timestamp, 2)
    duration: Duration | None = pb.field(Duration, 3)
    mask: FieldMask | None = pb.field(FieldMask, 4)
    struct: Struct | None = pb.field(Struct, 5)
    value: Value | None = pb.field(Value, 6)
    list: ListValue | None = pb.field(ListValue, 7)
    null: NullValue = pb.field(NullValue, 8)
    empty: Empty | None = pb.field(Empty, 9)
    a_bool: BoolValue | None = pb.field(BoolValue, 11)
    a_bytes: BytesValue | None = pb.field(BytesValue, 12)
    a_double: DoubleValue | None = pb.field(DoubleValue, 13)
    a_float: FloatValue | None = pb.field(FloatValue, 14)
    a_int32: Int32Value | None = pb.field(Int32Value, 15)
    a_int64: Int64Value | None = pb.field(Int64Value, 16)
    a_string: StringValue | None = pb.field(StringValue, 17)
    a_uint32: UInt32Value | None = pb.field(UInt32Value, 18)
    a_uint64: UInt64Value | None = pb.field(UInt64Value, 19)
    anys: list[Any] = pb.repeated(Any, 21)
    timestamps: list[Timestamp] = pb.repeated(Timestamp, 22)
    durations: list[Duration] = pb.repeated(Duration, 23)
    values: list[Value] = pb.repeated(Value, 24)
    structs: list[Struct] = pb.repeated(Struct, 25)
    lists: list[ListValue] = pb.repeated(ListValue, 26)
    nulls: list[NullValue] = pb.repeated(NullValue, 27)
    int64s: list[Int64Value] = pb.repeated(Int64Value, 28)
    any_by_name: dict[str, Any] = pb.map(pb.string, Any, 31)
    time_by_name: dict[str, Timestamp] = pb.map(pb.string, Timestamp, 32)
    value_by_number: dict[int, Value] = pb.map(pb.int64, Value, 33)
    null_by_flag: dict[bool, NullValue] = pb.map(pb.bool, NullValue, 34)
    string_by_name: dict[str, StringValue] = pb.map(pb.string, StringValue, 35)
    one_null: NullValue | None = pb.field(NullValue, 41, oneof="one")
    one_value: Value | None = pb.field(Value, 42, oneof="one")
    one_time: Timestamp | None = pb.field(Timestamp, 43, oneof="one")
    one_number: Int32Value | None = pb.field(Int32Value, 44, oneof="one")
    one_text: str | None = pb.string(45, oneof="one")
    maybe_null: NullValue | None = pb.field(NullValue, 46, optional=True)
    special: Special | None = pb.field("Special", 47)


@pb.message("kinds.Named")
class Named(pb.Message):
    """Names with unusual forms in lowerCamelCase."""

    _leading: int = pb.int32(1)
    trailing_: int = pb.int32(2)
    two__in_a_row: int = pb.int32(3)
    with_1_digit: int = pb.int32(4)
    camelCase: int = pb.int32(5)  # noqa: N815  the mixed case is the test
    Capital: int = pb.int32(6)
    UPPER_CASE: int = pb.int32(7)
    x: int = pb.int32(8)
    x1y_2z: list[int] = pb.repeated(pb.int64, 9)
    one_a: int | None = pb.int32(10, oneof="the_one")
    one_b: str | None = pb.string(11, oneof="the_one")


def _facts() -> str:
    """Return schema facts of these messages, with the files that declare Google's own ones."""
    files = {
        "NullValue": "struct",
        "Struct": "struct",
        "Value": "struct",
        "ListValue": "struct",
        "FieldMask": "field_mask",
    }
    names = "Any BoolValue BytesValue DoubleValue Duration Empty FieldMask FloatValue Int32Value Int64Value ListValue"
    names += " StringValue Struct Timestamp UInt32Value UInt64Value Value NullValue"
    rows = []
    for name in names.split():
        file = files.get(name) or ("wrappers" if name.endswith("Value") else name.lower())
        what = "enum" if name == "NullValue" else "message"
        rows.append(f"{what}\tgoogle.protobuf.{name}\tgoogle/protobuf/{file}.proto" + "\tproto3" * (what == "message"))
    for cls in (Special, Named):
        table = pb.table_of(cls)
        rows.append(f"message\t{table.full_name}\tkinds.proto\tproto3")
        for field in table.fields:
            kind = f"map<{_type(field.key)},{_type(field.value)}>" if field.label == "map" else _type(field)
            notes = ["packed"] * bool(field.packed) + ["optional"] * field.optional
            notes += [f"oneof={field.oneof}"] * bool(field.oneof)
            label = "repeated" if field.label == "repeated" else ""
            rows.append("\t".join(["field", str(field.number), field.name, kind, label, " ".join(notes)]))
    return "\n".join(rows)


def _type(field: pb.Field) -> str:
    cls = field.type
    return field.kind if cls is None else cls.__full_name__ if field.kind == "enum" else cls.__table__.full_name


FACTS = _facts()
