"""Write out the attributes that nodes leave out because they have the default of their op.

complete = DefaultAttributes(ops)
complete(node)                 # the node with all attributes; the node itself if none is missing
"""

from __future__ import annotations

from collections.abc import Mapping

from ...graph import describe, replace_node
from ...messages import AttrValue, NodeDef, OpDef
from ...ops import defaults
from ...output_limit import claim

__all__ = ["DefaultAttributes"]


class DefaultAttributes:
    """Adds missing default attributes to nodes. `ops` declares ops; nodes of other ops stay as they are."""

    def __init__(self, ops: Mapping[str, OpDef]) -> None:
        self._ops = ops
        self._values: dict[str, dict[str, bytes]] = {}

    def __call__(self, node: NodeDef) -> NodeDef:
        """Return the node with the attributes that it leaves out. Raises GraphError if too many bytes are added."""
        values = self._values.get(node.op)
        if values is None:
            op = self._ops.get(node.op)
            op_defaults = defaults(op) if op is not None else {}
            values = self._values[node.op] = {name: value.to_bytes() for name, value in op_defaults.items()}
        if not values:
            return node
        added = sum(len(value) for name, value in values.items() if name not in node.attr)
        claim(added, f"the default attributes of {describe(node)}")
        # Decoded for each node, so that no two nodes share a value, nor a node and the registry.
        missing = {name: AttrValue.from_bytes(value) for name, value in values.items() if name not in node.attr}
        return replace_node(node, attr={**node.attr, **missing}) if missing else node
