"""The base class of protobuf-style messages: the methods of `google.protobuf.message.Message`."""

from __future__ import annotations

import sys
from typing import Any, ClassVar, Self, cast

from ...codec.buffers import encode_message
from ...codec.codegen import function
from ...codec.copy import deep_copy
from ...descriptor import Field, Table
from ...errors import DecodeError, EncodeError
from ...message import MAX_DEPTH, comparable_value, decode_into
from ..values import above
from ..values.extensions import ExtensionDict, clear_extension, current_extensions, has_extension
from ..values.initializing import initialize
from ..values.links import LINK_SLOTS, adopt, attach, forget_child, forget_children
from ..values.merging import merge


class _ClassProperty:
    """An attribute of classes and instances that is computed when it is read."""

    def __init__(self, get: Any) -> None:
        self._get = get

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self._get(owner)


_max_depth = MAX_DEPTH


def set_allow_oversize_protos(allow: bool) -> None:
    """Allow or forbid messages that are nested more than 100 levels deep, as the function of protobuf's C module.

    Python's recursion limit still holds: deeper messages raise DecodeError.
    """
    global _max_depth
    _max_depth = sys.maxsize if allow else MAX_DEPTH


class Message:
    """A protobuf-style message. `pbwire.compat.compat_class` makes the classes."""

    __slots__ = ("_child", "_field", "_parent", "_sibling", "_unknown")
    __table__: ClassVar[Table]
    _child: Any
    _field: Any
    _parent: Any
    _sibling: Any
    _unknown: Any

    def __init__(self, *args: Any, **values: Any) -> None:
        if args:
            raise TypeError("a message takes no positional arguments")
        for slot, empty in self.__table__.slots.items():
            setattr(self, slot, empty)
        self._unknown = b""
        if values:
            initialize(self, values)

    DESCRIPTOR: ClassVar[Any] = _ClassProperty(lambda cls: above.descriptors().message_descriptor(cls))

    # --- encoding ------------------------------------------------------------------------------------------------

    @classmethod
    def FromString(cls, data: bytes) -> Self:
        """Return the message that `data` encodes. Raises DecodeError."""
        return cast(Self, _decode(cls, data))

    def ParseFromString(self, data: bytes) -> int:
        """Replace the content by the decoded `data`, and return its length. Raises DecodeError."""
        self.Clear()
        return self.MergeFromString(data)

    def MergeFromString(self, data: bytes) -> int:
        """Merge the decoded `data` into this message, and return its length. Raises DecodeError."""
        decoded = _decode(type(self), data)
        if self._parent is not None:
            attach(self)
        if _is_empty(self):
            _move_content(self, decoded)
        else:
            merge(self, decoded)
        return len(data)

    def SerializeToString(self, *, deterministic: bool | None = None) -> bytes:
        """Return the encoded message. Raises EncodeError if a required field is missing."""
        table = self.__table__
        if not self.IsInitialized():
            missing = ",".join(self.FindInitializationErrors())
            raise EncodeError(f"Message {table.full_name} is missing required fields: {missing}")
        return self.SerializePartialToString(deterministic=deterministic)

    def SerializePartialToString(self, *, deterministic: bool | None = None) -> bytes:
        """Return the encoded message; required fields may be missing."""
        return encode_message(self, bool(deterministic), partial=True).to_bytes()

    def ByteSize(self) -> int:
        """Return the size of the encoded message in bytes."""
        return len(self.SerializePartialToString())

    # --- merging and clearing ------------------------------------------------------------------------------------

    def MergeFrom(self, other: Any) -> None:
        """Merge another message of the same class into this one. Raises TypeError for another class."""
        _require_class(self, other, "MergeFrom")
        if other is self:
            return
        if self._parent is not None:
            attach(self)
        if _is_empty(self):
            _move_content(self, deep_copy(other))
        else:
            merge(self, other)

    def CopyFrom(self, other: Any) -> None:
        """Replace the content by a copy of that of another message of the same class."""
        if other is self:
            return
        _require_class(self, other, "CopyFrom")
        self._take(deep_copy(other))

    def _take(self, made: Self) -> None:
        """Replace the content by that of a message of the same class that nothing else uses."""
        if self._parent is not None:
            attach(self)
        _move_content(self, made)

    def _assign(self, value: Any) -> bool:
        """Replace the content by a Python value: the effect of `parent.field = value`.

        Return False if the value is refused: by all messages, except well-known ones that override this.
        """
        return False

    def Clear(self) -> None:
        """Make all fields absent. Sub-messages that were read before live on without a parent."""
        if self._parent is not None:
            attach(self)
        forget_children(self)
        for slot, empty in self.__table__.slots.items():
            if slot not in LINK_SLOTS:
                setattr(self, slot, empty)
        self._unknown = b""

    def DiscardUnknownFields(self) -> None:
        """Remove the unknown fields of this message and of all messages in it."""
        current_extensions(self)
        self._unknown = b""
        for _, message in _sub_messages(self):
            message.DiscardUnknownFields()

    # --- presence ------------------------------------------------------------------------------------------------

    def HasField(self, field_name: str) -> bool:
        """Return whether a field, or a member of a oneof, is present.

        Raises ValueError for an unknown field, and for one without presence.
        """
        table = self.__table__
        field = table.by_name.get(field_name)
        if field is None:
            if field_name in table.oneofs:
                return self.WhichOneof(field_name) is not None
            raise ValueError(f"{table.full_name} has no field {field_name!r}")
        if case_slot := field.case_slot:
            return getattr(self, case_slot) == field.number  # type: ignore[no-any-return]  # two integers
        if not field.presence:
            raise ValueError(f"{table.full_name}.{field_name} has no presence: absent and empty are the same")
        return getattr(self, field.slot) is not None

    def __contains__(self, field_name: str) -> bool:
        """Return `HasField` of a name."""
        return self.HasField(field_name)

    def ClearField(self, field_name: str) -> None:
        """Make a field absent, or the member of a oneof that is set. Raises ValueError for an unknown field."""
        table = self.__table__
        field = table.by_name.get(field_name)
        if field is None:
            if field_name not in table.oneofs:
                raise ValueError(f"{table.full_name} has no field {field_name!r}")
            name = self.WhichOneof(field_name)
            if name is None:
                return
            field = table.by_name[name]
        if self._parent is not None:
            attach(self)
        forget_child(self, field.number)
        if not field.case_slot:
            setattr(self, field.slot, field.empty)
        elif getattr(self, field.case_slot) == field.number:
            setattr(self, field.case_slot, 0)
            setattr(self, field.slot, None)

    def WhichOneof(self, oneof_group: str | bytes) -> str | None:
        """Return the name of the member of a oneof that is set, or None. Raises ValueError for an unknown oneof."""
        if isinstance(oneof_group, bytes):
            oneof_group = oneof_group.decode()
        members = self.__table__.oneofs.get(oneof_group)
        if members is None:
            return self._which_synthetic_oneof(oneof_group)
        number = getattr(self, members[0].case_slot)
        return self.__table__.by_number[number].text_name if number else None

    def _which_synthetic_oneof(self, name: str) -> str | None:
        """Return the field whose oneof has this name: an `optional` field of proto3 has a oneof of its own."""
        field = self.__table__.by_name.get(name.removeprefix("_"))
        if field is None or not field.optional or self.__table__.syntax != "proto3" or not name.startswith("_"):
            raise ValueError(f"{self.__table__.full_name} has no oneof {name!r}")
        return field.text_name if getattr(self, field.slot) is not None else None

    def ListFields(self) -> list[tuple[Any, Any]]:
        """Return the descriptors and values of all present fields, in the order of their numbers."""
        field_descriptor = above.descriptors().field_descriptor
        fields: Any = self.__table__.by_number.values()
        present = (field for field in fields if _is_present(self, field))
        pairs = [(field_descriptor(field), getattr(self, field.attribute)) for field in present]
        if self.__table__.is_extendable and (extensions := self.Extensions):
            pairs += [(descriptor, extensions[descriptor]) for descriptor in extensions]
            pairs.sort(key=lambda pair: pair[0].number)
        return pairs

    def SetInParent(self) -> None:
        """Make this message present in its parent."""
        if self._parent is not None:
            attach(self)

    # --- required fields -----------------------------------------------------------------------------------------

    def IsInitialized(self, errors: list[str] | None = None) -> bool:
        """Return whether all required fields are present, here and in sub-messages; add missing ones to `errors`."""
        table = self.__table__
        is_initialized = not table.has_required_fields or not function(table, "lacks_required")(self)
        if errors is not None and not is_initialized:
            errors.extend(self.FindInitializationErrors())
        return is_initialized

    def FindInitializationErrors(self) -> list[str]:
        """Return the paths of the required fields that are missing, such as "a.b" and "list[0].c"."""
        table = self.__table__
        missing = [
            field.text_name for field in table.by_number.values() if field.required and not _is_present(self, field)
        ]
        for path, message in _sub_messages(self):
            missing += (f"{path}.{name}" for name in message.FindInitializationErrors())
        return missing

    # --- as an object --------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, self.__table__.cls):
            return NotImplemented
        return _comparable_values(self) == _comparable_values(other)

    __hash__ = None  # type: ignore[assignment]  # messages are mutable

    def __str__(self) -> str:
        return above.text_format().debug_string(self)

    __repr__ = __str__

    def __copy__(self) -> Self:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: Any) -> Self:
        return deep_copy(self)

    def __reduce__(self) -> tuple[Any, ...]:
        table: Any = self.__table__
        return table.reduced(self)  # type: ignore[no-any-return]  # of a CompatTable

    # --- extensions ----------------------------------------------------------------------------------------------

    @property
    def Extensions(self) -> ExtensionDict:
        """The extensions, by their descriptors. Raises AttributeError for a message that cannot have any."""
        if not self.__table__.is_extendable:
            raise AttributeError(f"{self.__table__.full_name} has no extensions")
        return ExtensionDict(self)

    def __dir__(self) -> list[str]:
        hidden = () if self.__table__.is_extendable else ("Extensions",)
        return [name for name in object.__dir__(self) if name not in hidden]

    def HasExtension(self, field_descriptor: Any) -> bool:
        """Return whether a singular extension is present. Raises KeyError for one of another message."""
        return has_extension(self, field_descriptor)

    def ClearExtension(self, field_descriptor: Any) -> None:
        """Make an extension absent. Raises KeyError for one of another message."""
        clear_extension(self, field_descriptor)

    @staticmethod
    def RegisterExtension(field_descriptor: Any) -> None:
        """Do nothing: extensions are registered where they are declared."""


