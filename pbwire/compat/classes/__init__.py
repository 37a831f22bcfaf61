"""The classes of protobuf-style messages.

    factory.py         make the class of a message
    message.py         the methods of messages
    properties.py      the properties of fields
    codegen.py         generated functions: `create`, and copies between the two kinds of messages
    wellknown.py       the methods of Any, and the classes with those of other well-known messages:
    times.py           Timestamp and Duration
    field_masks.py     FieldMask
    structs.py         Struct and ListValue
    value_errors.py    errors of readers as ValueErrors

The package imports `pbwire.compat.values`, the codec, tables, well-known types and, for these, JSON. The layers of
`pbwire.compat` above it call it; `pbwire.codec` knows its `codegen` by name.
"""

from __future__ import annotations

from .factory import compat_class, dataclass_of, extension_field, place, unwrap, wrap
from .message import Message

__all__ = ["Message", "compat_class", "dataclass_of", "extension_field", "place", "unwrap", "wrap"]
