"""Read-only descriptors: what `DESCRIPTOR` of protobuf's messages, fields and enums tells, made from tables.

They are for reading names, numbers, types and structure. Options are always the defaults, and a descriptor cannot be
changed or added to a pool. Each object is made once, so that descriptors can be compared with `is`.
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any, ClassVar

from ..descriptor import Field
from .enums import EnumNumbers

__all__ = [
    "Descriptor",
    "EnumDescriptor",
    "EnumValueDescriptor",
    "FieldDescriptor",
    "FileDescriptor",
    "OneofDescriptor",
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


class Options:
    """The options of a declaration: all have their defaults, but for `map_entry` and `packed`."""

    def __init__(self, **values: bool) -> None:
        self._values = values

    def __getattr__(self, name: str) -> bool:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._values.get(name, False)

    def HasField(self, field_name: str) -> bool:
        return field_name in self._values

    def ListFields(self) -> list[Any]:
        return []


class _Base:
    """Base class of all descriptors."""

    has_options = False
    name: str
    full_name: str

    def GetOptions(self) -> Options:
        return Options()

    def CopyToProto(self, proto: Any) -> None:
        raise NotImplementedError(
            "descriptors are for reading here; pbwire.proto.descriptors gives those of a .proto file"
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.full_name!r}>"


class FileDescriptor(_Base):
    """The .proto file of messages and enums: the module that has their tables."""

    def __init__(self, module: str, package: str, syntax: str) -> None:
        document = (getattr(sys.modules.get(module), "__doc__", None) or "").partition(":")[0]
        self.name = document if document.endswith(".proto") else f"{module.replace('.', '/')}.proto"
        self.full_name = self.name
        self.package = package
        self.syntax = syntax
        self.dependencies: list[FileDescriptor] = []
        self.public_dependencies: list[FileDescriptor] = []
        self.services_by_name: dict[str, Any] = {}
        self.extensions_by_name: dict[str, Any] = {}
        self._module = module

    def _classes(self) -> list[tuple[str, Any]]:
        return [(name, value) for name, value in vars(sys.modules[self._module]).items() if isinstance(value, type)]

    @property
    def message_types_by_name(self) -> dict[str, Descriptor]:
        from .classes import compat_class

        return {
            value.__table__.full_name.rpartition(".")[2]: compat_class(value).DESCRIPTOR
            for _, value in self._classes()
            if "__table__" in vars(value) and value.__module__ == self._module
        }

    @property
    def enum_types_by_name(self) -> dict[str, EnumDescriptor]:
        enums = [value for _, value in self._classes() if isinstance(value, enum.EnumType)]
        names = {getattr(value, "__full_name__", ""): value for value in enums if value.__module__ == self._module}
        return {name.rpartition(".")[2]: enum_descriptor(value) for name, value in names.items() if name}


@cache
def _file(module: str, package: str, syntax: str) -> FileDescriptor:
    return FileDescriptor(module, package, syntax)


class Descriptor(_Base):
    """A message."""

    is_extendable = False
    extension_ranges: ClassVar[Sequence[tuple[int, int]]] = ()
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
        return _file(dataclass.__module__, outer.full_name.rpartition(".")[0], self._table.syntax)

    @cached_property
    def containing_type(self) -> Descriptor | None:
        from .classes import compat_class

        *outer, _ = self._table.dataclass.__qualname__.split(".")
        scope: Any = sys.modules.get(self._table.dataclass.__module__)
        for name in outer:
            scope = getattr(scope, name, None)
        if not outer or not isinstance(scope, type) or "__table__" not in vars(scope):
            return None
        return compat_class(scope, self._table.package).DESCRIPTOR  # type: ignore[no-any-return]  # a class made here

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
        from .classes import compat_class, entry_message_class

        inner = vars(self._table.dataclass).values()
        package = self._table.package
        nested = [
            compat_class(value, package).DESCRIPTOR
            for value in inner
            if isinstance(value, type) and "__table__" in vars(value)
        ]
        entries = [entry_message_class(field).DESCRIPTOR for field in self._table.fields if field.label == "map"]
        return nested + entries

    @cached_property
    def nested_types_by_name(self) -> dict[str, Descriptor]:
        return {nested.name: nested for nested in self.nested_types}

    @cached_property
    def enum_types(self) -> list[EnumDescriptor]:
        inner = vars(self._table.dataclass).values()
        return [enum_descriptor(value) for value in inner if isinstance(value, enum.EnumType)]

    @cached_property
    def enum_types_by_name(self) -> dict[str, EnumDescriptor]:
        return {item.name: item for item in self.enum_types}

    @cached_property
    def enum_values_by_name(self) -> dict[str, EnumValueDescriptor]:
        return {value.name: value for item in self.enum_types for value in item.values}

    def GetOptions(self) -> Options:
        return Options(map_entry=True) if self.is_map_entry else Options()

    def EnumValueName(self, enum: str, value: int) -> str:
        """Return the name of a number of a nested enum. Raises KeyError."""
        return self.enum_types_by_name[enum].values_by_number[value].name


class OneofDescriptor(_Base):
    """A oneof, or the one that an optional field of proto3 has for itself."""

    def __init__(self, message: Descriptor, name: str, index: int) -> None:
        self.containing_type = message
        self.name = name
        self.full_name = f"{message.full_name}.{name}"
        self.index = index

    @cached_property
    def fields(self) -> list[FieldDescriptor]:
        return [field for field in self.containing_type.fields if field.containing_oneof is self]


class FieldDescriptor(_Base):
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
        first, *others = self.name.split("_")
        return first + "".join(part[:1].upper() + part[1:] for part in others)

    @cached_property
    def message_type(self) -> Descriptor | None:
        if self._field.label == "map":
            from .classes import entry_message_class

            entry: Descriptor = entry_message_class(self._field).DESCRIPTOR
            entry.is_map_entry = True
            return entry
        return self._field.type.DESCRIPTOR if self._field.is_message else None

    @cached_property
    def enum_type(self) -> EnumDescriptor | None:
        cls = self._field.type if self._field.kind == "enum" and self._field.label != "map" else None
        return enum_descriptor(cls.enum) if isinstance(cls, EnumNumbers) else None

    @cached_property
    def containing_oneof(self) -> OneofDescriptor | None:
        name = f"_{self.name}" if _is_proto3_optional(self._field) else self._field.oneof
        return self.containing_type.oneofs_by_name[name] if name else None

    def GetOptions(self) -> Options:
        return Options(packed=True) if self.is_packed and self._field.owner.__table__.syntax == "proto2" else Options()


for _number, _name in enumerate(_TYPES, 1):
    setattr(FieldDescriptor, f"TYPE_{_name.upper()}", _number)
for _name, _number in _CPP_TYPES.items():
    if not _name.startswith(("s", "fixed", "group", "bytes")) or _name == "string":
        setattr(FieldDescriptor, f"CPPTYPE_{_name.upper()}", _number)


def _is_proto3_optional(field: Field) -> bool:
    owner: Any = field.owner
    return field.optional and not field.is_message and owner.__table__.syntax == "proto3"


class EnumDescriptor(_Base):
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
        return _file(self._enum.__module__, package, "proto2" if self.is_closed else "proto3")

    @cached_property
    def containing_type(self) -> Descriptor | None:
        from .classes import compat_class

        *outer, _ = self._enum.__qualname__.split(".")
        scope: Any = sys.modules.get(self._enum.__module__)
        for name in outer:
            scope = getattr(scope, name, None)
        if not outer or not isinstance(scope, type) or "__table__" not in vars(scope):
            return None
        return compat_class(scope).DESCRIPTOR  # type: ignore[no-any-return]  # a class made here


class EnumValueDescriptor(_Base):
    """A name of an enum, with its number."""

    def __init__(self, type: EnumDescriptor, name: str, number: int, index: int) -> None:
        self.type = type
        self.name = name
        self.full_name = f"{type.full_name.rpartition('.')[0]}.{name}"
        self.number = number
        self.index = index


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
