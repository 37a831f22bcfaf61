"""`pbwire.colours`: when text is coloured, by the terminal and by NO_COLOR and FORCE_COLOR."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import TextIO

import pytest

from pbwire.colours import Rules, has_colours, paint, paint_headings, paint_lines


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()], ids=["terminal", "pipe"])
@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, None),
        ({"TERM": "dumb"}, False),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": "0"}, False),  # no-color.org: "regardless of its value"
        ({"NO_COLOR": ""}, None),  # no-color.org: "not an empty string"
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "0"}, True),  # force-color.org: the same
        ({"FORCE_COLOR": ""}, None),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
    ids=str,
)
def test_when_text_is_coloured(
    variables: dict[str, str], expected: bool | None, stream: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"TERM": "xterm", "NO_COLOR": "", "FORCE_COLOR": "", **variables}.items():
        monkeypatch.setenv(name, value)
    assert has_colours(stream) == (stream.isatty() if expected is None else expected)


def test_paint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert paint("no file", "error", Terminal()) == "\x1b[31mno file\x1b[0m"
    assert paint("no file", "error", io.StringIO()) == "no file"
    assert paint("", "error", Terminal()) == ""


HELP = "usage: tool [options]\n\nThese are two words:\n  one\n\noptions:\n  --two\n"
RULES: Rules = (
    (re.compile("removed"), "heading"),
    (re.compile(r"- .*"), "removed"),
    (re.compile(r"\+ .*"), "added"),
)
DIFFERENCE = "--- a\n+++ b\nremoved (1):\n- x  Relu\n+ y\n~ z\n    op: - -> +\n"


@pytest.mark.parametrize(
    ("function", "text", "expected"),
    [
        (
            paint_headings,
            HELP,
            HELP.replace("usage:", "\x1b[1musage:\x1b[0m").replace("options:", "\x1b[1moptions:\x1b[0m"),
        ),
        (
            lambda text, stream: paint_lines(text, RULES, stream),
            DIFFERENCE,
            "--- a\n+++ b\n\x1b[1mremoved\x1b[0m (1):\n\x1b[31m- x  Relu\x1b[0m\n\x1b[32m+ y\x1b[0m\n~ z\n"
            "    op: - -> +\n",
        ),
    ],
)
def test_paint_lines(
    function: Callable[[str, TextIO], str], text: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert function(text, Terminal()) == expected
    assert function(text, io.StringIO()) == text
