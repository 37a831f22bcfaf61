"""Producers before consumers."""

from __future__ import annotations

from ..graph import GraphIndex, with_nodes
from ..messages import GraphDef
from .framework.registry import graph_transform

__all__ = ["sort_by_execution_order"]


@graph_transform
def sort_by_execution_order(graph: GraphDef) -> GraphDef:
    """Put the nodes in an order in which they can run: that of the original, of which there are many.

    Which node comes first of several that could depends on how they stood before, so to sort a sorted graph gives
    another order again, as in the original. Fails for a graph with a missing input, or with a cycle that is no loop.

    Example: sort_by_execution_order

        z = Add(y, x)[T=float]
        y = Relu(x)[T=float]
        x = Placeholder[dtype=float]

    becomes

        x = Placeholder[dtype=float]
        y = Relu(x)[T=float]
        z = Add(y, x)[T=float]
    """
    return with_nodes(graph, GraphIndex(graph).execution_order)
