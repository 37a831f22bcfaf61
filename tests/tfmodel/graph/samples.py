"""Small graphs, written as a table: one node a line."""

from __future__ import annotations

from typing import Any

from tests.support.strategies_graphs import value_of
from tfmodel.messages import GraphDef, NodeDef

__all__ = ["LOOP", "graph_of", "names"]

LOOP = """
    start  Const
    limit  Const          ^merge
    enter  Enter          start
    merge  Merge          enter  next
    less   Less           merge  limit
    cond   LoopCond       less
    switch Switch         merge  cond
    body   Neg            switch:1
    next   NextIteration  body
    exit   Exit           switch
    after  Neg            exit
"""


def graph_of(table: str, **attrs: dict[str, Any]) -> GraphDef:
    """A graph of lines `name op input ...`; `attrs` are attributes by node. An Enter leads into the loop "frame"."""
    nodes = []
    for name, op, *inputs in (line.split() for line in table.strip().splitlines()):
        defaults = {"frame_name": "frame"} if op == "Enter" else {}
        attr = {key: value_of(value) for key, value in (defaults | attrs.get(name, {})).items()}
        nodes.append(NodeDef(name=name, op=op, input=inputs, attr=attr))
    return GraphDef(node=nodes)


def names(nodes: list[NodeDef]) -> str:
    return " ".join(node.name for node in nodes)
