"""Compute constant parts of a graph once.

    a = Const                                                 x = Placeholder
    b = Const                                          ->     m/_0__cf__0 = Const
    y = Add(x, m)   where   m = Mul(a, b)                     y = Add(x, m/_0__cf__0)

A node is constant if all its data inputs are constant, its op is deterministic, and tfmodel has a kernel for the op.
Shape, Size and Rank are constant if the shape is known without running the graph. A PlaceholderWithDefault that is not
declared as an input has its default value. Control inputs make no difference: a new constant gets the control inputs of
the nodes that it replaces. Present constants stay as they are.

As in the original, declared outputs keep their nodes, and so do nodes with control outputs. But no weights are doubled:
if the value of a Const passes through an Identity with a control output, as in models that TensorFlow 2 has frozen, the
control inputs from constants are replaced by the nodes that must run before them. Nodes that the outputs do not need
are removed. The remaining nodes get their default attributes written out and lose their `_output_shapes`. They are in
an order in which they can run, followed by the new constants, and then by the declared inputs. The bodies of functions
are left alone.

Differences from the original:

    Placeholders that are not declared as inputs are not constant.
    A node that cannot be computed, or whose op is unknown, has no kernel or calls a function, is not constant. In the
    original it is an error.
    Shapes in loops are known.
    The Shape of a Switch's output stays, since its constant would exist in both branches of the conditional.
    LoopCond, ControlTrigger and lists of tensors stay.
    A constant that is the same as a Const is not made if the Const stays.
    Nodes that were colocated with a removed node stay together.
    A declared Placeholder has no control inputs from removed nodes.
    If a constant has a control input from a PlaceholderWithDefault that is declared as an input, it keeps it.
    An output may be a node without tensors, such as a NoOp.
    The names of new constants are never those of other nodes.
    Constant nodes that take many operations or much memory, compared with the size of the Const nodes, are not
    computed, since a graph of a few bytes may require any amount of work: see `constant_folding.cost_model`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ..analysis.shapes import infer_shapes
from ..errors import TransformError
from ..graph import describe, replace_node, with_nodes
from ..graph.error_text import quote
from ..messages import GraphDef, NodeDef, OpDef
from ..values.names import TensorName
from .constant_folding.dependencies import Dependencies
from .constant_folding.evaluation import Constants, Rules
from .constant_folding.replacement import replace_constants
from .framework.exclusions import NamePatterns
from .framework.node_edits import DefaultAttributes, restore_colocation
from .framework.registry import graph_transform
from .framework.report import StepReport, missing_ops


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
    """Replace nodes that do not depend on the inputs by constants; remove nodes that the outputs do not need.

    Nodes with an op in `exclude_op` or a name in `exclude_node`, which may have the wildcards * and ?, are not
    computed, and results larger than `max_constant_size_in_bytes` do not become constants. Notes list the excluded ops
    and names that no node has. Inputs must be Placeholders: see strip_unused_nodes. With `clear_output_shapes=false`,
    the shapes in `_output_shapes` attributes are trusted.

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
        raise TransformError("the outputs must be declared")
    fetched = {tensor.node for tensor in outputs}
    for tensor in inputs:
        if tensor.node in fetched:
            raise TransformError(f"{quote(str(tensor))} is both an input and an output")
    report.notes += missing_ops(exclude_op, graph, functions=False)
    excluded = NamePatterns(exclude_node)
    report.notes += excluded.missing("exclude_node", graph)
    dependencies = Dependencies(graph, inputs, outputs)
    shapes = partial(infer_shapes, graph, trust_output_shapes=not clear_output_shapes)
    rules = Rules(frozenset(exclude_op), excluded, max_constant_size_in_bytes, shapes)
    constants = Constants(dependencies, ops, rules, report)
    nodes = replace_constants(dependencies, constants, ops, DefaultAttributes(ops), max_constant_size_in_bytes, report)
    remaining = {node.name for node in nodes} | {tensor.node for tensor in inputs}
    nodes += [_as_input(graph.node[position], remaining) for position in sorted(dependencies.fed)]
    return with_nodes(graph, restore_colocation(nodes, graph.node))


def _as_input(node: NodeDef, remaining: set[str]) -> NodeDef:
    """Return a declared input, which must be a Placeholder or have a default; the default is removed."""
    if node.op not in ("Placeholder", "PlaceholderWithDefault"):
        raise TransformError(f"{describe(node)} is not a Placeholder: run strip_unused_nodes first")
    if node.op == "PlaceholderWithDefault":
        return replace_node(node, op="Placeholder", input=[])
    inputs = [text for text in node.input if TensorName.parse(text).node in remaining]
    return node if len(inputs) == len(node.input) else replace_node(node, input=inputs)
