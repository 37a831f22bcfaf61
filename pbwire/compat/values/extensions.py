"""Extensions of protobuf-style messages: `message.Extensions[x]`, where `x` is the descriptor of an extension.

The extensions of a message are in an extension set, as those of dataclasses: see `pbwire.extensions`. Here, the set of
a message without extensions is a detached message, like an absent sub-message: the first write to one of its fields
makes it, and the message, present. So its properties read and write extensions as those of other messages do.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from ...descriptor import Field, Table
from ...extensions.table import ExtendableTable
from .links import child_reader, children_of, forget_child


class CompatExtendableTable(ExtendableTable):
    """The parts of the table of a protobuf-style message that has extensions. `dataclass` declares them."""

    dataclass: Any
    package: str

    @property
    def extensions(self) -> Any:
        """The registered extensions by number."""
        return self.dataclass.__table__.extensions

    @property
    def set_table(self) -> Any:
        """The table of the extension set."""
        from ..classes.factory import compat_class

        return compat_class(self.dataclass.__table__.set_table.cls, self.package).__table__

    def extension_fields(self, dependent: Table) -> list[Field]:
        fields = self.dataclass.__table__.extension_fields(dependent)
        return list(self.set_table.fields) if fields else []

    @cached_property
    def set_field(self) -> Any:
        """A field that stands for the extension set as a sub-message."""
        return _SetField(self)

    def wrap_extensions(self, message: Any) -> Any:
        """Return a protobuf-style copy of the extension set of a dataclass."""
        from ...codec.codegen import function

        extensions = self.dataclass.__table__.current_set(message)
        return None if extensions is None else function(self.set_table, "wrap")(extensions)

    def unwrap_extensions(self, message: Any) -> Any:
        """Return a copy of the extension set of a protobuf-style message for a dataclass."""
        from ...codec.codegen import function

        extensions = self.current_set(message)
        return None if extensions is None else function(self.set_table, "unwrap")(extensions)


class _SetField:
    """The slot of the extension set as a field, for `links` and `merging`. No field has the number 0."""

    number = 0
    slot = "_extensions"
    case_slot = ""

    def __init__(self, table: CompatExtendableTable) -> None:
        self._table = table

    def create(self) -> Any:
        from ...codec.codegen import function

        return function(self._table.set_table, "create")()

    def copy(self, extensions: Any) -> Any:
        from ...codec.codegen import function

        return function(self._table.set_table, "copy")(extensions)


def find_extension(message: Any, descriptor: Any) -> Any:
    """Return the row of an extension in the extension set of a message.

    Raises KeyError for anything but the descriptor of an extension of this message.
    """
    from ..descriptors.messages import ExtensionDescriptor, FieldDescriptor

    if not isinstance(descriptor, FieldDescriptor):
        raise KeyError(f"Object {descriptor!r} is not a field descriptor\n")
    if not isinstance(descriptor, ExtensionDescriptor):
        raise KeyError(f"Field {descriptor.full_name} is not an extension\n")
    table = message.__table__
    extension = descriptor._extension
    if not table.is_extendable or table.extensions.get(extension.number) is not extension:
        raise KeyError(f"Extension doesn't match ({table.full_name} vs {descriptor.full_name})")
    return table.names[extension.full_name]


def current_extensions(message: Any) -> Any:
    """Return the extension set of a message; None if it has none."""
    table = message.__table__
    return table.current_set(message) if table.is_extendable else None


def _extension_set(message: Any) -> Any:
    """Return the extension set of a message, a detached one if it has none."""
    table = message.__table__
    extensions = table.current_set(message)
    if extensions is not None:
        return extensions
    child = _detached_set(message)
    if child is not None and child.__table__ is not table.set_table:  # an extension has been registered since
        forget_child(message, 0)
    return child_reader(table.set_field)(message)


def _detached_set(message: Any) -> Any:
    """Return the extension set that was read from a message that has none; None if it was not read."""
    return next((child for child in children_of(message) if child._field.number == 0), None)


def has_extension(message: Any, descriptor: Any) -> bool:
    """Return whether a singular extension is present. Raises KeyError for a repeated one."""
    row = find_extension(message, descriptor)
    if row.label != "singular":
        raise KeyError("Field is repeated. A singular method is required.")
    extensions = message.__table__.current_set(message)
    return extensions is not None and getattr(extensions, row.slot) is not None


def clear_extension(message: Any, descriptor: Any) -> None:
    """Make an extension absent."""
    row = find_extension(message, descriptor)
    extensions = message.__table__.current_set(message)
    if extensions is not None:
        extensions.ClearField(row.name)
    elif (detached := _detached_set(message)) is not None:
        forget_child(detached, row.number)


class ExtensionDict:
    """The extensions of a message by their descriptors: `message.Extensions`."""

    __slots__ = ("_message",)

    def __init__(self, message: Any) -> None:
        self._message = message

    def __getitem__(self, descriptor: Any) -> Any:
        """Return the value of an extension, its default if it is absent. Raises KeyError for another message's."""
        row = find_extension(self._message, descriptor)
        return getattr(_extension_set(self._message), row.attribute)

    def __setitem__(self, descriptor: Any, value: Any) -> None:
        """Set a scalar extension. Raises TypeError for a message or a repeated field, and for a wrong value."""
        row = find_extension(self._message, descriptor)
        if row.is_message or row.label != "singular":
            kind = "message field" if row.label == "singular" else "map, or repeated field"
            raise TypeError(f'Assignment not allowed to {kind} "{descriptor.name}" in protocol message object.')
        setattr(_extension_set(self._message), row.attribute, value)

    def __delitem__(self, descriptor: Any) -> None:
        clear_extension(self._message, descriptor)

    def __contains__(self, descriptor: Any) -> bool:
        """Return whether an extension is present; a list is if it is not empty."""
        row = find_extension(self._message, descriptor)
        extensions = self._message.__table__.current_set(self._message)
        if extensions is None:
            return False
        value = getattr(extensions, row.slot)
        return bool(value) if row.label != "singular" else value is not None

    def __iter__(self) -> Iterator[Any]:
        """Yield the descriptors of the extensions that are present, by number."""
        from ..descriptors.messages import extension_descriptor

        message = self._message
        found = sorted(message.__table__.extensions.items())
        every = (extension_descriptor(extension, message.__table__.package) for _, extension in found)
        return iter([descriptor for descriptor in every if descriptor in self])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExtensionDict) and other._message is self._message

    __hash__ = None  # type: ignore[assignment]  # its content changes

    def _FindExtensionByName(self, name: str) -> Any:
        if not isinstance(name, str):
            raise TypeError(f"the name of an extension is a str, not {type(name).__name__}")
        return self._find(lambda extension: extension.full_name == name)

    def _FindExtensionByNumber(self, number: int) -> Any:
        if not isinstance(number, int):
            raise TypeError(f"the number of an extension is an int, not {type(number).__name__}")
        return self._find(lambda extension: extension.number == number)

    def _find(self, matches: Any) -> Any:
        from ..descriptors.messages import extension_descriptor

        table = self._message.__table__
        found = next((one for one in table.extensions.values() if matches(one)), None)
        return None if found is None else extension_descriptor(found, table.package)

    def __repr__(self) -> str:
        return f"<extensions {[descriptor.full_name for descriptor in self]}>"
