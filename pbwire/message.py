"""The base class of messages: encoding, decoding, merging, presence of fields, the behavior of a dataclass.

Many methods have two names, in Python's spelling (`from_bytes`, `which_oneof`) and in protobuf's (`FromString`,
`WhichOneof`). Both do the same.

`del message.field` deletes the attribute, as in all Python objects: reading it fails until it is assigned. To make a
field absent, use `ClearField`, or assign None, zero or an empty list.
"""

from __future__ import annotations

import gc
import sys

from .codec.buffers import Buffer, encode_message
from .codec.codegen import function
from .codec.copy import deep_copy
from .codec.unknown_fields import MergeState
from .descriptor import Field, Table
from .errors import class_name
from .lazy.messages import decode_fields, decode_with_maps, discard_encoding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import KW_ONLY
    from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

    T = TypeVar("T")
else:

    def dataclass_transform():
        return lambda function: function


MAX_DEPTH = 100
MAX_SHOWN_LENGTH = 80  # of a string in __repr__, and of a list
MAX_SHOWN_ITEMS = 8


@dataclass_transform()
def _dataclass(cls: type[T]) -> type[T]:
    """Return the class unchanged. Type checkers then see `unknown_fields` as an inherited field of every message."""
    return cls


@_dataclass
class Message:
    """The base class of messages; see `pbwire.table` for the declaration of message classes.

    `unknown_fields` are the encoded fields that the class does not declare. They are written after all other fields.
    """

    __slots__ = ("_unknown",)

    if TYPE_CHECKING:
        __table__: ClassVar[Table]
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
        """Decode a message from bytes or from another buffer. Buffers are copied, except a mmap.

        With `lazy`, sub-messages are decoded on first access, and errors in them are raised then. `max_depth` is the
        maximum nesting of sub-messages. Raises DecodeError if `data` is not an encoding of this class.
        """
        if not lazy:
            return decode_into(cls, data, max_depth)  # type: ignore[no-any-return]  # generated code has no types
        data = _as_readable(data)
        return function(cls.__table__, "decode_lazily")(data, 0, len(data), max_depth)  # type: ignore[no-any-return]  # generated code has no types

    def merge_from_bytes(self, data: bytes, *, max_depth: int = MAX_DEPTH) -> None:
        """Decode `data` into this message, as if its bytes followed the encoding of the message.

        Raises DecodeError. After an error, the message may have a part of the data.
        """
        decode_into(type(self), data, max_depth, self)

    def ParseFromString(self, data: bytes) -> int:
        """Replace the content by the decoded `data`, and return the length of `data`.

        Raises DecodeError, which leaves the message unchanged.
        """
        _move_content(self, type(self).from_bytes(data))
        return len(data)

    def MergeFromString(self, data: bytes) -> int:
        self.merge_from_bytes(data)
        return len(data)

    @classmethod
    def FromString(cls, data: bytes) -> Self:
        return cls.from_bytes(data)

    # --- writing -------------------------------------------------------------------------------------------------

    def to_bytes(self, deterministic: bool = False) -> bytes:
        """Encode the message: its fields in the order of their numbers, then its unknown fields.

        With `deterministic`, entries of maps are sorted by key. Raises EncodeError for a value that its field cannot
        hold.
        """
        return encode_message(self, deterministic).to_bytes()

    def to_buffers(self, deterministic: bool = False) -> list[Buffer]:
        """Encode the message as a list of buffers, to be written in order. Large values are not copied."""
        return encode_message(self, deterministic).to_buffers()

    def SerializeToString(self, *, deterministic: bool = False) -> bytes:
        return self.to_bytes(deterministic)

    def ByteSize(self) -> int:
        return sum(map(len, encode_message(self, False)))

    # --- merging and clearing ------------------------------------------------------------------------------------

    def merge_from(self, other: Self) -> None:
        """Merge `other` into this message: scalars are replaced, lists extended, sub-messages merged.

        The messages share nothing afterwards. Raises TypeError if `other` is of another class.
        """
        _require_same_class(self, other)
        data = encode_message(other, False, partial=True).to_bytes()  # merging is defined as decoding the concatenation
        decode_into(type(self), data, sys.maxsize, self)

    def clear(self) -> None:
        """Make all fields absent."""
        discard_encoding(self)
        for slot, empty in self.__table__.slots.items():
            setattr(self, slot, empty)
        self._unknown = b""

    def MergeFrom(self, other: Self) -> None:
        self.merge_from(other)

    def CopyFrom(self, other: Self) -> None:
        """Replace the content by a copy of that of `other`. Undecoded sub-messages stay undecoded.

        Raises TypeError if `other` is of another class, and EncodeError if it holds values of other classes.
        """
        _require_same_class(self, other)
        copy = deep_copy(other)
        decode_fields(copy)
        _move_content(self, copy)

    def Clear(self) -> None:
        self.clear()

    # --- presence of fields --------------------------------------------------------------------------------------

    def which_oneof(self, name: str) -> str | None:
        """Return the name of the set member of a oneof, or None. Raises ValueError for an unknown oneof."""
        members = self.__table__.oneofs.get(name)
        if members is None:
            raise ValueError(f"{type(self).__name__} has no oneof {name!r}")
        case = getattr(self, members[0].case_slot)
        return self.__table__.by_number[case].name if case else None

    def WhichOneof(self, name: str) -> str | None:
        return self.which_oneof(name)

    def HasField(self, name: str) -> bool:
        """Return whether a field is present, or whether any member of a oneof is set.

        Raises ValueError for a field without presence.
        """
        if name in self.__table__.oneofs:
            return self.which_oneof(name) is not None
        field = _field(self, name)
        if not field.presence:
            raise ValueError(f"{type(self).__name__}.{name} has no presence: absent and empty are the same")
        return getattr(self, name) is not None

    def ClearField(self, name: str) -> None:
        """Make a field absent. The name of a oneof stands for the member that is set."""
        if name in self.__table__.oneofs:
            name = self.which_oneof(name) or ""
            if not name:
                return
        field = _field(self, name)
        setattr(self, name, field.empty)

    def ListFields(self) -> list[tuple[Field, Any]]:
        """Return the present fields with their values, in the order of their numbers."""
        pairs = ((field, getattr(self, field.name)) for field in self.__table__.by_number.values())
        return [(field, value) for field, value in pairs if is_set(field, value)]

    # --- as a dataclass ------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        cls = self.__table__.cls
        if not isinstance(other, cls):
            return NotImplemented  # so that Python calls `__eq__` of the other operand
        return _comparable_values(self) == _comparable_values(other)

    __hash__ = None  # type: ignore[assignment]  # messages are mutable

    def __repr__(self) -> str:
        shown = (f"{field.name}={shorten_repr(value)}" for field, value in self.ListFields())
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __copy__(self) -> Self:
        decode_with_maps(self)
        table = self.__table__
        copy: Self = object.__new__(table.cls)
        for slot in (*table.slots, "_unknown"):
            setattr(copy, slot, getattr(self, slot))
        return copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return deep_copy(self)

    def __replace__(self, /, **changes: Any) -> Self:
        """Return what `dataclasses.replace` returns, for `copy.replace`."""
        from dataclasses import replace  # slow to import

        return replace(self, **changes)

    def __reduce__(self) -> tuple[Any, ...]:
        decode_with_maps(self)
        slots = (*self.__table__.slots, "_unknown")
        return _restored, (self.__table__.cls, {slot: _copy_views(getattr(self, slot)) for slot in slots})


