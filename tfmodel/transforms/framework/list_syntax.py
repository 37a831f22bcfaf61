"""The grammar of transform lists, that of the C++ Graph Transform Tool.

    strip_unused_nodes(type=float, shape="1,299,299,3") remove_nodes(op=Identity, op=CheckNumerics)

Transforms stand one behind the other. An argument is `name=value`, without blanks around the `=`; between two of them
may be a comma, and behind that blanks. A value is made of letters, digits and any of - . / _ or stands in double
quotes, in which a backslash keeps a quote from ending it and stays in the value. An argument may come several times.

What the tool takes by accident is taken too: a comma before the first argument, a quote behind a value. A list that
ends within parentheses is not: the tool forgets its last transform, here it is an error.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from ...errors import TransformError
from ...printable import printable

__all__ = ["Argument", "Step", "parse"]

_blank = re.compile(r"[ \t\n\v\f\r]*+").match
_name = re.compile(r"\w++", re.ASCII).match
_before_argument = re.compile(r",?+[ \t\n\v\f\r]*+").match
_value = re.compile(r'(?:"((?:[^"\\]++|\\.)*+)"|([\w./-]++))"?+\'?+', re.ASCII | re.DOTALL).match

SHOWN = 40  # characters of the list that an error quotes


class Argument(NamedTuple):
    """`name=value`, as it is written."""

    name: str
    value: str


class Step(NamedTuple):
    """One transform that is to be run."""

    name: str
    arguments: tuple[Argument, ...] = ()


def parse(text: str) -> list[Step]:
    """The steps of a list. Raises TransformError, which says what was expected and what is there instead."""
    steps: list[Step] = []
    pos = _end(_blank(text))
    while pos < len(text):
        name = _name(text, pos)
        if name is None:
            _fail("the name of a transform", text, pos)
        pos = name.end()
        arguments: tuple[Argument, ...] = ()
        if text[pos : pos + 1] == "(":
            arguments, pos = _arguments(text, pos + 1, name[0])
        steps.append(Step(name[0], arguments))
        pos = _end(_blank(text, pos))
    return steps


def _arguments(text: str, pos: int, transform: str) -> tuple[tuple[Argument, ...], int]:
    """The arguments from `pos` on, and where their parentheses end."""
    arguments: list[Argument] = []
    while text[pos : pos + 1] != ")":
        if pos == len(text):
            _fail(f'")" behind the arguments of {transform}', text, pos)
        pos = _end(_before_argument(text, pos))
        name = _name(text, pos)
        if name is None:
            _fail(f"the name of an argument of {transform}", text, pos)
        pos = name.end()
        if text[pos : pos + 1] != "=":
            _fail(f'"=" behind {transform}\'s argument {name[0]}', text, pos)
        value = _value(text, pos + 1)
        if value is None:
            unclosed = text[pos + 1 : pos + 2] == '"'
            what = "a quote that ends the value" if unclosed else "a value, in double quotes if it is no plain word,"
            _fail(f"{what} of {transform}'s argument {name[0]}", text, pos + 1)
        quoted, plain = value.groups()
        arguments.append(Argument(name[0], plain if quoted is None else quoted))
        pos = value.end()
    return tuple(arguments), pos + 1


def _fail(expected: str, text: str, pos: int) -> NoReturn:
    rest = printable(text[pos : pos + SHOWN]) + "..." * (len(text) > pos + SHOWN)
    found = f'"{rest}" at character {pos + 1:,}' if rest else "the end"
    raise TransformError(f"in the list of transforms: expected {expected}, found {found}")


def _end(match: re.Match[str] | None) -> int:
    assert match is not None  # of a pattern that matches nothing, too
    return match.end()
