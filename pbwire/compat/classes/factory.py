"""Make the protobuf-style class of a message: same name, same fields, other behaviour.

`compat_class(GraphDef)` returns it, and makes it on first use. It has a table of its own, so the generated decoders,
encoders and copies work for it as they do for dataclasses. All values are in hidden slots, behind the properties of
`properties`.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any

from ...codec.codegen import function
from ...descriptor import Field, Table, members_of_oneofs, table_of
from ...extensions import Extension
from ...extensions.table import ExtendableTable, ExtensionSet
from ...kept import kept
from ...plain import plain
from ...table import entry_class, entry_name
from ..values import above
from ..values.checks import Check, check_for
from ..values.enums import enum_numbers, enum_wrapper
from ..values.links import LINK_SLOTS
from .message import Message
from .properties import make_property


class CompatField(Field):
    """The descriptor of a field of a protobuf-style message; `row` is that of the dataclass.

    attribute   the name of its property: that of the field, with underscores added if messages use it themselves
    create      of a message field: returns a new message
    copy        of a message field: returns a copy of a message

    The last two are generated functions. They are kept here because calling them as attributes of the class takes
    longer.
    """

    __slots__ = ("attribute", "cached_check", "cached_zero", "copy", "create", "has_string_keys", "package", "row")

    def __init__(self, row: Field, package: str) -> None:
        for name in Field.__slots__:
            setattr(self, name, getattr(row, name))
        self.name = row.name if row.is_extension else row.text_name  # names in generated code are derived from it
        self.attribute = self.text_name
        self.reference = None
        self.key = row.key and CompatField(row.key, package)
        self.value = row.value and CompatField(row.value, package)
        self.has_string_keys = row.key is not None and row.key.kind == "string"
        self.row = row
        self.package = package
        self.cached_check: Check | None = None
        self.cached_zero: Any = None
        self.create: Callable[[], Any] = partial(self._compile_and_call, "create")
        self.copy: Callable[[Any], Any] = partial(self._compile_and_call, "copy")

    def _compile_and_call(self, what: str, *arguments: Any) -> Any:
        made = function(self.type.__table__, what)
        setattr(self, what, made)
        return made(*arguments)

    @property
    def type(self) -> Any:
        """The protobuf-style class of a message field, the numbers of an enum field; None for other fields."""
        if self.reference is None:
            cls = self.row.type
            if cls is not None:
                self.reference = enum_numbers(cls) if self.kind == "enum" else compat_class(cls, self.package)
        return self.reference

    @property
    def zero(self) -> Any:
        """The value of an absent field; the default of a float is rounded to float32."""
        if self.cached_zero is None:
            zero = Field.zero.fget(self)  # type: ignore[attr-defined]  # a property
            self.cached_zero = self.check(zero) if self.kind in ("float", "enum") else zero
        return self.cached_zero

    def entry_class(self) -> Any:
        """Return the protobuf-style class of the entries of a map."""
        return compat_class(entry_class(self.row), self.package)

    @property
    def check(self) -> Check:
        """The check of the values of the field, or of its elements."""
        if self.cached_check is None:
            self.cached_check = check_for(self)
        return self.cached_check


class CompatTable(Table):
    """The table of a protobuf-style class; `dataclass` is the class that it was made from."""

    is_plain = False
    dataclass: Any
    package: str

    @property
    def extra_slots(self) -> dict[str, Any]:
        return LINK_SLOTS

    def reduced(self, message: Any) -> tuple[Any, ...]:
        """Return what `pickle` stores of a message."""
        data = message.SerializePartialToString()
        if "__declaration__" in vars(self.dataclass):  # made at run time: the class itself can be imported, if any
            return _restore, (type(message), data, "")
        return _restore, (self.dataclass, data, self.package)

    @cached_property
    def field_names(self) -> dict[str, Field]:
        """The fields by their names in the .proto file."""
        return {field.text_name: field for field in self.fields}


class _ExtendableTable(ExtendableTable, CompatTable):
    """The table of a protobuf-style class whose messages have extensions. `dataclass` declares them."""

    @property
    def extensions(self) -> Any:
        """The registered extensions by number."""
        return self.dataclass.__table__.extensions

    @property
    def set_table(self) -> Any:
        """The table of the extension set."""
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
        extensions = self.dataclass.__table__.current_set(message)
        return None if extensions is None else function(self.set_table, "wrap")(extensions)

    def unwrap_extensions(self, message: Any) -> Any:
        """Return a copy of the extension set of a protobuf-style message for a dataclass."""
        extensions = self.current_set(message)
        return None if extensions is None else function(self.set_table, "unwrap")(extensions)


class _SetField:
    """The slot of the extension set as a field, for `links` and `merging`. No field has the number 0."""

    number = 0
    slot = "_extensions"
    case_slot = ""

    def __init__(self, table: _ExtendableTable) -> None:
        self._table = table

    def create(self) -> Any:
        return function(self._table.set_table, "create")()

    def copy(self, extensions: Any) -> Any:
        return function(self._table.set_table, "copy")(extensions)


def compat_class(cls: Any, package: str = "") -> Any:
    """Return the protobuf-style class of a message class. Raises TypeError for any other class.

    With `package`, this is another class, whose full name begins with this package in place of the first part of its
    own: TensorBoard's copies of TensorFlow's messages, tensorboard.GraphDef, are made so. All messages that the class
    refers to are of the package too, except those of google.protobuf.
    """
    table = table_of(cls)
    if issubclass(table.cls, Message):
        return table.cls
    is_google = table.full_name.startswith("google.protobuf.")
    return _make_class(table, "" if is_google else package)


def place(cls: Any, module: str) -> Any:
    """Say that a protobuf-style class, with the classes inside of it, is in a module. Return the class."""
    cls.__module__ = module
    for value in list(vars(cls).values()):
        if isinstance(value, _NestedClass):
            value.module = module
    return cls


def dataclass_of(cls: Any) -> Any:
    """Return the dataclass from which a protobuf-style class was made; a dataclass itself."""
    table = table_of(cls)
    return table.dataclass if isinstance(table, CompatTable) else cls


def wrap(message: Any, package: str = "") -> Any:
    """Return a protobuf-style copy of a dataclass message; a protobuf-style message itself.

    `package` is that of `compat_class`. Raises TypeError for any other object.
    """
    if isinstance(message, Message):
        return message
    return function(compat_class(table_of(type(message)).cls, package).__table__, "wrap")(message)


def unwrap(message: Any) -> Any:
    """Return a dataclass copy of a protobuf-style message; a dataclass message itself.

    Raises TypeError for any other object.
    """
    return plain(message)


@kept
def _make_class(table: Table, package: str) -> Any:
    rows = [CompatField(row, package) for row in table.fields]
    full_name = package + table.full_name[table.full_name.index(".") :] if package else table.full_name
    slots = _assign_slots(rows)
    compat_table = (_ExtendableTable if table.is_extendable else CompatTable)(
        None,
        full_name,
        table.syntax,
        tuple(rows),
        {row.number: row for row in sorted(rows, key=lambda row: row.number)},
        {row.name: row for row in rows},
        members_of_oneofs(rows),
        {},
    )
    compat_table.dataclass = table.cls
    compat_table.package = package
    if isinstance(compat_table, _ExtendableTable):
        compat_table.message_set = bool(getattr(table, "message_set", False))
        slots += ("_extensions",)
    elif issubclass(table.cls, ExtensionSet):
        slots += ("_sorted",)
        vars(compat_table).update(type_ids=vars(table)["type_ids"], numbers=vars(table)["numbers"])
    namespace: dict[str, Any] = {
        "__slots__": slots,
        "__module__": table.cls.__module__,
        "__qualname__": table.cls.__qualname__,
        "__doc__": table.cls.__doc__,
        "__table__": compat_table,
        **{name: value for name, value in _nested(table.cls, package) if not hasattr(Message, name)},
        **{entry_name(row): _NestedClass(row.entry_class) for row in rows if row.label == "map"},
        **{f"{row.text_name.upper()}_FIELD_NUMBER": row.number for row in rows},
        **{row.attribute: make_property(row) for row in rows},
    }
    cls: Any = type(table.cls.__name__, _bases(table.full_name), namespace)
    compat_table.cls = cls
    for row in rows:
        for part in (row, row.key, row.value):
            if part is not None:
                part.owner = cls
    return cls


def _bases(full_name: str) -> tuple[type, ...]:
    """Return the base classes of the message with this full name: well-known messages have more methods."""
    if full_name.startswith("google.protobuf."):
        from .wellknown import WKTBASES  # slow to import: they print and read JSON

        if full_name in WKTBASES:
            return (WKTBASES[full_name], Message)
    return (Message,)


def _restore(cls: Any, data: bytes, package: str) -> Any:
    return compat_class(cls, package).FromString(data)


def extension_field(extension: Extension[Any], owner: Any) -> CompatField:
    """Return the field of an extension of the protobuf-style class `owner`, for its descriptor."""
    rows = table_of(extension.extendee).set_table.fields  # type: ignore[attr-defined]  # it has extensions
    row = next(row for row in rows if row.json_name == f"[{extension.full_name}]")
    field = CompatField(row, owner.__table__.package)
    field.owner = owner
    return field


def _assign_slots(rows: list[CompatField]) -> tuple[str, ...]:
    """Give each field, and each oneof, hidden slots, and each field the name of its property. Return the slots."""
    slots: dict[str, None] = {}
    for row in rows:
        if row.oneof:
            row.slot, row.case_slot = f"_oneof_{row.oneof}", f"_case_{row.oneof}"
            slots[row.slot] = slots[row.case_slot] = None
        else:
            row.slot = f"_field_{row.number}"
            slots[row.slot] = None
    names = {row.text_name for row in rows}
    reserved = {*dir(Message), *slots, "_extensions", "_sorted"}
    for row in rows:
        is_special = row.text_name.startswith("__") and row.text_name.endswith("__")
        if is_special or row.text_name in reserved:
            while row.attribute in names | reserved:
                row.attribute += "_"
            names.add(row.attribute)
    return tuple(slots)


class _NestedClass:
    """An attribute of a class that holds the protobuf-style class of a nested message, made on first use."""

    def __init__(self, make: Any, *arguments: Any) -> None:
        self.make = make
        self.arguments = arguments
        self.module = ""

    def __get__(self, instance: Any, owner: Any) -> Any:
        made = self.make(*self.arguments)
        return place(made, self.module) if self.module else made


class _NestedExtension:
    """An attribute of a class that holds the descriptor of an extension that is declared inside, made on first use."""

    def __init__(self, extension: Extension[Any], package: str) -> None:
        self.extension = extension
        self.package = package

    def __get__(self, instance: Any, owner: Any) -> Any:
        return above.descriptors().extension_descriptor(self.extension, self.package)


def _nested(cls: Any, package: str) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of what the class declares inside: messages, enums, and the numbers of enums."""
    for name, value in vars(cls).items():
        if isinstance(value, enum.EnumType):
            yield name, enum_wrapper(value)
            members: dict[str, Any] = dict(value.__members__)
            yield from ((name, int(member)) for name, member in members.items())
        elif isinstance(value, type) and "__table__" in vars(value):
            yield name, _NestedClass(compat_class, value, package)
        elif isinstance(value, Extension):
            yield value.name, _NestedExtension(value, package)
            yield f"{value.name.upper()}_FIELD_NUMBER", value.number
