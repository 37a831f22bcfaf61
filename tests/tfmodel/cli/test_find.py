"""`tfmodel find`: its exit status, and what it prints."""

from __future__ import annotations

import json

import pytest

from tests.tfmodel import models
from tests.tfmodel.files.bad_files import BAD_FILES, write_bad_file
from tfmodel.cli import runner
from tfmodel.reports.query import FIELDS


@pytest.fixture
def run(capsys, tmp_path):
    """Runs the command on a graph, and gives its status, what it prints, and what it says."""
    file = tmp_path / "graph.pb"
    file.write_bytes(models.graph().to_bytes())

    def run(*arguments, file=file):
        status = runner.run("find", ".find", "", [str(file), *arguments])
        return status, *capsys.readouterr()

    return run


def test_nodes(run):
    assert run("op=MatMul|Relu") == (
        0,
        (
            "layer/MatMul  MatMul  float32[?,1]  x, weights        transpose_b\n"
            "y             Relu    float32[?,1]  layer/MatMul, ^x\n"
            "\n"
            "2 nodes\n"
        ),
        "",
    )


def test_several_arguments_are_one_query(run):
    assert run("upstream", "of", "y", "not", "op=Const", "--names") == (0, "x\nlayer/MatMul\n", "")


def test_json(run):
    status, out, _ = run("Const -> MatMul", "--json")
    assert (status, json.loads(out)["chains"]) == (0, [{"function": "", "nodes": ["weights", "layer/MatMul"]}])


@pytest.mark.parametrize("option", [[], ["--json"], ["--names"]])
def test_nothing(run, option):
    status, out, err = run("name=nowhere", *option)
    assert (status, err) == (1, "")
    assert (
        out
        == {
            (): 'no node matches: there is no node "nowhere"\n',
            ("--json",): '{\n  "format": 1,\n  "query": "name=nowhere",\n  "nodes": []\n}\n',
            ("--names",): "",
        }[tuple(option)]
    )


def test_a_bad_query(run):
    assert run("op=Conv2D ->") == (
        2,
        "",
        'tfmodel find: query: expected an op or a test on each side of "->"\n    op=Conv2D ->\n                ^\n',
    )


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file(run, tmp_path, name):
    path = write_bad_file(name, tmp_path)
    status, out, err = run("op=*", file=path)
    assert (status, out) == (2, "")
    assert err.startswith(str(path))
    assert BAD_FILES[name] in err


def test_the_help_names_all_fields(run, capsys):
    assert runner.run("find", ".find", "", ["--help"]) == 0
    words = capsys.readouterr().out.split()
    assert [field for field in FIELDS if field not in words] == []
