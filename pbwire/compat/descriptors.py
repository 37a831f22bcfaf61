"""Read-only descriptors: what `DESCRIPTOR` of protobuf's messages, fields and enums tells, made from tables.

They are for reading names, numbers, types, structure and options. Each object is made once, so that descriptors can be
compared with `is`.
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any, ClassVar

from ..descriptor import Field
from ..proto.classes import declaration_of
from .descriptor_base import Base, MethodDescriptor, ServiceDescriptor, named
from .enums import EnumNumbers
from .file_protos import file_name, public_classes

__all__ = [
    "Base",
    "Descriptor",
    "EnumDescriptor",
    "EnumValueDescriptor",
    "FieldDescriptor",
    "FileDescriptor",
    "MakeDescriptor",
    "MethodDescriptor",
    "OneofDescriptor",
    "ServiceDescriptor",
    "enum_descriptor",
    "field_descriptor",
    "message_descriptor",
]

_TYPES = [
    "double",
    "float",
    "int64",
    "uint64",
    "int32",
    "fixed64",
    "fixed32",
    "bool",
    "string",
    "group",
    "message",
    "bytes",
    "uint32",
    "enum",
    "sfixed32",
    "sfixed64",
    "sint32",
    "sint64",
]
_CPP_TYPES = {
    "int32": 1,
    "sint32": 1,
    "sfixed32": 1,
    "int64": 2,
    "sint64": 2,
    "sfixed64": 2,
    "uint32": 3,
    "fixed32": 3,
    "uint64": 4,
    "fixed64": 4,
    "double": 5,
    "float": 6,
    "bool": 7,
    "enum": 8,
    "string": 9,
    "bytes": 9,
    "message": 10,
    "group": 10,
}

_USE_C_DESCRIPTORS = True  # generated code then sets no options and places of its own
_internal_create_key = object()


class FileDescriptor(Base):
    """The .proto file of messages and enums: the module that has their tables."""

    def __init__(self, module: str, package: str, syntax: str) -> None:
        self.name = self.full_name = file_name(module)
        self.package = package
        self.syntax = syntax
        self._module = module

    @cached_property
    def proto(self) -> Any:
        from .file_protos import file_proto

        return file_proto(sys.modules[self._module], self.package.partition(".")[0], self.name)

    @property
    def dependencies(self) -> list[FileDescriptor]:
        return [self.pool.FindFileByName(name) for name in self.proto.dependency]

    @property
    def public_dependencies(self) -> list[FileDescriptor]:
        return [self.pool.FindFileByName(self.proto.dependency[index]) for index in self.proto.public_dependency]

    @property
    def services_by_name(self) -> dict[str, Any]:
        return {}

    @property
    def extensions_by_name(self) -> dict[str, Any]:
        return {}

    @cached_property
    def pool(self) -> Any:
        from .pools import default_pool

        return default_pool()

    @property
    def serialized_pb(self) -> bytes:
        return bytes(self.proto.to_bytes())

    def _classes(self) -> list[tuple[str, Any]]:
        return list(public_classes(sys.modules[self._module], self._module))

    @property
    def message_types_by_name(self) -> dict[str, Descriptor]:
        from .classes import compat_class

        return {
            name.rpartition(".")[2]: compat_class(cls).DESCRIPTOR
            for name, cls in self._classes()
            if not isinstance(cls, enum.EnumType)
        }

    @property
    def enum_types_by_name(self) -> dict[str, EnumDescriptor]:
        enums = ((name, cls) for name, cls in self._classes() if isinstance(cls, enum.EnumType))
        return {name.rpartition(".")[2]: enum_descriptor(cls) for name, cls in enums}


@cache
def _file(module: str, package: str, syntax: str) -> FileDescriptor:
    return FileDescriptor(module, package, syntax)


class Descriptor(Base):
    """A message."""

    extensions: ClassVar[Sequence[Any]] = ()
    extensions_by_name: ClassVar[dict[str, Any]] = {}
    is_map_entry = False

    def __init__(self, cls: Any) -> None:
        self._concrete_class = cls
        self._table = cls.__table__
        self.full_name = self._table.full_name
        self.name = self.full_name.rpartition(".")[2]

    @cached_property
    def file(self) -> FileDescriptor:
        outer = self
        while outer.containing_type is not None:
            outer = outer.containing_type
        dataclass = self._table.dataclass
        loaded = _loaded_file(dataclass)
        return loaded or _file(dataclass.__module__, outer.full_name.rpartition(".")[0], self._table.syntax)

    @property
    def is_extendable(self) -> bool:
        return bool(self.proto.extension_range)

    @property
    def extension_ranges(self) -> list[tuple[int, int]]:
        return [(part.start, part.end) for part in self.proto.extension_range]

    @cached_property
    def proto(self) -> Any:
        declared = declaration_of(self._table.dataclass)
        if declared is not None:
            return declared.symbol.proto
        outer = self.containing_type
        return named(self.file.proto.message_type if outer is None else outer.proto.nested_type, self.name)

    @cached_property
    def containing_type(self) -> Descriptor | None:
        return _containing_type(self._table.dataclass, self._table.package)

    @cached_property
    def fields(self) -> list[FieldDescriptor]:
        return [field_descriptor(field) for field in self._table.fields]

    @cached_property
    def fields_by_name(self) -> dict[str, FieldDescriptor]:
        return {field.name: field for field in self.fields}

    @cached_property
    def fields_by_number(self) -> dict[int, FieldDescriptor]:
        return {field.number: field for field in self.fields}

    @cached_property
    def fields_by_camelcase_name(self) -> dict[str, FieldDescriptor]:
        return {field.camelcase_name: field for field in self.fields}

    @cached_property
    def oneofs(self) -> list[OneofDescriptor]:
        real = [OneofDescriptor(self, name, index) for index, name in enumerate(self._table.oneofs)]
        optional = [f"_{field.text_name}" for field in self._table.fields if _is_proto3_optional(field)]
        return real + [OneofDescriptor(self, name, len(real) + index) for index, name in enumerate(optional)]

    @cached_property
    def oneofs_by_name(self) -> dict[str, OneofDescriptor]:
        return {oneof.name: oneof for oneof in self.oneofs}

    @cached_property
    def nested_types(self) -> list[Descriptor]:
        from .classes import compat_class

        inner = vars(self._table.dataclass).values()
        package = self._table.package
        nested = [
            compat_class(value, package).DESCRIPTOR
            for value in inner
            if isinstance(value, type) and "__table__" in vars(value)
        ]
        entries = [_entry_descriptor(field) for field in self._table.fields if field.label == "map"]
        return _in_declared_order(nested + entries, self._table.dataclass, "nested_type")

    @cached_property
    def nested_types_by_name(self) -> dict[str, Descriptor]:
        return {nested.name: nested for nested in self.nested_types}

    @cached_property
    def enum_types(self) -> list[EnumDescriptor]:
        inner = vars(self._table.dataclass).values()
        enums = [enum_descriptor(value) for value in inner if isinstance(value, enum.EnumType)]
        return _in_declared_order(enums, self._table.dataclass, "enum_type")

    @cached_property
    def enum_types_by_name(self) -> dict[str, EnumDescriptor]:
        return {item.name: item for item in self.enum_types}

    @cached_property
    def enum_values_by_name(self) -> dict[str, EnumValueDescriptor]:
        return {value.name: value for item in self.enum_types for value in item.values}

    def EnumValueName(self, enum: str, value: int) -> str:
        """Return the name of a number of a nested enum. Raises KeyError."""
        return self.enum_types_by_name[enum].values_by_number[value].name


class OneofDescriptor(Base):
    """A oneof, or the one that an optional field of proto3 has for itself."""

    def __init__(self, message: Descriptor, name: str, index: int) -> None:
        self.containing_type = message
        self.name = name
        self.full_name = f"{message.full_name}.{name}"
        self.index = index

    @property
    def fields(self) -> list[FieldDescriptor]:
        return [field for field in self.containing_type.fields if field.containing_oneof is self]

    @property
    def proto(self) -> Any:
        return named(self.containing_type.proto.oneof_decl, self.name)


class FieldDescriptor(Base):
    """A field."""

    LABEL_OPTIONAL, LABEL_REQUIRED, LABEL_REPEATED = 1, 2, 3
    MAX_TYPE, MAX_CPPTYPE, MAX_LABEL = 18, 10, 3
    FIRST_RESERVED_FIELD_NUMBER, LAST_RESERVED_FIELD_NUMBER = 19000, 19999
    MAX_FIELD_NUMBER = (1 << 29) - 1
    is_extension = False
    extension_scope = None

    def __init__(self, field: Any) -> None:
        self._field = field
        self.name: str = field.text_name
        self.number: int = field.number
        self.full_name = f"{field.owner.__table__.full_name}.{field.text_name}"
        kind = "message" if field.label == "map" else field.kind
        self.type = _TYPES.index(kind) + 1
        self.cpp_type = _CPP_TYPES[kind]
        self.label = self._label()

    def _label(self) -> int:
        if self._field.label != "singular":
            return self.LABEL_REPEATED
        return self.LABEL_REQUIRED if self._field.required else self.LABEL_OPTIONAL

    @property
    def proto(self) -> Any:
        return named(self.containing_type.proto.field, self.name)

    @property
    def index(self) -> int:
        return self.containing_type.fields.index(self)

    @property
    def containing_type(self) -> Descriptor:
        return self._field.owner.DESCRIPTOR  # type: ignore[no-any-return]  # a class made here

    @property
    def file(self) -> FileDescriptor:
        return self.containing_type.file

    @property
    def is_required(self) -> bool:
        return self.label == self.LABEL_REQUIRED

    @property
    def is_repeated(self) -> bool:
        return self.label == self.LABEL_REPEATED

    @property
    def is_packed(self) -> bool:
        return bool(self._field.packed)

    @property
    def has_presence(self) -> bool:
        return bool(self._field.presence)

    @property
    def has_default_value(self) -> bool:
        return self._field.default is not None

    @property
    def default_value(self) -> Any:
        if self._field.label != "singular":
            return []
        return None if self._field.is_message else self._field.zero

    @cached_property
    def camelcase_name(self) -> str:
        return self.json_name[:1].lower() + self.json_name[1:]

    @cached_property
    def json_name(self) -> str:
        if self._field.json_name:
            return str(self._field.json_name)
        first, *others = self.name.split("_")
        return first + "".join(part[:1].upper() + part[1:] for part in others)

    @cached_property
    def message_type(self) -> Descriptor | None:
        if self._field.label == "map":
            return _entry_descriptor(self._field)
        return self._field.type.DESCRIPTOR if self._field.is_message else None

    @cached_property
    def enum_type(self) -> EnumDescriptor | None:
        cls = self._field.type if self._field.kind == "enum" and self._field.label != "map" else None
        return enum_descriptor(cls.enum) if isinstance(cls, EnumNumbers) else None

    @cached_property
    def containing_oneof(self) -> OneofDescriptor | None:
        name = f"_{self.name}" if _is_proto3_optional(self._field) else self._field.oneof
        return self.containing_type.oneofs_by_name[name] if name else None


for _number, _name in enumerate(_TYPES, 1):
    setattr(FieldDescriptor, f"TYPE_{_name.upper()}", _number)
for _name, _number in _CPP_TYPES.items():
    if not _name.startswith(("s", "fixed", "group", "bytes")) or _name == "string":
        setattr(FieldDescriptor, f"CPPTYPE_{_name.upper()}", _number)


def _is_proto3_optional(field: Field) -> bool:
    owner: Any = field.owner
    return field.optional and not field.is_message and owner.__table__.syntax == "proto3"


class EnumDescriptor(Base):
    """An enum."""

    def __init__(self, cls: Any) -> None:
        self._enum = cls
        self.full_name: str = cls.__full_name__
        self.name = self.full_name.rpartition(".")[2]
        self.is_closed: bool = cls.__closed__
        members = cls.__members__.items()
        self.values = [EnumValueDescriptor(self, name, int(m), index) for index, (name, m) in enumerate(members)]
        self.values_by_name = {value.name: value for value in self.values}
        self.values_by_number = {value.number: value for value in reversed(self.values)}

    @property
    def file(self) -> FileDescriptor:
        outer = self.containing_type
        package = self.full_name.rpartition(".")[0] if outer is None else outer.file.package
        loaded = _loaded_file(self._enum)
        return loaded or _file(self._enum.__module__, package, "proto2" if self.is_closed else "proto3")

    @property
    def proto(self) -> Any:
        outer = self.containing_type
        return named(self.file.proto.enum_type if outer is None else outer.proto.enum_type, self.name)

    @cached_property
    def containing_type(self) -> Descriptor | None:
        return _containing_type(self._enum, "")


class EnumValueDescriptor(Base):
    """A name of an enum, with its number."""

    def __init__(self, type: EnumDescriptor, name: str, number: int, index: int) -> None:
        self.type = type
        self.name = name
        self.full_name = f"{type.full_name.rpartition('.')[0]}.{name}"
        self.number = number
        self.index = index

    @property
    def proto(self) -> Any:
        return named(self.type.proto.value, self.name)


def _in_declared_order(found: list[Any], cls: Any, kind: str) -> list[Any]:
    """Return what is inside of a message in the order of its descriptor; that of a table is kept."""
    declared = declaration_of(cls)
    if declared is None:
        return found
    places = {proto.name: place for place, proto in enumerate(getattr(declared.symbol.proto, kind))}
    return sorted(found, key=lambda descriptor: places[descriptor.name])


def _containing_type(cls: Any, package: str) -> Descriptor | None:
    """Return the descriptor of the message around a message or an enum; None at the top of a file."""
    from .classes import compat_class

    declared = declaration_of(cls)
    if declared is not None:
        outer = declared.symbol.parent
        if outer is None or outer.kind != "message":
            return None
        return compat_class(declared.types[outer.full_name], package).DESCRIPTOR  # type: ignore[no-any-return]  # a class made here
    *names, _ = cls.__qualname__.split(".")
    scope: Any = sys.modules.get(cls.__module__)
    for name in names:
        scope = getattr(scope, name, None)
    if not names or not isinstance(scope, type) or "__table__" not in vars(scope):
        return None
    return compat_class(scope, package).DESCRIPTOR  # type: ignore[no-any-return]  # a class made here


def _loaded_file(cls: Any) -> FileDescriptor | None:
    """Return the file of a class that was made at run time, or of Google's own; None for those of table modules."""
    from .pools import default_pool, is_google_module, pool_of

    declared = declaration_of(cls)
    if declared is None:
        if not is_google_module(cls.__module__):
            return None
        outermost = cls.__qualname__.partition(".")[0]
        return default_pool().FindFileContainingSymbol(f"google.protobuf.{outermost}")
    return pool_of(declared.types).FindFileContainingSymbol(declared.symbol.full_name)


