"""Set the fields of a new message from keyword arguments: `NodeDef(name="x", attr={"T": {"type": 1}})`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def initialize(message: Any, values: Mapping[str, Any]) -> None:
    """Set fields of a message. None leaves a field absent; dicts stand for messages, lists for repeated fields.

    Raises ValueError for an unknown field, and TypeError for a value of a wrong type.
    """
    table = message.__table__
    for name, value in values.items():
        field = table.by_name.get(name)
        if field is None:
            raise ValueError(f'Protocol message {table.full_name.rpartition(".")[2]} has no "{name}" field.')
        if value is None:
            continue
        if field.label == "map":
            _fill_map(getattr(message, field.attribute), field, value)
        elif field.label == "repeated":
            _fill_list(getattr(message, field.attribute), field, value)
        elif field.is_message:
            _fill_message(message, field, value)
        else:
            setattr(message, field.attribute, value)


def _fill_map(entries: Any, field: Any, values: Any) -> None:
    if not field.value.is_message:
        entries.update(values)
        return
    if not hasattr(values, "items"):
        raise TypeError(f'"{field.text_name}" takes a mapping, not {type(values).__name__}')
    for key, value in values.items():
        _assign(entries[key], field.value, value)


def _fill_list(elements: Any, field: Any, values: Any) -> None:
    if not field.is_message:
        elements.extend(values)
        return
    for value in values:
        if isinstance(value, Mapping):
            elements.add(**value)
        else:
            elements.append(value)


def _fill_message(message: Any, field: Any, value: Any) -> None:
    child = getattr(message, field.attribute)
    child.SetInParent()
    _assign(child, field, value)


def _assign(child: Any, field: Any, value: Any) -> None:
    from .properties import assign_wellknown

    if value.__class__ is field.type:
        child.MergeFrom(value)
    elif _is_plain_struct(child, value) or not assign_wellknown(child, value):
        _assign_fields(child, field, value)


def _is_plain_struct(child: Any, value: Any) -> bool:
    """Return whether a dict has the fields of a Struct, {"fields": {...}}, instead of being its content."""
    if child.__table__.full_name != "google.protobuf.Struct" or not isinstance(value, Mapping):
        return False
    entries = value.get("fields")
    return (
        len(value) == 1 and isinstance(entries, Mapping) and all(hasattr(one, "ListFields") for one in entries.values())
    )


def _assign_fields(child: Any, field: Any, value: Any) -> None:
    if isinstance(value, Mapping):
        initialize(child, value)
    else:
        given = value.__table__.full_name if hasattr(value, "__table__") else type(value).__name__
        raise TypeError(f'"{field.text_name}" takes a {field.type.__table__.full_name}, not {given}')
