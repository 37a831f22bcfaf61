"""Declarations, kernels and shape rules of ops, and the ports of nodes.

    from tfmodel.ops import OPS, output_types, registry

    OPS["Split"].is_stateful                                       # the ops of TensorFlow 2.12.1
    ops = registry(graph, op_defs=["my_ops.pbtxt"])                # and those of a model, and your own
    for node in graph.node:
        if op := ops.get(node.op):
            print(node.name, list(output_types(node, op)))

Modules that need no NumPy:

    definitions.py      op declarations by name
    ports.py            the inputs and outputs of a node, port by port: types, names, the meaning of `n:out:0`
    traits.py           one record per op with a special role: variables, placeholders, calls, tables, ...
    input_roles.py      the roles of inputs: filter, bias, axis, ...
    flops.py            floating point operations of a node
    shape_rules.py      the table of shape rules; `Call`, the node that a rule gets
    shape_helpers.py    rules and arithmetic on dimensions for several groups
    partial_tensors.py  tensors of which shape, type or some elements are known
    groups.py           lists the groups and their modules
    op_defs.pb.gz       the declarations of TensorFlow 2.12.1, an OpList in gzip

One package for each group of ops, named after TensorFlow's *_ops.cc: array, control_flow, data_flow, image, io, linalg,
math, nn, parsing, quantized, random, sparse, state, string. In a group,

    slicing.py          has kernels: functions on NumPy arrays, registered by `@kernel("Slice")`
    slicing_shapes.py   has the shape rules of these ops, a table `RULES` from op to function; must not import NumPy
    shapes.py           has the shape rules of all ops of the group that have no such module of their own

A kernel and the shape rule of one op are in the same group. `runtime` binds kernels to nodes and calls them.

This package may import `errors`, `messages`, `names`, `shape`, `dtypes`, `tensors` and `graph`; shape inference, the
interpreter, freezing, transforms and inspection import it.

The declarations are facts of TensorFlow, which is under the Apache License 2.0, as its own registry lists them, without
their documentation. `python -m tests.data.op_defs` makes the file again.
"""

from __future__ import annotations

from .definitions import OPS, Registry, defaults, is_stateful, op_def, registry
from .ports import Ports, body_name, graph_name, input_types, output_names, output_types

__all__ = [
    "OPS",
    "Ports",
    "Registry",
    "body_name",
    "defaults",
    "graph_name",
    "input_types",
    "is_stateful",
    "op_def",
    "output_names",
    "output_types",
    "registry",
]
