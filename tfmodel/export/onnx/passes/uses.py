"""Uses of values in a graph and in the graphs inside of its nodes; replacement, and removal of what is not used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ..conversion.model import OnnxGraph, OnnxNode, Value

RANDOM = frozenset(
    {"RandomUniform", "RandomNormal", "RandomUniformLike", "RandomNormalLike", "Multinomial", "Bernoulli"}
)
"""Operators whose results are others in each run."""


def random_values(graph: OnnxGraph) -> set[Value]:
    """Return the values of a graph and of the graphs inside of it that depend on random numbers.

    All outputs of a node with graphs count that have a random number in one of these.
    """
    found: set[Value] = set()
    _find_random(graph, found)
    return found


def _find_random(graph: OnnxGraph, found: set[Value]) -> bool:
    """Add random values to a set, and return whether there are some in this graph."""
    before = len(found)
    for node in graph.nodes:
        inside = [_find_random(inner, found) for inner in node.graphs]
        if node.op in RANDOM or any(inside) or any(value in found for value in node.inputs):
            found.update(node.outputs)
    return len(found) > before


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


def remove_unused(graph: OnnxGraph) -> None:
    """Remove the nodes that no output needs, from a graph and from the graphs inside of its nodes."""
    needed: set[Value] = set()
    _remove_unused(graph, needed)


def _remove_unused(graph: OnnxGraph, needed: set[Value]) -> None:
    needed.update(graph.outputs)
    kept: list[OnnxNode] = []
    for node in reversed(graph.nodes):
        if needed.isdisjoint(node.outputs):
            continue
        kept.append(node)
        needed.update(value for value in node.inputs if value is not None)
        for inner in node.graphs:
            _remove_unused(inner, needed)
    graph.nodes = kept[::-1]
