"""Protobuf-style messages: classes with the behaviour of Google's Python messages, made from the same tables.

    Graph = compat_class(GraphDef)        # same name, same fields
    graph = Graph()
    graph.node.add(name="x").attr["T"].type = 1
    unwrap(graph)                         # a GraphDef, the dataclass

The dataclasses of `pbwire.table` stay as they are, and this package is imported only by programs that ask for it. A
protobuf-style class has a table of its own, so that the generated codec works for it; text format and JSON convert to
the dataclass. Behaviour is that of protobuf's C implementation ("upb", 6.31).

    classes.py         make the class of a message
    message.py         the methods of messages
    properties.py      the properties of fields
    links.py           sub-messages that become present with the first write
    containers.py      repeated fields and maps
    extensions.py      `Extensions` of messages
    checks.py          the checks of values
    merging.py         merge messages
    initializing.py    the arguments of constructors
    enums.py           enums as plain numbers, with a wrapper
    wellknown.py       the methods of Any, and the classes with those of other well-known messages:
    times.py           Timestamp and Duration
    field_masks.py     FieldMask
    structs.py         Struct and ListValue
    services.py        services and stubs of generated code
    value_errors.py    errors of readers as ValueErrors
    descriptors.py     descriptors, for reading
    enum_descriptors.py  those of enums
    file_descriptors.py  those of files
    descriptor_base.py their base class, and the descriptors of services
    features.py         the features of editions as messages
    file_protos.py     descriptor messages of table modules
    pools.py           the files that generated code registers
    pool_types.py      the messages of a pool, for the content of Any
    generated.py       what generated code calls
    versions.py        the version check of generated code
    functions.py       methods as functions: the modules proto, any, timestamp and duration
    delimited.py       varints and tags, for streams of messages
    unknown_fields.py  unknown fields, as `UnknownFieldSet` lists them
    text_format.py     the functions of google.protobuf.text_format
    text_tokens.py     its tokens, words and escapes
    json_format.py     the functions of google.protobuf.json_format
    wire_formats.py    tags, sizes and checks of values
    databases.py       descriptors of files by what they declare
    codegen.py         generated functions: `create`, and copies between the two kinds of messages

The package imports `codec`, `text`, `json`, `proto`, descriptors and the well-known types. `tfmodel.compat` and users
of pbwire call it; `codec` knows its `codegen` by name.
"""

from __future__ import annotations

from typing import Any

from ..codec.codegen import function
from ..descriptor import table_of
from ..plain import plain
from .classes import compat_class, dataclass_of
from .message import Message

__all__ = ["Message", "compat_class", "dataclass_of", "unwrap", "wrap"]


def wrap(message: Any, package: str = "") -> Any:
    """Return a protobuf-style copy of a dataclass message; a protobuf-style message itself.

    `package` is that of `compat_class`. Raises TypeError for any other object.
    """
    if isinstance(message, Message):
        return message
    return function(compat_class(table_of(type(message)).cls, package).__table__, "wrap")(message)


def unwrap(message: Any) -> Any:
    """Return a dataclass copy of a protobuf-style message; a dataclass message itself.

    Raises TypeError for any other object.
    """
    return plain(message)
