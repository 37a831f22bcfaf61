"""What a call that merges has to remember until all is read."""

from __future__ import annotations

from typing import Any

from .byte_ranges import gather
from .hash_flooding import Watch

__all__ = ["Merging"]


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
