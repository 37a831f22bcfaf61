"""Extensions of protobuf-style messages: `message.Extensions[x]`, where `x` is the descriptor of an extension.

The extensions of a message are in an extension set, as those of dataclasses: see `pbwire.extensions`. Here, the set of
a message without extensions is a detached message, like an absent sub-message: the first write to one of its fields
makes it, and the message, present. So its properties read and write extensions as those of other messages do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import above
from .checks import c_integer
from .links import child_reader, children_of, forget_child


def find_extension(message: Any, descriptor: Any) -> Any:
    """Return the row of an extension in the extension set of a message.

    Raises KeyError for anything but the descriptor of an extension of this message.
    """
    table = message.__table__
    extension = above.descriptors().extension_of(descriptor)
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
        message, extension_descriptor = self._message, above.descriptors().extension_descriptor
        found = sorted(message.__table__.extensions.items())
        every = (extension_descriptor(extension, message.__table__.package) for _, extension in found)
        return iter([descriptor for descriptor in every if descriptor in self])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExtensionDict) and other._message is self._message

    __hash__ = None  # type: ignore[assignment]  # its content changes

    def _FindExtensionByName(self, name: str | bytes) -> Any:
        """Return the descriptor of an extension of the message's pool, or None. It may extend another message."""
        if not isinstance(name, (str, bytes)):
            raise TypeError("_FindExtensionByName expect a str")
        text = name if isinstance(name, str) else name.decode(errors="replace")
        found = self._find(lambda extension: extension.full_name == text)
        if found is not None:
            return found
        try:
            return self._message.DESCRIPTOR.file.pool.FindExtensionByName(text)
        except KeyError:
            return None

    def _FindExtensionByNumber(self, number: int) -> Any:
        """Return the descriptor of the extension of the message that has this number, or None."""
        wanted = c_integer(number, 64)
        return self._find(lambda extension: extension.number == wanted)

    def _find(self, matches: Any) -> Any:
        table = self._message.__table__
        found = next((one for one in table.extensions.values() if matches(one)), None)
        return None if found is None else above.descriptors().extension_descriptor(found, table.package)

    def __repr__(self) -> str:
        return f"<extensions {[descriptor.full_name for descriptor in self]}>"
