"""Descriptors of messages: kinds, fields and tables. They are only data; `pbwire.table` creates them.

The terms are explained at https://protobuf.dev/programming-guides/encoding, except "kind" and "table":

    kind        the declared type of a field, such as "sint32"
    wire type   the layout of an encoded value
    tag         the number in front of an encoded value: `number << 3 | wire type`
    table       the descriptor of a message class
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Literal, Self, TypeAlias

    Label: TypeAlias = Literal["singular", "repeated", "map"]
    Syntax: TypeAlias = Literal["proto2", "proto3", "editions"]
else:
    Label = Syntax = str

SYNTAXES: tuple[Syntax, ...] = ("proto2", "proto3", "editions")

VARINT, FIXED64, LENGTH_DELIMITED, START_GROUP, END_GROUP, FIXED32 = range(6)


class Kind:
    """One of protobuf's field types.

    `zero` is the value of an absent field. `format` is the `struct` letter of a kind of fixed width. `bounds` are the
    smallest and the largest integer.
    """

    __slots__ = ("bounds", "format", "name", "wire_type", "zero")

    def __init__(
        self, name: str, wire_type: int, zero: Any, format: str = "", bounds: tuple[int, int] | None = None
    ) -> None:
        self.name = name
        self.wire_type = wire_type
        self.zero = zero
        self.format = format
        self.bounds = bounds

    def __repr__(self) -> str:
        return f"Kind({self.name!r})"

    @property
    def packable(self) -> bool:
        """True if values of a repeated field can share one length-delimited payload."""
        return self.wire_type not in (LENGTH_DELIMITED, START_GROUP)


INT32, INT64 = (-(1 << 31), (1 << 31) - 1), (-(1 << 63), (1 << 63) - 1)
UINT32, UINT64 = (0, (1 << 32) - 1), (0, (1 << 64) - 1)

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("double", FIXED64, 0.0, "d"),
        Kind("float", FIXED32, 0.0, "f"),
        Kind("int32", VARINT, 0, bounds=INT32),
        Kind("int64", VARINT, 0, bounds=INT64),
        Kind("uint32", VARINT, 0, bounds=UINT32),
        Kind("uint64", VARINT, 0, bounds=UINT64),
        Kind("sint32", VARINT, 0, bounds=INT32),
        Kind("sint64", VARINT, 0, bounds=INT64),
        Kind("fixed32", FIXED32, 0, "I", UINT32),
        Kind("fixed64", FIXED64, 0, "Q", UINT64),
        Kind("sfixed32", FIXED32, 0, "i", INT32),
        Kind("sfixed64", FIXED64, 0, "q", INT64),
        Kind("bool", VARINT, False),
        Kind("string", LENGTH_DELIMITED, ""),
        Kind("bytes", LENGTH_DELIMITED, b""),
        Kind("enum", VARINT, 0, bounds=INT32),
        Kind("message", LENGTH_DELIMITED, None),
        Kind("group", START_GROUP, None),
    )
}

ZIGZAG = frozenset({"sint32", "sint64"})
"""Kinds whose varints alternate between positive and negative numbers: 0, -1, 1, -2 are written as 0, 1, 2, 3."""

COLLECTIONS: dict[Label, Callable[[], Any]] = {"repeated": list, "map": dict}


class Field:
    """The descriptor of a field: one row of a table.

    kind         a key of `KINDS`
    default      the default of a proto2 field; None if it declares none
    key, value   the fields of the entries of a map
    reference    the class of a message or an enum, or its name: see `type`
    name         the name of the attribute
    text_name    the name of the field in the .proto file
    owner        the message class that has the field
    json_name    the name in JSON, if it is not the lowerCamelCase form of `text_name`
    implicit     True for a field of an edition that has no presence
    presence     True if an absent field differs from a field that is zero: if absent, its value is None
    slot         the attribute that holds the value. Repeated fields, maps and members of a oneof have a hidden slot and
                 a property. For other fields, the slot has the name of the field, if Python allows it: see
                 `pbwire.table`
    case_slot    the attribute that holds the number of the set member of the field's oneof, or 0
    """

    __slots__ = (
        "case_slot",
        "default",
        "implicit",
        "json_name",
        "key",
        "kind",
        "label",
        "name",
        "number",
        "oneof",
        "optional",
        "owner",
        "packed",
        "presence",
        "reference",
        "required",
        "slot",
        "text_name",
        "value",
    )

    def __init__(
        self,
        number: int,
        kind: str,
        label: Label = "singular",
        *,
        packed: bool | None = None,
        oneof: str | None = None,
        optional: bool = False,
        required: bool = False,
        default: Any = None,
        key: Field | None = None,
        value: Field | None = None,
        reference: Any = None,
        text_name: str = "",
        implicit: bool = False,
        json_name: str = "",
    ) -> None:
        self.number = number
        self.kind = kind
        self.label: Label = label
        self.packed = packed
        self.oneof = oneof
        self.optional = optional
        self.required = required
        self.default = default
        self.key = key
        self.value = value
        self.reference = reference
        self.text_name = text_name
        self.implicit = implicit
        self.json_name = json_name
        self.name = self.slot = self.case_slot = ""
        self.owner: type | None = None
        self.presence = False

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._attributes().items())})"

    def replace(self, **changes: Any) -> Self:
        """Return a copy with other values of some attributes."""
        copy = object.__new__(type(self))
        for name, value in (self._attributes() | changes).items():
            setattr(copy, name, value)
        return copy

    def _attributes(self) -> dict[str, Any]:
        names = [name for cls in type(self).__mro__ for name in getattr(cls, "__slots__", ())]
        return {name: getattr(self, name) for name in names}

    @property
    def type(self) -> Any:
        """The class of a message or enum field; None for other fields. A class given by name is found on first use."""
        if isinstance(self.reference, str):  # an EnumName too
            self.reference = find_class(self.reference, self.owner)
        return self.reference

    @property
    def is_message(self) -> bool:
        """True if values are messages, encoded after a length or as a group."""
        return self.kind in ("message", "group")

    @property
    def is_closed_enum(self) -> bool:
        """True if values are members of a closed enum: decoders put all other numbers into the unknown fields."""
        return self.kind == "enum" and bool(self.type.__closed__)

    @property
    def is_float(self) -> bool:
        """True if values are floats or doubles."""
        return self.kind in ("float", "double")

    @property
    def is_extension(self) -> bool:
        """True for an extension. Its `text_name` is its full name in brackets: see `pbwire.extensions`."""
        return self.text_name.startswith("[")

    @property
    def shown_name(self) -> str:
        """The name in the paths of errors."""
        return self.text_name if self.is_extension else self.name

    @property
    def shown_number(self) -> int:
        """The number in text: for an item of a MessageSet that of its type, since `number` is the place of its row."""
        if not self.is_extension or not self.owner.__extendee__.__table__.message_set:  # type: ignore[union-attr]  # an extension set
            return self.number
        return int(self.owner.__table__.type_ids[self.number])  # type: ignore[union-attr]  # an extension set

    @property
    def group_name(self) -> str:
        """The name that text format prints for a group that is declared as in proto2: the name of its type.

        Empty for all other fields, also for delimited fields of editions whose name is not that of their type, or whose
        type is declared elsewhere.
        """
        if self.kind != "group" or self.is_extension or self.owner is None:
            return ""
        outer, _, name = self.type.__table__.full_name.rpartition(".")
        is_own = outer == self.owner.__table__.full_name  # type: ignore[attr-defined]  # a message class
        return name if is_own and name.lower() == self.text_name else ""

    @property
    def tag(self) -> int:
        """The tag that encoders write for this field."""
        if self.label == "map" or self.packed:
            return self.number << 3 | LENGTH_DELIMITED
        return self.number << 3 | KINDS[self.kind].wire_type

    @property
    def empty(self) -> Any:
        """The value of the slot in a new message."""
        return None if self.label != "singular" or self.presence else self.zero

    @property
    def zero(self) -> Any:
        """The value that protobuf's accessors return for an absent field: its default, or the zero of its kind."""
        if self.default is not None:
            return self.default
        if self.kind == "enum":
            numbers = self.type.__numbers__  # the default is the first declared member of a proto2 enum, 0 in proto3
            return next(iter(numbers.values())) if self.type.__closed__ else numbers.get(0, 0)
        return KINDS[self.kind].zero


