"""Names in Python for names in .proto files: fields, messages and members of enums that Python does not allow."""

from __future__ import annotations

from collections.abc import Container, Iterable
from keyword import iskeyword

from ..message import Message

TAKEN = frozenset(dir(Message))
TAKEN_IF_EXTENDABLE = TAKEN | {"extensions", "_extensions"}
TAKEN_CLASSES = TAKEN | {"DESCRIPTOR"}


class Names:
    """The names of a scope: its own, and those of the scopes around it, which it does not copy."""

    def __init__(self, *outer: Container[str]) -> None:
        self._own: set[str] = set()
        self._outer = outer

    def __contains__(self, name: object) -> bool:
        return name in self._own or any(name in names for names in self._outer)

    def add(self, name: str) -> None:
        self._own.add(name)


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and len(name) > 4


def _unique(name: str, used: set[str] | Names) -> str:
    while name in used:
        name += "_"
    used.add(name)
    return name


def field_names(names: Iterable[str], *used: Container[str], extendable: bool = False) -> dict[str, str]:
    """Return the attribute of each field of a message. `used` are names of attributes that a field cannot have."""
    names = list(names)
    forbidden = Names(TAKEN_IF_EXTENDABLE if extendable else TAKEN, *used)
    clashing = [name for name in names if name in forbidden or _is_special(name) or iskeyword(name)]
    taken = Names(set(names) - set(clashing), forbidden)
    attributes = {name: name for name in names}
    for name in clashing:
        attributes[name] = _unique(f"{name.strip('_') if _is_special(name) else name}_", taken)
    return attributes


def class_name(name: str, used: set[str] | Names) -> str:
    """Return the name of the class of a message or enum, and add it to the `used` names."""
    plain = name.strip("_") if _is_special(name) else name
    other = iskeyword(plain) or plain in TAKEN_CLASSES or plain != name or plain.startswith("__")
    return _unique(f"{plain.lstrip('_') or 'message'}_" if other else plain, used)


def extension_name(name: str, used: set[str]) -> str:
    """Return the name of an extension or a service in its module, and add it to the `used` names."""
    plain = name.strip("_") or "extension" if _is_special(name) else name
    return _unique(f"{plain}_" if iskeyword(plain) or plain != name else plain, used)


def member_names(names: Iterable[str]) -> dict[str, str]:
    """Return the attribute of each value of an enum."""
    names = list(names)
    clashing = [name for name in names if not _is_member_name(name)]
    taken = set(names) - set(clashing)
    attributes = {name: name for name in names}
    for name in clashing:
        attributes[name] = _unique(f"{name.strip('_') or 'value'}_", taken)
    return attributes


_INT_ATTRIBUTES = frozenset(dir(int)) | {"name", "value", "mro"}


def _is_member_name(name: str) -> bool:
    """Return whether an enum can have a member with this name, in the source text of a class."""
    return not (iskeyword(name) or name in _INT_ATTRIBUTES or name.startswith("_"))
