"""Remove control inputs: edges that order execution without passing a tensor."""

from __future__ import annotations

from ..graph import GraphIndex, replace_node
from ..messages import GraphDef, NodeDef
from ..names import data_inputs
from .framework.node_edits import map_nodes
from .framework.registry import graph_transform
from .framework.report import StepReport

__all__ = ["remove_control_dependencies"]


@graph_transform
def remove_control_dependencies(graph: GraphDef, *, report: StepReport) -> GraphDef:
    """Remove all control inputs (`^node`) from the nodes of the graph.

    Nodes that were needed only through control inputs stay, as in the original. Unlike there, a node that is in a loop
    or in one branch of a conditional only because of its control inputs keeps them: without them it would be outside.
    Functions stay as they are, since their side effects are often needed only through control inputs.

    Example: remove_control_dependencies

        x = Placeholder[dtype=float]
        check = CheckNumerics(x)[T=float]
        y = Relu(x, ^check)[T=float]

    becomes

        x = Placeholder[dtype=float]
        check = CheckNumerics(x)[T=float]
        y = Relu(x)[T=float]
    """
    index = GraphIndex(graph)

    def remove(node: NodeDef) -> NodeDef:
        tensors = data_inputs(node)
        if len(tensors) == len(node.input):
            return node
        if not tensors and index.control_flow and (index.frame(node.name) or index.branch(node.name)):
            report.refuse(node.name, "only its control inputs keep it in its loop or conditional")
            return node
        return replace_node(node, input=tensors)

    return map_nodes(graph, remove, report, functions=False)
