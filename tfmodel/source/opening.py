"""Open a model: a file of any format, a message, or a checkpoint without a graph.

The functions of this module return the content of a `ModelSource`, which decides which of them to call.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from pbwire.errors import class_name
from pbwire.message import Message

from ..errors import FileFormatError, ModelError, with_name
from ..files.decoding import Tags, choose_meta_graph, decode_file, naming, tags_of
from ..files.detection import Kind
from ..files.locate import locate
from ..files.model_file import ModelFile
from ..messages import GraphDef, MetaGraphDef, SavedModel
from ..values.terminal import escape
from .signature_defs import check_signature_name

DEFAULT_TAGS = "serve"


def check_source(source: object) -> None:
    """Raise the error of opening a model for a path that leads to no file, and for a value of another type.

    No file is read: its errors appear when the model is first used. Raises TypeError, FileFormatError and OSError.
    """
    if isinstance(source, (str, os.PathLike)):
        if os.fspath(source) != "-":
            locate(os.fspath(source), reads_events=False)
    elif not isinstance(source, (bytes, bytearray, memoryview, Mapping, GraphDef, MetaGraphDef, SavedModel)):
        raise TypeError(_no_model(source))


def check_options(checkpoint: object, signature: object) -> None:
    """Raise an error for a checkpoint that does not exist, and for options of another type. No file is read.

    Raises TypeError, CheckpointError, OSError, and ModelError for the name of a signature that is not a string.
    """
    if checkpoint and isinstance(checkpoint, (str, os.PathLike)):
        from ..files.checkpoints.locate import find_checkpoint

        find_checkpoint(os.fspath(checkpoint))
    elif checkpoint is not None and not isinstance(checkpoint, (str, Mapping)):
        problem = f"a path or a mapping from names to arrays, not {class_name(checkpoint)}"
        raise TypeError(f"expected a checkpoint, which is {problem}")
    check_signature_name(signature)


def _no_model(value: object) -> str:
    name = class_name(value, GraphDef, MetaGraphDef, SavedModel)
    return f"expected a GraphDef, MetaGraphDef, SavedModel or a path, not {name}"


class OpenedModel(NamedTuple):
    """The content of a source.

    graph     None if the source is only a checkpoint
    tensors   the tensors if the source is only a checkpoint; else None
    folder    the folder of a SavedModel that was read from a file; else empty
    prefix    the prefix of the checkpoint of a SavedModel or a .meta; else empty
    notes     messages of the steps that made the graph, if it is not as it was read
    """

    name: str = ""
    graph: GraphDef | None = None
    meta: MetaGraphDef | None = None
    file: ModelFile | None = None
    is_saved_model: bool = False
    tensors: Mapping[str, Any] | None = None
    folder: str = ""
    prefix: str = ""
    notes: Sequence[str] = ()


def read_file(file: ModelFile, tags: Tags, missing: list[str] | None = None) -> OpenedModel:
    """Return the model in a file; `missing` is as for `decode_file`."""
    return _READERS.get(file.detection.kind, _read_graph)(file, tags, missing)


def _read_graph(file: ModelFile, tags: Tags, missing: list[str] | None) -> OpenedModel:
    detected = file.detection.cls
    if detected is not SavedModel and detected is not MetaGraphDef:
        cls = GraphDef if detected is not None else None  # without a class, the error says what the file is
        return OpenedModel(file.name, decode_file(file, cls, lazy=True), file=file)
    is_saved_model = detected is SavedModel
    if is_saved_model and tags is None:
        tags = _default_tags(decode_file(file, SavedModel, lazy=True))
    meta = decode_file(file, MetaGraphDef, lazy=True, tags=tags if is_saved_model else None, missing=missing)
    opened = OpenedModel(file.name, _graph_of(meta, file.name), meta, file, is_saved_model)
    if not file.path:
        return opened
    if is_saved_model:
        folder = os.path.dirname(file.path)
        variables = os.path.join(folder, "variables")
        prefix = os.path.join(variables, "variables") if os.path.isdir(variables) else ""
        return opened._replace(folder=os.path.abspath(folder), prefix=prefix)
    return opened._replace(prefix=_prefix_beside(file.path))


def _prefix_beside(path: str) -> str:
    """Return the prefix of the checkpoint that a MetaGraph belongs to; "" if its name leads to none.

    That of model.ckpt.meta is model.ckpt. model.ckpt.json and model.ckpt.meta.pbtxt, which `convert` writes, have that
    prefix too if there is an index.
    """
    if path.endswith(".meta"):
        return path.removesuffix(".meta")
    prefix = os.path.splitext(path)[0].removesuffix(".meta")
    return prefix if os.path.isfile(f"{prefix}.index") else ""


def _read_checkpoint(file: ModelFile, tags: Tags, missing: list[str] | None) -> OpenedModel:
    """Return the tensors of a checkpoint without a graph. It is read by its path, so that bytes are refused."""
    if file.data:
        return _read_graph(file, tags, missing)
    from ..files.checkpoints.checkpoint import Checkpoint

    return open_checkpoint(Checkpoint(file.path))


def _read_tfjs(file: ModelFile, tags: Tags, missing: list[str] | None) -> OpenedModel:
    """Return a model of TensorFlow.js: its graph, or the weights of a layers model."""
    from ..files.tfjs.reader import is_layers_model, parse_model, read_layers_weights

    with naming(file.name, file.data):
        model = parse_model(file.data)
        if not is_layers_model(model):
            return _read_graph(file, tags, missing)
        try:
            return OpenedModel(file.name, tensors=read_layers_weights(model, file.path))
        except FileFormatError as error:
            raise FileFormatError(with_name(file.name, error)) from error


_READERS: dict[Kind, Callable[[ModelFile, Tags, list[str] | None], OpenedModel]] = {
    "table": _read_checkpoint,
    "tfjs": _read_tfjs,
}
"""The readers of files that are not a message."""


def open_message(message: Message, tags: Tags) -> OpenedModel:
    if isinstance(message, SavedModel):
        tags = _default_tags(message) if tags is None else tags
        meta = choose_meta_graph(message.meta_graphs, tags, "the SavedModel")
        return OpenedModel("", _graph_of(meta), meta, is_saved_model=True)
    if isinstance(message, MetaGraphDef):
        return OpenedModel("", _graph_of(message), message)
    if not isinstance(message, GraphDef):
        raise TypeError(_no_model(message))
    return OpenedModel("", message)


def _graph_of(meta: MetaGraphDef, name: str = "") -> GraphDef:
    if meta.graph_def is None:
        raise ModelError(with_name(name, "the MetaGraphDef has no graph"))
    return meta.graph_def


def open_checkpoint(tensors: Mapping[str, Any]) -> OpenedModel:
    return OpenedModel(escape(str(getattr(tensors, "prefix", ""))), tensors=tensors)


def _default_tags(model: SavedModel) -> str | None:
    """Return "serve" if there are several MetaGraphs and "serve" is the only tag of one of them; else None."""
    tag_sets = [tags_of(meta) for meta in model.meta_graphs]
    return DEFAULT_TAGS if len(tag_sets) > 1 and [DEFAULT_TAGS] in tag_sets else None


def is_checkpoint(prefix: str) -> bool:
    from ..files.checkpoints.locate import find_checkpoint

    try:
        find_checkpoint(prefix)
    except FileNotFoundError:
        return False
    return True
