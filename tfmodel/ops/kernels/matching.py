"""Regular expressions on strings: RegexReplace, RegexFullMatch.

    RegexReplace("a1b22", "[0-9]+", "<\\\\0>")     "a<1>b<22>"
"""

from __future__ import annotations

import re

import numpy as np

from ...errors import RunError
from .checking import scalar
from .patterns import compiled
from .registry import Tensor, kernel
from .strings import mapped

__all__: list[str] = []

_TEXT = ("utf-8", "surrogateescape")


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

    def replaced(data: bytes) -> bytes:
        text = data.decode(*_TEXT)
        pieces, at, last = [], 0, -1
        while match := expression.search(text, at):
            if match.start() == match.end() == last:  # nothing, right behind the last match, is no match
                pieces.append(text[at : at + 1])
                at += 1
                if at > len(text):
                    break
                continue
            pieces.append(text[at : match.start()])
            pieces += [match[part] or "" if isinstance(part, int) else part for part in parts]
            at = last = match.end()
            if not replace_global:
                break
        return ("".join(pieces) + text[at:]).encode(*_TEXT)

    return mapped(replaced, x)


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
