"""Read-only descriptors: what `DESCRIPTOR` of protobuf's messages, fields and enums tells, made from tables.

They are for reading names, numbers, types, structure and options. Each object is made once, so that descriptors can be
compared with `is`. The names are those of `google.protobuf.descriptor`.

    base.py            the base class of descriptors, and the descriptors of services
    messages.py        messages, fields, oneofs and extensions
    enums.py           enums and their values
    files.py           files
    features.py        the features of editions as messages
    file_protos.py     descriptor messages of table modules

The package imports `pbwire.compat.classes` and `pbwire.proto`. `pbwire.compat.pools` and the modules above it call it.
"""

from __future__ import annotations

from .base import Base, MethodDescriptor, ServiceDescriptor
from .enums import EnumDescriptor, EnumValueDescriptor, enum_descriptor
from .files import FileDescriptor
from .messages import (
    _USE_C_DESCRIPTORS as _USE_C_DESCRIPTORS,
)
from .messages import (
    Descriptor,
    ExtensionDescriptor,
    FieldDescriptor,
    MakeDescriptor,
    OneofDescriptor,
    extension_descriptor,
    field_descriptor,
    message_descriptor,
)
from .messages import _internal_create_key as _internal_create_key
from .messages import _ParseOptions as _ParseOptions

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
    "field_descriptor",
    "message_descriptor",
]
