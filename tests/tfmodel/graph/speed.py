"""Time to index, sort and check a graph, and its growth with the size of the graph.

    python -m tests.tfmodel.graph.speed            graphs made here, and the largest of the corpus where it is at hand

The exponent is that of the time from 10,000 nodes to 100,000: 1 is linear. Nodes are decoded lazily; what it takes to
read them is a row of its own. Times are the best of three, in milliseconds.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable

from tests.support.corpus import corpus
from tests.tfmodel.graph.samples import LOOP, graph_of
from tfmodel import load
from tfmodel.graph import GraphIndex, check_graph, with_nodes
from tfmodel.messages import GraphDef, NodeDef
from tfmodel.ops import OPS


def wired(count: int, *, shuffled: bool) -> GraphDef:
    """Ops of up to three inputs, from nodes not far before; in that order, or in any."""
    choose = random.Random(count)
    nodes: list[NodeDef] = []
    for number in range(count):
        inputs = [nodes[-1 - choose.randrange(min(number, 200))].name for _ in range(choose.randrange(4)) if number]
        nodes.append(NodeDef(name=f"layer_{number % 100}/op_{number}", op="AddN" if inputs else "Const", input=inputs))
    if shuffled:
        choose.shuffle(nodes)
    return GraphDef(node=nodes)


def loops(count: int) -> GraphDef:
    """Small loops, each in a frame of its own."""
    lines: list[str] = []
    for number in range(count // 11):
        lines += [
            " ".join(word if word[0].isupper() else _numbered(word, number) for word in line.split())
            for line in LOOP.strip().splitlines()
        ]
    return graph_of("\n".join(lines))


def _numbered(word: str, number: int) -> str:
    mark = "^" if word[0] == "^" else ""
    return f"{mark}loop_{number}/{word.removeprefix('^')}"


STEPS: dict[str, Callable[[GraphDef, GraphIndex], object]] = {
    "read the nodes": lambda graph, index: [node.input for node in graph.node],
    "names": lambda graph, index: index.positions,
    "sources": lambda graph, index: index.sources,
    "targets": lambda graph, index: index.targets,
    "execution order": lambda graph, index: index.execution_order,
    "frames": lambda graph, index: index.node_frames,
    "branches": lambda graph, index: index.node_branches,
    "check_graph": lambda graph, index: check_graph(graph, registry=OPS, colocation=False),
    "the same, colocation": lambda graph, index: check_graph(graph, registry=OPS),
    "with_nodes": lambda graph, index: with_nodes(graph, graph.node),
}


def measured(data: bytes) -> dict[str, float]:
    """Milliseconds of each step."""
    times = dict.fromkeys(STEPS, math.inf)
    for _ in range(3):
        graph = GraphDef.from_bytes(data, lazy=True)
        index = None
        for step, run in STEPS.items():
            start = time.perf_counter()
            if step == "names":
                index = GraphIndex(graph)
            run(graph, index)
            times[step] = min(times[step], (time.perf_counter() - start) * 1000)
    return times


def main() -> None:
    OPS["NoOp"]
    if corpus is not None:
        graph = load(corpus / "generated" / "conv_train.meta", GraphDef, lazy=True)
        print(f"conv_train, {len(graph.node):,} nodes")
        print(*(f"{step:22}{time:8.1f}" for step, time in measured(graph.to_bytes()).items()), sep="\n")
    for name, make in {
        "in order": lambda n: wired(n, shuffled=False),
        "shuffled": lambda n: wired(n, shuffled=True),
        "loops": loops,
    }.items():
        small, large = measured(make(10_000).to_bytes()), measured(make(100_000).to_bytes())
        print(f"\n{name:22}{'10,000':>8}{'100,000':>9}  exponent")
        for step in STEPS:
            print(f"{step:22}{small[step]:8.1f}{large[step]:9.1f}{math.log10(large[step] / small[step]):10.2f}")


if __name__ == "__main__":
    main()
