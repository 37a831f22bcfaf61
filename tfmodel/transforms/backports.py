"""Replace ops by older versions, for runtimes that do not have the newer ones.

`backport_concatv2` replaces ConcatV2, whose axis is the last input, by Concat, whose axis is the first:

    ConcatV2(a, b, axis)   ->   Concat(axis, a, b)

The original takes the last of all inputs as the axis. Here, control inputs stay after the tensors, and nodes in
functions are changed too. Concat needs an int32 axis: nodes whose axis has another type are left alone.

`backport_tensor_array_v3` replaces TensorArrayV3 by TensorArrayV2, which has no flow output:

    a = TensorArrayV3(size)              ->    a = TensorArrayV2(size)
                                               a/replacement_flow_node = Const (1.0)
    TensorArrayWriteV3(a, i, x, a:1)     ->    TensorArrayWriteV2(a, i, x, a/replacement_flow_node)

Attributes stay as they are, as in the original: nodes that pass handles on still have the type resource, and attributes
that the second version does not have stay. Only nodes of the graph itself are changed.

Unlike in the original, the new constant of a TensorArray in a loop has a control input from the TensorArray, so that it
is in the loop too. If the flow of a TensorArray is a declared output, nothing is changed. A `versions.producer` above
25 is lowered to 25, the last version that allows these ops: TensorFlow refuses the original's result for newer graphs.
"""

from __future__ import annotations

from ..graph import GraphIndex, attr, replace_node, with_nodes
from ..messages import DataType, GraphDef, NodeDef
from ..values.names import TensorName, control_input, control_inputs, data_inputs
from .framework.node_edits import const_node, map_nodes, rename_inputs
from .framework.registry import graph_transform
from .framework.report import StepReport


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
