"""Read a graph model of TensorFlow.js, a model.json with files of weights beside it, as a MetaGraphDef.

    {"format": "graph-model",
     "signature": {"inputs": {"x": {"name": "x:0", ...}}, "outputs": ...},
     "modelTopology": {"node": [...], "library": ..., "versions": ...},        a GraphDef
     "weightsManifest": [...],                                                 see `tfjs_weights`
     "userDefinedMetadata": {...},
     "modelInitializer": {"node": [...]}, "initializerSignature": ...}         fills lookup tables

The topology is the GraphDef as protobuf's JSON, without the values of its constants. Those are in the manifest, under
the names of the nodes, also of nodes in functions. TensorFlow.js is lenient, and so is this module:

- old converters wrote bytes as lists of numbers, and enums as numbers; hand-made files have any `versions`
- the signature may be in `userDefinedMetadata`, name nodes that are gone, or be missing
- ops that only TensorFlow.js has become ops of TensorFlow: see `tfjs_fused`
- constants are stored in a type that JavaScript has: those of int64 as int32, those of float64 as float32. They get the
  type of their node again

The nodes of `modelInitializer` become part of the graph, and an init op runs them, as in a SavedModel. Where its
signature and that of the graph share a `resourceId`, the Placeholder of the graph is replaced by the table.

A layers model ("format": "layers-model") has the architecture of a Keras model and no graph: only its weights are read.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pbwire import json as pbjson
from pbwire.errors import JsonError
from pbwire.json.entry_points import Document

from ...errors import FileFormatError, GraphError, TensorError
from ...messages import (
    TYPES,
    AttrValue,
    CollectionDef,
    DataType,
    FunctionDef,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    SignatureDef,
    TensorInfo,
    TensorProto,
    VersionDef,
)
from ...values.dtypes import DTYPES, dtype_name
from ...values.names import TakenNames, TensorName, control_input, is_control_input, node_name, with_node_name
from ...values.shape import shape_to_proto
from ...values.terminal import escape, shorten
from ..access.special_files import describe_missing
from .fused import expand_fused_ops
from .weights import (
    LOST,
    LOST_DATA,
    STORED_DTYPES,
    Group,
    Weight,
    has_groups,
    missing_files,
    read_values,
    to_array,
    weight_groups,
)

if TYPE_CHECKING:
    import numpy.typing as npt

METADATA = "tfjs_user_defined_metadata"
"""The collection that keeps `userDefinedMetadata`, as JSON."""

_SIGNATURE = "serving_default"
_INIT = "__saved_model_init_op"
_PREDICT = "tensorflow/serving/predict"
_SHOWN = 100  # characters of a name in an error
_SINGLE = {DataType.DT_FLOAT: ("float_val", struct.Struct("<f")), DataType.DT_INT32: ("int_val", struct.Struct("<i"))}
_NO_VALUE = ("tensor_content", *dict.fromkeys(row.field for row in DTYPES.values()))


def parse_model(data: Any) -> dict[str, Any]:
    """Return the content of a model.json. Raises JsonError for JSON that is not valid, and FileFormatError."""
    document = Document(data)
    document.finish()
    if not isinstance(document.value, dict):
        raise FileFormatError("a TensorFlow.js model must be an object")
    return document.value


def is_layers_model(model: dict[str, Any]) -> bool:
    """Return whether a model has the architecture of a Keras model instead of a graph."""
    topology = model.get("modelTopology")
    is_graph = isinstance(topology, dict) and ("node" in topology or "versions" in topology)
    return not is_graph and model.get("format") != "graph-model"


def read_graph_model(
    model: dict[str, Any], path: str, *, allow_unknown_field: bool = False, missing: list[str] | None = None
) -> MetaGraphDef:
    """Return a graph model with its weights, as a MetaGraph with the tag "serve".

    model                  a parsed model.json
    path                   its path, beside which the weights are; empty if it is not known
    allow_unknown_field    leave out fields of the topology that the messages do not have
    missing                a list to which the names of missing files of weights are added, instead of raising; then no
                           constant has values, and those of floats keep their types and shapes

    Raises FileFormatError and JsonError, without the name of the file; OSError if a file cannot be read.
    """
    if is_layers_model(model):
        raise _no_graph(_layers_groups(model), path)
    graph = _parse_graph(model, "modelTopology", allow_unknown_field)
    initializer = None
    if isinstance(model.get("modelInitializer"), dict):
        initializer = _parse_graph(model, "modelInitializer", allow_unknown_field)
    _set_values([graph, *([initializer] if initializer is not None else [])], model, path, missing)
    expand_fused_ops(graph)
    metadata = model.get("userDefinedMetadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    raw_signature = metadata.get("signature") or model.get("signature")
    signature = _parse_signature(raw_signature, "signature")
    meta = MetaGraphDef(graph_def=graph, meta_info_def=MetaGraphDef.MetaInfoDef(tags=["serve"]))
    version = model.get("generatedBy")
    if isinstance(version, str) and meta.meta_info_def is not None:
        meta.meta_info_def.tensorflow_version = version
    if initializer is not None and initializer.node:
        tables = _tables(raw_signature, model.get("initializerSignature"))
        for key in [key for key, info in signature.inputs.items() if _node_of(info) in tables]:
            del signature.inputs[key]
        meta.signature_def[_INIT] = SignatureDef(outputs={_INIT: TensorInfo(name=_merge(graph, initializer, tables))})
    _finish_signature(signature, graph, metadata.get("structuredOutputKeys"))
    if signature.inputs or signature.outputs:
        meta.signature_def[_SIGNATURE] = signature
    kept = {key: value for key, value in metadata.items() if key not in ("signature", "structuredOutputKeys")}
    if kept:
        values = [json.dumps(kept, sort_keys=True).encode()]
        meta.collection_def[METADATA] = CollectionDef(bytes_list=CollectionDef.BytesList(value=values))
    return meta


def _layers_groups(model: dict[str, Any]) -> list[Group]:
    return weight_groups(model) if has_groups(model) else []


def _no_graph(groups: list[Group], path: str) -> FileFormatError:
    """Return the error for a layers model: it has no graph, and its weights may be missing."""
    what = "this is a layers model of TensorFlow.js, with the architecture of a Keras model and no graph"
    original = "export the Keras model that it was made of (.h5, .keras) as a SavedModel"
    names = missing_files(groups, _folder(path))
    if not groups:
        return FileFormatError(f"{what}, and names no weights: {original}")
    if not names:
        helps = "tensorflowjs_converter makes a graph model of it; its weights alone are listed by `weights`"
        return FileFormatError(f"{what}: {helps}")
    if LOST_DATA in names:
        return FileFormatError(f"{what}, and {LOST}; or {original}")
    shards = f"with {'it' if len(names) == 1 else 'them'} beside model.json, `weights` lists the weights, and "
    return FileFormatError(
        f"{what}, and {describe_missing(names)}: {shards}tensorflowjs_converter makes a graph model; or {original}"
    )


def read_layers_weights(model: dict[str, Any], path: str) -> dict[str, npt.NDArray[Any]]:
    """Return the weights of a model by name, read-only. Raises as `read_graph_model` does."""
    arrays = {}
    groups = _layers_groups(model)
    if not groups or missing_files(groups, _folder(path)):
        raise _no_graph(groups, path)
    for weight, stored in read_values(groups, _folder(path)):
        arrays[weight.name] = to_array(weight, stored)
        arrays[weight.name].flags.writeable = False
    return arrays


def _folder(path: str) -> str | None:
    return os.path.dirname(path) if path else None


def _quote(text: str) -> str:
    return f'"{escape(shorten(text, _SHOWN))}"'


# --- the topology ----------------------------------------------------------------------------------------------------


def _parse_graph(model: dict[str, Any], key: str, allow_unknown_field: bool) -> GraphDef:
    document = model.get(key)
    if not isinstance(document, dict):
        raise FileFormatError(f"{key} must be an object with the nodes of the graph")
    for attributes in _attribute_maps(document):
        for value in attributes.values():
            _encode_bytes(value)
    document = {**document, "versions": _versions(document.get("versions"))}
    graph: GraphDef = _from_json(document, GraphDef, key, allow_unknown_field)
    return graph


def _from_json(document: Any, cls: Any, place: str, allow_unknown_field: bool) -> Any:
    try:
        return pbjson.from_dict(document, cls, ignore_unknown_fields=allow_unknown_field, types=TYPES)
    except JsonError as error:
        raise error.within(place) from None


def _versions(document: Any) -> dict[str, Any]:
    """Return the versions of a graph; TensorFlow.js only shows them, and so accepts anything."""
    try:
        pbjson.from_dict(document, VersionDef)
    except JsonError:
        return {}
    return dict(document)


def _attribute_maps(graph: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the attributes of all nodes and functions, and of the functions that attributes name."""
    library = graph.get("library")
    functions = _objects(library.get("function")) if isinstance(library, dict) else []
    nodes = [*_objects(graph.get("node")), *itertools.chain(*(_objects(item.get("nodeDef")) for item in functions))]
    pending = [item.get("attr") for item in (*nodes, *functions)]
    while pending:
        attributes = pending.pop()
        if isinstance(attributes, dict):
            yield attributes
            for value in _objects([*attributes.values()]):
                listed = value.get("list")
                called = [value.get("func"), *_objects(listed.get("func") if isinstance(listed, dict) else None)]
                pending += [function.get("attr") for function in called if isinstance(function, dict)]


