"""`tfmodel summarize`: what is this model?"""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

import tfmodel
from tests.support.corpus import model_files
from tests.tfmodel import models
from tests.tfmodel.files.bad_files import BAD_FILES, WITH_SOURCE, write_bad_file
from tests.tfmodel.transforms.graph_notation import graph as parsed
from tfmodel.cli import runner
from tfmodel.messages import NodeDef

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def run(capsys):
    """Runs the command, and gives its status, what it prints, and what it says."""

    def run(*arguments):
        status = runner.run("summarize", ".summarize", "", list(map(str, arguments)))
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "graph.pb"
    tfmodel.save(models.graph(), path)
    return path


def test_the_brief_report(run, file):
    assert run(file) == (
        0,
        f"""\
GraphDef, GraphDef version 1482, for TensorFlow 1.5 or later
  inputs         x  float32[?,4]
  outputs        y  float32[?,1]
  parameters     4 (16 bytes)
  ops            MatMul 1, Relu 1, ...
  nodes          4, and 1 in 1 function; 4 compute the outputs
  FLOPs          9 at batch 1
next: tfmodel optimize {file} -o small.pb
more: tfmodel summarize {file} --all
""",
        "",
    )


def test_a_brief_report_of_a_training_graph(run, tmp_path):
    graph = parsed("""
        x = Placeholder[dtype=float, shape=(2, 3)]
        keep = Placeholder[dtype=float, shape=()]
        shape = Shape(x)[T=float]
        random = RandomUniform(shape)[dtype=float, T=int32]
        sum = Add(keep, random)[T=float]
        mask = Floor(sum)[T=float]
        div = RealDiv(x, keep)[T=float]
        drop = Mul(div, mask)[T=float]
        w = VariableV2[dtype=float, shape=(3, 2)]
        m = MatMul(drop, w)[T=float]
        y = Softmax(m)[T=float]
        other = Mystery(y)[T=float]
    """)
    tfmodel.save(graph, tmp_path / "g.pb")
    lines = run(tmp_path / "g.pb")[1].splitlines()
    assert "  training       keep = 1, it is the share that a dropout keeps; goes into 7 nodes" in lines
    assert "  parameters     6 (24 bytes)" in lines
    assert any(line.startswith("  runs on NumPy  no: there is no kernel for Mystery") for line in lines)
    assert lines[-2].endswith("--checkpoint PREFIX --op-defs OPS.pbtxt -o small.pb")


def test_outputs_that_are_not_certain(run, tmp_path):
    tfmodel.save(parsed("x = NoOp"), tmp_path / "g.pb")
    out = run(tmp_path / "g.pb")[1]
    assert "  outputs        none\n" in out
    assert f"next: tfmodel optimize {tmp_path / 'g.pb'} --outputs NAME -o small.pb" in out


def test_a_report(run, file):
    status, out, err = run(file, "--all")
    assert (status, err) == (0, "")
    assert out == tfmodel_summary(file)
    assert out.endswith(
        f"transform {file} -o out.pb --inputs=x --outputs=y --transforms='strip_unused_nodes fold_constants'\n"
    )


def tfmodel_summary(file):
    from tfmodel.reports.summary import summarize

    return summarize(file).to_text()


@pytest.mark.parametrize("options", [["--in_graph", "FILE"], ["--in-graph=FILE"], ["FILE", "--json=false"]])
def test_the_spelling_of_flags(run, file, options):
    status, out, _ = run(*(option.replace("FILE", str(file)) for option in options), "--all")
    assert (status, out) == (0, tfmodel_summary(file))


def test_every_form_of_a_model(run, tmp_path):
    for name in ("graph.pb", "graph.pbtxt", "graph.json"):
        tfmodel.save(models.graph(), tmp_path / name)
    tfmodel.save(models.meta_graph(), tmp_path / "model.meta")
    folder = models.write_saved_model(tmp_path / "saved_model")
    for path in ("graph.pb", "graph.pbtxt", "graph.json", "model.meta", "saved_model", "model"):
        status, out, _ = run(tmp_path / path, "--all")
        assert (status, "x:0" in out or "x  Placeholder" in out) == (0, True), path
    assert "SavedModel, tags serve" in run(folder)[1]


def test_standard_input(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(models.graph().to_bytes())))
    status, out, _ = run("-", "--print_structure")
    assert status == 0
    assert "y (Relu): [layer/MatMul, ^x]" in out
    assert "tfmodel transform MODEL -o" in out


def test_json(run, file):
    status, out, _ = run(file, "--json", "--batch_size", "2")
    document = json.loads(out)
    assert (status, document["name"]) == (0, str(file))
    assert document["inputs"][0]["shape"] == [2, 4]


def test_compat(run, file):
    status, out, err = run("--in_graph", file, "--compat", "--print_structure")
    assert (status, err) == (0, "")
    assert out.startswith("Found 1 possible inputs: (name=x, type=float(1), shape=[?,4]) \n")
    assert f"--graph={file} " in out
    assert out.endswith("y (Relu): [layer/MatMul, ^x]\n")


