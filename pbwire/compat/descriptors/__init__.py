"""Read-only descriptors: what `DESCRIPTOR` of protobuf's messages, fields and enums tells, made from tables.

They are for reading names, numbers, types, structure and options. Each object is made once, so that descriptors can be
compared with `is`. The names are those of `google.protobuf.descriptor`.

    base.py            the base class of descriptors, and the descriptors of services
    messages.py        messages
    fields.py          fields, extensions and oneofs
    enums.py           enums and their values
    files.py           files: the base class of the two in `pools`
    features.py        the features of editions as messages
    file_protos.py     descriptor messages of table modules

The package imports `pbwire.compat.classes` and `pbwire.proto`. `pbwire.compat.pools` and the modules above it call it.
"""

from __future__ import annotations

from typing import Any

from ..values import above
from .base import Base, MethodDescriptor, ServiceDescriptor
from .enums import EnumDescriptor, EnumValueDescriptor, enum_descriptor
from .fields import (
    ExtensionDescriptor,
    FieldDescriptor,
    OneofDescriptor,
    extension_descriptor,
    extension_of,
    field_descriptor,
)
from .files import FileDescriptor
from .messages import Descriptor, message_descriptor

__all__ = [
    "Base",
    "Descriptor",
    "EnumDescriptor",
    "EnumValueDescriptor",
    "ExtensionDescriptor",
    "FieldDescriptor",
    "FileDescriptor",
    "MakeDescriptor",
    "MethodDescriptor",
    "OneofDescriptor",
    "ServiceDescriptor",
    "enum_descriptor",
    "extension_descriptor",
    "extension_of",
    "field_descriptor",
    "message_descriptor",
]

_USE_C_DESCRIPTORS = True
"""Read by generated code, which otherwise sets options and places in descriptors."""
_internal_create_key = object()


def MakeDescriptor(desc_proto: Any, package: str = "", *unused: Any, **also_unused: Any) -> Descriptor:
    """Add a DescriptorProto to the default pool, as the only message of a file, and return its descriptor."""
    made: Descriptor = above.pools().make_descriptor(desc_proto, package)
    return made


def _ParseOptions(message: Any, string: bytes) -> Any:
    """Return a message of options that generated code of protoc 3.5 and older has as bytes."""
    message.ParseFromString(string)
    return message
