"""Commands colour what they print on a terminal, and nothing in a pipe; JSON never has colours."""

from __future__ import annotations

import re

import pytest

from tfmodel.cli import main

ERROR, CHANGE = r"\x1b\[31m[^\x1b]+\x1b\[0m\n", r"\x1b\[3[12]m[-+] [^\x1b]+\x1b\[0m\n"
DIFF = ["diff", "tests/data/linear.pb", "tests/data/convnet.pb"]


@pytest.mark.parametrize(
    ("arguments", "stream", "pattern"),
    [
        (["--help"], "out", r"\x1b\[1mrun models:\x1b\[0m\n"),
        (["dump", "--help"], "out", r"\x1b\[1moptions:\x1b\[0m\n"),
        (["dump"], "err", ERROR),
        (["dump", "missing.pb"], "err", ERROR),
        (DIFF, "out", CHANGE),
    ],
    ids=" ".join,
)
def test_colours_are_only_on_terminals(
    arguments: list[str],
    stream: str,
    pattern: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    main(arguments)
    plain = getattr(capsys.readouterr(), stream)
    monkeypatch.setenv("FORCE_COLOR", "1")
    main(arguments)
    coloured = getattr(capsys.readouterr(), stream)
    assert "\x1b" not in plain
    assert re.search(pattern, coloured)
    assert re.sub(r"\x1b\[\d*m", "", coloured) == plain


def test_json_has_no_colours(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    main([*DIFF, "--json"])
    assert "\x1b" not in capsys.readouterr().out
