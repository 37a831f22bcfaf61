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
        (DIFF, "out", r"\x1b\[1mremoved \(\d+\):\x1b\[0m\n"),
        (DIFF, "out", r"\x1b\[1m--- tests/data/linear.pb: 5 nodes\x1b\[0m\n".replace("5", r"\d")),
        (["check", "tests/data/unsafe.pbtxt"], "out", r"\x1b\[31mtests/data/unsafe.pbtxt: 1 broken.*\x1b\[0m\n"),
        (["check", "tests/data/unsafe.pbtxt"], "out", r"\x1b\[31munsafe: running .*\x1b\[0m\n"),
        (["check", "tests/data/linear.pb"], "out", r"\x1b\[32mtests/data/linear.pb: sound and safe.*\x1b\[0m\n"),
        (["check", "tests/data/linear.pb", "tests/data/unsafe.pbtxt"], "out", r"\n\x1b\[31mtests/data/unsafe.pbtxt: 1"),
        (["summarize", "tests/data/linear.pb"], "out", r"\A\x1b\[1mGraphDef, .*\x1b\[0m\n"),
        (["summarize", "tests/data/linear.pb"], "out", r"\n\x1b\[1mnext:\x1b\[0m tfmodel"),
        (["summarize", "tests/data/linear.pb", "--all"], "out", r"\n\x1b\[1minputs, likeliest first:\x1b\[0m\n"),
        (["summarize", "tests/data/unsafe.pbtxt"], "out", r"\n\x1b\[33mproblem: Relu6.*\x1b\[0m\n"),
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


@pytest.mark.parametrize("call", [DIFF, ["check", "tests/data/unsafe.pbtxt"], ["summarize", "tests/data/linear.pb"]])
def test_json_has_no_colours(
    call: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    main([*call, "--json"])
    assert "\x1b" not in capsys.readouterr().out
