"""Read-only descriptors: what `DESCRIPTOR` of protobuf's messages, fields and enums tells, made from tables.

They are for reading names, numbers, types, structure and options. Each object is made once, so that descriptors can be
compared with `is`.
"""

from __future__ import annotations

import enum
from functools import cached_property
from typing import Any

from ...descriptor import Field, json_name
from ...extensions import Extension
from ...kept import kept
from ...proto.classes import declaration_of, extension_scope
from ..values.enums import EnumNumbers
from .base import (
    USE_C_DESCRIPTORS,
    Base,
    DescriptorMap,
    containing_type,
    in_declared_order,
    named,
)
from .enums import EnumDescriptor, EnumValueDescriptor, enum_descriptor
from .files import FileDescriptor, file_of_extension, loaded_file, table_file

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

_USE_C_DESCRIPTORS = USE_C_DESCRIPTORS
_internal_create_key = object()


class Descriptor(Base):
    """A message."""

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
        loaded = loaded_file(dataclass, self.full_name)
        return loaded or table_file(dataclass.__module__, outer.full_name.rpartition(".")[0], self._table.syntax)

    @property
    def is_extendable(self) -> bool:
        return bool(self._table.is_extendable)

    @property
    def extension_ranges(self) -> list[tuple[int, int]]:
        return [(part.start, part.end) for part in self.proto.extension_range]

    @cached_property
    def extensions(self) -> list[ExtensionDescriptor]:
        """The extensions that are declared inside of the message."""
        inner = vars(self._table.dataclass).values()
        found = [one for one in inner if isinstance(one, Extension)]
        descriptors = [extension_descriptor(one, self._table.package) for one in found]
        return in_declared_order(descriptors, self._table.dataclass, "extension")

    @property
    def extensions_by_name(self) -> DescriptorMap[str, ExtensionDescriptor]:
        return DescriptorMap({extension.name: extension for extension in self.extensions})

    @cached_property
    def proto(self) -> Any:
        declared = declaration_of(self._table.dataclass)
        if declared is not None:
            return declared.symbol.proto
        outer = self.containing_type
        return named(self.file.proto.message_type if outer is None else outer.proto.nested_type, self.name)

    @cached_property
    def containing_type(self) -> Descriptor | None:
        outer: Descriptor | None = containing_type(self._table.dataclass, self._table.package)
        return outer

    @cached_property
    def fields(self) -> list[FieldDescriptor]:
        return [field_descriptor(field) for field in self._table.fields]

    @cached_property
    def fields_by_name(self) -> DescriptorMap[str, FieldDescriptor]:
        return DescriptorMap({field.name: field for field in self.fields})

    @cached_property
    def fields_by_number(self) -> DescriptorMap[int, FieldDescriptor]:
        return DescriptorMap({field.number: field for field in self.fields})

    @cached_property
    def fields_by_camelcase_name(self) -> DescriptorMap[str, FieldDescriptor]:
        return DescriptorMap({field.camelcase_name: field for field in self.fields})

    @cached_property
    def oneofs(self) -> list[OneofDescriptor]:
        real = [OneofDescriptor(self, name, index) for index, name in enumerate(self._table.oneofs)]
        optional = [f"_{field.text_name}" for field in self._table.fields if _is_proto3_optional(field)]
        return real + [OneofDescriptor(self, name, len(real) + index) for index, name in enumerate(optional)]

    @cached_property
    def oneofs_by_name(self) -> DescriptorMap[str, OneofDescriptor]:
        return DescriptorMap({oneof.name: oneof for oneof in self.oneofs})

    @cached_property
    def nested_types(self) -> list[Descriptor]:
        from ..classes.factory import compat_class

        inner = vars(self._table.dataclass).values()
        package = self._table.package
        nested = [
            compat_class(value, package).DESCRIPTOR
            for value in inner
            if isinstance(value, type) and "__table__" in vars(value)
        ]
        entries = [_entry_descriptor(field) for field in self._table.fields if field.label == "map"]
        return in_declared_order(nested + entries, self._table.dataclass, "nested_type")

    @cached_property
    def nested_types_by_name(self) -> DescriptorMap[str, Descriptor]:
        return DescriptorMap({nested.name: nested for nested in self.nested_types})

    @cached_property
    def enum_types(self) -> list[EnumDescriptor]:
        inner = vars(self._table.dataclass).values()
        enums = [enum_descriptor(value) for value in inner if isinstance(value, enum.EnumType)]
        return in_declared_order(enums, self._table.dataclass, "enum_type")

    @cached_property
    def enum_types_by_name(self) -> DescriptorMap[str, EnumDescriptor]:
        return DescriptorMap({item.name: item for item in self.enum_types})

    @cached_property
    def enum_values_by_name(self) -> DescriptorMap[str, EnumValueDescriptor]:
        return DescriptorMap({value.name: value for item in self.enum_types for value in item.values})

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
    def _outer(self) -> Any:
        if _is_proto3_optional(self._field):
            return self.containing_type
        return self.containing_oneof or self.containing_type

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
        return str(self._field.json_name or json_name(self.name))

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


