"""Who uses a value, in a graph and in the graphs inside of its nodes; and replacement of values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ..model import OnnxGraph, Value


def count_uses(graph: OnnxGraph) -> Counter[Value]:
    """Count the inputs of nodes and the outputs of graphs that are each value."""
    counts: Counter[Value] = Counter()
    for each in graph.walk():
        counts.update(each.outputs)
        for node in each.nodes:
            counts.update(value for value in node.inputs if value is not None)
    return counts


def replace_values(graph: OnnxGraph, new: Mapping[Value, Value]) -> None:
    """Let all nodes and outputs take other values. A new value may be replaced too."""
    if not new:
        return

    def final(value: Value) -> Value:
        while value in new:
            value = new[value]
        return value

    for each in graph.walk():
        each.outputs = [final(value) for value in each.outputs]
        for node in each.nodes:
            node.inputs = [None if value is None else final(value) for value in node.inputs]
