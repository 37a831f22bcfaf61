"""Record what the C++ Graph Transform Tool folds: answers.jsonl.xz.

    python -m tests.golden.folding.answers                  # with a Python that has TensorFlow 2.12

The cases are those of the text files in cases/ and, without arguments, the models of tests/golden/transforms. In a text
file, a case is a line "= name | inputs | outputs | arguments" followed by the nodes, in the notation of
tests.tfmodel.transforms.graph_notation. In answers.jsonl.xz each line is one case:

    case      its name, or the name of a model
    graph     the input graph in base64, unless it is a model
    nodes     the nodes of the tool's result in base64, without `experimental_type`: TensorFlow adds its own knowledge
              of the types of Shape when it reads a graph
    error     the tool's error instead
    result    if ours differs: our result as graph_digests.py records it, so that the next fields are valid for that
              result only
    ours      "same" if TensorFlow computes the same from our result as from the graph, for both values of a condition;
              else the difference
    tools     the same for the tool's result

`answers()` reads the file without TensorFlow.
"""

from __future__ import annotations

import base64
import itertools
import json
import lzma
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import to_ndarray
from tfmodel.errors import Error
from tfmodel.graph import attr, replace_node
from tfmodel.messages import DataType, GraphDef, NodeDef, TensorShapeProto, VersionDef
from tfmodel.transforms.framework.pipeline import tensor_names, transform
from tfmodel.values.dtypes import DTYPES
from tfmodel.values.names import TensorName

from ..graph_digests import written
from ..transforms.cases import Case
from ..transforms.models import Model, models
from ..transforms.proofs import safely
from ..transforms.tool_answers import ask

__all__ = ["Folding", "agrees", "answers", "cases", "folded"]

FILE = Path(__file__).with_name("answers.jsonl.xz")
TEXTS = Path(__file__).with_name("cases")
PRODUCER = 1395


class Folding(NamedTuple):
    """A case, what the tool made of it (None if it refuses), and the proof if we differ."""

    case: Case
    graph: GraphDef
    nodes: list[NodeDef] | None
    result: dict[str, Any] | None
    ours: str
    tools: str


@cache
def cases() -> dict[str, tuple[Case, GraphDef]]:
    """Return all cases by name, with their graphs."""
    cases_by_name = {}
    for path in sorted(TEXTS.glob("*.txt")):
        for text in re.split(r"^= ", path.read_text(), flags=re.MULTILINE)[1:]:
            head, _, body = text.partition("\n")
            name, inputs, outputs, arguments = (part.strip() for part in head.split("|"))
            model_graph = graph(body)
            model_graph.versions = VersionDef(producer=PRODUCER)
            step = f"fold_constants({arguments})" if arguments else "fold_constants"
            assert name not in cases_by_name, name
            cases_by_name[name] = Case(name, step, inputs, outputs), model_graph
    for name, model in models().items():
        cases_by_name[name] = Case(name, "fold_constants", model.inputs, model.outputs), model.graph()
    return cases_by_name


def answers() -> list[Folding]:
    """Return the content of the file."""
    return [_read(json.loads(line)) for line in lzma.decompress(FILE.read_bytes()).splitlines()]


def _read(row: dict[str, Any]) -> Folding:
    case, before = cases()[row["case"]]
    if "graph" in row:
        before = GraphDef.from_bytes(base64.b64decode(row["graph"]))
    nodes = None if "error" in row else [NodeDef.from_bytes(base64.b64decode(data)) for data in row["nodes"]]
    return Folding(case, before, nodes, row.get("result"), row.get("ours", ""), row.get("tools", ""))


def folded(case: Case, before: GraphDef) -> GraphDef | Error:
    """Return tfmodel's result for a case, or its error."""
    try:
        return transform(before, case.inputs, case.outputs, case.transforms)
    except Error as error:
        return error


def agrees(ours: GraphDef | Error, case: Case, nodes: list[NodeDef] | None) -> bool:
    """Return whether a result is the tool's: the same nodes in the same order, and constants with the same values.

    The declared inputs come last, in any order.
    """
    if isinstance(ours, Error) or nodes is None:
        return isinstance(ours, Error) and nodes is None
    names = {tensor.node for tensor in tensor_names(case.inputs)}
    first, second = (
        sorted(result, key=lambda node: node.name if node.name in names else "") for result in (ours.node, nodes)
    )
    first = [replace_node(node, experimental_type=None) for node in first]
    in_place = [node.name in names for node in ours.node] == [node.name in names for node in nodes]
    return in_place and all(map(_alike, first, second))


