"""Attributes that nodes leave out, since they have the default of their op.

complete = Completion(ops)
complete(node)                 # the node with all of them; the node itself if none is missing
"""

from __future__ import annotations

from collections.abc import Mapping

from ...graph import describe, replace_node
from ...growth import claim
from ...messages import AttrValue, NodeDef, OpDef
from ...ops import defaults

__all__ = ["Completion"]


class Completion:
    """Writes out what nodes leave out. `ops` declares ops; a node of another op stays as it is."""

    def __init__(self, ops: Mapping[str, OpDef]) -> None:
        self._ops = ops
        self._values: dict[str, dict[str, bytes]] = {}

    def __call__(self, node: NodeDef) -> NodeDef:
        """The node with the attributes that it leaves out."""
        values = self._values.get(node.op)
        if values is None:
            op = self._ops.get(node.op)
            found = defaults(op) if op is not None else {}
            values = self._values[node.op] = {name: value.to_bytes() for name, value in found.items()}
        if not values:
            return node
        added = sum(len(value) for name, value in values.items() if name not in node.attr)
        claim(added, f"the default attributes of {describe(node)}")
        # Decoded for each node: none is to share a value with another, and least of all with the registry.
        missing = {name: AttrValue.from_bytes(value) for name, value in values.items() if name not in node.attr}
        return replace_node(node, attr={**node.attr, **missing}) if missing else node