def _decode(cls: Any, data: bytes) -> Any:
    try:
        return decode_into(cls, data, _max_depth)
    except DecodeError as error:
        raise DecodeError(f"Error parsing message with type '{cls.__table__.full_name}': {error}") from None


def _require_class(message: Message, other: Any, method: str) -> None:
    if other.__class__ is not message.__class__:
        expected = message.__table__.full_name
        got = other.__table__.full_name if isinstance(other, Message) else type(other).__name__
        raise TypeError(f"Parameter to {method}() must be instance of same class: expected {expected} got {got}.")


def _is_present(message: Message, field: Field) -> bool:
    value = getattr(message, field.slot)
    if field.case_slot:
        return bool(getattr(message, field.case_slot) == field.number)
    if field.presence:
        return value is not None
    return bool(value) or (value.__class__ is float and str(value) == "-0.0")


def _is_empty(message: Message) -> bool:
    """Return whether all slots have the values of a new message, so that content can be moved here."""
    if message._unknown:
        return False
    for slot, empty in message.__table__.slots.items():
        value = getattr(message, slot)
        if slot not in LINK_SLOTS and (value is not empty if empty is None else value != empty or str(value) == "-0.0"):
            return False
    return True


def _move_content(message: Message, other: Message) -> None:
    for slot in message.__table__.slots:
        if slot not in LINK_SLOTS:
            setattr(message, slot, getattr(other, slot))
    message._unknown = other._unknown
    adopt(message)


