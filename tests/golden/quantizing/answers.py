"""Record what the C++ tool makes of weights, layers and lookups, with TensorFlow's results: answers.jsonl.xz.

    python -m tests.golden.quantizing.answers          # with a Python that has TensorFlow 2.12

The first lines are the models: those of cases.py, conditionals and loops of TensorFlow 1, and lookups in variables with
their checkpoint. The other lines are cases: a list of transforms for one of these models or one of
tests/golden/transforms, and

    nodes     the nodes of the tool's result in order: the position of an equal node in the model, or its bytes
    failure   the tool's error instead, or the signal that killed it
    ours      the distance between the outputs of our result and of the model in TensorFlow, relative to the largest
              element, or the error
    tools     the same for the tool's result
    result    our result as graph_digests.py records it, so that all this is valid for that result only
    values    TensorFlow's values for our result, where the interpreter must compute the same

For models from elsewhere, a digest of all nodes, sorted, replaces the nodes. `recorded()` reads the file without
TensorFlow.
"""

from __future__ import annotations

import base64
import hashlib
import json
import lzma
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tfmodel.errors import Error
from tfmodel.graph import replace_node
from tfmodel.messages import GraphDef, NodeDef
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.values.names import TensorName

from ..graph_digests import written
from ..isolation import run_isolated
from ..transforms import models as transform_models
from ..transforms.tool_answers import ask
from .models import Model, cases, from_elsewhere, made_models

__all__ = ["FILE", "Model", "Recorded", "made_of", "node_bytes", "recorded", "signatures"]

FILE = Path(__file__).with_name("answers.jsonl.xz")
SECONDS = 30
BACK = ("NextIteration", "RefNextIteration")
HASHED = "quantize_nodes"  # whose nodes come in the order of a hash


class Recorded(NamedTuple):
    """A case with what the tool made of it, and what TensorFlow says."""

    model: Model
    transforms: str
    nodes: list[bytes] | str | None
    failure: str
    ours: str
    tools: str
    result: dict[str, Any]
    values: list[Any] | None

    def __str__(self) -> str:
        return f"{self.model.name}: {self.transforms}"


def node_bytes(graph: GraphDef) -> list[bytes]:
    return [node.to_bytes(deterministic=True) for node in graph.node]


def made_of(model: Model, transforms: str, folder: Path) -> GraphDef | Error:
    """Return tfmodel's result for a case, or its error."""
    for name, content in model.files.items():
        (folder / name).write_bytes(content)
    try:
        graph = GraphDef.from_bytes(model.data)
        return transform(graph, model.inputs, model.outputs, transforms.replace("{CHECKPOINT}", str(folder / "model")))
    except Error as error:
        return error


def signatures(nodes: Iterable[NodeDef], known: Iterable[str]) -> list[str]:
    """Return a sorted description of nodes; only names in `known` count, since merged nodes may have any name."""
    by_name = {node.name: node for node in nodes}
    names = frozenset(known)
    digests: dict[str, str] = {}
    begun: set[str] = set()
    waiting = [*by_name]
    while waiting:
        node = by_name[waiting[-1]]
        inputs = [TensorName.parse(text) for text in node.input]
        # A loop comes back to where it began, and a broken graph may, too.
        cut = {
            tensor.node for tensor in inputs if by_name[tensor.node].op in BACK or tensor.node in begun - digests.keys()
        }
        missing = [tensor.node for tensor in inputs if tensor.node not in digests and tensor.node not in cut]
        if missing and node.name not in digests:
            begun.add(node.name)
            waiting += missing
            continue
        waiting.pop()
        sources = [(tensor.node if tensor.node in cut else digests[tensor.node], tensor.port) for tensor in inputs]
        attributes = [(name, value.to_bytes(deterministic=True)) for name, value in sorted(node.attr.items())]
        name = node.name if node.name in names else ""
        whole = repr((name, node.op, node.device, sources, attributes)).encode()
        digests.setdefault(node.name, hashlib.sha256(whole).hexdigest()[:24])
    return sorted(digests[node.name] for node in by_name.values())


# --- reading ---------------------------------------------------------------------------------------------------------


@cache
def recorded() -> list[Recorded]:
    """Return the content of the file."""
    rows = [json.loads(line) for line in lzma.decompress(FILE.read_bytes()).splitlines()]
    models = {row["name"]: _model(row) for row in rows if "data" in row}
    return [_recorded(row, models) for row in rows if "transforms" in row]


