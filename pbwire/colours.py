"""Colours on terminals. In pipes and files there are none, unless FORCE_COLOR asks for them; NO_COLOR turns them off.

The two variables are those of no-color.org and force-color.org: each counts if it is not empty, whatever its value is,
and NO_COLOR has the last word, as in Python itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

Style = Literal["heading", "error", "warning", "added", "removed", "changed"]

_CODES: dict[Style, str] = {
    "heading": "1",  # bold
    "error": "31",  # red
    "warning": "33",  # yellow
    "added": "32",  # green
    "removed": "31",
    "changed": "33",
}


def has_colours(stream: TextIO) -> bool:
    """Return whether text for this stream is coloured."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and stream.isatty()


def paint(text: str, style: Style, stream: TextIO) -> str:
    """Return one line of text in the colour of a style, if the stream has colours."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if text and has_colours(stream) else text


def paint_headings(text: str, stream: TextIO) -> str:
    """Return a help text with its headings in colour: "usage:", and lines that end with a colon."""
    if not has_colours(stream):
        return text
    return _HEADING.sub(lambda heading: paint(heading[0], "heading", stream), text)


Rules: TypeAlias = Sequence[tuple[re.Pattern[str], Style]]
"""Patterns for the beginning of a line, each with the style of what it matches. The first one that matches counts."""


def paint_lines(text: str, rules: Rules, stream: TextIO) -> str:
    """Return a text with parts of its lines in the styles of rules."""
    if not has_colours(stream):
        return text
    return "\n".join(_painted(line, rules, stream) for line in text.split("\n"))


def _painted(line: str, rules: Rules, stream: TextIO) -> str:
    for pattern, style in rules:
        if match := pattern.match(line):
            return paint(match[0], style, stream) + line[match.end() :]
    return line


_HEADING = re.compile(r"\Ausage:|(?<=\n\n)[a-z][a-z ]*:$", re.MULTILINE)