class ExtensionDescriptor(FieldDescriptor):
    """An extension: the descriptor of a field that is not declared in the message that has it."""

    is_extension = True

    def __init__(self, extension: Extension[Any], package: str) -> None:
        from ..classes.factory import compat_class, extension_field

        owner = compat_class(extension.extendee, package)
        self._extension = extension
        self._package = package
        super().__init__(extension_field(extension, owner))
        self.name = extension.name
        self.number = extension.number
        self.full_name = extension.full_name
        if package:
            self.full_name = package + extension.full_name[extension.full_name.index(".") :]

    @property
    def extension_scope(self) -> Descriptor | None:  # type: ignore[override]  # of fields, it is always None
        """The message in which the extension is declared; None at the top of a file."""
        from ..classes.factory import compat_class

        scope = self._extension.scope or extension_scope(self._extension)
        return None if scope is None else compat_class(scope, self._package).DESCRIPTOR

    @property
    def _outer(self) -> Any:
        return self.extension_scope or self.file

    @cached_property
    def proto(self) -> Any:
        return named(self._outer.proto.extension, self.name)

    @property
    def index(self) -> int:
        return [proto.name for proto in self._outer.proto.extension].index(self.name)

    @cached_property
    def file(self) -> FileDescriptor:
        scope = self.extension_scope
        return scope.file if scope is not None else file_of_extension(self._extension, self._package)

    @cached_property
    def json_name(self) -> str:
        return json_name(self.name)

    @cached_property
    def containing_oneof(self) -> None:
        return None


for _number, _name in enumerate(_TYPES, 1):
    setattr(FieldDescriptor, f"TYPE_{_name.upper()}", _number)
for _name, _number in _CPP_TYPES.items():
    if not _name.startswith(("s", "fixed", "group", "bytes")) or _name == "string":
        setattr(FieldDescriptor, f"CPPTYPE_{_name.upper()}", _number)


def _is_proto3_optional(field: Field) -> bool:
    owner: Any = field.owner
    return field.optional and not field.is_message and owner.__table__.syntax == "proto3"


@kept
def _entry_descriptor(field: Any) -> Descriptor:
    """Return the descriptor of the entries of a map."""
    from ..classes.factory import entry_message_class

    entry: Descriptor = entry_message_class(field).DESCRIPTOR
    owner: Descriptor = field.owner.DESCRIPTOR
    entry.is_map_entry = True
    vars(entry).update(containing_type=owner, file=owner.file)
    return entry


@kept
def message_descriptor(cls: Any) -> Descriptor:
    """Return the descriptor of a protobuf-style class."""
    return Descriptor(cls)


@kept
def field_descriptor(field: Any) -> FieldDescriptor:
    """Return the descriptor of a field of a protobuf-style class."""
    return FieldDescriptor(field)


@kept
def extension_descriptor(extension: Extension[Any], package: str = "") -> ExtensionDescriptor:
    """Return the descriptor of an extension of protobuf-style messages."""
    return ExtensionDescriptor(extension, package)


def MakeDescriptor(desc_proto: Any, package: str = "", *unused: Any, **also_unused: Any) -> Descriptor:
    """Return the descriptor of a DescriptorProto, as the only message of a file of its own."""
    from ..generated import make_descriptor

    made: Descriptor = make_descriptor(desc_proto, package)
    return made


def _ParseOptions(message: Any, string: bytes) -> Any:
    """Return a message of options that generated code of protoc 3.5 and older has as bytes."""
    message.ParseFromString(string)
    return message
