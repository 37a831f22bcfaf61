"""Record what the C++ tool and TensorFlow make of the graphs of cases.py: answers.jsonl.xz.

    python -m tests.golden.batch_norms.answers             # with a Python that has TensorFlow 2.12

TensorFlow runs the original graph, the tool's result and our result with the same feeds. Each line is one case:

    case      the fields of `Case`, including the graph with its numbers
    feeds     arrays by node
    nodes     the nodes of the tool's result, or null if it fails, crashes or hangs, as `tools` says
    tools     "same" if the tool's result computes what the graph computes, else the difference
    ours      the same for our result
    result    our result as graph_digests.py records it, so that `ours` is valid for that result only

Graphs that TensorFlow cannot run on a CPU, such as NCHW, have the outcome "fails" before and after. `goldens()` reads
the file without TensorFlow.
"""

from __future__ import annotations

import base64
import json
import lzma
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import run
from tfmodel.graph import attr
from tfmodel.messages import DataType, GraphDef, NodeDef, TensorShapeProto
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.values.dtypes import dtype_of

from ..arrays import read_array, written_array
from ..graph_digests import written
from ..transforms.models import Model
from ..transforms.proofs import safely
from ..transforms.tool_answers import ask
from .cases import CASES, Case

__all__ = ["FILE", "Golden", "goldens"]

FILE = Path(__file__).with_name("answers.jsonl.xz")


class Golden(NamedTuple):
    """A case: the tool's nodes, and whether its result and ours compute what the graph computes."""

    case: Case
    feeds: dict[str, Any]
    nodes: list[NodeDef] | None
    tools: str
    ours: str
    result: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.case.transform}: {self.case.name}"


@cache
def goldens() -> list[Golden]:
    """Return the content of the file."""
    rows = [json.loads(line) for line in lzma.decompress(FILE.read_bytes()).splitlines()]
    return [_golden(row) for row in rows]


def _golden(row: dict[str, Any]) -> Golden:
    case, nodes, feeds = Case(*row.pop("case")), row.pop("nodes"), row.pop("feeds")
    decoded = None if nodes is None else [NodeDef.from_bytes(base64.b64decode(data)) for data in nodes]
    return Golden(case, {name: read_array(value) for name, value in feeds.items()}, decoded, **row)


# --- with TensorFlow -------------------------------------------------------------------------------------------------


def _feeds_of(before: GraphDef, fed: str = "") -> dict[str, Any]:
    """Random numbers for every Placeholder, by its shape; a bool holds if it is called "yes".

    A node that is `fed` gets larger numbers than it holds, or than it would compute.
    """
    generator, feeds = np.random.default_rng(7), {}
    for node in before.node:
        if node.op == "Placeholder":
            dtype = attr(node, "dtype", DataType)
            shape = [dim.size for dim in attr(node, "shape", TensorShapeProto).dim]
            if dtype == DataType.DT_BOOL:
                feeds[node.name] = np.full(shape, node.name == "yes")
            else:
                feeds[node.name] = generator.uniform(-1, 1, shape).astype(dtype_of(dtype).numpy)
    return feeds | {name: value + np.float32(0.75) for name, value in run(before, feeds, fed).items()} if fed else feeds


def _row(case: Case) -> dict[str, Any]:
    from ..transforms.cases import Case as AnyCase

    before = graph(case.text)
    data = before.to_bytes(deterministic=True)
    said = ask(data, case.inputs, case.outputs, case.transform)
    ours = transform(before, case.inputs, case.outputs, case.transform)
    feeds = _feeds_of(before, case.fed)
    model = Model(case.name, data, case.inputs, case.outputs, [], feeds, {}, {})
    any_case = AnyCase(case.name, case.transform, case.inputs, case.outputs)
    nodes = GraphDef.from_bytes(said["graph"]).node if "graph" in said else None
    if nodes is None:
        tools = f"fails: {said['error']}" if "error" in said else f"killed: signal {said['signal']}"
    elif case.fed and case.fed not in [node.name for node in nodes]:
        tools = f"fails: it loses the input {case.fed}"
    else:
        tools = safely(model, any_case, said["graph"])
    return {
        "case": case,
        "feeds": {name: written_array(value) for name, value in feeds.items()},
        "nodes": nodes and [base64.b64encode(node.to_bytes(deterministic=True)).decode() for node in nodes],
        "tools": tools,
        "ours": safely(model, any_case, ours.to_bytes()),
        "result": written(ours, before),
    }


def main() -> None:
    import tensorflow as tf

    tf.config.threading.set_inter_op_parallelism_threads(2)
    rows = [_row(case) for case in CASES.values()]
    FILE.write_bytes(lzma.compress("".join(f"{json.dumps(row)}\n" for row in rows).encode(), preset=9))
    for row in rows:
        case = row["case"]
        print(f"{row['ours'][:60]:20} {row['tools'][:60]:40} {case.transform}: {case.name}")
    print(f"{len(rows):,} cases, {FILE.stat().st_size:,} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
