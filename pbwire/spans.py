"""Stretches of the input that are kept as they are: a flat list of starts and ends, neighbours joined.

Bytes that did not stand in the input so may be put between them, followed by None.
"""

from __future__ import annotations

from typing import Any, TypeAlias

__all__ = ["Merged", "add_span", "gather", "join_unknown", "keep_unknown"]

Merged: TypeAlias = dict[int, tuple[Any, list[bytes]]]
"""Messages that are merged into, by their identity, each with the parts that its unknown fields will consist of."""


def add_span(spans: list[Any] | None, start: int, end: int) -> list[Any]:
    """`spans`, or a new list, with that stretch behind the others."""
    if spans is None:
        return [start, end]
    if spans[-1] == start:
        spans[-1] = end
    else:
        spans += (start, end)
    return spans


def keep_unknown(merged: Merged, message: Any, data: bytes, spans: list[Any]) -> None:
    """Note more unknown fields of a message that is merged into, perhaps not for the last time.

    They are not put behind the others at once: a message that comes in many parts would be copied with each.
    """
    kept = merged.setdefault(id(message), (message, [message._unknown]))
    kept[1].append(gather(data, spans))


def join_unknown(merged: Merged) -> None:
    """Give the messages the unknown fields that were noted."""
    for message, parts in merged.values():
        message._unknown = b"".join(parts)


def gather(data: bytes, spans: list[Any], before: bytes = b"") -> bytes:
    """`before` and then the bytes of every span."""
    pairs = zip(spans[::2], spans[1::2], strict=True)
    return before + b"".join([start if end is None else data[start:end] for start, end in pairs])
