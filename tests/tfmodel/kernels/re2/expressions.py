"""All small expressions over the letters a and b, by how many operators and letters they have."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

__all__ = ["expressions"]

_LETTERS = ("a", "b", "[ab]")
_REPEATS = ("*", "+", "?", "*?", "{2}", "{1,2}")


@cache
def expressions(size: int) -> tuple[str, ...]:
    """Return all expressions with `size` letters and operators."""
    return tuple(dict.fromkeys(_made(size)))


def _made(size: int) -> Iterator[str]:
    if size == 1:
        yield from _LETTERS
        return
    for body in expressions(size - 1):
        for repeat in _REPEATS:
            yield f"(?:{body}){repeat}" if len(body) > 1 else body + repeat
    for left in range(1, size - 1):
        for first in expressions(left):
            for second in expressions(size - 1 - left):
                yield first + second
                yield f"(?:{first}|{second})"
