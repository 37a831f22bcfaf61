"""Parts of graphs, as `tensorflow.python.framework.graph_util` makes them.

All functions copy nodes and leave the given graph as it is.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Container, Iterable, Mapping
from os import PathLike
from typing import Any

import tfmodel
from pbwire.compat import compat_class, wrap

from ... import messages
from ..refusals import MissingName
from .text import as_str

__all__ = [
    "convert_variables_to_constants",
    "extract_sub_graph",
    "must_run_on_cpu",
    "reachable_nodes",
    "remove_training_nodes",
    "tensor_shape_from_node_def_name",
    "without_collections",
]

_OTHER_VARIABLE_OPS = {"Assign", "AssignAdd", "AssignSub", "Queue", "ScatterAdd", "ScatterSub", "ScatterUpdate"}
_VARIABLE_OPS = {"Variable", "VariableV2", "TruncatedNormal"} | _OTHER_VARIABLE_OPS
_INT32_OPS = {"DynamicStitch": "T", "ParallelDynamicStitch": "T", "Cast": "SrcT"}


def without_collections(function: Any) -> Any:
    """Return a function that runs without garbage collections: all copies survive, and collections take long."""

    @functools.wraps(function)
    def run(*arguments: Any, **options: Any) -> Any:
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            return function(*arguments, **options)
        finally:
            if was_enabled:
                gc.enable()

    return run


@without_collections
def extract_sub_graph(graph_def: Any, dest_nodes: Iterable[str]) -> Any:
    """Return the nodes that `dest_nodes` depend on, in their order, with the library and the versions.

    Nodes that others are colocated with stay too. Raises TypeError for arguments of other types, and AssertionError
    for a name that is not in the graph.
    """
    graph_class = compat_class(messages.GraphDef)
    if not isinstance(graph_def, graph_class):
        raise TypeError(f"graph_def must be a graph_pb2.GraphDef proto, but got type {type(graph_def)}.")
    if isinstance(dest_nodes, str):
        raise TypeError(f"dest_nodes must be an iterable of strings, but got type {type(dest_nodes)}.")
    extracted = graph_class()
    extracted.node.extend(reachable_nodes(graph_def, dest_nodes))
    extracted.library.CopyFrom(graph_def.library)
    extracted.versions.CopyFrom(graph_def.versions)
    return extracted


def reachable_nodes(graph_def: Any, dest_nodes: Iterable[str], inputs: Container[str] = ()) -> list[Any]:
    """Return the nodes of a graph that `dest_nodes` depend on, in their order; `inputs` depend on nothing."""
    nodes = {_node_name(node.name): node for node in graph_def.node}
    pending = list(dest_nodes)
    for name in pending:
        if name not in nodes:
            raise AssertionError(f"{name} is not in graph")
    reached: set[str] = set()
    while pending:
        name = pending.pop()
        if name in reached:
            continue
        reached.add(name)
        node = nodes[name]  # a KeyError for a missing input, as in TensorFlow
        if name not in inputs:
            pending += map(_node_name, node.input)
            pending += _colocated(node)
    return [node for name, node in _last_positions(graph_def) if name in reached]


def _last_positions(graph_def: Any) -> Iterable[tuple[str, Any]]:
    """Return names and nodes in their order; of nodes with the same name, only the last one."""
    last: dict[str, Any] = {}
    for node in graph_def.node:
        name = _node_name(node.name)
        last.pop(name, None)
        last[name] = node
    return last.items()


def _node_name(tensor: str) -> str:
    return tensor[1:] if tensor.startswith("^") else tensor.partition(":")[0]


def _colocated(node: Any) -> list[str]:
    if "_class" not in node.attr:
        return []
    return [as_str(name).removeprefix("loc:@") for name in node.attr["_class"].list.s]


@without_collections
def remove_training_nodes(input_graph: Any, protected_nodes: Iterable[str] | None = None) -> Any:
    """Return the graph without CheckNumerics nodes, and without Identity nodes that have no part in control edges.

    Inputs that were removed are gone, too; consumers of an Identity read its input. Nodes in `protected_nodes` and
    Identity nodes that others are colocated with stay. The result has nodes only.
    """
    protected = set(protected_nodes or ())
    removed = {node.name for node in input_graph.node if node.op == "CheckNumerics" and node.name not in protected}
    kept = [(node, _inputs_without(node, removed)) for node in input_graph.node if node.name not in removed]
    pinned = set(protected)
    for node, inputs in kept:
        controls = [name.replace("^", "") for name in inputs if "^" in name]
        if controls:
            pinned.update(controls)
            pinned.add(node.name)
        pinned.update(_colocated(node))
    spliced = {node.name: inputs[0] for node, inputs in kept if node.op == "Identity" and node.name not in pinned}
    result = compat_class(messages.GraphDef)()
    kept = [(node, inputs) for node, inputs in kept if node.name not in spliced]
    result.node.extend([node for node, _ in kept])
    for node, (_, inputs) in zip(result.node, kept, strict=True):
        if any(name.removeprefix("^") in spliced for name in inputs):
            inputs = [_source(name, spliced) for name in inputs]
        if inputs != node.input:
            node.input[:] = inputs
    return result


def _inputs_without(node: Any, removed: set[str]) -> list[str]:
    if not removed:
        return list(node.input)
    return [name for name in node.input if name.removeprefix("^") not in removed]


def _source(name: str, spliced: dict[str, str]) -> str:
    """Follow an input through the nodes that are left out. Raises ValueError for a cycle of them."""
    visited = 0
    while (key := name.removeprefix("^")) in spliced:
        name = spliced[key]
        visited += 1
        if visited > len(spliced):
            raise ValueError(f"the Identity nodes at {key!r} form a cycle")
    return name


def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Return whether a node must run on a CPU: constants of strings and int32, and some ops on int32."""
    if pin_variables_on_cpu and node.op in _VARIABLE_OPS:
        return True
    if node.op == "Const":
        return node.attr["dtype"].type in (messages.DataType.DT_STRING, messages.DataType.DT_INT32)
    attr = _INT32_OPS.get(node.op)
    return attr is not None and node.attr[attr].type == messages.DataType.DT_INT32


def convert_variables_to_constants(
    sess: Any,
    input_graph_def: Any,
    output_node_names: Iterable[str],
    variable_names_whitelist: Any = None,
    variable_names_blacklist: Any = None,
) -> Any:
    """Return the graph with the values of a checkpoint in place of variables.

    `sess` is a checkpoint instead of a session: a path, a `tfmodel.Checkpoint`, or a mapping from names to arrays.
    Lists of variables are refused: use `tfmodel.freeze`, which has options for this.
    """
    if not isinstance(sess, (str, PathLike, Mapping)) or variable_names_whitelist or variable_names_blacklist:
        raise MissingName("tensorflow.graph_util.convert_variables_to_constants")
    return wrap(tfmodel.freeze(input_graph_def, list(output_node_names), checkpoint=sess))


def tensor_shape_from_node_def_name(graph: Any, input_name: str) -> Any:
    """Refused: it reads shapes from a tf.Graph."""
    raise MissingName("tensorflow.graph_util.tensor_shape_from_node_def_name")
