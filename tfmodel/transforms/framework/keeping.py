"""What nodes that go leave behind: others that have to be on the same device as they.

nodes = with_kept_colocation(nodes, graph.node)
"""

from __future__ import annotations

from collections.abc import Sequence

from ...graph import ColocationRenames, colocated_with, colocation_groups
from ...messages import NodeDef

__all__ = ["with_kept_colocation"]


def with_kept_colocation(nodes: list[NodeDef], before: Sequence[NodeDef]) -> list[NodeDef]:
    """Some nodes of a graph, or what became of them, where none has to be with one that is not there any more.

    Those that had to be with it are still together: one of them takes its place. A node that was never there is left.
    """
    kept = {node.name for node in nodes}
    missing = {name for node in nodes for name in colocated_with(node)} - kept
    lost = missing.intersection(node.name for node in before) if missing else missing
    if not lost:
        return nodes
    heirs: dict[str, str] = {}
    for group in colocation_groups(before):
        heir = next((name for name in group if name in kept), None)
        if heir is not None:
            heirs |= {name: heir for name in group if name in lost}
    return [*map(ColocationRenames(heirs).applied, nodes)]
