"""`save_onnx`: open and optimize a model, convert its nodes, clean up, write the file, compare it with the model."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...analysis.choice import choose
from ...analysis.shapes import infer_shapes
from ...files.decoding import Tags
from ...graph import GraphIndex, const_tensor
from ...graph.error_text import quote
from ...messages import GraphDef
from ...ops.traits import CONSTS
from ...optimizer import Optimized, optimize
from ...source.model_source import CheckpointSource, Given, ModelSource, Names, names_of
from ...transforms.framework.mending import import_verdict
from ...transforms.framework.recipes import RECIPES, Recipe
from ...values.dtypes import dtype_name
from ...values.names import TensorName, node_name, shortest
from ...values.shape import shape_to_text
from ...values.tensors import to_ndarray
from .control_flow import structures
from .conversion.body import Body
from .conversion.model import Array, OnnxGraph, Value
from .conversion.nodes import Conversion
from .conversion.remainder import remaining_inputs
from .conversion.report import Notes, OnnxExportError, OnnxModel, refusal_text
from .conversion.scope import Scope
from .conversion.tables import Tables
from .conversion.types import ONNX_TYPES
from .passes.common import merge_common
from .passes.fuse import fuse
from .passes.norms import OPSET as NORMS_OPSET
from .passes.norms import join_layer_norms
from .passes.reshapes import simplify_reshapes
from .passes.uses import remove_unused
from .ranks import with_input_ranks
from .recurrent import take_cells
from .verification import FileCheck
from .writer import IR_VERSIONS, write_model

DEFAULT_OPSET = 17
"""The newest operators that runtimes of three years ago have."""

_REORDERED = "detections with equal scores come in another order than in TensorFlow"

_RECIPE = Recipe(
    "for another format: only what the outputs need, with calls replaced by the nodes of their functions",
    (
        "inline_partitionedcall",
        *RECIPES["deploy"].steps[:-1],
        "flatten_atrous_conv(dilate=true)",
        "sort_by_execution_order",
    ),
)


def save_onnx(
    model: Given,
    path: str | os.PathLike[str],
    inputs: Names = None,
    outputs: Names = None,
    *,
    opset: int | None = None,
    bind: Mapping[str, Any] | bool = True,
    checkpoint: CheckpointSource = None,
    signature: str | None = None,
    tags: Tags = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    batch_size: int | None = None,
    names: str | None = None,
    external_data: bool | None = None,
    verify: bool = True,
    feeds: Mapping[str, Any] | None = None,
    seed: int | None = None,
    progress: Callable[[str], object] | None = None,
) -> OnnxModel:
    """Write a model as a file of ONNX, and return what was written.

    `model`, `inputs`, `outputs`, `bind`, `checkpoint`, `signature`, `tags`, `shapes` and `batch_size` are those of
    `optimize`, which is applied first. Unknown sizes stay open.

    opset           the version of ONNX's operators, 13 to 21; default: 17, or the oldest later one that has an operator
                    which the model needs
    names           "signature" for inputs and outputs named after the keys of the signature, the default if there is
                    one; "graph" for the names of TensorFlow's tensors
    external_data   whether tensors go to a second file, PATH.data; default: only if the model has 2 GiB or more
    verify          whether the file is run by onnxruntime, if that is installed, and compared with the model on NumPy;
                    `feeds` and `seed` are those of `optimize`
    progress        called with the name of each stage

    Raises OnnxExportError, which lists all nodes that ONNX has no counterpart of, before anything is written, and if
    the file computes something else; the errors of `optimize`; ValueError for an unknown opset; OSError.
    """
    if opset is not None and opset not in IR_VERSIONS:
        raise ValueError(f"opset must be {min(IR_VERSIONS)} to {max(IR_VERSIONS)}, got {opset}")
    progress = progress or (lambda stage: None)
    source = ModelSource.of(model, checkpoint=checkpoint, signature=signature, tags=tags)
    fed, fetched = (names_of(side) or None for side in (inputs, outputs))
    chosen = choose(source.with_functions(), inputs=fed, outputs=fetched, bind=bind)
    names = names or ("signature" if chosen.input_keys or chosen.output_keys else "graph")
    optimized = optimize(
        source, inputs, outputs, names=names,  # type: ignore[arg-type]  # which checks it
        recipe=_RECIPE, verify=False, bind=bind, shapes=shapes, batch_size=batch_size, progress=progress,
    )  # fmt: skip
    progress("converting")
    with source.naming():
        optimized = replace(optimized, graph=with_input_ranks(optimized.graph, optimized.inputs))
        if problem := import_verdict(optimized.graph, source.ops).problem:
            raise OnnxExportError(f"TensorFlow refuses this graph: {problem}")
        defaults = _defaults(source, chosen.input_keys if names == "signature" else {}, optimized.inputs)
        try:
            exported = _converted(optimized, opset, defaults)
        except OnnxExportError as error:
            raise error.with_rest(
                _named(source, error.inputs, dict(zip(optimized.inputs, chosen.inputs, strict=False)))
            ) from None
    graph = exported.graph
    check = FileCheck(optimized, exported, feeds, seed)
    progress("writing")
    opset = exported.opset
    size = write_model(
        os.fspath(path),
        graph,
        opset,
        _metadata(source, optimized),
        external=external_data,
        check=check.run if verify else None,
    )
    return OnnxModel(
        opset,
        IR_VERSIONS[opset],
        graph.count(),
        dict(Counter(node.op for each in graph.walk() for node in each.nodes).most_common()),
        {value.name: _describe(value) for value in graph.inputs},
        {value.name: _describe(value) for value in graph.outputs},
        size,
        [*optimized.notes, *exported.notes.lines(), *([_REORDERED] if check.is_reordered else [])],
        unverified=check.unverified,
        verification=check.report,
    )


def _defaults(source: ModelSource, keys: Mapping[str, str], inputs: Sequence[str]) -> dict[str, Array]:
    """Return the constants that inputs are when they are not fed. `keys` has the tensors of renamed inputs."""
    index = GraphIndex(source.graph)
    found = {}
    for name in inputs:
        node = index.get(TensorName.parse(keys.get(name, name)).node)
        if node is not None and node.op == "PlaceholderWithDefault":
            default = index.get(node_name(node.input[0]))
            if default is not None and default.op in CONSTS:
                found[name] = to_ndarray(const_tensor(default))
    return found


def _named(source: ModelSource, inputs: Sequence[str] | None, given: Mapping[str, str]) -> list[str] | None:
    """Return tensors by their names in the model; None if one is missing. `given` has those of renamed inputs."""
    names = [shortest(given.get(name, name)) for name in inputs or ()]
    index = GraphIndex(source.graph)
    return names if all(index.get(node_name(name)) is not None for name in names) else None


@dataclass(frozen=True, slots=True)
class Exported:
    """A converted graph with the names of its inputs and outputs in TensorFlow's graph."""

    graph: OnnxGraph
    opset: int
    inputs: list[str]
    outputs: list[str]
    notes: Notes


