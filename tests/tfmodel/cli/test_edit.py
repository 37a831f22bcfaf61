"""The commands `edit`, `extract` and `splice`: what they write, what they print, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tfmodel
from tests.tfmodel import models
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.cli import main, runner
from tfmodel.messages import GraphDef

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture
def run(capsys, tmp_path):
    """Runs a command on y = relu(x @ weights), and gives its status, what it prints, and what it says."""
    file = tmp_path / "graph.pb"
    file.write_bytes(models.graph().to_bytes())

    def run(command, *arguments, file=file):
        status = runner.run(command, f".{command}", "", [str(file), *map(str, arguments)])
        return status, *capsys.readouterr()

    return run


def nodes_of(path):
    return {node.name: (node.op, node.input) for node in tfmodel.load(path, GraphDef).node}


def test_edits_are_applied_in_order(run, tmp_path):
    out = tmp_path / "out.pb"
    status, printed, said = run(
        "edit", "-o", out, "--rename", "y=relu", "--add", "half=Const[value=0.5]", "--insert-after", "relu=Mul(_, half)"
    )
    assert (status, printed, said) == (0, "", f"{out}: 4 -> 6 nodes\n")
    assert nodes_of(out) == {
        "x": ("Placeholder", []),
        "weights": ("Const", []),
        "layer/MatMul": ("MatMul", ["x", "weights"]),
        "relu": ("Relu", ["layer/MatMul", "^x"]),
        "relu/Mul": ("Mul", ["relu", "half"]),
        "half": ("Const", []),
    }


@pytest.mark.parametrize(
    ("edits", "node", "expected"),
    [
        (["--set-attribute", "layer/MatMul.transpose_a=true"], "layer/MatMul", {"transpose_a": True}),
        (
            ["--device", "y=/gpu:0", "--remove-attribute", "layer/MatMul.transpose_a"],
            "layer/MatMul",
            {"transpose_a": None},
        ),
        (["--replace-node", "y=Relu6"], "y", "Relu6"),
        (["--bypass", "layer/MatMul"], "y", ["x", "^x"]),
        (["--replace-tensor", "layer/MatMul=x"], "y", ["x", "^x"]),
        (["--insert-after", "x=Neg", "--bypass", "x/Neg"], "layer/MatMul", ["x", "weights"]),
    ],
)
def test_single_edits(run, tmp_path, edits, node, expected):
    out = tmp_path / "out.pb"
    assert run("edit", "-o", out, *edits)[0] == 0
    found = next(other for other in tfmodel.load(out, GraphDef).node if other.name == node)
    if isinstance(expected, dict):
        (name, value), *_ = expected.items()
        assert (found.attr[name].b if name in found.attr else None) == value
    else:
        assert expected in (found.op, found.input)


def test_bodies_of_functions(run, tmp_path):
    out = tmp_path / "out.pb"
    assert run("edit", "-o", out, "--function", "double", "--insert-after", "x=Neg")[0] == 0
    library = tfmodel.load(out, GraphDef).library
    assert library is not None
    assert [node.name for node in library.function[0].node_def] == ["x/Neg", "sum"]


def test_preprocessing(run, tmp_path):
    out = tmp_path / "out.pb"
    assert run("edit", "-o", out, "--preprocess", "x=uint8 divide=255")[0] == 0
    assert tfmodel.Model(out).inputs[0].dtype == "uint8"


def test_json(run, tmp_path):
    status, printed, _ = run("edit", "-o", tmp_path / "out.pb", "--json", "--rename", "y=z")
    assert status == 0
    out = tmp_path / "out.pb"
    assert json.loads(printed) == {
        "format": 1,
        "read": [str(tmp_path / "graph.pb")],
        "written": [{"path": str(out), "bytes": out.stat().st_size}],
        "edits": [{"edit": "rename", "value": "y=z"}],
        "nodes": {"before": 4, "after": 4},
        "inputs": ["x"],
        "outputs": ["z"],
        "broken": [],
        "notes": [f"{out}: 4 -> 4 nodes"],
        "warnings": [],
    }


def test_a_saved_model_keeps_its_variables(run, tmp_path):
    source = DATA / "trained" / "model.meta"
    assert run("edit", "-o", f"{tmp_path}/served/", "--insert-after", "y=Neg", file=source)[0] == 0
    model = tfmodel.Model(tmp_path / "served")
    feed = {"x": [[1, 2, 3, 4]]}
    assert (model.run(feed)["y"] == -tfmodel.Model(source).run(feed, "y")["y"]).all()


def test_edits_that_would_break_the_model_write_nothing(run, tmp_path):
    out = tmp_path / "out.pb"
    status, printed, said = run("edit", "-o", out, "--set-attribute", "y.T=int32")
    assert (status, printed) == (2, "")
    assert "int32" in said
    assert said.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "status", "problem"),
    [
        ([], 2, "there is nothing to do"),
        (["--function", "double"], 2, "--function is for the edits after it"),
        (["--rename", "x=input", "--function", "double"], 2, "--function is for the edits after it"),
        (["--remove", "x"], 2, '--remove x: Placeholder "x" is used by "layer/MatMul"'),
        (["--rename", "z=w"], 2, '--rename z=w: there is no node "z"'),
        (["--rename", "z"], 2, "expected two parts"),
        (["--set-attribute", "y.padding=SAME"], 2, 'has no attribute "padding"'),
        (["--set-attribute", "y"], 2, "expected node.attribute=value"),
        (["--set-attribute", "layer/MatMul.transpose_a=7"], 2, 'expected true or false, not "7"'),
        (["--function", "triple", "--remove", "x"], 2, '"triple"'),
        (["--function", "double", "--preprocess", "x=uint8"], 2, "a function has no Placeholder"),
        (["--preprocess", "x=sepia"], 2, 'there is no step "sepia"'),
        (["--insert-after", "x=Softmaxx"], 2, 'there is no op "Softmaxx"; did you mean "Softmax"?'),
    ],
)
def test_edits_that_are_refused(run, tmp_path, arguments, status, problem):
    out = tmp_path / "out.pb"
    found, printed, said = run("edit", "-o", out, *arguments)
    assert (found, printed) == (status, "")
    assert problem in said
    assert not out.exists()


@pytest.mark.parametrize("command", ["edit", "extract", "splice"])
def test_a_target_is_needed(run, command):
    options = {"edit": ["--remove", "x"], "extract": ["--outputs", "y"], "splice": ["b.pb", "--connect", "y=x"]}
    status, _, said = run(command, *options[command])
    assert status == 2
    assert "add -o OUT" in said


def test_extract(run, tmp_path):
    out = tmp_path / "part.pb"
    assert run("extract", "-o", out, "--inputs", "layer/MatMul") == (0, "", f"{out}: 4 -> 2 nodes\n")
    assert nodes_of(out) == {"layer/MatMul": ("Placeholder", []), "y": ("Relu", ["layer/MatMul"])}


def test_extract_needs_a_part(run, tmp_path):
    assert run("extract", "-o", tmp_path / "part.pb")[0] == 2


def test_splice(run, tmp_path):
    second, out = tmp_path / "second.pbtxt", tmp_path / "joined.pbtxt"
    tfmodel.save(graph("    i = Placeholder[dtype=float, shape=(-1, 1)]\n    z = Neg(i)[T=float]"), second)
    assert run("splice", second, "-o", out, "--connect", "y=i") == (0, "", f"{out}: 6 -> 5 nodes\n")
    assert nodes_of(out)["z"] == ("Neg", ["y"])


@pytest.mark.parametrize(
    ("connect", "status", "problem"),
    [([], 2, "--connect TENSOR=INPUT"), (["y"], 2, "TENSOR=INPUT"), (["y=i", "y=j"], 2, "twice"), (["q=i"], 2, '"q"')],
)
def test_connections_that_are_refused(run, tmp_path, connect, status, problem):
    second = tmp_path / "second.pbtxt"
    tfmodel.save(graph("    i = Placeholder[dtype=float, shape=(-1, 1)]\n    z = Neg(i)[T=float]"), second)
    options = [word for option in connect for word in ("--connect", option)]
    found, _, said = run("splice", second, "-o", tmp_path / "out.pb", *options)
    assert found == status
    assert problem in said


def test_splice_names_the_file_that_lacks_a_tensor(tmp_path, capsys):
    call = ["splice", "tests/data/convnet.pb", "tests/data/linear.pb", "-o", str(tmp_path / "out.pb")]
    assert main([*call, "--connect", "q=x"]) == 2
    assert 'tests/data/convnet.pb: there is no tensor "q"' in capsys.readouterr().err
