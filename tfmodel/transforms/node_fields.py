"""Change the name, op, device, attributes or inputs of nodes; colocation attributes (`_class`) follow renamed nodes."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import TransformError
from ..graph import GraphIndex, describe, replace_node, with_nodes
from ..graph.error_text import quote
from ..graph.view import rename_nodes
from ..messages import GraphDef, NodeDef, OpDef
from ..values.names import TensorName, data_inputs, is_plain_name
from .framework.node_edits import DefaultAttributes, map_nodes
from .framework.registry import graph_transform
from .framework.report import StepReport, missing_nodes, missing_ops


@graph_transform
def rename_node(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    report: StepReport,
    old_node_name: str,
    new_node_name: str,
) -> GraphDef:
    """Rename a node and all references to it; a graph without such a node stays as it is, with a note.

    Fails if a node of the new name exists already. Unlike in the original, a declared input or output stays declared
    under its new name, so that the next transforms find it, and colocation attributes refer to the new name. Nodes in
    functions are not changed.

    Example: rename_node(old_node_name=x, new_node_name=image)

        x = Placeholder[dtype=float]
        y = Relu(x:0, ^x)[T=float]

    becomes

        image = Placeholder[dtype=float]
        y = Relu(image:0, ^image)[T=float]
    """
    index = GraphIndex(graph)
    existing = index.get(new_node_name)
    if existing is not None:
        raise TransformError(f"a node of the new name exists already: {describe(existing)}")
    if old_node_name not in index:
        report.notes += missing_nodes("old_node_name", [old_node_name], graph)
        return graph
    if not is_plain_name(new_node_name):
        raise TransformError(f"{quote(old_node_name)} must be renamed to a node, not {quote(new_node_name)}")
    report.fire()
    tensors = [TensorName(old_node_name), *(tensor for tensor in (*inputs, *outputs) if tensor.node == old_node_name)]
    report.renames |= {tensor: tensor._replace(node=new_node_name) for tensor in tensors}
    report.node_renames = {old_node_name: new_node_name}
    return with_nodes(graph, rename_nodes(graph.node, report.node_renames))


@graph_transform
def rename_op(graph: GraphDef, *, report: StepReport, old_op_name: str, new_op_name: str) -> GraphDef:
    """Give every node with the op `old_op_name` the op `new_op_name`, without checking whether the nodes stay valid.

    A graph without such a node stays as it is, with a note. Unlike in the original, nodes in functions are changed too.

    Example: rename_op(old_op_name=Relu6, new_op_name=Relu)

        x = Placeholder[dtype=float]
        y = Relu6(x)[T=float]

    becomes

        x = Placeholder[dtype=float]
        y = Relu(x)[T=float]
    """
    if old_op_name == new_op_name:
        report.notes.append(f"both names are {quote(old_op_name)}")
        return graph
    report.notes += missing_ops([old_op_name], graph)
    return map_nodes(graph, lambda node: replace_node(node, op=new_op_name) if node.op == old_op_name else node, report)


@graph_transform
def set_device(graph: GraphDef, *, report: StepReport, device: str = "", if_default: bool = False) -> GraphDef:
    """Set the device of all nodes, or with `if_default` only of nodes without a device.

    With `if_default` and no `device`, nothing changes. Unlike in the original, nodes in functions are changed too.

    Example: set_device(device="/device:GPU:0", if_default=true)

        x = Placeholder[dtype=float] @ /device:CPU:0
        y = Relu(x)[T=float]

    becomes

        x = Placeholder[dtype=float] @ /device:CPU:0
        y = Relu(x)[T=float] @ /device:GPU:0
    """
    if if_default and not device:
        report.notes.append("no node changes: if_default needs a device")

    def place(node: NodeDef) -> NodeDef:
        is_unchanged = node.device == device or (if_default and node.device)
        return node if is_unchanged else replace_node(node, device=device)

    return map_nodes(graph, place, report)


@graph_transform
def remove_device(graph: GraphDef, *, report: StepReport) -> GraphDef:
    """Remove the devices of all nodes, so that they can run anywhere.

    Unlike in the original, nodes in functions are changed too.

    Example: remove_device

        x = Placeholder[dtype=float]
        y = Relu(x)[T=float] @ /device:GPU:0

    becomes

        x = Placeholder[dtype=float]
        y = Relu(x)[T=float]
    """
    return map_nodes(graph, lambda node: replace_node(node, device="") if node.device else node, report)


@graph_transform
def remove_attribute(graph: GraphDef, *, report: StepReport, attribute_name: str, op_name: str = "*") -> GraphDef:
    """Remove an attribute from all nodes, or from those of one op.

    A graph without such a node stays as it is, with a note. Unlike in the original, nodes in functions are changed too.

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

    A node that already has an attribute of the new name keeps this attribute, and loses the one with the old name, as
    in the original; a note counts such nodes. A graph without an attribute of the old name stays as it is, with a note.
    Unlike in the original, nodes in functions are changed too.

    Example: rename_attribute(old_attribute_name=Truncate, new_attribute_name=truncate, op_name=Cast)

        x = Placeholder[dtype=float]
        y = Cast(x)[SrcT=float, DstT=int32, Truncate=true]

    becomes

        x = Placeholder[dtype=float]
        y = Cast(x)[SrcT=float, DstT=int32, truncate=true]
    """
    if old_attribute_name == new_attribute_name:
        report.notes.append(f"both names are {quote(old_attribute_name)}")
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
        old, new = quote(old_attribute_name), quote(new_attribute_name)
        report.notes.append(f"{nodes} an attribute {new} already, and lost {old}")
    report.notes += _missing(old_attribute_name, op_name, graph, report)
    return result


def _missing(attribute: str, op: str, graph: GraphDef, report: StepReport) -> list[str]:
    """Return the notes about arguments that select no node; an empty list if the transform changed a node."""
    if report.fired:
        return []
    of_op = "" if op == "*" else f" of the op {quote(op)}"
    return [*missing_ops([op], graph)] or [f"no node{of_op} has an attribute {quote(attribute)}"]


@graph_transform
def add_default_attributes(graph: GraphDef, *, ops: Mapping[str, OpDef], report: StepReport) -> GraphDef:
    """Add the attributes that nodes leave out because they have the default of their op.

    Then other transforms, and tools that read attributes, need not know the defaults. Present attributes stay, even if
    the op does not declare them. Attributes without a default are not added.

    Unlike in the original, nodes in functions are changed too, and a node whose op is not known is left alone and
    reported. In the original it is an error.

    Example: add_default_attributes

        x = Placeholder[dtype=float, shape=(2, 3)]
        w = Placeholder[dtype=float, shape=(3, 4)]
        y = MatMul(x, w)[T=float, transpose_b=true]

    becomes

        x = Placeholder[dtype=float, shape=(2, 3)]
        w = Placeholder[dtype=float, shape=(3, 4)]
        y = MatMul(x, w)[T=float, transpose_a=false, transpose_b=true]
    """
    add_defaults = DefaultAttributes(ops)

    def complete(node: NodeDef) -> NodeDef:
        if node.op not in ops:
            report.refuse(node.name, f"the op {quote(node.op)} is not known")
        return add_defaults(node)

    return map_nodes(graph, complete, report)


@graph_transform
def remove_control_dependencies(graph: GraphDef, *, report: StepReport) -> GraphDef:
    """Remove all control inputs (`^node`) from the nodes of the graph.

    Nodes that were needed only through control inputs stay, as in the original. Unlike in the original, a node that is
    in a loop or in one branch of a conditional only because of its control inputs keeps them: without them it would be
    outside. Functions stay as they are, since nodes with side effects are often needed only through control inputs.

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
