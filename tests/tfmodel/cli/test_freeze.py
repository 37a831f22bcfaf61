"""`tfmodel freeze`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.tfmodel.files.bad_files import BAD_FILES, WITH_SOURCE, write_bad_file
from tests.tfmodel.freezing.models import case, nodes_of
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel import load
from tfmodel.cli import runner
from tfmodel.files.checkpoints.writing import write_checkpoint
from tfmodel.messages import GraphDef

ROOT = Path(__file__).resolve().parents[3]
REF = case("ref_variables").model.with_suffix("")


@pytest.fixture
def freeze(capsys):
    """Runs the command, and gives its status, what it says on stdout, and on stderr."""

    def freeze(*arguments):
        status = runner.run("freeze", ".freeze", "", list(map(str, arguments)))
        out, err = capsys.readouterr()
        return status, out, err.rstrip("\n")

    return freeze


@pytest.fixture
def target(tmp_path):
    return tmp_path / "frozen.pb"


class TestDone:
    def test_a_saved_model(self, freeze, target):
        model = case("keras_dense")
        said = "34 nodes, 8 variables frozen; inputs: serving_default_features; outputs: StatefulPartitionedCall"
        assert freeze(model.model, "-o", target) == (0, "", f"{target}: {said}")
        assert load(target, GraphDef) == model.freeze()
        assert target.read_bytes() == model.freeze().to_bytes(deterministic=True)

    def test_a_graph_with_its_checkpoint(self, freeze, target):
        assert freeze(REF, "--outputs", "y", "-o", target)[:2] == (0, "")
        assert load(target, GraphDef) == case("ref_variables").freeze(clear_devices=True)

    def test_without_a_signature_the_outputs_are_the_likely_ones(self, freeze, target):
        status, _, said = freeze(REF, "-o", target)
        assert (status, said.split("\n")[0]) == (0, "outputs: y, guessed: --outputs names others if that is wrong")
        assert load(target, GraphDef) == case("ref_variables").freeze(clear_devices=True)

    def test_a_bound_tensor_is_a_constant(self, freeze, target):
        model = case("keras_dense").model
        assert freeze(model, "--bind", "features=[[1, 2, 3, 4]]", "-o", target)[0] == 0
        nodes = {node.name: node.op for node in load(target, GraphDef).node}
        assert "Placeholder" not in nodes.values()

    @pytest.mark.parametrize("suffix", [".pbtxt", ".json", ".pb", ".frozen"])
    def test_the_suffix_chooses_the_format(self, freeze, tmp_path, suffix):
        path = tmp_path / f"out{suffix}"
        assert freeze(REF, "--outputs", "y", "-o", path)[0] == 0
        assert path.read_bytes()[:1] == {".pbtxt": b"n", ".json": b"{"}.get(suffix, b"\n")
        assert load(path, GraphDef) == case("ref_variables").freeze(clear_devices=True)

    @pytest.mark.parametrize("option", [["--signature", "second"], ["--signature=second"]])
    def test_a_signature(self, freeze, target, option):
        model = case("tf_function_signatures")
        assert freeze(model.model, *option, "-o", target)[0] == 0
        assert load(target, GraphDef) == model.freeze(signature="second")

    @pytest.mark.parametrize("option", ["--tag-set", "--tag_set", "--tags", "--saved_model_tags"])
    def test_tags(self, freeze, target, option):
        model = case("saved_model_v1").model
        assert freeze(model, f"{option}=serve,gpu", "-o", target, "--signature=scale")[0] == 0
        status, _, said = freeze(model, f"{option}=gpu", "-o", target, "--signature=scale")
        assert status == 2 and "there are: serve; gpu,serve" in said

    def test_to_standard_output(self):
        command = "import sys; from tfmodel.cli.runner import run; sys.exit(run('freeze', '.freeze', '', sys.argv[1:]))"
        arguments = [sys.executable, "-c", command, REF, "--outputs=y", "-o", "-"]
        done = subprocess.run(arguments, cwd=ROOT, capture_output=True, check=True)
        assert GraphDef.from_bytes(done.stdout) == case("ref_variables").freeze(clear_devices=True)

    def test_variables_that_a_run_writes_are_named(self, freeze, target, tmp_path):
        nodes = ["x = Placeholder[dtype=float]", "y = Identity(v)[T=float]"]
        for name in "uvw":
            nodes += [f"{name} = VariableV2[dtype=float, shape=()]", f"add_{name} = AssignAdd({name}, x)[T=float]"]
        graph = graph_of("\n".join([*nodes, "all = Neg(y, ^add_u, ^add_v)[T=float]"]))
        (tmp_path / "graph.pb").write_bytes(graph.to_bytes())
        write_checkpoint(tmp_path / "saved", dict.fromkeys("uvw", np.float32(0.5)))
        call = [tmp_path / "graph.pb", "--checkpoint", tmp_path / "saved", "-o", target, "--outputs"]
        assert freeze(*call, "all")[2].splitlines()[0] == (
            'each run of the model writes the variables "u", "v"; the frozen graph does not keep the new values, so '
            "every run gives the result of the first run"
        )
        assert len(freeze(*call, "y")[2].splitlines()) == 1


class TestFlagsOfFreezeGraph:
    """The flags of TensorFlow's command line work, but for those that need a session: see test_options.py."""

    def test_all_that_have_an_effect(self, freeze, target):
        status, _, _ = freeze(
            f"--input_graph={REF}.meta",
            "--input_saver=",
            f"--input_checkpoint={REF}",
            "--checkpoint_version=",
            f"--output_graph={target}",
            "--input_binary=true",
            "--output_node_names= y , w",
            "--restore_op_name=",
            "--filename_tensor_name=",
            "--clear_devices=true",
            "--initializer_nodes=",
            "--input_meta_graph=",
            "--variable_names_whitelist=",
            "--variable_names_denylist=",
            "--input_saved_model_dir=",
        )
        assert status == 0
        assert nodes_of(load(target, GraphDef)).keys() == nodes_of(case("ref_variables").freeze()).keys()

    @pytest.mark.parametrize("model", ["--input_meta_graph", "--input-meta-graph", "--input_graph"])
    def test_the_model_may_be_positional_or_an_option(self, freeze, target, model):
        assert freeze(model, f"{REF}.meta", "--output_node_names", "y", "--output_graph", target)[0] == 0

    def test_the_folder_of_a_saved_model(self, freeze, target):
        model = f"--input_saved_model_dir={case('keras_dense').model}"
        assert freeze(model, "--saved_model_tags=serve", f"--output_graph={target}")[0] == 0
        assert "serving_default_features" in nodes_of(load(target, GraphDef))

    @pytest.mark.parametrize(
        "option",
        [
            "--variable_names_denylist",
            "--variable-names-blacklist",
            "--variable_names_blacklist",
            "--denylist",
        ],
    )
    def test_denylist(self, freeze, target, option):
        assert freeze(REF, "--outputs=y", "-o", target, f"{option}=b")[0] == 0
        assert nodes_of(load(target, GraphDef))["b"].op == "VariableV2"

    @pytest.mark.parametrize(
        "option",
        [
            "--variable_names_whitelist",
            "--variable-names-whitelist",
            "--variable_names_allowlist",
            "--allowlist",
        ],
    )
    def test_whitelist(self, freeze, target, option):
        assert freeze(REF, "--outputs=y", "-o", target, f"{option}=w")[0] == 0
        nodes = nodes_of(load(target, GraphDef))
        assert (nodes["b"].op, nodes["w"].op) == ("VariableV2", "Const")

    @pytest.mark.parametrize(
        ("option", "device"),
        [
            (["--clear_devices"], ""),
            (["--clear_devices=true"], ""),
            ([], ""),
            (["--clear_devices=False"], "/gpu:1"),
            (["--clear-devices", "false"], "/gpu:1"),
        ],
    )
    def test_devices(self, freeze, target, tmp_path, option, device):
        graph = load(f"{REF}.meta", GraphDef)
        nodes_of(graph)["y"].device = "/gpu:1"
        (tmp_path / "graph.pb").write_bytes(graph.to_bytes())
        arguments = [tmp_path / "graph.pb", "--checkpoint", REF, "--outputs=y", "-o", target, *option]
        assert freeze(*arguments)[0] == 0
        assert nodes_of(load(target, GraphDef))["y"].device == device


