"""Graphs between given inputs and outputs, as `tensorflow.python.tools.strip_unused_lib` makes them."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from pbwire.compat import compat_class, text_format

from ... import messages
from . import gfile
from .graph_util import reachable_nodes, without_collections

__all__ = ["strip_unused", "strip_unused_from_files"]

_KEPT_ATTRS = ("_output_shapes", "shape")


@without_collections
def strip_unused(
    input_graph_def: Any,
    input_node_names: Sequence[str],
    output_node_names: Sequence[str],
    placeholder_type_enum: Any,
) -> Any:
    """Return the nodes between the inputs and the outputs; the inputs become Placeholders.

    `placeholder_type_enum` is the type of all inputs, or a list with the type of each. Raises ValueError for an input
    with a port, and KeyError for one that is not in the graph.
    """
    for name in input_node_names:
        if ":" in name:
            raise ValueError(f"Name '{name}' appears to refer to a Tensor, not an Operation.")
    types = placeholder_type_enum
    names = list(input_node_names)
    dtypes = dict(zip(names, types, strict=False)) if isinstance(types, list) else dict.fromkeys(names, types)
    missing = set(names).difference(node.name for node in input_graph_def.node)
    if missing:
        raise KeyError(f"The following input nodes were not found: {missing}.")
    graph = compat_class(messages.GraphDef)()
    graph.node.extend(reachable_nodes(input_graph_def, output_node_names, dtypes))
    for node in graph.node:
        if node.name in dtypes:
            _make_placeholder(node, dtypes[node.name])
    graph.library.SetInParent()  # present and empty, as in TensorFlow
    graph.versions.SetInParent()
    return graph


def _make_placeholder(node: Any, dtype: Any) -> None:
    """Turn a node into a Placeholder."""
    kept = {name: copy.deepcopy(node.attr[name]) for name in _KEPT_ATTRS if name in node.attr}
    name = node.name
    node.Clear()
    node.name, node.op = name, "Placeholder"
    node.attr["dtype"].type = dtype
    for attr, value in kept.items():
        node.attr[attr].CopyFrom(value)


def strip_unused_from_files(
    input_graph: str,
    input_binary: bool,
    output_graph: str,
    output_binary: bool,
    input_node_names: str,
    output_node_names: str,
    placeholder_type_enum: Any,
) -> int | None:
    """Read a graph, strip it, and write it. Names are separated by commas. Returns -1 if the request is wrong."""
    if not gfile.Exists(input_graph):
        print(f"Input graph file '{input_graph}' does not exist!")
        return -1
    if not output_node_names:
        print("You need to supply the name of a node to --output_node_names.")
        return -1
    graph = compat_class(messages.GraphDef)()
    with gfile.GFile(input_graph, "rb") as file:
        if input_binary:
            graph.ParseFromString(file.read())
        else:
            text_format.Merge(file.read(), graph)
    stripped = strip_unused(graph, input_node_names.split(","), output_node_names.split(","), placeholder_type_enum)
    with gfile.GFile(output_graph, "wb") as file:
        file.write(stripped.SerializeToString() if output_binary else text_format.MessageToString(stripped))
    print(f"{len(stripped.node)} ops in the final graph.")
    return None
