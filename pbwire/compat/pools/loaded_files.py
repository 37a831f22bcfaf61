"""The descriptors of the files of a pool."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ..descriptors import Descriptor, EnumDescriptor, ExtensionDescriptor, FileDescriptor, ServiceDescriptor
from ..descriptors.base import DescriptorMap, as_given


class LoadedFile(FileDescriptor):
    """A file of a pool."""

    def __init__(self, pool: Any, name: str) -> None:
        self.pool = pool
        self._linked = pool._loader.pool.files[name]
        proto = self._linked.proto
        self.name = self.full_name = name
        self.package = proto.package or ""
        self.syntax = self._linked.syntax

    @property
    def proto(self) -> Any:
        return self._linked.proto

    @property
    def serialized_pb(self) -> bytes:
        return self.pool._own_files.get(self.name) or bytes(as_given(self).to_bytes())

    def _full(self, name: str) -> str:
        return f"{self.package}.{name}" if self.package else name

    @property
    def message_types_by_name(self) -> DescriptorMap[str, Descriptor]:
        names = [message.name for message in self.proto.message_type]
        return DescriptorMap({name: self.pool.FindMessageTypeByName(self._full(name)) for name in names})

    @property
    def enum_types_by_name(self) -> DescriptorMap[str, EnumDescriptor]:
        names = [one.name for one in self.proto.enum_type]
        return DescriptorMap({name: self.pool.FindEnumTypeByName(self._full(name)) for name in names})

    @property
    def extensions_by_name(self) -> DescriptorMap[str, ExtensionDescriptor]:
        names = [one.name for one in self.proto.extension]
        return DescriptorMap({name: self.pool.FindExtensionByName(self._full(name)) for name in names})

    @cached_property
    def services_by_name(self) -> DescriptorMap[str, ServiceDescriptor]:
        return DescriptorMap(
            {
                proto.name: ServiceDescriptor(self, proto, self._full(proto.name), index)
                for index, proto in enumerate(self.proto.service)
            }
        )
