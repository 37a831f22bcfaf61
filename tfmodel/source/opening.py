"""Open a model: a file of any format, a message, or a checkpoint without a graph.

origin = Origin("saved_model/")                 # the file is read when it is needed, and once
Opening(origin, tags="serve").opened            # the content: graph, MetaGraph, checkpoint
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from pbwire.errors import class_name, compose
from pbwire.message import Message

from ..errors import CheckpointError, FileFormatError, Hint, ModelError, with_name
from ..files.decoding import Tags, choose_meta_graph, decode_file, naming, no_choice, tags_of
from ..files.detection import Kind, is_onnx
from ..files.locate import locate
from ..files.model_file import ModelFile, open_file
from ..files.model_file import Source as FileSource
from ..messages import GraphDef, MetaGraphDef, SavedModel
from ..values.terminal import escape
from .opened import Opened
from .signature_defs import check_signature_name

if TYPE_CHECKING:
    from ..files.keras.file import KerasFile
    from ..messages import ProtobufMessage
    from ..onnx_messages import ModelProto

Content: TypeAlias = "Message | ProtobufMessage | FileSource | ModelFile | Mapping[str, Any]"
"""The origin of a model."""

DEFAULT_TAGS = "serve"

_READ_BY_PATH: tuple[Kind, ...] = ("table", "keras")
"""The kinds of files that their readers open again: they read parts of them, when these are needed."""


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
        from ..files.checkpoints.locate import find_checkpoint  # most graphs have no checkpoint

        find_checkpoint(os.fspath(checkpoint))
    elif checkpoint is not None and not isinstance(checkpoint, (str, Mapping)):
        problem = f"a path or a mapping from names to arrays, not {class_name(checkpoint)}"
        raise TypeError(f"expected a checkpoint, which is {problem}")
    check_signature_name(signature)


def _no_model(value: object) -> str:
    name = class_name(value, GraphDef, MetaGraphDef, SavedModel)
    return f"expected a GraphDef, MetaGraphDef, SavedModel or a path, not {name}"


class Origin:
    """The file, message or tensors that a model is opened from. A file is read when it is first needed, and once.

    content   a path, bytes, "-", a ModelFile, a message, or a mapping from names to arrays
    """

    def __init__(self, content: Content) -> None:
        self.content = content

    @cached_property
    def file(self) -> ModelFile | None:
        """The file; None for a message and for tensors."""
        if isinstance(self.content, (str, os.PathLike, bytes, bytearray, memoryview)):
            return open_file(self.content, lazy=True, accept=_READ_BY_PATH)
        return self.content if isinstance(self.content, ModelFile) else None

    @cached_property
    def keras(self) -> KerasFile | None:
        """The Keras file, .h5 or .keras; None for other contents."""
        if self.file is None or self.file.detection.kind != "keras":
            return None
        from ..files.keras.file import KerasFile  # only such files need it

        return KerasFile(self.file.name, self.file.data or self.file.opened or self.file.path)

    @cached_property
    def onnx(self) -> ModelProto | None:
        """The ONNX model in a file, which only reports take; None for other contents."""
        if self.file is None or not is_onnx(self.file.detection.cls):
            return None
        model: ModelProto = decode_file(self.file, lazy=True)
        return model

    @cached_property
    def saved_model(self) -> SavedModel | None:
        """The SavedModel with all of its MetaGraphs; None for other contents."""
        if isinstance(self.content, SavedModel):
            return self.content
        if self.file is None or self.file.detection.cls is not SavedModel:
            return None
        model: SavedModel = decode_file(self.file, SavedModel, lazy=True)
        return model

    @property
    def named_file(self) -> tuple[str, ModelFile | None] | None:
        """The name of the model in errors, and its file, as they are known before a MetaGraph is chosen.

        None for tensors and for files that are opened by their readers: `Opened` has the name of these.
        """
        if isinstance(self.content, Message):
            return "", None
        return (self.file.name, self.file) if self.file and self.file.detection.kind not in _READ_BY_PATH else None


class Opening:
    """A model that is opened when it is first needed, and once.

    tags            select a MetaGraph of a SavedModel (default: "serve" if there are several)
    needs_weights   whether a missing file of weights is an error; if not, `Opened.missing` has the names of such files,
                    for reports without values. The missing values are zeros, so that the model must not be run
    """

    def __init__(self, origin: Origin, *, tags: Tags = None, needs_weights: bool = True) -> None:
        self.origin = origin
        self.tags = tags
        self._needs_weights = needs_weights

    @cached_property
    def opened(self) -> Opened:
        """The content. Raises FileFormatError, CheckpointError, ModelError, OSError, and TypeError for other values."""
        opened = self._open()
        if self.tags is not None and not opened.is_saved_model:
            refuse_tags(opened)
        return opened

    def _open(self) -> Opened:
        origin, content = self.origin, self.origin.content
        if isinstance(content, Mapping):
            return _open_tensors(content)
        if isinstance(content, Message):
            return _open_message(content, self.tags)
        if origin.file is None:
            check_source(content)
        assert origin.file is not None
        if origin.keras is not None:
            return Opened(origin.keras.name, tensors=origin.keras.weights)
        if origin.saved_model is not None:
            with naming(origin.file.name, origin.file.data):
                opened = _open_saved_model(origin.saved_model, self.tags, origin.file.name)
            return _in_folder(replace(opened, file=origin.file), origin.file.path)
        missing: list[str] = []
        opened = _read(origin.file, None if self._needs_weights else missing)
        return replace(opened, missing=tuple(missing))


def refuse_tags(opened: Opened) -> None:
    """Raise FileFormatError or CheckpointError for tags that were given for another model than a SavedModel."""
    if opened.graph is None and opened.tensors is not None:
        problem = compose(Hint.TAGS_CHOOSE, ", and this is a checkpoint: leave the tags out")
        raise CheckpointError(with_name(opened.name, problem))
    raise FileFormatError(with_name(opened.name, no_choice(MetaGraphDef if opened.meta is not None else GraphDef)))


# --- files -----------------------------------------------------------------------------------------------------------


def _read(file: ModelFile, missing: list[str] | None) -> Opened:
    """Return the model in a file that holds no SavedModel; `missing` is as for `decode_file`."""
    return _READERS.get(file.detection.kind, _read_graph)(file, missing)


def _read_graph(file: ModelFile, missing: list[str] | None) -> Opened:
    detected = file.detection.cls
    if detected is not MetaGraphDef:
        cls = GraphDef if detected is not None else None  # without a class, the error says what the file is
        return Opened(file.name, decode_file(file, cls, lazy=True), file=file)
    meta = decode_file(file, MetaGraphDef, lazy=True, missing=missing)
    prefix = _prefix_beside(file.path) if file.path else ""
    return Opened(file.name, _graph_of(meta, file.name), meta, file, prefix=prefix)


def _prefix_beside(path: str) -> str:
    """Return the prefix of the checkpoint that a MetaGraph belongs to; "" if its name leads to none.

    That of model.ckpt.meta is model.ckpt. model.ckpt.json and model.ckpt.meta.pbtxt, which `convert` writes, have that
    prefix too if there is an index.
    """
    if path.endswith(".meta"):
        return path.removesuffix(".meta")
    prefix = os.path.splitext(path)[0].removesuffix(".meta")
    return prefix if os.path.isfile(f"{prefix}.index") else ""


def _read_checkpoint(file: ModelFile, missing: list[str] | None) -> Opened:
    """Return the tensors of a checkpoint without a graph. It is read by its path, so that bytes are refused."""
    if file.data:
        return _read_graph(file, missing)
    from ..files.checkpoints.checkpoint import Checkpoint  # only such files need it

    return _open_tensors(Checkpoint(file.opened or file.path))


def _read_tfjs(file: ModelFile, missing: list[str] | None) -> Opened:
    """Return a model of TensorFlow.js: its graph, or the weights of a layers model."""
    from ..files.tfjs.reader import is_layers_model, parse_model, read_layers_weights  # only such files need it

    with naming(file.name, file.data):
        model = parse_model(file.data)
        if not is_layers_model(model):
            return _read_graph(file, missing)
        try:
            return Opened(file.name, tensors=read_layers_weights(model, file.path))
        except FileFormatError as error:
            raise FileFormatError(with_name(file.name, error)) from error


_READERS: dict[Kind, Callable[[ModelFile, list[str] | None], Opened]] = {
    "table": _read_checkpoint,
    "tfjs": _read_tfjs,
}
"""The readers of files that are not a message."""


# --- messages and tensors --------------------------------------------------------------------------------------------


def _open_message(message: Message, tags: Tags) -> Opened:
    if isinstance(message, SavedModel):
        return _open_saved_model(message, tags)
    if isinstance(message, MetaGraphDef):
        return Opened("", _graph_of(message), message)
    if not isinstance(message, GraphDef):
        raise TypeError(_no_model(message))
    return Opened("", message)


def _open_saved_model(model: SavedModel, tags: Tags, name: str = "") -> Opened:
    """Return the MetaGraph with these tags; by default, "serve" if that is the only tag of one of several."""
    if tags is None and len(model.meta_graphs) > 1 and [DEFAULT_TAGS] in map(tags_of, model.meta_graphs):
        tags = DEFAULT_TAGS
    meta = choose_meta_graph(model.meta_graphs, tags, name or "the SavedModel")
    return Opened(name, _graph_of(meta, name), meta, is_saved_model=True)


def _in_folder(opened: Opened, path: str) -> Opened:
    """Return the content of a SavedModel with the folder in which its file is, and with its checkpoint there."""
    if not path:
        return opened
    folder = os.path.dirname(path)
    variables = os.path.join(folder, "variables")
    prefix = os.path.join(variables, "variables") if os.path.isdir(variables) else ""
    return replace(opened, folder=os.path.abspath(folder), prefix=prefix)


def _graph_of(meta: MetaGraphDef, name: str = "") -> GraphDef:
    if meta.graph_def is None:
        raise ModelError(with_name(name, "the MetaGraphDef has no graph"))
    return meta.graph_def


def _open_tensors(tensors: Mapping[str, Any]) -> Opened:
    return Opened(escape(str(getattr(tensors, "prefix", ""))), tensors=tensors)
