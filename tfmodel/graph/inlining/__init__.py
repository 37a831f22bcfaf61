"""Inlining: replace function calls by the nodes of the functions.

    y = PartitionedCall(x)[f=@f]     ->     y/neg = Neg(x)
    z = Relu(y)                             y/square = Square(y/neg)
                                            z = Relu(y/square)
    of f, that is (a) -> (square:y:0):
    neg = Neg(a)
    square = Square(neg:y:0)

`Inliner` names the nodes of the function, connects them, gives them the attributes of the call, and connects the
consumers of the results. The naming scheme is a parameter. Its two subclasses, in `tfmodel.freezing.inlining` and the
transform `inline_partitionedcall`, decide

    function      which nodes are calls that are inlined: of inner calls all or none
    gate          the node that runs before the nodes of the function, if there has to be one
    remainders    the nodes that keep the names of calls
    is_bypassed   whether consumers take the tensors inside, or the remainder of the call

These decisions stay apart because the results differ on purpose. Freezing writes the graph that TensorFlow's freezing
writes: it goes from outer calls to inner ones, since the names of inner nodes depend on the outer call, it drops side
effects, and a function that calls itself is an error. The transform also writes functions without calls to the library,
so it goes from inner calls to outer ones; it keeps side effects, and leaves calls that it cannot inline.

    inliner.py         the inliner and the naming schemes
    calls.py           functions to inline, and calls with the nodes of their functions
    side_effects.py    functions with side effects that have to be kept
"""

from __future__ import annotations

from .calls import Gate, InlinableFunction, InlinedCall, called_function
from .inliner import FreezingNames, Inliner, NamingScheme, ToolNames

__all__ = [
    "FreezingNames",
    "Gate",
    "InlinableFunction",
    "InlinedCall",
    "Inliner",
    "NamingScheme",
    "ToolNames",
    "called_function",
]
