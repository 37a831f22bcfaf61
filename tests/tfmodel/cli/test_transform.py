"""`tfmodel transform`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tfmodel import models
from tests.tfmodel.bad_files import BAD_FILES, WITH_SOURCE, write_bad_file
from tfmodel import load
from tfmodel.cli import main
from tfmodel.messages import GraphDef


@pytest.fixture
def graph_file(tmp_path):
    path = tmp_path / "graph.pb"
    path.write_bytes(models.graph().to_bytes())
    return path


@pytest.mark.parametrize("suffix", [".pb", ".pbtxt", ".json"])
def test_a_graph_is_changed_and_written_in_the_form_of_its_name(graph_file, tmp_path, capsys, suffix):
    out = tmp_path / f"out{suffix}"
    rename = "rename_op(old_op_name=Relu, new_op_name=Elu)"
    assert main(["transform", str(graph_file), "-o", str(out), "--transforms", rename]) == 0
    assert "Elu" in [node.op for node in load(out, GraphDef).node]
    assert capsys.readouterr().err == f"{out}: 4 nodes before, 4 after\n"


def test_flags_of_the_graph_transform_tool(graph_file, tmp_path):
    out = tmp_path / "out"
    flags = [f"--in_graph={graph_file}", f"--out_graph={out}", "--inputs=x", "--outputs=y", "--output_as_text"]
    assert main(["transform", *flags, "--transforms=remove_device sort_by_execution_order"]) == 0
    assert out.read_text().startswith("node {\n")
    assert not any(node.device for node in load(out, GraphDef).node)


def test_a_dry_run_tells_and_writes_nothing(graph_file, capsys):
    assert main(["transform", str(graph_file), "--dry-run", "--verbose", "--transforms", "remove_device"]) == 0
    assert capsys.readouterr().err == (
        "remove_device: fired 1x, 4 nodes\nnothing written: 4 nodes before, 4 after\n"
    )


def test_a_list_of_all_transforms(capsys):
    assert main(["transform", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "rename_op(old_op_name=STR, new_op_name=STR)" in lines
    assert "set_device(device=STR, if_default=false)" in lines
    assert all(line.startswith("    ") and line.strip() for line in lines[1::2])


def test_one_transform_is_explained(capsys):
    assert main(["transform", "--help-transform", "remove_attribute"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("remove_attribute(attribute_name=STR, op_name=*)\n\nRemove an attribute")
    assert main(["transform", "--help-transform", "remove_atribute"]) == 1
    assert 'did you mean "remove_attribute"' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "status", "problem"),
    [
        (["FILE", "-o", "OUT"], 2, "there is nothing to do: give --transforms"),
        (["FILE", "-o", "OUT", "--transforms", " "], 2, "there is nothing to do"),
        (["FILE", "--transforms", "remove_device"], 2, "add -o OUT, or --dry-run"),
        (["-o", "OUT", "--transforms", "remove_device"], 2, "name one graph to change"),
        (["FILE", "--in_graph=FILE", "-o", "OUT", "--transforms", "remove_device"], 2, "name one graph to change"),
        (["FILE", "-o", "OUT", "--transforms", "remove_devise"], 1, 'transform: there is no transform "remove_devise"'),
        (["FILE", "-o", "OUT", "--transforms", "rename_op(a=b)"], 1, 'rename_op: there is no argument "a"'),
        (["FILE", "-o", "OUT", "--transforms", "remove_device", "--outputs=yy"], 1, 'output "yy" is not in the graph'),
        (["FILE", "-o", "OUT", "--transforms", "remove_device,"], 1, "expected the name of a transform"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_written(graph_file, tmp_path, capsys, arguments, status, problem):
    places = {"FILE": str(graph_file), "OUT": str(tmp_path / "out.pb"), "--in_graph=FILE": f"--in_graph={graph_file}"}
    assert main(["transform", *(places.get(word, word) for word in arguments)]) == status
    assert problem in capsys.readouterr().err
    assert not Path(places["OUT"]).exists()


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files(name, tmp_path, capsys):
    path = write_bad_file(name, tmp_path)
    assert main(["transform", str(path), "-o", str(tmp_path / "out.pb"), "--transforms", "remove_device"]) == 1
    err = capsys.readouterr().err
    assert err.startswith(str(path))
    assert BAD_FILES[name].replace("node[0]", "NodeDef") in err  # damage that is found late does not know its place
    assert len(err.splitlines()) == (3 if name in WITH_SOURCE else 1)
    assert not (tmp_path / "out.pb").exists()
