"""Commands on ONNX models: those that read them, and what the others say."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tfmodel import load
from tfmodel.cli import COMMANDS, main
from tfmodel.messages import GraphDef
from tfmodel.onnx_messages import ModelProto, TensorProto

FOLDER = Path("tests/data/onnx")
LINEAR, BRANCHES, EXTERNAL = (str(FOLDER / f"{name}.onnx") for name in ("linear", "branches", "external"))
ADVICE = "tfmodel summarize describes it, tfmodel dump and tfmodel convert read it"
REFUSAL = f"{LINEAR}: this is an ONNX model, not a TensorFlow model: {ADVICE}\n"

READING = {"convert", "dump", "summarize"}
WITHOUT_MODELS = {"completion", "events", "records", "vendor", "view"}
REFUSED = {
    "check": [],
    "checkpoint": [],
    "diff": ["tests/data/linear.pb"],
    "draw": [],
    "edit": ["--remove", "x", "-o", "OUT.pb"],
    "extract": ["--outputs", "x", "-o", "OUT.pb"],
    "find": ["op=MatMul"],
    "freeze": ["-o", "OUT.pb"],
    "ops": [],
    "optimize": ["-o", "OUT.pb"],
    "reduce": ["--fails", "-o", "OUT.pb"],
    "run": ["--random"],
    "splice": ["tests/data/linear.pb", "--connect", "x=x", "-o", "OUT.pb"],
    "transform": ["--transforms=remove_device", "-o", "OUT.pb"],
    "verify": ["tests/data/linear.pb"],
    "weights": [],
}
"""Every other command with a model, with the arguments behind it."""


@pytest.fixture
def tell(capsys):
    """Return the status, the output and the messages of a command."""

    def tell(*arguments: object) -> tuple[int, str, str]:
        status = main(list(map(str, arguments)))
        return status, *capsys.readouterr()

    return tell


class TestRefusals:
    def test_every_command_is_here(self):
        assert {*COMMANDS} == READING | WITHOUT_MODELS | {*REFUSED}

    @pytest.mark.parametrize("command", REFUSED)
    def test_commands_for_graphs_say_what_it_is_and_what_can_be_done(self, tell, command, tmp_path):
        options = [option.replace("OUT", str(tmp_path / "out")) for option in REFUSED[command]]
        status, out, err = tell(command, LINEAR, *options)
        assert (status, out) == (2, "")
        assert err == (REFUSAL if command != "checkpoint" else REFUSAL.replace("TensorFlow model", "checkpoint"))
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("options", [["--to", "tfjs"], ["--to", "saved_model"], ["--to", "opencv"]])
    def test_convert_makes_no_graphs_of_it(self, tell, options, tmp_path):
        assert tell("convert", LINEAR, tmp_path / "out", *options) == (2, "", REFUSAL)
        assert not list(tmp_path.iterdir())

    def test_so_do_text_and_json(self, tell, tmp_path):
        for form in ("text", "json"):
            assert tell("convert", LINEAR, tmp_path / form, "--to", form)[0] == 0
            assert tell("check", tmp_path / form)[2].endswith(
                f"in {form if form == 'text' else 'JSON'} form, not a TensorFlow model: {ADVICE}\n"
            )

    @pytest.mark.parametrize(
        "option",
        [["--signatures"], ["--objects"], ["--compat"], ["--batch-size", "1"], ["--shape", "x=1,4"], ["--bind", "x=1"]],
    )
    def test_options_about_graphs_are_refused(self, tell, option):
        status, out, err = tell("summarize", LINEAR, *option)
        assert (status, out) == (2, "")
        assert err.startswith(
            f"tfmodel summarize: {option[0]} is about graphs of TensorFlow, and {LINEAR} is an ONNX model"
        )


class TestConvert:
    @pytest.mark.parametrize("file", [LINEAR, BRANCHES, EXTERNAL])
    @pytest.mark.parametrize("middle", ["a.pbtxt", "a.json", "a.pb", "a.onnx"])
    def test_there_and_back_gives_the_same_bytes(self, tell, file, middle, tmp_path):
        assert tell("convert", file, tmp_path / middle)[0] == 0
        assert tell("convert", tmp_path / middle, tmp_path / "b.onnx")[0] == 0
        assert (tmp_path / "b.onnx").read_bytes() == Path(file).read_bytes()

    def test_a_graph_of_tensorflow_is_converted(self, tell, tmp_path):
        target = tmp_path / "out.onnx"
        assert tell("convert", "tests/data/linear.pb", target, "--no-verify")[0] == 0
        assert isinstance(load(target), ModelProto)

    def test_other_files_are_named(self, tell, tmp_path):
        status, out, err = tell("convert", EXTERNAL, tmp_path / "b.onnx")
        assert (status, out) == (0, "")
        assert err.startswith(
            f"{tmp_path / 'b.onnx'}: warning: the values of 5 tensors are in weights.bin, gone/weights.bin, "
            f"../linear.pb, beside {EXTERNAL}, and are not copied\n"
        )
        assert [path.name for path in tmp_path.iterdir()] == ["b.onnx"]

    def test_nothing_is_said_of_other_files_beside_both(self, tell, tmp_path):
        shutil.copy(EXTERNAL, tmp_path / "a.onnx")
        status, out, err = tell("convert", tmp_path / "a.onnx", tmp_path / "b.pbtxt")
        assert (status, out, "not copied" in err) == (0, "", False)

    def test_standard_input_is_read_once(self, tmp_path):
        for source in (LINEAR, "tests/data/linear.pb"):
            target = tmp_path / "out.onnx"
            command = [
                sys.executable,
                "-m",
                "tfmodel",
                "convert",
                "-",
                str(target),
                *["--no-verify"] * (source != LINEAR),
            ]
            done = subprocess.run(command, input=Path(source).read_bytes(), capture_output=True, check=False)
            assert done.returncode == 0, done.stderr
            assert isinstance(load(target), ModelProto)

    def test_the_type_can_be_named(self, tell, tmp_path):
        assert tell("convert", LINEAR, tmp_path / "a.json", "--type", "ModelProto")[0] == 0
        assert isinstance(load(tmp_path / "a.json"), ModelProto)

    def test_a_forced_form(self, tell, tmp_path):
        assert tell("convert", LINEAR, tmp_path / "a.pbtxt", "--from", "binary")[0] == 0
        assert isinstance(load(tmp_path / "a.pbtxt"), ModelProto)


class TestDump:
    def test_text(self, tell):
        status, out, err = tell("dump", LINEAR, "--full")
        assert (status, err) == (0, "")
        assert out.startswith('ir_version: 8\nproducer_name: "tests"\n')

    def test_json(self, tell):
        assert json.loads(tell("dump", LINEAR, "--format", "json")[1])["opsetImport"] == [
            {"domain": "", "version": "17"}
        ]

    def test_tree(self, tell):
        out = tell("dump", BRANCHES, "--format", "tree")[1]
        assert out.startswith("ONNX model: 3 nodes, IR version 8, opset 17, opset 1 of tests.functions\n")

    def test_raw(self, tell):
        assert "1 ir_version" in tell("dump", LINEAR, "--format", "raw")[1]

    def test_nodes_by_op_in_all_graphs(self, tell):
        out = tell("dump", BRANCHES, "--op", "Add")[1]
        assert [line for line in out.splitlines() if line.startswith("#")] == [
            "# then_branch of If -> next",
            "# function tests.functions.Twice",
        ]
        assert out.count('op_type: "Add"') == 2

    def test_nodes_as_json_are_a_graph(self, tell):
        document = json.loads(tell("dump", LINEAR, "--op", "MatMul", "--format", "json")[1])
        assert [node["opType"] for node in document["node"]] == ["MatMul"]

    def test_nodes_as_a_table(self, tell):
        out = tell("dump", BRANCHES, "--op", "*Twice", "--format", "tree")[1]
        assert out.splitlines()[-1].split() == ["tests.functions.Twice", "seen", "next"]

    @pytest.mark.parametrize(("glob", "count"), [("sum", 1), ("s*", 2), ("after_*", 0)])
    def test_nodes_by_name(self, tell, glob, count):
        assert tell("dump", LINEAR, "--node", glob)[1].count("op_type") == count

    def test_nodes_without_a_name_have_that_of_their_result(self, tell):
        assert tell("dump", BRANCHES, "--node", "after_*")[1].count("op_type") == 2

    def test_fields_of_nodes(self, tell):
        assert tell("dump", BRANCHES, "--op", "Add", "--field", "output[0]")[1] == (
            'graph.node[0].attribute[0].g.node[1].attribute[1].g.node[0].output[0]: "after_Add"\n'
            'functions[0].node[0].output[0]: "y"\n'
        )

    def test_fields_of_the_model(self, tell):
        assert tell("dump", LINEAR, "--field", 'graph.node["sum"].op_type')[1] == "Add\n"

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (["--collections"], "which has no collections"),
            (["--format", "tree", "--op-defs", "OPS"], "which has no nodes of TensorFlow: --op-defs does not apply"),
            (["--type", "GraphDef", "--tags", "serve"], "leave the tags out"),
            (["--records", "0"], "--records is for TFRecord files"),
        ],
    )
    def test_options_about_other_files(self, tell, options, words, tmp_path):
        (tmp_path / "ops.pbtxt").write_text('op { name: "Own" }')
        options = [str(tmp_path / "ops.pbtxt") if option == "OPS" else option for option in options]
        status, out, err = tell("dump", LINEAR, *options)
        assert (status, out) == (2, "")
        assert words in err

    def test_nothing_matches(self, tell):
        status, _, err = tell("dump", LINEAR, "--op", "Conv")
        assert (status, err) == (2, f"{LINEAR}: none of 3 nodes matches --op Conv\n")

    def test_a_tensor_of_test_data(self, tell, tmp_path):
        (tmp_path / "input_0.pb").write_bytes(TensorProto(name="x", data_type=1, dims=[1], float_data=[0.5]).to_bytes())
        out = tell("dump", tmp_path / "input_0.pb", "--type", "onnx.TensorProto")[1]
        assert out == 'dims: 1\ndata_type: 1\nfloat_data: 0.5\nname: "x"\n'

    def test_an_unknown_type(self, tell):
        assert 'there is no message "onnx.NodeDef"' in tell("dump", LINEAR, "--type", "onnx.NodeDef")[2]


class TestSummarize:
    def test_text_and_json(self, tell):
        assert tell("summarize", LINEAR)[1].startswith('ONNX model "linear", IR version 8, opset 17')
        assert json.loads(tell("summarize", LINEAR, "--json")[1])["name"] == LINEAR
        assert "MatMul       1\n" in tell("summarize", LINEAR, "--all")[1]

    def test_a_folder_of_models(self, tell):
        status, out, err = tell("summarize", FOLDER)
        assert (status, err) == (0, "3 models; 1 other file\n")
        assert [line.partition(": ONNX model: ")[0] for line in out.splitlines()] == [BRANCHES, EXTERNAL, LINEAR]

    @pytest.mark.parametrize("command", ["check", "weights"])
    def test_other_commands_leave_them_out_of_a_folder(self, tell, command, tmp_path):
        shutil.copy("tests/data/linear.pb", tmp_path)
        shutil.copy(LINEAR, tmp_path)
        status, out, err = tell(command, tmp_path)
        assert (status, err) == (0, "1 model; 1 model of ONNX\n")
        assert out.count("\n") == 1


@pytest.mark.parametrize("size", [1, 3, 20, 100, 200, 350])
@pytest.mark.parametrize("command", ["dump", "summarize", "dump --format tree", "convert"])
def test_truncated_files_end_without_a_traceback(tell, command, size, tmp_path):
    (tmp_path / "cut.onnx").write_bytes(Path(LINEAR).read_bytes()[:size])
    name, *options = command.split()
    target = [tmp_path / "out.json"] if name == "convert" else []
    status, _, err = tell(name, tmp_path / "cut.onnx", *target, *options)
    assert status == 2
    assert err.startswith(f"{tmp_path / 'cut.onnx'}: ")
    assert err.count("\n") == 1


def test_a_model_of_tensorflow_is_still_its_own(tell):
    assert isinstance(load("tests/data/linear.pb"), GraphDef)
    assert tell("summarize", "tests/data/linear.pb")[1].startswith("GraphDef")
