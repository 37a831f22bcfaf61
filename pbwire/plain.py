"""Dataclass copies of protobuf-style messages, for code that is written for dataclasses: text format and JSON."""

from __future__ import annotations

from .codec.codegen import function
from .descriptor import table_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def plain(message: Any) -> Any:
    """Return a dataclass copy of a protobuf-style message, or a dataclass as it is.

    Raises TypeError for other objects.
    """
    table = table_of(type(message))
    return message if table.is_plain else function(table, "unwrap")(message)


def parse_into_copy(cls: type, message: Any, parse: Callable[[Any, Any], Any]) -> Any:
    """Parse a protobuf-style message of class `cls`, and return it: `message`, or a new one if it is None.

    `parse` is called with the dataclass and the copy of `message`, or None, and returns a dataclass. After an error,
    `message` is as it was before.
    """
    table: Any = table_of(cls)
    parsed = parse(table.dataclass, None if message is None else plain(message))
    result = function(table, "wrap")(parsed)
    if message is None:
        return result
    message.CopyFrom(result)
    return message