def _copy_views(value: Any) -> Any:
    """Return a value of a field with bytes in place of views, since Python can neither pickle nor copy views."""
    if isinstance(value, memoryview):
        return bytes(value)
    if isinstance(value, list) and value and isinstance(value[0], _BYTES):
        return [_copy_views(item) for item in value]
    if isinstance(value, dict) and isinstance(next(iter(value.values()), None), _BYTES):
        return {key: _copy_views(item) for key, item in value.items()}
    return value


_BYTES = (bytes, bytearray, memoryview)


def _unknown_fields(self: Message) -> bytes:
    """The encoded fields that the class does not declare, in their order."""
    decode_with_maps(self)
    return self._unknown  # type: ignore[no-any-return]  # generated code has no types


def _set_unknown_fields(self: Message, value: bytes) -> None:
    decode_with_maps(self)
    self._unknown = bytes(memoryview(value))


Message.unknown_fields = property(_unknown_fields, _set_unknown_fields)  # type: ignore[assignment]  # type checkers see a field


def is_set(field: Field, value: Any) -> bool:
    """Return whether an encoder would write this value of a field. -0.0 is not zero."""
    if field.presence:
        return value is not None
    return bool(value) or (isinstance(value, float) and str(value) == "-0.0")


def get(message: Message, name: str) -> Any:
    """Return the value of a field as protobuf's accessors do. For an absent field, this is its declared default.

    For an absent sub-message, return an empty message, which is not stored in `message`.
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


def _as_readable(data: Any) -> Any:
    if isinstance(data, bytes):
        return data
    if isinstance(data, str):
        raise TypeError("messages are decoded from bytes, not from str; text format has its own functions")
    mmap: Any = sys.modules.get("mmap")  # a caller that mapped a file has imported mmap
    return data if mmap is not None and isinstance(data, mmap.mmap) else bytes(memoryview(data))


def decode_into(cls: type[Message], data: Any, max_depth: int, into: Message | None = None) -> Any:
    data = _as_readable(data)
    decode = function(cls.__table__, "decode" if into is None else "merge")
    has_disabled = gc.isenabled()  # a `PausedCollection`, which would take a third of the time of a small message
    if has_disabled:
        gc.disable()
    try:
        if into is None:
            return decode(data, 0, len(data), max_depth)
        merge_state = MergeState()
        decode(data, 0, len(data), max_depth, into, merge_state)
        merge_state.join_unknown()
        return into
    finally:
        if has_disabled:
            gc.enable()


def _require_same_class(message: Message, other: object) -> None:
    if not isinstance(other, message.__table__.cls):
        raise TypeError(f"{type(message).__name__} cannot take a {class_name(other, type(message))}")


def _move_content(message: Message, other: Message) -> None:
    """Move the content of `other` to `message`."""
    discard_encoding(message)
    for slot in (*message.__table__.slots, "_unknown"):
        setattr(message, slot, getattr(other, slot))


def _restored(cls: type[Message], state: dict[str, Any]) -> Message:
    message = object.__new__(cls)
    for slot, value in state.items():
        setattr(message, slot, value)
    return message


def _comparable_values(message: Message) -> list[Any]:
    """Return the values that `__eq__` compares. An absent list or map equals an empty one."""
    decode_with_maps(message)
    table = message.__table__
    state = [getattr(message, slot) for slot in (*table.slots, "_unknown")]
    return [comparable_value(value) for value in state]


def comparable_value(value: Any) -> Any:
    """Return the value of a slot for comparisons: None for an empty list or map."""
    return None if isinstance(value, (list, dict)) and not value else value


def _keep_one_member(table: Table, values: dict[str, Any], replacing: bool) -> None:
    """Raise ValueError if `values` has two members of a oneof.

    With `replacing`, keep only the first one instead, and set the others to None: dataclasses.replace passes the
    changed fields before all other fields.
    """
    for oneof, members in table.oneofs.items():
        names = {member.name for member in members}
        present = [name for name, value in values.items() if value is not None and name in names]
        if len(present) > 1 and not replacing:
            raise ValueError(f"{' and '.join(present)} cannot both be set: they are members of the oneof {oneof}")
        for name in present[1:]:
            values[name] = None


def shorten_repr(value: Any) -> str:
    """Return the repr of a value, shortened for `Message.__repr__`."""
    if isinstance(value, (bytes, str)) and len(value) > MAX_SHOWN_LENGTH:
        return f"<{len(value):,} {'bytes' if isinstance(value, bytes) else 'characters'}>"
    if isinstance(value, list) and len(value) > MAX_SHOWN_ITEMS:
        return f"[{', '.join(map(shorten_repr, value[:MAX_SHOWN_ITEMS]))}, ... {len(value):,} in all]"
    if isinstance(value, list):
        return f"[{', '.join(map(shorten_repr, value))}]"
    if isinstance(value, dict):
        items = [f"{key!r}: {shorten_repr(item)}" for key, item in list(value.items())[:MAX_SHOWN_ITEMS]]
        return f"{{{', '.join(items)}{f', ... {len(value):,} in all' if len(value) > MAX_SHOWN_ITEMS else ''}}}"
    return repr(value)
