"""A model as all functions take it: its graph from a file or a message, with signature, checkpoint and assets.

All functions that work on a whole model (freezing, running, summarizing, optimizing, listing weights) begin with a
`ModelSource`. `tfmodel.Model` has one. Nothing is read before it is needed; graphs are decoded lazily.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from pbwire.codec.copy import share
from pbwire.errors import compose
from pbwire.message import Message

from ..errors import CheckpointError, Error, FileFormatError, ModelError, with_name
from ..files.access.special_files import describe_missing
from ..files.decoding import Tags, decode_file, naming_damage, no_choice, tags_of
from ..files.detection import Kind
from ..files.model_file import ModelFile, open_file
from ..files.model_file import Source as FileSource
from ..graph.functions import function_name
from ..hints import Hint
from ..messages import AssetFileDef, GraphDef, MetaGraphDef, SavedModel, SignatureDef, as_dataclass
from ..ops import Registry, registry
from ..ops.traits import MUTABLE_TABLES, RESTORES, VARIABLES
from ..values.names import TensorName, check_names
from .function_signatures import with_function_signatures
from .opening import OpenedModel, check_source, is_checkpoint, open_checkpoint, open_message, read_file
from .signature_defs import INTERNAL_SIGNATURES, choose_signature, with_graph

if TYPE_CHECKING:
    from ..files.checkpoints.checkpoint import Checkpoint
    from ..files.keras.file import KerasFile

CheckpointSource: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | None"
Given: TypeAlias = "Message | FileSource | Mapping[str, Any] | ModelSource | HasSource"
Names: TypeAlias = "str | Iterable[str] | None"

T = TypeVar("T")

_IN_SAVED_MODEL = ("variables", "variables")
_READ_BY_PATH: tuple[Kind, ...] = ("table", "keras")
"""The kinds of files that their readers open again: they read parts of them, when these are needed."""

_KEPT = ("_opened", "_model_file", "keras", "takes_checkpoint", "checkpoint")
_INIT_COLLECTIONS = ("saved_model_main_op", "legacy_init_op", "saved_model_init_op", "table_initializer")


class HasSource:
    """An object with a ModelSource, which functions take in its place: `tfmodel.Model`."""

    _source: ModelSource


class ModelSource:
    """A graph with its signatures, checkpoint and assets.

    source       a path (a graph in any form, a .meta, a SavedModel, a TensorFlow.js model, a checkpoint), bytes, "-", a
                 message, a mapping from names to arrays such as a Checkpoint, another ModelSource, or a ModelFile
    checkpoint   where the values of variables come from, if not from the checkpoint beside the model: a path, a
                 Checkpoint, or any mapping from names to arrays
    signature    the signature with the inputs and outputs (default: "serving_default", or the only one)
    tags         select a MetaGraph of a SavedModel (default: "serve" if there are several)

    Properties raise FileFormatError, CheckpointError and OSError for a file that cannot be read, and ModelError for a
    missing part of the model.
    """

    def __init__(
        self,
        source: Given | ModelFile | OpenedModel,
        *,
        checkpoint: CheckpointSource = None,
        signature: str | None = None,
        tags: Tags = None,
    ) -> None:
        self.missing: list[str] | None = None
        if isinstance(source, HasSource):
            source = source._source
        if isinstance(source, ModelSource):
            self.missing = source.missing
            kept = ("_model_file", "keras") if tags is not None else _KEPT[:-1] if checkpoint is not None else _KEPT
            self.__dict__.update({name: source.__dict__[name] for name in kept if name in source.__dict__})
            tags = source._tags if tags is None else tags
            checkpoint = source.given_checkpoint if checkpoint is None else checkpoint
            signature = source.given_signature if signature is None else signature
            source = source._source
        self._source: Message | FileSource | ModelFile | OpenedModel | Mapping[str, Any] = as_dataclass(source)
        self._tags: Tags = tags
        self.given_checkpoint: CheckpointSource = checkpoint
        self.given_signature: str | None = signature

    @classmethod
    def of(
        cls,
        source: Given,
        *,
        checkpoint: CheckpointSource = None,
        signature: str | None = None,
        tags: Tags = None,
    ) -> ModelSource:
        """Return `source` itself if it is a ModelSource and the options are None; else a new ModelSource of it."""
        if isinstance(source, HasSource):
            source = source._source
        if isinstance(source, ModelSource) and checkpoint is None and signature is None and tags is None:
            return source
        return ModelSource(source, checkpoint=checkpoint, signature=signature, tags=tags)

    def note_missing(self) -> str:
        """Return a note about the files of weights that are missing, if this is a `source_without_weights`; else ""."""
        if not self.missing:
            return ""
        return with_name(self.name, f"{describe_missing(self.missing)}: values are not known")

    def unknown_constants(self) -> set[tuple[str, str]]:
        """Return function and name of the constants whose values are in missing files: see `note_missing`."""
        if not self.missing:
            return set()
        library = self.graph.library
        bodies = {"": self.graph.node}
        bodies.update(
            (function_name(body), body.node_def) for body in (library.function if library is not None else ())
        )
        return {
            (function, node.name)
            for function, nodes in bodies.items()
            for node in nodes
            if node.op == "Const" and "value" not in node.attr
        }

    def without_signature(self) -> ModelSource:
        """Return the same model without a requested signature, for callers that name the inputs and outputs."""
        source = ModelSource(self)
        source.given_signature = None
        return source

    def with_graph(self, graph: GraphDef) -> ModelSource:
        """Return the same model with another graph.

        The graph must have the nodes that signatures, checkpoint and assets need.
        """
        source = ModelSource(self)
        meta = self.meta
        if meta is not None:
            meta = share(meta)
            meta.graph_def = graph
        source.__dict__["_opened"] = self._opened._replace(graph=graph, meta=meta)
        return source

    def after_step(
        self,
        graph: GraphDef,
        *,
        renames: Mapping[TensorName, TensorName] | None = None,
        notes: Sequence[str] = (),
    ) -> ModelSource:
        """Return the model after a step that changed its graph; `notes` are about the step.

        Its MetaGraph keeps the signatures whose nodes are in the new graph. `renames` maps tensors of the old graph to
        their new names.
        """
        return self.changed(
            graph, with_graph(self.meta, graph, renames or {}) if self.meta is not None else None, notes
        )

    def with_meta(self, meta: MetaGraphDef, graph: GraphDef | None = None) -> ModelSource:
        """Return the model with another MetaGraph, and another graph in it if `graph` is given."""
        graph = graph if graph is not None else meta.graph_def
        if graph is None:
            raise ModelError("the MetaGraphDef has no graph")
        meta = share(meta)
        meta.graph_def = graph
        return self.changed(graph, meta)

    def changed(self, graph: GraphDef, meta: MetaGraphDef | None, notes: Sequence[str] = ()) -> ModelSource:
        """Return the model with another graph and MetaGraph. The checkpoint stays if the graph reads one."""
        opened = self._opened._replace(graph=graph, meta=meta, is_saved_model=False, notes=(*self.notes, *notes))
        has_signature = meta is not None and self.given_signature in meta.signature_def
        signature = self.given_signature if has_signature else None
        changed = ModelSource(opened, checkpoint=self.given_checkpoint, signature=signature)
        return changed if changed.takes_checkpoint else ModelSource(opened._replace(prefix=""), signature=signature)

    def with_functions(self) -> ModelSource:
        """Return the model with a signature for each of its functions, if it is a SavedModel that has no signatures."""
        meta = self.meta if self.is_saved_model else None
        changed = with_function_signatures(meta) if meta is not None else None
        if changed is None:
            return self
        source = ModelSource(self)
        source.__dict__["_opened"] = self._opened._replace(graph=changed.graph_def, meta=changed)
        return source

    @property
    def notes(self) -> Sequence[str]:
        """Messages of the steps that made this model, one line each; empty for a model from a file."""
        return self._source.notes if isinstance(self._source, OpenedModel) else ()

    # --- what is computed from the graph -----------------------------------------------------------------------------

    @cached_property
    def ops(self) -> Registry:
        """The declarations of the ops that the model can use: TensorFlow's, of its functions, and those of its file."""
        return registry(self.meta or self.graph)

    _kept: dict[Callable[[ModelSource], Any], Any] | None = None

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Keep shapes, inputs and outputs until the end of the block, in which the graph must not change.

        Functions that are called one after another for the same model, such as `weights` and `summarize`, then share
        them.
        """
        before = self._kept
        self._kept = before if before is not None else {}
        try:
            yield
        finally:
            self._kept = before

    def kept(self, compute: Callable[[ModelSource], T]) -> T:
        """Return `compute(self)`; within a block of `unchanged`, the result that it had the first time."""
        if self._kept is None:
            return compute(self)
        if compute not in self._kept:
            self._kept[compute] = compute(self)
        result: T = self._kept[compute]
        return result

    # --- the opened file ---------------------------------------------------------------------------------------------

    @cached_property
    def _opened(self) -> OpenedModel:
        opened = self._open()
        if self._tags is not None and not self._has_tags(opened):
            if opened.graph is None:
                problem = compose(Hint.TAGS_CHOOSE, ", and this is a checkpoint: leave the tags out")
                raise CheckpointError(with_name(opened.name, problem))
            problem = no_choice(MetaGraphDef if opened.meta is not None else GraphDef)
            raise FileFormatError(with_name(opened.name, problem))
        return opened

    def _has_tags(self, opened: OpenedModel) -> bool:
        return opened.is_saved_model

    def _open(self) -> OpenedModel:
        source = self._source
        if isinstance(source, OpenedModel):
            return source
        if isinstance(source, Mapping):
            return open_checkpoint(source)
        if isinstance(source, Message):
            return open_message(source, self._tags)
        file = self._model_file
        if file is None:
            check_source(source)
        assert file is not None
        if self.keras is not None:
            return OpenedModel(self.keras.name, tensors=self.keras.weights)
        return read_file(file, self._tags, self.missing)

    @cached_property
    def keras(self) -> KerasFile | None:
        """The Keras file, .h5 or .keras, that the source is; None for other sources."""
        file = self._model_file
        if file is None or file.detection.kind != "keras":
            return None
        from ..files.keras.file import KerasFile

        return KerasFile(file.name, file.data or file.path)

    @cached_property
    def _model_file(self) -> ModelFile | None:
        """The file, opened once without the choice of a MetaGraph; None for a message and for tensors."""
        source = self._source
        if isinstance(source, (str, os.PathLike, bytes, bytearray, memoryview)):
            return open_file(source, lazy=True, accept=_READ_BY_PATH)
        return source if isinstance(source, ModelFile) else None

    @property
    def name(self) -> str:
        """The name of the model in errors: its printable path; empty for a message."""
        return self._unopened[0] if self._unopened is not None else self._opened.name

    @property
    def file(self) -> ModelFile | None:
        """The file from which the graph was read; None for a message and for a checkpoint."""
        return self._unopened[1] if self._unopened is not None else self._opened.file

    @property
    def _unopened(self) -> tuple[str, ModelFile | None] | None:
        """The name and the file of a SavedModel of which no MetaGraph was chosen yet; None once one is."""
        if "_opened" in self.__dict__:
            return None
        if isinstance(self._source, Message):
            return "", None
        file: ModelFile | None = self.__dict__.get("_model_file")
        return (file.name, file) if file is not None and file.detection.kind not in _READ_BY_PATH else None

    @property
    def has_graph(self) -> bool:
        """False if the source is only a checkpoint."""
        return self._opened.graph is not None

    @property
    def graph(self) -> GraphDef:
        """The graph. Raises ModelError or FileFormatError if the source is only a checkpoint, or a Keras file."""
        if self._opened.graph is None:
            self._refuse_checkpoint()
        assert self._opened.graph is not None
        return self._opened.graph

    def _refuse_checkpoint(self) -> None:
        if self._model_file is not None:
            decode_file(self._model_file)  # its error says what the file is, and where its graph may be
        raise ModelError(with_name(self.name, "this is a checkpoint, which holds no graph"))

    @property
    def meta(self) -> MetaGraphDef | None:
        """The MetaGraph that contains the graph; None if the source is only a graph."""
        return self._opened.meta

    @property
    def is_saved_model(self) -> bool:
        return self._opened.is_saved_model

    def other_tags(self) -> list[list[str]]:
        """Return the tags of each MetaGraph of a SavedModel except the opened one; empty for other models."""
        if not self.is_saved_model:
            return []
        assert self.meta is not None
        tags = [tags_of(meta) for meta in self.saved_model().meta_graphs]
        tags.remove(tags_of(self.meta))
        return tags

    def saved_model(self) -> SavedModel:
        """Return the SavedModel that the MetaGraph comes from, with all of its MetaGraphs. `meta` is one of them.

        Raises ModelError if the model is not a SavedModel.
        """
        model = self._unchanged_saved_model() if self.is_saved_model else None
        if model is None:
            raise ModelError(with_name(self.name, "this is not a SavedModel"))
        assert self.meta is not None
        tags, copy = tags_of(self.meta), share(model)
        copy.meta_graphs = [self.meta if tags_of(meta) == tags else meta for meta in model.meta_graphs]
        return copy

    def _unchanged_saved_model(self) -> SavedModel | None:
        """Return the SavedModel of the source, without the choice of a MetaGraph; None for another source."""
        if isinstance(self._source, SavedModel):
            return self._source
        file = self._model_file
        if file is None or file.detection.cls is not SavedModel:
            return None
        model: SavedModel = decode_file(file, SavedModel, lazy=True)
        return model

    def all_meta_graphs(self) -> list[MetaGraphDef]:
        """Return all MetaGraphs of a SavedModel, without choosing one; with tags, only the one that they select.

        Of other models, this is their MetaGraph, if they have one.
        """
        if self._tags is None and "_opened" not in self.__dict__:
            model = self._unchanged_saved_model()
            if model is not None:
                return list(model.meta_graphs)
        if self._tags is None and self.is_saved_model:
            return list(self.saved_model().meta_graphs)
        return [self.meta] if self.meta is not None else []

    @property
    def has_given_tags(self) -> bool:
        """Whether the caller chose a MetaGraph of the SavedModel by its tags."""
        return self._tags is not None

    @property
    def folder(self) -> str:
        """The folder of a SavedModel that was read from a file; else empty."""
        return self._opened.folder

    def naming_damage(self) -> AbstractContextManager[None]:
        """Return a context that prefixes errors of lazy decoding with the file and the path of the field."""
        return naming_damage(self.file)

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Prefix all errors in the block with the name of the file."""
        name = self.name
        try:
            with self.naming_damage():
                yield
        except (FileFormatError, CheckpointError):
            raise
        except Error as error:
            if not name or error.subject == name:
                raise
            raise type(error)(with_name(name, error)) from error

    # --- the checkpoint ----------------------------------------------------------------------------------------------

    @property
    def prefix(self) -> str:
        """The prefix of the checkpoint of a SavedModel or a .meta; empty for other models."""
        return self._opened.prefix

    @cached_property
    def checkpoint(self) -> Mapping[str, Any] | None:
        """The tensors of the checkpoint: of the given one, or else of the one beside the model; None without any.

        If the source is only a checkpoint, these are its tensors; another given checkpoint is then a CheckpointError.
        """
        if self._opened.tensors is not None:
            if self.given_checkpoint is not None:
                problem = "this is a checkpoint itself: it does not go with another one"
                raise CheckpointError(with_name(self.name, problem))
            return self._opened.tensors
        if isinstance(self.given_checkpoint, Mapping):
            return self.given_checkpoint
        if self.given_checkpoint is not None:
            from ..files.checkpoints.checkpoint import Checkpoint

            return Checkpoint(self.given_checkpoint)
        return self.own_checkpoint() if self.prefix else None

    def own_checkpoint(self) -> Checkpoint | None:
        """Return the checkpoint beside the model, or in the folder of its SavedModel, even if another one is given."""
        prefix = self.prefix or (os.path.join(self.folder, *_IN_SAVED_MODEL) if self.folder else "")
        if not prefix or not is_checkpoint(prefix):
            return None
        from ..files.checkpoints.checkpoint import Checkpoint

        return Checkpoint(prefix)

    @cached_property
    def takes_checkpoint(self) -> bool:
        """True if the graph has variables, tables that are restored, or nodes that read a checkpoint."""
        library = self.graph.library
        with self.naming_damage():
            bodies = [self.graph.node, *(function.node_def for function in (library.function if library else ()))]
            ops = {node.op for nodes in bodies for node in nodes}
        return any(op in VARIABLES or op in RESTORES or op in MUTABLE_TABLES for op in ops)

    def check_checkpoint(self) -> None:
        """Raise ModelError if a checkpoint was given and no node of the graph reads one."""
        checkpoint = self.given_checkpoint
        is_given = bool(checkpoint) if isinstance(checkpoint, (str, Mapping)) else checkpoint is not None
        if is_given and not self.takes_checkpoint:
            problem = ": the graph has no variables and reads no checkpoint; leave it out"
            raise ModelError(Hint.NOT_RESTORED, problem)

    # --- the MetaGraph ---------------------------------------------------------------------------------------------

    @property
    def has_signatures(self) -> bool:
        return self.meta is not None and bool(self.meta.signature_def)

    def signature(self) -> tuple[str, SignatureDef] | None:
        """Return the name and the signature: the requested one, or "serving_default", or the only one.

        Return None for a model without signatures. Raises ModelError if there are several and no default.
        """
        signatures = self.meta.signature_def if self.meta is not None else {}
        return choose_signature(signatures, self.given_signature)

    def init_ops(self) -> list[str]:
        """Return the names of the nodes that initialise a loaded model, such as nodes that fill its lookup tables."""
        if self.meta is None:
            return []
        names = []
        for key in _INIT_COLLECTIONS:
            collection = self.meta.collection_def.get(key)
            if collection is not None and collection.node_list is not None:
                names += collection.node_list.value
        for key, signature in self.meta.signature_def.items():
            if key.startswith(INTERNAL_SIGNATURES):
                names += [info.name for info in signature.outputs.values() if info.name]
        return list(dict.fromkeys(TensorName.parse(name).node for name in names))

    def asset_paths(self) -> dict[str, str]:
        """Return the paths of the asset files of a SavedModel, by the names of the nodes that hold the paths."""
        if not self.folder:
            return {}
        folder = os.path.join(self.folder, "assets")
        return {node: os.path.join(folder, asset.filename) for node, asset in self.asset_files().items()}

    def asset_files(self) -> dict[str, AssetFileDef]:
        """Return the assets of a MetaGraph by the names of the nodes that hold their paths."""
        return assets_of(self.meta) if self.meta is not None else {}

    def asset_tensors(self) -> dict[TensorName, str]:
        """Return the names of assets by the tensors in whose place their paths are fed while the model is loaded."""
        assets = _all_assets(self.meta) if self.meta is not None else ()
        return {TensorName.parse(tensor): asset.filename for tensor, asset in assets}

    def other_meta_graphs(self) -> list[ModelSource]:
        """Return the other MetaGraphs of a SavedModel as models; empty for other models."""
        model = self._unchanged_saved_model() if self.is_saved_model else None
        sources, own = [], tags_of(self.meta) if self.meta is not None else None
        for meta in model.meta_graphs if model is not None else ():
            if own is not None and own == tags_of(meta):
                own = None  # of several with the same tags, TensorFlow loads the first one
                continue
            source = ModelSource(self)
            source.__dict__["_opened"] = self._opened._replace(graph=meta.graph_def or GraphDef(), meta=meta)
            sources.append(source)
        return sources