def _model(row: dict[str, Any]) -> Model:
    feeds = {name: np.array(value, dtype) for name, (dtype, value) in row["feeds"].items()}
    files = {name: base64.b64decode(data) for name, data in row["files"].items()}
    before = tuple(row["before"])
    return Model(row["name"], base64.b64decode(row["data"]), row["inputs"], row["outputs"], before, feeds, files)


def _written(model: Model) -> dict[str, Any]:
    feeds = {name: [value.dtype.name, value.tolist()] for name, value in model.feeds.items()}
    files = {name: base64.b64encode(data).decode() for name, data in model.files.items()}
    data = base64.b64encode(model.data).decode()
    return model._asdict() | {"data": data, "feeds": feeds, "files": files}


def _recorded(row: dict[str, Any], models: dict[str, Model]) -> Recorded:
    model = models.get(row["model"]) or from_elsewhere(row["model"])
    nodes = row.get("nodes")
    if isinstance(nodes, list):
        before = node_bytes(GraphDef.from_bytes(model.data))
        nodes = [before[node] if isinstance(node, int) else base64.b64decode(node) for node in nodes]
    verdicts = (row[key] for key in ("failure", "ours", "tools", "result", "values"))
    return Recorded(model, row["transforms"], nodes, *verdicts)


# --- with TensorFlow -------------------------------------------------------------------------------------------------


def _ran(model: Model, data: bytes) -> Any:
    """Return the values of the outputs of a graph; nodes without outputs are run."""
    import tensorflow as tf

    tf1 = tf.compat.v1
    definition = tf1.GraphDef.FromString(data)
    with tf1.Graph().as_default() as graph:
        tf1.import_graph_def(definition, name="")
    names = {node.name for node in definition.node}
    feeds = {f"{name}:0": _fed(graph, name, value) for name, value in model.feeds.items() if name in names}
    filler = [name for name in ("group_deps", "start") if name in names and name not in model.before]
    with tf1.Session(graph=graph) as session:
        for name in (*model.before, *filler):
            session.run(name, feeds)
        outputs = [TensorName.parse(name) for name in model.outputs.split(",") if name not in model.before]
        nodes = [(graph.get_operation_by_name(tensor.node), tensor.port) for tensor in outputs]
        fetches = [node.outputs[port] for node, port in nodes if node.outputs]
        return [_listed(value) for value in session.run(fetches, feeds)]


def _fed(graph: Any, name: str, value: Any) -> Any:
    """Return the feeds, quantized where an input takes quantized values."""
    taken = graph.get_tensor_by_name(f"{name}:0").dtype
    if not taken.is_quantized:
        return value
    return coded(value).astype(taken.as_numpy_dtype)


def coded(value: Any) -> Any:
    """Return numbers as quantized values of the range -2 to 2, which all transform lists here use."""
    return np.clip(np.round(value * np.float32(255 / 4)) + 128, 0, 255).astype(np.uint8)


def _listed(value: Any) -> Any:
    array = np.asarray(value)
    if array.dtype.kind in "SO":
        return ["object", [repr(element) for element in array.ravel()]]
    return [array.dtype.name, [array.shape, array.ravel().astype(np.float64).tolist()]]


def _failure(said: dict[str, Any]) -> str:
    """Return the reason for a missing answer."""
    return f"signal {said['signal']}" if "signal" in said else " ".join(said["error"].split())[:160]


def _verdict(expected: Any, said: Any) -> str:
    """Return the distance of values from the expected ones."""
    if isinstance(said, dict):
        return f"{'killed' if 'signal' in said else 'fails'}: {_failure(said)}"
    if isinstance(expected, dict):
        return "runs"
    worst = 0.0
    for (kind, one), (other_kind, other) in zip(expected, said, strict=True):
        if kind != other_kind or (kind == "object" and one != other):
            return "other types"
        if kind == "object":
            continue
        if one[0] != other[0]:
            return "other shapes"
        first, second = np.array(one[1]), np.array(other[1])
        if (np.isfinite(first) != np.isfinite(second)).any():
            return "not finite"
        known = np.isfinite(first)
        largest = np.abs(first[known]).max(initial=1e-30)
        worst = max(worst, float((np.abs(first - second)[known] / largest).max(initial=0)))
    return f"{worst:.4f}"


