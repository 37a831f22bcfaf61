"""Arguments may stand before and behind the options of a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfmodel.cli import main

LINEAR = "tests/data/linear.pb"
CONVNET = "tests/data/convnet.pb"


@pytest.mark.parametrize(
    ("before", "option", "behind"),
    [
        (["convert", LINEAR], ["--to", "text"], ["OUT"]),
        (["draw", LINEAR], ["-o", "OUT.html"], [CONVNET]),
        (["find", CONVNET, "op=Relu6"], ["--json"], ["or", "op=MaxPool"]),
    ],
    ids=lambda words: words[0],
)
def test_words_behind_options_are_arguments_too(before, option, behind, capsys, tmp_path):
    results = []
    for number, order in enumerate(([*before, *behind, *option], [*before, *option, *behind])):
        folder = tmp_path / str(number)
        folder.mkdir()
        words = [word.replace("OUT", str(folder / "out")) for word in order]
        status = main(words)
        files = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        results.append((status, files, capsys.readouterr().out.replace(str(folder), "")))
    assert results[0] == results[1]
    assert results[0][0] == 0


def test_words_behind_two_dashes_are_arguments(monkeypatch, tmp_path):
    model = Path(LINEAR).resolve()
    monkeypatch.chdir(tmp_path)
    assert main(["convert", str(model), "--to", "text", "--", "-out.pbtxt"]) == 0
    assert (tmp_path / "-out.pbtxt").exists()


@pytest.mark.parametrize(
    ("words", "problem", "advice"),
    [
        (["convert", LINEAR, "--to", "text", "a", "b"], "unrecognized arguments: b", ""),
        # with the words behind it or without them, as this version of Python has it
        (["convert", LINEAR, "--too", "text", "a"], "unrecognized arguments: --too ", 'did you mean "--to"?'),
        (["diff", LINEAR, LINEAR, "--order", "c"], "unrecognized arguments: c", ""),
    ],
)
def test_words_that_no_argument_takes_are_refused(words, problem, advice, capsys):
    assert main(words) == 2
    error = capsys.readouterr().err
    assert problem in error and advice in error
