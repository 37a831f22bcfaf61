"""Protobuf-style messages: classes with the behaviour of Google's Python messages, made from the same tables.

    Graph = compat_class(GraphDef)        # same name, same fields
    graph = Graph()
    graph.node.add(name="x").attr["T"].type = 1
    unwrap(graph)                         # a GraphDef, the dataclass

The dataclasses of `pbwire.table` stay as they are, and this package is imported only by programs that ask for it. A
protobuf-style class has a table of its own, so that the generated codec works for it; text format and JSON convert to
the dataclass. Behaviour is that of protobuf's C implementation ("upb", 6.31).

It has four layers, each of which imports those before it:

    values/            repeated fields, maps, extensions, and the checks of values
    classes/           the classes of messages
    descriptors/       descriptors, for reading
    pools/             the files of descriptors by name

`values/above.py` names the few functions of an upper layer that a lower one calls. The other modules stand for
modules of Google's, or serve them:

    pool_types.py      the messages of a pool, for the content of Any
    generated.py       what generated code calls
    services.py        services and stubs of generated code
    versions.py        the version check of generated code
    functions.py       methods as functions: the modules proto, any, timestamp and duration
    proto_formats.py   those of JSON and text format: the modules proto_json and proto_text
    delimited.py       varints and tags, for streams of messages
    unknown_fields.py  unknown fields, as `UnknownFieldSet` lists them
    text_format.py     the functions of google.protobuf.text_format
    text_tokens.py     its tokens, words and escapes
    json_format.py     the functions of google.protobuf.json_format
    wire_formats.py    tags, sizes and checks of values
    databases.py       descriptors of files by what they declare

The package imports `codec`, `text`, `json`, `proto`, descriptors and the well-known types. `tfmodel.compat` and users
of pbwire call it; `codec` knows `classes/codegen.py` by name.
"""

from __future__ import annotations

from functools import cache

from .classes import Message, compat_class, dataclass_of, unwrap, wrap
from .values import above

__all__ = ["Message", "compat_class", "dataclass_of", "unwrap", "wrap"]


@cache
def _descriptors() -> above.Descriptors:
    from . import descriptors

    return descriptors


@cache
def _pools() -> above.Pools:
    from . import pools

    return pools


@cache
def _text_format() -> above.TextFormat:
    from . import text_format

    return text_format


above.descriptors, above.pools, above.text_format = _descriptors, _pools, _text_format
