"""Declare message classes: a message is a dataclass whose class body declares its fields.

    from pbwire import table as pb

    @pb.message("tensorflow.VersionDef")
    class VersionDef(pb.Message):
        producer: int = pb.int32(1)
        min_consumer: int = pb.int32(2)
        bad_consumers: list[int] = pb.repeated(pb.int32, 3)

Scalars are declared by their kind, `pb.string(1)`; messages and enums by `pb.field(T, 2)`; lists and maps by
`pb.repeated(T, 3, packed=...)` and `pb.map(K, V, 4)`. The keywords of singular fields are

    oneof="name"      a member of the oneof: at most one member is set, and the others are None
    optional=True     proto3's `optional`: absent (None) differs from zero
    implicit=True     editions: an absent field and zero are the same, as in proto3
    required=True     proto2: a message without it cannot be encoded
    default=value     proto2: the value that `pbwire.get` returns while the field is absent
    group=True        proto2: encoded between two tags instead of after a length; for messages, also repeated ones
    name="name"       the field's name in the .proto file, if an attribute of a message cannot have that name; for
                      lists and maps too
    json_name="name"  the field's name in JSON, if it is not the lowerCamelCase form of its name; for lists and maps too

Almost any field name can be the name of an attribute, even `__x`, although Python mangles such names inside classes,
and even a Python keyword, which can be read by `getattr`. Two kinds of names cannot be: the names of attributes of
`Message`, and names that begin and end with two underscores. For such a field, choose another attribute name, and give
its own name as `name=` for text format and JSON.

`T` may be the name of a message that is defined later, or the `pb.EnumName` of such an enum. Encoders, decoders,
parsers and printers are generated on first use, not here.

A message of proto2 or of editions may declare ranges of numbers for extensions: fields that other modules declare. See
`pbwire.extensions`.

    @pb.message("example.Car", syntax="proto2", extensions=[range(100, 200)])
    class Car(pb.ExtendableMessage): ...

    speed = pb.Extension[int | None]("example.speed", Car, pb.int32(126))
    Car().extensions[speed] = 50

An entry of a map is encoded as a message with the key as field 1 and the value as field 2. `entry_class` declares the
classes of these messages on first use. Decoders use them for entries that are not simply a key followed by a value. The
parser and the printer of text format treat every entry as such a message.
"""

from __future__ import annotations

import builtins
import enum as _enum
from collections.abc import Callable, Sequence
from importlib import import_module

from .descriptor import KINDS, SYNTAXES, Field, Kind, Syntax, Table, table_of
from .kept import kept
from .message import Message
from .message_classes import check_rows, complete_row, make_class, message_base, unmangle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Self, TypeVar, cast, dataclass_transform

    from .extensions import ExtendableMessage, Extension

    M = TypeVar("M", bound=Message)
    E = TypeVar("E", bound="Enum")
else:
    from .message import dataclass_transform

    def cast(cls, value):
        return value


__all__ = [
    "Enum",
    "EnumName",
    "ExtendableMessage",
    "Extension",
    "Field",
    "Message",
    "Table",
    "add_constants",
    "bool",
    "bytes",
    "complete_entry",
    "double",
    "entry_class",
    "enum",
    "field",
    "fixed32",
    "fixed64",
    "float",
    "int32",
    "int64",
    "map",
    "message",
    "repeated",
    "sfixed32",
    "sfixed64",
    "sint32",
    "sint64",
    "string",
    "table_of",
    "uint32",
    "uint64",
]


class Enum(_enum.IntEnum):
    """Base of all enums. A number without a name stays an int, unless the enum is closed: see `enum`."""

    __full_name__ = ""
    __closed__ = False
    __numbers__: ClassVar[dict[int, Any]] = {}

    @classmethod
    def Name(cls, number: int) -> str:
        """Return the name of a number. Raises ValueError for a number without a name."""
        member = cls.__numbers__.get(number)
        if member is None:
            raise ValueError(f"{cls.__name__} has no name for the number {number!r}")
        return str(member.name)

    @classmethod
    def Value(cls, name: str) -> Self:
        """Return the member of a name. Raises ValueError for an unknown name."""
        member = cls.__members__.get(name)
        if member is None:
            raise ValueError(f"{cls.__name__} has no value {name!r}")
        return member