class Table:
    """The descriptor of a message class, with everything that the class body declares.

    `fields` are in the order of the rows, `by_number` in the order of their numbers. `functions` are those that have
    been generated for the class, by name.
    """

    is_plain = True  # messages are dataclasses; False for the protobuf-style classes of `pbwire.compat`
    is_extendable = False  # True for the tables of `pbwire.extensions`
    reserved_names: ClassVar[frozenset[str]] = frozenset()  # names that no field may have; set for some tables

    def __init__(
        self,
        cls: Any,
        full_name: str,
        syntax: Syntax,
        fields: tuple[Field, ...],
        by_number: dict[int, Field],
        by_name: dict[str, Field],
        oneofs: dict[str, tuple[Field, ...]],
        functions: dict[str, Callable[..., Any]],
    ) -> None:
        self.cls = cls
        self.full_name = full_name
        self.syntax: Syntax = syntax
        self.fields = fields
        self.by_number = by_number
        self.by_name = by_name
        self.oneofs = oneofs
        self.functions = functions
        self.__kept__: dict[Any, Any] = {}  # see `pbwire.kept`

    def __repr__(self) -> str:
        return f"Table({self.full_name!r}, {self.syntax!r}, {self.fields!r})"

    @cached_property
    def maps(self) -> list[Field]:
        return [field for field in self.fields if field.label == "map"]

    @cached_property
    def is_one_oneof(self) -> bool:
        """True if all fields are members of one oneof, and the message has no extensions."""
        return not self.is_extendable and len(self.oneofs) == 1 and all(field.oneof for field in self.fields)

    @cached_property
    def has_required_fields(self) -> bool:
        """True if this message, or a message inside it, has required fields.

        The answer for all messages inside is remembered too, so a chain of messages is followed once. With extensions,
        which may be registered later, it is not.
        """
        outer = self._outer_tables(lambda table: table.extension_fields(self))
        required = _around(outer, [table for table in outer if any(field.required for field in table.fields)])
        if not any(table.is_extendable for table in outer):
            for table in outer:
                vars(table)["has_required_fields"] = table in required
        return self in required

    @cached_property
    def may_lack_fields(self) -> bool:
        """True if this message, or a message inside it, has required fields or extensions, which may have some."""
        outer = self._outer_tables(lambda table: [])
        required = [table for table in outer if table.is_extendable or any(field.required for field in table.fields)]
        around = _around(outer, required)
        for table in outer:
            vars(table)["may_lack_fields"] = table in around
        return self in around

    def _outer_tables(self, extension_fields: Callable[[Table], list[Field]]) -> dict[Table, list[Table]]:
        """Return the tables of this message and of all messages inside it, each with those of the messages around it.

        `extension_fields` returns the extensions of a message that are visited too.
        """
        outer: dict[Table, list[Table]] = {self: []}
        waiting = [self]
        while waiting:
            table = waiting.pop()
            parts = [field.value or field for field in (*table.fields, *extension_fields(table))]
            for inner in {part.type.__table__ for part in parts if part.is_message}:
                if inner not in outer:
                    waiting.append(inner)
                outer.setdefault(inner, []).append(table)
        return outer

    def extension_fields(self, dependent: Table) -> list[Field]:
        """Return the registered extensions. The next registration clears `has_required_fields` of `dependent`."""
        return []

    @property
    def extra_slots(self) -> dict[str, Any]:
        """Slots that belong to no field, with their values in a new message."""
        return {}

    @cached_property
    def slots(self) -> dict[str, Any]:
        """All slots of an instance except `_unknown`, with their values in a new message."""
        slots = dict(self.extra_slots)
        for field in self.fields:
            slots[field.slot] = field.empty
            if field.oneof:
                slots[field.case_slot] = 0
        return slots


