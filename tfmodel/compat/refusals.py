"""Errors for what the tree lacks: they say what is missing and what to do instead."""

from __future__ import annotations

import importlib
import os
import sys

from ..errors import Error

_RUNTIME = "needs TensorFlow's runtime"
_HINTS = {
    "Session": "use tfmodel.run(graph, feeds, fetches)",
    "InteractiveSession": "use tfmodel.run(graph, feeds, fetches)",
    "Graph": "use the GraphDef itself: load it with tfmodel.load(path)",
    "import_graph_def": "use the GraphDef itself: tfmodel.Model(graph), or tfmodel.run(graph, feeds, fetches)",
    "get_default_graph": "use the GraphDef itself: load it with tfmodel.load(path)",
    "saved_model.load": 'use tfmodel.Model("folder")',
    "saved_model.loader.load": 'use tfmodel.Model("folder")',
    "keras": "use tfmodel.Model for files that Keras exported",
    "python.keras": "use tfmodel.Model for files that Keras exported",
    "constant": "use tf.make_tensor_proto(values) in a node whose op is Const",
    "lite": "tfmodel has no converter to TensorFlow Lite",
    "train.Saver": "use tfmodel.Checkpoint and tfmodel.write_checkpoint",
    "train.import_meta_graph": "use tfmodel.Model(path) with the .meta file",
    "train.export_meta_graph": "use tfmodel.make_meta_graph(graph)",
    "summary": "use tf.compat.v1.summary.FileWriter(folder).add_summary(summary, step)",
    "data.Dataset": "use a loop over the dataset, and tf.train.Example.FromString(record.numpy())",
    "data": "use tf.data.TFRecordDataset(path), or tfmodel.read_records(path)",
    "io.parse_single_example": "use tf.train.Example.FromString(record.numpy())",
    "parse_single_example": "use tf.train.Example.FromString(record.numpy())",
    "Tensor": "use the array that numpy() returns",
    "python.client": "use tfmodel.run(graph, feeds, fetches)",
    "python.framework.convert_to_constants": "use tfmodel.freeze(model)",
    "python.framework.meta_graph": "use tfmodel.make_meta_graph(graph)",
    "python.framework.importer": "use the GraphDef itself: tfmodel.Model(graph)",
    "python.framework.ops": "use the GraphDef itself: load it with tfmodel.load(path)",
    "python.tools.optimize_for_inference_lib": "use tfmodel.optimize(model), or `python -m tfmodel optimize`",
    "graph_util.convert_variables_to_constants": "use tfmodel.freeze(model)",
    "python.tools.freeze_graph": "use tfmodel.freeze(model), or `python -m tfmodel freeze`",
    "python.tools.saved_model_cli": "use `python -m tfmodel summarize` and `python -m tfmodel run`",
    "core.debug": "its messages are in no table of tfmodel",
    "core.profiler": "its messages are in no table of tfmodel",
    "google.protobuf.service": "protobuf has no such module since version 6",
    "grpc": "calls need gRPC itself; services are declared by `google.protobuf.service_reflection`",
}


def hint_for(name: str) -> str:
    """Return what to do instead of a name of the tree, such as "tensorflow.Session"; empty if nothing is known."""
    parts = name.replace("tensorflow.compat.v1", "tensorflow").replace("tensorflow.compat.v2", "tensorflow").split(".")
    for end in range(len(parts), 0, -1):
        for start in (0, 1):
            hint = _HINTS.get(".".join(parts[start:end]))
            if hint:
                return hint
    return ""


def _caller() -> str:
    """Return the file and line that asked for a name, as "script.py:12: "; empty if it cannot be told."""
    frame = sys._getframe(1)
    own = (os.path.dirname(__file__), os.path.dirname(importlib.__file__))
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(("<frozen", *own)):
            return f"{file}:{frame.f_lineno}: "
        if frame.f_back is None:
            break
        frame = frame.f_back
    return ""


def _text(name: str, problem: str) -> str:
    hint = hint_for(name)
    return f"{_caller()}{name} {problem}{f': {hint}' if hint else ''}"


class MissingName(Error, AttributeError):
    """A module of the tree has no such name: it needs TensorFlow's runtime, or is unknown."""

    def __init__(self, name: str) -> None:
        super().__init__(_text(name, f"is not in tfmodel.compat, because it {_RUNTIME} or is unknown"))
        self.name = name.rpartition(".")[2]


class MissingModule(Error, ModuleNotFoundError):
    """The tree has no such module."""

    def __init__(self, name: str) -> None:
        problem = "is a module that tfmodel.compat does not have"
        if name.endswith("_pb2"):
            problem = "is the module of a .proto file that tfmodel has no table for"
        Exception.__init__(self, _text(name, problem))
        self.name = name  # not the full name: `from package import module` would replace the text of the error
        self.msg = str(self.args[0])
