"""The descriptors of fields, extensions and oneofs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...descriptor import Field, json_name
from ...extensions import Extension
from ...kept import kept
from ...proto.classes import extension_scope
from ...proto.descriptor_messages import FieldDescriptorProto
from ..classes import compat_class, extension_field
from ..values import above
from ..values.enums import EnumNumbers
from .base import Base, named
from .enums import EnumDescriptor, enum_descriptor
from .files import FileDescriptor

if TYPE_CHECKING:
    from .messages import Descriptor

_TYPES = {name: int(number) for name, number in FieldDescriptorProto.Type.__members__.items()}
_CPP_TYPES = (
    "int32 sint32 sfixed32",
    "int64 sint64 sfixed64",
    "uint32 fixed32",
    "uint64 fixed64",
    "double",
    "float",
    "bool",
    "enum",
    "string bytes",
    "message group",
)
"""The types that are the same in C++; the first one of each has its name."""
_CPP_NUMBERS = {name: number for number, names in enumerate(_CPP_TYPES, 1) for name in names.split()}


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
        self.type = _TYPES[f"TYPE_{kind.upper()}"]
        self.cpp_type = _CPP_NUMBERS[kind]
        self.label = self._label()

    def _label(self) -> int:
        if self._field.label != "singular":
            return self.LABEL_REPEATED
        return self.LABEL_REQUIRED if self._field.required else self.LABEL_OPTIONAL

    @property
    def _outer(self) -> Any:
        if is_proto3_optional(self._field):
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
            return entry_descriptor(self._field)
        return self._field.type.DESCRIPTOR if self._field.is_message else None

    @cached_property
    def enum_type(self) -> EnumDescriptor | None:
        cls = self._field.type if self._field.kind == "enum" and self._field.label != "map" else None
        return enum_descriptor(cls.enum) if isinstance(cls, EnumNumbers) else None

    @cached_property
    def containing_oneof(self) -> OneofDescriptor | None:
        name = f"_{self.name}" if is_proto3_optional(self._field) else self._field.oneof
        return self.containing_type.oneofs_by_name[name] if name else None


class ExtensionDescriptor(FieldDescriptor):
    """An extension: the descriptor of a field that is not declared in the message that has it."""

    is_extension = True

    def __init__(self, extension: Extension[Any], package: str) -> None:
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
        if scope is not None:
            return scope.file
        file: FileDescriptor = above.pools().file_of_extension(self._extension, self._package)
        return file

    @cached_property
    def json_name(self) -> str:
        return json_name(self.name)

    @cached_property
    def containing_oneof(self) -> None:
        return None


for _name, _number in _TYPES.items():
    setattr(FieldDescriptor, _name, _number)
for _number, _name in enumerate(_CPP_TYPES, 1):
    setattr(FieldDescriptor, f"CPPTYPE_{_name.partition(' ')[0].upper()}", _number)


def is_proto3_optional(field: Field) -> bool:
    owner: Any = field.owner
    return field.optional and not field.is_message and owner.__table__.syntax == "proto3"


@kept
def entry_descriptor(field: Any) -> Descriptor:
    """Return the descriptor of the entries of a map."""
    entry: Descriptor = field.entry_class().DESCRIPTOR
    owner: Descriptor = field.owner.DESCRIPTOR
    entry.is_map_entry = True
    vars(entry).update(containing_type=owner, file=owner.file)
    return entry


@kept
def field_descriptor(field: Any) -> FieldDescriptor:
    """Return the descriptor of a field of a protobuf-style class."""
    return FieldDescriptor(field)


@kept
def extension_descriptor(extension: Extension[Any], package: str = "") -> ExtensionDescriptor:
    """Return the descriptor of an extension of protobuf-style messages."""
    return ExtensionDescriptor(extension, package)


def extension_of(descriptor: Any) -> Extension[Any]:
    """Return the extension of a descriptor. Raises KeyError for anything but the descriptor of an extension."""
    if not isinstance(descriptor, FieldDescriptor):
        raise KeyError(f"Object {descriptor!r} is not a field descriptor\n")
    if not isinstance(descriptor, ExtensionDescriptor):
        raise KeyError(f"Field {descriptor.full_name} is not an extension\n")
    return descriptor._extension
