"""Regular expressions on strings: RegexReplace, RegexFullMatch.

    RegexReplace("a1b22", "[0-9]+", "<\\\\0>")     "a<1>b<22>"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from io import StringIO

import numpy as np

from ...errors import RunError
from .checking import scalar
from .patterns import Expression, compiled
from .registry import Tensor, kernel
from .room import claim
from .strings import mapped

__all__: list[str] = []

_TEXT = ("utf-8", "surrogateescape")
_COPIES = 4  # of a string that are there at a time: as text and as bytes, before and after


@kernel("RegexFullMatch")
def regex_full_match(x: Tensor, pattern: Tensor) -> Tensor:
    return static_regex_full_match(x, pattern=scalar(pattern, "pattern"))


@kernel("StaticRegexFullMatch")
def static_regex_full_match(x: Tensor, *, pattern: bytes) -> Tensor:
    expression = compiled(pattern)
    return mapped(lambda data: expression.fullmatch(data.decode(*_TEXT)) is not None, x, np.bool_)


@kernel("RegexReplace")
def regex_replace(x: Tensor, pattern: Tensor, rewrite: Tensor, *, replace_global: bool = True) -> Tensor:
    found, instead = scalar(pattern, "pattern"), scalar(rewrite, "rewrite")
    return static_regex_replace(x, pattern=found, rewrite=instead, replace_global=replace_global)


@kernel("StaticRegexReplace")
def static_regex_replace(x: Tensor, *, pattern: bytes, rewrite: bytes, replace_global: bool = True) -> Tensor:
    expression = compiled(pattern)
    parts = _parts(rewrite.decode(*_TEXT), expression.groups)
    fixed = None if any(isinstance(part, int) for part in parts) else "".join(map(str, parts))
    most = 0 if replace_global else 1

    def replaced(data: bytes) -> bytes:
        text = data.decode(*_TEXT)
        if expression.least and fixed is not None:  # what may match nothing, Python replaces in another way
            rest, count = expression.subn("", text, most)
            claim(_COPIES * (len(rest) + count * len(fixed)))
            return expression.subn(fixed, text, most)[0].encode(*_TEXT)
        made = StringIO()
        made.writelines(_replaced(expression, _instead(parts, len(text)), text, most))
        return made.getvalue().encode(*_TEXT)

    return mapped(replaced, x)


def _instead(parts: list[str | int], size: int) -> Callable[[re.Match[str]], str]:
    """What stands in place of each match, until there is no room for what becomes of a text of this size."""

    def instead(match: re.Match[str]) -> str:
        nonlocal size
        made = "".join([match[part] or "" if isinstance(part, int) else part for part in parts])
        size += len(made) - match.end() + match.start()
        claim(_COPIES * size)
        return made

    return instead


def _replaced(
    expression: Expression, instead: Callable[[re.Match[str]], str], text: str, most: int
) -> Iterator[str]:
    """The pieces of a text in which matches are replaced, `most` of them if that is not 0."""
    at, last, count = 0, -1, 0
    match = expression.search(text)
    while match:
        if match.start() == match.end() == last:  # nothing, right behind the last match, is no match
            yield text[at : at + 1]
            at += 1
        else:
            yield text[at : match.start()]
            yield instead(match)
            at = last = match.end()
            count += 1
        match = expression.pattern.search(text, at) if at <= len(text) and count != (most or -1) else None
    yield text[at:]


def _parts(rewrite: str, groups: int) -> list[str | int]:
    r"""Text and numbers of groups: \1 is what the first group matched, \\ a backslash."""
    parts: list[str | int] = []
    for piece in re.findall(r"[^\\]+|\\.?", rewrite, re.DOTALL):
        if piece[0] != "\\":
            parts.append(piece)
        elif piece == "\\\\":
            parts.append("\\")
        elif piece[1:].isascii() and piece[1:].isdigit() and int(piece[1:]) <= groups:
            parts.append(int(piece[1:]))
        else:
            raise RunError(f"its rewrite has {piece}, and there are {groups} groups")
    return parts
