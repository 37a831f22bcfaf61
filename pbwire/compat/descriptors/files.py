"""The descriptors of files. `pools` makes them: `LoadedFile` for the files of a pool, `ModuleFile` for modules."""

from __future__ import annotations

from typing import Any

from .base import Base, DescriptorMap


class FileDescriptor(Base):
    """A .proto file, with the messages, enums, extensions and services at its top by their names."""

    _outer = None
    pool: Any
    package: str
    syntax: str

    @property
    def dependencies(self) -> list[FileDescriptor]:
        return [self.pool.FindFileByName(name) for name in self.proto.dependency]

    @property
    def public_dependencies(self) -> list[FileDescriptor]:
        return [self.pool.FindFileByName(self.proto.dependency[index]) for index in self.proto.public_dependency]

    @property
    def serialized_pb(self) -> bytes:
        return bytes(self.proto.to_bytes())

    @property
    def message_types_by_name(self) -> DescriptorMap[str, Any]:
        raise NotImplementedError

    @property
    def enum_types_by_name(self) -> DescriptorMap[str, Any]:
        raise NotImplementedError

    @property
    def extensions_by_name(self) -> DescriptorMap[str, Any]:
        raise NotImplementedError

    @property
    def services_by_name(self) -> DescriptorMap[str, Any]:
        return DescriptorMap({})
