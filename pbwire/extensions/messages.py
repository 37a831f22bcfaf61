"""The declarations of extensions, and the messages that have them."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from ..codec.buffers import Chunks
from ..descriptor import Field, find_class
from ..lazy.messages import decode_with_maps
from ..message import Message, is_set, shorten_repr
from .table import ExtendableTable, pending

T = TypeVar("T")


class Extension(Generic[T]):
    """The declaration of an extension.

    full_name    its name with the package, and the names of the messages in which it is declared
    number       its field number
    scope        the class in whose body it is declared, or None

    `T` is the type of its values, as in the annotation of a field: `int | None`, `list[int]`.
    """

    __slots__ = ("__kept__", "__orig_class__", "_extendee", "full_name", "number", "row", "scope")

    def __init__(self, full_name: str, extendee: type[Message] | str, row: Any) -> None:
        """Declare an extension of the message `extendee`. A name is allowed in a class body only.

        Raises TypeError or ValueError for rows that protobuf would not allow.
        """
        if not isinstance(row, Field) or row.label == "map" or row.oneof or row.required or row.implicit:
            raise TypeError(f"{full_name}: an extension is a singular or repeated field: pb.int32(100)")
        self.full_name = full_name
        self.number = row.number
        self.row = row
        self.scope: type | None = None
        self.__kept__: dict[Any, Any] = {}  # see `pbwire.kept`
        self._extendee: Any = extendee
        if isinstance(extendee, str):
            pending.append(self)
        else:
            self.register()

    @property
    def name(self) -> str:
        """The name without the package."""
        return self.full_name.rpartition(".")[2]

    @property
    def extendee(self) -> Any:
        """The message class that is extended. Raises TypeError for a name of a class that does not exist."""
        if isinstance(self._extendee, str):
            self._extendee = find_class(self._extendee, self.scope)
        return self._extendee

    def __set_name__(self, owner: type, name: str) -> None:
        self.scope = owner

    def register(self) -> None:
        """Register the extension with its message. Raises TypeError or ValueError."""
        table = getattr(self.extendee, "__table__", None)
        if not isinstance(table, ExtendableTable):
            raise TypeError(f"{self.full_name}: {self.extendee.__name__} declares no numbers for extensions")
        table.register(self)

    def __repr__(self) -> str:
        return f"<extension {self.full_name} = {self.number}>"

    def __copy__(self) -> Extension[T]:
        return self

    def __deepcopy__(self, memo: Any) -> Extension[T]:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _registered, (self.extendee, self.number)


def _registered(extendee: Any, number: int) -> Any:
    """Return the extension of a message that has this number: what pickles name."""
    return extendee.__table__.extensions[number]


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
