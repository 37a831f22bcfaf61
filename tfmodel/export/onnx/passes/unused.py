"""Remove the nodes that no output needs, and the trailing outputs of nodes that nothing takes."""

from __future__ import annotations

from ..conversion.model import OnnxGraph, OnnxNode, Value


def remove_unused(graph: OnnxGraph) -> None:
    """Remove them from a graph and from the graphs inside of its nodes."""
    needed: set[Value] = set()
    _visit(graph, needed)


def _visit(graph: OnnxGraph, needed: set[Value]) -> None:
    needed.update(graph.outputs)
    kept: list[OnnxNode] = []
    for node in reversed(graph.nodes):
        if needed.isdisjoint(node.outputs):
            continue
        kept.append(node)
        needed.update(value for value in node.inputs if value is not None)
        for inner in node.graphs:
            _visit(inner, needed)
    graph.nodes = kept[::-1]
