"""Change the op of nodes; keep everything else."""

from __future__ import annotations

from ..graph import replace_node
from ..graph.error_text import quoted
from ..messages import GraphDef
from .framework.node_edits import map_nodes
from .framework.registry import graph_transform
from .framework.report import StepReport, missing_ops

__all__ = ["rename_op"]


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
