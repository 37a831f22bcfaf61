"""Skip unknown fields, and keep them as byte ranges of the input until a message is complete.

Byte ranges are a flat list of starts and ends in turn; adjacent ranges are joined. Bytes that are not part of the input
are also in this list: in place of the start are the bytes, and in place of the end is None.
"""

from __future__ import annotations

from ..varints import write_varint
from ..wire import WireType, check_end_group, fail_truncated, read_tag, read_varint, skip_field
from .hash_flooding import Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def skip_unknown_field(data: bytes, pos: int, end: int, tag: int, depth: int) -> int:
    """Return the position after the field whose tag ends at `pos`.

    Raises DecodeError for a damaged field and for an invalid tag.
    """
    number, wire_type = tag >> 3, tag & 7
    if not number or wire_type > 5:
        read_tag(data, pos - 1, end)  # raises: the tag is one byte, since decoders read longer tags with read_tag
    return skip_field(data, pos, end, number, wire_type, max_depth=depth)


def skip_group(data: bytes, pos: int, end: int, number: int, depth: int) -> tuple[int, int]:
    """Return the position at which the content of a group ends, and the position after its end tag.

    The content begins at `pos`; `number` is the field number of the group. Raises DecodeError if a field of the group
    is damaged or nested too deeply, and if the group has no end tag, or one with another number.
    """
    while pos < end:
        tag_pos = pos
        field_number, wire_type, pos = read_tag(data, pos, end)
        if wire_type == WireType.END_GROUP:
            check_end_group(field_number, number, tag_pos)
            return tag_pos, pos
        pos = skip_field(data, pos, end, field_number, wire_type, max_depth=depth - 1)
    fail_truncated(pos, f"group {number} is not closed")


def split_closed_enum(
    members: dict[int, Any], values: list[int], number: int, packed: bytes
) -> tuple[list[Any], bytes]:
    """Return the members of a closed enum among packed numbers, and the unknown numbers as unknown fields.

    `members` maps numbers to members, and `number` is the field number. Unknown numbers keep the 64 bits that they
    have in `packed`.
    """
    known = [members[value] for value in values if value in members]
    if len(known) == len(values):
        return known, b""
    tag, unknown, pos = write_varint(number << 3), [], 0
    for value in values:
        bits, pos = read_varint(packed, pos, len(packed))
        if value not in members:
            unknown += [tag, write_varint(bits)]
    return known, b"".join(unknown)


def add_span(spans: list[Any] | None, start: int, end: int) -> list[Any]:
    """Append a byte range to `spans`, which may be None, and return the list."""
    if spans is None:
        return [start, end]
    if spans[-1] == start:
        spans[-1] = end
    else:
        spans += (start, end)
    return spans


def join_spans(data: bytes, spans: list[Any]) -> bytes:
    """Return the bytes of all ranges, joined."""
    pairs = zip(spans[::2], spans[1::2], strict=True)
    return b"".join([start if end is None else data[start:end] for start, end in pairs])


class MergeState:
    """The state of a call that merges: unknown fields of messages, and watches of maps with integer keys.

    A sub-message may be encoded in many parts. Its unknown fields are therefore collected, and joined once at the end:
    joining them after each part would take quadratic time.
    """

    __slots__ = ("unknown", "watches")

    def __init__(self) -> None:
        # By the id of the message, which stays valid because the value holds the message.
        self.unknown: dict[int, tuple[Any, list[bytes]]] = {}
        self.watches: dict[int, Watch] = {}

    def keep_unknown(self, message: Any, data: bytes, spans: list[Any]) -> None:
        """Record more unknown fields of a message; `join_unknown` appends them at the end."""
        _, parts = self.unknown.setdefault(id(message), (message, [message._unknown]))
        parts.append(join_spans(data, spans))

    def join_unknown(self) -> None:
        """Append the recorded unknown fields to their messages."""
        for message, parts in self.unknown.values():
            message._unknown = b"".join(parts)
