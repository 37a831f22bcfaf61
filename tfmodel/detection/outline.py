"""The outline of a text: which names stand on which level, and what kind of value follows each of them.

    node { name: "x" }              (0, "node", "message"), (1, "name", "string")
    {"node": [{"name": "x"}]}       the same

Nothing is parsed, and what comes behind a mistake is not looked at. Every pattern goes forward only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

__all__ = ["WRONG", "Entry", "Shape", "behind_comments", "json_outline", "text_outline"]

# "bare" is a number, a bool or the name of an enum's value. A list has the shape of its elements; "" is any.
Shape: TypeAlias = Literal["message", "string", "bare", ""]


class Entry(NamedTuple):
    level: int
    name: str
    shape: Shape


WRONG = ""  # the name of an entry that stands for what cannot be read

# A string may be cut off by the end of the sample.
_STRING = r"""(?:"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?)"""
_SPACE = r"(?:\s|#[^\n]*)*+"
_NAME = rf"""(?P<name>[A-Za-z_]\w*+|\[[^\[\]{{}}"'#]*+\]){_SPACE}"""
_MESSAGE = rf"(?::{_SPACE})?(?:(?P<open>[{{<])|(?P<messages>\[){_SPACE}(?=[{{<]))"
_SCALAR = rf":{_SPACE}(?:(?P<list>\[)|(?P<string>(?:{_STRING}{_SPACE})++)|-?{_SPACE}[\w.+-]++)"
_FIELD = re.compile(f"{_NAME}(?:{_MESSAGE}|{_SCALAR})")
_GAP = re.compile(r"(?:[\s,;]|#[^\n]*)*+")
_SCALARS = re.compile(rf"(?:[^\]\"'#]|{_STRING}|#[^\n]*)*+\]?")
_CLOSING = {"{": "}", "<": ">"}

_COMMENTS = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|#[^\n]*)*+")

_JSON_STRING = r'"(?:[^"\\]|\\.)*+"?'
_JSON_TOKEN = re.compile(rf"(?P<name>{_JSON_STRING})(?:\s*+:\s*+(?=\[?\s*+(?P<value>.?)))?|[{{}}]", re.DOTALL)


def behind_comments(data: bytes) -> int:
    """Where the text that is `data` really begins: behind a byte order mark, white space and comments."""
    return _COMMENTS.match(data).end()  # type: ignore[union-attr]  # it may match nothing at all, but it matches


def text_outline(text: str) -> Iterator[Entry]:
    """The outline of a message in text format, up to its end or the first mistake, which is an entry of its own."""
    closing: list[str] = []  # what ends each message and each list of messages that is open
    level = 0
    pos = 0
    begun = False
    while (pos := _GAP.match(text, pos).end()) < len(text):  # type: ignore[union-attr]  # the pattern matches nothing, too
        character = text[pos]
        if closing and character == closing[-1]:
            level -= closing.pop() != "]"
            pos += 1
        elif closing and closing[-1] == "]":
            if character not in _CLOSING:
                yield Entry(level, WRONG, "")
                return
            closing.append(_CLOSING[character])
            level += 1
            pos += 1
        else:
            field = _FIELD.match(text, pos)
            if field is None:
                if not begun or "\n" in text[pos:]:  # else it is the last line, which may be cut off
                    yield Entry(level, WRONG, "")
                return
            begun = True
            pos = field.end()
            if field["open"]:
                closing.append(_CLOSING[field["open"]])
                yield Entry(level, field["name"], "message")
                level += 1
            elif field["messages"]:
                closing.append("]")
                yield Entry(level, field["name"], "message")
            elif field["list"]:
                pos = _GAP.match(text, pos).end()  # type: ignore[union-attr]  # the pattern matches nothing, too
                yield Entry(level, field["name"], _shape_of_value(text[pos : pos + 1]))
                pos = _SCALARS.match(text, pos).end()  # type: ignore[union-attr]  # the pattern matches nothing, too
            else:
                yield Entry(level, field["name"], "string" if field["string"] else "bare")


def json_outline(text: str) -> Iterator[Entry]:
    """The outline of a JSON object, names as they are spelled."""
    level = -1
    for token in _JSON_TOKEN.finditer(text):
        if token["value"] is not None:
            yield Entry(level, token["name"][1:-1], _shape_of_value(token["value"]))
        elif not token["name"]:
            level += 1 if token[0] == "{" else -1


def _shape_of_value(start: str) -> Shape:
    """The shape of what starts like this; of a list, what its first element starts with, or else its end."""
    if start == "{":
        return "message"
    if start in ('"', "'"):
        return "string"
    return "" if start in ("]", "n", "") else "bare"
