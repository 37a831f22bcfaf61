"""The graph and the checkpoint that somebody means by a path, a message, a Checkpoint."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from pbwire.errors import DecodeError, class_name
from pbwire.message import Message

from ..errors import CheckpointError, FileFormatError, FreezeError, GraphError, TensorError
from ..files import TAGS_CHOOSE, ModelFile, message_of, open_model
from ..files import Source as FileSource
from ..messages import GraphDef, MetaGraphDef, SavedModel
from ..paths import locate
from ..printable import printable

__all__ = ["CheckpointSource", "ModelSource", "Opened", "Tags", "open_weights"]

Tags: TypeAlias = "str | Iterable[str] | None"
CheckpointSource: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | None"
ModelSource: TypeAlias = "Message | FileSource | Mapping[str, Any]"

_DEFAULT_TAGS = "serve"


@dataclass(frozen=True, slots=True)
class Opened:
    """What there is.

    name          what errors call it; empty if it came as a message
    graph, meta   the graph, and what is around it
    tensors       the checkpoint, if there is one
    file          where the graph was read from, if it was; it is read lazily
    """

    name: str
    graph: GraphDef | None = None
    meta: MetaGraphDef | None = None
    tensors: Mapping[str, Any] | None = None
    file: ModelFile | None = None

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Let errors say which file they are about."""
        try:
            yield
        except DecodeError as error:
            raise self.explain(error) from error
        except FreezeError as error:  # of what is shared with freezing: that a graph contradicts itself
            raise GraphError(f"{self.name}: {error}" if self.name else str(error)) from error
        except (GraphError, TensorError) as error:
            if not self.name or str(error).startswith(f"{self.name}: "):
                raise
            raise type(error)(f"{self.name}: {error}") from error

    def explain(self, error: DecodeError) -> FileFormatError:
        """The error for damage that was met late, with the file and the whole path to it."""
        if self.file is not None and self.file.found.form == "binary":
            try:
                message_of(self.file)
            except FileFormatError as whole:
                return whole
        return FileFormatError(f"{self.name}: {error}" if self.name else str(error))


def open_weights(model: ModelSource, checkpoint: CheckpointSource, tags: Tags) -> Opened:
    """Open a model, and the checkpoint that is named or that is beside it, if there is one.

    Raises FileFormatError, CheckpointError, OSError.
    """
    given = None if checkpoint is None else _mapping(checkpoint)
    if isinstance(model, Mapping):
        return _alone(model, given, tags)
    if isinstance(model, Message):
        return _of_message(model, given, tags)
    if not isinstance(model, (bytes, bytearray, memoryview)) and (path := _table_at(os.fspath(model))):
        return _alone(_mapping(path), given, tags)
    file = open_model(model, lazy=True)
    found = file.found.cls
    if found is not SavedModel and found is not MetaGraphDef:
        wanted = GraphDef if found is not None else None  # without a class, the error says what the file is
        graph = message_of(file, wanted, lazy=True, tags=tags)
        return Opened(file.name, graph, tensors=given, file=file)
    if found is SavedModel and tags is None:
        tags = _default_tags(message_of(file, SavedModel, lazy=True))
    meta = message_of(file, MetaGraphDef, lazy=True, tags=tags)
    if meta.graph_def is None:
        raise FileFormatError(f"{file.name}: its MetaGraphDef has no graph")
    if given is None and file.path:
        given = _beside(file.path, is_saved_model=found is SavedModel)
    return Opened(file.name, meta.graph_def, meta, given, file)


def _alone(tensors: Mapping[str, Any], given: Mapping[str, Any] | None, tags: Tags) -> Opened:
    name = printable(str(getattr(tensors, "prefix", "")))
    if tags is not None:
        problem = f"{TAGS_CHOOSE}, and this is a checkpoint: leave the tags out"
        raise CheckpointError(f"{name}: {problem}" if name else problem)
    if given is not None:
        problem = "this is a checkpoint itself: it does not go with another one"
        raise CheckpointError(f"{name}: {problem}" if name else problem)
    return Opened(name, tensors=tensors)


def _of_message(message: Message, given: Mapping[str, Any] | None, tags: Tags) -> Opened:
    if not isinstance(message, (GraphDef, MetaGraphDef, SavedModel)):
        found = class_name(message, GraphDef, MetaGraphDef, SavedModel)
        raise TypeError(f"expected a GraphDef, MetaGraphDef, SavedModel or a path, not {found}")
    from ..freezing.sources import open_source

    source = open_source(message, tags)
    return Opened("", source.graph, source.meta, given)


def _mapping(checkpoint: Any) -> Mapping[str, Any]:
    if isinstance(checkpoint, Mapping):
        return checkpoint
    from ..checkpoints.checkpoint import Checkpoint

    return Checkpoint(checkpoint)


def _table_at(path: str) -> str:
    """The path of a checkpoint, if that is what is meant and there is no graph with it."""
    if path == "-":
        return ""
    from ..checkpoints.table_file import FOOTER, is_table

    located = locate(path)
    if not os.path.isfile(located):  # what is read from a pipe is gone
        return ""
    with open(located, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - FOOTER))
        return located if is_table(file.read(FOOTER)) else ""


def _beside(path: str, *, is_saved_model: bool) -> Mapping[str, Any] | None:
    """The checkpoint of a SavedModel, or of a .meta; None if there is none."""
    folder = os.path.dirname(path)
    if is_saved_model:
        prefix = os.path.join(folder, "variables", "variables")
        return _mapping(prefix) if os.path.lexists(f"{prefix}.index") else None
    prefix = path.removesuffix(".meta")
    if prefix == path:
        return None
    from ..checkpoints.checkpoint import Checkpoint
    from ..checkpoints.places import find_checkpoint

    try:
        find_checkpoint(prefix)
    except FileNotFoundError:
        return None
    return Checkpoint(prefix)


def _default_tags(model: SavedModel) -> str | None:
    """The tags of the MetaGraph for serving, where there are several."""
    there = [meta.meta_info_def.tags if meta.meta_info_def is not None else [] for meta in model.meta_graphs]
    return _DEFAULT_TAGS if len(there) > 1 and [_DEFAULT_TAGS] in there else None
