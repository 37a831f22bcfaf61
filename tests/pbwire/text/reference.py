"""The text of Google's printer (in the backend of this process) and of pbwire's printers for a message.

Tests follow the version of this process (`conftest`). Options that it has no longer are left out of OPTIONS.
"""

from __future__ import annotations

import zlib
from collections import ChainMap
from collections.abc import Iterator, Mapping
from inspect import signature
from typing import Any

import pytest
from google.protobuf import text_format
from google.protobuf.descriptor_pool import DescriptorPool
from hypothesis import strategies as st

from pbwire import text, wellknown
from pbwire.table import Message, table_of
from tests.support.protobuf_twin import pool, twin
from tests.support.sample_classes import CLASSES
from tfmodel import messages

__all__ = [
    "OPTIONS",
    "SAMPLES",
    "TYPES",
    "any_options",
    "formatter",
    "google",
    "needs_float_format",
    "ours",
    "parsed",
]

SAMPLES = [cls for cls in CLASSES.values() if issubclass(cls, Message)]

TYPES: Mapping[str, type[Message]] = ChainMap(
    {name: cls for name, cls in CLASSES.items() if issubclass(cls, Message)},
    {f"google.protobuf.{name}": getattr(wellknown, name) for name in wellknown.__all__ if name != "NullValue"},
    messages.TYPES,
)
"""pbwire's classes for all types in the twin's pool."""


NOTHING = DescriptorPool()  # otherwise Google's printer would expand types of the default pool


def formatter(message: Any, indent: int, as_one_line: bool) -> str | None:
    """Return a text with the arguments, for messages of some classes and for some map entries; otherwise None."""
    descriptor = getattr(message, "DESCRIPTOR", None)
    name = descriptor.full_name if descriptor else table_of(type(message)).full_name
    key = getattr(message, "key", None) if name.endswith("Entry") else None
    if zlib.crc32(f"{name} {key}".encode("utf-8", "surrogatepass")) % 4:
        return None
    return f"<{name}, {key!r}: {indent}, {as_one_line}>"


# In which order fields are declared, the twin knows of samples only: see test_aliases for that option.
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "UTF-8": {"as_utf8": True},
    "one line": {"as_one_line": True},
    "short lists": {"use_short_repeated_primitives": True},
    "pointy": {"pointy_brackets": True},
    "float format": {"float_format": ".3g"},
    "double format": {"double_format": "010.4f"},
    "numbers": {"use_field_number": True},
    "types": {"types": TYPES},
    "indented": {"indent": 3},
    "formatter": {"message_formatter": formatter},
    "unknown fields": {"print_unknown_fields": True},
    "colons": {"force_colon": True},
}
HAS_FLOAT_FORMAT = "float_format" in signature(text_format.MessageToString).parameters
if not HAS_FLOAT_FORMAT:
    del OPTIONS["float format"], OPTIONS["double format"]
needs_float_format = pytest.mark.skipif(not HAS_FLOAT_FORMAT, reason="protobuf has no float_format since version 7")

ALL = {name: value for options in OPTIONS.values() for name, value in options.items()}
OPTIONS["all"] = {name: value for name, value in ALL.items() if value is not formatter}
OF_DUMPS = {"as_utf8", "as_one_line", "use_short_repeated_primitives", "types", "print_unknown_fields"}

any_options = st.fixed_dictionaries({}, optional={name: st.just(value) for name, value in ALL.items()})


def google(message: Message | bytes, cls: type | None = None, **options: Any) -> str:
    """Return MessageToString of the same bytes with the same options; any `types` mean the pool."""
    if isinstance(message, Message):
        message, cls = message.to_bytes(), table_of(type(message)).cls
    assert cls is not None
    theirs = twin(cls)()
    theirs.MergeFromString(message)
    known = pool() if options.pop("types", None) is not None else NOTHING
    options = {"as_utf8": False} | options  # the default of 4.25
    return text_format.MessageToString(theirs, descriptor_pool=known, **options)


def ours(message: Message, **options: Any) -> Iterator[str]:
    """Return the text of each printer of pbwire that has these options."""
    if options.keys() <= OF_DUMPS:
        yield text.dumps(message, **options)
    types = options.pop("types", None)
    yield text.MessageToString(message, descriptor_pool=types, **options)


def parsed(text: str, cls: type) -> bytes:
    """Return the bytes of the message that Google's parser reads from a text."""
    message = text_format.Parse(text, twin(cls)(), descriptor_pool=pool())
    return message.SerializeToString(deterministic=True)
