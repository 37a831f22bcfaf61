"""Measure graphs between steps, and refuse those that grew too large; see `tfmodel.growth`.

To measure a message takes as long as writing it. So without a report, which shows the sizes, only the new nodes are
measured: as long as they have no more bytes than may always be written, the graph is small enough, whatever its size.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from pbwire.errors import EncodeError

from ... import growth
from ...errors import TransformError
from ...graph import with_nodes
from ...messages import GraphDef, NodeDef

__all__ = ["BESIDE_NODES", "Sizes"]

BESIDE_NODES = ("versions", "version", "library", "debug_info")
"""The fields of a graph besides its nodes."""

_MEASURED = 16  # nodes at a time: to measure them takes the memory of writing them


class Sizes:
    """The size of the present graph, in bytes; None while it is not known."""

    def __init__(self, graph: GraphDef, *, is_measured: bool) -> None:
        self._original = graph
        self._added = 0
        self.present = self.original if is_measured else None

    @cached_property
    def original(self) -> int:
        """The size of the graph that was given."""
        return self._original.ByteSize()

    def check(self, after: GraphDef, before: GraphDef, limit: growth.Growth) -> int | None:
        """Return the size of the graph that a step made of the present one, or None where that is not known.

        Raises TransformError if it is larger than the limit, and than before, or if it cannot be written.
        """
        try:
            if self.present is None:
                self._added += sum(_within(_added(after, before), growth.ALWAYS - self._added))
                if self._added <= growth.ALWAYS:
                    return None
                self.present = before.ByteSize()
            most = max(limit.limit, self.present)
            size = self.present - _removed(after, before)
            size += sum(_within(_added(after, before), most - size))
        except EncodeError as error:
            raise TransformError(f"it gave a graph that cannot be written: {error}") from error
        if size > most:
            raise TransformError(f"refused, it would make a graph that is too large: {limit.explanation}")
        return size


def _within(sizes: Iterator[tuple[int, list[NodeDef]]], most: int) -> Iterator[int]:
    """Yield the sizes of pieces until they are more than `most`; of one whose least size is too much, only that."""
    total = 0
    for least, nodes in sizes:
        size = GraphDef(node=nodes).ByteSize() if nodes and total + least <= most else least
        yield size
        total += size
        if total > most:
            return


def _added(after: GraphDef, before: GraphDef) -> Iterator[tuple[int, list[NodeDef]]]:
    """Yield the new nodes, a few at a time, with a size that they have at least; and that of the rest, if it is new."""
    if _is_other(after, before):
        yield with_nodes(after, []).ByteSize(), []
    old = set(map(id, before.node))
    nodes = [node for node in after.node if id(node) not in old]
    for start in range(0, len(nodes), _MEASURED):
        piece = nodes[start : start + _MEASURED]
        yield sum(len(text) for node in piece for text in node.input), piece


def _removed(after: GraphDef, before: GraphDef) -> int:
    new = set(map(id, after.node))
    size = GraphDef(node=[node for node in before.node if id(node) not in new]).ByteSize()
    return size + (with_nodes(before, []).ByteSize() if _is_other(after, before) else 0)


def _is_other(after: GraphDef, before: GraphDef) -> bool:
    return any(getattr(after, name) is not getattr(before, name) for name in BESIDE_NODES)
