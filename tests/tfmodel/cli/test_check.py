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
