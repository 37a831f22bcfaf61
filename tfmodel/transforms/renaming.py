"""Rename nodes, and change their ops: `rename_node`, `rename_op`.

Rename one node.

Change the op of nodes; keep everything else.
"""

from __future__ import annotations

from ..errors import TransformError
from ..graph import ColocationRenames, GraphIndex, describe, replace_node, with_nodes
from ..graph.error_text import quoted
from ..messages import GraphDef
from .framework.node_edits import map_nodes, rename_inputs
from .framework.registry import graph_transform
from .framework.report import StepReport, missing_nodes, missing_ops

__all__ = ["rename_node", "rename_op"]


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


@graph_transform
def rename_op(graph: GraphDef, *, report: StepReport, old_op_name: str, new_op_name: str) -> GraphDef:
    """Give every node with the op `old_op_name` the op `new_op_name`; whether that makes sense is not checked.

    A graph without such a node stays as it is, with a note. Unlike in the original, nodes in functions are changed too.

    Example: rename_op(old_op_name=Relu6, new_op_name=Relu)

        x = Placeholder[dtype=float]
        y = Relu6(x)[T=float]

    becomes

        x = Placeholder[dtype=float]
        y = Relu(x)[T=float]
    """
    if old_op_name == new_op_name:
        report.notes.append(f"both names are {quoted(old_op_name)}")
        return graph
    report.notes += missing_ops([old_op_name], graph)
    return map_nodes(graph, lambda node: replace_node(node, op=new_op_name) if node.op == old_op_name else node, report)
