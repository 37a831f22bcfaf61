"""The graph that `load` and `Model` take out of an event file, or out of a folder of them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.tfmodel import models
from tests.tfmodel.files.records.files import event_file, examples, scalar, strings, tensor_value, training_log
from tfmodel import Model, load
from tfmodel.errors import FileFormatError
from tfmodel.files.tfrecords.event_graphs import keras_graph
from tfmodel.messages import Event, GraphDef, MetaGraphDef, NodeDef, RunMetadata, TaggedRunMetadata

NAME = "events.out.tfevents.1700000000.host"


def graph(name: str) -> GraphDef:
    return GraphDef(node=[NodeDef(name=name, op="NoOp")])


def meta_graph(name: str) -> MetaGraphDef:
    return MetaGraphDef(graph_def=graph(name))


def functions(*names: str) -> RunMetadata:
    parts = [RunMetadata.FunctionGraphs(pre_optimization_graph=graph(name)) for name in names]
    return RunMetadata(function_graphs=parts)


OF_GRAPH = Event(graph_def=graph("graph").to_bytes())
OF_META = Event(meta_graph_def=meta_graph("meta").to_bytes())
OF_RUN = Event(tagged_run_metadata=TaggedRunMetadata(tag="7", run_metadata=functions("f", "g").to_bytes()))
OF_TIMES = Event(tagged_run_metadata=TaggedRunMetadata(tag="8", run_metadata=RunMetadata().to_bytes()))
OF_TRACE = tensor_value(0, "trace", "graph_run_metadata", strings(functions("f", "g").to_bytes()))
DENSE = {"class_name": "Dense", "config": {"name": "dense"}}
OF_KERAS = tensor_value(
    0, "keras", "graph_keras_model", strings(json.dumps({"config": {"name": "s", "layers": [DENSE]}}).encode())
)
LATER = Event(graph_def=graph("later").to_bytes())


@pytest.mark.parametrize(
    ("events", "name"),
    [
        ([OF_GRAPH], "graph"),
        ([OF_GRAPH, LATER, OF_RUN], "later"),
        ([OF_META, LATER], "meta"),
        ([OF_RUN, OF_TIMES], "g"),
        ([OF_TRACE, OF_KERAS], "g"),
        ([OF_KERAS], "dense"),
    ],
)
def test_the_graph_of_an_event_file(events: list[Event], name: str) -> None:
    data = event_file(scalar(0, "loss", 1.0), *events)
    for packed in (data, gzip.compress(data)):
        assert [node.name for node in load(packed, GraphDef).node] == [name]
    assert [node.name for node in Model(data).graph.node] == [name]
    assert isinstance(load(data), MetaGraphDef if OF_META in events else GraphDef)


def test_a_file_that_is_being_written() -> None:
    assert load(event_file(OF_GRAPH, LATER)[:-5], GraphDef) == graph("graph")


@pytest.mark.parametrize("events", [[scalar(0, "loss", 1.0)], [OF_TIMES]])
def test_an_event_file_without_a_graph(events: list[Event]) -> None:
    with pytest.raises(FileFormatError, match="<bytes>: this event file has no graph: "):
        load(event_file(*events))


def test_a_damaged_graph() -> None:
    with pytest.raises(FileFormatError, match="<bytes>: "):
        Model(event_file(Event(graph_def=b"\x0a\x05abc"))).graph  # noqa: B018  # reading it fails


def test_other_records_are_not_models() -> None:
    problem = "this is a TFRecord file of tf.Example messages, not a TensorFlow model: tfmodel.summarize_records"
    for data in (examples(3), gzip.compress(examples(3))):
        with pytest.raises(FileFormatError, match=problem):
            load(data)


def test_of_a_folder_the_last_file_with_a_graph_is_read(tmp_path: Path) -> None:
    for number, events in enumerate([[OF_GRAPH], [LATER], [scalar(0, "loss", 1.0)]]):
        (tmp_path / f"events.out.tfevents.{number}").write_bytes(event_file(*events))
    assert load(tmp_path, GraphDef) == graph("later")
    (tmp_path / "model.meta").write_bytes(models.meta_graph("serve").to_bytes())
    assert len(load(tmp_path, GraphDef).node) == 4  # the folder of a checkpoint has event files too


def test_a_folder_of_runs_is_named(tmp_path: Path) -> None:
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / NAME).write_bytes(training_log())
    with pytest.raises(FileFormatError, match="has folders with models; give one of them: train"):
        load(tmp_path)
    assert load(tmp_path / "train") == models.graph()


# --- Keras models ----------------------------------------------------------------------------------------------------


def layer(name: str, *inputs: str, **config: Any) -> dict[str, Any]:
    nodes = [[[source, 0, 0, {}] for source in inputs]] if inputs else []
    return {"class_name": "Dense", "name": name, "config": {"name": name, **config}, "inbound_nodes": nodes}


def model(*layers: dict[str, Any], inputs: Any = (), outputs: Any = ()) -> dict[str, Any]:
    ends = [[name, 0, 0] for name in inputs], [[name, 0, 0] for name in outputs]
    return {"layers": list(layers), "input_layers": ends[0], "output_layers": ends[1]}


def wiring(config: dict[str, Any]) -> dict[str, list[str]]:
    made = keras_graph(json.dumps({"class_name": "Functional", "config": config}).encode())
    assert made is not None
    return {node.name: node.input for node in made.node}


def test_layers_of_a_functional_model() -> None:
    config = model(layer("x"), layer("a", "x"), layer("b", "x"), layer("sum", "a", "b"), inputs=["x"], outputs=["sum"])
    assert wiring(config) == {"x": [], "a": ["x"], "b": ["x"], "sum": ["a", "b"]}


def test_layers_of_a_sequential_model() -> None:
    layers = [{"class_name": "Dense", "config": {"name": name}} for name in "abc"]
    assert wiring({"layers": layers}) == {"a": [], "b": ["a"], "c": ["b"]}


def test_a_model_in_a_model() -> None:
    inner = model(layer("i"), layer("p", "i"), layer("q", "i"), inputs=["i"], outputs=["p", "q"])
    second = layer("z", "inner")
    second["inbound_nodes"] = [[["inner", 0, 1, {}]]]
    config = model(layer("x"), layer("inner", "x", **inner), layer("y", "inner"), second)
    assert wiring(config) == {
        "x": [],
        "inner/i": ["x"],
        "inner/p": ["inner/i"],
        "inner/q": ["inner/i"],
        "y": ["inner/p"],
        "z": ["inner/q"],
    }


def test_tensors_as_keras_3_writes_them() -> None:
    tensor = {"class_name": "__keras_tensor__", "config": {"shape": [None, 4], "keras_history": ["x", 0, 0]}}
    second = layer("a")
    second["inbound_nodes"] = [{"args": [tensor], "kwargs": {"mask": None}}]
    assert wiring(model(layer("x"), second)) == {"x": [], "a": ["x"]}


@pytest.mark.parametrize(
    "data",
    [b"", b"\xff", b"[]", b"{}", b'{"config": 5}', b'{"config": {"layers": {}}}', b"[" * 100_000],
)
def test_other_files_of_keras_formats(data: bytes) -> None:
    assert keras_graph(data) is None


@pytest.mark.parametrize(
    "layers", ["[5, null]", '[{"name": 5, "config": []}]', '[{"name": "\\ud800", "inbound_nodes": [["x", 0, -1]]}]']
)
def test_strange_layers(layers: str) -> None:
    made = keras_graph(f'{{"config": {{"layers": {layers}}}}}'.encode())
    assert made is not None
    assert made.to_bytes()
