"""Changing nodes one by one, in a graph and in its functions."""

from __future__ import annotations

from collections.abc import Callable

from ...graph import with_functions, with_nodes
from ...messages import FunctionDef, GraphDef, NodeDef
from .report import StepReport

__all__ = ["map_nodes"]


def map_nodes(
    graph: GraphDef, change: Callable[[NodeDef], NodeDef], report: StepReport, *, functions: bool = True
) -> GraphDef:
    """The graph with what `change` makes of each node: the node itself if it stays as it is. Changes are counted.

    With `functions`, nodes in the bodies of functions are changed too.
    """
    nodes = [change(node) for node in graph.node]
    report.fire(sum(new is not old for new, old in zip(nodes, graph.node, strict=True)))
    result = with_nodes(graph, nodes)
    if not functions or graph.library is None or not graph.library.function:
        return result
    functions_before = graph.library.function
    functions_after = [_in_function(function, change, report) for function in functions_before]
    if all(new is old for new, old in zip(functions_after, functions_before, strict=True)):
        return result
    return with_functions(result, functions_after)


def _in_function(function: FunctionDef, change: Callable[[NodeDef], NodeDef], report: StepReport) -> FunctionDef:
    nodes = [change(node) for node in function.node_def]
    changes = sum(new is not old for new, old in zip(nodes, function.node_def, strict=True))
    report.fire(changes)
    return with_nodes(function, nodes) if changes else function
