"""`tfmodel check`: its exit status, and what it prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.tfmodel import models
from tests.tfmodel.files.bad_files import BAD_FILES, write_bad_file
from tests.tfmodel.reports.check.catalogue import UNSAFE, Row
from tfmodel.cli import main

CUSTOM = 'op { name: "Relo" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }'


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """Writes a graph, runs the command on it, and gives its status, what it prints, and what it says."""
    file = tmp_path / "graph.pb"

    def run(graph: Any, *arguments: str) -> tuple[int, str, str]:
        file.write_bytes(graph.to_bytes())
        status = main(["check", str(file), *arguments])
        out, err = capsys.readouterr()
        return status, out.replace(str(file), "FILE"), err.replace(str(file), "FILE")

    return run


def test_a_clean_model(run: Any) -> None:
    assert run(models.graph()) == (0, "FILE: sound and safe (4 nodes, 1 function)\n", "")


def test_findings(run: Any) -> None:
    status, out, _ = run(UNSAFE["a file that is read"].graph)
    assert (status, out.splitlines()[-1]) == (1, '  read  ReadFile "y" reads "/etc/passwd"')


def test_a_note_does_not_count_as_a_finding(run: Any) -> None:
    status, out, _ = run(Row("", "", "y = PrintV2(s)").graph)
    assert (status, out.splitlines()[-1]) == (0, '  print  PrintV2 "y" prints tensors')


def test_json(run: Any) -> None:
    status, out, _ = run(UNSAFE["a file that is read"].graph, "--json")
    assert (status, [row["kind"] for row in json.loads(out)["findings"]]) == (1, ["read"])


BOTH = Row("", "", "y = ReadFile(path)\nz = PrintV2(s)\nw = Relo(x)").graph


@pytest.mark.parametrize(
    ("options", "status", "kinds"),
    [
        ([], 1, ["op", "read", "print"]),
        (["--ignore", "note"], 1, ["op", "read"]),
        (["--ignore", "note/print,unsafe"], 1, ["op"]),
        (["--ignore", "broken", "--ignore", "unsafe/read"], 0, ["print"]),
        (["--fail-on", "unsafe"], 1, ["op", "read", "print"]),
        (["--fail-on", "unsafe/write"], 0, ["op", "read", "print"]),
        (["--fail-on", "unsafe/write", "--fail-on", "note"], 1, ["op", "read", "print"]),
        (["--fail-on", "unsafe", "--ignore", "unsafe/read"], 0, ["op", "print"]),
    ],
)
@pytest.mark.parametrize("form", ["--json", "--sarif"])
def test_findings_that_are_ignored_or_do_not_fail(
    run: Any, form: str, options: list[str], status: int, kinds: list[str]
) -> None:
    ended, out, _ = run(BOTH, form, *options)
    document = json.loads(out)
    rows = document["findings"] if form == "--json" else document["runs"][0]["results"]
    assert (ended, [row.get("kind") or row["ruleId"].partition("/")[2] for row in rows]) == (status, kinds)
    if form == "--json":
        assert document["ignored"] == 3 - len(kinds)


def test_ignored_findings_are_counted(run: Any) -> None:
    assert (
        run(BOTH, "--ignore", "broken,unsafe")[1].splitlines()[0] == "FILE: sound and safe; 1 note; 2 ignored (9 nodes)"
    )


@pytest.mark.parametrize("option", ["--ignore", "--fail-on"])
@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        ("read", 'did you mean "unsafe/read"?'),
        ("unsafe/reed", 'did you mean "unsafe/read"?'),
        ("file", 'did you mean "broken/file"?'),
        ("nothing at all", "the levels are broken, unsafe, note"),
        ("", "the levels are"),
    ],
)
def test_kinds_that_do_not_exist(run: Any, option: str, kind: str, advice: str) -> None:
    status, out, err = run(BOTH, option, kind)
    assert (status, out) == (2, "")
    assert f'{option}: there are no findings of the kind "{kind}"' in err
    assert advice in err


@pytest.mark.parametrize("options", [[], ["--fail-on", "unsafe"], ["--ignore", "broken"]])
def test_a_file_that_cannot_be_read_always_fails(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.pb").write_bytes(models.graph().to_bytes()[:-3])
    assert main(["check", str(tmp_path / "bad.pb"), str(tmp_path / "bad.pb"), *options]) == 2


def test_all_findings_of_one_kind(run: Any) -> None:
    graph = Row("", "", "".join(f"y{number} = Relo(x)\n" for number in range(25))).graph
    assert len(run(graph)[1].splitlines()) == 3 + 21
    assert len(run(graph, "--all")[1].splitlines()) == 3 + 25


def test_declared_ops_are_known(run: Any, tmp_path: Path) -> None:
    (tmp_path / "ops.pbtxt").write_text(CUSTOM)
    graph = Row("", "", "y = Relo(x)").graph
    assert run(graph)[0] == 1
    assert run(graph, "--op-defs", str(tmp_path / "ops.pbtxt"))[0] == 0


@pytest.mark.parametrize("bad", BAD_FILES)
def test_an_unreadable_file(bad: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["check", str(write_bad_file(bad, tmp_path))])
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert BAD_FILES[bad] in err
