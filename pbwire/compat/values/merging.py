"""Merge messages: scalars are replaced, lists extended, maps updated, sub-messages merged."""

from __future__ import annotations

from typing import Any

from .links import forget_child


def merge(message: Any, other: Any) -> None:
    """Merge `other` into `message`, a message of the same class; nothing is shared afterwards."""
    for field in message.__table__.fields:
        slot = field.slot
        value = getattr(other, slot)
        if field.case_slot:
            if getattr(other, field.case_slot) == field.number:
                _merge_member(message, field, value)
        elif field.label == "repeated":
            if value:
                _extend(message, field, value)
        elif field.label == "map":
            if value:
                _update(message, field, value)
        elif field.is_message:
            if value is not None:
                _merge_message(message, field, value)
        elif (value is not None) if field.presence else (value or str(value) == "-0.0"):
            setattr(message, slot, value)
    table = message.__table__
    if table.is_extendable and (extensions := table.current_set(other)) is not None:
        table.current_set(message)
        _merge_message(message, table.set_field, extensions)
    if other._unknown:
        message._unknown += other._unknown


def _merge_member(message: Any, field: Any, value: Any) -> None:
    if not field.is_message:
        setattr(message, field.slot, value)
        setattr(message, field.case_slot, field.number)
    elif getattr(message, field.case_slot) == field.number:
        merge(getattr(message, field.attribute), value)
    else:
        _set_message(message, field, value)
        setattr(message, field.case_slot, field.number)


def _merge_message(message: Any, field: Any, value: Any) -> None:
    existing = getattr(message, field.slot)
    if existing is None:
        _set_message(message, field, value)
    else:
        merge(existing, value)


def _set_message(message: Any, field: Any, value: Any) -> None:
    """Copy a message into an absent field; the object that was read from the field before, if any, gets the content."""
    child = forget_child(message, field.number)
    if child is None:
        setattr(message, field.slot, field.copy(value))
    else:
        setattr(message, field.slot, child)
        merge(child, value)


def _extend(message: Any, field: Any, values: Any) -> None:
    if field.is_message:
        values = [*map(field.copy, values)]
    existing = getattr(message, field.slot)
    if existing is None:
        setattr(message, field.slot, list(values))
    else:
        list.extend(existing, values)


def _update(message: Any, field: Any, values: Any) -> None:
    if field.value.is_message:
        values = {key: field.value.copy(value) for key, value in values.items()}
    existing = getattr(message, field.slot)
    if existing is None:
        setattr(message, field.slot, dict(values))
    else:
        dict.update(existing, values)
