"""The properties of fields: reads that create nothing, and writes that check values and make parents present."""

from __future__ import annotations

from typing import Any

from ...field_properties import with_slots
from ..values import above
from ..values.containers import container_class
from ..values.links import attach, child_reader


class FieldProperty(property):
    """The property of a field, which `Message.x` is: it knows its descriptor."""

    field: Any

    @property
    def DESCRIPTOR(self) -> Any:
        return above.descriptors().field_descriptor(self.field)


def make_property(field: Any) -> property:
    """Return the property of a field, which reads and writes its slot."""
    plain = _accessors(field)
    made = FieldProperty(plain.fget, plain.fset)
    made.field = field
    return made


def _accessors(field: Any) -> property:
    if field.label != "singular":
        return _container_property(field)
    if field.is_message:
        return _member_message_property(field) if field.oneof else _message_property(field)
    if field.oneof:
        return _member_property(field)
    return _optional_property(field) if field.presence else _scalar_property(field)


def _scalar_property(field: Any) -> property:
    def get(self: Any) -> Any:
        return self._slot

    def set(self: Any, value: Any) -> None:
        if self._parent is not None:
            attach(self)
        self._slot = check(value)

    check = _check_of(field)
    return property(*(with_slots(f, _slot=field.slot) for f in (get, set)))


def _optional_property(field: Any) -> property:
    def get(self: Any) -> Any:
        value = self._slot
        return zero if value is None else value

    def get_enum(self: Any) -> Any:
        value = self._slot
        return field.zero if value is None else value

    def set(self: Any, value: Any) -> None:
        if self._parent is not None:
            attach(self)
        self._slot = check(value)

    check = _check_of(field)
    is_enum = field.kind == "enum"  # its zero is found on first use, when the enum is defined
    zero = None if is_enum else field.zero
    return property(*(with_slots(f, _slot=field.slot) for f in (get_enum if is_enum else get, set)))


def _member_property(field: Any) -> property:
    def get(self: Any) -> Any:
        return self._slot if self._case == number else zero

    def get_enum(self: Any) -> Any:
        return self._slot if self._case == number else field.zero

    def set(self: Any, value: Any) -> None:
        if self._parent is not None:
            attach(self)
        self._slot = check(value)
        self._case = number

    check, number = _check_of(field), field.number
    is_enum = field.kind == "enum"  # its zero is found on first use, when the enum is defined
    zero = None if is_enum else field.zero
    functions = (get_enum if is_enum else get, set)
    return property(*(with_slots(f, _slot=field.slot, _case=field.case_slot) for f in functions))


def _check_of(field: Any) -> Any:
    """Return the check of a field. That of an enum is found on first use, when the enum is defined."""
    return (lambda value: field.check(value)) if field.kind == "enum" else field.check


def _message_property(field: Any) -> property:
    def get(self: Any) -> Any:
        value = self._slot
        return read_child(self) if value is None else value

    read_child = child_reader(field)
    return property(with_slots(get, _slot=field.slot), _message_setter(field))


def _member_message_property(field: Any) -> property:
    def get(self: Any) -> Any:
        if self._case != number:
            return read_child(self)
        return self._slot

    number, read_child = field.number, child_reader(field)
    return property(with_slots(get, _slot=field.slot, _case=field.case_slot), _message_setter(field))


def _message_setter(field: Any) -> Any:
    def set(self: Any, value: Any) -> None:
        if not getattr(self, field.attribute)._assign(value):
            attach(self)  # although the value is refused, as in protobuf 6.31
            raise AttributeError(
                f'the message "{field.text_name}" cannot be assigned: use CopyFrom, or assign its fields'
            )

    return set


def _container_property(field: Any) -> property:
    container: Any = container_class(field)
    new = container.__new__  # calls of the class take twice as long
    fill: Any = dict.update if field.label == "map" else list.extend

    def get(self: Any) -> Any:
        value = self._slot
        if value.__class__ is not container:
            values, value = value, new(container)
            if values:
                fill(value, values)
            value._field = field
            value._owner = None if self._parent is None else self
            if self._slot is not values:  # another thread was first
                return self._slot
            self._slot = value
        return value

    def set(self: Any, value: Any) -> None:
        kind = "map" if field.label == "map" else "repeated field"
        raise AttributeError(f'the {kind} "{field.text_name}" cannot be assigned: change it, or delete and extend it')

    return property(with_slots(get, _slot=field.slot), set)
