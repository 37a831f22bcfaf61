"""What ops take, give and can be configured with, and which tensor of a node is which.

    from tfmodel.ops import OPS, output_types, registry

    OPS["Split"].is_stateful                                       # the ops of TensorFlow 2.12.1
    ops = registry(graph, op_defs=["my_ops.pbtxt"])                # and those of a model, and one's own
    for node in graph.node:
        if op := ops.get(node.op):
            print(node.name, list(output_types(node, op)))

Its modules:

    registry.py        the declarations, by name
    ports.py           the inputs and outputs of a node, port by port: types, names, what `n:out:0` means
    op_defs.pb.gz      the declarations of TensorFlow 2.12.1, an OpList in gzip

The declarations are facts of TensorFlow, which is under the Apache License 2.0, as its own registry lists them, without
the texts for people. `python -m tests.data.op_defs` makes the file anew.
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
