"""The declarations of the ops that a graph uses: the `stripped_op_list` of a MetaGraphDef.

    [op.name for op in stripped_op_list(graph).op]      # ["Const", "MatMul", "Placeholder"]

An older reader learns from them which attributes it does not know and can do without, because they have their defaults.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable

from ..graph import Functions, attr
from ..messages import GraphDef, NameAttrList, NodeDef, OpDef, OpList
from ..ops.definitions import Declarations, registry

__all__ = ["ops_used", "stripped_op_list"]

# The only ops that TensorFlow follows to a function by an attribute. What the branches of an If use, it does not list.
_FOLLOWED = frozenset(("PartitionedCall", "StatefulPartitionedCall"))


def ops_used(graph: GraphDef) -> set[str]:
    """The ops of the nodes of a graph and of the functions that they call; the functions themselves are not among them.

    Functions are followed as TensorFlow does for its list: those that are called by their name as an op, and those of
    PartitionedCall and StatefulPartitionedCall. Raises GraphError if such a node names its function by something else.
    """
    functions = Functions(graph.library)
    used: set[str] = set()
    pending: list[Iterable[NodeDef]] = [graph.node]
    while pending:
        for node in pending.pop():
            for name in _called(node):
                if name not in used:
                    used.add(name)
                    if function := functions.get(name):
                        pending.append(function.node_def)
    return used - functions.keys()


def _called(node: NodeDef) -> Iterable[str]:
    if node.op not in _FOLLOWED:
        return (node.op,)
    function = attr(node, "f", NameAttrList, None)
    return (node.op, function.name if function is not None else "")


def stripped_op_list(graph: GraphDef, *, op_defs: Declarations | Iterable[Declarations] = ()) -> OpList:
    """The declarations of `ops_used`, sorted by name, without the texts for people, as TensorFlow 2.12 writes them.

    `op_defs` are OpLists, or files of them, that count before TensorFlow's own. Ops that nobody declares are left out.
    """
    ops = registry(op_defs=op_defs)
    return OpList(op=[_stripped(ops[name]) for name in sorted(ops_used(graph)) if name in ops])


def _stripped(op: OpDef) -> OpDef:
    stripped = copy.deepcopy(op)
    stripped.summary = stripped.description = ""
    for argument in (*stripped.input_arg, *stripped.output_arg):
        argument.description = ""
    for attribute in stripped.attr:
        attribute.description = ""
    return stripped
