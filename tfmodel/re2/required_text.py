"""Literal text that every match contains: searching for it first is much faster than matching.

needed(parse(rb"a+bcd|e*").root)      b"": matches have no text in common
needed(parse(rb"a*bcd+e").root)       b"bc"
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from . import syntax_tree
from .syntax_tree import Part

__all__ = ["needed"]

_MAX_SEARCHED_PARTS = 1000


def needed(root: Part) -> bytes:
    """Return the longest required text in the first thousand parts."""
    longest = literal = b""
    for part in islice(_in_order(root), _MAX_SEARCHED_PARTS):
        literal = literal + part if part else b""
        longest = max(longest, literal, key=len)
    return longest


def _in_order(root: Part) -> Iterator[bytes]:
    """Yield the bytes of each required character; b"" where other text may occur."""
    waiting: list[Part | None] = [root]
    while waiting:
        match waiting.pop():
            case syntax_tree.Characters(((low, high),)) if low == high:
                yield chr(low).encode("utf-8", "surrogatepass")
            case syntax_tree.Group(_, body):
                waiting.append(body)
            case syntax_tree.Sequence(parts):
                waiting += reversed(parts)
            case syntax_tree.Repeat(body, least, most) if least:
                waiting += [*([] if most == least == 1 else [None]), body, None]
            case syntax_tree.Assertion():
                pass
            case _:
                yield b""
