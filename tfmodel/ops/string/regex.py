"""Regular expressions on strings: RegexReplace, RegexFullMatch.

    RegexReplace("a1b22", "[0-9]+", "<\\\\0>")     "a<1>b<22>"

As in TensorFlow, a rewrite that refers to a group which the expression does not have changes nothing, and of one with
a wrong escape only the part before it is used, or nothing where a single match is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np

from ...errors import RunError
from ...io.terminal import printable, shortened
from ...re2 import MOST_POSITIONS, MOST_WORK, Expression, SyntaxFault, TooMuchWork, Work, compiled
from ..runtime.argument_checks import read_scalar
from ..runtime.memory_limit import claim
from ..runtime.registry import Tensor, kernel
from .strings import mapped

__all__: list[str] = []

_COPIES = 4  # of a string that exist at a time: before, after, and in pieces
_MAX_DECODED_BYTES = 4  # bytes of a decoded character, for each byte of text that is not ASCII
_POSITION = 24  # bytes for each position of a text while it is matched
_COMPILED = 1000  # bytes for each one of an expression: what it is parsed into, and its program
_SHOWN = 200  # characters of an expression in an error


@kernel("RegexFullMatch")
def regex_full_match(x: Tensor, pattern: Tensor) -> Tensor:
    return static_regex_full_match(x, pattern=read_scalar(pattern, "pattern"))


@kernel("StaticRegexFullMatch")
def static_regex_full_match(x: Tensor, *, pattern: bytes) -> Tensor:
    expression, work = _expression(pattern), Work(MOST_WORK)
    return _limited(lambda data: expression.matches(data, work), x, pattern, np.bool_)


@kernel("RegexReplace")
def regex_replace(x: Tensor, pattern: Tensor, rewrite: Tensor, *, replace_global: bool = True) -> Tensor:
    expression, instead = read_scalar(pattern, "pattern"), read_scalar(rewrite, "rewrite")
    return static_regex_replace(x, pattern=expression, rewrite=instead, replace_global=replace_global)


@kernel("StaticRegexReplace")
def static_regex_replace(x: Tensor, *, pattern: bytes, rewrite: bytes, replace_global: bool = True) -> Tensor:
    expression, work = _expression(pattern), Work(MOST_WORK)
    parts = _rewrite_parts(rewrite, expression.groups, replace_global)
    if parts is None:
        return x.copy()
    most = None if replace_global else 1

    def replaced(data: bytes) -> bytes:
        decoded = 0 if data.isascii() else _MAX_DECODED_BYTES * len(data)
        claim(_COPIES * len(data) + decoded + _POSITION * min(len(data), MOST_POSITIONS))
        made = BytesIO()
        for piece in expression.replace(data, parts, most=most, work=work):
            made.write(piece)
            claim(_COPIES * (made.tell() + len(data)) + decoded)
        return made.getvalue()

    return _limited(replaced, x, pattern, object)


def _expression(pattern: bytes) -> Expression:
    claim(_COMPILED * len(pattern))
    try:
        return compiled(pattern)
    except SyntaxFault as fault:
        raise RunError(f"{_quoted_pattern(pattern)} is not a regular expression: {printable(str(fault))}") from fault


def _limited(function: Callable[[bytes], Any], x: Tensor, pattern: bytes, dtype: Any) -> Tensor:
    try:
        return mapped(function, x, dtype)
    except TooMuchWork as error:
        raise RunError(f"to match {_quoted_pattern(pattern)} takes more than {MOST_WORK:,} steps") from error


def _quoted_pattern(pattern: bytes) -> str:
    return f'"{shortened(printable(pattern[: 2 * _SHOWN].decode("utf-8", "replace")), _SHOWN)}"'


def _rewrite_parts(rewrite: bytes, groups: int, replace_global: bool) -> list[bytes | int] | None:
    r"""Split a rewrite into text and group numbers: \1 is group 1, \\ a backslash. None if nothing is replaced."""
    parts: list[bytes | int] = []
    is_sound = True
    for piece in re.findall(rb"[^\\]+|\\.?", rewrite, re.DOTALL):
        if piece[1:].isdigit() and piece[:1] == b"\\":
            if int(piece[1:]) > groups:
                return None
            parts += [int(piece[1:])] if is_sound else []
        elif piece[:1] == b"\\" and piece != b"\\\\":
            is_sound = False
        elif is_sound:
            parts.append(b"\\" if piece == b"\\\\" else piece)
    return parts if is_sound or replace_global else None
