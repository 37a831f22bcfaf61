"""Messages that have extensions."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from ..codec.buffers import Chunks
from ..descriptor import Field
from ..lazy.messages import decode_with_maps
from ..message import Message, is_set, shorten_repr
from .declarations import Extension
from .table import ExtendableTable

T = TypeVar("T")


def _row_of(table: ExtendableTable, extension: Any) -> Field:
    """Return the row of an extension set. Raises ValueError for an extension of another message."""
    if not isinstance(extension, Extension):
        raise TypeError(f"expected a declared extension, got {extension!r}")
    if table.extensions.get(extension.number) is not extension:
        other = extension.extendee.__table__.full_name
        problem = "was declared again" if other == table.full_name else f"is an extension of {other}"
        raise ValueError(f"{extension.full_name} {problem}, not of {table.full_name}")
    return table.names[extension.full_name]


class Extensions:
    """The extensions of a message, by their declarations: `message.extensions`.

    Iteration gives the declarations of those that are present, in the order of their numbers.
    """

    __slots__ = ("_message", "_table")

    def __init__(self, message: Any) -> None:
        self._message = message
        self._table: ExtendableTable = message.__table__

    def __getitem__(self, extension: Extension[T]) -> T:
        """Return the value of an extension; None, or an empty list, if it is absent.

        Raises DecodeError if it is damaged, and ValueError, as all methods do, for an extension of another message.
        """
        row = _row_of(self._table, extension)
        if row.label == "singular":
            extensions = self._table.current_set(self._message)
            return None if extensions is None else getattr(extensions, row.name)  # type: ignore[return-value]  # the row holds what `T` says
        return getattr(self._table.extension_set(self._message), row.name)  # type: ignore[no-any-return]  # the row holds what `T` says

    def __setitem__(self, extension: Extension[T], value: T) -> None:
        """Set the value of an extension. None makes it absent."""
        row = _row_of(self._table, extension)
        setattr(self._table.extension_set(self._message), row.name, value)

    def __delitem__(self, extension: Extension[Any]) -> None:
        """Make an extension absent."""
        row = _row_of(self._table, extension)
        extensions = self._table.current_set(self._message)
        if extensions is not None:
            setattr(extensions, row.name, row.empty)

    def __contains__(self, extension: Extension[Any]) -> bool:
        """Return whether an extension is present; a list is if it is not empty."""
        row = _row_of(self._table, extension)
        extensions = self._table.current_set(self._message)
        return extensions is not None and is_set(row, getattr(extensions, row.name))

    def get(self, extension: Extension[T]) -> T:
        """Return the value as protobuf's accessors do: for an absent extension its default, or an empty message."""
        row = _row_of(self._table, extension)
        value = self[extension]
        if value is None:
            value = row.type() if row.is_message else row.zero
        return value

    def __iter__(self) -> Iterator[Extension[Any]]:
        extensions = self._table.current_set(self._message)
        if extensions is None:
            return iter(())
        present = {field.json_name[1:-1] for field, _ in extensions.ListFields()}
        return iter([one for _, one in sorted(self._table.extensions.items()) if one.full_name in present])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"{{{', '.join(f'{one.full_name}: {shorten_repr(self[one])}' for one in self)}}}"


class ExtendableMessage(Message):
    """The base class of messages that declare ranges of numbers for extensions."""

    __slots__ = ("_extensions",)
    __table_class__ = ExtendableTable
    __table__: ClassVar[ExtendableTable]

    if TYPE_CHECKING:
        _extensions: Any

    @property
    def extensions(self) -> Extensions:
        """The extensions of the message, by their declarations."""
        return Extensions(self)

    def ListFields(self) -> list[tuple[Field, Any]]:
        """Return the present fields and extensions with their values, in the order of their numbers."""
        pairs = Message.ListFields(self)
        extensions = self.__table__.current_set(self)
        if extensions is None:
            return pairs
        return sorted(pairs + extensions.ListFields(), key=lambda pair: pair[0].number)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, self.__table__.cls):
            for message in (self, other):
                self.__table__.current_set(message)
        return Message.__eq__(self, other)

    __hash__ = None

    def __repr__(self) -> str:
        shown = [f"{field.name}={shorten_repr(value)}" for field, value in Message.ListFields(self)]
        if self.extensions:
            shown.append(f"extensions={self.extensions!r}")
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __copy__(self) -> Self:
        copied = Message.__copy__(self)
        copied._extensions = copy(self._extensions)
        return copied


def _unknown_fields(self: ExtendableMessage) -> bytes:
    """The encoded fields that the class does not declare: extensions, then unknown fields in their order."""
    decode_with_maps(self)
    if self._extensions is None:
        return self._unknown  # type: ignore[no-any-return]  # generated code has no types
    chunks = Chunks()
    self.__table__.put_extensions(self._extensions, chunks, False, 0)
    return chunks.to_bytes() + self._unknown  # type: ignore[no-any-return]  # it is bytes


def _set_unknown_fields(self: ExtendableMessage, value: bytes) -> None:
    decode_with_maps(self)
    self._unknown = bytes(memoryview(value))
    self._extensions = None


ExtendableMessage.unknown_fields = property(_unknown_fields, _set_unknown_fields)  # type: ignore[assignment]  # type checkers see a field