def _sub_messages(message: Message) -> Any:
    """Yield the paths and messages of all present sub-messages."""
    fields: Any = message.__table__.by_number.values()
    for field in fields:
        element = field.value or field
        if not element.is_message or not _is_present(message, field):
            continue
        value = getattr(message, field.attribute)
        if field.label == "singular":
            yield field.text_name, value
        elif field.label == "repeated":
            yield from ((f"{field.text_name}[{index}]", item) for index, item in enumerate(value))
        else:
            yield from ((f"{field.text_name}[{key}]", item) for key, item in value.items())
    extensions = current_extensions(message)
    if extensions is not None:
        for path, item in _sub_messages(extensions):  # [package.name][0]
            full_name, _, index = path[1:].partition("]")
            yield full_name.rpartition(".")[2] + index, item


def _comparable_values(message: Any) -> list[Any]:
    extensions = current_extensions(message)
    hidden = {*LINK_SLOTS, "_extensions"}
    values = [getattr(message, slot) for slot in message.__table__.slots if slot not in hidden]
    if message.__table__.is_extendable:
        is_set = extensions is not None and any(_is_present(extensions, row) for row in extensions.__table__.fields)
        values.append(extensions if is_set else None)
    values.append(message._unknown)
    return [comparable_value(value) for value in values]
