"""The further methods of google.protobuf.* messages: Any, Timestamp, Duration, FieldMask, Struct and ListValue.

`MIXINS` maps full names to classes that are bases of the protobuf-style class. Behaviour is that of the public
documentation of `google.protobuf.internal.well_known_types`.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, MutableSequence
from typing import Any

from ..errors import Error
from ..json.wellknown import duration_text, mask_text, read_duration, read_mask, read_timestamp, timestamp_text

__all__ = ["MIXINS", "AnyMixin", "Duration", "FieldMask", "ListValue", "Struct", "Timestamp"]

_NANOS = 10**9
_EPOCH = datetime.datetime(1970, 1, 1)
_EPOCH_IN_UTC = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def _divide(number: int, by: int) -> tuple[int, int]:
    """Divide and round towards zero."""
    quotient, rest = divmod(abs(number), by)
    return (quotient, rest) if number >= 0 else (-quotient, -rest)


class _ValueErrors:
    """Turns errors of readers and printers into ValueErrors, as protobuf raises them."""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, Error):
            raise ValueError(f"{self.prefix}{error}") from error


class AnyMixin:
    """Methods of google.protobuf.Any."""

    type_url: str
    value: bytes

    def Pack(self, msg: Any, type_url_prefix: str = "type.googleapis.com/", deterministic: bool | None = None) -> None:
        """Store a message with the name of its type."""
        if not type_url_prefix.endswith("/"):
            type_url_prefix += "/"
        self.type_url = f"{type_url_prefix}{msg.DESCRIPTOR.full_name}"
        self.value = msg.SerializeToString(deterministic=bool(deterministic))

    def Unpack(self, msg: Any) -> bool:
        """Read the content into a message of its type, and return True; return False for another type."""
        if not self.Is(msg.DESCRIPTOR):
            return False
        msg.ParseFromString(self.value)
        return True

    def TypeName(self) -> str:
        """Return the full name of the type."""
        return self.type_url.rpartition("/")[2]

    def Is(self, descriptor: Any) -> bool:
        """Return whether the content is of this type."""
        return "/" in self.type_url and self.TypeName() == descriptor.full_name


class _Time:
    """Base class of Timestamp and Duration: seconds and nanos."""

    seconds: int
    nanos: int

    def ToNanoseconds(self) -> int:
        return self.seconds * _NANOS + self.nanos

    def ToMicroseconds(self) -> int:
        return self._in_units(10**3)

    def ToMilliseconds(self) -> int:
        return self._in_units(10**6)

    def ToSeconds(self) -> int:
        return self.seconds

    def FromNanoseconds(self, nanos: int) -> None:
        self._set(nanos)

    def FromMicroseconds(self, micros: int) -> None:
        self._set(micros * 10**3)

    def FromMilliseconds(self, millis: int) -> None:
        self._set(millis * 10**6)

    def FromSeconds(self, seconds: int) -> None:
        self.seconds = seconds
        self.nanos = 0

    def _in_units(self, nanos: int) -> int:
        raise NotImplementedError

    def _set(self, nanos: int) -> None:
        raise NotImplementedError


class Timestamp(_Time):
    """Methods of google.protobuf.Timestamp."""

    def _in_units(self, nanos: int) -> int:
        self._check()
        return self.ToNanoseconds() // nanos

    def _set(self, nanos: int) -> None:
        seconds, rest = divmod(nanos, _NANOS)
        self.seconds, self.nanos = seconds, rest
        self._check()

    def _check(self) -> str:
        with _ValueErrors("Timestamp is not valid: "):
            return timestamp_text(self)

    def ToJsonString(self) -> str:
        """Return the time in RFC 3339, in UTC. Raises ValueError for a time that is out of range."""
        return self._check()

    def FromJsonString(self, value: str) -> None:
        """Set the time from RFC 3339. Raises ValueError."""
        if not isinstance(value, str):
            raise ValueError(f"a time is a string, not {value!r}")
        with _ValueErrors():
            self.seconds, self.nanos = read_timestamp(value)

    def GetCurrentTime(self) -> None:
        """Set the time to now."""
        self.FromDatetime(datetime.datetime.now(tz=datetime.UTC))

    def ToDatetime(self, tzinfo: datetime.tzinfo | None = None) -> datetime.datetime:
        """Return a datetime, in UTC without a time zone, or in the given zone. Nanoseconds are cut."""
        self._check()
        delta = datetime.timedelta(seconds=self.seconds, microseconds=self.nanos // 1000)
        return _EPOCH + delta if tzinfo is None else (_EPOCH_IN_UTC + delta).astimezone(tzinfo)

    def FromDatetime(self, dt: datetime.datetime) -> None:
        """Set the time from a datetime; without a time zone, it is in UTC."""
        if not hasattr(dt, "timetuple"):
            raise TypeError(f"expected a datetime, got {dt!r}")
        delta = dt - (_EPOCH if dt.tzinfo is None else _EPOCH_IN_UTC)
        self._set((delta.days * 86_400 + delta.seconds) * _NANOS + delta.microseconds * 1000)

    def __add__(self, value: Any) -> datetime.datetime:
        return self.ToDatetime() + (value.ToTimedelta() if isinstance(value, Duration) else value)

    __radd__ = __add__

    def __sub__(self, value: Any) -> Any:
        if isinstance(value, Timestamp):
            return self.ToDatetime() - value.ToDatetime()
        return self.ToDatetime() - (value.ToTimedelta() if isinstance(value, Duration) else value)

    def __rsub__(self, dt: Any) -> Any:
        return dt - self.ToDatetime(tzinfo=dt.tzinfo)


class Duration(_Time):
    """Methods of google.protobuf.Duration."""

    def _in_units(self, nanos: int) -> int:
        self._check()
        return _divide(self.ToNanoseconds(), nanos)[0]

    def _set(self, nanos: int) -> None:
        self.seconds, self.nanos = _divide(nanos, _NANOS)
        self._check()

    def _check(self) -> str:
        with _ValueErrors("Duration is not valid: "):
            return duration_text(self)

    def ToJsonString(self) -> str:
        """Return the seconds as text, such as "1.5s". Raises ValueError for a length that is out of range."""
        return self._check()

    def FromJsonString(self, value: str) -> None:
        """Set the length from text such as "1.5s". Raises ValueError."""
        if not isinstance(value, str):
            raise ValueError(f"a duration is a string, not {value!r}")
        with _ValueErrors():
            self.seconds, self.nanos = read_duration(value)

    def ToTimedelta(self) -> datetime.timedelta:
        """Return a timedelta. Nanoseconds are cut towards zero."""
        return datetime.timedelta(seconds=self.seconds, microseconds=_divide(self.nanos, 1000)[0])

    def FromTimedelta(self, td: datetime.timedelta) -> None:
        """Set the length from a timedelta."""
        if not isinstance(td, datetime.timedelta):
            raise TypeError(f"expected a timedelta, got {td!r}")
        self._set((td.days * 86_400 + td.seconds) * _NANOS + td.microseconds * 1000)

    def __add__(self, value: Any) -> Any:
        if isinstance(value, Timestamp):
            return self.ToTimedelta() + value.ToDatetime()
        return self.ToTimedelta() + value

    __radd__ = __add__

    def __sub__(self, value: Any) -> Any:
        return self.ToTimedelta() - value

    def __rsub__(self, value: Any) -> Any:
        return value - self.ToTimedelta()


# --- field masks -----------------------------------------------------------------------------------------------------


class FieldMask:
    """Methods of google.protobuf.FieldMask."""

    paths: Any

    def ToJsonString(self) -> str:
        """Return the paths in lowerCamelCase with commas. Raises ValueError for a path that has no such form."""
        with _ValueErrors():
            return mask_text(self)

    def FromJsonString(self, value: str) -> None:
        """Set the paths from text. Raises ValueError."""
        if not isinstance(value, str):
            raise ValueError(f"a field mask is a string, not {value!r}")
        with _ValueErrors():
            paths = read_mask(value)
        self._set(paths)

    def IsValidForDescriptor(self, message_descriptor: Any) -> bool:
        """Return whether all paths name fields of a message."""
        return all(_is_path(message_descriptor, path) for path in self.paths)

    def AllFieldsFromDescriptor(self, message_descriptor: Any) -> None:
        """Set the paths to all fields of a message."""
        self._set(field.name for field in message_descriptor.fields)

    def CanonicalFormFromMask(self, mask: Any) -> None:
        """Set the paths to those of a mask, sorted, without those that others include."""
        self._set(_merge_paths(mask.paths))

    def Union(self, mask1: Any, mask2: Any) -> None:
        """Set the paths to those that one of the masks includes."""
        _check_masks(mask1, mask2)
        self._set(_merge_paths([*mask1.paths, *mask2.paths]))

    def Intersect(self, mask1: Any, mask2: Any) -> None:
        """Set the paths to those that both masks include."""
        _check_masks(mask1, mask2)
        one, other = (_merge_paths(filter(None, mask.paths)) for mask in (mask1, mask2))
        both = [path for path in one if any(_includes(outer, path) for outer in other)]
        both += [path for path in other if any(_includes(outer, path) for outer in one)]
        self._set(_merge_paths(both))

    def MergeMessage(
        self, source: Any, destination: Any, replace_message_field: bool = False, replace_repeated_field: bool = False
    ) -> None:
        """Copy the fields of the paths from one message to another of the same class."""
        for path in _merge_paths(self.paths):
            _merge_path(source, destination, path.split("."), replace_message_field, replace_repeated_field)

    def _set(self, paths: Iterable[str]) -> None:
        new = list(paths)
        del self.paths[:]
        self.paths.extend(new)


def _check_masks(*masks: Any) -> None:
    for mask in masks:
        if not isinstance(mask, FieldMask):
            raise ValueError(f"expected a FieldMask, got {type(mask).__name__}")


def _includes(outer: str, path: str) -> bool:
    return path == outer or path.startswith(f"{outer}.")


def _merge_paths(paths: Iterable[str]) -> list[str]:
    merged: list[str] = []
    for path in sorted(set(paths), key=lambda path: path.split(".")):
        if not merged or not _includes(merged[-1], path):
            merged.append(path)
    return merged


def _is_path(descriptor: Any, path: str) -> bool:
    *outer, last = path.split(".")
    for name in outer:
        field = descriptor.fields_by_name.get(name)
        if field is None or field.label == field.LABEL_REPEATED or field.message_type is None:
            return False
        descriptor = field.message_type
    return last in descriptor.fields_by_name


def _merge_path(source: Any, destination: Any, path: list[str], replace_message: bool, replace_repeated: bool) -> None:
    name, *rest = path
    field = source.DESCRIPTOR.fields_by_name.get(name)
    if field is None:
        raise ValueError(f"{source.DESCRIPTOR.full_name} has no field {name!r}")
    if rest:
        if field.label == field.LABEL_REPEATED or field.message_type is None:
            raise ValueError(
                f"Error: Field {name} in message {source.DESCRIPTOR.full_name} is not a singular message field and "
                "cannot have sub-fields."
            )
        if source.HasField(name):
            _merge_path(getattr(source, name), getattr(destination, name), rest, replace_message, replace_repeated)
        return
    if field.label == field.LABEL_REPEATED:
        if replace_repeated:
            destination.ClearField(name)
        getattr(destination, name).MergeFrom(getattr(source, name))
    elif field.message_type is not None:
        if replace_message:
            destination.ClearField(name)
        if source.HasField(name):
            getattr(destination, name).MergeFrom(getattr(source, name))
    elif field.has_presence and not source.HasField(name):
        destination.ClearField(name)
    else:
        setattr(destination, name, getattr(source, name))


# --- any JSON value --------------------------------------------------------------------------------------------------


def _set_value(target: Any, value: Any) -> None:
    """Set a google.protobuf.Value. Raises ValueError for a Python value that JSON does not have."""
    if value is None:
        target.null_value = 0
    elif isinstance(value, bool):
        target.bool_value = value
    elif isinstance(value, str):
        target.string_value = value
    elif isinstance(value, (int, float)):
        target.number_value = value
    elif isinstance(value, (dict, Struct)):
        target.struct_value.Clear()
        target.struct_value.SetInParent()
        target.struct_value.update(value)
    elif isinstance(value, (list, tuple, ListValue)):
        target.list_value.Clear()
        target.list_value.SetInParent()
        target.list_value.extend(value)
    else:
        raise ValueError(f"JSON has no value like {value!r}")


def _get_value(value: Any) -> Any:
    kind = value.WhichOneof("kind")
    if kind is None:
        raise ValueError("the Value is not set")
    return None if kind == "null_value" else getattr(value, kind)


class Struct:
    """Methods of google.protobuf.Struct: a mapping from str to JSON values."""

    fields: Any

    def __getitem__(self, key: str) -> Any:
        return _get_value(self.fields[key])

    def __setitem__(self, key: str, value: Any) -> None:
        _set_value(self.fields[key], value)

    def __delitem__(self, key: str) -> None:
        del self.fields[key]

    def __contains__(self, key: object) -> bool:
        return key in self.fields

    def __len__(self) -> int:
        return len(self.fields)

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def keys(self) -> Any:
        return self.fields.keys()

    def values(self) -> list[Any]:
        return [self[key] for key in self]

    def items(self) -> list[tuple[str, Any]]:
        return [(key, self[key]) for key in self]

    def get_or_create_list(self, key: str) -> Any:
        """Return the list under a key; set an empty one if there is none."""
        value = self.fields[key]
        if not value.HasField("list_value"):
            value.list_value.Clear()
            value.list_value.SetInParent()
        return value.list_value

    def get_or_create_struct(self, key: str) -> Any:
        """Return the Struct under a key; set an empty one if there is none."""
        value = self.fields[key]
        if not value.HasField("struct_value"):
            value.struct_value.Clear()
            value.struct_value.SetInParent()
        return value.struct_value

    def update(self, dictionary: Mapping[str, Any]) -> None:
        for key, value in dictionary.items():
            _set_value(self.fields[key], value)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, dict):
            return bool(_plain(self) == other)
        return super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]  # mutable


class ListValue:
    """Methods of google.protobuf.ListValue: a list of JSON values."""

    values: Any

    def __len__(self) -> int:
        return len(self.values)

    def __contains__(self, item: object) -> bool:
        return any(value == item for value in self)

    def append(self, value: Any) -> None:
        _set_value(self.values.add(), value)

    def extend(self, elem_seq: Iterable[Any]) -> None:
        for value in elem_seq:
            self.append(value)

    def __getitem__(self, index: int) -> Any:
        return _get_value(self.values[index])

    def __setitem__(self, index: int, value: Any) -> None:
        _set_value(self.values[index], value)

    def __delitem__(self, key: Any) -> None:
        del self.values[key]

    def items(self) -> Iterator[Any]:
        yield from self

    def __iter__(self) -> Iterator[Any]:
        return (_get_value(value) for value in self.values)

    def add_struct(self) -> Any:
        """Add an empty Struct, and return it."""
        struct = self.values.add().struct_value
        struct.Clear()
        struct.SetInParent()
        return struct

    def add_list(self) -> Any:
        """Add an empty list, and return it."""
        values = self.values.add().list_value
        values.Clear()
        values.SetInParent()
        return values

    def __eq__(self, other: object) -> bool:
        if isinstance(other, list):
            return bool(_plain(self) == other)
        return super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]  # mutable


def _plain(value: Any) -> Any:
    """Return dicts and lists for Structs and ListValues."""
    if isinstance(value, Struct):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, ListValue) else value


MIXINS: dict[str, type] = {
    "google.protobuf.Any": AnyMixin,
    "google.protobuf.Duration": Duration,
    "google.protobuf.FieldMask": FieldMask,
    "google.protobuf.ListValue": ListValue,
    "google.protobuf.Struct": Struct,
    "google.protobuf.Timestamp": Timestamp,
}

MutableMapping.register(Struct)
MutableSequence.register(ListValue)
