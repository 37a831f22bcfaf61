"""`verify_onnx`: run a model on NumPy and an ONNX model by onnxruntime, with the same feeds, and compare the outputs.

Inputs and outputs are matched by name: the key of the signature, or the name of the tensor; those that have no match by
their place, if there are equally many.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from ...analysis.choice import choose
from ...analysis.variables.preparation import bind_source
from ...compare.verify.comparison import Verification
from ...compare.verify.report import VerifyReport
from ...errors import ModelError
from ...files.decoding import Tags
from ...files.files import load
from ...graph.error_text import quote
from ...onnx_messages import GraphProto, ModelProto, ValueInfoProto
from ...source.model_source import CheckpointSource, Given, ModelSource, Names, names_of
from ...values.names import shortest
from .ties import SORTING, in_same_order
from .verification import run_file


def verify_onnx(
    model: Given,
    path: str | os.PathLike[str],
    inputs: Names = None,
    outputs: Names = None,
    *,
    bind: Mapping[str, Any] | bool = True,
    checkpoint: CheckpointSource = None,
    signature: str | None = None,
    tags: Tags = None,
    verification: Verification | None = None,
) -> VerifyReport:
    """Return how much the outputs of an ONNX model differ from those of a model.

    `model`, `inputs`, `outputs`, `bind`, `checkpoint`, `signature` and `tags` are those of `optimize`; `path` is the
    file of the ONNX model; `verification` has feeds, shapes, the seed and the tolerances. Rows of detections with equal
    scores may come in another order.

    Raises ModelError if onnxruntime is not installed, if the file is not an ONNX model, or if inputs and outputs do not
    match; OnnxExportError if onnxruntime refuses the file; RunError if the model cannot be run; and for files the
    errors of `load`.
    """
    if find_spec("onnxruntime") is None:
        raise ModelError("onnxruntime, which runs ONNX models, is not installed (pip install onnxruntime)")
    file = os.fspath(path)
    graph = _graph(file)
    source = ModelSource.of(model, checkpoint=checkpoint, signature=signature, tags=tags).with_functions()
    chosen = choose(source, inputs=names_of(inputs) or None, outputs=names_of(outputs) or None, bind=bind)
    fetched = _matched(chosen.outputs, chosen.output_keys, graph.output, "output")
    optional = {tensor.name or "" for tensor in graph.initializer}
    fed = _matched(chosen.inputs, chosen.input_keys, graph.input, "input", optional)
    bound = bind_source(source, chosen.bound, outputs=chosen.outputs)
    comparison = (verification or Verification()).begin(bound, list(fetched), list(fed))
    feeds = {fed[name]: np.asarray(value) for name, value in comparison.feeds.items() if name in fed}
    values = dict(zip(fetched, run_file(os.path.abspath(file), feeds, list(fetched.values())), strict=True))
    report = comparison.report(values)
    if not report.same and not SORTING.isdisjoint(node.op_type or "" for node in graph.node):
        report = comparison.report(in_same_order(comparison.expected, values, comparison.rtol))
    return report


def _graph(file: str) -> GraphProto:
    content = load(file)
    if not isinstance(content, ModelProto) or content.graph is None:
        raise ModelError(f"{quote(file)} is not an ONNX model with a graph")
    return content.graph


def _matched(
    tensors: Sequence[str],
    keys: Mapping[str, str],
    values: Sequence[ValueInfoProto],
    side: str,
    optional: Collection[str] = (),
) -> dict[str, str]:
    """Return the names in the ONNX model by those in the model. Inputs with a default are optional."""
    every = [value.name or "" for value in values]
    names = [name for name in every if name not in optional]
    key_of = {tensor: key for key, tensor in keys.items()}
    found = {}
    for tensor in tensors:
        own = (key_of.get(tensor, ""), shortest(tensor), tensor)
        found[tensor] = next((name for name in own if name in every), "")
    free = [name for name in names if name not in found.values()]
    missing = [tensor for tensor, name in found.items() if not name]
    if len(missing) == len(free) or (missing and len(tensors) == len(names)):
        found |= dict(zip(missing, free, strict=True))
    elif missing:
        raise ModelError(
            f"{side} {shortest(missing[0])} has no counterpart in the ONNX model: {', '.join(names) or 'it has none'}"
        )
    return found
