"""Build a MetaGraphDef from a graph, as TensorFlow's `export_meta_graph` does in a running program.

`make_signature` takes the names of tensors; their dtypes and shapes come from the graph:

    make_signature(graph, {"image": "x"}, {"scores": "softmax:0"})

`stripped_op_list` returns the declarations of the ops that a graph uses:

    [op.name for op in stripped_op_list(graph).op]      # ["Const", "MatMul", "Placeholder"]

With them, an older version of TensorFlow can load the graph: it ignores unknown attributes that have their defaults.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, TypedDict

from ...errors import GraphError
from ...graph import Functions, GraphIndex, attr
from ...graph.error_text import no_output, quote
from ...messages import (
    CollectionDef,
    DataType,
    GraphDef,
    MetaGraphDef,
    NameAttrList,
    NodeDef,
    OpDef,
    OpList,
    SaverDef,
    SignatureDef,
    TensorInfo,
    TensorProto,
    TensorShapeProto,
    as_dataclass,
)
from ...ops import output_types
from ...ops.definitions import Declarations, registry
from ...ops.traits import CALLS, EMPTY_IS_UNKNOWN, PLACEHOLDERS, REFERENCE_VARIABLES
from ...values.names import TakenNames, TensorName
from ..collections import encode_collection
from ..model_source import Given, ModelSource


def make_meta_graph(
    model: Given,
    *,
    signatures: Mapping[str, GivenSignature] | None = None,
    collections: Mapping[str, Iterable[Any]] | None = None,
    tags: str | Iterable[str] = (),
    saver_def: SaverDef | None = None,
    tensorflow_version: str = "",
    op_defs: Declarations | Iterable[Declarations] = (),
) -> MetaGraphDef:
    """Return a MetaGraphDef with the graph of a model, which is not copied, and the declarations of its ops.

    model                a GraphDef, or any source that `tfmodel.Model` takes: a path, another message, a Model
    signatures           by key: a SignatureDef, or `{"inputs": {"x": "x:0"}, "outputs": {"y": "layer/Relu"}}`; then the
                         types and shapes of the tensors are looked up in the graph
    collections          by name: messages, names of nodes, numbers or bytes, as `decode_collections` returns them and
                         `encode_collection` takes them; empty collections are left out, as by TensorFlow
    tags                 one string with commas, or several strings
    saver_def            the names of the nodes that save and restore the variables
    tensorflow_version   the version of TensorFlow recorded as the writer. If it is below 1.9, TensorFlow treats all
                         variables in "trainable_variables" as trainable; otherwise each VariableDef decides
    op_defs              declarations of ops of your own: OpLists, or files of them

    Raises GraphError for a name in a signature or a collection whose node is not in the graph, since TensorFlow could
    not load it; SignatureDefs and TensorInfos are not checked. Raises TypeError for an unsupported model, signature or
    collection (see `encode_collection`); FileFormatError and OSError for files.
    """
    graph = model if isinstance(model, GraphDef) else ModelSource.of(model).graph
    saver_def = as_dataclass(saver_def)
    index = GraphIndex(graph)
    ops = registry(graph, op_defs=op_defs)
    info = MetaGraphDef.MetaInfoDef(
        stripped_op_list=stripped_op_list(graph, op_defs=op_defs),
        tags=[tag for tag in (tags.split(",") if isinstance(tags, str) else tags) if tag],
        tensorflow_version=tensorflow_version,
    )
    return MetaGraphDef(
        meta_info_def=info,
        graph_def=graph,
        saver_def=saver_def,
        signature_def={key: _signature(key, form, index, ops) for key, form in (signatures or {}).items()},
        collection_def=dict(_collections(collections or {}, index)),
    )


def _signature(key: str, form: Any, index: GraphIndex, ops: Any) -> SignatureDef:
    try:
        return build_signature(form, index, ops)
    except GraphError as error:
        raise GraphError(f"the signature {quote(key)}: {error}") from error


def _collections(collections: Mapping[str, Iterable[Any]], index: GraphIndex) -> Iterable[tuple[str, CollectionDef]]:
    for name, values in collections.items():
        collection = encode_collection(name, values)
        for node_name in collection.node_list.value if collection.node_list is not None else ():
            _check_name(name, node_name, index)
        if collection.which_oneof("kind"):
            yield name, collection


def _check_name(collection: str, name: str, index: GraphIndex) -> None:
    try:
        index.position(TensorName.parse(name).node)
    except GraphError as error:
        raise GraphError(f"the collection {quote(collection)}: {error}") from error


PREDICT = "tensorflow/serving/predict"
"""The method name of nearly all signatures, which allows any inputs and outputs."""

Tensors: TypeAlias = "Mapping[str, str | TensorInfo]"
"""Tensors by key: the name of a tensor, or a TensorInfo that is used unchanged."""

_UNKNOWN_SHAPE = TensorShapeProto(unknown_rank=True)

# The ops whose attribute "shape" is the shape of their output, as far as it is known.
_OPS_WITH_SHAPE = PLACEHOLDERS | REFERENCE_VARIABLES
# Up to this version of graphs, a Placeholder of unknown shape was written like a scalar.
_MAX_AMBIGUOUS_VERSION = 21


class _Parts(TypedDict):
    inputs: Tensors
    outputs: Tensors


class SignatureForm(_Parts, total=False):
    """A signature in plain Python: `{"inputs": {"image": "x"}, "outputs": {"scores": "softmax:0"}}`."""

    method_name: str


GivenSignature: TypeAlias = SignatureDef | SignatureForm | Mapping[str, Mapping[str, str]]
"""A signature: type checkers take a dict in a variable for a mapping."""

_REQUIRED_KEYS = {"inputs", "outputs"}
_ALLOWED_KEYS = {*_REQUIRED_KEYS, "method_name"}


def make_signature(
    graph: GraphDef,
    inputs: Tensors,
    outputs: Tensors,
    *,
    method_name: str = PREDICT,
    ops: Mapping[str, OpDef] | None = None,
) -> SignatureDef:
    """Return a signature with the tensors `inputs` and `outputs` of a graph.

    Types are those that the ops declare; `ops` are the declarations, see `tfmodel.ops.registry`. Shapes are known for
    placeholders, constants and reference variables, and for nodes with the attribute "_output_shapes". Other shapes and
    the types of undeclared ops are unknown. Raises GraphError for an invalid name, or for a tensor that is not in the
    graph.
    """
    form = SignatureForm(inputs=inputs, outputs=outputs, method_name=method_name)
    return build_signature(form, GraphIndex(graph), registry(graph) if ops is None else ops)


def build_signature(form: GivenSignature, index: GraphIndex, ops: Mapping[str, OpDef]) -> SignatureDef:
    """Return the SignatureDef of a signature in plain Python; a SignatureDef is returned unchanged."""
    form = as_dataclass(form)
    if isinstance(form, SignatureDef):
        return form
    if not (isinstance(form, Mapping) and _REQUIRED_KEYS <= form.keys() <= _ALLOWED_KEYS):
        raise TypeError(f'a signature is a SignatureDef or {{"inputs": {{...}}, "outputs": {{...}}}}, not {form!r}')
    return SignatureDef(
        inputs={key: _info(tensor, index, ops) for key, tensor in form["inputs"].items()},
        outputs={key: _info(tensor, index, ops) for key, tensor in form["outputs"].items()},
        method_name=str(form.get("method_name", PREDICT)),
    )


def tensors_by_key(tensors: Iterable[str]) -> dict[str, str]:
    """Return tensors by new keys for a signature, made from their names.

    The keys are valid names of Python arguments, since callers pass inputs by key.
    """
    tensors_by_key: dict[str, str] = {}
    taken = TakenNames()
    for tensor in tensors:
        name = TensorName.parse(tensor)
        key = re.sub(r"\W", "_", name.node if name.port <= 0 else f"{name.node}_{name.port}", flags=re.ASCII)
        key = f"_{key}" if key[:1].isdigit() else key
        tensors_by_key[taken.fresh(key)] = tensor
    return tensors_by_key


def _info(tensor: str | TensorInfo, index: GraphIndex, ops: Mapping[str, OpDef]) -> TensorInfo:
    if isinstance(tensor, TensorInfo):
        return tensor
    name = TensorName.parse(tensor)
    if name.is_control or name.output:
        raise GraphError(f"{quote(tensor)} is not a tensor of a graph")
    node = index[name.node]
    info = TensorInfo(name=f"{name.node}:{name.port}", tensor_shape=_shape(node, name.port, _version(index)))
    if node.op in ops:
        ports = output_types(node, ops[node.op])
        if name.port >= len(ports):
            raise GraphError(no_output(node, name.port, len(ports)))
        info.dtype = ports[name.port] or DataType.DT_INVALID
    return info


def _version(index: GraphIndex) -> int:
    versions = index.graph.versions if isinstance(index.graph, GraphDef) else None
    return versions.producer if versions is not None else 0


def _shape(node: NodeDef, port: int, version: int) -> TensorShapeProto:
    """Return the shape of an output as far as the node declares it."""
    if node.op in _OPS_WITH_SHAPE:
        shape = attr(node, "shape", TensorShapeProto, _UNKNOWN_SHAPE)
        is_ambiguous = node.op in EMPTY_IS_UNKNOWN and (
            node.op not in PLACEHOLDERS or version <= _MAX_AMBIGUOUS_VERSION
        )
        return _UNKNOWN_SHAPE if is_ambiguous and not shape.dim else shape
    if node.op == "Const":
        return attr(node, "value", TensorProto).tensor_shape or TensorShapeProto()
    shapes = attr(node, "_output_shapes", list[TensorShapeProto], [])
    return shapes[port] if port < len(shapes) else _UNKNOWN_SHAPE


# The only ops whose functions TensorFlow searches for ops: it does not list the ops in the branches of an If.
_FOLLOWED = CALLS


def ops_used(graph: GraphDef) -> set[str]:
    """Return the ops of the nodes of a graph and of the functions that they call, without the functions themselves.

    As for TensorFlow's own list, a function counts as called if its name is the op of a node, or if a PartitionedCall
    or StatefulPartitionedCall calls it. Raises GraphError if the attribute `f` of such a call is not a function.
    """
    functions = Functions(graph.library)
    used: set[str] = set()
    pending: list[Iterable[NodeDef]] = [graph.node]
    while pending:
        for node in pending.pop():
            for name in _called_functions(node):
                if name not in used:
                    used.add(name)
                    if function := functions.get(name):
                        pending.append(function.node_def)
    return used - functions.keys()


def _called_functions(node: NodeDef) -> Iterable[str]:
    if node.op not in _FOLLOWED:
        return (node.op,)
    function = attr(node, "f", NameAttrList, None)
    return (node.op, function.name if function is not None else "")


def stripped_op_list(graph: GraphDef, *, op_defs: Declarations | Iterable[Declarations] = ()) -> OpList:
    """Return the declarations of `ops_used`, sorted by name, without documentation, as TensorFlow 2.12 writes them.

    `op_defs` are OpLists, or files of them, that take precedence over TensorFlow's own. Undeclared ops are left out.
    """
    ops = registry(op_defs=op_defs)
    return OpList(op=[_strip_documentation(ops[name]) for name in sorted(ops_used(graph)) if name in ops])


def _strip_documentation(op: OpDef) -> OpDef:
    stripped = copy.deepcopy(op)
    stripped.summary = stripped.description = ""
    for argument in (*stripped.input_arg, *stripped.output_arg):
        argument.description = ""
    for attribute in stripped.attr:
        attribute.description = ""
    return stripped
