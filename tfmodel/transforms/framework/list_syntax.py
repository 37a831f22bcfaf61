"""The grammar of transform lists, that of the C++ Graph Transform Tool.

    strip_unused_nodes(type=float, shape="1,299,299,3") remove_nodes(op=Identity, op=CheckNumerics)

Transforms follow each other. An argument is `name=value` without blanks around the `=`; arguments may be separated by a
comma, with blanks after it. A value consists of letters, digits and - . / _, or is in double quotes; in quotes, a
backslash keeps the next quote from ending the value and stays in the value. An argument may be repeated.

The tool's accidents are accepted too: a comma before the first argument, a quote behind a value. One is not: for a list
that ends within parentheses the tool drops the last transform, here it is an error.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from ...errors import TransformError
from ...io.terminal import printable

__all__ = ["Argument", "Step", "parse"]

_blank = re.compile(r"[ \t\n\v\f\r]*+").match
_name = re.compile(r"\w++", re.ASCII).match
_before_argument = re.compile(r",?+[ \t\n\v\f\r]*+").match
_value = re.compile(r'(?:"((?:[^"\\]++|\\.)*+)"|([\w./-]++))"?+\'?+', re.ASCII | re.DOTALL).match

MAX_QUOTED = 40  # characters of the list that an error quotes


class Argument(NamedTuple):
    """`name=value` as written in the list."""

    name: str
    value: str


class Step(NamedTuple):
    """One transform of a list, with its arguments."""

    name: str
    arguments: tuple[Argument, ...] = ()


def parse(text: str) -> list[Step]:
    """Return the steps of a list. Raises TransformError with what was expected and what was found."""
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
    """Parse the arguments that start at `pos`; return them and the position behind the closing parenthesis."""
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
            expected = (
                "a closing quote for the value" if unclosed else "a value, in double quotes if it is not a plain word,"
            )
            _fail(f"{expected} of {transform}'s argument {name[0]}", text, pos + 1)
        quoted, plain = value.groups()
        arguments.append(Argument(name[0], plain if quoted is None else quoted))
        pos = value.end()
    return tuple(arguments), pos + 1


def _fail(expected: str, text: str, pos: int) -> NoReturn:
    quoted_text = printable(text[pos : pos + MAX_QUOTED]) + "..." * (len(text) > pos + MAX_QUOTED)
    found = f'"{quoted_text}" at character {pos + 1:,}' if quoted_text else "the end"
    raise TransformError(f"in the list of transforms: expected {expected}, found {found}")


def _end(match: re.Match[str] | None) -> int:
    assert match is not None  # the pattern also matches the empty string
    return match.end()
