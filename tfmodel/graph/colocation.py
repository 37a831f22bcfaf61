"""Which nodes have to be on the same device: the attribute `_class` lists "loc:@name" for each node to stay with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..messages import AttrValue, NodeDef
from .rebuilding import changed

__all__ = ["CLASS", "colocated_with", "colocation_groups", "with_renamed_colocation"]

CLASS = "_class"
_PREFIX = b"loc:@"


def colocated_with(node: NodeDef) -> list[str]:
    """The names of the nodes that a node has to be with. They need not exist."""
    value = node.attr.get(CLASS)
    if value is None or value.list is None:
        return []
    return [entry[len(_PREFIX) :].decode(errors="replace") for entry in value.list.s if entry.startswith(_PREFIX)]


def colocation_groups(nodes: Iterable[NodeDef]) -> list[list[str]]:
    """The names of the nodes that have to be together, group by group, in the order of the graph.

    A node that is named by others is in the group with them, whether there is such a node or not.
    """
    parents: dict[str, str] = {}

    def head(name: str) -> str:
        while parents[name] != name:
            parents[name] = parents[parents[name]]
            name = parents[name]
        return name

    for node in nodes:
        for other in colocated_with(node):
            parents.setdefault(node.name, node.name)
            parents.setdefault(other, other)
            parents[head(node.name)] = head(other)
    groups: dict[str, list[str]] = {}
    for name in parents:
        groups.setdefault(head(name), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def with_renamed_colocation(node: NodeDef, renames: Mapping[str, str]) -> NodeDef:
    """The node with other names in its `_class`; the node itself if it names none of those."""
    if not any(name in renames for name in colocated_with(node)):
        return node
    entries = list(dict.fromkeys(_renamed(entry, renames) for entry in node.attr[CLASS].list.s))  # type: ignore[union-attr]  # only nodes that have the list come here
    value = AttrValue(list=AttrValue.ListValue(s=entries))
    return changed(node, attr={**node.attr, CLASS: value})


def _renamed(entry: bytes, renames: Mapping[str, str]) -> bytes:
    name = entry[len(_PREFIX) :].decode(errors="replace") if entry.startswith(_PREFIX) else ""
    return _PREFIX + renames[name].encode() if name in renames else entry
