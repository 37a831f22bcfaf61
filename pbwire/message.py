"""The base of all messages: reading, writing, merging, and behaving as a dataclass does.

Methods come in two spellings, Python's (`from_bytes`, `which_oneof`) and protobuf's (`FromString`, `WhichOneof`), so
that readers of either feel at home. They do the same. The latter are what linters are told to let pass here.

`del message.field` is Python's own: the attribute is gone until it is assigned. To set a field back to absent use
`ClearField`, or assign None, zero or an empty list.
"""

from __future__ import annotations

import gc
import sys
from copy import deepcopy
from math import copysign
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, dataclass_transform

from .codec.buffers import Buffer, encoded
from .codec.codegen import function
from .codec.unknown_fields import Merging
from .descriptor import Field, Table
from .errors import class_name
from .lazy.messages import reveal, settle

__all__ = ["MAX_DEPTH", "Message", "get", "is_set"]

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

T = TypeVar("T")

try:
    from mmap import mmap

    READ_IN_PLACE: tuple[type, ...] = (bytes, mmap)
except ImportError:  # WebAssembly has none
    READ_IN_PLACE = (bytes,)

MAX_DEPTH = 100
LONG = 80  # what __repr__ shows of a string, and of a list
MANY = 8


@dataclass_transform()
def _dataclass(cls: type[T]) -> type[T]:
    """Let type checkers take `unknown_fields` for a field that every message inherits; nothing happens here."""
    return cls


