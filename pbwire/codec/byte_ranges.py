"""Stretches of the input that are kept as they are: a flat list of starts and ends, neighbours joined.

Bytes that did not stand in the input so may be put between them, followed by None.
"""

from __future__ import annotations

from typing import Any

__all__ = ["add_span", "gather"]


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
