"""Remove or rename attributes, whatever their meaning: `remove_attribute` and `rename_attribute`."""

from __future__ import annotations

from ..graph import replace_node
from ..graph.error_text import quoted
from ..messages import GraphDef, NodeDef
from .framework.node_edits import map_nodes
from .framework.registry import graph_transform
from .framework.report import StepReport, missing_ops

__all__ = ["remove_attribute", "rename_attribute"]


@graph_transform
def remove_attribute(graph: GraphDef, *, report: StepReport, attribute_name: str, op_name: str = "*") -> GraphDef:
    """Remove an attribute from all nodes, or from those of one op.

    A graph without such a node stays as it is, with a note. Unlike the original, nodes in functions are changed too.

    Example: remove_attribute(attribute_name=_output_shapes)

        x = Placeholder[_output_shapes=[2, 3], dtype=float]
        y = Relu(x)[T=float]

    becomes

        x = Placeholder[dtype=float]
        y = Relu(x)[T=float]
    """

    def remove(node: NodeDef) -> NodeDef:
        if op_name not in ("*", node.op) or attribute_name not in node.attr:
            return node
        return replace_node(node, attr={name: value for name, value in node.attr.items() if name != attribute_name})

    result = map_nodes(graph, remove, report)
    report.notes += _missing(attribute_name, op_name, graph, report)
    return result


@graph_transform
def rename_attribute(
    graph: GraphDef, *, report: StepReport, old_attribute_name: str, new_attribute_name: str, op_name: str = "*"
) -> GraphDef:
    """Rename an attribute of all nodes, or of those of one op.

    A node that already has an attribute of the new name keeps its value and loses the renamed one, as in the original;
    a note counts such nodes. Unlike there, nodes in functions are changed too.

    Example: rename_attribute(old_attribute_name=Truncate, new_attribute_name=truncate, op_name=Cast)

        x = Placeholder[dtype=float]
        y = Cast(x)[SrcT=float, DstT=int32, Truncate=true]

    becomes

        x = Placeholder[dtype=float]
        y = Cast(x)[SrcT=float, DstT=int32, truncate=true]
    """
    if old_attribute_name == new_attribute_name:
        report.notes.append(f"both names are {quoted(old_attribute_name)}")
        return graph
    lost = 0

    def rename(node: NodeDef) -> NodeDef:
        nonlocal lost
        if op_name not in ("*", node.op) or old_attribute_name not in node.attr:
            return node
        lost += new_attribute_name in node.attr
        renamed = {new_attribute_name: node.attr[old_attribute_name]} | dict(node.attr)
        del renamed[old_attribute_name]
        return replace_node(node, attr=renamed)

    result = map_nodes(graph, rename, report)
    if lost:
        nodes = "1 node has" if lost == 1 else f"{lost:,} nodes have"
        old, new = quoted(old_attribute_name), quoted(new_attribute_name)
        report.notes.append(f"{nodes} an attribute {new} already, and lost {old}")
    report.notes += _missing(old_attribute_name, op_name, graph, report)
    return result


def _missing(attribute: str, op: str, graph: GraphDef, report: StepReport) -> list[str]:
    """Return the notes for a transform that changed nothing; none if it changed something."""
    if report.fired:
        return []
    of_op = "" if op == "*" else f" of the op {quoted(op)}"
    return [*missing_ops([op], graph)] or [f"no node{of_op} has an attribute {quoted(attribute)}"]
