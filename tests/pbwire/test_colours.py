"""`pbwire.colours`: when text is coloured, by the terminal and by NO_COLOR and FORCE_COLOR."""

from __future__ import annotations

import io

import pytest

from pbwire.colours import has_colours, paint


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
