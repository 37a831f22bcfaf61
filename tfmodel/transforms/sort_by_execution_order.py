"""Sort nodes so that producers come before their consumers."""

from __future__ import annotations

from ..graph import GraphIndex, with_nodes
from ..messages import GraphDef
from .framework.registry import graph_transform


@graph_transform
def sort_by_execution_order(graph: GraphDef) -> GraphDef:
    """Put the nodes into an order in which they can run. There are several such orders; this is that of the original.

    The choice between nodes that are ready depends on their present order. So sorting a sorted graph may give another
    order, as in the original. Fails for a graph with a missing input, or with a cycle outside of a loop.

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