class _EitherTags(ModelSource):
    """One of two models that `source_pair` opens. It accepts tags even if only the other one is a SavedModel."""

    def _has_tags(self, opened: OpenedModel) -> bool:
        return True


def source_without_weights(given: Given, *, checkpoint: CheckpointSource = None, tags: Tags = None) -> ModelSource:
    """Return a model whose files of weights may be missing, for reports without values: see `note_missing`.

    The values that are missing are zeros, so that such a model must not be run.
    """
    source = ModelSource(given, checkpoint=checkpoint, tags=tags)
    source.missing = []
    return source


def source_pair(first: Given, second: Given, *, tags: Tags) -> tuple[ModelSource, ModelSource]:
    """Return two models to compare. Raises FileFormatError for `tags` if neither is a SavedModel."""
    if tags is None:
        return ModelSource.of(first), ModelSource.of(second)
    pair = _EitherTags(first, tags=tags), _EitherTags(second, tags=tags)
    if not any(source.is_saved_model for source in pair):
        names = " and ".join(source.name for source in pair if source.name)
        raise FileFormatError(with_name(names, no_choice()))
    return pair


def assets_of(meta: MetaGraphDef) -> dict[str, AssetFileDef]:
    """Return the assets of a MetaGraph by the names of the nodes that hold their paths."""
    return {TensorName.parse(tensor).node: asset for tensor, asset in _all_assets(meta)}


def _all_assets(meta: MetaGraphDef) -> list[tuple[str, AssetFileDef]]:
    """Return the assets of a MetaGraph, each with the name of its tensor."""
    assets = [*meta.asset_file_def, *_assets_in_collection(meta)]
    return [(info.name, asset) for asset in assets if (info := asset.tensor_info) is not None and info.name]


def _assets_in_collection(meta: MetaGraphDef) -> list[AssetFileDef]:
    """Return the assets in the collection "saved_model_assets", in which TensorFlow 1 lists them."""
    collection = meta.collection_def.get("saved_model_assets")
    if collection is None or collection.any_list is None:
        return []
    return [AssetFileDef.from_bytes(any_.value) for any_ in collection.any_list.value]


def names_of(names: Names) -> list[str]:
    """Return the names in a comma-separated string, or in an iterable of such strings.

    White space around names and empty names are removed. None gives an empty list. Raises GraphError for other values.
    """
    if names is None:
        return []
    pieces = [piece for name in check_names([names] if isinstance(names, str) else names) for piece in name.split(",")]
    return [name for name in (piece.strip() for piece in pieces) if name]
