"""The descriptors of files: those of table modules here, those of a pool in `pools`."""

from __future__ import annotations

import enum
import sys
from functools import cache, cached_property
from typing import Any

from ...proto.classes import declaration_of, declaration_of_extension
from .base import Base, DescriptorMap
from .file_protos import file_name, module_extensions, public_classes


class FileDescriptor(Base):
    """The .proto file of messages and enums: the module that has their tables."""

    _outer = None

    def __init__(self, module: str, package: str, syntax: str) -> None:
        self.name = self.full_name = file_name(module)
        self.package = package
        self.syntax = syntax
        self._module = module

    @cached_property
    def proto(self) -> Any:
        from .file_protos import file_proto

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
        from .messages import extension_descriptor

        declared = module_extensions(sys.modules[self._module])
        return DescriptorMap({extension.name: extension_descriptor(extension) for extension in declared})

    @cached_property
    def pool(self) -> Any:
        from ..pools.pool import default_pool

        return default_pool()

    @property
    def serialized_pb(self) -> bytes:
        return bytes(self.proto.to_bytes())

    def _classes(self) -> list[tuple[str, Any]]:
        return list(public_classes(sys.modules[self._module], self._module))

    @property
    def message_types_by_name(self) -> DescriptorMap[str, Any]:
        from ..classes.factory import compat_class

        return DescriptorMap(
            {
                name.rpartition(".")[2]: compat_class(cls).DESCRIPTOR
                for name, cls in self._classes()
                if not isinstance(cls, enum.EnumType)
            }
        )

    @property
    def enum_types_by_name(self) -> DescriptorMap[str, Any]:
        from .enums import enum_descriptor

        enums = ((name, cls) for name, cls in self._classes() if isinstance(cls, enum.EnumType))
        return DescriptorMap({name.rpartition(".")[2]: enum_descriptor(cls) for name, cls in enums})


@cache
def table_file(module: str, package: str, syntax: str) -> FileDescriptor:
    """Return the file of a table module."""
    return FileDescriptor(module, package, syntax)


def file_of_extension(extension: Any, package: str) -> Any:
    """Return the file of an extension that is declared at its top. Raises KeyError if it is in no file."""
    from ..pools.pool import default_pool, pool_of

    declared = declaration_of_extension(extension)
    if declared is not None:
        return pool_of(declared.types).FindFileContainingSymbol(extension.full_name)
    try:
        return default_pool().FindFileContainingSymbol(extension.full_name)
    except KeyError:
        name = extension.full_name
        for module in list(sys.modules.values()):
            if any(one is extension for one in vars(module).values()) and module.__name__ != "__main__":
                return table_file(module.__name__, package or name.rpartition(".")[0], "proto2")
        raise


def loaded_file(cls: Any, full_name: str) -> FileDescriptor | None:
    """Return the file of a message or an enum in its pool; None for one of a table module that no pool knows."""
    from ..pools.pool import default_pool, pool_of

    declared = declaration_of(cls)
    pool = default_pool() if declared is None else pool_of(declared.types)
    return pool.file_of(cls, full_name)