def _objects(values: Any) -> list[dict[str, Any]]:
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def _encode_bytes(value: Any) -> None:
    """Replace bytes that are lists of numbers, in the value of an attribute, by the strings of protobuf's JSON."""
    if not isinstance(value, dict):
        return
    if isinstance(value.get("s"), list):
        value["s"] = _base64(value["s"])
    listed = value.get("list")
    if isinstance(listed, dict) and isinstance(listed.get("s"), list):
        listed["s"] = [_base64(item) if isinstance(item, list) else item for item in listed["s"]]


def _base64(numbers: list[Any]) -> Any:
    try:
        return base64.b64encode(bytes(numbers)).decode()
    except (TypeError, ValueError):
        return numbers  # the parser of JSON reports the error, with its place


# --- constants -------------------------------------------------------------------------------------------------------


def _set_values(graphs: list[GraphDef], model: dict[str, Any], path: str, missing: list[str] | None) -> None:
    """Give the constants of the graphs their values in the manifest.

    Constants of the same name and type share one tensor: thousands of functions may have a constant of each weight.
    """
    constants: dict[str, list[NodeDef]] = {}
    for graph in graphs:
        functions: list[FunctionDef] = graph.library.function if graph.library is not None else []
        for node in itertools.chain(graph.node, *(function.node_def for function in functions)):
            if node.op == "Const":
                constants.setdefault(node.name, []).append(node)
    groups = weight_groups({"weightsManifest": [], **model} if "weightSpecs" not in model else model)
    if missing is not None and (names := missing_files(groups, _folder(path))):
        missing += names
        for weight in itertools.chain(*(group.weights for group in groups)):
            for node in constants.get(weight.name, ()):
                _set_shape(node, weight)
        return
    for weight, stored in read_values(groups, _folder(path)):
        tensors: dict[DataType, TensorProto] = {}
        for node in constants.pop(weight.name, ()):
            dtype = _type_of_constant(node, weight)
            if dtype not in tensors:
                tensors[dtype] = _tensor(weight, stored, dtype)
            node.attr["value"] = AttrValue(tensor=tensors[dtype])
    for nodes in constants.values():
        for node in nodes:
            if not _has_value(node):
                listed = "weightSpecs have" if "weightsManifest" not in model and groups else "weightsManifest has"
                raise FileFormatError(f"the {listed} no value for the Const {_quote(node.name)}")


