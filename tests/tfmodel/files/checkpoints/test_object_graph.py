"""The names of TF2 checkpoints."""

from __future__ import annotations

import pytest

from tfmodel.errors import CheckpointError
from tfmodel.files.checkpoints.checkpoint import Checkpoint
from tfmodel.files.checkpoints.index import OBJECT_GRAPH_KEY, ObjectGraph, readable_name
from tfmodel.files.checkpoints.writing import write_checkpoint
from tfmodel.messages import TrackableObjectGraph

from .golden import golden

Node = TrackableObjectGraph.TrackableObject


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("step/.ATTRIBUTES/VARIABLE_VALUE", "step"),
        ("model/layers/0/kernel/.ATTRIBUTES/VARIABLE_VALUE", "model/layers/0/kernel"),
        ("table/a.Sb/.ATTRIBUTES/VARIABLE_VALUE", "table/a/b"),
        ("table/c..d/.ATTRIBUTES/VARIABLE_VALUE", "table/c.d"),
        ("table/...S/.ATTRIBUTES/VARIABLE_VALUE", "table/./"),
        ("table/..S/.ATTRIBUTES/VARIABLE_VALUE", "table/.S"),
        ("w/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE", "optimizer/m/w"),
        ("layer/.ATTRIBUTES/OBJECT_CONFIG_JSON", "layer/OBJECT_CONFIG_JSON"),
        ("a/.ATTRIBUTES/b/.ATTRIBUTES/VARIABLE_VALUE", "a/.ATTRIBUTES/b"),
        ("conv/kernel", "conv/kernel"),
        (OBJECT_GRAPH_KEY, OBJECT_GRAPH_KEY),
        ("", ""),
    ],
)
def test_readable_names(key, name):
    assert readable_name(key) == name


def test_names_of_odd_objects():
    with Checkpoint(golden("objects_v2").path) as checkpoint:
        graph = checkpoint.object_graph
        values = {name: checkpoint[key].tolist() for name, key in graph.names.items()}
    assert values == {
        "layers/0": [-50.0, -43.0],
        "layers/1": b"s",
        "step": 3,
        "table/.S": 3.0,
        "table/a/b": 1.0,
        "table/c.d": 2.0,
        "table/e/0": 4.0,
    }
    assert set(graph.names.values()) | {OBJECT_GRAPH_KEY} == set(checkpoint)


def test_names_of_a_keras_model():
    with Checkpoint(golden("keras_v2").path) as checkpoint:
        graph = checkpoint.object_graph
        kernel = graph.names["model/layer_with_weights-0/kernel"]
        assert graph.name_of(kernel) == "model/layer_with_weights-0/kernel"
        assert graph.key_of("first/kernel") == graph.full_names["first/kernel"] == kernel
        slots = {name: checkpoint[key].shape for name, key in graph.names.items() if name.startswith("optimizer/m/")}
        assert slots == {
            "optimizer/m/model/layer_with_weights-0/bias": (3,),
            "optimizer/m/model/layer_with_weights-0/kernel": (2, 3),
            "optimizer/m/model/layer_with_weights-1/bias": (1,),
            "optimizer/m/model/layer_with_weights-1/kernel": (3, 1),
        }
    assert graph.name_of("no key") == "no key"
    assert graph.key_of("no name") is None


def test_checkpoints_without_objects():
    assert Checkpoint(golden("slots_v2").path).object_graph is None
    assert Checkpoint(golden("types_v1").path).object_graph is None


@pytest.mark.parametrize("value", [1, [b"a"], [[]]])
def test_a_tensor_that_is_only_called_so(tmp_path, value):
    write_checkpoint(tmp_path / "m", {OBJECT_GRAPH_KEY: value})
    assert Checkpoint(tmp_path / "m").object_graph is None


def test_a_damaged_graph(tmp_path):
    write_checkpoint(tmp_path / "m", {OBJECT_GRAPH_KEY: b"\x0a\x05"})
    checkpoint = Checkpoint(tmp_path / "m")
    with pytest.raises(CheckpointError, match="its object graph is damaged"):
        checkpoint.object_graph  # noqa: B018  looking it up is what is tested
    assert checkpoint[OBJECT_GRAPH_KEY].item() == b"\x0a\x05"


def test_names_that_would_be_the_same():
    keys = ["a.Sb/.ATTRIBUTES/VARIABLE_VALUE", "a/b/.ATTRIBUTES/VARIABLE_VALUE"]
    attributes = [Node.SerializedTensor(name="VARIABLE_VALUE", full_name="v", checkpoint_key=key) for key in keys]
    graph = ObjectGraph(TrackableObjectGraph(nodes=[Node(attributes=attributes * 2)]).to_bytes())
    assert graph.names == {"a/b": keys[0], keys[1]: keys[1]}
    assert graph.full_names == {"v": keys[0]}


def test_a_key_may_look_like_the_name_of_another() -> None:
    """A contrived object graph: two keys have the name "a", and one of them is the key "a"."""
    tensors = [Node.SerializedTensor(checkpoint_key=key) for key in ("a/.ATTRIBUTES/VARIABLE_VALUE", "a", "")]
    graph = ObjectGraph(TrackableObjectGraph(nodes=[Node(attributes=tensors)]).to_bytes())
    assert graph.names == {"a": "a/.ATTRIBUTES/VARIABLE_VALUE", "": ""}
    assert [graph.key_of(name) for name in ("a", "", "b")] == ["a/.ATTRIBUTES/VARIABLE_VALUE", "", None]
