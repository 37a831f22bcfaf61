"""The graphs in event files of TensorBoard, and the one that commands work on.

Programs write a graph to an event file in several ways:

    graph_def              `FileWriter(graph=...)`, `tf.summary.graph`, the TensorBoard callback of Keras
    meta_graph_def         `FileWriter.add_meta_graph`, Estimators, monitored sessions
    tagged_run_metadata    `FileWriter.add_run_metadata`: the graph as it was run, if that was asked for
    summaries              `tf.summary.trace_export` and the callback of Keras: a RunMetadata with the graphs of
                           functions (plugins graph_run_metadata and graph_run_metadata_graph), or the layers of a Keras
                           model as JSON (plugin graph_keras_model)

A file that was written for days may have several. `find_graph` takes the last MetaGraphDef, or else the last GraphDef,
or else the last graph of a RunMetadata, or else the layers of a Keras model, which become nodes with the class of the
layer as op.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from pbwire.errors import DecodeError

from ...errors import FileFormatError, with_name
from ...messages import Event, GraphDef, MetaGraphDef, NodeDef, RunMetadata
from .records import Record, RecordReader, naming_record

GraphKind: TypeAlias = Literal["meta_graph", "graph", "run_metadata", "keras_model"]

PREFERENCE: tuple[GraphKind, ...] = ("meta_graph", "graph", "run_metadata", "keras_model")
"""The kinds of graphs, preferred first."""

_RUN_METADATA_PLUGINS = ("graph_run_metadata", "graph_run_metadata_graph")
_KERAS_PLUGIN = "graph_keras_model"
_MAX_DEPTH = 50  # of Keras models in Keras models


class StoredGraph(NamedTuple):
    """A message in an event file that has a graph, or may have one.

    kind    "meta_graph", "graph", "run_metadata" or "keras_model"
    tag     the name of a RunMetadata or a Keras model; else empty
    data    the serialized message, or the JSON of a Keras model
    """

    kind: GraphKind
    tag: str
    data: bytes

    def message(self) -> GraphDef | MetaGraphDef | None:
        """Return the graph; None if a RunMetadata or a MetaGraphDef has none. Raises DecodeError for damaged data."""
        if self.kind == "meta_graph":
            meta = MetaGraphDef.from_bytes(self.data, lazy=True)
            return meta if meta.graph_def is not None else None
        if self.kind == "graph":
            return GraphDef.from_bytes(self.data, lazy=True)
        if self.kind == "run_metadata":
            return run_metadata_graph(RunMetadata.from_bytes(self.data, lazy=True))
        return keras_graph(self.data)


def find_graph(data: bytes, name: str) -> GraphDef | MetaGraphDef | None:
    """Return the graph of an event file; None if it has none. `data` is the file, `name` its name for errors.

    A last record that is cut off is ignored, since the program that writes the file may be running, and so are records
    with damaged data. Raises FileFormatError for a graph that is damaged inside of its record.
    """
    last: dict[GraphKind, StoredGraph] = {}
    for record in RecordReader(data, damaged="skip"):
        if isinstance(record, Record):
            with naming_record(name, record):
                for graph in graphs_of_event(Event.from_bytes(record.data, lazy=True)):
                    if graph.kind != "run_metadata" or graph.message() is not None:
                        last[graph.kind] = graph
    for kind in PREFERENCE:
        if kind in last:
            try:
                if (message := last[kind].message()) is not None:
                    return message
            except DecodeError as error:
                raise FileFormatError(with_name(name, f"its {kind} is damaged: {error}")) from error
    return None


def has_graph(path: str) -> bool:
    """Return whether a file is an event file with a graph. Raises OSError."""
    try:
        with RecordReader(path, damaged="skip") as reader:
            records = (record for record in reader if isinstance(record, Record))
            return any(True for record in records for _ in graphs_of_event(Event.from_bytes(record.data, lazy=True)))
    except (DecodeError, FileFormatError):
        return False


def graphs_of_event(event: Event) -> Iterator[StoredGraph]:
    """Yield what has a graph in an event."""
    if event.graph_def is not None:
        yield StoredGraph("graph", "", event.graph_def)
    elif event.meta_graph_def is not None:
        yield StoredGraph("meta_graph", "", event.meta_graph_def)
    elif event.tagged_run_metadata is not None:
        yield StoredGraph("run_metadata", event.tagged_run_metadata.tag, event.tagged_run_metadata.run_metadata)
    elif event.summary is not None:
        for value in event.summary.value:
            plugin = value.metadata.plugin_data if value.metadata is not None else None
            if plugin is None or value.tensor is None or not value.tensor.string_val:
                continue
            if plugin.plugin_name in _RUN_METADATA_PLUGINS:
                yield StoredGraph("run_metadata", value.tag, value.tensor.string_val[0])
            elif plugin.plugin_name == _KERAS_PLUGIN:
                yield StoredGraph("keras_model", value.tag, value.tensor.string_val[0])


def run_metadata_graph(metadata: RunMetadata) -> GraphDef | None:
    """Return a graph in a RunMetadata: the last function as it was written, or else the only partition.

    Return None if there is neither.
    """
    for function in reversed(metadata.function_graphs):
        if function.pre_optimization_graph is not None:
            return function.pre_optimization_graph
    for function in reversed(metadata.function_graphs):
        if len(function.partition_graphs) == 1:
            return function.partition_graphs[0]
    return metadata.partition_graphs[0] if len(metadata.partition_graphs) == 1 else None


# --- Keras models ----------------------------------------------------------------------------------------------------


def keras_graph(data: bytes) -> GraphDef | None:
    """Return the layers of a Keras model as a graph, given its JSON (`model.to_json()`); None for another text.

    Each layer is a node: its class is the op, its inputs are the layers that it is called with, and models inside of
    the model are scopes.
    """
    try:
        model = json.loads(data)
    except (ValueError, RecursionError):
        return None
    nodes: list[NodeDef] = []
    if isinstance(model, dict):
        _add_layers(_mapping(model.get("config")), "", [], nodes, 0)
    return GraphDef(node=nodes) if nodes else None


def _add_layers(config: Mapping[str, Any], scope: str, fed: list[str], nodes: list[NodeDef], depth: int) -> list[str]:
    """Add the nodes of a model's layers, and return the names of those that compute its outputs.

    `fed` are the names of the nodes with which the model is called, in the order of its inputs.
    """
    outputs: dict[str, list[str]] = {}  # the nodes of the outputs of a layer
    previous = list(fed)
    inputs = [tensor.layer for tensor in _tensors_in(config.get("input_layers"))]
    for layer in map(_mapping, _list(config.get("layers"))):
        inner = _mapping(layer.get("config"))
        op = _text(layer.get("class_name"))
        name = _text(layer.get("name") or inner.get("name")) or op
        sources = _nodes_of(_tensors_in(layer.get("inbound_nodes")), outputs)
        if "inbound_nodes" not in layer and "input_layers" not in config:
            sources = previous  # of a Sequential
        elif name in inputs and inputs.index(name) < len(fed):
            sources = [fed[inputs.index(name)]]
        if isinstance(inner.get("layers"), list) and depth < _MAX_DEPTH:
            previous = _add_layers(inner, f"{scope}{name}/", sources, nodes, depth + 1)
        else:
            nodes.append(NodeDef(name=f"{scope}{name}", op=op, input=sources))
            previous = [f"{scope}{name}"]
        outputs[name] = previous
    return _nodes_of(_tensors_in(config.get("output_layers")), outputs) or previous


class _LayerTensor(NamedTuple):
    """An output of a layer, by its number."""

    layer: str
    output: int


def _nodes_of(tensors: list[_LayerTensor], outputs: Mapping[str, list[str]]) -> list[str]:
    """Return the nodes that compute the tensors, each once. `outputs` has the nodes of the outputs of each layer."""
    nodes: dict[str, None] = {}
    for tensor in tensors:
        if results := outputs.get(tensor.layer):
            nodes[results[tensor.output if tensor.output < len(results) else 0]] = None
    return list(nodes)


def _tensors_in(value: Any) -> list[_LayerTensor]:
    """Return the outputs of layers that a value of a configuration names.

    A tensor is `["name", 0, 0, {}]` in Keras 2, and `{"config": {"keras_history": ["name", 0, 0]}}` in Keras 3; both
    may be in lists and dictionaries. Its second number is that of the output.
    """
    tensors = []
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            waiting.extend(reversed(part.values()))
        elif isinstance(part, list):
            if len(part) >= 3 and isinstance(part[0], str) and isinstance(part[1], int) and isinstance(part[2], int):
                tensors.append(_LayerTensor(_text(part[0]), max(0, part[2])))
                waiting.extend(reversed(part[3:]))
            else:
                waiting.extend(reversed(part))
    return tensors


def _text(value: Any) -> str:
    """Return a text that can be encoded in UTF-8; "" for another value."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else ""


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
