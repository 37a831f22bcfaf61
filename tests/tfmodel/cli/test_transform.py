"""`tfmodel transform`."""

from __future__ import annotations

import inspect
import json
import re
import sys
from pathlib import Path

import pytest

from tests.support.process_state import plugins_forgotten
from tests.tfmodel import models
from tests.tfmodel.files.bad_files import BAD_FILES, WITH_SOURCE, write_bad_file
from tfmodel import load, save
from tfmodel.cli import main
from tfmodel.cli.progress import Progress
from tfmodel.messages import GraphDef, MetaGraphDef, OpDef, OpList
from tfmodel.transforms.framework import registry

BOUND = "x=[[1, 2, 3, 4]]"


@pytest.mark.parametrize("suffix", [".pb", ".pbtxt", ".json"])
def test_a_graph_is_changed_and_written_in_the_form_of_its_name(graph_file, tmp_path, capsys, suffix):
    out = tmp_path / f"out{suffix}"
    rename = "rename_op(old_op_name=Relu, new_op_name=Elu)"
    assert main(["transform", str(graph_file), "-o", str(out), "--transforms", rename]) == 0
    assert "Elu" in [node.op for node in load(out, GraphDef).node]
    assert said(capsys) == [
        "rename_op: 4 nodes, 340 -> 339 bytes, 0.00 s",
        f"{out}: 4 nodes, 340 -> 339 bytes, 0.00 s",
    ]


def said(capsys):
    """The lines on stderr, with no time passing."""
    return re.sub(r"\d+\.\d\d s", "0.00 s", capsys.readouterr().err).splitlines()


def test_flags_of_the_graph_transform_tool(graph_file, tmp_path):
    out = tmp_path / "out"
    flags = [f"--in_graph={graph_file}", f"--out_graph={out}", "--inputs=x", "--outputs=y", "--output_as_text"]
    assert main(["transform", *flags, "--transforms=remove_device sort_by_execution_order"]) == 0
    assert out.read_text().startswith("node {\n")
    assert not any(node.device for node in load(out, GraphDef).node)


def test_a_bound_tensor_is_a_constant_for_the_first_transform(graph_file, tmp_path):
    out = tmp_path / "out.pb"
    arguments = ["--outputs=y", "--bind", BOUND, "--transforms=rename_op(old_op_name=Const, new_op_name=HostConst)"]
    assert main(["transform", str(graph_file), "-o", str(out), *arguments]) == 0
    assert {node.name: node.op for node in load(out, GraphDef).node}["x"] == "HostConst"


def test_a_graph_may_only_be_bound(graph_file, tmp_path, capsys):
    out = tmp_path / "out.pb"
    assert main(["transform", str(graph_file), "-o", str(out), "--bind", BOUND]) == 0
    assert said(capsys) == [f"{out}: 4 nodes"]
    assert {node.name: node.op for node in load(out, GraphDef).node}["x"] == "Const"


def test_a_bound_input_of_the_signature_is_not_kept(tmp_path, capsys):
    model, out = tmp_path / "model.meta", tmp_path / "out.pb"
    save(models.meta_graph("serve"), model)
    arguments = ["--bind", BOUND, "--transforms=remove_device"]
    assert main(["transform", str(model), "-o", str(out), *arguments]) == 0
    assert "inputs of the signature, which are kept: none" in said(capsys)


def test_a_dry_run_reports_and_writes_nothing(graph_file, capsys):
    assert main(["transform", str(graph_file), "--dry-run", "--verbose", "--transforms", "remove_device"]) == 0
    assert said(capsys) == [
        "remove_device: 4 nodes, 340 -> 332 bytes, 0.00 s; fired 1x",
        "nothing written: 4 nodes, 340 -> 332 bytes, 0.00 s",
    ]


def test_the_report_in_json_has_the_differences_of_each_output(graph_file, capsys):
    steps = ["--transforms", "convert_float16", "--inputs=x", "--outputs=y"]
    call = ["transform", str(graph_file), *steps, "--verify", "--feed=x=[[1, 2, 3, 4]]"]
    assert main([*call, "--dry-run", "--json"]) == 0
    printed = capsys.readouterr()
    (step,) = json.loads(printed.out)["steps"]
    assert (step["name"], [row["name"] for row in step["differences"]]) == ("convert_float16", ["y"])
    assert printed.err == ""
    assert main([*call, "-o", "-", "--json"]) == 2
    assert "--json and the output cannot both go to standard output" in capsys.readouterr().err


