"""Graphs: who refers to whom, in which order nodes run, which loop they are in, what is wrong with them.

    from tfmodel.graph import GraphIndex, attr, check_graph, with_nodes

    index = GraphIndex(graph)
    for node in index.execution_order:
        if node.op == "Conv2D" and len(index.consumers(node.name)) == 1:
            print(node.name, attr(node, "strides", list[int]))

Nothing here changes a graph that it is given, or a node. Its modules:

    attributes.py     `attr`, the one way to read an attribute, and `const_tensor`, to read a Const
    index.py          `GraphIndex`: nodes by name, producers and consumers, order
    sorting.py        the order of execution, and cycles
    control_flow.py   the loops and conditionals of TensorFlow 1
    functions.py      the function library, and who calls what
    colocation.py     which nodes have to be on one device
    naming.py         names for new nodes
    substitution.py   attributes of nodes in a function, with what a call says of them
    rebuilding.py     new graphs and nodes that share with old ones what does not change
    checking.py       `check_graph`: all that is wrong with a graph
    referring.py      whether a reference is right, in a graph and in a function
    ports.py          how many tensors a node gives
    wording.py        how errors speak of nodes
"""

from __future__ import annotations

from .attributes import attr, const_tensor
from .colocation import ColocationRenames, colocated_with, colocation_groups, with_renamed_colocation
from .control_flow import CONTROL_FLOW, ENTER, EXIT, LOOP_COND, MERGE, NEXT_ITERATION, SWITCH, Branch, Frame
from .edit import replace_node, with_functions, with_nodes
from .error_text import describe
from .functions import CALLERS, CALLS, Functions, call_attributes, has_placeholders, instantiate, substitute
from .index import ARGUMENT, UNKNOWN, GraphIndex, Use, references
from .validate import Fault, FaultKind, check_graph, raise_faults

__all__ = [
    "ARGUMENT",
    "CALLERS",
    "CALLS",
    "CONTROL_FLOW",
    "ENTER",
    "EXIT",
    "LOOP_COND",
    "MERGE",
    "NEXT_ITERATION",
    "SWITCH",
    "UNKNOWN",
    "Branch",
    "ColocationRenames",
    "Fault",
    "FaultKind",
    "Frame",
    "Functions",
    "GraphIndex",
    "Use",
    "attr",
    "call_attributes",
    "check_graph",
    "colocated_with",
    "colocation_groups",
    "const_tensor",
    "describe",
    "has_placeholders",
    "instantiate",
    "raise_faults",
    "references",
    "replace_node",
    "substitute",
    "with_functions",
    "with_nodes",
    "with_renamed_colocation",
]
