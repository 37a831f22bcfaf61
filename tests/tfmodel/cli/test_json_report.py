"""`--json` of commands that write files: one JSON object on standard output, with what was read, done and written."""

from __future__ import annotations

import json
import os
import re
import shutil
import webbrowser
from pathlib import Path

import pytest

from tfmodel.cli import main

DATA = Path(__file__).resolve().parents[2] / "data"

# by call: some of the facts
CALLS = {
    "convert linear.pb out.pbtxt": {"to": "text", "left_out": 0},
    "convert linear.pb out/": {
        "to": "saved_model",
        "meta_graphs": [{"signatures": ["serving_default"], "tags": ["serve"]}],
    },
    "convert linear.pb out --to tfjs": {"to": "tfjs", "inputs": {"x": "x"}, "outputs": {"y": "y"}},
    "convert linear.pb out.pb --to opencv": {"to": "opencv", "nodes": 3},
    "draw linear.pb -o out.html": {"kind": "page"},
    "draw linear.pb -o out.dot": {"kind": "document"},
    "edit linear.pb -o out.pb --rename y=z": {"nodes": {"before": 4, "after": 4}, "outputs": ["z"]},
    "extract linear.pb -o out.pb --outputs layer/MatMul": {"nodes": {"before": 4, "after": 3}},
    "freeze trained/model.meta -o out.pb": {"outputs": ["y"], "variables": 2, "guessed": {}},
    "freeze linear -o out.pb": {"inputs": ["x"], "variables": 0},
    "optimize linear.pb -o out.pb": {"inputs": ["x"], "outputs": ["y"], "unverified": ""},
    "optimize linear.pb -o out/": {"guessed": {"inputs": 0.9, "outputs": 0.9}},
    "optimize linear.pb -o out.pb --inputs x --outputs y": {"guessed": {}},
    "optimize linear.pb -o out.pb --outputs y": {"guessed": {"inputs": 0.9}},
    "optimize linear.pb -o out.pb --no-verify": {"verification": None},
    "freeze linear.pb -o out.pb": {"guessed": {"outputs": 0.9}},
    "reduce changed.pb -o out.pb --differs-from linear.pb": {},
    "splice linear.pb linear.pb -o out.pb --connect x=x --scope b": {"nodes": {"before": 8, "after": 7}},
    "transform linear.pb -o out.pb --outputs y --transforms remove_device": {"nodes": {"before": 4, "after": 4}},
    "transform linear.pb --dry-run --outputs y --transforms remove_device": {"planned": 1},
    "vendor out --parts pbwire --package a": {"parts": ["pbwire"]},
    "vendor --zipapp out.pyz": {},
    "view linear.pb -o out.html": {"kind": "page", "opened": True},
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    shutil.copy(DATA / "linear.pb", tmp_path)
    (tmp_path / "linear").symlink_to(DATA / "linear")
    (tmp_path / "trained").symlink_to(DATA / "trained")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(webbrowser, "open", lambda url: True)
    assert main(["edit", "linear.pb", "-o", "changed.pb", "--replace-node", "y=Neg"]) == 0
    capsys.readouterr()
    return tmp_path


def files() -> set[str]:
    return {str(path) for path in Path().rglob("*") if path.is_file() and path.parts[0] not in ("linear", "trained")}


@pytest.mark.parametrize("line", CALLS)
def test_the_report(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = files()
    assert main([*line.split(), "--json"]) == 0
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert report["format"] == 1
    assert {os.path.normpath(file["path"]) for file in report["written"]} == files() - before
    assert all(file["bytes"] == os.path.getsize(file["path"]) for file in report["written"])
    assert all(os.path.exists(path) for path in report["read"])
    assert {key: report[key] for key in CALLS[line]} == CALLS[line]
    assert not re.search(r':0"', json.dumps({**report, "notes": []})), "a tensor that is not spelled as elsewhere"
    said = [line for text in (*report["notes"], *report["warnings"]) for line in text.splitlines()]
    assert sorted(said) == sorted(err.splitlines())


@pytest.mark.parametrize(
    "line",
    [
        "convert linear.pb - --to text",
        "draw linear.pb",
        "draw linear.pb -o -",
        "edit linear.pb -o - --rename y=z",
        "freeze linear -o -",
        "optimize linear.pb -o -",
        "transform linear.pb -o - --outputs y --transforms remove_device",
    ],
)
def test_a_report_and_a_model_do_not_both_go_to_standard_output(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*line.split(), "--json"]) == 2
    out, err = capsys.readouterr()
    assert (out, "cannot both go to standard output: name a file" in err) == ("", True)


def test_warnings_are_apart(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "own.pbtxt").write_text('node { name: "x" op: "MyOp" }')
    assert main(["convert", "own.pbtxt", "out.pb", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["notes"], len(report["warnings"])) == ([f"out.pb: binary, {os.path.getsize('out.pb')} bytes"], 1)
    assert "MyOp" in report["warnings"][0]


def test_an_error_prints_no_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["freeze", "gone.pb", "-o", "out.pb", "--json"]) == 2
    assert capsys.readouterr() == ("", "gone.pb: no such file or directory\n")