def _converted(optimized: Optimized, opset: int | None, defaults: Mapping[str, Array]) -> Exported:
    """Convert a graph; without an opset, by the oldest one from DEFAULT_OPSET on that has all operators."""
    parts = optimized.graph, optimized.inputs, optimized.outputs
    try:
        return convert(*parts, opset or DEFAULT_OPSET, optimized.assets, defaults)
    except OnnxExportError as error:
        needed = [node.opset for node in error.refused]
        if opset is not None or not needed or not all(needed):
            raise
        exported = convert(*parts, max(needed), optimized.assets, defaults)
        first = next(node for node in error.refused if node.opset == max(needed))
        exported.notes.add(f"opset {max(needed)} instead of {DEFAULT_OPSET}: {first.reason}", first.node)
        return exported


def convert(
    graph: GraphDef,
    inputs: Sequence[str],
    outputs: Sequence[str],
    opset: int = DEFAULT_OPSET,
    assets: Mapping[str, str] | None = None,
    defaults: Mapping[str, Array] | None = None,
) -> Exported:
    """Convert a frozen graph, from `inputs` to `outputs`. Raises OnnxExportError with all refused nodes.

    `assets` are the paths of files that fill tables, by the Const that holds the path; `defaults` the constants that
    inputs are when they are not fed.
    """
    index = GraphIndex(graph)
    shapes = infer_shapes(index)
    notes = Notes()
    input_keys, output_keys = ([TensorName.parse(name).numbered for name in each] for each in (inputs, outputs))
    body = Body(index, shapes, opset, notes, output_keys, tables=Tables(graph, assets))
    scope = Scope()
    for key in input_keys:
        scope.graph.inputs.append(_input(body, scope, key))
        scope.graph.inputs[-1].default = (defaults or {}).get(key.removesuffix(":0"))
    conversion = Conversion(structures())
    conversion.compute(body, scope, output_keys)
    if conversion.refused:
        names = {each.node for each in conversion.refused}
        rest = remaining_inputs(body, input_keys, output_keys, names)
        raise OnnxExportError(refusal_text(conversion.refused), refused=conversion.refused, inputs=rest)
    main = scope.graph
    main.outputs = [_output(body, scope, key) for key in output_keys]
    clean_up(scope, opset)
    return Exported(main, opset, input_keys, output_keys, notes)


