"""Record, where tfmodel and the C++ tool differ, which result computes what the model computes: proofs.jsonl.xz.

    python -m tests.golden.transforms.proofs             # with a Python that has TensorFlow 2.12

TensorFlow runs both results of every case of tool_answers.jsonl.xz in which they differ, with the feeds of the model,
and both results of `PIPELINE` for every model. A declared input that has become a Placeholder is fed its value in the
model. The tool loses the versions and functions of the model; they are restored before its nodes run, so that only the
nodes are compared. Each line is one case: the fields of `Case`, and

    digest    the digest of our result, so that the proof is valid for that result only; `computed`, its floats: see
              graph_digests.py
    ours      "same" if our result computes what the model computes; else the difference
    tools     the same for the tool's result
    nodes     the number of nodes of each

A difference is "other values: y", "fails: reason", "refused: reason", "never ends" or "killed: signal 11".
`proofs()` reads the file without TensorFlow.
"""

from __future__ import annotations

import json
import lzma
import re
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from tfmodel.errors import Error
from tfmodel.messages import GraphDef, NodeDef
from tfmodel.transforms.framework.pipeline import tensor_names, transform
from tfmodel.values.names import TensorName

from ..graph_digests import written
from ..isolation import run_isolated
from .cases import PIPELINE, Case
from .models import Model, models
from .tool_answers import Answer, answers, node_bytes, with_files

__all__ = ["FILE", "Proof", "agrees", "made_of", "proofs", "proved", "read_proof"]

FILE = Path(__file__).with_name("proofs.jsonl.xz")
MAX_ERROR_CHARS = 160
SECONDS = 8
RENAMED = re.compile(r"rename_node\(old_node_name=\"?([^,\"]+)\"?, new_node_name=\"?([^)\"]+)\"?\)")


@dataclass(frozen=True)
class Proof:
    """TensorFlow's verdicts on our result and on the tool's."""

    case: Case
    result: Mapping[str, Any]
    ours: str
    tools: str
    nodes: tuple[int, int]

    @property
    def better(self) -> bool:
        """Return whether ours is right where the tool's is wrong."""
        return self.ours == "same" and self.tools != "same"


@cache
def proofs() -> dict[Case, Proof]:
    """Return the content of the file, by case."""
    all_proofs = [read_proof(json.loads(line)) for line in lzma.decompress(FILE.read_bytes()).splitlines()]
    return {proof.case: proof for proof in all_proofs}


def read_proof(row: dict[str, Any]) -> Proof:
    """A proof of what `proved` gave."""
    result = {key: row[key] for key in ("digest", "computed") if key in row}
    return Proof(Case(*row["case"]), result, row["ours"], row["tools"], tuple(row["nodes"]))


def made_of(model: Model, case: Case, folder: Path) -> GraphDef | Error:
    """Return tfmodel's result for a case, or its error."""
    try:
        return transform(model.graph(), case.inputs, case.outputs, with_files(model, case.transforms, folder))
    except Error as error:
        return error


def agrees(ours: GraphDef | Error, answer: Answer) -> bool:
    """Return whether a result is the tool's: the same nodes in the same order.

    merge_duplicate_nodes orders nodes by hash: there, sets of nodes are compared.
    """
    if isinstance(ours, Error) or answer.nodes is None:
        return isinstance(ours, Error) and answer.nodes is None
    nodes = node_bytes(ours)
    hashed = "merge_duplicate_nodes" in answer.case.transforms
    return sorted(nodes) == sorted(answer.nodes) if hashed else nodes == answer.nodes


# --- with TensorFlow -------------------------------------------------------------------------------------------------


def verdict(model: Model, case: Case, data: bytes) -> str:
    """Return whether a graph computes what the model computes, for the outputs of a case."""
    renamed = dict(RENAMED.findall(case.transforms))
    tensors = [str(tensor) for tensor in tensor_names(case.outputs or model.outputs) if tensor.node not in model.before]
    model = replace(model, feeds=model.feeds | _made_placeholders(model, case, data))
    try:
        values = _run(model, data, tensors, renamed)
    except Exception as error:  # any exception is an answer
        return f"fails: {_short(error)}"
    wrong = [
        name
        for name, value, expected in zip(tensors, values, _run(model, model.data, tensors, {}, data), strict=True)
        if not _equal(value, expected)
    ]
    return f"other values: {', '.join(wrong)}" if wrong else "same"