class TestFailing:
    @pytest.mark.parametrize("name", BAD_FILES)
    def test_bad_input(self, freeze, target, tmp_path, name):
        path = write_bad_file(name, tmp_path)
        status, out, said = freeze(path, "--outputs=y", "-o", target)
        assert (status, out) == (2, "")
        assert said.startswith(str(path)) and BAD_FILES[name] in said
        assert len(said.split("\n")) == (3 if name in WITH_SOURCE else 1)
        assert not target.exists()

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            (["--outputs=yy"], 'ref_variables/model.meta: there is no tensor "yy"'),
            (["--bind=yy=1"], 'ref_variables/model.meta: there is no node "yy"'),
            (["--outputs=y", "--checkpoint=gone"], "there is no checkpoint gone; name the right one with --checkpoint"),
            (["--outputs=y", "--signature=serving"], 'there is no signature "serving"; there are: none'),
            (["--outputs=y", "--denylist=bb"], 'there is no variable "bb"'),
        ],
    )
    def test_requests_that_cannot_be_met(self, freeze, target, arguments, problem):
        target.write_bytes(b"as it was")
        status, out, said = freeze(REF, *arguments, "-o", target)
        assert (status, out) == (2, "")
        assert problem in said and "\n" not in said
        assert target.read_bytes() == b"as it was"
        assert os.listdir(target.parent) == [target.name]  # nothing temporary is left

    def test_a_value_that_is_missing(self, freeze, target):
        other = case("resource_variables").model.with_suffix("")
        status, _, said = freeze(REF, "--outputs=y", "--checkpoint", other, "-o", target)
        assert status == 2 and 'has no value for the 2 variables: "w", "b"' in said
        assert not target.exists()

    def test_a_checkpoint_that_is_damaged(self, freeze, target, tmp_path):
        for suffix in (".meta", ".index", ".data-00000-of-00001"):
            data = bytearray(Path(f"{REF}{suffix}").read_bytes())
            if suffix.startswith(".data"):
                data[3] ^= 1
            (tmp_path / f"model{suffix}").write_bytes(data)
        status, _, said = freeze(tmp_path / "model", "--outputs=y", "-o", target)
        assert status == 2 and "model.data-00000-of-00001" in said and "CRC" in said
        assert not target.exists()

    def test_freezing_twice(self, freeze, target):
        assert freeze(REF, "--outputs=y", "-o", target)[0] == 0
        before = target.read_bytes()
        status, _, said = freeze(target, "--outputs=y", "-o", target)
        assert status == 0 and f"{target}: it has no variables, so it was frozen before" in said
        assert target.read_bytes() == before

    def test_unwritable_targets_are_errors(self, freeze, tmp_path):
        assert "this is a folder" in freeze(REF, "--outputs=y", "-o", tmp_path)[2]
        assert "leave out .gz" in freeze(REF, "--outputs=y", "-o", tmp_path / "out.pb.gz")[2]
        assert "there is no folder" in freeze(REF, "--outputs=y", "-o", tmp_path / "gone" / "out.pb")[2]

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            (["-o", "out.pb"], "there is no model to freeze"),
            ([REF], "there is no file to write the frozen graph to"),
            ([REF, "--input_graph=other.pb", "-o", "out.pb"], "both given as the model"),
            ([REF, "--clear_devices=perhaps", "-o", "out.pb"], "neither true nor false"),
            ([REF, "--outpts=y", "-o", "out.pb"], 'unrecognized arguments: --outpts=y; did you mean "--outputs"?'),
        ],
    )
    def test_usage(self, freeze, arguments, problem):
        status, out, said = freeze(*arguments)
        assert (status, out) == (2, "")
        assert problem in said
