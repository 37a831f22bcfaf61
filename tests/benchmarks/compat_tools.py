"""The benchmark "compat-tools": protobuf-style messages and whole tools on them, beside protobuf's two backends.

The tools are TensorFlow's `remove_training_nodes`, `extract_sub_graph` and `strip_unused`: ours are those of
`tfmodel.compat`. TensorFlow's own run in a Python that has it, which `--tensorflow` names. Besides, the parts of such
tools: building the nodes of the file again field by field, reading all fields that tools look at, and CopyFrom of the
whole graph. Each contender has its own process.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

__all__ = ["compat_tools"]

ROUNDS = 3
TOOLS = ("parse", "remove_training_nodes", "extract_sub_graph", "strip_unused", "serialize")
PARTS = ("build", "read", "CopyFrom")


def compat_tools(file: Path, tensorflow: str = "") -> None:
    """Print the times of all tools for a GraphDef, and ratios."""
    contenders = {"tfmodel": ("tfmodel.compat.", sys.executable, "")}
    if tensorflow:
        contenders |= {"upb": ("", tensorflow, "upb"), "pure Python": ("", tensorflow, "python")}
    times = {name: _measure(file, *arguments) for name, arguments in contenders.items()}
    print(f"{'ms':24}" + "".join(f"{name:>14}" for name in times) + "   ratio to pure Python")
    for tool in (*TOOLS, "whole", *PARTS):
        row = [times[name][tool] * 1000 for name in times]
        ratio = f"{row[-1] / row[0]:.1f}" if tensorflow else ""
        print(f"{tool:24}" + "".join(f"{value:14.1f}" for value in row) + f"   {ratio}")


def _measure(file: Path, prefix: str, python: str, backend: str) -> dict[str, float]:
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2]), "TF_CPP_MIN_LOG_LEVEL": "3"}
    if backend:
        environment["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = backend
    command = [python, __file__, prefix, str(file)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


def run_tools(prefix: str, file: str) -> dict[str, float]:
    """Return the best time of each tool and part in seconds; "whole" is the sum of the tools."""
    from importlib import import_module

    graph_pb2: Any = import_module(f"{prefix}tensorflow.core.framework.graph_pb2")
    graph_util: Any = import_module(f"{prefix}tensorflow.python.framework.graph_util")
    strip: Any = import_module(f"{prefix}tensorflow.python.tools.strip_unused_lib")
    data = Path(file).read_bytes()
    best = dict.fromkeys((*TOOLS, *PARTS), float("inf"))
    for _ in range(ROUNDS):
        graph = graph_pb2.GraphDef()
        consumed: set[str] = set()

        def timed(name: str, function: Any) -> Any:
            gc.collect()  # so that the times do not depend on when the next collection is due
            start = time.perf_counter()
            result = function()
            best[name] = min(best[name], time.perf_counter() - start)
            return result

        timed("parse", lambda: graph.ParseFromString(data))  # noqa: B023  # called at once
        consumed.update(name.lstrip("^").partition(":")[0] for node in graph.node for name in node.input)
        outputs = [node.name for node in graph.node if node.name not in consumed]
        inputs = [node.name for node in graph.node if node.op == "Placeholder"]
        timed("remove_training_nodes", lambda: graph_util.remove_training_nodes(graph))  # noqa: B023  # called at once
        timed("extract_sub_graph", lambda: graph_util.extract_sub_graph(graph, outputs))  # noqa: B023  # called at once
        timed("strip_unused", lambda: strip.strip_unused(graph, inputs, outputs, 1))  # noqa: B023  # called at once
        timed("serialize", graph.SerializeToString)
        timed("build", lambda: build(graph_pb2.GraphDef(), graph))  # noqa: B023  # called at once
        timed("read", lambda: read(graph))  # noqa: B023  # called at once
        timed("CopyFrom", lambda: graph_pb2.GraphDef().CopyFrom(graph))  # noqa: B023  # called at once
    return best | {"whole": sum(best[tool] for tool in TOOLS)}


def build(graph: Any, like: Any) -> None:
    """Add the nodes of `like` to a graph as exporters do: with `add`, assignments, `attr[key]` and `extend`."""
    for node in like.node:
        added = graph.node.add()
        added.name = node.name
        added.op = node.op
        added.input.extend(node.input)
        added.attr["T"].type = 1
        added.attr["shape"].shape.dim.add().size = 3
        added.attr["axis"].i = 2
        added.attr["_class"].list.s.append(b"loc:@a")


def read(graph: Any) -> int:
    """Read the names, inputs and attributes of all nodes as tools do; return a checksum."""
    checksum = 0
    for node in graph.node:
        checksum += len(node.name) + len(node.op) + len(node.device)
        checksum += sum(len(name) for name in node.input)
        for key, value in node.attr.items():
            checksum += len(key) + value.i + value.type + len(value.list.i)
            if value.HasField("shape"):
                checksum += sum(dimension.size for dimension in value.shape.dim)
        if "dtype" in node.attr:
            checksum += node.attr["dtype"].type
    return checksum


if __name__ == "__main__":
    print(json.dumps(run_tools(*sys.argv[1:])))