def _set_shape(node: NodeDef, weight: Weight) -> None:
    """Give a constant of floats its shape. Others lose their value: as zeros, they would be wrong sizes and axes."""
    dtype = _type_of_constant(node, weight)
    node.attr.pop("value", None)
    if dtype == DataType.DT_FLOAT:
        node.attr["value"] = AttrValue(tensor=TensorProto(dtype=dtype, tensor_shape=shape_to_proto(weight.shape)))


def _has_value(node: NodeDef) -> bool:
    """Return whether a constant has values, or no elements."""
    value = node.attr.get("value")
    tensor = value.tensor if value is not None else None
    if tensor is None:
        return False
    shape = tensor.tensor_shape
    is_empty = shape is not None and any(dim.size == 0 for dim in shape.dim)
    return is_empty or any(len(getattr(tensor, name)) for name in _NO_VALUE)


def _type_of_constant(node: NodeDef, weight: Weight) -> DataType:
    attribute = node.attr.get("dtype")
    return attribute.type if attribute is not None and attribute.type is not None else STORED_DTYPES[weight.dtype]


def _tensor(weight: Weight, stored: bytes | list[bytes], dtype: DataType) -> TensorProto:
    """Return the value of constants of a type. NumPy is imported only if the values are converted."""
    shape = shape_to_proto(weight.shape)
    tensor = TensorProto(dtype=DataType(dtype) if dtype in DTYPES else dtype, tensor_shape=shape)
    if dtype == STORED_DTYPES[weight.dtype] and weight.quantization is None:
        if isinstance(stored, list):
            tensor.string_val = stored
        elif dtype in _SINGLE and len(stored) == _SINGLE[dtype][1].size:
            field, form = _SINGLE[dtype]
            setattr(tensor, field, list(form.unpack(stored)))
        else:
            tensor.tensor_content = stored
        return tensor
    from ...values.tensors import from_ndarray  # imports numpy

    array = to_array(weight, stored)
    try:
        return from_ndarray(array, dtype)
    except (TypeError, ValueError, TensorError) as error:
        problem = (
            f"the weight {_quote(weight.name)} of {weight.dtype} cannot become {dtype_name(dtype)}, its node's type"
        )
        raise FileFormatError(f"{problem}: {error}") from error


