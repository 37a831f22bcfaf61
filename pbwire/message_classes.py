"""Make message classes of rows: complete and check the rows of a table, assign slots, and add the dataclass attributes.

A message class has a slot for each field. Fields whose slot is hidden, such as lists, maps and members of oneofs, have
a property: see `field_properties`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from keyword import iskeyword

from .descriptor import COLLECTIONS, KINDS, Field, Syntax, Table, members_of_oneofs
from .field_properties import make_property, makes_messages
from .message import Message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def message_base(body: type, full_name: str, extensions: Sequence[range], message_set: bool) -> Any:
    """Return the base class of a message: pb.ExtendableMessage for one with extensions. Raises TypeError for others."""
    extendable = [base for base in body.__bases__ if "__table_class__" in vars(base)]
    if Message not in body.__bases__ and not extendable:
        raise TypeError(f"{full_name}: the only message among the bases must be pb.Message")
    if (len(extensions) > 0) != (len(extendable) > 0):
        raise TypeError(
            f"{full_name}: a message with extensions is a pb.ExtendableMessage, and no other message is one"
        )
    if message_set and not extensions:
        raise TypeError(f"{full_name}: a MessageSet declares numbers for extensions")
    return extendable[0] if extendable else Message


def make_class(
    name: str,
    bases: tuple[type, ...],
    namespace: dict[str, Any],
    full_name: str,
    syntax: Syntax,
    fields: dict[str, Field],
    make_table: Callable[..., Table] = Table,
) -> Any:
    """Return the message class of rows that are complete and checked; `fields` are the rows by attribute."""
    cls: Any = type(name, bases, {**namespace, "__slots__": _assign_slots(fields, bases[0])})
    table = make_table(
        cls,
        full_name,
        syntax,
        tuple(fields.values()),
        {row.number: row for row in sorted(fields.values(), key=lambda row: row.number)},
        fields,
        members_of_oneofs(fields.values()),
        {},
    )
    for row in fields.values():
        row.owner = cls
        for part in (row.key, row.value):
            if part is not None:
                part.owner = cls
    _make_dataclass(cls, table)
    cls.__table__ = table
    return cls


def complete_row(row: Field, name: str, syntax: Syntax) -> None:
    """Set the attributes of a row that follow from its name and from the syntax."""
    row.name = name
    row.text_name = row.text_name or name
    packable = row.label == "repeated" and KINDS[row.kind].packable
    row.packed = packable and (syntax != "proto2" if row.packed is None else row.packed)
    is_message = row.is_message
    row.presence = row.label == "singular" and (
        is_message or row.optional or row.oneof is not None or (syntax != "proto3" and not row.implicit)
    )
    for part, part_name in ((row.key, "key"), (row.value, "value")):
        if part is not None:
            part.name = part.text_name = part_name
            part.presence = part.kind == "message"


def unmangle(name: str, body: type) -> str:
    """Return a name as it is written in the class body. Python prefixes private names with the name of the class."""
    class_name = body.__name__.lstrip("_")
    is_mangled = class_name and name.startswith(f"_{class_name}__") and not name.endswith("__")
    return name[len(class_name) + 1 :] if is_mangled else name


def _assign_slots(fields: dict[str, Field], base: type) -> tuple[str, ...]:
    """Assign slots to all rows, and return all slots.

    The name of a hidden slot is an underscore and the name of its field or oneof without leading underscores; "_case"
    is added for the slot that says which member of a oneof is set, and underscores if the name is in use. A slot never
    begins with two underscores: Python would mangle its name, and undecoded messages would treat it as a special name.
    """
    hidden: dict[str, str] = {}  # slots by their purpose, such as "oneof kind"
    used = {*fields, *dir(base)}

    def slot_for(purpose: str, name: str, tail: str = "") -> str:
        if purpose not in hidden:
            slot = f"_{name.lstrip('_') or 'field'}{tail}"
            while slot in used:
                slot += "_"
            used.add(slot)
            hidden[purpose] = slot
        return hidden[purpose]

    slots: dict[str, None] = {}
    for name, row in fields.items():
        if row.oneof:
            row.slot = slot_for(f"oneof {row.oneof}", row.oneof)
            row.case_slot = slot_for(f"case {row.oneof}", row.oneof, "_case")
            slots[row.slot] = slots[row.case_slot] = None
            continue
        is_plain = row.label == "singular" and not (name.startswith("__") or iskeyword(name) or makes_messages(row))
        row.slot = name if is_plain else slot_for(f"field {name}", name)
        slots[row.slot] = None
    return tuple(slots)


def check_rows(
    annotations: dict[str, Any], full_name: str, syntax: Syntax, fields: dict[str, Field], base: type = Message
) -> None:
    """Raise TypeError or ValueError for tables that protobuf refuses, reserved names, and fields without annotation."""
    numbers: dict[int, str] = {}
    names: dict[str, str] = {}
    reserved = {*dir(base)}
    for name, row in fields.items():
        if not (0 < row.number < 1 << 29) or 19000 <= row.number < 20000:
            raise ValueError(
                f"{full_name}.{name}: {row.number} is not a field number: 1 to 536,870,911, except 19,000 to 19,999"
            )
        if row.number in numbers:
            raise ValueError(f"{full_name}.{name}: {row.number} is already the number of {numbers[row.number]}")
        numbers[row.number] = name
        if not (row.text_name.isascii() and row.text_name.isidentifier()):
            raise ValueError(f"{full_name}.{name}: {row.text_name!r} is not a valid field name")
        if row.text_name in names:
            raise ValueError(f"{full_name}.{name}: {row.text_name!r} is also the name of {names[row.text_name]}")
        names[row.text_name] = name
        if name not in annotations:
            raise TypeError(f"{full_name}.{name} needs an annotation")
        if syntax == "proto3" and (row.required or row.default is not None or row.kind == "group"):
            raise TypeError(
                f"{full_name}.{name}: required fields, defaults and groups need syntax='proto2' or 'editions'"
            )
        if row.implicit and (syntax != "editions" or row.is_message or row.required or row.oneof or row.optional):
            raise TypeError(f"{full_name}.{name}: only scalars outside of oneofs, in editions, can be implicit")
        if row.required and (row.optional or row.oneof is not None):
            raise TypeError(f"{full_name}.{name}: a required field can be neither optional nor a member of a oneof")
        if row.default is not None and row.is_message:
            raise TypeError(f"{full_name}.{name}: a message has no default")
        if row.optional and row.oneof:
            raise TypeError(f"{full_name}.{name}: members of a oneof are optional already")
        if name in reserved or (name.startswith("__") and name.endswith("__") and len(name) > 4):
            what = f"would hide {base.__name__}.{name}" if name in reserved else "has a name that Python reserves"
            other = name.strip("_") if name.startswith("__") else name
            hint = f'call the attribute {other}_ and give its field name="{row.text_name}"'
            raise TypeError(f"{full_name}.{name} {what}; {hint}")


def _make_dataclass(cls: type, table: Table) -> None:
    """Give `cls` the properties of its rows, and the attributes of a dataclass, which are computed on first use."""
    for name, row in table.by_name.items():
        if name not in cls.__dict__:  # else the slot has the name of the row
            type.__setattr__(cls, name, make_property(row))
    cls.__annotations__ = cls.__annotations__ | {"unknown_fields": "bytes"}
    if cls.__doc__ is None:
        cls.__doc__ = f"{table.full_name}."
    for name in _DATACLASS_ATTRIBUTES:
        type.__setattr__(cls, name, _DataclassAttribute(name))


_DATACLASS_ATTRIBUTES = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")


class _DataclassAttribute:
    """An attribute that a message class has as a dataclass: all functions of `dataclasses` read the first one.

    They are computed on first use, because importing `dataclasses` takes longer than importing this package.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: Any) -> Any:
        cls = owner.__table__.cls
        twin = _dataclass_twin(cls, cls.__table__)
        for name in _DATACLASS_ATTRIBUTES:
            type.__setattr__(cls, name, getattr(twin, name))
        return getattr(twin, self.name)


def _dataclass_twin(cls: type, table: Table) -> Any:
    """Return an ordinary dataclass with the fields of a message class."""
    import dataclasses  # slow to import

    namespace: dict[str, Any] = {
        name: dataclasses.field(default=None if row.presence else KINDS[row.kind].zero)
        if row.label == "singular"
        else dataclasses.field(default_factory=COLLECTIONS[row.label])
        for name, row in table.by_name.items()
    }
    namespace["unknown_fields"] = dataclasses.field(default=b"", kw_only=True, repr=False)
    namespace |= {name: getattr(cls, name) for name in ("__annotations__", "__doc__", "__module__", "__qualname__")}
    return dataclasses.dataclass(init=False, repr=False, eq=False)(type(cls.__name__, (), namespace))
