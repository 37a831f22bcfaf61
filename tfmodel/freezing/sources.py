"""What is there to be frozen: the graph, and what surrounds it and tells how."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from pbwire.errors import class_name
from pbwire.message import Message

from ..errors import FileFormatError, FreezeError
from ..files import ModelFile, Tags, choose_meta_graph, message_of, naming_damage, no_choice, open_model
from ..files import Source as FileSource
from ..graph.wording import NOT_RESTORED
from ..messages import AssetFileDef, GraphDef, MetaGraphDef, SavedModel, SignatureDef, TensorInfo
from ..names import TensorName
from .bodies import MUTABLE_TABLES, VARIABLES, guess, quoted
from .restoring import RESTORES

__all__ = ["FileSource", "Model", "Names", "Tags", "names_of", "open_source", "open_sources", "tensors_of"]

Names: TypeAlias = "str | Iterable[str] | None"

_DEFAULT_SIGNATURE = "serving_default"
_DEFAULT_TAGS = "serve"
_INIT_SIGNATURES = "__saved_model_"


@dataclass(frozen=True, slots=True)
class Model:
    """A graph to freeze.

    name      what errors call it; empty if it came as a message
    meta      what is around the graph, if there is anything
    folder    of the SavedModel that it is from
    prefix    of the checkpoint that belongs to it
    file      that it was read from
    """

    graph: GraphDef
    name: str = ""
    meta: MetaGraphDef | None = None
    folder: str = ""
    prefix: str = ""
    is_saved_model: bool = False
    file: ModelFile | None = None

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Let errors say which file they are about, and where in it."""
        try:
            with self.naming_damage():
                yield
        except FreezeError as error:
            if not self.name:
                raise
            raise FreezeError(f"{self.name}: {error}") from error

    @contextmanager
    def naming_damage(self) -> Iterator[None]:
        """Let errors in the data of the file, which is decoded lazily, say where they are."""
        with naming_damage(self.file):
            yield

    def signature(self, asked: str | None) -> SignatureDef | None:
        """The signature that is asked for, or the one that goes without saying. Raises FreezeError if there are several
        and none of them does."""
        there = self.meta.signature_def if self.meta is not None else {}
        usable = {name: signature for name, signature in there.items() if not name.startswith(_INIT_SIGNATURES)}
        if asked is not None:
            if asked not in there:
                listed = ", ".join(map(quoted, sorted(usable))) or "none"
                raise FreezeError(f"there is no signature {quoted(asked)}{guess(asked, usable)}; there are: {listed}")
            return there[asked]
        if _DEFAULT_SIGNATURE in usable:
            return usable[_DEFAULT_SIGNATURE]
        if len(usable) > 1:
            listed = ", ".join(map(quoted, sorted(usable)))
            raise FreezeError(f"there are several signatures, name one of them: {listed}")
        return next(iter(usable.values()), None)

    @property
    def takes_checkpoint(self) -> bool:
        """Whether the graph has variables, tables that are restored, or nodes that read a checkpoint."""
        with self.naming_damage():
            library = self.graph.library.function if self.graph.library is not None else []
            bodies = [self.graph.node, *(function.node_def for function in library)]
            ops = {node.op for nodes in bodies for node in nodes}
        return any(op in VARIABLES or op in RESTORES or op in MUTABLE_TABLES for op in ops)

    def check_checkpoint(self, checkpoint: object) -> None:
        """Raise FreezeError if a checkpoint is given and nothing in the graph reads one."""
        is_given = bool(checkpoint) if isinstance(checkpoint, (str, Mapping)) else checkpoint is not None
        if is_given and not self.takes_checkpoint:
            raise FreezeError(f"{NOT_RESTORED}: the graph has no variables and reads no checkpoint; leave it out")

    def init_ops(self) -> list[str]:
        """The nodes that fill the tables of a loaded model."""
        if self.meta is None:
            return []
        names = []
        for key in ("saved_model_main_op", "legacy_init_op", "saved_model_init_op", "table_initializer"):
            collection = self.meta.collection_def.get(key)
            if collection is not None and collection.node_list is not None:
                names += collection.node_list.value
        for key, signature in self.meta.signature_def.items():
            if key.startswith(_INIT_SIGNATURES):
                names += [info.name for info in signature.outputs.values() if info.name]
        return list(dict.fromkeys(TensorName.parse(name).node for name in names))

    def assets(self) -> dict[str, str]:
        """The paths of the model's asset files, by the node that holds each."""
        if self.meta is None or not self.folder:
            return {}
        return {
            TensorName.parse(asset.tensor_info.name).node: os.path.join(self.folder, "assets", asset.filename)
            for asset in (*self.meta.asset_file_def, *self._assets_of_collection())
            if asset.tensor_info is not None and asset.tensor_info.name
        }

    def _assets_of_collection(self) -> list[AssetFileDef]:
        """Where TF1 lists the assets of a SavedModel."""
        collection = self.meta.collection_def.get("saved_model_assets") if self.meta is not None else None
        if collection is None or collection.any_list is None:
            return []
        return [AssetFileDef.from_bytes(any_.value) for any_ in collection.any_list.value]


