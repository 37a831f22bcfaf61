"""Declarations and kernels of ops, and the ports of nodes.

Imports:    `errors`, `messages`, `names`, `shape`, `dtypes`, `tensors`, `graph` and `io`
Callers:    shape inference, the interpreter, freezing, transforms, parameters and inspection

    from tfmodel.ops import OPS, output_types, registry

    OPS["Split"].is_stateful                                       # the ops of TensorFlow 2.12.1
    ops = registry(graph, op_defs=["my_ops.pbtxt"])                # plus those of the model, and your own
    for node in graph.node:
        if op := ops.get(node.op):
            print(node.name, list(output_types(node, op)))

Where to add ...

    a kernel        a function with `@kernel("MyOp")` in a module of the op's group: see `runtime/__init__.py`; and its
                    name in `kernel_ops.py`
    a shape rule    a function, and a row of the table `RULES`, in the module of the op's group in
                    `tfmodel.analysis.shape_rules`
    a FLOP rule     a row of a table in `tfmodel.analysis.flops`
    a trait         a row of `traits.py`, such as "is a variable" or "is a call"
    input roles     a line of a table in `input_roles.py`, such as "the second input is the filter"
    an op           nothing, if TensorFlow 2.12.1 declares it; else `op_defs=` takes its declaration
    a module        a file in a group; it needs no registration

The group of an op is the package named after the *_ops.cc of TensorFlow that registers it:

    array           shapes, slicing, joining, gathering, layout; constants and placeholders
    control_flow    conditionals, loops and calls; Print, Assert
    data_flow       tables, TensorArrays, TensorLists, stacks, optionals, partitioning
    image           decoding, resizing, adjustment, non-maximum suppression
    linalg          decompositions, linear systems, Einsum
    math            element-wise arithmetic, comparisons, Cast, reductions, segments, MatMul, FFT
    nn              convolutions, pooling, activations, normalization, recurrent cells
    parsing         tf.Example, CSV and raw bytes
    quantized       quantized layers, conversion, fake quantization
    random          random numbers
    sparse          sparse and ragged tensors, sets
    state           variables, and restoring them from checkpoints
    string          strings, hashing, formatting, Unicode

A module of a group has kernels, and needs NumPy. The modules are listed from the packages themselves, also in vendored
copies and in zip files. `grep -r '"Conv2D"' tfmodel/ops` finds the kernel of an op. Modules of this package:

    definitions.py      op declarations by name
    declared_attributes.py  compare the attributes of a node with the declaration of its op
    ports.py            the inputs and outputs of a node, port by port: types, names, the meaning of `n:out:0`
    traits.py           one record per op with a special role: variables, placeholders, calls, tables, ...
    input_ranks.py      the ranks of inputs that TensorFlow accepts, and the ops that it checks only in a run
    input_roles.py      the roles of inputs: filter, bias, axis, ...
    kernel_ops.py       the names of the ops that have a kernel, for reports that compute nothing
    runtime/            registers kernels, binds them to nodes, limits their memory; needs NumPy
    op_defs.pb.gz       the declarations of TensorFlow 2.12.1, an OpList in gzip

The declarations are facts of TensorFlow, as its own registry lists them. Their documentation is left out. TensorFlow is
under the Apache License 2.0. `python -m tests.data.op_defs` writes op_defs.pb.gz again.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

from .definitions import OPS, Registry, defaults, is_stateful, op_def, registry
from .ports import Ports, body_name, graph_name, input_types, output_names, output_types

__all__ = [
    "GROUPS_WITHOUT_OPS",
    "OPS",
    "Ports",
    "Registry",
    "body_name",
    "defaults",
    "graph_name",
    "group_of",
    "groups",
    "import_kernels",
    "input_types",
    "is_stateful",
    "op_def",
    "output_names",
    "output_types",
    "registry",
]

GROUPS_WITHOUT_OPS = frozenset({"runtime"})
"""Packages next to this module that are not groups of ops."""


def groups() -> list[str]:
    """Return the names of the groups."""
    path = importlib.import_module(__package__).__path__
    return [module.name for module in pkgutil.iter_modules(path) if module.ispkg and _is_group(module.name)]


def group_of(module: str) -> str:
    """Return the group that contains a module; "" for modules outside of `tfmodel.ops` and of groups without ops.

    `module` is the full name of a group, or of a module in a package next to this module.
    """
    name = module.removeprefix(f"{__package__}.").partition(".")[0]
    return name if module.startswith(f"{__package__}.") and _is_group(name) else ""


def import_kernels() -> list[ModuleType]:
    """Import and return all modules of the groups. Needs NumPy."""
    modules = []
    for group in groups():
        package = importlib.import_module(f"{__package__}.{group}")
        for module in pkgutil.iter_modules(package.__path__):
            modules.append(importlib.import_module(f"{__package__}.{group}.{module.name}"))
    return modules


def _is_group(name: str) -> bool:
    return name not in GROUPS_WITHOUT_OPS
