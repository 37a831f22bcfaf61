"""MetaGraphs: their signatures, collections, initializers, and the declarations of the ops in use.

    for variable in decode_collections(meta)["variables"]:
        print(variable.variable_name, variable.initializer_name)

    signatures = {"serving_default": {"inputs": {"x": "x:0"}, "outputs": {"y": "layer/Relu"}}}
    meta = make_meta_graph(graph, signatures=signatures, tags="serve")
    save(SavedModel(saved_model_schema_version=1, meta_graphs=[meta]), "model/saved_model.pb")

Its modules:

    builder.py        `make_meta_graph`; signatures from tensor names; the declarations of the ops in use
    initializers.py   the nodes that initialize a model when it is loaded
    keras_metadata.py the classes and configurations of layers, which Keras saves beside a SavedModel

The package imports `graph`, `ops` and `source`; reports, editing, `optimizer` and `export` call it.
"""

from __future__ import annotations

from ..collections import (
    COLLECTIONS,
    Element,
    decode_collections,
    elements,
    encode_collection,
    node_names,
    register_collection,
    tensor_names,
)
from .builder import PREDICT, make_meta_graph, make_signature, ops_used, stripped_op_list, tensors_by_key

__all__ = [
    "COLLECTIONS",
    "PREDICT",
    "Element",
    "decode_collections",
    "elements",
    "encode_collection",
    "make_meta_graph",
    "make_signature",
    "node_names",
    "ops_used",
    "register_collection",
    "stripped_op_list",
    "tensor_names",
    "tensors_by_key",
]
