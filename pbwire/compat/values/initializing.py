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
    """Fill a map from an iterable of keys that has the values, as protobuf does: an empty list is an empty map."""
    if not field.value.is_message:
        entries.update(values)
        return
    try:
        for key in values:
            _merge(entries[key], field.value, values[key])
    except (TypeError, LookupError) as error:
        if isinstance(values, Mapping) or hasattr(values, "keys"):
            raise
        raise TypeError(f'"{field.text_name}" takes a mapping, not {type(values).__name__}') from error


def _fill_list(elements: Any, field: Any, values: Any) -> None:
    if not field.is_message:
        elements.extend(values)
        return
    for value in values:
        if value.__class__ is field.type:
            elements.append(value)
        else:
            _assign(elements.add(), field, value)


def _fill_message(message: Any, field: Any, value: Any) -> None:
    child = getattr(message, field.attribute)
    child.SetInParent()
    _assign(child, field, value)


def _assign(child: Any, field: Any, value: Any) -> None:
    """Fill a new message: from a dict of fields, a message, or what can be assigned to a field of its type."""
    if value.__class__ is field.type or _has_fields(child, value) or not child._assign(value):
        _merge(child, field, value)


def _has_fields(child: Any, value: Any) -> bool:
    """Return whether a value is a dict of fields. For a Struct, a dict is the content, as in struct_value={"a": 1}.

    Only {"fields": {...}} with a Value in it has the fields of a Struct.
    """
    if not isinstance(value, dict) or child.__table__.full_name != "google.protobuf.Struct":
        return isinstance(value, dict)
    entries = value.get("fields") if len(value) == 1 else None
    cls = child.__table__.by_name["fields"].value.type
    return isinstance(entries, Mapping) and any(entry.__class__ is cls for entry in entries.values())


def _merge(child: Any, field: Any, value: Any) -> None:
    """Fill a new message from a dict of fields or a message of the same class. Raises TypeError for another value."""
    if value.__class__ is field.type:
        child.MergeFrom(value)
    elif isinstance(value, dict):
        initialize(child, value)
    else:
        given = value.__table__.full_name if hasattr(value, "__table__") else type(value).__name__
        raise TypeError(f'"{field.text_name}" takes a {field.type.__table__.full_name}, not {given}')
