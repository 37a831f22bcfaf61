"""Facts about ops: declarations, traits, roles of inputs; and the ports of nodes.

Imports:    `errors`, `messages`, `values` and `files`
Callers:    everything that works on graphs

    from tfmodel.ops import OPS, output_types, registry

    OPS["Split"].is_stateful                                       # the ops of TensorFlow 2.12.1
    ops = registry(graph, op_defs=["my_ops.pbtxt"])                # plus those of the model, and your own
    for node in graph.node:
        if op := ops.get(node.op):
            print(node.name, list(output_types(node, op)))

Where to add ...

    a kernel        a function with `@kernel("MyOp")` in a module of the op's group in `tfmodel.kernels`; then
                    `python -m tests.index` writes `kernel_index.py`
    a shape rule    a function, and a row of the table `RULES`, in the module of the op's group in
                    `tfmodel.analysis.shape_rules`
    a FLOP rule     a row of a table in `tfmodel.analysis.flops`
    a trait         a row of `traits.py`, such as "is a variable" or "is a call"
    input roles     a line of a table in `input_roles.py`, such as "the second input is the filter"
    an op           nothing, if TensorFlow 2.12.1 declares it; else `op_defs=` takes its declaration

Modules of this package:

    definitions.py      op declarations by name
    declared_attributes.py  compare the attributes of a node with the declaration of its op
    ports.py            the inputs and outputs of a node, port by port: types, names, the meaning of `n:out:0`
    traits.py           one record per op with a special role: variables, placeholders, calls, tables, ...
    input_ranks.py      the ranks of inputs that TensorFlow accepts, and the ops that it checks only in a run
    input_roles.py      the roles of inputs: filter, bias, axis, ...
    releases.py         the releases of TensorFlow in which ops and attributes are new
    release_table.py    its table, made by a script
    kernel_index.py     generated: the ops that have a kernel, for reports that compute nothing
    op_defs.pb.gz       the declarations of TensorFlow 2.12.1, an OpList in gzip

The declarations are facts of TensorFlow, as its own registry lists them. Their documentation is left out. TensorFlow is
under the Apache License 2.0. `python -m tests.data.op_defs` writes op_defs.pb.gz again.
"""

from __future__ import annotations

from .definitions import OPS, Registry, defaults, is_stateful, op_def, own_ops, registry
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
    "own_ops",
    "registry",
]
