"""Time of five queries of `find` on a graph of 100,000 nodes, from the file to the names of the nodes.

The other contender reads the file with protobuf's fast backend and runs a loop over the nodes that is written for the
one query. Its pure Python backend is left out: it takes minutes. Both must find the same nodes.

`python -m tests.benchmarks.search NAME FILE` runs one contender, in a separate process.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

__all__ = ["search"]

BLOCKS = 20_000  # five nodes each
QUERIES = {
    "op": "op=Conv2D",
    "name": "name=block_7*/conv",
    "attribute": "attr.strides=2",
    "pattern": "Transpose -> Reshape",
    "upstream": f"upstream of block_{BLOCKS // 2}/reshape",
}
CONTENDERS = ("ours", "upb")
ROOT = Path(__file__).parents[2]
ENOUGH = 1.5  # seconds per query, but at least three runs
MAX_REPEATS = 15


def best(task: Callable[[], Any]) -> float:
    """Return the best time of a task in seconds. A first run, which compiles functions, is not counted."""
    task()
    times: list[float] = []
    while len(times) < 3 or (sum(times) < ENOUGH and len(times) < MAX_REPEATS):
        gc.collect()
        start = time.perf_counter()
        result = task()
        times.append(time.perf_counter() - start)
        del result
    return min(times)


def write(file: Path) -> None:
    """Write a chain of blocks: a filter, a shape, and Conv2D -> Transpose -> Reshape. No node has a value."""
    from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef

    dtype = AttrValue(type=DataType.DT_FLOAT)
    strides = [AttrValue(list=AttrValue.ListValue(i=[1, size, size, 1])) for size in (1, 2)]
    nodes, previous = [], "x"
    for n in range(BLOCKS):
        name = f"block_{n}"
        nodes += [
            NodeDef(name=f"{name}/filter", op="Placeholder", attr={"dtype": dtype}),
            NodeDef(name=f"{name}/shape", op="Placeholder", attr={"dtype": AttrValue(type=DataType.DT_INT32)}),
            NodeDef(
                name=f"{name}/conv",
                op="Conv2D",
                input=[previous, f"{name}/filter"],
                attr={"T": dtype, "strides": strides[n % 10 == 0], "padding": AttrValue(s=b"SAME")},
            ),
            NodeDef(
                name=f"{name}/transpose", op="Transpose", input=[f"{name}/conv", f"{name}/shape"], attr={"T": dtype}
            ),
            NodeDef(
                name=f"{name}/reshape", op="Reshape", input=[f"{name}/transpose", f"{name}/shape"], attr={"T": dtype}
            ),
        ]
        previous = f"{name}/reshape"
    nodes.append(NodeDef(name="x", op="Placeholder", attr={"dtype": dtype}))
    file.write_bytes(GraphDef(node=nodes).to_bytes())


def our_search(file: Path, query: str) -> list[str]:
    from tfmodel import find

    return [node.name for node in find(file, query).nodes]


def loop(file: Path, task: str) -> list[str]:
    """Return what the query of the task finds, with protobuf."""
    from tests.support.protobuf_twin import twin

    nodes = twin("tensorflow.GraphDef").FromString(file.read_bytes()).node
    if task == "op":
        return [node.name for node in nodes if node.op == "Conv2D"]
    if task == "name":
        pattern = QUERIES[task].removeprefix("name=")
        return [node.name for node in nodes if fnmatchcase(node.name, pattern)]
    if task == "attribute":
        return [node.name for node in nodes if "strides" in node.attr and 2 in node.attr["strides"].list.i]
    return pattern_loop(nodes) if task == "pattern" else upstream_loop(nodes, QUERIES[task].split()[-1])


def pattern_loop(nodes: Any) -> list[str]:
    by_name = {node.name: node for node in nodes}
    matches = set()
    for node in nodes:
        if node.op == "Reshape":
            producers = [by_name[name] for name in data_inputs(node) if by_name[name].op == "Transpose"]
            matches |= {producer.name for producer in producers} | ({node.name} if producers else set())
    return [node.name for node in nodes if node.name in matches]


def upstream_loop(nodes: Any, start: str) -> list[str]:
    by_name = {node.name: node for node in nodes}
    reached = set()
    pending = [start]
    while pending:
        for name in (spec.lstrip("^").split(":")[0] for spec in by_name[pending.pop()].input):
            if name not in reached:
                reached.add(name)
                pending.append(name)
    return [node.name for node in nodes if node.name in reached]


def data_inputs(node: Any) -> list[str]:
    return [spec.split(":")[0] for spec in node.input if not spec.startswith("^")]


def search() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "blocks.pb"
        write(file)
        results = {name: contender(name, file) for name in CONTENDERS}
        print(f"{5 * BLOCKS + 1:,} nodes, {file.stat().st_size:,} bytes; ms")
        print(f"{'':9}  {'nodes':>6}" + "".join(f"  {name:>11}" for name in CONTENDERS) + "  upb / ours")
        for task in QUERIES:
            times = [result[task][0] for result in results.values()]
            answers = {tuple(result[task][1:]) for result in results.values()}
            if len(answers) != 1:
                raise AssertionError(f"{task}: the contenders find different nodes")
            figures = "".join(f"  {seconds * 1e3:11.1f}" for seconds in times)
            print(f"{task:9}  {results['ours'][task][1]:6}{figures}  {times[1] / times[0]:10.2f}")


def contender(name: str, file: Path) -> dict[str, Any]:
    """Return for each task its best time in seconds, the number of nodes found, and a hash of their names."""
    done = subprocess.run(
        [sys.executable, "-m", __name__, name, str(file)],
        stdout=subprocess.PIPE,
        check=True,
        cwd=ROOT,
        env=os.environ | {"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "upb"},
    )
    return dict(json.loads(done.stdout))


def main(name: str, file: str) -> None:
    results = {}
    for task, query in QUERIES.items():
        run: Callable[[], list[str]]
        run = partial(our_search, Path(file), query) if name == "ours" else partial(loop, Path(file), task)
        names = run()
        results[task] = [best(run), len(names), hashlib.sha256("\n".join(names).encode()).hexdigest()]
    print(json.dumps(results))


if __name__ == "__main__":
    main(*sys.argv[1:])
