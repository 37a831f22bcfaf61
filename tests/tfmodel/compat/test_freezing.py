"""`freeze_graph.freeze_graph` and `TransformGraph` under TensorFlow's names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tfmodel
from tfmodel.compat.tensorflow.compat import v1 as tf
from tfmodel.compat.tensorflow.core.framework import graph_pb2
from tfmodel.compat.tensorflow.python.tools import freeze_graph
from tfmodel.compat.tensorflow.tools.graph_transforms import TransformGraph

TRAINED = "tests/data/trained/model"


def frozen(**changes: Any) -> Any:
    """Freeze the trained model by its .meta file."""
    arguments: dict[str, Any] = {
        "input_graph": None,
        "input_saver": "",
        "input_binary": True,
        "input_checkpoint": TRAINED,
        "output_node_names": "y",
        "restore_op_name": "save/restore_all",
        "filename_tensor_name": "save/Const:0",
        "output_graph": "",
        "clear_devices": True,
        "initializer_nodes": "",
        "input_meta_graph": f"{TRAINED}.meta",
    }
    return freeze_graph.freeze_graph(**arguments | changes)


def names(graph: Any) -> dict[str, str]:
    assert isinstance(graph, graph_pb2.GraphDef)
    return {node.name: node.op for node in graph.node}


FROZEN = names(tfmodel.compat.wrap(tfmodel.freeze(f"{TRAINED}.meta", "y", clear_devices=True)))


def test_a_meta_file_is_frozen_and_written(tmp_path):
    graph = frozen(output_graph=str(tmp_path / "frozen.pb"))
    assert names(graph) == FROZEN
    assert FROZEN["layer/weights"] == "Const"
    assert graph_pb2.GraphDef.FromString((tmp_path / "frozen.pb").read_bytes()) == graph


def test_a_graph_file_and_its_message_are_frozen_with_a_checkpoint(tmp_path):
    graph = tfmodel.compat.wrap(tfmodel.Model(f"{TRAINED}.meta").graph)
    (tmp_path / "graph.pb").write_bytes(graph.SerializeToString())
    assert names(frozen(input_graph=str(tmp_path / "graph.pb"), input_meta_graph=None)) == FROZEN
    arguments = [graph, None, TRAINED, "y", "save/restore_all", "save/Const:0", "", True, ""]
    assert names(freeze_graph.freeze_graph_with_def_protos(*arguments)) == FROZEN


def test_a_saved_model_is_frozen_with_its_own_values(tmp_path):
    tfmodel.Model(f"{TRAINED}.meta").save(f"{tmp_path}/served/")
    options = {"input_meta_graph": None, "input_checkpoint": None, "input_saved_model_dir": f"{tmp_path}/served"}
    assert names(frozen(**options))["layer/weights"] == "Const"
    with pytest.raises(RuntimeError, match="tag-set train"):
        frozen(**options, saved_model_tags="train")


def test_only_some_variables_are_frozen():
    assert names(frozen(variable_names_whitelist="layer/bias"))["layer/weights"] != "Const"
    assert names(frozen(variable_names_denylist="layer/bias, "))["layer/bias"] != "Const"


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"output_node_names": ""}, ValueError, "You must supply the name of a node"),
        ({"output_node_names": "nosuch"}, ValueError, 'there is no tensor "nosuch"'),
        ({"variable_names_whitelist": "nosuch"}, ValueError, 'there is no variable "nosuch"'),
        ({"input_checkpoint": "no/such"}, ValueError, "Input checkpoint 'no/such' does not exist!"),
        ({"input_meta_graph": "no/such.meta"}, OSError, "does not exist"),
        ({"initializer_nodes": "init"}, AttributeError, "python -m tfmodel freeze"),
    ],
)
def test_wrong_requests_are_refused_and_write_nothing(changes, error, words, tmp_path):
    with pytest.raises(error, match=words):
        frozen(output_graph=str(tmp_path / "frozen.pb"), **changes)
    assert not [*tmp_path.iterdir()]


def test_transforms_give_a_graph_of_the_same_class():
    graph = graph_pb2.GraphDef.FromString(Path("tests/data/linear.pb").read_bytes())
    transformed = TransformGraph(graph, ["x"], ["y"], ["fold_constants(ignore_errors=true)", "strip_unused_nodes"])
    assert names(transformed) == names(graph)
    assert names(TransformGraph(graph, ["x"], ["layer/MatMul"], ["strip_unused_nodes"])).keys() == {
        "x",
        "weights",
        "layer/MatMul",
    }


@pytest.mark.parametrize("transforms", [["nosuch"], ["fold_constants("], ["rename_op(old_op_name=A)"]])
def test_a_wrong_list_of_transforms_is_an_invalid_argument(transforms):
    with pytest.raises(tf.errors.InvalidArgumentError):
        TransformGraph(graph_pb2.GraphDef(), ["x"], ["y"], transforms)
