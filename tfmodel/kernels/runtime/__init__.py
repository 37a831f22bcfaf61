"""The runtime of kernels: the table of them, binding nodes to kernels, and the memory limit.

    from tfmodel.kernels.runtime import evaluate

    [sum] = evaluate(node, [x, y])          # the outputs of one node for its inputs

A decorator registers a kernel under the names of the ops that it computes:

    @kernel("Add", "AddV2")
    def add(x, y):
        return x + y

    @kernel("MatMul")
    def matmul(a, b, *, transpose_a, transpose_b):
        return (a.T if transpose_a else a) @ (b.T if transpose_b else b)

    positional parameters     the input tensors of the node, in order; `*tensors` for any number of them
    keyword-only parameters   attributes of the node, by name: see `binding`. A default is for attributes that the op
                              does not declare
    node, as the first one    the node itself, for its name
    runtime, keyword-only     variables, tables, functions, files of the run: see `Runtime`
    own, keyword-only         whether the kernel may change its first input in place and return it

A kernel returns an array, or a tuple of arrays for an op with several outputs. Arrays have the types of
`tfmodel.values.dtypes`: bfloat16 values are float32 arrays, and are rounded after the kernel. Kernels never change
their inputs, except for the first one with `own=True`. Differences between TensorFlow and NumPy are commented at the
line.

    registry.py         `kernel` and the table of kernels; `Runtime`, the interface of a run to kernels with state
    binding.py          binds a node to its kernel; `evaluate`; converts outputs to the declared types
    argument_checks.py  reads and checks tensors that hold shapes, axes and indices
    memory_limit.py     the memory of a run: estimates of outputs, and claims of temporary memory by kernels
    kernel_watch.py     a function that is called before each kernel

This package needs NumPy. It imports `analysis.shape_rules`, `ops`, `graph`, `files` and `values`; the groups of ops,
the interpreter and constant folding call it.
"""

from __future__ import annotations

from .binding import Bound, bind, evaluate
from .registry import KERNELS, Kernel, Reference, Runtime, Variable, kernel

__all__ = ["KERNELS", "Bound", "Kernel", "Reference", "Runtime", "Variable", "bind", "evaluate", "kernel"]
