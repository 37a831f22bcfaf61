"""`summarize`: build the report of a model."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, NamedTuple

from pbwire.errors import DecodeError

from ...analysis.facts import Facts, InputShapes
from ...analysis.needed_release import needed_release
from ...analysis.shapes.inference import IN_CYCLE
from ...errors import CheckpointError, GraphError, TensorError
from ...files.decoding import Tags
from ...graph.error_text import with_node
from ...messages import CollectionDef, GraphDef, MetaGraphDef
from ...ops import OPS
from ...ops.definitions import Declarations, list_declarations
from ...parameters.zero_weights import zero_weights
from ...source.missing_weights import missing_weights, unknown_constants
from ...source.model_source import Given, ModelSource
from ...source.opened import is_checkpoint
from ...source.signature_defs import list_signatures
from ...values.names import node_name
from ..needed_nodes import nodes_needed, nodes_to_run
from ..op_support import load_supported_ops, runnable_ops
from .report import OpUse, QuantizedFacts, Summary, Values
from .statistics import (
    Needed,
    NodeCost,
    count_control_flow,
    count_devices,
    count_flops,
    count_functions,
    count_ops,
    count_parameters,
    count_values,
    missing_ops,
)
from .summarize_graph import structure_lines
from .text import DECLARATIONS

_MAX_VALUE = 100  # characters of a bound value that suggested commands repeat


def summarize(
    model: Given,
    *,
    tags: Tags = None,
    bind: Mapping[str, Any] | None = None,
    batch_size: int | None = None,
    shapes: InputShapes | None = None,
    op_defs: Declarations | Iterable[Declarations] = (),
    supported_ops: str | os.PathLike[str] | Iterable[str] | None = None,
    structure: bool = False,
) -> Summary:
    """Describe a model: inputs, outputs, ops, parameters, FLOPs, values, functions, devices, and problems.

    `model` is a path (a graph in any format, a SavedModel, a .meta), "-", bytes, a GraphDef, MetaGraphDef, SavedModel
    or Model. `tags` select one of several MetaGraphs (default: "serve"). `bind` has values of tensors that become
    constants and are not inputs any more, such as {"keep_prob": 1}: see the transform `bind_inputs`. `batch_size`
    replaces the first dimension of placeholders if that is unknown; `shapes` gives the shapes of tensors by name, None
    for an unknown dimension.

    `op_defs` declare ops, as OpLists or files of them. With `supported_ops`, a file (see `op_support.py`) or names,
    the report lists the ops of the model that are missing there. With `structure`, it has a line for every node.

    No weights are read: sizes are computed from shapes. Rounded weights are detected by `weights` only. Contradictions
    in the graph are listed as problems. Raises FileFormatError for a file that is damaged or not a model, GraphError
    for an unknown input, TransformError for a value that cannot be bound, ValueError for wrong arguments, and OSError.
    """
    if batch_size is not None and batch_size < 1:
        raise ValueError(f"batch_size must be >= 1, got {batch_size}")
    op_defs = list_declarations(op_defs)
    supported = load_supported_ops(supported_ops) if supported_ops is not None else None
    source = ModelSource.of(model, tags=tags).with_functions()
    if bind:
        from ...analysis.variables.preparation import bind_source  # few calls bind tensors

        source = bind_source(source, bind)
    is_plain = not shapes and batch_size is None and not op_defs and source.given_signature is None
    with source.naming():
        if is_plain:
            facts = Facts.of(source)
        else:
            facts = Facts(source.without_signature(), shapes=shapes, batch_size=batch_size, op_defs=op_defs)
        summary = _summary(source, facts, supported)
        bound = [_binding_text(name, value) for name, value in (bind or {}).items()]
        summary = replace(summary, bound=bound, op_defs=[*map(_name_of_file, op_defs)])
        return replace(summary, structure=_structure(source.graph)) if structure else summary


def _name_of_file(op_defs: Declarations) -> str:
    """Return the file with declarations of ops, as suggested commands name it."""
    return os.fspath(op_defs) if isinstance(op_defs, (str, os.PathLike)) else DECLARATIONS


def _binding_text(name: str, value: Any) -> str:
    """Return a value as `--bind` takes it: "keep_prob=1".

    Return "mask=VALUE" for a value that is long, or cannot be written as JSON.
    """
    try:
        text = json.dumps(value, default=lambda array: array.tolist())
    except (TypeError, ValueError, AttributeError):
        text = ""
    return f"{name}={text if 0 < len(text) <= _MAX_VALUE else 'VALUE'}"


def _summary(source: ModelSource, facts: Facts, supported: frozenset[str] | None) -> Summary:
    graph, meta = source.graph, source.meta
    index, ends = facts.index, facts.endpoints
    unknown = unknown_constants(source)
    parameters, costs = source.kept(_counted) if facts is Facts.of(source) else _count(source, facts)
    values, problems = _values_and_problems(graph, facts, unknown, parameters)
    shapes_of_one = facts.shapes_of_one
    inputs, outputs = ([end.tensor for end in side] for side in (ends.likely_inputs, ends.likely_outputs))
    no_kernel, no_kernel_elsewhere = _no_kernel(graph, nodes_to_run(source, index, outputs, inputs))
    foreign = missing_ops(graph, OPS)
    edges = sum(map(len, index.data_sources))
    functions = count_functions(graph)
    info = meta.meta_info_def if meta is not None else None
    return Summary(
        name=source.name,
        what="SavedModel" if source.is_saved_model else "GraphDef" if meta is None else "MetaGraphDef",
        nodes=len(graph.node),
        function_nodes=sum(function.nodes for function in functions),
        edges=edges,
        control_edges=sum(map(len, index.sources)) - edges,
        inputs=ends.inputs,
        outputs=ends.outputs,
        set_aside=ends.set_aside,
        ops=count_ops(graph, costs, parameters.counts, parameters.needed),
        parameter_bytes=parameters.size,
        flops_batch=1 if shapes_of_one is not None else None,
        values=values,
        control_flow=count_control_flow(graph, index),
        functions=functions,
        devices=count_devices(graph),
        unknown_ops=[use for use in foreign if use.op not in facts.ops],
        custom_ops=[use for use in foreign if use.op in facts.ops],
        unsupported=missing_ops(graph, supported) if supported is not None else None,
        no_kernel=no_kernel,
        no_kernel_elsewhere=no_kernel_elsewhere,
        zero_weights="" if source.missing else str(zero_weights(graph) or ""),
        missing_weights=missing_weights(source),
        problems=problems,
        signatures=list_signatures(meta) if meta is not None else [],
        calls_functions=source.calls_functions,
        collections=count_collections(meta) if meta is not None else {},
        tags=sorted(info.tags) if info is not None else [],
        other_tags=source.other_tags(),
        producer=graph.versions.producer if graph.versions is not None else 0,
        min_consumer=graph.versions.min_consumer if graph.versions is not None else 0,
        written_by=info.tensorflow_version if info is not None else "",
        needs=needed_release(graph, strips_defaults=meta is not None),
        quantized=parameters.quantized,
        checkpoint=_checkpoint(source),
    )


def _values_and_problems(
    graph: GraphDef, facts: Facts, unknown: set[tuple[str, str]], parameters: _Parameters
) -> tuple[list[Values], list[str]]:
    """Return the constants and variables, and what is wrong with the model. `unknown` constants have no values."""
    problems = [str(fault) for fault in facts.faults if (fault.function, fault.node) not in unknown]
    values = count_values(graph, problems, unknown)
    problems += [
        with_node(node, problem)
        for node, problem in facts.shapes.problems
        if problem != IN_CYCLE and ("", node.name) not in unknown
    ]  # the faults have cycles already
    if parameters.problem:
        problems.append(f"parameters are not counted: {parameters.problem}")
    return values, list(dict.fromkeys(problems))


class _Parameters(NamedTuple):
    """The parameters of a graph.

    needed      the nodes that the likely outputs need; None if they are unknown
    counts      the number of parameters by the op that uses them
    size        bytes
    quantized   facts about quantized weights
    problem     why the parameters are not counted; else empty
    """

    needed: Needed | None = None
    counts: Mapping[str, int] = {}
    size: int = 0
    quantized: Sequence[QuantizedFacts] = ()
    problem: str = ""


def _parameters(facts: Facts) -> _Parameters:
    needed = None
    try:
        needed = _needed_nodes(facts)
        return _Parameters(needed, *count_parameters(facts, needed))
    except GraphError as error:
        return _Parameters(needed, problem=str(error))


def flops_of_nodes(source: ModelSource) -> list[tuple[str, str, int]]:
    """Return the function, the name and the FLOPs of each node that the likely outputs need, and that has some.

    They are those that `Summary.flops` adds up.
    """
    return [(function, node.name, count) for function, node, count in source.kept(_counted).costs if count]


class _Counted(NamedTuple):
    parameters: _Parameters
    costs: list[NodeCost]


def _counted(source: ModelSource) -> _Counted:
    return _count(source, Facts.of(source))


def _count(source: ModelSource, facts: Facts) -> _Counted:
    """Return the parameters and the FLOPs of a graph."""
    parameters = _parameters(facts)
    costs = count_flops(source.graph, facts.shapes_of_one or facts.shapes, parameters.needed)
    return _Counted(parameters, list(costs))


def _needed_nodes(facts: Facts) -> Needed | None:
    """Return the nodes that compute the likely outputs from the likely inputs; None without likely outputs."""
    outputs = [end.tensor for end in facts.endpoints.likely_outputs]
    inputs = [end.tensor for end in facts.endpoints.likely_inputs]
    if not outputs:
        return None
    nodes = facts.flow.graph.nodes
    fed = {("", node_name(name)) for name in inputs if node_name(name) in nodes}
    return facts.needed_nodes(outputs, inputs) | fed


def _no_kernel(graph: GraphDef, needed: bytearray) -> tuple[list[OpUse] | None, list[OpUse]]:
    """Return the ops without a kernel: ops that the likely outputs need, and ops that only other nodes have."""
    if find_spec("numpy") is None:
        return None, []
    runnable = runnable_ops()
    missing = missing_ops(graph, runnable, nodes_needed(graph, needed))
    ops = {use.op for use in missing}
    return missing, [use for use in missing_ops(graph, runnable) if use.op not in ops]


def _structure(graph: GraphDef) -> list[str]:
    try:
        return list(structure_lines(graph))
    except GraphError as error:  # also listed as a problem
        return [f"the nodes have no execution order: {error}"]


def _checkpoint(source: ModelSource) -> str:
    """Describe the checkpoint that belongs to a model, from its index; empty without a checkpoint."""
    if not source.prefix:
        return ""
    try:
        if not is_checkpoint(source.prefix):
            return ""
        from ...files.checkpoints.checkpoint import Checkpoint  # most graphs have no checkpoint

        with Checkpoint(source.prefix, verify="index") as checkpoint:
            count = len(checkpoint)
            size = sum(entry.size or 0 for entry in checkpoint.entries.values())
            return f"checkpoint {checkpoint.prefix}: {count:,} tensor{'' if count == 1 else 's'}, {size:,} bytes"
    except (CheckpointError, TensorError, DecodeError, OSError) as error:
        return f"its checkpoint cannot be read: {error}"


def count_collections(meta: MetaGraphDef) -> dict[str, int]:
    """Return the collections of a MetaGraph with their numbers of values."""
    return {name: _length(meta.collection_def[name]) for name in sorted(meta.collection_def)}


def _length(collection: CollectionDef) -> int:
    kinds = (
        collection.node_list,
        collection.bytes_list,
        collection.int64_list,
        collection.float_list,
        collection.any_list,
    )
    return sum(len(kind.value) for kind in kinds if kind is not None)
