"""Google's well-known messages: Any, wrappers, Timestamp, Duration, Struct, FieldMask and Empty.

They are declared like all other messages, and have methods for Python's own types:

    Event(time=Timestamp.from_datetime(datetime.now(UTC)), length=Duration.from_timedelta(timedelta(minutes=5)))
    Event(details=Struct.from_dict({"reason": "test", "retries": [1, 2]}))
    Event(payload=Any.pack(message)).payload.unpack(Message)

A field of such a type takes Python's values too, and refuses others at once: `event.time = datetime.now(UTC)`.

`pbwire.text` and `pbwire.json` handle their special forms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from time import time_ns

from . import table as pb

TYPE_CHECKING = False
if TYPE_CHECKING:
    import typing
    from datetime import datetime, timedelta, tzinfo
    from typing import Self, TypeVar

    M = TypeVar("M", bound=pb.Message)
    V = TypeVar("V", bound="Value")
    S = TypeVar("S", bound="Struct")
    L = TypeVar("L", bound="ListValue")

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


_NANOS = 10**9
_MAX_DEPTH = 100  # of objects and arrays in each other
FIRST_SECOND, LAST_SECOND = -62_135_596_800, 253_402_300_799
"""The first and the last second of a Timestamp: those of the years 1 and 9999."""
MAX_SECONDS = 315_576_000_000
"""The most seconds of a Duration, about 10,000 years."""


def merge_paths(paths: Iterable[str]) -> list[str]:
    """Return the paths of a FieldMask in order, without those that others include."""
    merged: list[str] = []
    for path in sorted(set(paths), key=lambda path: path.split(".")):
        if not merged or not _includes(merged[-1], path):
            merged.append(path)
    return merged


def _datetime() -> typing.Any:
    import datetime  # every program that reads graphs imports this module, and few need dates: it takes 2 ms

    return datetime


def _nanoseconds(length: timedelta) -> int:
    return (length.days * 86_400 + length.seconds) * _NANOS + length.microseconds * 1000


def _includes(outer: str, path: str) -> bool:
    return path == outer or path.startswith(f"{outer}.")


@pb.message("google.protobuf.Any")
class Any(pb.Message):
    """A serialized message of any type, with the name of its type.

    There is no registry of types: functions that expand an Any take a mapping from full names to classes.
    """

    type_url: str = pb.string(1)  # "type.googleapis.com/" and the full name; the part before the last slash is ignored
    value: bytes = pb.bytes(2)

    @classmethod
    def pack(cls, message: pb.Message, prefix: str = "type.googleapis.com/") -> Self:
        """Return an Any with a message. `prefix` is what precedes its full name. Raises EncodeError."""
        return cls(
            type_url=f"{prefix.removesuffix('/')}/{pb.table_of(type(message)).full_name}", value=message.to_bytes()
        )

    def holds(self, message_class: type[pb.Message]) -> bool:
        """Return whether the content is of this class, by the name of its type."""
        _, slash, name = self.type_url.rpartition("/")
        return bool(slash) and name == pb.table_of(message_class).full_name

    def unpack(self, message_class: type[M]) -> M:
        """Return the content. Raises TypeError if it is of another class, DecodeError if it is damaged."""
        if not self.holds(message_class):
            wanted = pb.table_of(message_class).full_name
            raise TypeError(f"the Any holds {self.type_url.rpartition('/')[2] or 'nothing'}, not {wanted}")
        return message_class.from_bytes(self.value)


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

    @classmethod
    def now(cls) -> Self:
        """Return the time of the system's clock, in nanoseconds."""
        return cls.from_nanoseconds(time_ns())

    @classmethod
    def from_nanoseconds(cls, nanoseconds: int) -> Self:
        """Return the time that is so long after 1970. Raises ValueError outside of the years 1 to 9999."""
        seconds, nanos = divmod(nanoseconds, _NANOS)
        if not FIRST_SECOND <= seconds <= LAST_SECOND:
            raise ValueError("a Timestamp is between the years 1 and 9999")
        return cls(seconds=seconds, nanos=nanos)

    def to_nanoseconds(self) -> int:
        """Return the nanoseconds since 1970."""
        return self.seconds * _NANOS + self.nanos

    @classmethod
    def from_datetime(cls, time: datetime) -> Self:
        """Return the time of a datetime, which is in UTC if it has no time zone.

        Raises TypeError for other values, ValueError for a time that is outside of the years 1 to 9999 in UTC.
        """
        dates = _datetime()
        if not isinstance(time, dates.datetime):
            raise TypeError(f"expected a datetime, got {type(time).__name__}")
        aware = time if time.tzinfo is not None else time.replace(tzinfo=dates.UTC)
        return cls.from_nanoseconds(_nanoseconds(aware - dates.datetime.fromtimestamp(0, dates.UTC)))

    def to_datetime(self, zone: tzinfo | None = None) -> datetime:
        """Return a datetime in a time zone, by default UTC. Nanoseconds below a microsecond are cut.

        Raises ValueError for a time that is outside of the years 1 to 9999 there.
        """
        dates = _datetime()
        try:
            since = dates.timedelta(seconds=self.seconds, microseconds=self.nanos // 1000)
            time: datetime = dates.datetime.fromtimestamp(0, dates.UTC) + since
            return time if zone is None else time.astimezone(zone)
        except OverflowError:
            raise ValueError("a datetime is between the years 1 and 9999") from None

    _from_python = from_datetime


@pb.message("google.protobuf.Duration")
class Duration(pb.Message):
    """A length of time, positive or negative, up to about 10,000 years."""

    seconds: int = pb.int64(1)
    nanos: int = pb.int32(2)  # -999,999,999 to 999,999,999, with the sign of `seconds`

    @classmethod
    def from_nanoseconds(cls, nanoseconds: int) -> Self:
        """Return a length. Raises ValueError above about 10,000 years."""
        seconds, nanos = divmod(abs(nanoseconds), _NANOS)
        if seconds > MAX_SECONDS:
            raise ValueError(f"a Duration has at most {MAX_SECONDS:,} seconds")
        sign = -1 if nanoseconds < 0 else 1
        return cls(seconds=sign * seconds, nanos=sign * nanos)

    def to_nanoseconds(self) -> int:
        """Return the length in nanoseconds."""
        return self.seconds * _NANOS + self.nanos

    @classmethod
    def from_timedelta(cls, length: timedelta) -> Self:
        """Return the length of a timedelta. Raises TypeError for other values, ValueError above 10,000 years."""
        if not isinstance(length, _datetime().timedelta):
            raise TypeError(f"expected a timedelta, got {type(length).__name__}")
        return cls.from_nanoseconds(_nanoseconds(length))

    def to_timedelta(self) -> timedelta:
        """Return a timedelta. Nanoseconds below a microsecond are cut, towards zero.

        Raises ValueError above 999,999,999 days.
        """
        nanoseconds = self.to_nanoseconds()
        microseconds = abs(nanoseconds) // 1000
        try:
            length: timedelta = _datetime().timedelta(microseconds=microseconds if nanoseconds >= 0 else -microseconds)
        except OverflowError:
            raise ValueError("a timedelta has at most 999,999,999 days") from None
        return length

    _from_python = from_timedelta


@pb.enum("google.protobuf.NullValue")
class NullValue(pb.Enum):
    """JSON's null. The enum has only this value."""

    NULL_VALUE = 0


@pb.message("google.protobuf.Struct")
class Struct(pb.Message):
    """A JSON object."""

    fields: dict[str, Value] = pb.map(pb.string, "Value", 1)

    @classmethod
    def from_dict(cls, items: Mapping[str, typing.Any]) -> Self:
        """Return an object with these items. Raises TypeError for keys and values that JSON does not have.

        Raises ValueError for values nested more than 100 levels deep.
        """
        return _struct(items, 0, cls)

    def to_dict(self) -> dict[str, typing.Any]:
        """Return the items as Python values. Numbers are floats. Raises ValueError for a Value that is not set."""
        return {key: item.to_python() for key, item in self.fields.items()}

    _from_python = from_dict


@pb.message("google.protobuf.ListValue")
class ListValue(pb.Message):
    """A JSON array."""

    values: list[Value] = pb.repeated("Value", 1)

    @classmethod
    def from_list(cls, items: Iterable[typing.Any]) -> Self:
        """Return an array with these items. Raises TypeError and ValueError as `Struct.from_dict` does."""
        return _list(items, 0, cls)

    def to_list(self) -> list[typing.Any]:
        """Return the items as Python values. Numbers are floats. Raises ValueError for a Value that is not set."""
        return [item.to_python() for item in self.values]

    _from_python = from_list


@pb.message("google.protobuf.Value")
class Value(pb.Message):
    """Any JSON value. One member must be set: JSON cannot express an empty Value."""

    null_value: NullValue | None = pb.field(NullValue, 1, oneof="kind")
    number_value: float | None = pb.double(2, oneof="kind")  # nan and the infinities have no JSON form
    string_value: str | None = pb.string(3, oneof="kind")
    bool_value: bool | None = pb.bool(4, oneof="kind")
    struct_value: Struct | None = pb.field(Struct, 5, oneof="kind")
    list_value: ListValue | None = pb.field(ListValue, 6, oneof="kind")

    @classmethod
    def from_python(cls, value: typing.Any) -> Self:
        """Return a Value for None, a bool, a number, a str, a mapping or a list. Integers become floats.

        Raises TypeError for other types, ValueError as `Struct.from_dict`, and for integers that are too large.
        """
        return _value(value, 0, cls)

    def to_python(self) -> typing.Any:
        """Return None, a bool, a float, a str, a dict or a list. Raises ValueError if no value is set."""
        kind = self.WhichOneof("kind")
        match kind:
            case None:
                raise ValueError("the Value is not set")
            case "null_value":
                return None
            case "struct_value":
                return self.struct_value.to_dict()  # type: ignore[union-attr]  # it is set
            case "list_value":
                return self.list_value.to_list()  # type: ignore[union-attr]  # it is set
        return getattr(self, kind)

    _from_python = from_python


def _value(value: typing.Any, depth: int, cls: type[V]) -> V:
    match value:
        case None:
            return cls(null_value=NullValue.NULL_VALUE)
        case bool():
            return cls(bool_value=value)
        case int() | float():
            try:
                return cls(number_value=float(value))
            except OverflowError:
                raise ValueError("an integer is too large for a float") from None
        case str():
            return cls(string_value=value)
        case Struct():
            return cls(struct_value=value)
        case ListValue():
            return cls(list_value=value)
        case {}:
            return cls(struct_value=_struct(value, depth + 1, Struct))
        case list() | tuple():
            return cls(list_value=_list(value, depth + 1, ListValue))
    raise TypeError(f"JSON has no {type(value).__name__}")


def _struct(items: Mapping[str, typing.Any], depth: int, cls: type[S]) -> S:
    _check_depth(depth)
    if not isinstance(items, Mapping):
        raise TypeError(f"expected a mapping, got {type(items).__name__}")
    for key in items:
        if not isinstance(key, str):
            raise TypeError(f"the keys of a Struct are strings, not {type(key).__name__}")
    return cls(fields={key: _value(item, depth, Value) for key, item in items.items()})


def _list(items: Iterable[typing.Any], depth: int, cls: type[L]) -> L:
    _check_depth(depth)
    if not isinstance(items, Iterable) or isinstance(items, (str, bytes, Mapping)):
        raise TypeError(f"expected a list, got {type(items).__name__}")
    return cls(values=[_value(item, depth, Value) for item in items])


def _check_depth(depth: int) -> None:
    if depth > _MAX_DEPTH:  # also of a list that contains itself
        raise ValueError(f"values are nested more than {_MAX_DEPTH} levels deep")


@pb.message("google.protobuf.FieldMask")
class FieldMask(pb.Message):
    """A set of field paths."""

    paths: list[str] = pb.repeated(pb.string, 1)  # field names joined by dots, such as "meta_info_def.tags"

    def covers(self, path: str) -> bool:
        """Return whether the mask has this path, or one that is around it."""
        return any(_includes(outer, path) for outer in self.paths)

    def canonical(self) -> Self:
        """Return a mask with the paths in order, without those that others include."""
        return type(self)(paths=merge_paths(self.paths))

    def union(self, other: FieldMask) -> Self:
        """Return a mask with the paths that one of the two includes."""
        return type(self)(paths=merge_paths([*self.paths, *other.paths]))

    def intersection(self, other: FieldMask) -> Self:
        """Return a mask with the paths that both include."""
        both = [path for path in self.paths if other.covers(path)]
        both += [path for path in other.paths if self.covers(path)]
        return type(self)(paths=merge_paths(both))


@pb.message("google.protobuf.Empty")
class Empty(pb.Message):
    """A message without fields."""