def clean_up(scope: Scope, opset: int) -> None:
    """Remove what is not needed, and join what can be joined."""
    graph = scope.graph
    remove_unused(graph)
    merge_common(graph)
    take_cells(graph, scope.initializers)
    remove_unused(graph)
    simplify_reshapes(graph, scope.initializers)
    fuse(graph, scope.initializers)
    if opset >= NORMS_OPSET:
        join_layer_norms(graph)
    remove_unused(graph)
    merge_common(graph)


def _input(body: Body, scope: Scope, key: str) -> Value:
    dtype, shape = body.dtype(key), body.shape(key)
    name = key.removesuffix(":0")
    if dtype not in ONNX_TYPES:
        raise OnnxExportError(f"the input {quote(name)} is of {dtype_name(dtype)}, which ONNX has no tensors of")
    if shape is None:  # runtimes take it, and onnx.checker does not
        body.note("an input without a known number of dimensions, which some tools refuse (--shape)", body.index[name])
    value = Value(dtype, shape, name)
    scope.bind(key, value, dtype)
    return value


def _output(body: Body, scope: Scope, key: str) -> Value:
    """Return an output of the graph, which must be a value of its own with the type and layout of TensorFlow."""
    if body.dtype(key) not in ONNX_TYPES:
        kind = dtype_name(body.dtype(key))
        raise OnnxExportError(f"the output {quote(key.removesuffix(':0'))} is of {kind}, which ONNX has no tensors of")
    value = scope.value(key)
    name = key.removesuffix(":0")
    if value.listed:
        raise OnnxExportError(f"the output {quote(name)} is a list of tensors, which ONNX does not have as a value")
    if value.producer is None and value.data is None and value.name == name:
        scope.graph.outputs.append(value)
        return value
    taken = value in scope.graph.outputs or value.producer is None
    if taken or (value.name != name and any(value.name == other.removesuffix(":0") for other in body.outputs)):
        (value,) = scope.add("Identity", value, types=[value.dtype], scope=name)
    value.name = name
    if value.shape is None:
        value.shape = body.shape(key)
    scope.graph.outputs.append(value)
    return value


def _describe(value: Value) -> str:
    return f"{dtype_name(value.dtype)}{'' if value.shape is None else shape_to_text(value.shape)}"


def _metadata(source: ModelSource, optimized: Optimized) -> dict[str, str]:
    """Return what the file says about the model: the signature, and the TensorFlow that wrote the model."""
    info = source.meta.meta_info_def if source.meta is not None else None
    found = {
        "signature": optimized.signature_name if optimized.signature is not None else "",
        "tensorflow_version": info.tensorflow_version if info is not None else "",
    }
    return {key: value for key, value in found.items() if value}
