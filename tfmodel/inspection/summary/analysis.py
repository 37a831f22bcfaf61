"""`summarize`: from a model to its report."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec

from pbwire.errors import DecodeError

from ...errors import CheckpointError, GraphError, TensorError
from ...graph import GraphIndex, check_graph, describe
from ...messages import GraphDef, NodeDef
from ...names import TensorName, is_control_input
from ...ops import OPS, Registry, registry
from ...ops.definitions import Declarations
from ...parameters.zero_weights import zero_weights
from ...shapes import Shapes, infer_shapes
from ...source import Given, ModelSource, Tags
from .io_selection import Endpoints, collections_of, endpoints_of, signatures_of
from .report import OpUse, Summary
from .statistics import control_flow_of, devices_of, functions_of, lacking, op_facts, values_of, weights_of
from .summarize_graph import structure_lines
from .supported_ops import supported_ops as names_of_ops

__all__ = ["endpoints_in", "summarize"]

_CYCLE = "part of a cycle"  # which is told in better words by the checks of the graph

InputShapes = Mapping[str, Sequence[int | None] | None]


def summarize(
    model: Given,
    *,
    tags: Tags = None,
    batch_size: int | None = None,
    input_shapes: InputShapes | None = None,
    op_defs: Declarations | Iterable[Declarations] = (),
    supported_ops: str | os.PathLike[str] | Iterable[str] | None = None,
    structure: bool = False,
) -> Summary:
    """What a model is: inputs, outputs, ops, parameters, work, values, functions, devices, and what is wrong with it.

    `model` is a path (a graph in any form, a SavedModel, a .meta), "-", bytes, or a GraphDef, MetaGraphDef or
    SavedModel, or a Model. `tags` choose a MetaGraph of several; "serve" goes without saying. `batch_size` stands in
    for the first dimension of placeholders, where it is open; `input_shapes` say what the shapes of tensors are, by
    name, None for a dimension that is open.

    `op_defs` declare ops, as OpLists or files of them. With `supported_ops`, a file (see `supported.py`) or names, the
    report has the ops that are missing there. With `structure`, it has a line for every node.

    No weights are read: sizes are told by shapes, and whether weights are rounded is told by `weights` alone. The graph
    may contradict itself: that is listed as problems. Raises FileFormatError for a file that is no model or that is
    damaged, GraphError for an input that is not there, ValueError for wrong arguments, OSError.
    """
    if batch_size is not None and batch_size < 1:
        raise ValueError(f"a batch has at least one example, not {batch_size}")
    supported = names_of_ops(supported_ops) if supported_ops is not None else None
    source = ModelSource.of(model, tags=tags)
    with source.naming():
        declared = registry(source.meta or source.graph, op_defs=op_defs)
        shapes = infer_shapes(source.graph, inputs=input_shapes or {}, batch_size=batch_size)
        summary = _summary(source, source.other_tags(), declared, shapes, supported)
        return replace(summary, structure=_structure(source.graph)) if structure else summary


def _summary(
    source: ModelSource, other_tags: list[list[str]], ops: Registry, shapes: Shapes, supported: frozenset[str] | None
) -> Summary:
    graph, meta = source.graph, source.meta
    index = GraphIndex(graph)
    signatures = signatures_of(meta) if meta is not None else []
    ends = endpoints_of(index, signatures, shapes, ops)
    problems = [str(fault) for fault in check_graph(graph, registry=ops, colocation=False)]
    values = values_of(graph, problems)
    problems += [_about(node, problem) for node, problem in shapes.problems if _CYCLE not in problem]
    try:
        parameters, quantized = weights_of(graph, ops)
    except GraphError as error:
        parameters, quantized = {}, []
        problems.append(f"parameters are not counted: {error}")
    rows, output_flops, output_unshaped = op_facts(graph, shapes, parameters, ends.needed)
    no_kernel, no_kernel_elsewhere = _no_kernel(graph, _run_for(source, index, ends))
    foreign = lacking(graph, OPS)
    controls = sum(is_control_input(text) for node in graph.node for text in node.input)
    functions = functions_of(graph)
    info = meta.meta_info_def if meta is not None else None
    return Summary(
        name=source.name,
        what="SavedModel" if source.is_saved_model else "GraphDef" if meta is None else "MetaGraphDef",
        nodes=len(graph.node),
        function_nodes=sum(function.nodes for function in functions),
        edges=sum(len(node.input) for node in graph.node) - controls,
        control_edges=controls,
        inputs=ends.inputs,
        outputs=ends.outputs,
        set_aside=ends.set_aside,
        ops=rows,
        output_flops=output_flops,
        output_unshaped=output_unshaped,
        values=values,
        control_flow=control_flow_of(graph, index),
        functions=functions,
        devices=devices_of(graph),
        unknown_ops=[use for use in foreign if use.op not in ops],
        custom_ops=[use for use in foreign if use.op in ops],
        unsupported=lacking(graph, supported) if supported is not None else None,
        no_kernel=no_kernel,
        no_kernel_elsewhere=no_kernel_elsewhere,
        zero_weights=str(zero_weights(graph) or ""),
        problems=list(dict.fromkeys(problems)),
        signatures=signatures,
        collections=collections_of(meta) if meta is not None else {},
        tags=sorted(info.tags) if info is not None else [],
        other_tags=other_tags,
        producer=graph.versions.producer if graph.versions is not None else 0,
        min_consumer=graph.versions.min_consumer if graph.versions is not None else 0,
        written_by=info.tensorflow_version if info is not None else "",
        quantized=quantized,
        checkpoint=_checkpoint(source),
    )


def _no_kernel(graph: GraphDef, needed: bytearray) -> tuple[list[OpUse] | None, list[OpUse]]:
    """The ops without a kernel that the likely outputs need, and those that only other nodes have."""
    if find_spec("numpy") is None:
        return None, []
    from ..op_support import nodes_needed, runnable_ops

    runnable = runnable_ops()
    missing = lacking(graph, runnable, nodes_needed(graph, needed))
    ops = {use.op for use in missing}
    return missing, [use for use in lacking(graph, runnable) if use.op not in ops]


def _run_for(source: ModelSource, index: GraphIndex, ends: Endpoints) -> bytearray:
    """For each node, whether it has to run for the likely outputs: what they need if the likely inputs are fed, and
    what initializes the model. All of them have to if there are no outputs."""
    outputs = [TensorName.parse(each.tensor).node for each in ends.outputs if each.is_likely]
    if not outputs:
        return bytearray(b"\1" * len(index))
    fed = {TensorName.parse(each.tensor).node for each in ends.inputs if each.is_likely}
    reached = bytearray(len(index))
    stack = [index.positions[name] for name in (*outputs, *source.init_ops()) if name in index.positions]
    while stack:
        at = stack.pop()
        if not reached[at] and index.nodes[at].name not in fed:
            reached[at] = True
            stack += [source for source in index.sources[at] if source >= 0]
    return reached


def endpoints_in(source: ModelSource) -> Endpoints:
    """The inputs and outputs of a model: those of its signature, or the likely ones."""
    return _endpoints(source, GraphIndex(source.graph))


def _endpoints(source: ModelSource, index: GraphIndex) -> Endpoints:
    signatures = signatures_of(source.meta) if source.meta is not None else []
    if source.given_signature is not None and (found := source.signature()) is not None:
        signatures.sort(key=lambda each: each.name != found[0])
    return endpoints_of(index, signatures, infer_shapes(source.graph), registry(source.meta or source.graph))


def needed_for_outputs(source: ModelSource) -> bytearray:
    """For each node of a model, whether a run of its outputs needs it: those of its signature, or the likely ones."""
    index = GraphIndex(source.graph)
    return _run_for(source, index, _endpoints(source, index))


def _about(node: NodeDef, problem: str) -> str:
    """A problem, with its node if it does not name that itself."""
    return problem if describe(node) in problem else f"{describe(node)}: {problem}"


def _structure(graph: GraphDef) -> list[str]:
    try:
        return list(structure_lines(graph))
    except GraphError as error:  # which is among the problems too
        return [f"there is no order in which the nodes can run: {error}"]


def _checkpoint(source: ModelSource) -> str:
    """What there is to say of the checkpoint beside a model, which its index tells."""
    if not source.prefix:
        return ""
    from ...checkpoints.checkpoint import Checkpoint

    try:
        with Checkpoint(source.prefix, verify="index") as checkpoint:
            count = len(checkpoint)
            size = sum(entry.size or 0 for entry in checkpoint.entries.values())
            return f"checkpoint {checkpoint.prefix}: {count:,} tensor{'' if count == 1 else 's'}, {size:,} bytes"
    except FileNotFoundError:
        return ""
    except (CheckpointError, TensorError, DecodeError, OSError) as error:
        return f"the checkpoint beside it cannot be read: {error}"
