"""The nodes that initialize a model when it is loaded: those that fill tables, and the collection that names them."""

from __future__ import annotations

from ...errors import ModelError
from ...graph import with_nodes
from ...graph.error_text import list_names
from ...graph.tables import initializing
from ...graph.view import GraphView
from ...messages import (
    CollectionDef,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    SignatureDef,
)
from ...ops.traits import CALLS, FILLS_TABLE, INITIALIZES_TABLE, MUTABLE_TABLES, TABLES
from ...values.names import TensorName, control_input, node_name, strip_control_mark
from ..loading import init_ops
from ..model_source import ModelSource
from ..signature_defs import INTERNAL_SIGNATURES, tensors_of

INIT_SIGNATURE = "__saved_model_init_op"

_MAIN_OP = "saved_model_main_op"

_INIT_COLLECTIONS = (_MAIN_OP, "legacy_init_op")


def initializers_of(graph: GraphDef, source: ModelSource) -> list[str]:
    """Return the nodes that initialize tables, if there are any.

    These are the NoOps with inputs among the init ops of the model, and the nodes that fill a table and are not inputs
    of these NoOps. A node that fills a table from a checkpoint belongs to a saver.
    """
    names = set(init_ops(source.meta))
    fillers = [node for node in graph.node if node.op in FILLS_TABLE]
    fillers = initializing(fillers, {node.name: node for node in graph.node})
    groups = [node for node in graph.node if fillers and node.name in names and node.op == "NoOp" and node.input]
    grouped_names = {strip_control_mark(text) for node in groups for text in node.input}
    return [*(node.name for node in groups), *sorted({node.name for node in fillers} - grouped_names)]


def add_initializer(source: ModelSource, meta: MetaGraphDef, *, has_objects: bool) -> None:
    """Make loaders run the nodes that initialize tables, unless the MetaGraph names a node to run already.

    Raises ModelError for a table that nothing initializes, unless the model was opened like this.
    """
    assert meta.graph_def is not None
    nodes = {node.name for node in meta.graph_def.node}
    internal = {name: value for name, value in meta.signature_def.items() if name.startswith(INTERNAL_SIGNATURES)}
    gone = {name for name, value in internal.items() if not _names_nodes(value, nodes)}
    init = internal.get(INIT_SIGNATURE)
    names = run_by_loaders(meta) if init is not None and INIT_SIGNATURE not in gone else []
    if init is not None and not has_objects:
        gone.add(INIT_SIGNATURE)  # TensorFlow 2 would list it among the signatures of a model without objects
    if gone:
        meta.signature_def = {name: value for name, value in meta.signature_def.items() if name not in gone}
    if any(name in meta.collection_def for name in _INIT_COLLECTIONS) or INIT_SIGNATURE in meta.signature_def:
        names = []
    elif names := names or initializers_of(meta.graph_def, source):
        meta.graph_def, name = group_nodes(meta.graph_def, names)
        meta.collection_def = {**meta.collection_def, **main_op(name)}
    if not source.is_saved_model:
        _require_initializers(meta)


def run_by_loaders(meta: MetaGraphDef) -> list[str]:
    """Return the nodes that loaders run: those of the first of a signature and two collections."""
    init = meta.signature_def.get(INIT_SIGNATURE)
    if init is not None:
        return [node_name(name) for name in tensors_of(init.outputs)]
    for key in _INIT_COLLECTIONS:
        collection = meta.collection_def.get(key)
        if collection is not None and collection.node_list is not None and collection.node_list.value:
            return [node_name(name) for name in collection.node_list.value]
    return []


def table_initializers(source: ModelSource) -> list[str]:
    """Return the nodes that initialize a model with tables, which transforms have to keep; none without tables."""
    ops = {node.name: node.op for node in source.graph.node}
    if not any(op in TABLES and op not in MUTABLE_TABLES for op in ops.values()):
        return []
    return [name for name in init_ops(source.meta) if name in ops]


def main_op(name: str) -> dict[str, CollectionDef]:
    """Return the collection that makes loaders run a node."""
    return {_MAIN_OP: CollectionDef(node_list=CollectionDef.NodeList(value=[name]))}


def _require_initializers(meta: MetaGraphDef) -> None:
    """Raise ModelError for a table that a signature uses and no node initializes when the model is loaded."""
    assert meta.graph_def is not None
    body = GraphView(meta.graph_def)
    outputs = [name for signature in meta.signature_def.values() for name in tensors_of(signature.outputs)]
    used = body.with_ancestors(map(node_name, outputs))
    run = body.with_ancestors(run_by_loaders(meta))
    filled = {
        node_name(text)
        for node in meta.graph_def.node
        if node.name in run and (node.op in INITIALIZES_TABLE or node.op in CALLS)
        for text in node.input
    }
    tables = [node.name for node in meta.graph_def.node if node.op in TABLES and node.op not in MUTABLE_TABLES]
    if empty := [name for name in tables if name in used and name not in filled]:
        raise ModelError(f"nothing initializes the tables {list_names(empty)}: the nodes are not in the graph any more")


def group_nodes(graph: GraphDef, names: list[str]) -> tuple[GraphDef, str]:
    """Return a graph with a node that runs several nodes, and its name; the graph itself for one node, or none."""
    if len(names) <= 1:
        return graph, "".join(names)
    name = GraphView(graph, checked=False).fresh("init_tables")
    group = NodeDef(name=name, op="NoOp", input=[control_input(other) for other in names])
    return with_nodes(graph, [*graph.node, group]), name


def _names_nodes(signature: SignatureDef, nodes: set[str]) -> bool:
    return all(TensorName.parse(name).node in nodes for name in tensors_of(signature.outputs))