def enum(
    full_name: str,
    *,
    closed: builtins.bool = False,
    names: dict[str, str] | None = None,
    json_names: dict[str, str] | None = None,
) -> Callable[[type[E]], type[E]]:
    """Return a decorator that gives an enum its protobuf name.

    Pass `closed=True` for an enum of a proto2 file: decoders then put numbers without a name into `unknown_fields`.
    `names` gives the names of members in the .proto file that Python does not allow: {"mro_": "mro"}. `json_names`
    gives the strings of values in JSON, by name in the .proto file, where they differ (`(pb.enumvalue.json)`).
    """

    def declare(cls: type[E]) -> type[E]:
        if names:
            members = {names.get(name, name): member for name, member in cls._member_map_.items()}
            for name, member in members.items():
                member._name_ = name if member._name_ in names else member._name_
            cls._member_map_.clear()
            cls._member_map_.update(members)
            cls._member_names_[:] = [names.get(name, name) for name in cls._member_names_]
        texts = json_names or {}
        attributes = {
            "__full_name__": full_name,
            "__closed__": closed,
            "__numbers__": {int(m): m for m in cls},
            "__json_names__": {int(m): texts[m._name_] for m in cls if m._name_ in texts},
            "__json_members__": {**{texts[name]: cls.__members__[name] for name in texts}, **cls.__members__},
            "__kept__": {},  # see `pbwire.kept`
        }
        for name, value in attributes.items():
            type.__setattr__(cls, name, value)
        return cls

    return declare


class EnumName(str):
    """The name of an enum that is defined later: `pb.field(pb.EnumName("Message.Kind"), 1)`."""

    __slots__ = ()

    def __new__(cls, name: str, /) -> EnumName:
        return str.__new__(cls, name)


class Scalar:
    """A kind of scalars. `pb.string(1)` declares a singular field; `pb.repeated(pb.string, 1)` declares a list."""

    __slots__ = ("kind",)

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def __call__(
        self,
        number: int,
        *,
        oneof: str | None = None,
        optional: builtins.bool = False,
        required: builtins.bool = False,
        implicit: builtins.bool = False,
        default: Any = None,
        name: str = "",
        json_name: str = "",
    ) -> Any:
        row = Field(number, self.kind.name, oneof=oneof, optional=optional, required=required, text_name=name)
        row.default, row.implicit, row.json_name = default, implicit, json_name
        return row

    def __repr__(self) -> str:
        return f"pb.{self.kind.name}"


def field(
    type: Any,
    number: int,
    *,
    oneof: str | None = None,
    optional: builtins.bool = False,
    required: builtins.bool = False,
    implicit: builtins.bool = False,
    default: Any = None,
    group: builtins.bool = False,
    name: str = "",
    json_name: str = "",
) -> Any:
    """Declare a singular field whose type is a message, an enum, or the name of a message."""
    element = _element(type, number, group)
    element.text_name, element.json_name, element.implicit = name, json_name, implicit
    element.oneof, element.optional, element.required, element.default = oneof, optional, required, default
    return element


def repeated(
    type: Any,
    number: int,
    *,
    packed: builtins.bool | None = None,
    group: builtins.bool = False,
    name: str = "",
    json_name: str = "",
) -> Any:
    """Declare a list. `type` is a scalar such as `pb.string`, a message, an enum, or the name of a message.

    With `packed`, numbers are encoded in one payload (default: False in proto2, True otherwise). Decoders accept both
    forms.

    Raises TypeError for a kind that cannot be packed.
    """
    element = _element(type, number, group)
    if packed and not KINDS[element.kind].packable:
        raise TypeError(f"field {number}: only numbers, bools and enums can be packed, not {element.kind}")
    element.label, element.packed, element.text_name, element.json_name = "repeated", packed, name, json_name
    return element


def map(key: Scalar, value: Any, number: int, *, name: str = "", json_name: str = "") -> Any:
    """Declare a dict from strings, bools or integers to any kind. Raises TypeError for any other kind of key."""
    if not isinstance(key, Scalar) or key.kind.name in ("double", "float", "bytes"):
        raise TypeError(f"field {number}: a map key is a string, a bool or an integer, not {key!r}")
    pair = (_element(key, 1), _element(value, 2))
    return Field(number, "message", "map", key=pair[0], value=pair[1], text_name=name, json_name=json_name)


def _element(type: Any, number: int, group: builtins.bool = False) -> Field:
    is_enum = isinstance(type, (_enum.EnumType, EnumName))
    if group and (is_enum or isinstance(type, Scalar)):
        raise TypeError(f"field {number}: a group holds a message, not {type!r}")
    if isinstance(type, Scalar):
        return Field(number, type.kind.name)
    if isinstance(type, _enum.EnumType) and "__numbers__" not in vars(type):
        raise TypeError(f"field {number}: {type.__name__} needs @pb.enum(...)")
    kind = "enum" if is_enum else "group" if group else "message"
    return Field(number, kind, reference=type)


