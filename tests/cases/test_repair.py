"""Cases from the field: graphs frozen by other programs, ops that files declare, tables and iterators."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.cases import cases, needs_cases, run_module
from tfmodel import Model

pytestmark = needs_cases

FIELD = cases / "field"


def written(tmp_path, *words: object) -> Model:
    """Run a command, which must succeed, and return the model that it writes."""
    out = tmp_path / "out.pb"
    done = run_module("tfmodel", *words, "-o", out)
    assert done.returncode == 0, done.stderr
    return Model(out)


@pytest.mark.parametrize("command", ["optimize", "freeze"])
def test_values_where_handles_were_are_repaired(tmp_path, command):
    expected = np.load(FIELD / "frozen_resource_handles" / "expected.npz")
    source = FIELD / "frozen_resource_handles" / "switch.pb"
    model = written(tmp_path, command, source, "--outputs", "embeddings")
    feeds = {key: expected[key] for key in expected.files if key != "result"}
    if command == "freeze":
        feeds["phase_train"] = np.array(False)
    result = model.run(feeds, ["embeddings"])["embeddings"]
    np.testing.assert_allclose(result, expected["result"], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("command", ["optimize", "freeze"])
def test_the_assignment_of_a_constant_gives_the_value(tmp_path, command):
    expected = np.load(FIELD / "fake_quant_frozen" / "expected.npz")
    model = written(tmp_path, command, FIELD / "fake_quant_frozen" / "frozen.pb", "--outputs", "output")
    result = model.run({key: expected[key] for key in expected.files if key != "result"}, ["output"])["output"]
    np.testing.assert_allclose(result, expected["result"], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", ["frozen_resource_handles/switch.pb", "fake_quant_frozen/frozen.pb"])
def test_commands_that_do_not_repair_name_the_transform_that_does(tmp_path, case):
    calls = {
        "convert": ["convert", FIELD / case, tmp_path / "out.pbtxt"],
        "saved_model": ["convert", FIELD / case, f"{tmp_path}/model/"],
        "transform": ["transform", FIELD / case, "-o", tmp_path / "out.pb", "--transforms", "remove_device"],
        "extract": ["extract", FIELD / case, "-o", tmp_path / "out.pb", "--inputs", "input"],
    }
    for name, words in calls.items():
        done = run_module("tfmodel", *words)
        assert done.returncode in (1, 2) and "repair_frozen" in done.stderr, f"{name}: {done.stderr}"
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["optimize", "freeze"])
def test_a_graph_frozen_with_all_nodes_is_taken_as_it_is(tmp_path, command):
    expected = np.load(FIELD / "frozen_all_nodes" / "expected.npz")
    model = written(tmp_path, command, FIELD / "frozen_all_nodes" / "allnodes.pb", "--outputs", "prob")
    result = model.run({"x": expected["x"]}, ["prob"])["prob"]
    np.testing.assert_allclose(result, expected["result"], rtol=1e-5, atol=1e-6)


def test_declared_ops_are_known_to_each_command(tmp_path):
    case = FIELD / "edit_op_defs"
    declared = ["--op-defs", case / "ops.pbtxt"]
    edited = tmp_path / "edited.pb"
    done = run_module("tfmodel", "edit", case / "graph.pb", "-o", edited, *declared, "--replace-node", "y=MyOp")
    assert done.returncode == 0, done.stderr
    for words in (
        ["extract", edited, "-o", tmp_path / "part.pb", "--outputs", "y"],
        ["edit", edited, "-o", tmp_path / "renamed.pb", "--rename", "y=z"],
        ["splice", case / "graph.pb", edited, "-o", tmp_path / "two.pb", "--connect", "x=x", "--scope", "second"],
        ["convert", edited, tmp_path / "edited.pbtxt"],
        ["transform", edited, "-o", tmp_path / "out.pb", "--transforms", "remove_device"],
        ["optimize", edited, "-o", tmp_path / "small.pb", "--outputs", "y"],
    ):
        done = run_module("tfmodel", *words, *declared)
        assert done.returncode == 0, f"{words[0]}: {done.stderr}"
    checked = run_module("tfmodel", "check", edited, *declared)
    assert "unknown to TensorFlow" not in checked.stdout + checked.stderr


def test_an_iterator_that_nothing_starts_is_named(tmp_path):
    model = FIELD / "freeze_dangling_iterator" / "model.meta"
    done = run_module("tfmodel", "freeze", model, "-o", tmp_path / "out.pb")
    assert done.returncode == 0 and '"IteratorGetNext"' in done.stderr and "--inputs IteratorGetNext" in done.stderr


def test_a_table_without_an_initializer_is_named(tmp_path):
    case = FIELD / "table_without_initializer"
    checked = run_module("tfmodel", "check", case / "frozen.pb")
    assert checked.returncode == 1 and "fills the table" in checked.stdout
    done = run_module("tfmodel", "optimize", case / "sm", "-o", tmp_path / "out.pb")
    assert done.returncode == 0 and '"fill_tables"' in done.stderr


def test_tensors_under_another_scope_are_suggested_and_taken(tmp_path):
    case = FIELD / "checkpoint_rename"
    words = ["freeze", case / "new.meta", "--checkpoint", case / "model.ckpt", "--outputs", "out"]
    refused = run_module("tfmodel", *words, "-o", tmp_path / "out.pb")
    assert refused.returncode == 2 and "fully_connected/weights" in refused.stderr
    rename = "^fully_connected/=rnn_model/fully_connected/"
    assert f"--rename '{rename}'" in refused.stderr
    model = written(tmp_path, *words, "--rename", rename)
    assert {"rnn_model/fully_connected/weights"} <= {node.name for node in model.graph.node if node.op == "Const"}
