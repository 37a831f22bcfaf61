"""Reads, inspects and edits TensorFlow model files, without TensorFlow and without protobuf.

    import tfmodel
    from tfmodel.messages import GraphDef

    graph = tfmodel.load("saved_model/", GraphDef)
    for node in graph.node:
        print(node.name, node.op)

Nothing is imported before it is used.

Every Python, even 2.7, must be able to compile this file, so that an old version can report which version is needed.
"""

import sys

if sys.version_info < (3, 11):
    _needed = "tfmodel needs Python 3.11 or newer, and this is %d.%d" % sys.version_info[:2]
    # Under `python -m`, exit with a one-line message; a program that imports the package gets an ImportError.
    # sys.argv[0] is "-m" ("-c" in Python 2.7) while `python -m` looks for the module.
    _is_run_as_module = "runpy" in sys.modules and sys.argv[:1] in (["-m"], ["-c"])
    raise SystemExit(_needed) if _is_run_as_module else ImportError(_needed)

if "runpy" in sys.modules and sys.argv[:1] == ["-m"]:  # `python -m` is looking for the module to run
    from .starting import leave_starting_folder

    leave_starting_folder(__name__, __file__)

import importlib

TYPE_CHECKING = False  # as type checkers know it; importing `typing` takes longer than this package
if TYPE_CHECKING:
    from . import compat as compat, errors as errors, graph as graph, reports as reports, files as files
    from . import messages as messages, ops as ops, transforms as transforms
    from .files.checkpoints.checkpoint import Checkpoint
    from .files.checkpoints.locate import latest_checkpoint
    from .files.checkpoints.writing import write_checkpoint
    from .errors import (
        CheckpointError,
        Error,
        FeedError,
        FileFormatError,
        FreezeError,
        GraphError,
        ModelError,
        QueryError,
        RecordError,
        RunError,
        TensorError,
        TransformError,
    )
    from .editing.editor import GraphEditor
    from .editing.extracting import extract
    from .editing.preprocessing import append_preprocessing
    from .editing.splicing import splice
    from .files.files import load, save
    from .freezing import freeze
    from .reports.diff import diff
    from .reports.diff.report import DiffReport
    from .reports.check import CheckReport, Finding, check
    from .reports.find import FindReport, find
    from .compare.value_diff import compare_values
    from .compare.value_diff.report import TensorComparison, ValuesReport
    from .reports.objects import ModelObject, ObjectTree, object_tree
    from .reports.keras_summary import KerasSummary, summarize_keras
    from .reports.signatures import SignaturesReport, signatures
    from .reports.summary.analysis import summarize
    from .reports.summary.report import Summary
    from .compare.verify import verify
    from .interpreter import run
    from .compare.verify.verification import VerifyReport
    from .source.metagraph import make_meta_graph
    from .model import Model
    from .optimizer import optimize
    from .optimizer.report import Optimized
    from .export.tfjs import SavedTfjs, save_tfjs
    from .values.tensors import from_ndarray, to_ndarray
    from .transforms.framework.pipeline import transform
    from .transforms.framework.registry import graph_transform
    from .transforms.framework.report import TransformReport
    from .transforms.framework.pipeline import TransformGraph
    from .files.tfrecords.records import read_records, write_records
    from .editing.reduction import ReduceReport, reduce
    from .files.records.event_report import EventsReport, summarize_events
    from .files.records.events import read_events
    from .files.records.examples import RecordsReport, summarize_records
    from .files.records.values import read_values
    from .parameters.listing import weights
    from .parameters.report import WeightsReport
    from .export.saved_model import save_saved_model

