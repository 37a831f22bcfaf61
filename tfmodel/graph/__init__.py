"""Graphs: an index over the nodes, their attributes, functions and control flow, edits and validation.

    from tfmodel.graph import GraphIndex, attr, check_graph, with_nodes

    index = GraphIndex(graph)
    for node in index.execution_order:
        if node.op == "Conv2D" and len(index.consumers(node.name)) == 1:
            print(node.name, attr(node, "strides", list[int]))

No function changes a graph or a node that is passed in. Every package that works on graphs imports this one. It does
not import the declarations of ops: functions that need them take them as an argument.

    attributes.py      `attr` reads an attribute, `const_tensor` a Const, `references` and `input_tensors` the inputs
    index.py           `GraphIndex`: nodes by name, producers and consumers, order
    traversal.py       topological order, cycles, strong components, ends of chains
    control_flow.py    the loops and conditionals of TensorFlow 1
    dead_branches.py   remove the branches of conditionals that never run
    functions.py       the function library, calls, `instantiate`
    function_body.py   function bodies with references as in a graph
    inline.py          the inliner of freezing and of the transform, with their naming schemes
    inlined_calls.py   functions to inline, their side effects, and calls that are replaced by nodes
    edit.py            `replace_node`, `with_nodes`, `map_functions`: copies with other parts
    view.py            `GraphView`: a graph or function body to look at and to change; users, new names
    tables.py          the nodes that fill lookup tables
    colocation.py      nodes that have to be on one device
    validate.py        `check_graph`: every fault of a graph
    reference_check.py which references of a graph or a function body are valid
    error_text.py      how errors describe nodes
"""

from __future__ import annotations

from .attributes import attr, const_tensor, input_tensors, references
from .colocation import ColocationRenames, colocated_with, colocation_groups, with_renamed_colocation
from .control_flow import CONTROL_FLOW, Branch, Frame
from .edit import replace_node, with_functions, with_nodes
from .error_text import describe
from .functions import CALLERS, Functions, call_attributes, has_placeholders, instantiate, substitute
from .index import ARGUMENT, UNKNOWN, GraphIndex, Use
from .validate import Fault, FaultKind, check_graph, colocation_faults, raise_faults

__all__ = [
    "ARGUMENT",
    "CALLERS",
    "CONTROL_FLOW",
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
    "colocation_faults",
    "colocation_groups",
    "const_tensor",
    "describe",
    "has_placeholders",
    "input_tensors",
    "instantiate",
    "raise_faults",
    "references",
    "replace_node",
    "substitute",
    "with_functions",
    "with_nodes",
    "with_renamed_colocation",
]
