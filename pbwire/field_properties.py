"""The properties of fields with hidden slots: lists, maps, members of oneofs, and fields with unusual names.

An absent list or map is None in its slot, and is created on first access; otherwise, empty lists would take most of the
memory of a decoded message. A map that is not decoded yet is a tuple in its slot. All members of a oneof share two
slots: one for the number of the member that is set, and one for its value.

Each property needs its own functions, since attribute access is fast only if the name is fixed in the code.
`with_slots` copies a function and replaces its attribute names, in a hundredth of the time of compiling it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import FunctionType

from .descriptor import Field
from .lazy.messages import decode_map
from .states import PENDING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def make_property(field: Field) -> property:
    """Return the public property of a field whose slot is hidden."""
    if field.oneof:
        return _member_property(field)
    return {"map": _map_property, "repeated": _list_property, "singular": _single_property}[field.label](field)


def makes_messages(field: Field) -> bool:
    """Return whether values of Python, such as a datetime, can be assigned to a field: see `pbwire.wellknown`."""
    return field.kind == "message" and field.label == "singular" and hasattr(field.reference, "_from_python")


def _single_property(field: Field) -> property:
    def get(self: Any) -> Any:
        return self._slot

    def set(self: Any, value: Any) -> None:
        self._slot = value

    def set_message(self: Any, value: Any) -> None:
        self._slot = as_message(name, cls, value)

    name, cls = field.name, field.reference
    return property(*(with_slots(f, _slot=field.slot) for f in (get, set_message if makes_messages(field) else set)))


def _list_property(field: Field) -> property:
    def get(self: Any) -> Any:
        value = self._slot
        if value is None:
            value = self._slot = []
        return value

    def set(self: Any, value: Any) -> None:
        self._slot = value if value.__class__ is list else as_list(name, value)

    name = field.name
    return property(*(with_slots(f, _slot=field.slot) for f in (get, set)))


def _map_property(field: Field) -> property:
    def get(self: Any) -> Any:
        value = self._slot
        if value.__class__ is not dict:
            if value is None:
                value = self._slot = {}
            elif value.__class__ is PENDING:
                value = decode_map(self, value)
        return value

    def set(self: Any, value: Any) -> None:
        if self._slot.__class__ is PENDING:
            decode_map(self, self._slot)  # moves entries that the map cannot hold to the unknown fields
        self._slot = value if value.__class__ is dict else as_dict(name, value)

    name = field.name
    return property(*(with_slots(f, _slot=field.slot) for f in (get, set)))


def _member_property(field: Field) -> property:
    def get(self: Any) -> Any:
        return self._slot if self._case == number else None

    def set(self: Any, value: Any) -> None:
        if value is not None:
            self._case = number
            self._slot = value
        elif self._case == number:
            self._case = 0
            self._slot = None

    def set_message(self: Any, value: Any) -> None:
        set(self, as_message(name, cls, value))

    number, name, cls = field.number, field.name, field.reference
    get, set = (with_slots(function, _slot=field.slot, _case=field.case_slot) for function in (get, set))
    return property(get, set_message if makes_messages(field) else set)


def as_message(name: str, cls: Any, value: Any) -> Any:
    """Return a value to store in a field of a well-known message: None, the message, or one made of a Python value.

    Raises TypeError for values of other types, ValueError for values that the message cannot hold.
    """
    if value is None or isinstance(value, cls):
        return value
    try:
        return cls._from_python(value)
    except TypeError as error:
        raise TypeError(f"{name} is a {cls.__name__}: {error}") from None


def as_list(name: str, value: Any) -> list[Any] | None:
    """Return a value to store in a repeated field: a list or None unchanged, any other iterable as a list.

    Raises TypeError for strings, bytes, mappings, and values that are not iterable.
    """
    if isinstance(value, list) or value is None:
        return value
    if isinstance(value, (str, bytes, bytearray, memoryview, Mapping)) or not isinstance(value, Iterable):
        raise TypeError(f"{name} is repeated: it takes a list, not {type(value).__name__}")
    return list(value)


def as_dict(name: str, value: Any) -> dict[Any, Any] | None:
    """Return a value to store in a map: a dict or None unchanged, any other mapping as a dict.

    Raises TypeError for values that are not mappings.
    """
    if value is None or isinstance(value, dict):
        return value
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} is a map: it takes a dict, not {type(value).__name__}")
    return dict(value)


def with_slots(function: Any, **names: str) -> Any:
    """Return a copy of `function` in which attribute names are replaced; `names` maps each old name to the new one."""
    code = function.__code__
    code = code.replace(co_names=tuple(names.get(name, name) for name in code.co_names))
    return FunctionType(code, function.__globals__, function.__name__, None, function.__closure__)
