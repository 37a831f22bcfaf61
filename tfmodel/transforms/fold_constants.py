"""What is the same each time, computed once.

    a = Const                                                 x = Placeholder
    b = Const                                          ->     m/_0__cf__0 = Const
    y = Add(x, m)   where   m = Mul(a, b)                     y = Add(x, m/_0__cf__0)

A node is constant if all tensors that it takes are, its op gives the same for them each time, and there is a kernel for
it; Shape, Size and Rank, if what they ask for is known without running the graph. A PlaceholderWithDefault that is not
declared is what its default is. Control inputs make no difference: a new constant waits for all that the nodes waited
for whose place it takes. Constants that are there already stay as they are.

As in the original, declared outputs keep their nodes, and so does what others wait for: a frozen Keras model may wait
for everything, and become larger, unless remove_control_dependencies goes first. What the outputs do not need goes.
Kept nodes get the attributes that they leave out, and lose their `_output_shapes`; they stand in an order in which they
can run, then new constants, then the declared inputs.

Unlike in the original, Placeholders that are not declared as inputs are not constant, and neither is a node that cannot
be computed, or whose op is not known or has no kernel, or calls a function: the original fails. Shapes in loops are
known. The Shape of what comes out of a Switch stays, since its constant would be there on both sides of the
conditional; so do LoopCond, ControlTrigger, and lists of tensors. Nodes that had to be on one device with a node that
goes stay together, a declared Placeholder does not wait for what goes, a constant keeps waiting for a declared input
that has a default, an output may be a node that only has to run, and a name that is taken is not given again. The
bodies of functions are left alone, as there. Nor is everything computed that could be: what takes many operations or
much memory, for what Const nodes hold, stays (see `folding.effort`), since a few bytes may ask for any amount of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ..errors import TransformError
from ..graph import describe, replace_node, with_nodes
from ..graph.error_text import quoted
from ..messages import GraphDef, NodeDef, OpDef
from ..names import TensorName
from ..shapes import infer_shapes
from .constant_folding.dependencies import Wiring
from .constant_folding.evaluation import Constants, Rules
from .constant_folding.replacement import replaced
from .framework.default_attrs import DefaultAttributes
from .framework.node_edits import restore_colocation
from .framework.registry import graph_transform
from .framework.report import StepReport, missing_nodes, missing_ops

__all__ = ["fold_constants"]


@graph_transform
def fold_constants(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    ops: Mapping[str, OpDef],
    report: StepReport,
    clear_output_shapes: bool = True,
    exclude_op: tuple[str, ...] = (),
    exclude_node: tuple[str, ...] = (),
    max_constant_size_in_bytes: int = 10_485_760,
) -> GraphDef:
    """Compute what does not depend on the inputs, and put constants in its place; what the outputs do not need goes.

    Nodes of the ops `exclude_op`, and those of the names `exclude_node`, are not computed, and nothing that is larger
    than `max_constant_size_in_bytes` becomes a constant. Notes tell which of these ops and names no node has. Inputs
    must be Placeholders: see strip_unused_nodes. Unless `clear_output_shapes`, the shapes that attributes
    `_output_shapes` claim are trusted.

    Example: fold_constants with inputs x and outputs y

        x = Placeholder[dtype=float]
        a = Const[dtype=float, value=float{2, 3}]
        b = Const[dtype=float, value=float{10, 10}]
        m = Mul(a, b)[T=float]
        y = Add(x, m)[T=float]

    becomes

        y = Add(x:0, m/_0__cf__0)[T=float]
        m/_0__cf__0 = Const[dtype=float, value=float{20, 30}]
        x = Placeholder[dtype=float]
    """
    if not outputs:
        raise TransformError("it needs to know the outputs")
    fetched = {tensor.node for tensor in outputs}
    for tensor in inputs:
        if tensor.node in fetched:
            raise TransformError(f"{quoted(str(tensor))} is both an input and an output")
    report.notes += missing_ops(exclude_op, graph, functions=False)
    report.notes += missing_nodes("exclude_node", exclude_node, graph)
    wiring = Wiring(graph, inputs, outputs)
    shapes = partial(infer_shapes, graph, trust_output_shapes=not clear_output_shapes)
    rules = Rules(frozenset(exclude_op), frozenset(exclude_node), max_constant_size_in_bytes, shapes)
    constants = Constants(wiring, ops, rules, report)
    nodes = replaced(wiring, constants, ops, DefaultAttributes(ops), max_constant_size_in_bytes, report)
    kept = {node.name for node in nodes} | {tensor.node for tensor in inputs}
    nodes += [_as_input(graph.node[position], kept) for position in sorted(wiring.fed)]
    return with_nodes(graph, restore_colocation(nodes, graph.node))


def _as_input(node: NodeDef, kept: set[str]) -> NodeDef:
    """A declared input, which must be a Placeholder or have a default, which it loses."""
    if node.op not in ("Placeholder", "PlaceholderWithDefault"):
        raise TransformError(f"{describe(node)} is no Placeholder: make it one with strip_unused_nodes")
    if node.op == "PlaceholderWithDefault":
        return replace_node(node, op="Placeholder", input=[])
    inputs = [text for text in node.input if TensorName.parse(text).node in kept]
    return node if len(inputs) == len(node.input) else replace_node(node, input=inputs)
