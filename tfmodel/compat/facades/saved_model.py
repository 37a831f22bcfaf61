"""SavedModels, their constants, and files of graphs: `tf.io.write_graph`, and the readers of `freeze_graph`."""

from __future__ import annotations

import os
from typing import Any

from pbwire.compat import compat_class, text_format
from pbwire.errors import Error

from ... import messages
from . import gfile
from .text import as_str

__all__ = [
    "contains_saved_model",
    "get_meta_graph_def",
    "get_saved_model_tag_sets",
    "parse_graph",
    "parse_meta_graph",
    "parse_saver",
    "read_saved_model",
    "write_graph",
]

CONSTANTS = {
    "ASSETS_DIRECTORY": "assets",
    "ASSETS_KEY": "saved_model_assets",
    "DEBUG_DIRECTORY": "debug",
    "DEBUG_INFO_FILENAME_PB": "saved_model_debug_info.pb",
    "EXTRA_ASSETS_DIRECTORY": "assets.extra",
    "INIT_OP_SIGNATURE_KEY": "__saved_model_init_op",
    "LEGACY_INIT_OP_KEY": "legacy_init_op",
    "MAIN_OP_KEY": "saved_model_main_op",
    "SAVED_MODEL_FILENAME_PB": "saved_model.pb",
    "SAVED_MODEL_FILENAME_PBTXT": "saved_model.pbtxt",
    "SAVED_MODEL_SCHEMA_VERSION": 1,
    "TRAIN_OP_KEY": "saved_model_train_op",
    "TRAIN_OP_SIGNATURE_KEY": "__saved_model_train_op",
    "VARIABLES_DIRECTORY": "variables",
    "VARIABLES_FILENAME": "variables",
}
TAGS = {"SERVING": "serve", "TRAINING": "train", "EVAL": "eval", "GPU": "gpu", "TPU": "tpu"}
SIGNATURES = {
    "DEFAULT_EVAL_SIGNATURE_DEF_KEY": "eval",
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY": "serving_default",
    "DEFAULT_TRAIN_SIGNATURE_DEF_KEY": "train",
    "CLASSIFY_INPUTS": "inputs",
    "CLASSIFY_METHOD_NAME": "tensorflow/serving/classify",
    "CLASSIFY_OUTPUT_CLASSES": "classes",
    "CLASSIFY_OUTPUT_SCORES": "scores",
    "PREDICT_INPUTS": "inputs",
    "PREDICT_METHOD_NAME": "tensorflow/serving/predict",
    "PREDICT_OUTPUTS": "outputs",
    "REGRESS_INPUTS": "inputs",
    "REGRESS_METHOD_NAME": "tensorflow/serving/regress",
    "REGRESS_OUTPUTS": "outputs",
    "SUPERVISED_EVAL_METHOD_NAME": "tensorflow/supervised/eval",
    "SUPERVISED_TRAIN_METHOD_NAME": "tensorflow/supervised/training",
}


def read_saved_model(saved_model_dir: Any) -> Any:
    """Return the SavedModel of a folder. Raises OSError if there is none, or if it cannot be decoded."""
    folder = as_str(os.fspath(saved_model_dir))
    model = compat_class(messages.SavedModel)()
    for name, is_binary in (("saved_model.pb", True), ("saved_model.pbtxt", False)):
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            continue
        with open(path, "rb") as file:
            data = file.read()
        try:
            if is_binary:
                model.ParseFromString(data)
            else:
                text_format.Merge(data.decode(), model)
        except (Error, UnicodeDecodeError) as error:
            raise OSError(f"Cannot parse file {path}: {error}.") from error
        return model
    raise OSError(f"SavedModel file does not exist at: {folder}/{{saved_model.pbtxt|saved_model.pb}}")


def contains_saved_model(export_dir: Any) -> bool:
    """Return whether a folder has the file of a SavedModel."""
    folder = as_str(os.fspath(export_dir))
    return any(os.path.isfile(os.path.join(folder, name)) for name in ("saved_model.pb", "saved_model.pbtxt"))


def get_saved_model_tag_sets(saved_model_dir: Any) -> list[list[str]]:
    """Return the tags of each MetaGraph of a SavedModel."""
    return [list(meta.meta_info_def.tags) for meta in read_saved_model(saved_model_dir).meta_graphs]


def get_meta_graph_def(saved_model_dir: Any, tag_set: str) -> Any:
    """Return the MetaGraphDef with these tags, separated by commas. Raises RuntimeError."""
    wanted = {tag for tag in tag_set.split(",") if tag}
    meta_graphs = read_saved_model(saved_model_dir).meta_graphs
    for meta in meta_graphs:
        if set(meta.meta_info_def.tags) == wanted:
            return meta
    known = [",".join(meta.meta_info_def.tags) for meta in meta_graphs]
    raise RuntimeError(
        f"MetaGraphDef associated with tag-set {tag_set} could not be found in the SavedModel. Please use one of the "
        f"following tag-sets: {known}"
    )


def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Write a GraphDef to a file, as text or binary, and return its path."""
    gfile.MakeDirs(logdir)
    path = os.path.join(as_str(os.fspath(logdir)), name)
    graph = graph_or_graph_def
    if as_text:  # with all digits of floats, as since TensorFlow 2.5
        content = text_format.MessageToString(graph, float_format="")
    else:
        content = graph.SerializeToString(deterministic=True)
    gfile.atomic_write_string_to_file(path, content)
    return path


def parse_graph(input_graph: Any, input_binary: Any) -> Any:
    """Return the GraphDef of a binary or text file. Raises OSError if there is none, DecodeError or ParseError."""
    return _parse(input_graph, input_binary, messages.GraphDef, "graph")


def parse_meta_graph(input_graph: Any, input_binary: Any) -> Any:
    """Return the MetaGraphDef of a file, as `parse_graph` does."""
    meta_graph = _parse(input_graph, input_binary, messages.MetaGraphDef, "meta graph")
    print(f"Loaded meta graph file '{input_graph}")
    return meta_graph


def parse_saver(input_saver: Any, input_binary: Any) -> Any:
    """Return the SaverDef of a file, as `parse_graph` does."""
    return _parse(input_saver, input_binary, messages.SaverDef, "saver")


def _parse(path: Any, is_binary: Any, cls: type, what: str) -> Any:
    if not gfile.Exists(path):
        raise OSError(f"Input {what} file '{path}' does not exist!")
    message = compat_class(cls)()
    with gfile.GFile(path, "rb" if is_binary else "r") as file:
        if is_binary:
            message.ParseFromString(file.read())
        else:
            text_format.Merge(file.read(), message)
    return message
