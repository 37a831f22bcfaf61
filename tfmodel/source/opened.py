"""A model that is open: its graph, MetaGraph and checkpoint, and where they come from."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..files.decoding import naming_damage
from ..files.model_file import ModelFile
from ..graph.functions import function_name
from ..messages import GraphDef, MetaGraphDef, NodeDef
from ..ops.traits import MUTABLE_TABLES, RESTORES, VARIABLES

_IN_SAVED_MODEL = ("variables", "variables")


@dataclass(frozen=True)
class Opened:
    """The content of a model. It does not change: a step makes another one.

    graph     None if the model is only a checkpoint
    tensors   the tensors if the model is only a checkpoint; else None
    folder    the folder of a SavedModel that was read from a file; else empty
    prefix    the prefix of the checkpoint of a SavedModel or a .meta; else empty
    notes     messages of the steps that made the graph, if it is not as it was read
    missing   the files of weights that were to be read and are missing; their constants have no values
    calls_functions   whether its signatures were made for functions: see `ModelSource.with_functions`
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
    missing: Sequence[str] = ()
    calls_functions: bool = False

    def bodies(self) -> Iterator[tuple[str, Sequence[NodeDef]]]:
        """Yield the name and the nodes of each function, and before them "" and the nodes of the graph."""
        if self.graph is not None:
            yield "", self.graph.node
            for function in self.graph.library.function if self.graph.library is not None else ():
                yield function_name(function), function.node_def

    @cached_property
    def takes_checkpoint(self) -> bool:
        """True if the graph has variables, tables that are restored, or nodes that read a checkpoint."""
        with naming_damage(self.file):
            ops = {node.op for _, nodes in self.bodies() for node in nodes}
        return any(op in VARIABLES or op in RESTORES or op in MUTABLE_TABLES for op in ops)

    @property
    def checkpoint_prefix(self) -> str:
        """The prefix of the checkpoint beside the model, or in the folder of its SavedModel; "" if there is none."""
        prefix = self.prefix or (os.path.join(self.folder, *_IN_SAVED_MODEL) if self.folder else "")
        return prefix if prefix and is_checkpoint(prefix) else ""


def is_checkpoint(prefix: str) -> bool:
    """Return whether there is a checkpoint with this prefix. Raises CheckpointError for one without its index."""
    from ..files.checkpoints.locate import find_checkpoint  # most graphs have no checkpoint

    try:
        find_checkpoint(prefix)
    except FileNotFoundError:
        return False
    return True