@dataclass_transform()
def message(
    full_name: str,
    *,
    syntax: Syntax = "proto3",
    extensions: Sequence[range] = (),
    message_set: builtins.bool = False,
    reserved: Sequence[str] = (),
) -> Callable[[type[M]], type[M]]:
    """Return a decorator that makes a message class of a class body: a dataclass that can be encoded and decoded.

    A row is the declaration of one field in the class body. The decorator raises TypeError or ValueError for rows that
    protobuf would not allow.

    `extensions` are ranges of numbers for extensions; the class is then a `pb.ExtendableMessage`. `message_set` stands
    for the option message_set_wire_format. Fields with names in `reserved` existed once: parsers of text format skip
    them.
    """
    if syntax not in SYNTAXES:
        raise ValueError(f"{full_name}: syntax is 'proto2', 'proto3' or 'editions', not {syntax!r}")

    def declare(body: type[M]) -> type[M]:
        rows = {name: row for name, row in vars(body).items() if isinstance(row, Field)}
        fields = {unmangle(name, body): row for name, row in rows.items()}
        annotations = {unmangle(name, body): annotation for name, annotation in body.__annotations__.items()}
        for name, row in fields.items():
            complete_row(row, name, syntax)
        base = message_base(body, full_name, extensions, message_set)
        check_rows(annotations, full_name, syntax, fields, base)
        namespace = {k: v for k, v in vars(body).items() if k not in rows and k not in ("__dict__", "__weakref__")}
        namespace |= {"__qualname__": body.__qualname__, "__annotations__": annotations}
        table = Table if base is Message else base.__table_class__
        for name, row in fields.items():
            if row.text_name in reserved:
                raise ValueError(f"{full_name}.{name}: the name {row.text_name!r} is reserved")
        cls = make_class(body.__name__, body.__bases__, namespace, full_name, syntax, fields, table)
        if reserved:
            cls.__table__.reserved_names = frozenset(reserved)
        if base is not Message:
            cls.__table__.declare_extensions(extensions, message_set, namespace)
        for value in vars(body).values():
            if isinstance(value, _enum.EnumType):
                add_constants(cls, value)
        return cast("type[M]", cls)

    return declare


def __getattr__(name: str) -> Any:
    """Import the module of extensions when one of its classes is first used: most tables have none."""
    if name in ("ExtendableMessage", "Extension"):
        return getattr(import_module(".extensions", __package__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def add_constants(cls: type[Message], enum: _enum.EnumType) -> None:
    """Make the members of a nested enum attributes of the message class, as in protobuf: `SaverDef.V2`.

    Fields, methods and nested classes keep their names. Type checkers know only `SaverDef.CheckpointFormatVersion.V2`.
    """
    members: dict[str, Any] = dict(enum.__members__)
    for name, member in members.items():
        if not hasattr(cls, name):
            setattr(cls, name, member)


double = Scalar(KINDS["double"])
float = Scalar(KINDS["float"])
int32 = Scalar(KINDS["int32"])
int64 = Scalar(KINDS["int64"])
uint32 = Scalar(KINDS["uint32"])
uint64 = Scalar(KINDS["uint64"])
sint32 = Scalar(KINDS["sint32"])
sint64 = Scalar(KINDS["sint64"])
fixed32 = Scalar(KINDS["fixed32"])
fixed64 = Scalar(KINDS["fixed64"])
sfixed32 = Scalar(KINDS["sfixed32"])
sfixed64 = Scalar(KINDS["sfixed64"])
bool = Scalar(KINDS["bool"])
string = Scalar(KINDS["string"])
bytes = Scalar(KINDS["bytes"])


# --- entries of maps -------------------------------------------------------------------------------------------------


def entry_name(field: Field) -> str:
    """Return the name that protoc gives to the message of the entries of a map."""
    return "".join(word[:1].upper() + word[1:] for word in field.text_name.split("_")) + "Entry"


@kept
def entry_class(field: Field) -> Any:
    """Return the message class of the entries of a map. Entries may lack a key or a value: see `complete_entry`."""
    key, value, owner = field.key, field.value, field.owner
    assert key is not None and value is not None and owner is not None
    name = entry_name(field)
    rows = {"key": key.replace(), "value": value.replace(reference=value.type)}
    attributes = {"__module__": owner.__module__, "__annotations__": {"key": "object", "value": "object"}}
    table = table_of(owner)
    return message(f"{table.full_name}.{name}", syntax=table.syntax)(type(name, (Message,), rows | attributes))


def complete_entry(entry: Any, field: Field) -> None:
    """Set the key and the value of an entry of a map to their defaults if the entry lacks them."""
    key, value = field.key, field.value
    assert key is not None and value is not None
    if entry.key is None:
        entry.key = key.zero
    if entry.value is None:
        entry.value = value.type() if value.kind == "message" else value.zero
