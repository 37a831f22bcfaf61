"""The descriptors of files: those of table modules here, those of a pool in `pools`."""

from __future__ import annotations

import enum
import sys
from functools import cached_property
from typing import Any

from ..classes import compat_class
from .base import Base, DescriptorMap
from .enums import enum_descriptor
from .fields import extension_descriptor
from .file_protos import file_name, file_proto, module_extensions, public_classes


class FileDescriptor(Base):
    """The .proto file of messages and enums: the module that has their tables."""

    _outer = None

    def __init__(self, pool: Any, module: str, package: str, syntax: str) -> None:
        self.pool = pool
        self.name = self.full_name = file_name(module)
        self.package = package
        self.syntax = syntax
        self._module = module

    @cached_property
    def proto(self) -> Any:
        return file_proto(sys.modules[self._module], name=self.name)

    @property
    def dependencies(self) -> list[FileDescriptor]:
        return [self.pool.FindFileByName(name) for name in self.proto.dependency]

    @property
    def public_dependencies(self) -> list[FileDescriptor]:
        return [self.pool.FindFileByName(self.proto.dependency[index]) for index in self.proto.public_dependency]

    @property
    def services_by_name(self) -> DescriptorMap[str, Any]:
        return DescriptorMap({})

    @property
    def extensions_by_name(self) -> DescriptorMap[str, Any]:
        declared = module_extensions(sys.modules[self._module])
        return DescriptorMap({extension.name: extension_descriptor(extension) for extension in declared})

    @property
    def serialized_pb(self) -> bytes:
        return bytes(self.proto.to_bytes())

    def _classes(self) -> list[tuple[str, Any]]:
        return list(public_classes(sys.modules[self._module], self._module))

    @property
    def message_types_by_name(self) -> DescriptorMap[str, Any]:
        return DescriptorMap(
            {
                name.rpartition(".")[2]: compat_class(cls).DESCRIPTOR
                for name, cls in self._classes()
                if not isinstance(cls, enum.EnumType)
            }
        )

    @property
    def enum_types_by_name(self) -> DescriptorMap[str, Any]:
        enums = ((name, cls) for name, cls in self._classes() if isinstance(cls, enum.EnumType))
        return DescriptorMap({name.rpartition(".")[2]: enum_descriptor(cls) for name, cls in enums})
