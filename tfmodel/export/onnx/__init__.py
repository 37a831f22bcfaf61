"""Write models as files of ONNX.

    report = save_onnx("model.pb", "model.onnx")
    print(report.describe())

    export.py         `save_onnx`: the steps from a model to a verified file
    conversion.py     convert nodes in their order, and collect those that have no counterpart
    registry.py       converters by op; `Refusal`
    call.py           what a converter sees: a node, its inputs as values of ONNX, and how to add nodes
    kernels.py        the types that onnxruntime has kernels for, and casts to these
    probing.py        what our own kernels tell about an op: where elements go, the matrix of a linear op
    lists.py          TensorArrays and TensorLists as tensors
    sizes.py          unknown sizes that are equal
    types.py          the element types of ONNX
    ranks.py          the number of dimensions of inputs that do not declare it
    ties.py           detections with equal scores
    control_flow/     loops, conditionals and calls
    operators.py      operators whose form depends on the opset, and short chains that several converters write
    body.py           shapes, types and constants of a graph or function
    scope.py          the values of tensors, in each layout and type that was asked for
    tables.py         the contents of lookup tables
    model.py          an ONNX graph in memory
    writer.py         the file
    report.py         notes, refusals, the report
    verification.py   onnxruntime beside NumPy
    ops/              the converters, by group
    passes/           what happens to the graph after conversion

Reading ONNX into a graph of TensorFlow is not part of this project. The package imports the optimizer, compare,
analysis and packages below them.
"""

from __future__ import annotations

from .export import save_onnx
from .report import OnnxExportError, OnnxModel, RefusedNode

__all__ = ["OnnxExportError", "OnnxModel", "RefusedNode", "save_onnx"]
