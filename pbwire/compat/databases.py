"""`google.protobuf.descriptor_database`: FileDescriptorProtos by name, and by what they declare."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from ..errors import Error

__all__ = ["DescriptorDatabase", "DescriptorDatabaseConflictingDefinitionError"]


class DescriptorDatabaseConflictingDefinitionError(Error):
    """Two different files have one name."""


class DescriptorDatabase:
    """FileDescriptorProtos that have been added, and the full names of what they declare."""

    def __init__(self) -> None:
        self._files: dict[str, Any] = {}
        self._symbols: dict[str, Any] = {}

    def Add(self, file_desc_proto: Any) -> None:
        """Add a file. Raises DescriptorDatabaseConflictingDefinitionError if another one has its name."""
        name = file_desc_proto.name
        if self._files.setdefault(name, file_desc_proto) != file_desc_proto:
            raise DescriptorDatabaseConflictingDefinitionError(f"{name} already added, but with different descriptor.")
        for symbol in _declared(file_desc_proto, file_desc_proto.package):
            known = self._symbols.setdefault(symbol, file_desc_proto)
            if known.name != name:
                problem = f'Conflict register for file "{name}": {symbol} is already defined in file "{known.name}"'
                warnings.warn(problem, RuntimeWarning, stacklevel=2)

    def FindFileByName(self, name: str) -> Any:
        """Return the file of a name. Raises KeyError."""
        return self._files[name]

    def FindFileContainingSymbol(self, symbol: str) -> Any:
        """Return the file that declares a message, an enum, a value, a service or an extension, or one of their parts.

        Raises KeyError.
        """
        symbol = symbol.removeprefix(".")
        if symbol in self._symbols:
            return self._symbols[symbol]
        outer = symbol.rpartition(".")[0]
        if outer in self._symbols:
            return self._symbols[outer]
        raise KeyError(symbol)

    def FindFileContainingExtension(self, extendee_name: str, extension_number: int) -> Any:
        """Return None, as protobuf does."""

    def FindAllExtensionNumbers(self, extendee_name: str) -> list[int]:
        """Return no numbers, as protobuf does."""
        return []


def _declared(scope: Any, prefix: str) -> Iterator[str]:
    """Yield the full names of the declarations of a file or a message."""
    is_file = hasattr(scope, "message_type")
    before = f"{prefix}." if prefix else ""
    for message in scope.message_type if is_file else scope.nested_type:
        yield before + message.name
        yield from _declared(message, before + message.name)
    for enum in scope.enum_type:
        yield before + enum.name
        yield from (f"{before}{value.name}" for value in enum.value)
    yield from (before + extension.name for extension in scope.extension)
    if is_file:
        yield from (before + service.name for service in scope.service)
