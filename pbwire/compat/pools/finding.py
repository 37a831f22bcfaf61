"""The files and descriptors that the layers below ask pools for: see `pbwire.compat.values.above`."""

from __future__ import annotations

import secrets
import sys
from functools import cache
from typing import Any

from ...proto import descriptor_messages as d
from ...proto.classes import declaration_of, declaration_of_extension
from ..classes import unwrap
from ..descriptors import FileDescriptor
from .module_files import ModuleFile
from .pool import default_pool, pool_of


def file_of(cls: Any, full_name: str, package: str, syntax: str) -> FileDescriptor:
    """Return the file of a message or an enum: that of its pool, or of its table module if no pool knows it."""
    declared = declaration_of(cls)
    pool = default_pool() if declared is None else pool_of(declared.types)
    return pool.file_of(cls, full_name) or _module_file(cls.__module__, package, syntax)


def file_of_extension(extension: Any, package: str) -> FileDescriptor:
    """Return the file of an extension that is declared at its top. Raises KeyError if it is in no file."""
    declared = declaration_of_extension(extension)
    if declared is not None:
        return pool_of(declared.types).FindFileContainingSymbol(extension.full_name)
    try:
        return default_pool().FindFileContainingSymbol(extension.full_name)
    except KeyError:
        name = extension.full_name
        for module in list(sys.modules.values()):
            if any(one is extension for one in vars(module).values()) and module.__name__ != "__main__":
                return _module_file(module.__name__, package or name.rpartition(".")[0], "proto2")
        raise


@cache
def _module_file(module: str, package: str, syntax: str) -> FileDescriptor:
    """Return the file of a table module."""
    return ModuleFile(default_pool(), module, package, syntax)


def make_descriptor(desc_proto: Any, package: str = "") -> Any:
    """Return the descriptor of a DescriptorProto, the only message of a file that is added to the default pool.

    The file has a random name, as in protobuf: the pool must not have the message yet.
    """
    message = unwrap(desc_proto)
    folder = package.replace(".", "/") + "/" if package else ""
    file = d.FileDescriptorProto(
        name=f"{folder}{secrets.token_hex(16)}.proto", package=package or None, message_type=[message]
    )
    added = default_pool().AddSerializedFile(file.to_bytes())
    return added.message_types_by_name[message.name]


def find_declared(kind: str, parts: dict[str, Any]) -> Any:
    """Return the descriptor that a call of older generated code declares: its file has been added before."""
    pool = default_pool()
    if kind == "FileDescriptor":
        return pool.AddSerializedFile(parts["serialized_pb"])
    name = parts.get("full_name", "")
    finders = {
        "Descriptor": pool.FindMessageTypeByName,
        "EnumDescriptor": pool.FindEnumTypeByName,
        "FieldDescriptor": pool.FindFieldByName,
        "OneofDescriptor": pool.FindOneofByName,
        "ServiceDescriptor": pool.FindServiceByName,
        "MethodDescriptor": pool.FindMethodByName,
    }
    if parts.get("is_extension"):
        return pool.FindExtensionByName(name)
    if kind not in finders:
        return None  # the value of an enum is part of its enum, and these are not read
    return finders[kind](name)
