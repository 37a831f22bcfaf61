"""`tfmodel diff`: its exit status, and what it prints."""

from __future__ import annotations

import json

import pytest

from tests.tfmodel import models
from tests.tfmodel.io.bad_files import BAD_FILES, write_bad_file
from tfmodel.cli import runner


@pytest.fixture
def run(capsys):
    """Runs the command, and gives its status, what it prints, and what it says."""

    def run(*arguments):
        status = runner.run("diff", ".diff", "", list(map(str, arguments)))
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def files(tmp_path):
    graph = models.graph()
    (tmp_path / "a.pb").write_bytes(graph.to_bytes())
    graph.node[-1].op = "Relu6"
    (tmp_path / "b.pb").write_bytes(graph.to_bytes())
    return tmp_path / "a.pb", tmp_path / "b.pb"


def test_the_same(run, files):
    assert run(files[0], files[0]) == (0, "the same: 4 nodes\n", "")


def test_different(run, files):
    a, b = files
    assert run(a, b) == (
        1,
        (
            f"--- {a}: 4 nodes\n"
            f"+++ {b}: 4 nodes\n"
            "\n"
            "changed (1):\n"
            "~ y  Relu6\n"
            "    op: Relu -> Relu6\n"
            "\n"
            "nodes: 0 removed, 0 added, 1 changed, 3 the same\n"
        ),
        "",
    )


def test_json(run, files):
    status, out, _ = run(*files, "--json")
    document = json.loads(out)
    assert (status, document["same"], document["graph"]["changed"][0]["name"]) == (1, False, "y")


def test_quiet(run, files):
    assert run(*files, "--quiet") == (1, "", "")


def test_tolerances(run, tmp_path):
    for name, value in (("a.pb", 1.0), ("b.pb", 1.001)):
        (tmp_path / name).write_bytes(models.GraphDef(node=[models.const("w", [value])]).to_bytes())
    files = tmp_path / "a.pb", tmp_path / "b.pb"
    assert run(*files, "--rtol=1e-4")[0] == 1
    assert run(*files, "--rtol=1e-2")[0] == 0


@pytest.mark.parametrize("arguments", [["--atol=-1"], ["--rtol=nan"], ["--atol=x"]])
def test_invalid_tolerances_are_usage_errors(run, files, arguments):
    status, out, err = run(*files, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("usage: tfmodel diff ")


def test_standard_input_can_be_one_of_the_two_only(run):
    status, _, err = run("-", "-")
    assert status == 2
    assert "only one of the two can come from standard input" in err


@pytest.mark.parametrize("name", BAD_FILES)
def test_of_bad_files_it_cannot_be_told(run, files, tmp_path, name):
    path = write_bad_file(name, tmp_path)
    for arguments in ((files[0], path), (path, files[0])):
        status, out, err = run(*arguments)
        assert (status, out) == (2, "")
        assert err.startswith(str(path))
        assert BAD_FILES[name] in err