# --- the signature ---------------------------------------------------------------------------------------------------


def _parse_signature(document: Any, place: str) -> SignatureDef:
    """Return a signature; fields that only TensorFlow.js knows, such as resourceId, are left out."""
    if not isinstance(document, dict):
        return SignatureDef()
    signature: SignatureDef = _from_json(document, SignatureDef, place, True)
    return signature


def _finish_signature(signature: SignatureDef, graph: GraphDef, output_keys: Any) -> None:
    """Drop entries whose nodes are gone, give outputs the keys of the model's structure, and name tensors in full."""
    nodes = {node.name for node in graph.node}
    _name_outputs(signature, output_keys)
    for infos in (signature.inputs, signature.outputs):
        for key in [key for key, info in infos.items() if _node_of(info) not in nodes]:
            del infos[key]
        for info in infos.values():
            if info.name:
                info.name = TensorName.parse(info.name).numbered
    signature.method_name = signature.method_name or _PREDICT


def _name_outputs(signature: SignatureDef, keys: Any) -> None:
    """Give the outputs the keys of the model's structure, if the tensors tell which is which.

    The nodes of the outputs of a SavedModel are Identity, Identity_1, ... in the order of the keys; the converter
    writes the outputs themselves in any order.
    """
    nodes = [f"Identity_{number}" if number else "Identity" for number in range(len(signature.outputs))]
    infos = {_node_of(info): info for info in signature.outputs.values()}
    if isinstance(keys, list) and len({*map(str, keys)}) == len(keys) == len(infos) and infos.keys() == {*nodes}:
        signature.outputs = {str(key): infos[node] for key, node in zip(keys, nodes, strict=True)}


def _node_of(info: TensorInfo) -> str:
    """Return the node of a tensor; for a sparse or composite tensor, "", which is not the name of any node."""
    try:
        return TensorName.parse(info.name).node if info.name else ""
    except GraphError:
        return ""


# --- the initializer -------------------------------------------------------------------------------------------------


def _tables(signature: Any, initializer_signature: Any) -> dict[str, TensorName]:
    """Return the tables that the initializer makes, by the Placeholders of the graph that stand for them."""

    def by_id(document: Any, key: str) -> dict[Any, TensorName]:
        infos = document.get(key) if isinstance(document, dict) else None
        ids = {}
        for info in _objects([*infos.values()] if isinstance(infos, dict) else None):
            number, name = info.get("resourceId"), info.get("name")
            if isinstance(number, (int, str)) and isinstance(name, str):
                with contextlib.suppress(GraphError):
                    ids[str(number)] = TensorName.parse(name)
        return ids

    made = by_id(initializer_signature, "outputs")
    return {name.node: made[number] for number, name in by_id(signature, "inputs").items() if number in made}


def _merge(graph: GraphDef, initializer: GraphDef, tables: dict[str, TensorName]) -> str:
    """Add the nodes of the initializer to the graph, in place, and return the name of the op that runs them.

    A node without inputs that both have is one node: TensorFlow.js knows tables and constants by their names. Other
    nodes of the initializer get new names where both have the name.
    """
    nodes = {node.name: node for node in graph.node}
    fresh = TakenNames(node.name for node in (*graph.node, *initializer.node))
    renames = {}
    added = []
    for node in initializer.node:
        if node.name not in nodes:
            added.append(node)
        elif node.op != nodes[node.name].op or node.input:
            renames[node.name] = fresh.fresh(node.name)
            added.append(node)

    def rename(text: str) -> str:
        return with_node_name(text, renames.get(node_name(text), node_name(text)))

    used = {node_name(text) for node in initializer.node for text in node.input}
    ends = [renames.get(node.name, node.name) for node in initializer.node if node.name not in used]
    _replace_placeholders(graph, {name: rename(str(table)) for name, table in tables.items()})
    for node in added:
        node.name = renames.get(node.name, node.name)
        node.input = [rename(text) for text in node.input]
    graph.node += added
    name = fresh.fresh("initialize_tables")
    graph.node.append(NodeDef(name=name, op="NoOp", input=[control_input(end) for end in ends]))
    return name


def _replace_placeholders(graph: GraphDef, tensors: dict[str, str]) -> None:
    """Remove these Placeholders from the graph, in place; their consumers take the tensors instead."""
    graph.node = [node for node in graph.node if node.name not in tensors]
    for node in graph.node:
        node.input = [
            tensors[node_name(text)] if node_name(text) in tensors and not is_control_input(text) else text
            for text in node.input
            if not (is_control_input(text) and node_name(text) in tensors)
        ]
