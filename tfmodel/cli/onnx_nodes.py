"""The nodes of an ONNX model for `dump`: those of its graph, of the graphs inside of nodes, and of its functions."""

from __future__ import annotations

from functools import partial
from typing import Any

from .. import onnx_messages
from ..reports.field_paths import Body
from ..reports.onnx.graphs import onnx_bodies, op_name
from ..reports.onnx.tree import onnx_node_lines, onnx_tree
from .dumped_nodes import NodeView


def onnx_view(model: Any) -> NodeView:
    """Return the nodes of a ModelProto. A node without a name has that of its first result."""
    found = (Body(f"{body.path}.node", "", body.nodes, body.title) for body in onnx_bodies(model))
    return NodeView(
        found,
        lambda node: node.name or next(iter(node.output), ""),
        lambda node: op_name(node.domain, node.op_type),
        lambda nodes: onnx_messages.GraphProto(node=nodes),
        partial(onnx_node_lines, types={}),
        onnx_tree,
    )