def _made_placeholders(model: Model, case: Case, data: bytes) -> dict[str, Any]:
    """Return the model's values of declared inputs that were no Placeholders, by the names of their Placeholders."""
    before, after = (
        {node.name: node.op for node in GraphDef.from_bytes(content).node} for content in (model.data, data)
    )
    made = {}
    for tensor in tensor_names(case.inputs):
        name, own_name = tensor.node, f"{tensor.node}/{tensor.port}"
        if after.get(own_name) == "Placeholder" and own_name not in before:  # one of several outputs of a node
            made[own_name] = str(tensor)
        elif name not in model.feeds and after.get(name) == "Placeholder" != before.get(name, "Placeholder") != "NoOp":
            made[name] = name
    return dict(zip(made, _run(model, model.data, [*made.values()], {}), strict=True)) if made else {}


def _equal(value: Any, expected: Any) -> bool:
    import numpy as np

    if expected is None:  # a node without outputs has been run
        return value is None
    return bool(value.shape == expected.shape and np.allclose(value, expected, rtol=1e-4, atol=1e-5, equal_nan=True))


def _run(model: Model, data: bytes, tensors: list[str], renamed: dict[str, str], other: bytes = b"") -> list[Any]:
    """Return the values of tensors. Tensors are fed where possible, in the `other` graph too if that is enough."""
    import tensorflow as tf

    tf1 = tf.compat.v1
    definition = tf1.GraphDef.FromString(data)
    with tf1.Graph().as_default() as graph:
        tf1.import_graph_def(definition, name="")
    present = {node.name for node in definition.node}
    feeds = {renamed.get(name, name): value for name, value in model.feeds.items()}
    feeds = {f"{name}:0": value for name, value in feeds.items() if name in present}
    if other:
        also = {f"{node.name}:0" for node in tf1.GraphDef.FromString(other).node}
        fewer = {name: value for name, value in feeds.items() if name in also}
        try:
            return _values(graph, model, tensors, renamed, fewer)
        except tf.errors.InvalidArgumentError:  # something else has to be fed
            pass
    return _values(graph, model, tensors, renamed, feeds)


def _values(graph: Any, model: Model, tensors: list[str], renamed: dict[str, str], feeds: dict[str, Any]) -> list[Any]:
    import tensorflow as tf

    tf1 = tf.compat.v1
    with tf1.Session(graph=graph) as session:
        for name in model.before:
            session.run(name, feeds)
        names = [TensorName.parse(tensor) for tensor in tensors]
        nodes = [graph.get_operation_by_name(renamed.get(name.node, name.node)) for name in names]
        fetches = [node.outputs[name.port] if node.outputs else node for name, node in zip(names, nodes, strict=True)]
        return session.run(fetches, feeds, tf1.RunOptions(timeout_in_ms=5_000))


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:MAX_ERROR_CHARS]


def safely(model: Model, case: Case, data: bytes) -> str:
    """The verdict, of a process of its own: what is wrong may crash."""
    said = run_isolated(lambda: verdict(model, case, data), SECONDS)
    if isinstance(said, str):
        return said
    if "error" in said:
        return f"cannot be told: {said['error']}"
    return "never ends" if said["signal"] == signal.SIGALRM else f"killed: signal {said['signal']}"


def proved(model: Model, answer: Answer, folder: Path) -> dict[str, Any]:
    """Return the record of both results for a case."""
    ours, theirs = made_of(model, answer.case, folder), None
    refused = isinstance(ours, Error)
    if answer.nodes is not None:
        graph = model.graph()
        nodes = [NodeDef.from_bytes(data) for data in answer.nodes]
        theirs = GraphDef(node=nodes, versions=graph.versions, library=graph.library)
    failure = f"{'killed' if answer.failure.startswith('signal') else 'refused'}: {answer.failure}"
    verdicts = {
        "ours": f"refused: {ours}" if refused else safely(model, answer.case, ours.to_bytes()),
        "tools": failure if theirs is None else safely(model, answer.case, theirs.to_bytes()),
    }
    return {
        "case": answer.case,
        **written(ours, model.graph()),
        "nodes": [0 if refused else len(ours.node), 0 if theirs is None else len(theirs.node)],
        **{key: said.replace(str(folder), "FOLDER")[:MAX_ERROR_CHARS] for key, said in verdicts.items()},
    }


def _rows(folder: Path) -> Iterator[dict[str, Any]]:
    for answer in answers():
        model = models()[answer.case.model]
        if answer.case.transforms == PIPELINE or not agrees(made_of(model, answer.case, folder), answer):
            yield proved(model, answer, folder)


def main() -> None:
    import tensorflow as tf

    tf.config.threading.set_inter_op_parallelism_threads(2)
    with tempfile.TemporaryDirectory() as folder:
        rows = list(_rows(Path(folder)))
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    FILE.write_bytes(lzma.compress(lines.encode(), preset=9))
    counts = Counter((row["ours"].partition(":")[0], row["tools"].partition(":")[0]) for row in rows)
    for (ours, tools), count in sorted(counts.items()):
        print(f"{count:5,}  ours {ours}, the tool's {tools}")
    print(f"{len(rows):,} cases, {FILE.stat().st_size:,} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