def test_a_list_of_all_transforms(capsys):
    assert main(["transform", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "rename_op(old_op_name=STR, new_op_name=STR)" in lines
    assert 'set_device(device="", if_default=false)' in lines
    assert all(line.startswith("    ") and line.strip() for line in lines[1::2])


def test_one_transform_is_explained(capsys):
    assert main(["transform", "--help-transform", "remove_attribute"]) == 0
    out = capsys.readouterr().out
    assert out.startswith('remove_attribute(attribute_name=STR, op_name="*")\n\n  attribute_name=STR  required\n')
    assert "\n\nRemove an attribute" in out
    assert "\n\nbecomes\n\n    x = " in out
    assert main(["transform", "--help-transform", "remove_atribute"]) == 2
    assert 'did you mean "remove_attribute"' in capsys.readouterr().err


@pytest.mark.parametrize("name", [name for name in registry.names() if registry.find(name).is_builtin])
def test_the_help_of_a_transform_says_how_it_differs_from_the_original(name, capsys):
    """All that its docstring and that of its module say, but for the first line of the latter."""
    assert main(["transform", "--help-transform", name]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    function = registry.find(name).function
    module = inspect.getdoc(sys.modules[function.__module__])
    paragraphs = [*inspect.getdoc(function).split("\n\n"), *module.split("\n\n")[1:]]
    for paragraph in paragraphs:
        assert " ".join(paragraph.split()) in shown
    differs = [
        paragraph for paragraph in paragraphs if re.search(r"\b(Unlike|Differences from the original)\b", paragraph)
    ]
    assert differs or name == "sort_by_execution_order"


@pytest.mark.parametrize(
    ("arguments", "status", "problem"),
    [
        (["FILE", "-o", "OUT"], 2, "there is nothing to do: give --transforms"),
        (["FILE", "-o", "OUT", "--transforms", " "], 2, "there is nothing to do"),
        (["FILE", "--transforms", "remove_device"], 2, "add -o OUT, or --dry-run"),
        (["-o", "OUT", "--transforms", "remove_device"], 2, "name one graph to change"),
        (["FILE", "--in_graph=FILE", "-o", "OUT", "--transforms", "remove_device"], 2, "name one graph to change"),
        (["FILE", "-o", "OUT", "--transforms", "remove_devise"], 2, 'graph.pb: there is no transform "remove_devise"'),
        (["FILE", "-o", "OUT", "--transforms", "rename_op(a=b)"], 2, 'rename_op: there is no argument "a"'),
        (["FILE", "-o", "OUT", "--transforms", "remove_device", "--outputs=yy"], 2, 'output "yy" is not in the graph'),
        (["FILE", "-o", "OUT", "--transforms", "remove_device", "--signature=a"], 2, "which has no signatures"),
        (["FILE", "-o", "OUT", "--transforms", "remove_device", "--plugin=no"], 2, 'plugin "no" cannot be loaded'),
        (["FILE", "-o", "OUT", "--transforms", "remove_device", "--rtol=1"], 2, "--rtol is for --verify"),
        (["FILE", "-o", "OUT", "--transforms", "remove_device", "--checkpoint=c"], 2, "--checkpoint is for --verify"),
        (
            ["FILE", "-o", "OUT", "--transforms", "remove_device", "--verify", "--checkpoint=c"],
            2,
            "--checkpoint is not used: the graph has no variables",
        ),
        (["FILE", "-o", "OUT", "--transforms", "remove_device,"], 2, "expected the name of a transform"),
        (
            ["FILE", "-o", "OUT", "--transforms", "remove_device", "--verify", "--outputs="],
            2,
            "name some with --outputs",
        ),
    ],
)
def test_errors_are_reported_and_nothing_is_written(graph_file, tmp_path, capsys, arguments, status, problem):
    places = {"FILE": str(graph_file), "OUT": str(tmp_path / "out.pb"), "--in_graph=FILE": f"--in_graph={graph_file}"}
    assert main(["transform", *(places.get(word, word) for word in arguments)]) == status
    assert problem in capsys.readouterr().err
    assert not Path(places["OUT"]).exists()


PLUGIN = """
from tfmodel import graph_transform
from tfmodel.graph import with_nodes

@graph_transform
def {name}(graph, *, ops, outputs, report):
    'Leave only what is not an output.'
    for output in outputs:
        report.refuse(output.node, "it is an output")
    report.fire("Mine" in ops)
    return with_nodes(graph, [node for node in graph.node if node.name in [output.node for output in outputs]])
"""


@pytest.fixture
def plugin(tmp_path):
    path = tmp_path / "plugin.py"
    path.write_text(PLUGIN.format(name="only_outputs"))
    with plugins_forgotten():
        yield path


def test_transforms_of_plugins(graph_file, plugin, capsys):
    arguments = ["transform", str(graph_file), "--dry-run", f"--plugin={plugin}", "--transforms=only_outputs"]
    assert main([*arguments, "--outputs=x"]) == 0
    assert said(capsys) == [
        "only_outputs: 4 -> 1 nodes, 340 -> 137 bytes, 0.00 s",
        "nothing written: 4 -> 1 nodes, 340 -> 137 bytes, 0.00 s; 1 left alone, --verbose tells why",
    ]
    assert main([*arguments, "--outputs=y"]) == 2
    assert capsys.readouterr().err.startswith(
        f'{graph_file}: only_outputs: refused, it would break the graph: Relu "y"'
    )
    assert main(["transform", "--list", "--plugin", str(plugin)]) == 0
    assert "only_outputs()\n    Leave only what is not an output.\n" in capsys.readouterr().out
    assert main(["transform", "--help-transform", "only_outputs", "--plugin", str(plugin)]) == 0
    assert f"\n\nFrom {plugin}.\n\n" in capsys.readouterr().out


def test_a_plugin_that_takes_the_place_of_a_transform(graph_file, plugin, capsys):
    plugin.write_text(PLUGIN.format(name="set_device"))
    assert main(["transform", str(graph_file), "--dry-run", "--plugin", str(plugin), "--transforms=set_device"]) == 2
    assert said(capsys) == [
        f'tfmodel transform: the plugin "{plugin}" cannot be loaded: ValueError: '
        "the transform set_device exists already, in tfmodel.transforms.node_fields (plugin.py:5)"
    ]


def test_ops_of_files_and_of_the_model_are_known(graph_file, plugin, tmp_path, capsys):
    arguments = ["--dry-run", f"--plugin={plugin}", "--transforms=only_outputs", "--outputs=x", "--verbose"]
    own = OpList(op=[OpDef(name="Mine")])
    save(own, tmp_path / "ops.pbtxt")
    assert main(["transform", str(graph_file), *arguments]) == 0
    assert "fired 0x" in capsys.readouterr().err
    assert main(["transform", str(graph_file), *arguments, f"--op_defs={tmp_path / 'ops.pbtxt'}"]) == 0
    assert "fired 1x" in capsys.readouterr().err
    meta = models.meta_graph("serve")
    meta.meta_info_def.stripped_op_list = own
    save(meta, tmp_path / "graph.meta")
    assert main(["transform", str(tmp_path / "graph.meta"), *arguments]) == 0
    assert "fired 1x" in capsys.readouterr().err
    assert main(["transform", str(graph_file), *arguments, f"--op-defs={graph_file}"]) == 2
    assert said(capsys) == [f"{graph_file}: this is a GraphDef, not an OpList"]


def test_tensors_of_the_signature_are_kept(tmp_path, plugin, capsys):
    folder = models.write_saved_model(tmp_path / "saved")
    arguments = ["transform", str(folder), "--dry-run", f"--plugin={plugin}", "--transforms=only_outputs"]
    assert main(arguments) == 2
    assert said(capsys)[:2] == [
        "inputs of the signature, which are kept: x:0",
        "outputs of the signature, which are kept: y:0",
    ]
    assert main([*arguments, "--inputs=", "--outputs=x"]) == 0
    assert said(capsys)[0].startswith("only_outputs: 4 -> 1 nodes")
    assert main([*arguments, "--signature=serving"]) == 2
    assert said(capsys) == [f'{folder}/saved_model.pb: there is no signature "serving"; there are: "serving_default"']


def test_a_recipe_keeps_no_inputs_if_the_list_is_empty(graph_file, capsys):
    assert main(["transform", str(graph_file), "--dry-run", "--recipe=shrink", "--inputs="]) == 0
    assert said(capsys)[0] == "outputs: y, guessed: --inputs and --outputs name others"


def test_a_recipe_needs_a_signature_with_outputs(tmp_path, capsys):
    meta, path = models.meta_graph("serve"), tmp_path / "graph.meta"
    meta.signature_def["serving_default"].outputs = {}
    save(meta, path)
    assert main(["transform", str(path), "--dry-run", "--recipe=shrink"]) == 2
    assert said(capsys) == [f"{path}: the signature has no outputs: name some with --outputs"]


def test_several_signatures(tmp_path, capsys):
    meta = models.meta_graph("serve")
    meta.signature_def["one"] = meta.signature_def.pop("serving_default")
    meta.signature_def["two"] = meta.signature_def["one"]
    path = tmp_path / "graph.meta"
    save(meta, path)
    arguments = ["transform", str(path), "--dry-run", "--transforms=remove_device"]
    assert main(arguments) == 0
    assert said(capsys)[0] == (
        f"{path}: only what --inputs and --outputs name is kept: "
        'there are several signatures ("one", "two"): name one of them with --signature'
    )
    assert main([*arguments, "--signature=two"]) == 0
    assert said(capsys)[1] == "outputs of the signature, which are kept: y:0"


@pytest.mark.parametrize("option", ["--recipe=deploy", "--verify"])
def test_recipes_and_verify_take_the_likely_inputs_and_outputs(graph_file, capsys, option):
    assert main(["transform", str(graph_file), "--dry-run", "--transforms=remove_device", option]) == 0
    assert said(capsys)[:2] == [
        "inputs: x, guessed: --inputs and --outputs name others",
        "outputs: y, guessed: --inputs and --outputs name others",
    ]


def test_variables_have_the_values_of_the_given_checkpoint(tmp_path, capsys):
    graph, data = tmp_path / "graph.pb", Path("tests/data/trained")
    save(load(data / "model.meta", MetaGraphDef).graph_def, graph)
    call = [
        "transform",
        str(graph),
        "--dry-run",
        "--transforms=obfuscate_names",
        "--inputs=x",
        "--outputs=y",
        "--verify",
    ]
    assert main(call) == 2
    assert "has no value: name its checkpoint with --checkpoint" in capsys.readouterr().err
    assert main([*call, f"--checkpoint={data / 'model'}", "--feed=x=[[1, 2, 3, 4]]"]) == 0
    assert said(capsys)[0] == "obfuscate_names: 8 nodes, 448 -> 298 bytes, 0.00 s; outputs equal"


@pytest.mark.parametrize("inputs", ["", "x"])
def test_an_empty_result_is_written_only_on_request(graph_file, tmp_path, capsys, inputs):
    out = tmp_path / "out.pb"
    arguments = ["transform", str(graph_file), "-o", str(out), f"--inputs={inputs}", "--transforms=strip_unused_nodes"]
    assert main(arguments) == 2
    assert said(capsys) == [
        "tfmodel transform: nothing would be left of the graph: name what is to be kept with --outputs"
    ]
    assert not out.exists()
    assert main([*arguments, "--outputs="]) == 0
    assert [node.name for node in load(out, GraphDef).node] == inputs.split()


def test_a_graph_is_not_called_what_it_is_not(graph_file, tmp_path, capsys):
    for name, problem in (("out.meta", "a .meta is a MetaGraph"), ("out.pb.gz", "not written compressed")):
        out = tmp_path / name
        assert main(["transform", str(graph_file), "-o", str(out), "--transforms=remove_device"]) == 2
        assert f"{out}: " in (err := capsys.readouterr().err) and problem in err
        assert not out.exists()


def test_an_empty_name_is_not_a_transform(capsys):
    assert main(["transform", "--help-transform="]) == 2
    assert said(capsys) == ['tfmodel transform: there is no transform ""']


def test_transforms_in_several_pieces(graph_file, capsys):
    arguments = ["--transforms=remove_device", "--transforms=sort_by_execution_order"]
    assert main(["transform", str(graph_file), "--dry-run", *arguments]) == 0
    assert [line.partition(":")[0] for line in said(capsys)] == [
        "remove_device",
        "sort_by_execution_order",
        "nothing written",
    ]


def test_progress_names_the_transform_that_runs(graph_file, monkeypatch):
    doing = []
    monkeypatch.setattr(Progress, "doing", lambda self, what, amount=None, share=None: doing.append(what))
    steps = "remove_device sort_by_execution_order"
    assert main(["transform", str(graph_file), "--dry-run", "--transforms", steps]) == 0
    assert doing[-2:] == ["transforming: 1/2 remove_device", "transforming: 2/2 sort_by_execution_order"]


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files(name, tmp_path, capsys):
    path = write_bad_file(name, tmp_path)
    assert main(["transform", str(path), "-o", str(tmp_path / "out.pb"), "--transforms", "remove_device"]) == 2
    err = capsys.readouterr().err
    assert err.startswith(str(path))
    assert BAD_FILES[name] in err
    assert len(err.splitlines()) == (3 if name in WITH_SOURCE else 1)
    assert not (tmp_path / "out.pb").exists()
