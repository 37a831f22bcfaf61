"""Replace ConcatV2, whose axis is the last input, by Concat, whose axis is the first.

    ConcatV2(a, b, axis)   ->   Concat(axis, a, b)

Unlike the original, which takes the last of all inputs as the axis, control inputs stay behind the tensors, and nodes
in functions are changed too. Concat needs an int32 axis: nodes with another type are left alone.
"""

from __future__ import annotations

from ..graph import attr, replace_node
from ..messages import DataType, GraphDef, NodeDef
from ..names import control_inputs, data_inputs
from .framework.node_edits import map_nodes
from .framework.registry import graph_transform
from .framework.report import StepReport

__all__ = ["backport_concatv2"]


@graph_transform
def backport_concatv2(graph: GraphDef, *, report: StepReport) -> GraphDef:
    """Replace ConcatV2 by Concat, for runtimes without ConcatV2.

    Example: backport_concatv2 with inputs a, b and outputs y

        a = Placeholder[dtype=float]
        b = Placeholder[dtype=float]
        axis = Const[dtype=int32, value=int32{1}()]
        y = ConcatV2(a, b, axis, ^a)[N=2, T=float, Tidx=int32]

    becomes

        a = Placeholder[dtype=float]
        b = Placeholder[dtype=float]
        axis = Const[dtype=int32, value=int32{1}()]
        y = Concat(axis, a, b, ^a)[N=2, T=float]
    """

    def backport(node: NodeDef) -> NodeDef:
        if node.op != "ConcatV2":
            return node
        if attr(node, "Tidx", DataType, DataType.DT_INT32) != DataType.DT_INT32:
            report.refuse(node.name, "its axis is not an int32")
            return node
        tensors = data_inputs(node)
        if not tensors:
            report.refuse(node.name, "it has no inputs")
            return node
        attributes = {name: value for name, value in node.attr.items() if name != "Tidx"}
        inputs = [tensors[-1], *tensors[:-1], *control_inputs(node)]
        return replace_node(node, op="Concat", input=inputs, attr=attributes)

    return map_nodes(graph, backport, report)
