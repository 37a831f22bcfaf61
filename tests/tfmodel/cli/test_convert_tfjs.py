"""`tfmodel convert` from and to TensorFlow.js, and other commands on its models."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

import tfmodel
from tests.tfmodel.tfjs_models import write_model
from tfmodel.cli import main
from tfmodel.messages import GraphDef, MetaGraphDef

CONVNET = Path(__file__).resolve().parents[2] / "data" / "convnet.pb"


@pytest.fixture
def run(capsys):
    """Runs a command and gives its status, its output and what it says on stderr."""

    def run(*arguments):
        try:
            status = main([*map(str, arguments)])
        except SystemExit as exit:
            status = exit.code
        return status, *capsys.readouterr()

    return run


class TestFromTfjs:
    def test_a_frozen_graph(self, tmp_path, run):
        write_model(tmp_path / "web")
        assert run("convert", tmp_path / "web", tmp_path / "frozen.pb")[:2] == (0, "")
        graph = tfmodel.load(tmp_path / "frozen.pb")
        assert isinstance(graph, GraphDef)
        assert graph == tfmodel.load(tmp_path / "web", GraphDef)

    def test_a_meta_graph_keeps_the_signature(self, tmp_path, run):
        path = write_model(tmp_path / "web")
        assert run("convert", path, tmp_path / "m.meta")[:2] == (0, "")
        assert tfmodel.load(tmp_path / "m.meta") == tfmodel.load(path)
        assert run("convert", path, tmp_path / "m.pb", "--type", "MetaGraphDef")[:2] == (0, "")
        assert isinstance(tfmodel.load(tmp_path / "m.pb"), MetaGraphDef)

    def test_text(self, tmp_path, run):
        status, out, err = run("convert", write_model(tmp_path), "-", "--to", "text")
        assert (status, err) == (0, "")
        assert out.startswith('node {\n  name: "x"\n  op: "Placeholder"\n')

    @pytest.mark.parametrize(
        ("command", "words"),
        [
            (["summarize"], "inputs         x  float32[?,2]"),
            (["dump", "--node", "w"], 'op: "Const"'),
            (["weights"], "w     MatMul   matrix  float32  [2,3]"),
            (["check"], "sound and safe (6 nodes, 1 signature)"),
            (["find", "op=MatMul"], "xw"),
            (["run", "--feed", "x=[[1,1]]", "--fetch", "y"], "y: float32[1,3] = [[5.5, 0. , 9. ]]"),
            (["ops"], "the model can be run"),
        ],
    )
    @pytest.mark.parametrize("folder", [True, False])
    def test_other_commands(self, tmp_path, run, command, words, folder):
        path = write_model(tmp_path)
        status, out, _ = run(command[0], tmp_path if folder else path, *command[1:])
        assert status == 0
        assert words in out

    def test_raw_bytes(self, tmp_path, run):
        status, out, err = run("dump", write_model(tmp_path), "--format", "raw")
        assert (status, out) == (2, "")
        assert err.endswith("this is a TensorFlow.js model: it has no wire data for --format raw to show\n")


class TestToTfjs:
    def test_the_line_on_stderr_and_the_written_model(self, tmp_path, run):
        folder = tmp_path / "web"
        status, out, err = run("convert", CONVNET, folder, "--to", "tfjs", "--inputs=image", "--outputs=scores")
        assert (status, out) == (0, "")
        assert err == f"{folder}: model.json and 1 file of weights, 52,480 bytes; inputs: image; outputs: scores\n"
        feed = {"image": np.ones((1, 16, 16, 3), "f4")}
        assert np.array_equal(
            tfmodel.Model(folder).run(feed)["scores"], tfmodel.Model(CONVNET).run(feed, "scores")["scores"]
        )

    def test_options(self, tmp_path, run):
        options = ["--quantize-uint8=*conv2d/*,*conv2d_1/*", "--quantize-float16=*", "--weight-shard-size-bytes=10k"]
        status, _, err = run("convert", CONVNET, tmp_path / "a", "--to=tfjs", *options)
        assert (status, "would be quantized to float16 and to uint8" in err) == (2, True)
        assert not os.path.exists(tmp_path / "a")
        options[1] = "--quantize-float16=*dense*"
        assert run("convert", CONVNET, tmp_path / "a", "--to=tfjs", *options)[0] == 0
        manifest = json.loads((tmp_path / "a" / "model.json").read_text())["weightsManifest"][0]
        assert len(manifest["paths"]) == 5
        dtypes = {entry.get("quantization", {}).get("dtype") for entry in manifest["weights"]}
        assert dtypes == {"uint8", "float16", None}

    def test_changed_weights_and_unknown_ops_are_named(self, tmp_path, run):
        text = """
            node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_INT64 } }
                   attr { key: "value" value { tensor { dtype: DT_INT64 tensor_shape {} int64_val: 5000000000 } } } }
            node { name: "y" op: "PopulationCount" input: "c" attr { key: "T" value { type: DT_INT64 } } }"""
        graph = tfmodel.load(text.encode(), GraphDef)
        tfmodel.save(graph, tmp_path / "g.pb")
        _, _, err = run("convert", tmp_path / "g.pb", tmp_path / "web", "--to", "tfjs", "--outputs", "y")
        assert 'weights that became the nearest numbers of int32: "c"\n' in err
        assert "TensorFlow.js does not have these ops: PopulationCount\n" in err

    @pytest.mark.parametrize(
        ("options", "status", "words"),
        [
            (["web", "--to=tfjs", "--type=GraphDef"], 2, "--type does not go with --to tfjs: leave it out"),
            (["web", "--to=tfjs", "--from=binary"], 2, "--from does not go with --to tfjs: leave it out"),
            (["web", "--to=tfjs", "--deterministic"], 2, "--deterministic does not go with --to tfjs"),
            (["web", "--to=tfjs", "--assets=words.txt"], 2, "--assets does not go with --to tfjs"),
            (["web", "--to=tfjs", "--signature=s=x:y"], 2, "with --to tfjs, --signature names one signature"),
            (["-", "--to=tfjs"], 2, "a TensorFlow.js model is a folder: name it as OUT"),
            (["web", "--to=tfjs", "--weight-shard-size-bytes=0"], 2, "--weight-shard-size-bytes must be at least 1"),
            (["web", "--to=tfjs", "--signature=s"], 2, 'there is no signature "s"'),
            (["web", "--to=tfjs", "--tags=serve"], 2, "--tags chooses a MetaGraph of a SavedModel"),
            (["web", "--to=tfjs", "--outputs=scoers"], 2, 'did you mean "scores"?'),
            ([".", "--to=tfjs"], 2, "this folder is there already, and not empty"),
            (["no/where", "--to=tfjs"], 2, "there is no folder no to write it to"),
        ],
    )
    def test_refusals(self, tmp_path, run, monkeypatch, options, status, words):
        (tmp_path / "there").touch()
        monkeypatch.chdir(tmp_path)
        actual, _, err = run("convert", CONVNET, *options)
        assert (actual, words in err) == (status, True), err
        assert os.listdir(tmp_path) == ["there"]


def test_a_pattern_that_matches_no_weight_is_an_error(tmp_path, capsys):
    assert main(["convert", "tests/data/convnet.pb", f"{tmp_path}/m", "--to", "tfjs", "--quantize-uint8=nosuch*"]) == 2
    assert 'weights is called "nosuch*"' in capsys.readouterr().err
    assert not (tmp_path / "m").exists()