def test_compat_of_an_invalid_graph(run, tmp_path):
    graph = models.graph()
    graph.node.append(NodeDef(name="z", op="Abs", input=["gone"]))
    tfmodel.save(graph, tmp_path / "g.pb")
    status, out, err = run(tmp_path / "g.pb", "--compat")
    assert (status, out.splitlines()[-1]) == (2, "Invalid input gone for node z")
    assert err == f"{tmp_path / 'g.pb'}: Invalid graph with inputs referring to nonexistent nodes\n"
    status, out, _ = run(tmp_path / "g.pb")
    assert (status, 'there is no node "gone"' in out) == (0, True)


@pytest.mark.parametrize(
    ("shape", "shown"),
    [
        ("x=2,4", "float32[2,4]"),
        ("x=[2, 4]", "float32[2,4]"),
        ("x=?,4", "float32[?,4]"),
        ("x=-1,4", "float32[?,4]"),
        ("x=", "float32[]"),
        ("x:0=3,4", "float32[3,4]"),
    ],
)
def test_shapes_of_inputs(run, file, shape, shown):
    status, out, _ = run(file, "--all", "--input_shape", shape)
    assert (status, f"x  Placeholder  {shown}  goes" in out) == (0, True)


def test_the_flags_of_graph_metrics(run, file):
    status, out, _ = run(f"--graph={file}", "--all", "--input_layer=x:0", "--input_shape_override=3,4")
    assert (status, "x  Placeholder  float32[3,4]  goes" in out) == (0, True)


def test_ops_that_a_runtime_lacks(run, file, tmp_path):
    (tmp_path / "ops.txt").write_text("Placeholder Const, Relu AddV2\n")
    status, out, _ = run(file, "--supported-ops", tmp_path / "ops.txt")
    assert status == 0
    assert "not in the list of supported ops: 1 op of 1 node\n  MatMul  1  layer/MatMul\n" in out


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ([], "name one model, as FILE or with --in_graph"),
        (["FILE", "--in_graph=FILE"], "name one model, as FILE or with --in_graph"),
        (["FILE", "--batch_size=0"], "--batch-size: at least 1, not 0"),
        (["FILE", "--batch_size=many"], '--batch-size: "many" is not a whole number'),
        (["FILE", "--json", "--compat"], "--json does not go with --compat, which prints lines"),
        (
            ["FILE", "--input_shape=1,2"],
            "--shape 1,2 names no input: write NAME=1,2, or add --input_layer NAME",
        ),
        (["FILE", "--input_shape=x=1,a"], '--shape: "x=1,a" is not a shape; write NAME=1,224,224,3, with ?'),
    ],
)
def test_usage(run, file, options, problem):
    status, out, err = run(*(option.replace("FILE", str(file)) for option in options))
    assert (status, out) == (2, "")
    assert problem in err


def test_a_missing_input(run, file):
    assert run(file, "--input_shape", "y2=3") == (2, "", f'{file}: there is no node "y2"\n')


def test_missing_tags(run, tmp_path):
    folder = models.write_saved_model(tmp_path / "m", ("serve",), ("train",))
    status, _, err = run(folder, "--tags", "gpu")
    assert (status, 'no MetaGraph has the tags "gpu"; there are: serve; train' in err) == (2, True)


@pytest.mark.parametrize("option", ["--supported-ops", "--op-defs"])
def test_a_missing_list_of_ops(run, file, tmp_path, option):
    missing = tmp_path / "missing.txt"
    assert run(file, option, missing) == (2, "", f"{missing}: no such file or directory\n")


@pytest.mark.parametrize("options", [[], ["--compat"], ["--json"]], ids=str)
@pytest.mark.parametrize("name", [name for name in BAD_FILES if name != "bomb.pb.gz"])  # which takes a second a time
def test_bad_files(run, tmp_path, name, options):
    path = write_bad_file(name, tmp_path)
    status, out, err = run(path, *options)
    assert status == 2
    assert out == "" or "--compat" in options
    assert BAD_FILES[name] in err
    assert err.startswith(str(path))
    assert len(err.splitlines()) == (3 if name in WITH_SOURCE else 1)


@pytest.mark.parametrize("path", model_files(".meta", "frozen.pb", "net.pb", "saved_model.pb"))
def test_every_model_file_is_summarized(run, path):
    for options in ([], ["--compat", "--print_structure"], ["--json"]):
        status, out, err = run(path, *options)
        assert (status, err) == (0, "")
        assert all(character.isprintable() for character in out.replace("\n", ""))
    assert json.loads(out)["output_names"]


def test_no_numpy_is_needed(file):
    program = (
        "import sys; sys.modules['numpy'] = None\n"
        "from tfmodel.cli import runner\n"
        f"raise SystemExit(runner.run('summarize', '.summarize', '', [{str(file)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
