"""Replace TensorArrayV3 by TensorArrayV2, which has no flow output.

    a = TensorArrayV3(size)              ->    a = TensorArrayV2(size)
                                               a/replacement_flow_node = Const (1.0)
    TensorArrayWriteV3(a, i, x, a:1)     ->    TensorArrayWriteV2(a, i, x, a/replacement_flow_node)

Attributes stay as they are, as in the original: nodes that pass handles on still have the type resource, and attributes
that the second version does not have stay. Only nodes of the graph itself are changed. Unlike in the original, the new
constant of a TensorArray in a loop has a control input from it, so that it is in that loop too; and if the flow of a
TensorArray is a declared output, nothing is changed. `versions.producer` becomes 25, the last version that allows
these ops: TensorFlow refuses the original's result for newer graphs.
"""

from __future__ import annotations

from ..graph import GraphIndex, replace_node, with_nodes
from ..messages import DataType, GraphDef, NodeDef
from ..names import TensorName, control_input
from .framework.node_edits import const_node, rename_inputs
from .framework.registry import graph_transform
from .framework.report import StepReport

__all__ = ["backport_tensor_array_v3"]

ARRAYS = {"TensorArrayV3": "TensorArrayV2", "TensorArrayGradV3": "TensorArrayGradV2"}
USERS = {
    f"TensorArray{action}V3": f"TensorArray{action}V2"
    for action in ("Close", "Concat", "Gather", "Read", "Scatter", "Size", "Split", "Write")
}


@graph_transform
def backport_tensor_array_v3(graph: GraphDef, *, outputs: tuple[TensorName, ...], report: StepReport) -> GraphDef:
    """Replace TensorArrayV3 and its ops by their second version, for runtimes without the third.

    Example: backport_tensor_array_v3 with outputs n

        size = Const[dtype=int32]
        a = TensorArrayV3(size)[dtype=float]
        n = TensorArraySizeV3(a, a:1)

    becomes

        size = Const[dtype=int32]
        a = TensorArrayV2(size)[dtype=float]
        a/replacement_flow_node = Const[dtype=float, value=float{1}()]
        n = TensorArraySizeV2(a, a/replacement_flow_node)
    """
    if not any(node.op in ARRAYS or node.op in USERS for node in graph.node):
        return graph
    for tensor in outputs:
        if tensor.port == 1 and any(node.name == tensor.node and node.op in ARRAYS for node in graph.node):
            report.refuse(tensor.node, "its flow is an output")
            return graph
    index = GraphIndex(graph)
    nodes: list[NodeDef] = []
    renames: dict[str, str] = {}
    for node in graph.node:
        if node.op in USERS:
            nodes.append(replace_node(node, op=USERS[node.op]))
        elif node.op not in ARRAYS:
            nodes.append(node)
            continue
        else:
            flow = f"{node.name}/replacement_flow_node"
            controls = [control_input(node.name)] if index.frame(node.name) is not None else []
            constant = const_node(flow, 1.0, DataType.DT_FLOAT, control_inputs=controls)
            nodes += [replace_node(node, op=ARRAYS[node.op]), constant]
            renames[f"{node.name}:1"] = flow
        report.fire()
    return with_nodes(graph, rename_inputs(nodes, renames))
