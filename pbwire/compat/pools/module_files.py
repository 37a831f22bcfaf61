"""The descriptors of the files of table modules that no pool knows."""

from __future__ import annotations

import enum
import sys
from functools import cached_property
from typing import Any

from ..classes import compat_class
from ..descriptors import (
    Descriptor,
    EnumDescriptor,
    ExtensionDescriptor,
    FileDescriptor,
    enum_descriptor,
    extension_descriptor,
)
from ..descriptors.base import DescriptorMap
from ..descriptors.file_protos import file_name, file_proto, module_extensions, public_classes


class ModuleFile(FileDescriptor):
    """The file of messages and enums: the module that has their tables."""

    def __init__(self, pool: Any, module: str, package: str, syntax: str) -> None:
        self.pool = pool
        self.name = self.full_name = file_name(module)
        self.package = package
        self.syntax = syntax
        self._module = module

    @cached_property
    def proto(self) -> Any:
        return file_proto(sys.modules[self._module], name=self.name)

    def _classes(self) -> list[tuple[str, Any]]:
        return list(public_classes(sys.modules[self._module], self._module))

    @property
    def message_types_by_name(self) -> DescriptorMap[str, Descriptor]:
        return DescriptorMap(
            {
                name.rpartition(".")[2]: compat_class(cls).DESCRIPTOR
                for name, cls in self._classes()
                if not isinstance(cls, enum.EnumType)
            }
        )

    @property
    def enum_types_by_name(self) -> DescriptorMap[str, EnumDescriptor]:
        enums = ((name, cls) for name, cls in self._classes() if isinstance(cls, enum.EnumType))
        return DescriptorMap({name.rpartition(".")[2]: enum_descriptor(cls) for name, cls in enums})

    @property
    def extensions_by_name(self) -> DescriptorMap[str, ExtensionDescriptor]:
        declared = module_extensions(sys.modules[self._module])
        return DescriptorMap({extension.name: extension_descriptor(extension) for extension in declared})
