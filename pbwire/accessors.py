"""The properties behind which repeated fields, maps and members of a oneof keep their values.

An absent list or map is None in its slot and made when it is first asked for: empty lists would be the largest part
of a decoded message. A oneof keeps the number of its set member and the one value in two slots, whatever the number
of members.

Each property needs a function of its own, since a slot can be read fast only through a name that is fixed in the
code. `_with_slots` gives a copy of a written function other names to look up, at a hundredth of compiling it anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import FunctionType
from typing import Any

from .descriptor import Field
from .lazy.messages import settled

__all__ = ["property_of"]


def property_of(field: Field) -> property:
    """The public face of a field whose slot is hidden."""
    if field.oneof:
        return _member(field)
    return {"map": _map, "repeated": _list, "singular": _single}[field.label](field)


def _single(field: Field) -> property:
    def get(self: Any) -> Any:
        return self._slot

    def set(self: Any, value: Any) -> None:
        self._slot = value

    return property(*(_with_slots(f, _slot=field.slot) for f in (get, set)))


def _list(field: Field) -> property:
    def get(self: Any) -> Any:
        value = self._slot
        if value is None:
            value = self._slot = []
        return value

    def set(self: Any, value: Any) -> None:
        self._slot = value if value.__class__ is list else as_list(name, value)

    name = field.name
    return property(*(_with_slots(f, _slot=field.slot) for f in (get, set)))


def _map(field: Field) -> property:
    def get(self: Any) -> Any:
        value = self._slot
        if value.__class__ is not dict:
            if value is None:
                value = self._slot = {}
            elif value.__class__ is tuple:
                value = settled(self, value)
        return value

    def set(self: Any, value: Any) -> None:
        if self._slot.__class__ is tuple:
            settled(self, self._slot)  # entries that belong to the unknown fields go there first
        self._slot = value if value.__class__ is dict else as_dict(name, value)

    name = field.name
    return property(*(_with_slots(f, _slot=field.slot) for f in (get, set)))


def _member(field: Field) -> property:
    def get(self: Any) -> Any:
        return self._slot if self._case == number else None

    def set(self: Any, value: Any) -> None:
        if value is not None:
            self._case = number
            self._slot = value
        elif self._case == number:
            self._case = 0
            self._slot = None

    number = field.number
    return property(*(_with_slots(f, _slot=field.slot, _case=field.case_slot) for f in (get, set)))


def as_list(name: str, value: Any) -> list[Any] | None:
    """What a repeated field keeps of `value`: a list as it is, None as nothing, of anything iterable a list."""
    if isinstance(value, list) or value is None:
        return value
    if isinstance(value, (str, bytes, bytearray, memoryview, Mapping)) or not isinstance(value, Iterable):
        raise TypeError(f"{name} is repeated: it takes a list, not {type(value).__name__}")
    return list(value)


def as_dict(name: str, value: Any) -> dict[Any, Any] | None:
    """What a map keeps of `value`: a dict as it is, None as nothing, of any other mapping a dict."""
    if value is None or isinstance(value, dict):
        return value
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} is a map: it takes a dict, not {type(value).__name__}")
    return dict(value)


def _with_slots(function: Any, **names: str) -> Any:
    code = function.__code__
    code = code.replace(co_names=tuple(names.get(name, name) for name in code.co_names))
    return FunctionType(code, function.__globals__, function.__name__, None, function.__closure__)
