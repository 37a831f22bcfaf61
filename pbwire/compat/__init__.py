"""Protobuf-style messages: classes with the behaviour of Google's Python messages, made from the same tables.

    Graph = compat_class(GraphDef)        # same name, same fields
    graph = Graph()
    graph.node.add(name="x").attr["T"].type = 1
    unwrap(graph)                         # a GraphDef, the dataclass

The dataclasses of `pbwire.table` stay as they are, and this package is imported only by programs that ask for it. A
protobuf-style class has a table of its own, so that the generated codec works for it; text format and JSON convert to
the dataclass. Behaviour is that of protobuf's C implementation ("upb", 6.31).

    values/            repeated fields, maps, extensions, and the checks of values
    classes/           the classes of messages
    descriptors/       descriptors, for reading
    pools/             descriptors of files by what they declare
    pool_types.py      the messages of a pool, for the content of Any
    generated.py       what generated code calls
    services.py        services and stubs of generated code
    versions.py        the version check of generated code
    functions.py       methods as functions: the modules proto, any, timestamp and duration
    delimited.py       varints and tags, for streams of messages
    unknown_fields.py  unknown fields, as `UnknownFieldSet` lists them
    text_format.py     the functions of google.protobuf.text_format
    text_tokens.py     its tokens, words and escapes
    json_format.py     the functions of google.protobuf.json_format
    wire_formats.py    tags, sizes and checks of values
    databases.py       descriptors of files by what they declare

The package imports `codec`, `text`, `json`, `proto`, descriptors and the well-known types. `tfmodel.compat` and users
of pbwire call it.
"""

from __future__ import annotations

from typing import Any

from ..codec.codegen import function
from ..descriptor import table_of
from ..plain import plain
from .classes.factory import compat_class, dataclass_of
from .classes.message import Message

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
