"""Cases whose inputs and outputs no signature names."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tfmodel
from tests.support.cases import cases, needs_cases, run_module

pytestmark = needs_cases

RIGHT = {
    "seq2seq_teacher_forcing": (["source_ids"], ["decoder_1/sample_id"]),
    "ddpg_actor": (["state"], ["scaled_action"]),
    "bert_encoder": (["input_ids"], ["bert/pooler/dense/Tanh", "bert/encoder/Reshape_5"]),
    "crf_decode": (["x"], ["tags"]),
    "train_tower_with_dropout": (["x"], ["test_predict"]),
    "fixed_batch": (["x"], ["prob"]),
}


@pytest.mark.parametrize("name", RIGHT)
def test_summarize_and_optimize_choose_what_a_user_feeds_and_fetches(name: str, tmp_path: Path):
    inputs, outputs = RIGHT[name]
    model = cases / "field" / name / "model.meta"
    summary = json.loads(run_module("tfmodel", "summarize", model, "--json").stdout)
    assert [end["tensor"].removesuffix(":0") for end in summary["inputs"] if end["is_likely"]] == inputs
    assert [end["tensor"].removesuffix(":0") for end in summary["outputs"] if end["is_likely"]] == outputs
    done = run_module("tfmodel", "optimize", model, "-o", tmp_path / "out.pb")
    assert done.returncode == 0
    assert f"inputs: {', '.join(inputs)}," in done.stderr + done.stdout
    assert f"outputs: {', '.join(outputs)}," in done.stderr + done.stdout


def test_data_with_a_default_is_an_input_of_every_command(tmp_path: Path):
    model = cases / "field" / "placeholder_with_default" / "retrained.pb"
    done = run_module("tfmodel", "optimize", model, "-o", tmp_path / "out.pb")
    assert done.returncode == 0
    assert "inputs: BottleneckInputPlaceholder," in done.stdout + done.stderr
    assert run_module("tfmodel", "convert", model, f"{tmp_path}/model/").returncode == 0
    summary = json.loads(run_module("tfmodel", "summarize", tmp_path / "model", "--json").stdout)
    assert [end["tensor"] for end in summary["inputs"]] == ["BottleneckInputPlaceholder:0"]


def test_outputs_of_a_frozen_training_graph_are_its_predictions():
    model = cases / "field" / "frozen_all_nodes" / "allnodes.pb"
    summary = json.loads(run_module("tfmodel", "summarize", model, "--json").stdout)
    assert [end["tensor"] for end in summary["outputs"] if end["is_likely"]] == ["prob:0"]
    assert not summary["outputs"][0]["tensor"].startswith("gradients/")


def test_a_graph_is_verified_with_the_batch_that_it_has_built_in(tmp_path: Path):
    model = cases / "field" / "fixed_batch" / "model.meta"
    done = run_module("tfmodel", "optimize", model, "-o", tmp_path / "out.pb", "--verify")
    assert done.returncode == 0
    assert (tmp_path / "out.pb").exists()
    assert "float32[8,5]: equal" in done.stdout + done.stderr


@pytest.mark.parametrize("option", [[], ["--function", "__call__"]])
def test_a_function_without_a_signature_is_optimized(option: list[str], tmp_path: Path):
    folder = cases / "field" / "function_only_saved_model"
    assert run_module("tfmodel", "optimize", folder / "sm", *option, "-o", tmp_path / "out.pb").returncode == 0
    expected = np.load(folder / "expected.npz")
    model = tfmodel.Model(tmp_path / "out.pb")
    [result] = model.run({model.inputs[0].name: expected["x"]}).values()
    assert np.allclose(result, expected["result"])


def test_a_function_becomes_the_default_signature(tmp_path: Path):
    folder = cases / "field" / "function_only_saved_model"
    alias = "serving_default=__call__"
    done = run_module("tfmodel", "convert", folder / "sm", f"{tmp_path}/sm/", "--signature", alias)
    assert done.returncode == 0
    assert [*tfmodel.Model(tmp_path / "sm").signatures] == ["serving_default"]


def test_the_text_for_opencv_has_no_constants(tmp_path: Path):
    model = cases / "field" / "opencv_pbtxt" / "o.pb"
    assert run_module("tfmodel", "convert", model, tmp_path / "o.pb", "--to", "opencv").returncode == 0
    assert "Const" not in {node.op for node in tfmodel.load(tmp_path / "o.pbtxt").node}
    assert tfmodel.load(tmp_path / "o.pb") == tfmodel.load(model)