def _around(outer: dict[Table, list[Table]], tables: list[Table]) -> set[Table]:
    """Return these tables and those of all messages around them; `outer` has those directly around each."""
    around, waiting = set(tables), list(tables)
    while waiting:
        added = [table for table in outer[waiting.pop()] if table not in around]
        around.update(added)
        waiting += added
    return around


def members_of_oneofs(fields: Iterable[Field]) -> dict[str, tuple[Field, ...]]:
    """Return the members of each oneof, by its name."""
    members: dict[str, list[Field]] = {}
    for field in fields:
        if field.oneof:
            members.setdefault(field.oneof, []).append(field)
    return {name: tuple(fields) for name, fields in members.items()}


def json_name(name: str) -> str:
    """Return the name of a field in lowerCamelCase, as protoc does: underscores are removed, and the next letter
    becomes a capital."""
    first, *others = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in others)


def table_of(cls: type) -> Table:
    """Return the table of a message class. Raises TypeError for any other class."""
    table = getattr(cls, "__table__", None)
    if not isinstance(table, Table):
        name = cls.__name__ if isinstance(cls, type) else repr(cls)
        raise TypeError(f"{name} is not a message class: it needs @pb.message(...)")
    return table


def find_class(name: str, owner: type | None) -> Any:
    """Return the class to which `name` refers in `owner`: search `owner`, its enclosing classes and its module."""
    assert owner is not None
    scopes: list[Any] = [sys.modules[owner.__module__]]
    for part in owner.__qualname__.split("."):
        if (inner := vars(scopes[-1]).get(part)) is None:
            break  # defined inside a function: only its module can be searched
        scopes.append(inner)
    for scope in reversed(scopes):
        value: Any = scope
        for part in name.split("."):
            value = vars(value).get(part)
            if value is None:
                break
        else:
            return value
    raise TypeError(f"{owner.__qualname__} refers to {name!r}, which {owner.__module__} does not define")
