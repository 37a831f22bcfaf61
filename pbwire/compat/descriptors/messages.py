"""The descriptors of messages."""

from __future__ import annotations

import enum
from functools import cached_property
from typing import Any

from ...extensions import Extension
from ...kept import kept
from ...proto.classes import declaration_of
from ..classes import compat_class
from ..values import above
from .base import Base, DescriptorMap, containing_type, in_declared_order, named
from .enums import EnumDescriptor, EnumValueDescriptor, enum_descriptor
from .fields import (
    ExtensionDescriptor,
    FieldDescriptor,
    OneofDescriptor,
    entry_descriptor,
    extension_descriptor,
    field_descriptor,
    is_proto3_optional,
)
from .files import FileDescriptor


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
        package = outer.full_name.rpartition(".")[0]
        file: FileDescriptor = above.pools().file_of(self._table.dataclass, self.full_name, package, self._table.syntax)
        return file

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
        optional = [f"_{field.text_name}" for field in self._table.fields if is_proto3_optional(field)]
        return real + [OneofDescriptor(self, name, len(real) + index) for index, name in enumerate(optional)]

    @cached_property
    def oneofs_by_name(self) -> DescriptorMap[str, OneofDescriptor]:
        return DescriptorMap({oneof.name: oneof for oneof in self.oneofs})

    @cached_property
    def nested_types(self) -> list[Descriptor]:
        inner = vars(self._table.dataclass).values()
        package = self._table.package
        nested = [
            compat_class(value, package).DESCRIPTOR
            for value in inner
            if isinstance(value, type) and "__table__" in vars(value)
        ]
        entries = [entry_descriptor(field) for field in self._table.fields if field.label == "map"]
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


@kept
def message_descriptor(cls: Any) -> Descriptor:
    """Return the descriptor of a protobuf-style class."""
    return Descriptor(cls)
