"""Messages of commands about models and files are true, appear once, and say what to do."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from pbwire.wellknown import Any
from tests.tfmodel import models
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel import save
from tfmodel.cli import main
from tfmodel.files.checkpoints.writing import write_checkpoint
from tfmodel.interpreter import run as run_model
from tfmodel.messages import CollectionDef, FunctionDef, FunctionDefLibrary, MetaGraphDef, NodeDef, OpDef
from tfmodel.optimizer import optimize
from tfmodel.starting import command_prefix

TRAINED = Path(__file__).resolve().parents[2] / "data" / "trained"

TRAINING = """
    x = Placeholder[dtype=float, shape=(2)]
    y = Relu(x)[T=float]
    name = Const[dtype=string, value=string{"m"}()]
    names = Const[dtype=string, value=string{"v"}]
    slices = Const[dtype=string, value=string{""}]
    save = SaveV2(name, names, slices, x)[dtypes=[float]]
"""


@pytest.fixture
def tell(capsys):
    """Return the exit status, stdout and stderr of a command."""

    def tell(*arguments):
        status = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return status, out, err

    return tell


@pytest.fixture
def written(tmp_path):
    def written(text, name="graph.pb"):
        save(graph_of(text), tmp_path / name)
        return tmp_path / name

    return written


class TestWhetherAModelCanBeRun:
    def test_ops_that_only_save_the_model_need_no_kernel(self, tell, written):
        path = written(TRAINING)
        status, out, _ = tell("ops", path)
        assert (status, out.splitlines()[-1]) == (
            0,
            "the model can be run: its outputs do not need the 1 op without a kernel",
        )
        assert "SaveV2            1  no kernel, not needed for the outputs\n" in out
        summary = tell("summarize", path, "--all")[1]
        assert "runs on NumPy  yes (without a kernel, and not needed for the outputs: SaveV2)\n" in summary
        assert set(run_model(graph_of(TRAINING), {"x": np.float32([1, 2])}, "y")) == {"y"}

    def test_ops_that_its_outputs_need_require_a_kernel(self, tell, written):
        path = written(TRAINING.replace("Relu", "Mystery"))
        status, out, _ = tell("ops", path)
        assert (status, out.splitlines()[-1]) == (1, "the model cannot be run: its outputs need 1 op without a kernel")
        rows = {row["op"]: row for row in json.loads(tell("ops", path, "--json")[1])["ops"]}
        assert rows["Mystery"] == {"op": "Mystery", "nodes": 1, "needed": 1, "kernel": False}
        assert rows["SaveV2"] == {"op": "SaveV2", "nodes": 1, "needed": 0, "kernel": False}
        assert (
            "runs on NumPy  no: there is no kernel for Mystery (1: y) (without" in tell("summarize", path, "--all")[1]
        )

    @pytest.mark.parametrize(("result", "status"), [("used:y:0", 1), ("x", 0)])
    def test_functions_count_as_far_as_their_results_need_them(self, tell, tmp_path, result, status):
        graph = graph_of("x = Placeholder[dtype=float, shape=(2)]\ny = f(x)")
        argument, output = OpDef.ArgDef(name="x", type=1), OpDef.ArgDef(name="r", type=1)
        body = [NodeDef(name="used", op="Mystery", input=["x"])]
        signature = OpDef(name="f", input_arg=[argument], output_arg=[output])
        function = FunctionDef(signature=signature, node_def=body, ret={"r": result})
        graph.library = FunctionDefLibrary(function=[function])
        save(graph, tmp_path / "graph.pb")
        assert tell("ops", tmp_path / "graph.pb")[0] == status


class TestVerificationOnRandomInputs:
    OTHER = TRAINING.replace("Relu", "Elu")

    def test_a_difference_says_that_inputs_were_random(self, tell, written):
        status, out, _ = tell("verify", written(TRAINING), written(self.OTHER, "b.pb"), "--outputs=y", "--seed=1")
        assert status == 1
        lines = [line for line in out.splitlines() if line.startswith("y: ")]
        assert lines and all(line.endswith(" (on random inputs; try --feed)") for line in lines)

    def test_real_inputs_are_not_mentioned(self, tell, written):
        options = ["--outputs=y", "--feed=x=[-1, 2]"]
        out = tell("verify", written(TRAINING), written(self.OTHER, "b.pb"), *options)[1]
        assert "differs by" in out and "random" not in out

    @pytest.mark.parametrize(("options", "made_up"), [([], ["x"]), (["--feed=x=[-1, 2]"], [])])
    def test_json_has_the_inputs_that_were_made_up(self, tell, written, options, made_up):
        path = written(TRAINING)
        assert json.loads(tell("verify", path, path, "--outputs=y", "--json", *options)[1])["made_up"] == made_up

    @pytest.mark.parametrize("command", ["transform", "optimize"])
    def test_recipes_say_so(self, tell, written, tmp_path, command):
        many = ", ".join(str(n % 97 / 7) for n in range(1200))
        path = written(f"""
            x = Placeholder[dtype=float, shape=(-1, 3)]
            w = Const[dtype=float, value=float{{{many}}}(3, 400)]
            y = MatMul(x, w)[T=float]
        """)
        options = ["-o", tmp_path / "out.pb", "--inputs=x", "--outputs=y", "--recipe=mobile"]
        options += ["--verify"] if command == "transform" else []
        assert "of the largest" in (err := tell(command, path, *options)[2])
        assert " (on random inputs; try --feed)\n" in err
        feed = "--feed=x=[[1, 2, 3]]"
        assert "random inputs" not in tell(command, path, *options, feed)[2]


@pytest.mark.parametrize("command", ["transform", "optimize"])
def test_a_graph_that_became_larger_is_reported_with_the_step(tell, written, tmp_path, command):
    path = written("""
        start = Const[dtype=int32, value=int32{0}()]
        limit = Const[dtype=int32, value=int32{5000}()]
        step = Const[dtype=int32, value=int32{1}()]
        range = Range(start, limit, step)[Tidx=int32]
        x = Placeholder[dtype=int32, shape=()]
        y = Add(x, range)[T=int32]
    """)
    options = ["--recipe=deploy"] if command == "transform" else []
    status, _, err = tell(command, path, "-o", tmp_path / "out.pb", "--inputs=x", "--outputs=y", *options)
    assert status == 0
    assert "the graph became larger, " in err
    assert "; most of it in fold_constants, " in err


class TestCheckpoints:
    @pytest.fixture
    def prefix(self, tmp_path):
        write_checkpoint(tmp_path / "m", {f"v{number}": np.float32([number] * 8) for number in range(357)})
        return tmp_path / "m"

    def test_a_missing_data_file_is_one_problem(self, tell, prefix):
        data = Path(f"{prefix}.data-00000-of-00001")
        data.unlink()
        status, out, _ = tell("checkpoint", prefix, "--verify")
        assert (status, out.splitlines()) == (
            1,
            [
                f"{data}: this data file is missing; there is no data file at all; "
                '357 tensors are in it: "v0", "v1", "v10" and 354 more',
                "damaged: 1 problem, 357 tensors looked at",
            ],
        )

    def test_a_data_file_that_was_cut_is_one_problem(self, tell, prefix):
        data = Path(f"{prefix}.data-00000-of-00001")
        data.write_bytes(data.read_bytes()[:-64])
        out = tell("checkpoint", prefix, "--verify")[1].splitlines()
        assert out[0].startswith(f"{data}: this data file ends after 11,360 bytes; 2 tensors are in it: ")
        assert len(out) == 2

    @pytest.mark.parametrize("command", ["summarize", "dump --type=GraphDef", "draw", "ops"])
    def test_an_error_about_an_index_names_the_command_for_it(self, tell, prefix, command):
        words = command.split()
        err = tell(words[0], f"{prefix}.index", *words[1:])[2]
        assert err.endswith("which holds no graph: tfmodel checkpoint lists its tensors\n")

    @pytest.mark.parametrize("command", ["summarize", "check", "dump"])
    def test_version_1_in_a_folder_is_found(self, tell, tmp_path, command):
        shutil.copy(TRAINED / "model.index", tmp_path / "model.ckpt")  # both end like a table
        (tmp_path / "notes.txt").write_text("x" * 100)
        problem = "this folder is not a SavedModel, but has a checkpoint of version 1; give its file: model.ckpt"
        assert tell(command, tmp_path)[2] == f"{tmp_path}: {problem}\n"
        assert "there are files of version 1: model.ckpt; give one of them\n" in tell("checkpoint", tmp_path)[2]


def test_nodes_without_edges_are_not_said_to_use_each_other(tell, written):
    out = tell("summarize", written("a = NoOp\nb = NoOp"), "--all")[1]
    assert "outputs: none; no node computes a result that no other node uses\n" in out


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ("-1, 0", "has 6 elements, shape [-1,0] needs none"),
        ("-1, 4", "has 6 elements, shape [-1,4] needs a multiple of 4"),
        ("5", "has 6 elements, shape [5] needs 5"),
    ],
)
def test_a_shape_that_does_not_fit_the_elements_is_an_error(tell, written, sizes, words):
    path = written(f"""
        x = Const[dtype=float, value=float{{1, 2, 3, 4, 5, 6}}]
        shape = Const[dtype=int32, value=int32{{{sizes}}}]
        y = Reshape(x, shape)[T=float]
    """)
    assert words in tell("run", path, "--fetch=y")[2]


def test_an_onnx_model_is_a_model_of_another_kind(tell, tmp_path):
    node = b"\x0a\x01x\x12\x01y\x22\x04Relu"
    onnx = b"\x08\x07\x12\x07pytorch\x3a" + bytes([len(node) + 2]) + b"\x0a" + bytes([len(node)]) + node
    (tmp_path / "m.onnx").write_bytes(onnx)
    words = "this is an ONNX model, not a TensorFlow model: tfmodel summarize describes it, "
    assert tell("check", tmp_path / "m.onnx")[2].endswith(f": {words}tfmodel dump and tfmodel convert read it\n")


def test_a_message_without_a_graph_has_the_right_article(tell, tmp_path):
    save(models.op_list(), tmp_path / "ops.pb")
    assert "this is an OpList, not a GraphDef" in tell("diff", tmp_path / "ops.pb", tmp_path / "ops.pb")[2]


@pytest.mark.parametrize("name", ["gone/out", "gone/out.npz"])
@pytest.mark.parametrize(
    "call",
    [
        ["run", TRAINED / "model.meta", "--random", "--fetch=y"],
        ["checkpoint", TRAINED],
        ["weights", TRAINED],
    ],
    ids=lambda call: call[0],
)
def test_arrays_are_not_written_to_a_folder_inside_of_a_missing_one(tell, tmp_path, call, name):
    status, _, err = tell(*call, "-o", tmp_path / name)
    assert (status, err) == (2, f"{tmp_path / name}: there is no folder {tmp_path}/gone to write it to\n")
    assert not any(tmp_path.iterdir())


class TestNamesOfTensors:
    """Text other than a number behind the colon was ignored, or the suggestion was the same name again."""

    CALLS = {
        "freeze": ["freeze", TRAINED / "model.meta", "-o", "OUT", "--outputs=NAME"],
        "run": ["run", TRAINED / "model.meta", "--random", "--fetch=NAME"],
        "transform": ["transform", TRAINED / "model.meta", "--dry-run", "--outputs=NAME", "--transforms=remove_device"],
    }

    @pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
    def test_the_port_is_a_number(self, tell, tmp_path, call):
        words = [tmp_path / "out.pb" if word == "OUT" else str(word).replace("NAME", "y:x") for word in call]
        status, _, err = tell(*words)
        assert status == 2
        assert 'there is no tensor "y:x"; write "y", or a number after the colon\n' in err

    def test_the_error_lists_the_outputs_of_the_node(self, tell):
        err = tell("run", TRAINED / "model.meta", "--random", "--fetch=y:3")[2]
        assert err.endswith('Relu "y" has no output 3: it has 1 output, "y:0"\n')


class TestHintsFitTheCommand:
    """Hints name an option of the command or another command, never a Python argument."""

    GRAPH = "v = VariableV2[dtype=float, shape=(2)]\ny = Relu(v)[T=float]"

    @pytest.mark.parametrize(
        ("command", "hint"),
        [
            ("run FILE --fetch=y", "name its checkpoint with --checkpoint, or freeze the model first"),
            (
                "transform FILE --dry-run --outputs=y --verify --transforms=remove_device",
                "name its checkpoint with --checkpoint, or freeze the model first",
            ),
        ],
    )
    def test_a_variable_without_a_value(self, tell, written, command, hint):
        path = written(self.GRAPH)
        err = tell(*(path if word == "FILE" else word for word in command.split()))[2]
        assert 'the variable "v" has no value: ' in err
        assert hint in err

    @pytest.mark.slow(reason="measures the memory that large inputs take")
    @pytest.mark.parametrize("command", ["dump", "summarize"])
    def test_too_much_in_an_archive(self, tell, tmp_path, command):
        (tmp_path / "m.pb.gz").write_bytes(gzip.compress(bytes(100_000_000)))
        option = "" if command == "dump" else f"{command_prefix()} convert "
        assert tell(command, tmp_path / "m.pb.gz")[2].endswith(f"or allow more with {option}--max-unpacked\n")

    def test_a_message_that_json_cannot_have(self, tell, tmp_path):
        any_list = CollectionDef.AnyList(value=[Any(type_url="x/no.Such", value=b"1")])
        save(MetaGraphDef(collection_def={"c": CollectionDef(any_list=any_list)}), tmp_path / "m.meta")
        err = tell("convert", tmp_path / "m.meta", tmp_path / "m.json")[2]
        assert err.endswith("without its class: name the .proto file that declares it with --proto\n")

    def test_guessed_inputs(self, tell, written, tmp_path):
        path = written("c = Const[dtype=float, value=float{1}()]\ny = Relu(c)[T=float]")
        err = tell("optimize", path, "-o", tmp_path / "out.pb")[2]
        assert "inputs: none found\noutputs: y, guessed: --inputs and --outputs name others\n" in err


class TestCheckpointsThatAreNotThere:
    @pytest.fixture
    def folder(self, tmp_path):
        shutil.copy(TRAINED / "model.meta", tmp_path)
        return tmp_path

    @pytest.mark.parametrize("command", ["freeze", "optimize"])
    @pytest.mark.parametrize("name", ["", "model", "model.meta"])
    def test_the_hint_does_not_depend_on_the_spelling_of_the_path(self, tell, folder, command, name):
        path = folder / name
        err = tell(command, path, "-o", folder / "out.pb", "--outputs=y")[2]
        problem = 'a checkpoint is needed for 2 variables ("layer/weights", "layer/bias")'
        assert err.splitlines()[-1] == f"{folder}/model.meta: {problem}, but there is none at {folder}/model"

    def test_the_state_file_leads_to_its_folder(self, tell, folder):
        (folder / "checkpoint").write_text('model_checkpoint_path: "model"\n')
        err = tell("checkpoint", folder / "checkpoint")[2]
        assert err.endswith(f", not a checkpoint: it names the checkpoints of its folder; give the folder, {folder}\n")

    def test_an_index_that_was_not_written(self, tell, folder):
        (folder / "model.index").touch()
        err = tell("checkpoint", folder / "model")[2]
        problem = "this is an empty file (0 bytes): the program that should have written it did not"
        assert err == f"{folder}/model.index: {problem}\n"

    def test_a_fingerprint_is_not_a_model(self, tell, tmp_path):
        (tmp_path / "fingerprint.pb").write_bytes(b"\x08\x01")
        assert "fingerprint" not in tell("summarize", tmp_path)[2].replace(str(tmp_path), "")


class TestDamageThatIsFoundLate:
    """Nodes are decoded when they are needed; errors in them still name the file, and the place in it."""

    CALLS = {
        "run": ["run", "FILE", "--random", "--fetch=y"],
        "verify": ["verify", "FILE", "OTHER", "--outputs=y"],
        "verify the other": ["verify", "OTHER", "FILE", "--outputs=y"],
        "transform": ["transform", "FILE", "--dry-run", "--outputs=y", "--transforms=remove_device"],
        "draw": ["draw", "FILE"],
        "diff": ["diff", "OTHER", "FILE"],
        "check": ["check", "FILE"],
        "find": ["find", "FILE", "shape=?"],
        "optimize": ["optimize", "FILE", "-o", "OUT"],
        "summarize": ["summarize", "FILE"],
    }

    def check(self, tell, written, tmp_path, call, damage):
        old, new, field = damage
        intact = written("x = Placeholder[dtype=float, shape=(2)]\ny = Relu(x)[T=float]")
        broken = tmp_path / "broken.pb"
        broken.write_bytes(intact.read_bytes().replace(old, new))
        files = {"FILE": broken, "OTHER": intact, "OUT": tmp_path / "out.pb"}
        err = tell(*(files.get(word, word) for word in call))[2].splitlines()[-1]
        assert err.startswith(f"{broken}: ") and field in err

    @pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
    def test_an_op(self, tell, written, tmp_path, call):
        self.check(tell, written, tmp_path, call, (b"Relu", b"\xffelu", "node[1].op"))

    @pytest.mark.parametrize("command", ["run", "verify", "optimize"])  # others do not look at it
    def test_an_attribute(self, tell, written, tmp_path, command):
        damage = (b"\x01T\x12\x02", b"\x01T\x12\x7f", 'node[1].attr["T"]')
        self.check(tell, written, tmp_path, self.CALLS[command], damage)


@pytest.mark.parametrize(
    ("order", "problem"),
    [
        (["b.pb", "a.pb"], '{folder}/b.pb: there is no tensor "y"'),
        (
            ["a.pb", "b.pb"],
            'unmatched in {folder}/a.pb: "y" (float32[2]); in {folder}/b.pb: "z" (int32[2]); name pairs',
        ),
    ],
)
def test_verify_says_which_model_lacks_an_output(tell, written, tmp_path, order, problem):
    written("x = Placeholder[dtype=float, shape=(2)]\ny = Relu(x)[T=float]", "a.pb")
    written("x = Placeholder[dtype=float, shape=(2)]\nz = Cast(x)[SrcT=float, DstT=int32]", "b.pb")
    _, _, err = tell("verify", *(tmp_path / name for name in order), "--outputs=y", "--feed=x=[1, 2]")
    assert problem.format(folder=tmp_path) in err


class TestZeroWeights:
    """Weights that were stripped, as tensorflowjs_model.pb has them, are noticed."""

    MODEL = """
        x = Placeholder[dtype=float, shape=(-1, 20)]
        w = Const[dtype=float, value=float{VALUES}(20, 20)]
        y = MatMul(x, w)[T=float]
    """
    NOTE = "all large constants are zero (1,600 of 1,600 bytes): the weights were probably stripped from this file"

    @pytest.fixture(params=["no values", "content"])
    def stripped(self, tmp_path, request):
        graph = graph_of(self.MODEL.replace("VALUES", "0"))
        tensor = graph.node[1].attr["value"].tensor
        tensor.float_val, tensor.tensor_content = [], bytes(1600) if request.param == "content" else b""
        save(graph, tmp_path / "stripped.pb")
        return tmp_path / "stripped.pb"

    @pytest.fixture
    def calls(self, tmp_path):
        """Return the arguments of each command for a file."""
        out = tmp_path / "out.pb"
        return lambda path: {
            "summarize": ["summarize", path],
            "run": ["run", path, "--random", "--fetch=y"],
            "verify": ["verify", path, path, "--outputs=y"],
            "optimize": ["optimize", path, "-o", out, "--inputs=x", "--outputs=y"],
            "transform": ["transform", path, "-o", out, "--outputs=y", "--verify", "--transforms=remove_device"],
        }

    @pytest.mark.parametrize("command", ["summarize", "run", "verify", "optimize", "transform"])
    def test_they_are_reported(self, tell, stripped, calls, command):
        status, out, err = tell(*calls(stripped)[command])
        assert status == 0
        assert self.NOTE in (out if command == "summarize" else err)

    def test_they_are_in_the_json_of_verify(self, tell, stripped, written):
        other = written(self.MODEL.replace("VALUES", "0"), "other.pb")
        for files, notes in (([stripped, stripped], [stripped]), ([stripped, other], [stripped, other])):
            out = tell("verify", *files, "--outputs=y", "--json")[1]
            assert json.loads(out)["zero_weights"] == [f"{file}: {self.NOTE}" for file in notes]

    def test_they_are_in_the_json_of_what_optimize_verified(self, stripped):
        verification = optimize(stripped, "x", "y").verification
        assert json.loads(verification.to_json())["zero_weights"] == [self.NOTE]

    def test_of_a_graph_with_variables_constants_are_initial_values(self, tell, written):
        path = written(self.MODEL.replace("VALUES", "0") + "v = VariableV2[dtype=float, shape=(20)]")
        assert "stripped" not in tell("summarize", path, "--all")[1]

    @pytest.mark.parametrize("command", ["summarize", "run", "verify", "optimize", "transform"])
    @pytest.mark.parametrize("values", ["1", f"{', '.join(['0'] * 200 + ['1'] * 200)}"])
    def test_others_are_not(self, tell, written, calls, values, command):
        _, out, err = tell(*calls(written(self.MODEL.replace("VALUES", values)))[command])
        assert "stripped" not in out + err