@cache
def _entry_descriptor(field: Any) -> Descriptor:
    """Return the descriptor of the entries of a map."""
    from .classes import entry_message_class

    entry: Descriptor = entry_message_class(field).DESCRIPTOR
    owner: Descriptor = field.owner.DESCRIPTOR
    entry.is_map_entry = True
    vars(entry).update(containing_type=owner, file=owner.file)
    return entry


@cache
def message_descriptor(cls: Any) -> Descriptor:
    """Return the descriptor of a protobuf-style class."""
    return Descriptor(cls)


@cache
def field_descriptor(field: Any) -> FieldDescriptor:
    """Return the descriptor of a field of a protobuf-style class."""
    return FieldDescriptor(field)


@cache
def enum_descriptor(cls: Any) -> EnumDescriptor:
    """Return the descriptor of an enum."""
    return EnumDescriptor(cls)


def MakeDescriptor(desc_proto: Any, package: str = "", *unused: Any, **also_unused: Any) -> Descriptor:
    """Return the descriptor of a DescriptorProto, as the only message of a file of its own."""
    from .generated import make_descriptor

    made: Descriptor = make_descriptor(desc_proto, package)
    return made


def _ParseOptions(message: Any, string: bytes) -> Any:
    """Return a message of options that generated code of protoc 3.5 and older has as bytes."""
    message.ParseFromString(string)
    return message
