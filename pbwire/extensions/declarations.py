"""The declarations of extensions, and those whose message is not defined yet."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from ..descriptor import Field, find_class
from ..message import Message

T = TypeVar("T")

_pending: list[Extension[Any]] = []
"""Extensions of messages that are given by name: they are registered when extensions are next used."""


def register_pending() -> None:
    """Register the extensions whose messages were not defined before."""
    for extension in list(_pending):
        if extension.scope is None:
            continue  # its class body is still being evaluated
        try:
            extension.extendee  # noqa: B018  # the name is looked up
        except TypeError:
            continue
        _pending.remove(extension)
        extension.register()


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
            _pending.append(self)
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
        if table is None or not table.is_extendable:
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