__all__ = [
    "CheckReport",
    "Checkpoint",
    "CheckpointError",
    "DiffReport",
    "Error",
    "EventsReport",
    "FeedError",
    "FileFormatError",
    "FindReport",
    "Finding",
    "FreezeError",
    "GraphEditor",
    "GraphError",
    "KerasSummary",
    "Model",
    "ModelError",
    "ModelObject",
    "ObjectTree",
    "Optimized",
    "QueryError",
    "RecordError",
    "RecordsReport",
    "ReduceReport",
    "RunError",
    "SavedTfjs",
    "SignaturesReport",
    "Summary",
    "TensorComparison",
    "TensorError",
    "TransformError",
    "TransformGraph",
    "TransformReport",
    "ValuesReport",
    "VerifyReport",
    "WeightsReport",
    "append_preprocessing",
    "check",
    "compare_values",
    "diff",
    "extract",
    "find",
    "freeze",
    "from_ndarray",
    "graph_transform",
    "latest_checkpoint",
    "load",
    "make_meta_graph",
    "object_tree",
    "optimize",
    "read_events",
    "read_records",
    "read_values",
    "reduce",
    "run",
    "save",
    "save_saved_model",
    "save_tfjs",
    "signatures",
    "splice",
    "summarize",
    "summarize_events",
    "summarize_keras",
    "summarize_records",
    "to_ndarray",
    "transform",
    "verify",
    "weights",
    "write_checkpoint",
    "write_records",
]

__version__ = "0.1.0"

_MODULES = {
    "Checkpoint": "files.checkpoints.checkpoint",
    "DiffReport": "reports.diff.report",
    "CheckReport": "reports.check",
    "EventsReport": "files.records.event_report",
    "RecordsReport": "files.records.examples",
    "FindReport": "reports.find",
    "Finding": "reports.check",
    "KerasSummary": "reports.keras_summary",
    "ModelObject": "reports.objects",
    "ObjectTree": "reports.objects",
    "SignaturesReport": "reports.signatures",
    "Optimized": "optimizer.report",
    "TransformReport": "transforms.framework.report",
    "Summary": "reports.summary.report",
    "VerifyReport": "compare.verify.verification",
    "WeightsReport": "parameters.report",
    "TransformGraph": "transforms.framework.pipeline",
    "TensorComparison": "compare.value_diff.report",
    "ValuesReport": "compare.value_diff.report",
    "compare_values": "compare.value_diff",
    "diff": "reports.diff",
    "check": "reports.check",
    "find": "reports.find",
    "freeze": "freezing",
    "from_ndarray": "values.tensors",
    "graph_transform": "transforms.framework.registry",
    "latest_checkpoint": "files.checkpoints.locate",
    "load": "files.files",
    "GraphEditor": "editing.editor",
    "Model": "model",
    "append_preprocessing": "editing.preprocessing",
    "extract": "editing.extracting",
    "splice": "editing.splicing",
    "make_meta_graph": "source.metagraph",
    "object_tree": "reports.objects",
    "optimize": "optimizer",
    "read_events": "files.records.events",
    "read_records": "files.tfrecords.records",
    "read_values": "files.records.values",
    "ReduceReport": "editing.reduction",
    "reduce": "editing.reduction",
    "run": "interpreter",
    "save": "files.files",
    "save_saved_model": "export.saved_model",
    "signatures": "reports.signatures",
    "save_tfjs": "export.tfjs",
    "SavedTfjs": "export.tfjs",
    "summarize": "reports.summary.analysis",
    "summarize_events": "files.records.event_report",
    "summarize_keras": "reports.keras_summary",
    "summarize_records": "files.records.examples",
    "to_ndarray": "values.tensors",
    "transform": "transforms.framework.pipeline",
    "verify": "compare.verify",
    "weights": "parameters.listing",
    "write_checkpoint": "files.checkpoints.writing",
    "write_records": "files.tfrecords.records",
} | {name: "errors" for name in __all__ if name.endswith("Error")}

# Modules of the package that are attributes without being imported, as `tfmodel.messages`.
_SUBMODULES = ("compat", "errors", "files", "graph", "messages", "ops", "reports", "transforms")

if not TYPE_CHECKING:

    def __getattr__(name):
        if name in _SUBMODULES:
            return importlib.import_module("." + name, __name__)
        if name not in _MODULES:
            raise AttributeError("module %r has no attribute %r" % (__name__, name))
        value = globals()[name] = getattr(importlib.import_module("." + _MODULES[name], __name__), name)
        return value

    def __dir__():
        return sorted(__all__ + list(_SUBMODULES) + ["__version__"])