@_dataclass
class Message:
    """A message of a table; see `pbwire.table` for how one is declared.

    `unknown_fields` holds the fields of the wire that the table does not know, as they were: they are written back
    behind all others.
    """

    __slots__ = ("_unknown",)
    __table__: ClassVar[Table]

    if TYPE_CHECKING:
        _: KW_ONLY
        unknown_fields: bytes = b""
        _unknown: Any = None

    def __init__(self, /, *args: Any, **kwargs: Any) -> None:
        table = self.__table__
        if len(args) > len(table.fields):
            raise TypeError(f"{type(self).__name__} has {len(table.fields)} fields, {len(args)} values are given")
        values = kwargs
        if args or not kwargs.keys() <= table.by_name.keys():
            values = dict(zip(table.by_name, args, strict=False))
            for name in kwargs:
                if name in values:
                    raise TypeError(f"{type(self).__name__}.{name} is given twice")
                if name not in table.by_name and name != "unknown_fields":
                    raise TypeError(f"{type(self).__name__} has no field {name!r}")
            values |= kwargs
        for slot, empty in table.slots.items():
            setattr(self, slot, empty)
        self._unknown = b""
        if table.oneofs and len(values) > 1:
            _keep_one_member(table, values, replacing=len(kwargs) > len(table.fields))
        for name, value in values.items():
            setattr(self, name, value)

    # --- reading -------------------------------------------------------------------------------------------------

    @classmethod
    def from_bytes(cls, data: bytes, *, lazy: bool = False, max_depth: int = MAX_DEPTH) -> Self:
        """The message that `data` holds: bytes, or any buffer, which is copied unless it is a mmap.

        With `lazy`, sub-messages are decoded when they are first touched, and errors in them appear then. Raises
        DecodeError if `data` is no such message.
        """
        if not lazy:
            return _decode(cls, data, max_depth)  # type: ignore[no-any-return]  # generated code has no types
        data = _readable(data)
        return function(cls.__table__, "decode_lazily")(data, 0, len(data), max_depth)  # type: ignore[no-any-return]  # generated code has no types

    def merge_from_bytes(self, data: bytes, *, max_depth: int = MAX_DEPTH) -> None:
        """Read `data` on top of what is here, as if it followed on the wire. If it fails, part of it may be read."""
        _decode(type(self), data, max_depth, self)

    def ParseFromString(self, data: bytes) -> int:
        """Replace the content by what `data` holds, and return its length. If it fails, nothing has changed."""
        _take(self, type(self).from_bytes(data))
        return len(data)

    def MergeFromString(self, data: bytes) -> int:
        self.merge_from_bytes(data)
        return len(data)

    @classmethod
    def FromString(cls, data: bytes) -> Self:
        return cls.from_bytes(data)

    # --- writing -------------------------------------------------------------------------------------------------

    def to_bytes(self, deterministic: bool = False) -> bytes:
        """The message on the wire, fields by number and then the unknown ones.

        With `deterministic`, maps are sorted by key. Raises EncodeError for a value that its field cannot hold.
        """
        return encoded(self, deterministic).whole()

    def to_buffers(self, deterministic: bool = False) -> list[Buffer]:
        """The same as a list of buffers to be written one after another: a large payload is never copied."""
        return encoded(self, deterministic).joined()

    def SerializeToString(self, *, deterministic: bool = False) -> bytes:
        return self.to_bytes(deterministic)

    def ByteSize(self) -> int:
        return sum(map(len, encoded(self, False)))

    # --- merging and clearing ------------------------------------------------------------------------------------

    def merge_from(self, other: Self) -> None:
        """Add what `other` holds: single values replace ours, lists are appended, sub-messages merge.

        Nothing is shared with `other` afterwards. Raises TypeError if it is of another class.
        """
        if not isinstance(other, self.__table__.cls):
            raise TypeError(f"{type(self).__name__} cannot take a {class_name(other, type(self))}")
        data = encoded(other, False, partial=True).whole()  # to merge is to read on: that is how it is specified
        _decode(type(self), data, sys.maxsize, self)

    def clear(self) -> None:
        """Make every field absent."""
        reveal(self)
        for slot, empty in self.__table__.slots.items():
            setattr(self, slot, empty)
        self._unknown = b""

    def MergeFrom(self, other: Self) -> None:
        self.merge_from(other)

    def CopyFrom(self, other: Self) -> None:
        copy = self.__table__.cls()
        copy.merge_from(other)
        _take(self, copy)

    def Clear(self) -> None:
        self.clear()

    # --- looking at fields ---------------------------------------------------------------------------------------

    def which_oneof(self, name: str) -> str | None:
        """The member of a oneof that is set. Raises ValueError if there is no such oneof."""
        members = self.__table__.oneofs.get(name)
        if members is None:
            raise ValueError(f"{type(self).__name__} has no oneof {name!r}")
        case = getattr(self, members[0].case_slot)
        return self.__table__.by_number[case].name if case else None

    def WhichOneof(self, name: str) -> str | None:
        return self.which_oneof(name)

    def HasField(self, name: str) -> bool:
        """Is the field present, or a member of the oneof set? Raises ValueError if it has no presence."""
        if name in self.__table__.oneofs:
            return self.which_oneof(name) is not None
        field = _field(self, name)
        if not field.presence:
            raise ValueError(f"{type(self).__name__}.{name} has no presence: absent and empty are the same")
        return getattr(self, name) is not None

    def ClearField(self, name: str) -> None:
        """Make one field absent, or whichever member of a oneof is set."""
        if name in self.__table__.oneofs:
            name = self.which_oneof(name) or ""
            if not name:
                return
        field = _field(self, name)
        setattr(self, name, field.empty)

    def ListFields(self) -> list[tuple[Field, Any]]:
        """The fields that are present and their values, by number."""
        pairs = ((field, getattr(self, field.name)) for field in self.__table__.by_number.values())
        return [(field, value) for field, value in pairs if is_set(field, value)]

    # --- as a dataclass ------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        cls = self.__table__.cls
        if not isinstance(other, cls):
            return NotImplemented  # so Python asks the other one
        return _state(self) == _state(other)

    __hash__ = None  # type: ignore[assignment]  # it can change

    def __repr__(self) -> str:
        shown = (f"{field.name}={_short(value)}" for field, value in self.ListFields())
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __copy__(self) -> Self:
        settle(self)
        copy: Self = object.__new__(self.__table__.cls)
        for slot in (*self.__table__.slots, "_unknown"):
            setattr(copy, slot, getattr(self, slot))
        return copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        settle(self)
        copy: Self = object.__new__(self.__table__.cls)
        memo[id(self)] = copy
        for slot in (*self.__table__.slots, "_unknown"):
            setattr(copy, slot, deepcopy(_owned(getattr(self, slot)), memo))
        return copy

    def __reduce__(self) -> tuple[Any, ...]:
        settle(self)
        slots = (*self.__table__.slots, "_unknown")
        return _restored, (self.__table__.cls, {slot: _owned(getattr(self, slot)) for slot in slots})


