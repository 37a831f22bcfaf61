"""Write models as files of ONNX.

    report = save_onnx("model.pb", "model.onnx")
    print(report.describe())

    export.py         `save_onnx`: the steps from a model to a verified file
    ranks.py          the number of dimensions of inputs that do not declare it
    writer.py         the file
    verification.py   onnxruntime beside NumPy
    comparing.py      `verify_onnx`: a model and an ONNX model with the same feeds
    ties.py           detections with equal scores
    conversion/       nodes of TensorFlow as nodes of ONNX, and what converters see
    ops/              the converters, by group
    control_flow/     loops, conditionals and calls
    passes/           what happens to the graph after conversion

Reading ONNX into a graph of TensorFlow is not part of this project. The package imports the optimizer, compare,
analysis and packages below them.
"""

from __future__ import annotations

from .comparing import verify_onnx
from .conversion.report import OnnxExportError, OnnxModel, RefusedNode
from .export import save_onnx

__all__ = ["OnnxExportError", "OnnxModel", "RefusedNode", "save_onnx", "verify_onnx"]
