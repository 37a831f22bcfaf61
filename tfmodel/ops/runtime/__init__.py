"""What ops compute: one table from the name of an op to a function on NumPy arrays.

    from tfmodel.ops.runtime import evaluate

    [sum] = evaluate(node, [x, y])          # what one node gives for its inputs

A kernel is a function that a decorator puts into the table under the names of the ops that it computes:

    @kernel("Add", "AddV2")
    def add(x, y):
        return x + y

    @kernel("MatMul")
    def matmul(a, b, *, transpose_a, transpose_b):
        return (a.T if transpose_a else a) @ (b.T if transpose_b else b)

    positional parameters     the tensors that the node takes, in order; `*tensors` for any number of them
    keyword-only parameters   attributes of the node, by name: see `binding`. A default is for attributes that the op
                              does not declare
    node, as the first        the node itself, for its name
    runtime, keyword-only     what there is besides tensors: variables, tables, functions, files: see `Runtime`
    own, keyword-only         whether nobody else holds the first tensor, so that it may be changed and given back

It gives an array, or a tuple of arrays for an op of several outputs. Types are those of `tfmodel.dtypes`, which is to
say that bfloat16 comes and goes as float32, and is rounded behind the kernel. Kernels never change an array that they
are given, but for one that is their own. What TensorFlow does and NumPy does not is said at the line.

A family of ops is a module here; all are imported when the first kernel is looked up.

    registry.py     `kernel` and the table
    binding.py      a node and its kernel, made ready to be called many times; `evaluate`
    conforming.py   the types of what kernels give
    checking.py     shapes, axes and indices that tensors say, and the words where they are wrong
    room.py         how much memory there is, which kernels ask before they take it
    runtime.py      what kernels of ops with a state need: `Runtime`
"""

from __future__ import annotations

from .binding import Bound, bind, evaluate
from .context import Reference, Runtime, Variable
from .registry import KERNELS, Kernel, kernel

__all__ = ["KERNELS", "Bound", "Kernel", "Reference", "Runtime", "Variable", "bind", "evaluate", "kernel"]
