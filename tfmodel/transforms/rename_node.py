"""Rename one node."""

from __future__ import annotations

from ..errors import TransformError
from ..graph import ColocationRenames, GraphIndex, describe, replace_node, with_nodes
from ..messages import GraphDef
from .framework.node_edits import rename_inputs
from .framework.registry import graph_transform
from .framework.report import StepReport, missing_nodes

__all__ = ["rename_node"]


@graph_transform
def rename_node(graph: GraphDef, *, report: StepReport, old_node_name: str, new_node_name: str) -> GraphDef:
    """Rename a node and all references to it; a graph without such a node stays as it is, with a note.

    Fails if a node of the new name exists already. Declared inputs and outputs cannot be renamed, since the next
    transform needs them. Unlike in the original, colocation attributes refer to the new name. Nodes in functions are
    not changed.

    Example: rename_node(old_node_name=x, new_node_name=image)

        x = Placeholder[dtype=float]
        y = Relu(x:0, ^x)[T=float]

    becomes

        image = Placeholder[dtype=float]
        y = Relu(image:0, ^image)[T=float]
    """
    index = GraphIndex(graph)
    taken = index.get(new_node_name)
    if taken is not None:
        raise TransformError(f"a node of the new name exists already: {describe(taken)}")
    if old_node_name not in index:
        report.notes += missing_nodes("old_node_name", [old_node_name], graph)
        return graph
    report.fire()
    nodes = [
        replace_node(node, name=new_node_name) if node.name == old_node_name else node
        for node in rename_inputs(graph.node, {f"{old_node_name}:*": new_node_name})
    ]
    return with_nodes(graph, map(ColocationRenames({old_node_name: new_node_name}).applied, nodes))
