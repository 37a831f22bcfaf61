"""A MetaGraphDef from a graph: what TensorFlow's `export_meta_graph` makes of a running program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pbwire.errors import class_name

from ..errors import GraphError
from ..graph import GraphIndex
from ..graph.error_text import quoted
from ..messages import CollectionDef, GraphDef, MetaGraphDef, SaverDef, SignatureDef
from ..names import TensorName
from ..ops.definitions import Declarations, registry
from .collections import encode_collection
from .op_lists import stripped_op_list
from .signatures import SignatureForm, signature_of

__all__ = ["make_meta_graph"]


def make_meta_graph(
    graph: GraphDef,
    *,
    signatures: Mapping[str, SignatureDef | SignatureForm] | None = None,
    collections: Mapping[str, Iterable[Any]] | None = None,
    tags: str | Iterable[str] = (),
    saver_def: SaverDef | None = None,
    tensorflow_version: str = "",
    op_defs: Declarations | Iterable[Declarations] = (),
) -> MetaGraphDef:
    """A MetaGraphDef that holds the graph itself, not a copy, with the declarations of its ops.

    signatures           by key: SignatureDefs, or `{"inputs": {"x": "x:0"}, "outputs": {"y": "layer/Relu"}}`, whose
                         types and shapes are looked up in the graph
    collections          by name: messages, names of nodes, numbers or bytes, as `decode_collections` gives them and
                         `encode_collection` takes them; those that are empty are left out, as by TensorFlow
    tags                 a string with commas, or several
    saver_def            how to save and restore the variables with ops of the graph
    tensorflow_version   who is to be named as the writer; below 1.9, TensorFlow takes all of "trainable_variables" for
                         trainable, else what each VariableDef says
    op_defs              declarations of ops of your own: OpLists, or files of them

    Raises GraphError for a signature or a collection that names what is not in the graph: TensorFlow could not load it.
    TypeError is as of `encode_collection`; FileFormatError and OSError are about `op_defs`.
    """
    if not isinstance(graph, GraphDef):
        raise TypeError(f"a MetaGraphDef is made of a GraphDef, not of {class_name(graph, GraphDef)}")
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
        return signature_of(form, index, ops)
    except GraphError as error:
        raise GraphError(f"the signature {quoted(key)}: {error}") from error


def _collections(collections: Mapping[str, Iterable[Any]], index: GraphIndex) -> Iterable[tuple[str, CollectionDef]]:
    for name, values in collections.items():
        collection = encode_collection(name, values)
        for listed in collection.node_list.value if collection.node_list is not None else ():
            _check_name(name, listed, index)
        if collection.which_oneof("kind"):
            yield name, collection


def _check_name(collection: str, name: str, index: GraphIndex) -> None:
    try:
        index.position(TensorName.parse(name).node)
    except GraphError as error:
        raise GraphError(f"the collection {quoted(collection)}: {error}") from error
