"""Long lists of numbers or strings, spelled as a program spells them, read at one go.

    float_val: 0.5        and       [0.5, 1.25]
    float_val: 1.25

Weights are written like this by the million. One regular expression finds out how far such a list goes, and Python's
own loops in C take it apart, which is ten times faster than value by value. Whatever is spelled in another way, octal
for instance, is not a run and is read like anything else.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from functools import cache
from typing import Any

from ..fields import INT32, INT64, KINDS, UINT32, UINT64, Field
from .tokens import BLANK

__all__ = ["Runs", "runs_of"]

_NATURAL = r"(?:0|[1-9][0-9]{0,19}+)"
_INTEGER = rf"-?+{_NATURAL}"
_FLOAT = r"-?+(?:0|[1-9][0-9]*+)(?:\.[0-9]*+)?+(?:[eE][+-]?+[0-9]++)?+"
_LITERAL = r'"[^"\\\n]*+"'

# For each bound the letter of an array that holds just such integers: it raises OverflowError for any other.
_LETTERS = {INT32: "i", INT64: "q", UINT32: "I", UINT64: "Q"}


class Runs:
    """How runs of one repeated field are found and read."""

    __slots__ = ("_head", "_read", "_value")

    def __init__(self, name: str, value: str, read: Callable[[list[str]], list[Any]]) -> None:
        self._head = re.compile(rf"[ \t]*+{name}[ \t]*+:[ \t]*+").match
        self._value = value
        self._read = read

    def lines(self, text: str, pos: int) -> tuple[list[Any], int]:
        """The values of the lines from here on that all look alike, and where these lines end."""
        head = self._head(text, pos)
        found = head and re.compile(rf"(?:{re.escape(head[0])}{self._value}\n)++").match(text, pos)
        if not (head and found):
            return [], pos
        try:
            return self._read(found[0][len(head[0]) : -1].split(f"\n{head[0]}")), found.end()
        except OverflowError:
            return [], pos

    def listed(self, text: str, pos: int) -> tuple[list[Any], int]:
        """The values of the list in brackets that stands here, and where it ends; none, if it is not a run."""
        found = _list_of(self._value)(text, pos)
        if found is None:
            return [], pos
        try:
            return self._read(_values(self._value)(found[1])), found.end()
        except OverflowError:
            return [], pos


@cache
def _values(value: str) -> Callable[[str], list[str]]:
    return re.compile(value).findall


@cache
def _list_of(value: str) -> Callable[[str, int], re.Match[str] | None]:
    one = rf"{BLANK}{value}{BLANK}"
    return re.compile(rf"\[({one}(?:,{one})*+)\]").match


def runs_of(field: Field) -> Runs | None:
    """How to read runs of a repeated field; None if its values do not come in long lists."""
    bounds = KINDS[field.kind].bounds
    if field.kind == "float":
        return Runs(field.text_name, _FLOAT, lambda words: array("f", map(float, words)).tolist())
    if field.kind == "double":
        return Runs(field.text_name, _FLOAT, lambda words: list(map(float, words)))
    if field.kind == "string":
        return Runs(field.text_name, _LITERAL, lambda words: [word[1:-1] for word in words])
    if field.kind == "bytes":
        return Runs(field.text_name, _LITERAL, lambda words: [word[1:-1].encode() for word in words])
    if field.kind == "enum" or bounds is None:
        return None
    letter, value = _LETTERS[bounds], _INTEGER if bounds[0] else _NATURAL
    return Runs(field.text_name, value, lambda words: array(letter, map(int, words)).tolist())
