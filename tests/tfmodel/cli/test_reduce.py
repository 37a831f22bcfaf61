"""`tfmodel reduce`: what it writes, what it prints, and what it refuses."""

from __future__ import annotations

import json
import shlex
import sys

import numpy as np
import pytest

import tfmodel
from pbwire.arguments import INTERRUPTED
from tests.tfmodel import models
from tfmodel.cli import runner
from tfmodel.editing.reduction import reducer
from tfmodel.messages import GraphDef

PYTHON = shlex.quote(sys.executable)
SHOWS = f'{PYTHON} -c \'import sys; sys.exit(b"MatMul" in open(sys.argv[1], "rb").read())\''


@pytest.fixture
def run(capsys, tmp_path):
    """Runs the command on y = relu(x @ weights), and gives its status, what it prints, and what it says."""
    file = tmp_path / "graph.pb"
    file.write_bytes(models.graph().to_bytes())

    def run(*arguments):
        status = runner.run("reduce", ".reduce", "", [str(file), *map(str, arguments)])
        return status, *capsys.readouterr()

    return run


def ops(path):
    return [node.op for node in tfmodel.load(path, GraphDef).node]


def test_a_command(run, tmp_path):
    out = tmp_path / "small.pb"
    status, printed, said = run("-o", out, "--check", SHOWS)
    assert status == 0
    assert printed.endswith('left: MatMul "layer/MatMul"\n')
    assert said == f"{out}: 3 nodes\n"
    assert ops(out) == ["Const", "Const", "MatMul"]


def test_json(run, tmp_path):
    status, printed, _ = run("-o", tmp_path / "small.pb", "--check", SHOWS, "--json")
    report = json.loads(printed)
    assert status == 0
    assert (report["before"], report["nodes"]) == (4, 3)
    assert report["ops"] == ['MatMul "layer/MatMul"']
    assert report["checks"] > 0


def test_another_model(run, tmp_path):
    right, out = tmp_path / "right.pb", tmp_path / "small.pbtxt"
    editor = tfmodel.Model(models.graph()).edit()
    editor.replace_node("y", "Neg")
    editor.model.save(right)
    assert run("-o", out, "--differs-from", right)[0] == 0
    assert ops(out) == ["Const", "Relu"]


def test_the_values_of_inputs_are_written_beside_the_graph(run, tmp_path):
    out = tmp_path / "small.pb"
    command = f'{PYTHON} -c \'import sys; sys.exit(b"Placeholder" in open(sys.argv[1], "rb").read())\''
    status, _, said = run("-o", out, "--check", command, "--feed", "x=ones(2,4)")
    assert status == 0, said
    assert said == f"{out}: 1 node, and {tmp_path / 'small.npz'} the values of its inputs\n"
    np.testing.assert_array_equal(np.load(tmp_path / "small.npz")["x"], np.ones((2, 4)))


def test_the_smallest_graph_so_far_is_kept(run, tmp_path, monkeypatch):
    out = tmp_path / "small.pb"

    def end_early(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(reducer.Search, "run", end_early)
    status, _, said = run("-o", out, "--check", SHOWS)
    assert status == INTERRUPTED
    assert said == f"{out}: ended early; the smallest graph so far has 4 nodes\n"
    assert len(ops(out)) == 4


@pytest.mark.parametrize(
    ("arguments", "status", "problem"),
    [
        ([], 2, "name one of --check, --differs-from and --fails, not none"),
        (["--fails", "--check", "c"], 2, "not --check and --fails"),
        (["--fails", "--match", "t"], 2, "--match goes with --check"),
        (["--fails", "--rtol", "1"], 2, "--rtol goes with --differs-from"),
        (["--fails"], 2, "the model does not show the problem"),
        (["--check", "/no/such/program"], 2, "cannot be started"),
    ],
)
def test_requests_that_are_refused(run, tmp_path, arguments, status, problem):
    out = tmp_path / "small.pb"
    found, printed, said = run("-o", out, *arguments)
    assert (found, printed) == (status, "")
    assert problem in said
    assert not out.exists()


def test_a_target_is_needed(run):
    status, _, said = run("--fails")
    assert status == 2
    assert "add -o OUT" in said
