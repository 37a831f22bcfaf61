"""Producers before consumers."""

from __future__ import annotations

from ..graph import GraphIndex, with_nodes
from ..messages import GraphDef
from .framework.registry import graph_transform

__all__ = ["sort_by_execution_order"]


@graph_transform
def sort_by_execution_order(graph: GraphDef) -> GraphDef:
    """Put the nodes in an order in which they can run: that of the original, of which there are many.

    Fails for a graph with a missing input, or with a cycle that is no loop.
    """
    return with_nodes(graph, GraphIndex(graph).execution_order)