def open_source(model: Message | FileSource, tags: Tags) -> Model:
    """Open a model that is given as a path or as a message. Files are read lazily.

    Raises FileFormatError for `tags` of something that is no SavedModel, and for tags that no MetaGraph has.
    """
    source, chooses = _opened(model, tags)
    if tags is not None and not chooses:
        problem = no_choice(MetaGraphDef if source.meta is not None else GraphDef)
        raise FileFormatError(f"{source.name}: {problem}".removeprefix(": "))
    return source


def open_sources(models: Iterable[Message | FileSource], tags: Tags) -> list[Model]:
    """Open several models, of which at least one must be a SavedModel if there are `tags`."""
    opened = [_opened(model, tags) for model in models]
    if tags is not None and not any(chooses for _, chooses in opened):
        names = " and ".join(source.name for source, _ in opened if source.name)
        raise FileFormatError(f"{names}: {no_choice()}".removeprefix(": "))
    return [source for source, _ in opened]


def _opened(model: Message | FileSource, tags: Tags) -> tuple[Model, bool]:
    """The model, and whether `tags` choose something of it."""
    if isinstance(model, Message):
        return _of_message(model, tags), isinstance(model, SavedModel)
    file = open_model(model, lazy=True)
    found = file.found.cls
    if found is None:
        message_of(file)  # which says that there is no message
    if found is not SavedModel and found is not MetaGraphDef:
        return Model(message_of(file, GraphDef, lazy=True), file.name, file=file), False
    if found is SavedModel and tags is None:
        tags = _default_tags(message_of(file, SavedModel, lazy=True))
    meta = message_of(file, MetaGraphDef, lazy=True, tags=tags if found is SavedModel else None)
    if found is SavedModel:
        folder = os.path.dirname(os.path.abspath(file.path)) if file.path else ""
        prefix = os.path.join(os.path.dirname(file.path), "variables") if file.path else ""
        found_model = _of_meta(meta, file)
        prefix = prefix if os.path.isdir(prefix) else ""
        return replace(found_model, folder=folder, prefix=prefix, is_saved_model=True), True
    prefix = file.path.removesuffix(".meta")
    return replace(_of_meta(meta, file), prefix=prefix if prefix != file.path else ""), False


def _of_message(message: Message, tags: Tags) -> Model:
    if isinstance(message, SavedModel):
        tags = _default_tags(message) if tags is None else tags
        chosen = choose_meta_graph(message.meta_graphs, tags, "the SavedModel")
        return replace(_of_meta(chosen), is_saved_model=True)
    if isinstance(message, MetaGraphDef):
        return _of_meta(message)
    if not isinstance(message, GraphDef):
        found = class_name(message, GraphDef, MetaGraphDef, SavedModel)
        raise TypeError(f"expected a GraphDef, MetaGraphDef, SavedModel or a path, not {found}")
    return Model(message)


def _of_meta(meta: MetaGraphDef, file: ModelFile | None = None) -> Model:
    name = file.name if file is not None else ""
    if meta.graph_def is None:
        raise FreezeError(f"{name}: the MetaGraphDef has no graph".removeprefix(": "))
    return Model(meta.graph_def, name, meta, file=file)


def _default_tags(model: SavedModel) -> str | None:
    """The tags of the MetaGraph for serving, where there are several."""
    there = [meta.meta_info_def.tags if meta.meta_info_def is not None else [] for meta in model.meta_graphs]
    return _DEFAULT_TAGS if len(there) > 1 and [_DEFAULT_TAGS] in there else None


def names_of(names: Names) -> list[str]:
    """Names in a string with commas, or one by one; blanks and empty ones do not count."""
    if names is None:
        return []
    pieces = [piece for name in ([names] if isinstance(names, str) else names) for piece in name.split(",")]
    return [name for name in (piece.strip() for piece in pieces) if name]


def tensors_of(infos: Mapping[str, TensorInfo]) -> list[str]:
    """The names of all tensors of a signature's inputs, or outputs."""
    return [name for key in sorted(infos) for name in _tensors_in(infos[key])]


def _tensors_in(info: TensorInfo) -> Iterator[str]:
    parts: Any = info
    if info.coo_sparse is not None:
        parts = info.coo_sparse
        yield from (parts.values_tensor_name, parts.indices_tensor_name, parts.dense_shape_tensor_name)
    elif info.composite_tensor is not None:
        for component in info.composite_tensor.components:
            yield from _tensors_in(component)
    elif info.name:
        yield info.name

