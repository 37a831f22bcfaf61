"""What a message's table does not tell how to read: unknown fields, unusual map entries, strangers to a closed enum.

Stretches of the input that are kept as they are: a flat list of starts and ends, neighbours joined.

Bytes that did not stand in the input so may be put between them, followed by None.

What a call that merges has to remember until all is read.
"""

from __future__ import annotations

from typing import Any

from ..varints import write_varint
from ..wire import WireType, check_end_group, fail, read_tag, skip_field
from .hash_flooding import Watch

__all__ = ["Merging", "add_span", "gather", "only_known", "skip", "skip_group"]


def skip(data: bytes, pos: int, end: int, tag: int, depth: int) -> int:
    """The position behind the field whose tag ends at `pos`. Raises DecodeError for a tag that no field can have."""
    number, wire_type = tag >> 3, tag & 7
    if not number or wire_type > 5:
        read_tag(data, pos - 1, end)  # raises; a tag of more bytes than one has been checked
    return skip_field(data, pos, end, number, wire_type, max_depth=depth)


def skip_group(data: bytes, pos: int, end: int, number: int, depth: int) -> tuple[int, int]:
    """Where the content of the group ends that starts at `pos`, and the position behind its end tag."""
    while pos < end:
        at = pos
        inner, wire_type, pos = read_tag(data, pos, end)
        if wire_type == WireType.END_GROUP:
            check_end_group(inner, number, at)
            return at, pos
        pos = skip_field(data, pos, end, inner, wire_type, max_depth=depth - 1)
    fail("truncated", pos, detail=f"group {number} is not closed")


def only_known(names: dict[int, Any], values: list[int], number: int) -> tuple[list[Any], bytes]:
    """The members of a closed enum among packed numbers; the other numbers as unknown fields of their own."""
    tag = write_varint(number << 3)
    strangers = [tag + write_varint(value) for value in values if value not in names]
    return [names[value] for value in values if value in names], b"".join(strangers)


def add_span(spans: list[Any] | None, start: int, end: int) -> list[Any]:
    """`spans`, or a new list, with that stretch behind the others."""
    if spans is None:
        return [start, end]
    if spans[-1] == start:
        spans[-1] = end
    else:
        spans += (start, end)
    return spans


def gather(data: bytes, spans: list[Any], before: bytes = b"") -> bytes:
    """`before` and then the bytes of every span."""
    pairs = zip(spans[::2], spans[1::2], strict=True)
    return before + b"".join([start if end is None else data[start:end] for start, end in pairs])


class Merging:
    """Unknown fields of the messages that are merged into, and how the keys of their maps lie, if they are many.

    A message may come in many parts. If anything were done anew with each part that takes as long as the message is
    large, all of them would take the square of it.
    """

    __slots__ = ("unknown", "watches")

    def __init__(self) -> None:
        self.unknown: dict[int, tuple[Any, list[bytes]]] = {}
        self.watches: dict[int, Watch] = {}

    def keep_unknown(self, message: Any, data: bytes, spans: list[Any]) -> None:
        """Note more unknown fields of a message, to be put behind the others in the end."""
        kept = self.unknown.setdefault(id(message), (message, [message._unknown]))
        kept[1].append(gather(data, spans))

    def join_unknown(self) -> None:
        """Give the messages the unknown fields that were noted."""
        for message, parts in self.unknown.values():
            message._unknown = b"".join(parts)