def _owned(value: Any) -> Any:
    """The value with bytes in place of views of somebody's memory, which Python neither pickles nor copies."""
    if isinstance(value, memoryview):
        return bytes(value)
    if isinstance(value, list) and value and isinstance(value[0], _BYTES):
        return [_owned(each) for each in value]
    if isinstance(value, dict) and isinstance(next(iter(value.values()), None), _BYTES):
        return {key: _owned(each) for key, each in value.items()}
    return value


_BYTES = (bytes, bytearray, memoryview)


def _unknown_fields(self: Message) -> bytes:
    """The fields of the wire that the table does not know, in order, as they were."""
    settle(self)
    return self._unknown  # type: ignore[no-any-return]  # generated code has no types


def _set_unknown_fields(self: Message, value: bytes) -> None:
    settle(self)
    self._unknown = bytes(memoryview(value))


# Type checkers see a field, which it is to dataclasses too.
Message.unknown_fields = property(_unknown_fields, _set_unknown_fields)  # type: ignore[assignment]  # type checkers see a field


def is_set(field: Field, value: Any) -> bool:
    """Would a writer write this value? -0.0 is not zero."""
    if field.presence:
        return value is not None
    return bool(value) or (isinstance(value, float) and copysign(1.0, value) < 0)


def get(message: Message, name: str) -> Any:
    """A field's value as protobuf's accessors read it: where it is absent, the default that its table gives.

    An absent sub-message is an empty one, which is not put into `message`.
    """
    field = _field(message, name)
    value = getattr(message, name)
    if value is None and field.is_message:
        return field.type()
    return field.zero if value is None else value


def _field(message: Message, name: str) -> Field:
    field = message.__table__.by_name.get(name)
    if field is None:
        raise ValueError(f"{type(message).__name__} has no field {name!r}")
    return field


def _readable(data: Any) -> Any:
    return data if isinstance(data, READ_IN_PLACE) else bytes(memoryview(data))


def _decode(cls: type[Message], data: Any, max_depth: int, into: Message | None = None) -> Any:
    data = _readable(data)
    decode = function(cls.__table__, "decode")
    merged = None if into is None else Merging()
    collecting = gc.isenabled()
    gc.disable()  # decoding makes nothing but objects that stay, and looking through them again and again costs a third
    try:
        message = decode(data, 0, len(data), max_depth, into, merged)
        if merged is not None:
            merged.join_unknown()
        return message
    finally:
        if collecting:
            gc.enable()


def _take(message: Message, other: Message) -> None:
    """Move the content of `other` here."""
    reveal(message)
    for slot in (*message.__table__.slots, "_unknown"):
        setattr(message, slot, getattr(other, slot))


def _restored(cls: type[Message], state: dict[str, Any]) -> Message:
    message = object.__new__(cls)
    for slot, value in state.items():
        setattr(message, slot, value)
    return message


def _state(message: Message) -> list[Any]:
    """What makes two messages equal. An absent list or map is an empty one."""
    settle(message)
    table = message.__table__
    state = [getattr(message, slot) for slot in (*table.slots, "_unknown")]
    return [None if isinstance(value, (list, dict)) and not value else value for value in state]


def _keep_one_member(table: Table, values: dict[str, Any], replacing: bool) -> None:
    """Refuse two members of a oneof; but dataclasses.replace names its changes first and then all else there is."""
    for oneof, members in table.oneofs.items():
        names = {member.name for member in members}
        given = [name for name, value in values.items() if value is not None and name in names]
        if len(given) > 1 and not replacing:
            raise ValueError(f"{' and '.join(given)} cannot both be set: they are members of the oneof {oneof}")
        for name in given[1:]:
            values[name] = None


def _short(value: Any) -> str:
    """A value for __repr__, which is for a glance."""
    if isinstance(value, (bytes, str)) and len(value) > LONG:
        return f"<{len(value):,} {'bytes' if isinstance(value, bytes) else 'characters'}>"
    if isinstance(value, list) and len(value) > MANY:
        return f"[{', '.join(map(_short, value[:MANY]))}, ... {len(value):,} in all]"
    if isinstance(value, list):
        return f"[{', '.join(map(_short, value))}]"
    if isinstance(value, dict):
        items = [f"{key!r}: {_short(item)}" for key, item in list(value.items())[:MANY]]
        return f"{{{', '.join(items)}{f', ... {len(value):,} in all' if len(value) > MANY else ''}}}"
    return repr(value)
