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

__version__ = "0.2.0"

# The public names of each module. `python -m tests.index` writes __init__.pyi from it, which type checkers read.
_NAMES = {
    "compare.value_diff": "compare_values",
    "compare.value_diff.report": "TensorComparison ValuesReport",
    "compare.verify": "verify",
    "compare.verify.report": "VerifyReport",
    "drawing.page": "page",
    "errors": """CheckpointError Error FeedError FileFormatError FreezeError GraphError ModelError QueryError
        RecordError RunError TensorError TransformError""",
    "export.onnx": "OnnxExportError OnnxModel RefusedNode save_onnx verify_onnx",
    "export.saved_model": "save_saved_model",
    "export.tfjs": "SavedTfjs save_tfjs",
    "files.checkpoints.checkpoint": "Checkpoint",
    "files.checkpoints.locate": "latest_checkpoint",
    "files.checkpoints.writing": "write_checkpoint",
    "files.files": "load save",
    "files.model_search": "find_models",
    "files.records.event_report": "EventsReport summarize_events",
    "files.records.events": "read_events",
    "files.records.examples": "RecordsReport summarize_records",
    "files.records.values": "read_values",
    "files.tfrecords.records": "read_records write_records",
    "freezing": "freeze",
    "interpreter": "Session run",
    "model": "Model",
    "model_editing": "GraphEditor ReduceReport append_preprocessing extract reduce splice",
    "optimizer": "optimize",
    "optimizer.report": "Optimized",
    "parameters.listing": "weights",
    "parameters.report": "WeightsReport",
    "parameters.rewriting": "WrittenCheckpoint rewrite_checkpoint",
    "reports.check": "CheckReport Finding check",
    "reports.diff": "diff",
    "reports.diff.report": "DiffReport",
    "reports.find": "FindReport find",
    "reports.keras_summary": "KerasSummary summarize_keras",
    "reports.objects": "ModelObject ObjectTree object_tree",
    "reports.onnx.summary": "OnnxSummary summarize_onnx",
    "reports.signatures": "SignaturesReport signatures",
    "reports.summary.analysis": "summarize",
    "reports.summary.report": "Summary",
    "source.metagraph": "make_meta_graph",
    "transforms.framework.pipeline": "TransformGraph transform",
    "transforms.framework.registry": "graph_transform",
    "transforms.framework.report": "TransformReport",
    "values.tensors": "from_ndarray to_ndarray",
}
PUBLIC_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

# Modules of the package that are attributes without being imported, as `tfmodel.messages`.
_SUBMODULES = ("compat", "errors", "files", "graph", "messages", "onnx_messages", "ops", "reports", "transforms")

__all__ = sorted(PUBLIC_MODULES)


def __getattr__(name):
    if name in _SUBMODULES:
        return importlib.import_module("." + name, __name__)
    if name not in PUBLIC_MODULES:
        raise AttributeError("module %r has no attribute %r" % (__name__, name))
    public_names = importlib.import_module(".public_names", __name__)
    value = globals()[name] = public_names.find_public_name(PUBLIC_MODULES[name], name)
    return value


def __dir__():
    return sorted(__all__ + list(_SUBMODULES) + ["__version__"])
