"""Whether the checkpoint of a model has the values that its graph needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from pbwire.errors import Error

from ...analysis.variables.checkpoint_keys import restored_places
from ...errors import CheckpointError, FreezeError, GraphError, ModelError
from ...files.checkpoints.checkpoint import problems
from ...graph import attr, describe
from ...graph.error_text import list_names, quote
from ...graph.function_body import FunctionBodies
from ...graph.view import GraphView
from ...messages import DataType, TensorShapeProto
from ...ops.traits import EMPTY_IS_UNKNOWN, VARIABLES
from ...parameters.variables import CheckpointTensors, VariableValues
from ...source.model_source import ModelSource
from ...values.tensor_header import read_shape
from .report import Finding


def checkpoint_faults(source: ModelSource, *, read_values: bool, reading: Callable[[str], object]) -> Iterator[Finding]:
    """Yield the faults of a model's checkpoint, and differences between the checkpoint and the graph.

    With `read_values`, all values are read and compared with their checksums; `reading` is called with their names.
    Raises ModelError for `read_values` if the model has no checkpoint, and for a given checkpoint if it needs none.
    """
    source.check_checkpoint()
    if not source.takes_checkpoint:
        if read_values:
            raise ModelError("there are no values to read: the graph has no variables")
        return
    try:
        checkpoint = source.checkpoint
    except CheckpointError as error:
        yield Finding("broken", "checkpoint", str(error))
        return
    if checkpoint is None and read_values:
        raise ModelError("there are no values to read: the model has no checkpoint")
    if checkpoint is None:
        if source.is_saved_model and source.folder and any(node.op in VARIABLES for node in source.graph.node):
            yield Finding("broken", "checkpoint", "the SavedModel has variables, and no folder with their values")
        elif any(node.op in VARIABLES for node in source.graph.node):
            yield Finding("note", "checkpoint", "the values of variables were not checked: there is no checkpoint")
        return
    tensors = CheckpointTensors(checkpoint)
    try:
        yield from _differences(source, tensors)
    except (FreezeError, GraphError, CheckpointError) as error:
        yield Finding("broken", "checkpoint", str(error))
    prefix = getattr(checkpoint, "prefix", None)
    if read_values and prefix is not None:
        for problem in problems(prefix, reading=reading):
            yield Finding("broken", "checkpoint", str(problem))


def _differences(source: ModelSource, tensors: CheckpointTensors) -> Iterator[Finding]:
    """Yield the tensors that nodes restore and the checkpoint lacks, and variables of another type or shape."""
    graph = source.graph
    restored: dict[str, str] = {}
    with suppress(GraphError, FreezeError):  # a fault of the graph
        functions = FunctionBodies(graph.library, source.ops)
        places = restored_places(GraphView(graph), functions)
        restored = {name: rows[0].key for name, rows in places.items() if rows}
    values = VariableValues(source, tensors)
    without: list[str] = []
    for node in graph.node:
        if node.op not in VARIABLES:
            continue
        try:
            stored = values.find(node.name)
            dtype = attr(node, "dtype", DataType)
            declared = attr(node, "shape", TensorShapeProto, None)
        except Error as error:
            yield Finding("broken", "checkpoint", str(error), node.name)
            continue
        shape = read_shape(declared) if declared is not None else None
        shape = None if shape == () and node.op in EMPTY_IS_UNKNOWN else shape
        if stored is not None:
            if problem := stored.mismatch(dtype, shape):
                yield Finding("broken", "checkpoint", f"{describe(node)} {problem}", node.name)
        elif node.name in restored:
            problem = f"is restored from {quote(restored[node.name])}, which the checkpoint does not have"
            yield Finding("broken", "checkpoint", f"{describe(node)} {problem}", node.name)
        else:
            without.append(node.name)
    if without:
        count, them = ("1 variable is", "it") if len(without) == 1 else (f"{len(without):,} variables are", "them")
        message = f"{count} not in the checkpoint, and nothing restores {them}: {list_names(without)}"
        yield Finding("note", "checkpoint", message)