def _alike(ours: NodeDef, theirs: NodeDef) -> bool:
    """Return whether two nodes are equal up to the last digits of a constant."""
    if ours == theirs:
        return True
    value, other = ours.attr.get("value"), theirs.attr.get("value")
    if ours.op != "Const" or value is None or other is None or value.tensor is None or other.tensor is None:
        return False
    if bool(value.tensor.tensor_content) != bool(other.tensor.tensor_content):
        return False
    same = NodeDef.from_bytes(ours.to_bytes())
    same.attr["value"] = other
    array, expected = to_ndarray(value.tensor), to_ndarray(other.tensor)
    return same == theirs and array.shape == expected.shape and bool(np.allclose(array, expected, rtol=1e-6, atol=0))


# --- with TensorFlow -------------------------------------------------------------------------------------------------


def _runs(case: Case, before: GraphDef) -> Iterator[Model]:
    """The graph with what to feed it; once for each value of each condition."""
    if case.model in models():
        yield models()[case.model]
        return
    declared = tensor_names(case.inputs)
    fed = [node for node in before.node if node.op == "Placeholder" or TensorName(node.name) in declared]
    conditions = [node.name for node in fed if attr(node, "dtype", DataType) == DataType.DT_BOOL]
    for values in itertools.product([True, False], repeat=len(conditions)):
        feeds = {node.name: _numbers(node) for node in fed} | dict(zip(conditions, map(np.array, values), strict=True))
        data = before.to_bytes(deterministic=True)
        yield Model(case.model, data, case.inputs, case.outputs, [], feeds, {}, {})


def _numbers(node: NodeDef) -> Any:
    row = DTYPES[attr(node, "dtype", DataType)]
    shape = attr(node, "shape", TensorShapeProto, TensorShapeProto())
    sizes = [2 if dim.size < 0 else dim.size for dim in shape.dim]
    if row.is_object:
        return np.full(sizes, b"text", object)
    return np.linspace(0.5, 1.5, int(np.prod(sizes))).reshape(sizes).astype(row.numpy)


def _verdict(case: Case, before: GraphDef, nodes: list[NodeDef]) -> str:
    """Run nodes in TensorFlow with their original versions and functions."""
    data = GraphDef(node=nodes, versions=before.versions, library=before.library).to_bytes(deterministic=True)
    verdicts = [safely(model, case, data) for model in _runs(case, before)]
    return next((verdict or "the graph itself does not run" for verdict in verdicts if verdict != "same"), "same")


def _asked() -> Iterator[dict[str, Any]]:
    for name, (case, before) in cases().items():
        data = before.to_bytes(deterministic=True)
        said = ask(data, case.inputs.replace(", ", ","), case.outputs.replace(", ", ","), case.transforms)
        row: dict[str, Any] = {"case": name}
        nodes = None
        if name not in models():
            row["graph"] = base64.b64encode(data).decode()
        if "graph" in said:
            nodes = GraphDef.from_bytes(said["graph"]).node
            for node in nodes:
                node.ClearField("experimental_type")
            row["nodes"] = [_packed(node) for node in nodes]
        else:
            row["error"] = said["error"] if "error" in said else f"signal {said['signal']}"
        ours = folded(case, before)
        if not agrees(ours, case, nodes):
            row["result"] = written(ours, before)
            row["ours"] = f"refused: {ours}" if isinstance(ours, Error) else _verdict(case, before, ours.node)
            row["tools"] = f"refused: {said['error']}" if nodes is None else _verdict(case, before, nodes)
            print(f"{name}: {row['ours']}; the tool's: {row['tools'][:100]}", file=sys.stderr)
        yield row


def _packed(node: NodeDef) -> str:
    return base64.b64encode(node.to_bytes(deterministic=True)).decode()


def main() -> None:
    import tensorflow as tf

    tf.config.threading.set_inter_op_parallelism_threads(2)
    rows = list(_asked())
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    FILE.write_bytes(lzma.compress(lines.encode(), preset=9))
    kinds = Counter("refused" if "error" in row else "folded" for row in rows)
    print(f"{len(rows)} cases, {kinds}, {sum('result' in row for row in rows)} of them unlike ours", file=sys.stderr)
    print(f"{FILE.stat().st_size:,} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