def _row(model: Model, transforms: str, folder: Path, expected: Any) -> dict[str, Any]:
    ours = made_of(model, transforms, folder)
    steps = transforms.replace("{CHECKPOINT}", str(folder / "model"))
    answer = ask(model.data, model.inputs, model.outputs, steps)
    row: dict[str, Any] = {"model": model.name, "transforms": transforms, "failure": ""}
    graph = GraphDef.from_bytes(model.data)
    if "graph" in answer:
        theirs = GraphDef.from_bytes(answer["graph"])
        row["nodes"] = _kept(model, graph, theirs)
        theirs.versions, theirs.library = graph.versions, graph.library
        row["tools"] = _verdict(expected, run_isolated(partial(_ran, model, theirs.to_bytes()), SECONDS))
    else:
        row["failure"] = _failure(answer).replace(str(folder), "FOLDER")
        row["tools"] = f"refused: {row['failure']}"
    if isinstance(ours, Error):
        row |= {"ours": f"refused: {ours}".replace(str(folder), "FOLDER"), "values": None}
    else:
        said = run_isolated(partial(_ran, model, ours.to_bytes()), SECONDS)
        values = None if isinstance(said, dict) or model.name in transform_models.models() else said
        row |= {"ours": _verdict(expected, said), "values": values}
    return row | {"result": written(ours, graph)}


def _kept(model: Model, graph: GraphDef, theirs: GraphDef) -> Any:
    if model.name in transform_models.models():
        return _of_all(theirs, [node.name for node in graph.node])
    before = {data: place for place, data in enumerate(node_bytes(graph))}
    return [before.get(data, base64.b64encode(data).decode()) for data in node_bytes(theirs)]


def _of_all(graph: GraphDef, known: Sequence[str]) -> str:
    return hashlib.sha256(" ".join(signatures(graph.node, known)).encode()).hexdigest()[:24]


def without_zeros(nodes: Sequence[NodeDef]) -> list[NodeDef]:
    """Return the nodes without those that extend a measured range to zero, which the tool lacks."""
    measured = {node.name for node in nodes if node.op == "RequantizationRange"}
    sources = {node.name: node.input[0] for node in nodes if node.op == "Relu" and node.input[0][:-2] in measured}
    return [
        replace_node(node, input=[sources.get(text, text) for text in node.input])
        for node in nodes
        if node.name not in sources
    ]


def agrees(case: Recorded, ours: GraphDef | Error) -> bool:
    """Return whether a result is the tool's: the same nodes in the same order or, where that is a hash's, as a set."""
    if isinstance(ours, Error) or case.nodes is None:
        return isinstance(ours, Error) and case.nodes is None
    known = [node.name for node in GraphDef.from_bytes(case.model.data).node]
    if isinstance(case.nodes, str):
        return _of_all(GraphDef(node=without_zeros(ours.node)), known) == case.nodes
    if HASHED in case.transforms:
        return signatures(without_zeros(ours.node), known) == signatures(map(NodeDef.from_bytes, case.nodes), known)
    return node_bytes(ours) == case.nodes


def main() -> None:
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # oneDNN rounds differently from processor to processor
    import tensorflow as tf

    tf.config.threading.set_inter_op_parallelism_threads(2)  # and it is imported once for all processes
    # In a separate process: a process that has had a session must not fork.
    rows: list[dict[str, Any]] = run_isolated(lambda: [*map(_written, made_models())], SECONDS)
    models = {row["name"]: _model(row) for row in rows}
    expected: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for model, transforms in cases(models):
            if model.name not in expected:
                expected[model.name] = run_isolated(partial(_ran, model, model.data), SECONDS)
            rows.append(_row(model, transforms, Path(folder), expected[model.name]))
            print(f"{len(rows):,} {model.name}: {transforms}: {rows[-1]['ours']}, {rows[-1]['tools']}", flush=True)
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    FILE.write_bytes(lzma.compress(lines.encode(), preset=9))
    print(
        f"{len(rows) - len(models):,} cases of {len(expected)} models, {FILE.stat().st_size:,} bytes", file=sys.stderr
    )


if __name__ == "__main__":
    main()
