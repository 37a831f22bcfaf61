"""A model as all functions take it: its graph from a file or a message, with signature, checkpoint and assets.

All functions that work on a whole model (freezing, running, summarizing, optimizing, listing weights) begin with a
`ModelSource`. `tfmodel.Model` has one. Nothing is read before it is needed; graphs are decoded lazily. A step that
changes a model makes a new `ModelSource`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from pbwire.codec.copy import share

from ..errors import CheckpointError, Error, FileFormatError, Hint, ModelError, with_name
from ..files.decoding import Tags, decode_file, naming_damage, no_choice, tags_of
from ..files.model_file import ModelFile
from ..messages import GraphDef, MetaGraphDef, NodeDef, SavedModel, SignatureDef, as_dataclass
from ..ops import Registry, registry
from ..values.names import Renames, check_names
from .function_signatures import with_function_signatures
from .loading import assets_of
from .opened import Opened
from .opening import Content, Opening, Origin, refuse_tags
from .signature_defs import choose_signature, usable_signatures

if TYPE_CHECKING:
    from ..files.checkpoints.checkpoint import Checkpoint
    from ..files.keras.file import KerasFile
    from ..onnx_messages import ModelProto

CheckpointSource: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | None"
Given: TypeAlias = "Content | ModelSource | HasSource"
Names: TypeAlias = "str | Iterable[str] | None"

T = TypeVar("T")


class HasSource:
    """An object with a ModelSource, which functions take in its place: `tfmodel.Model`."""

    _source: ModelSource


@dataclass(frozen=True, eq=False)
class ModelSource:
    """A graph with its signatures, checkpoint and assets: see `of`. It does not change; a changed model is a new one.

    Properties raise FileFormatError, CheckpointError and OSError for a file that cannot be read, and ModelError for a
    missing part of the model.
    """

    _opening: Opening
    _changed: Opened | None = None  # the content after a step; None for that of `_opening`
    given_checkpoint: CheckpointSource = None
    given_signature: str | None = None
    _kept: dict[Callable[[ModelSource], Any], Any] | None = None  # see `keeping_facts`

    @classmethod
    def of(
        cls,
        given: Given,
        *,
        checkpoint: CheckpointSource = None,
        signature: str | None = None,
        tags: Tags = None,
        needs_weights: bool = True,
    ) -> ModelSource:
        """Return a model.

        given           a path (a graph in any form, a .meta, a SavedModel, a TensorFlow.js model, a checkpoint), bytes,
                        "-", a message, a mapping from names to arrays such as a Checkpoint, a ModelFile, or another
                        model, of which the result keeps all that the options do not change
        checkpoint      where the values of variables come from, if not from the checkpoint beside the model: a path, a
                        Checkpoint, or any mapping from names to arrays
        signature       the signature with the inputs and outputs (default: "serving_default", or the only one)
        tags            select a MetaGraph of a SavedModel (default: "serve" if there are several)
        needs_weights   see `Opening`
        """
        source = given._source if isinstance(given, HasSource) else given
        if not isinstance(source, ModelSource):
            opening = Opening(Origin(as_dataclass(source)), tags=tags, needs_weights=needs_weights)
            return cls(opening, None, checkpoint, signature)
        if tags is not None or not needs_weights:
            source = source._reopened(tags, needs_weights)
        if checkpoint is None and signature is None:
            return source
        return replace(
            source,
            given_checkpoint=source.given_checkpoint if checkpoint is None else checkpoint,
            given_signature=source.given_signature if signature is None else signature,
        )

    def _reopened(self, tags: Tags, needs_weights: bool) -> ModelSource:
        if tags is not None and self._changed is not None and not self._changed.is_saved_model:
            refuse_tags(self._changed)
        tags = self._opening.tags if tags is None else tags
        opening = Opening(self._opening.origin, tags=tags, needs_weights=needs_weights)
        return replace(self, _opening=opening, _changed=None, _kept=None)

    def without_signature(self) -> ModelSource:
        """Return the same model without a requested signature, for callers that name the inputs and outputs."""
        return replace(self, given_signature=None)

    # --- steps -------------------------------------------------------------------------------------------------------

    def with_graph(self, graph: GraphDef) -> ModelSource:
        """Return the same model with another graph.

        The graph must have the nodes that signatures, checkpoint and assets need.
        """
        meta = self.meta
        if meta is not None:
            meta = share(meta)
            meta.graph_def = graph
        return self._with(replace(self._opened, graph=graph, meta=meta))

    def after_step(self, graph: GraphDef, *, renames: Renames | None = None, notes: Sequence[str] = ()) -> ModelSource:
        """Return the model after a step that changed its graph; `notes` are about the step.

        Its MetaGraph names the nodes of the new graph: see `with_changed_graph`. `renames` are the new names of nodes
        and tensors.
        """
        if self.meta is None:
            return self.changed(graph, None, notes)
        from .meta_renames import with_changed_graph  # with the tables of all parts of a MetaGraph

        return self.changed(graph, with_changed_graph(self.meta, graph, renames or Renames()), notes)

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
        notes = (*self.notes, *notes)
        opened = replace(self._opened, graph=graph, meta=meta, is_saved_model=False, notes=notes)
        has_signature = meta is not None and self.given_signature in meta.signature_def
        changed = replace(self._with(opened), given_signature=self.given_signature if has_signature else None)
        if opened.takes_checkpoint:
            return changed
        return replace(changed, _changed=replace(opened, prefix=""), given_checkpoint=None)

    def with_functions(self) -> ModelSource:
        """Return the model with a signature for each of its functions, if it is a SavedModel that has no signatures."""
        meta = self.meta if self.is_saved_model else None
        changed = with_function_signatures(meta) if meta is not None else None
        if changed is None:
            return self
        return self._with(replace(self._opened, graph=changed.graph_def, meta=changed, calls_functions=True))

    def _with(self, opened: Opened) -> ModelSource:
        return replace(self, _changed=opened, _kept=None)

    @property
    def notes(self) -> Sequence[str]:
        """Messages of the steps that made this model, one line each; empty for a model from a file."""
        return self._changed.notes if self._changed is not None else ()

    # --- what is computed from the graph -----------------------------------------------------------------------------

    @cached_property
    def ops(self) -> Registry:
        """The declarations of the ops that the model can use: TensorFlow's, of its functions, and those of its file."""
        return registry(self.meta or self.graph)

    def keeping_facts(self) -> ModelSource:
        """Return the model as one whose graph does not change from now on, so that `kept` computes a fact once.

        Functions that are called one after another for the result, such as `weights` and `summarize`, share its shapes,
        inputs and outputs.
        """
        return self if self._kept is not None else replace(self, _kept={})

    def kept(self, compute: Callable[[ModelSource], T]) -> T:
        """Return `compute(self)`; for a model that keeps its facts, the result that it had the first time."""
        if self._kept is None:
            return compute(self)
        if compute not in self._kept:
            self._kept[compute] = compute(self)
        result: T = self._kept[compute]
        return result

    # --- the content -------------------------------------------------------------------------------------------------

    @property
    def _opened(self) -> Opened:
        return self._changed if self._changed is not None else self._opening.opened

    @property
    def keras(self) -> KerasFile | None:
        """The Keras file, .h5 or .keras, that the model is; None for other models."""
        return self._opening.origin.keras

    @property
    def onnx(self) -> ModelProto | None:
        """The ONNX model that the file is, which has no graph of TensorFlow; None for other models."""
        return self._opening.origin.onnx

    @property
    def name(self) -> str:
        """The name of the model in errors: its printable path; empty for a message."""
        named = self._named_file
        return named[0] if named is not None else self._opened.name

    @property
    def file(self) -> ModelFile | None:
        """The file from which the graph was read; None for a message and for a checkpoint."""
        named = self._named_file
        return named[1] if named is not None else self._opened.file

    @property
    def _named_file(self) -> tuple[str, ModelFile | None] | None:
        return self._opening.origin.named_file if self._changed is None else None

    @property
    def has_graph(self) -> bool:
        """False if the model is only a checkpoint."""
        return self._opened.graph is not None

    @property
    def graph(self) -> GraphDef:
        """The graph. Raises ModelError or FileFormatError if the model is only a checkpoint, or a Keras file."""
        if self._opened.graph is None:
            self._refuse_checkpoint()
        assert self._opened.graph is not None
        return self._opened.graph

    def _refuse_checkpoint(self) -> None:
        if self._opening.origin.file is not None:
            decode_file(self._opening.origin.file)  # its error says what the file is, and where its graph may be
        raise ModelError(with_name(self.name, "this is a checkpoint, which holds no graph"))

    @property
    def meta(self) -> MetaGraphDef | None:
        """The MetaGraph that contains the graph; None if the model is only a graph."""
        return self._opened.meta

    @property
    def is_saved_model(self) -> bool:
        return self._opened.is_saved_model

    @property
    def folder(self) -> str:
        """The folder of a SavedModel that was read from a file; else empty."""
        return self._opened.folder

    @property
    def missing(self) -> Sequence[str]:
        """The files of weights that were to be read and are missing."""
        return self._opened.missing

    def bodies(self) -> Iterator[tuple[str, Sequence[NodeDef]]]:
        """Yield the name and the nodes of each function, and before them "" and the nodes of the graph."""
        return self._opened.bodies()

    # --- the MetaGraphs of a SavedModel ------------------------------------------------------------------------------

    @property
    def takes_tags(self) -> bool:
        """Whether tags can select a graph of the model, which is then a SavedModel. None is selected for this."""
        if self._changed is not None:
            return self._changed.is_saved_model
        return self._opening.origin.saved_model is not None

    @property
    def has_given_tags(self) -> bool:
        """Whether the caller chose a MetaGraph of the SavedModel by its tags."""
        return self._opening.tags is not None

    def saved_model(self) -> SavedModel:
        """Return the SavedModel that the MetaGraph comes from, with all of its MetaGraphs. `meta` is one of them.

        Raises ModelError if the model is not a SavedModel.
        """
        model = self._opening.origin.saved_model if self.is_saved_model else None
        if model is None:
            raise ModelError(with_name(self.name, "this is not a SavedModel"))
        assert self.meta is not None
        tags, copy = tags_of(self.meta), share(model)
        copy.meta_graphs = [self.meta if tags_of(meta) == tags else meta for meta in model.meta_graphs]
        return copy

    def all_meta_graphs(self) -> list[MetaGraphDef]:
        """Return all MetaGraphs of a SavedModel, without choosing one; with tags, only the one that they select.

        Of other models, this is their MetaGraph, if they have one.
        """
        if self._opening.tags is None and self.takes_tags:
            model = self._opening.origin.saved_model if self._changed is None else self.saved_model()
            return list(model.meta_graphs) if model is not None else []
        return [self.meta] if self.meta is not None else []

    def other_tags(self) -> list[list[str]]:
        """Return the tags of each MetaGraph of a SavedModel except the opened one; empty for other models."""
        if not self.is_saved_model:
            return []
        assert self.meta is not None
        tags = [tags_of(meta) for meta in self.saved_model().meta_graphs]
        tags.remove(tags_of(self.meta))
        return tags

    def other_meta_graphs(self) -> list[ModelSource]:
        """Return the other MetaGraphs of a SavedModel as models; empty for other models."""
        model = self._opening.origin.saved_model if self.is_saved_model else None
        sources, own = [], tags_of(self.meta) if self.meta is not None else None
        for meta in model.meta_graphs if model is not None else ():
            if own is not None and own == tags_of(meta):
                own = None  # of several with the same tags, TensorFlow loads the first one
                continue
            sources.append(self._with(replace(self._opened, graph=meta.graph_def or GraphDef(), meta=meta)))
        return sources

    # --- names in errors ---------------------------------------------------------------------------------------------

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
            named = type(error)(with_name(name, error))
            named.__dict__.update(error.__dict__)  # what else it tells, such as the refused nodes of an export
            raise named from error

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
            return _open_checkpoint(self.given_checkpoint)
        return self.own_checkpoint() if self.prefix else None

    def own_checkpoint(self) -> Checkpoint | None:
        """Return the checkpoint beside the model, or in the folder of its SavedModel, even if another one is given."""
        prefix = self._opened.checkpoint_prefix
        return _open_checkpoint(prefix) if prefix else None

    @property
    def takes_checkpoint(self) -> bool:
        """True if the graph has variables, tables that are restored, or nodes that read a checkpoint."""
        self.graph  # noqa: B018  a checkpoint is refused
        return self._opened.takes_checkpoint

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
        return choose_signature(signatures, self.given_signature, are_functions=self.calls_functions)

    @property
    def calls_functions(self) -> bool:
        """Whether the signatures are those of `with_functions`."""
        return self._opened.calls_functions

    def other_functions(self) -> list[str]:
        """Return the names that `with_functions` could give to `signature`; empty if the model is made with it."""
        called = self.with_functions()
        meta = called.meta if called is not self else None
        return sorted(usable_signatures(meta.signature_def)) if meta is not None else []

    def asset_paths(self) -> dict[str, str]:
        """Return the paths of the asset files of a SavedModel, by the names of the nodes that hold the paths."""
        if not self.folder:
            return {}
        folder = os.path.join(self.folder, "assets")
        return {node: os.path.join(folder, asset.filename) for node, asset in assets_of(self.meta).items()}


def _open_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    from ..files.checkpoints.checkpoint import Checkpoint  # most graphs have no checkpoint

    return Checkpoint(path)


def source_pair(first: Given, second: Given, *, tags: Tags) -> tuple[ModelSource, ModelSource]:
    """Return two models to compare; `tags` select the MetaGraphs of those that are SavedModels.

    Raises FileFormatError for `tags` if neither is one.
    """
    sources = ModelSource.of(first), ModelSource.of(second)
    if tags is not None and not any(source.takes_tags for source in sources):
        names = " and ".join(source.name for source in sources if source.name)
        raise FileFormatError(with_name(names, no_choice()))
    one, other = (ModelSource.of(source, tags=tags if source.takes_tags else None) for source in sources)
    return one, other


def names_of(names: Names) -> list[str]:
    """Return the names in a comma-separated string, or in an iterable of such strings.

    White space around names and empty names are removed. None gives an empty list. Raises GraphError for other values.
    """
    if names is None:
        return []
    pieces = [piece for name in check_names([names] if isinstance(names, str) else names) for piece in name.split(",")]
    return [name for name in (piece.strip() for piece in pieces) if name]
