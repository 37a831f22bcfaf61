"""What Google's printer says of our messages: protobuf 4.25, the backend of this process."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from typing import Any

from google.protobuf import text_format
from google.protobuf.descriptor_pool import DescriptorPool

from pbwire import wellknown
from pbwire.table import Message, table_of
from tests.pbwire.test_samples import CLASSES
from tests.protobuf_twin import pool, twin
from tfmodel import messages

__all__ = ["SAMPLES", "TYPES", "google", "parsed"]

SAMPLES = [cls for cls in CLASSES.values() if issubclass(cls, Message)]

TYPES: Mapping[str, type[Message]] = ChainMap(
    {name: cls for name, cls in CLASSES.items() if issubclass(cls, Message)},
    {f"google.protobuf.{name}": getattr(wellknown, name) for name in wellknown.__all__ if name != "NullValue"},
    messages.TYPES,  # type: ignore[arg-type]
)
"""The classes of ours for all that is in the twin's pool."""


NOTHING = DescriptorPool()  # else Google's printer expands what happens to be in the default pool


def google(message: Message | bytes, cls: type | None = None, **options: Any) -> str:
    """MessageToString of the same bytes with the same options; `types` stands for the pool, whatever is in it."""
    if isinstance(message, Message):
        message, cls = message.to_bytes(), table_of(type(message)).cls
    assert cls is not None
    theirs = twin(cls)()
    theirs.MergeFromString(message)
    known = pool() if options.pop("types", None) is not None else NOTHING
    return text_format.MessageToString(theirs, descriptor_pool=known, **options)


def parsed(text: str, cls: type) -> bytes:
    """The bytes of the message that Google's parser reads in a text."""
    message = text_format.Parse(text, twin(cls)(), descriptor_pool=pool())
    return message.SerializeToString(deterministic=True)  # type: ignore[no-any-return]
