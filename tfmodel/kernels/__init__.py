"""Kernels: functions on NumPy arrays that compute ops, by group.

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

Beside them are `runtime`, which registers kernels, binds them to nodes and limits their memory, and `re2`, regular
expressions. A kernel is a function with `@kernel("MyOp")` in a module of the op's group: see `runtime`. A module needs
no registration; the modules are listed from the packages themselves, also in vendored copies and in zip files.
`grep -r '"Conv2D"' tfmodel/kernels` finds the kernel of an op.

The package needs NumPy. It imports `analysis.shape_rules`, `ops`, `graph`, `files`, `values`; the interpreter, the
comparison of models and constant folding call it.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

__all__ = ["GROUPS_WITHOUT_OPS", "group_of", "groups", "import_kernels"]

GROUPS_WITHOUT_OPS = frozenset({"runtime", "re2"})
"""Packages next to this module that are not groups of ops."""


def groups() -> list[str]:
    """Return the names of the groups."""
    path = importlib.import_module(__package__).__path__
    return [module.name for module in pkgutil.iter_modules(path) if module.ispkg and _is_group(module.name)]


def group_of(module: str) -> str:
    """Return the group that contains a module; "" for modules that are in no group of ops.

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
