"""Record what the C++ Graph Transform Tool makes of small graphs: small_graphs.jsonl.gz.

    python -m tests.golden.transforms.small_graphs       # with a Python that has TensorFlow 2.12

TensorFlow 2.12 is the last version with the tool. Each line has a list of transforms, the declared inputs and outputs,
the graph in hexadecimal, and the nodes of the result, or null if the tool refuses.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef

__all__ = ["FILE", "GRAPHS", "Golden", "goldens"]

FILE = Path(__file__).with_name("small_graphs.jsonl.gz")


class Golden(NamedTuple):
    """A case: the deterministic bytes of every node of the result, or None."""

    transforms: str
    inputs: str
    outputs: str
    graph: bytes
    nodes: list[bytes] | None


def node(name: str, op: str, *inputs: str, device: str = "", **attributes: AttrValue) -> NodeDef:
    return NodeDef(name=name, op=op, input=list(inputs), device=device, attr=attributes)


FLOAT, ONE = AttrValue(type=DataType.DT_FLOAT), AttrValue(i=1)

GRAPHS = {
    "dag": GraphDef(
        node=[
            node("a", "Placeholder", dtype=FLOAT, device="/cpu:0"),
            node("b", "Placeholder", dtype=FLOAT),
            node("c", "Add", "a", "b", T=FLOAT, S=ONE),
            node("d", "Identity", "b", "^a", T=FLOAT, device="/gpu:1"),
            node("e", "Mul", "a", "a:0", T=FLOAT),
            node("f", "AddN", "c", "d", "^e", "^a", T=FLOAT, N=ONE),
        ]
    ),
    "loop": GraphDef(
        node=[
            node("next", "NextIteration", "add", T=FLOAT),
            node("merge", "Merge", "enter", "next", T=FLOAT),
            node("start", "Const", dtype=FLOAT),
            node("enter", "Enter", "start", T=FLOAT),
            node("limit", "Const", "^merge", dtype=FLOAT),
            node("less", "Less", "merge", "limit", T=FLOAT),
            node("cond", "LoopCond", "less"),
            node("switch", "Switch", "merge", "cond", T=FLOAT),
            node("body", "Identity", "switch:1", T=FLOAT),
            node("add", "Add", "body", "body", T=FLOAT),
            node("exit", "Exit", "switch", T=FLOAT),
        ]
    ),
    "cycle": GraphDef(node=[node("a", "Identity", "b", T=FLOAT), node("b", "Identity", "a", T=FLOAT)]),
    "empty": GraphDef(),
}

LISTS = [
    "",
    "remove_device",
    "remove_device()",
    'set_device(device="/gpu:0")',
    'set_device(device="/gpu:0", if_default=true)',
    "set_device(if_default=yes)",
    "set_device",
    "rename_op(old_op_name=Add, new_op_name=Sub)",
    "rename_op(old_op_name=Add)",
    "rename_op(old_op_name=Add, old_op_name=Mul, new_op_name=Sub)",
    "rename_op(old_op_name=Nope, new_op_name=Sub)",
    "remove_attribute(attribute_name=T)",
    'remove_attribute(attribute_name=T, op_name="*")',
    "remove_attribute(attribute_name=T, op_name=Add)",
    "remove_attribute",
    "rename_attribute(old_attribute_name=T, new_attribute_name=U)",
    "rename_attribute(old_attribute_name=T, new_attribute_name=S)",
    "rename_attribute(old_attribute_name=T, new_attribute_name=T)",
    "rename_attribute(old_attribute_name=T, new_attribute_name=U, op_name=Identity)",
    "remove_control_dependencies",
    "sort_by_execution_order",
    "sort_by_execution_order(ignore_errors=true)",
    "sort_by_execution_order(ignore_errors=1)",
    "remove_device sort_by_execution_order remove_control_dependencies",
    "no_such_transform",
    "remove_device,",
]


def goldens() -> list[Golden]:
    """Return the content of the file."""
    return [_golden(json.loads(line)) for line in gzip.decompress(FILE.read_bytes()).splitlines()]


def _golden(row: dict[str, Any]) -> Golden:
    nodes = row.pop("nodes")
    graph = bytes.fromhex(row.pop("graph"))
    return Golden(graph=graph, nodes=None if nodes is None else [bytes.fromhex(node) for node in nodes], **row)


def asked() -> Iterator[dict[str, Any]]:
    from tensorflow.python.util import _pywrap_transform_graph as tool

    for graph in GRAPHS.values():
        for transforms in LISTS:
            data = graph.to_bytes(deterministic=True)
            try:
                changed = tool.TransformGraphWithStringInputs(data, b"", b"", transforms.encode())
            except Exception:  # any exception is a refusal
                nodes = None
            else:
                nodes = [each.to_bytes(deterministic=True).hex() for each in GraphDef.from_bytes(changed).node]
            yield {"transforms": transforms, "inputs": "", "outputs": "", "graph": data.hex(), "nodes": nodes}


def main() -> None:
    lines = "".join(f"{json.dumps(row)}\n" for row in asked())
    FILE.write_bytes(gzip.compress(lines.encode(), mtime=0))


if __name__ == "__main__":
    main()
