"""Cases whose inputs and outputs no signature names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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
