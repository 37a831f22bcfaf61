"""The descriptors of enums and of their values."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ...kept import kept
from ..values import above
from .base import Base, DescriptorMap, containing_type, named
from .files import FileDescriptor


class EnumDescriptor(Base):
    """An enum."""

    def __init__(self, cls: Any) -> None:
        self._enum = cls
        self.full_name: str = cls.__full_name__
        self.name = self.full_name.rpartition(".")[2]
        self.is_closed: bool = cls.__closed__
        members = cls.__members__.items()
        self.values = [EnumValueDescriptor(self, name, int(m), index) for index, (name, m) in enumerate(members)]
        self.values_by_name = DescriptorMap({value.name: value for value in self.values})
        self.values_by_number = DescriptorMap({value.number: value for value in reversed(self.values)})

    @property
    def file(self) -> FileDescriptor:
        outer = self.containing_type
        package = self.full_name.rpartition(".")[0] if outer is None else outer.file.package
        syntax = "proto2" if self.is_closed else "proto3"
        file: FileDescriptor = above.pools().file_of(self._enum, self.full_name, package, syntax)
        return file

    @property
    def proto(self) -> Any:
        outer = self.containing_type
        return named(self.file.proto.enum_type if outer is None else outer.proto.enum_type, self.name)

    @cached_property
    def containing_type(self) -> Any:
        return containing_type(self._enum, "")


class EnumValueDescriptor(Base):
    """A name of an enum, with its number."""

    def __init__(self, type: EnumDescriptor, name: str, number: int, index: int) -> None:
        self.type = type
        self.name = name
        self.full_name = f"{type.full_name.rpartition('.')[0]}.{name}"
        self.number = number
        self.index = index

    @property
    def _outer(self) -> EnumDescriptor:
        return self.type

    @property
    def proto(self) -> Any:
        return named(self.type.proto.value, self.name)


@kept
def enum_descriptor(cls: Any) -> EnumDescriptor:
    """Return the descriptor of an enum."""
    return EnumDescriptor(cls)
