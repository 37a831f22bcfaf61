"""Which ops a graph may have, by the version of its producer.

TensorFlow refuses an op in graphs whose `versions.producer` is the version in which the op was removed, or a later one
(`CheckOpDeprecation` in tensorflow/core/framework/op_def_util.cc): "Op TensorArrayV2 is not available in GraphDef
version 1395. It has been removed in version 26". Such a graph gets the last version that allows all of its ops.

A lower producer gives other nodes another meaning only where TensorFlow asks for it: up to version 21, a Placeholder
whose shape is () may have any shape. So no transform lowers it that far.

Measure graphs between steps, and refuse those that grew too large; see `tfmodel.growth`.

To measure a message takes as long as writing it. So without a report, which shows the sizes, only the new nodes are
measured: as long as they have no more bytes than may always be written, the graph is small enough, whatever its size.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from functools import cached_property

from pbwire.errors import EncodeError

from ... import growth
from ...errors import TransformError
from ...graph import with_nodes
from ...messages import GraphDef, NodeDef, OpDef

__all__ = ["BESIDE_NODES", "Sizes", "with_allowed_producer"]


LEAST = 22
"""The least producer under which nodes mean what they mean now (tensorflow/core/public/version.h)."""


def with_allowed_producer(after: GraphDef, before: GraphDef, ops: Mapping[str, OpDef]) -> tuple[GraphDef, str]:
    """The graph with a producer that allows the ops that a transform made, and a note if that is another one.

    Ops that `before` had, and was not allowed to have, are left. Raises TransformError if an op is allowed only under
    producers that would change what other nodes mean.
    """
    versions = after.versions
    if versions is None or not versions.producer:
        return after, ""
    removed = _removed(after, ops)
    if not removed:
        return after, ""
    for op in _removed(before, ops):
        removed.pop(op, None)
    if not removed:
        return after, ""
    op = min(removed, key=removed.__getitem__)
    producer = removed[op] - 1
    if producer < LEAST:
        raise TransformError(
            f"refused, it would break the graph: the op {op} has been removed in version {removed[op]:,} of GraphDefs,"
            f" and the graph is one of version {versions.producer:,}"
        )
    lowered, result = copy.copy(versions), copy.copy(after)
    lowered.producer = producer
    result.versions = lowered
    return result, f"versions.producer is {producer:,} instead of {versions.producer:,}: {op} has been removed since"


def _removed(graph: GraphDef, ops: Mapping[str, OpDef]) -> dict[str, int]:
    """The ops of a graph and its functions that its producer does not allow, and since when."""
    producer = graph.versions.producer if graph.versions is not None else 0
    functions = graph.library.function if graph.library is not None else []
    used = {node.op for nodes in (graph.node, *(each.node_def for each in functions)) for node in nodes}
    found = {}
    for name in used:
        op = ops.get(name)
        if op is not None and op.deprecation is not None and 0 < op.deprecation.version <= producer:
            found[name] = op.deprecation.version
    return found


BESIDE_NODES = ("versions", "version", "library", "debug_info")
"""The fields of a graph besides its nodes."""

_MEASURED = 16  # nodes at a time: to measure them takes the memory of writing them


class Sizes:
    """The size of the present graph, in bytes; None while it is not known."""

    def __init__(self, graph: GraphDef, *, is_measured: bool) -> None:
        self._original = graph
        self._added_sizes = 0
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
                self._added_sizes += sum(_within(_added_sizes(after, before), growth.ALWAYS - self._added_sizes))
                if self._added_sizes <= growth.ALWAYS:
                    return None
                self.present = before.ByteSize()
            most = max(limit.limit, self.present)
            size = self.present - _removed_bytes(after, before)
            size += sum(_within(_added_sizes(after, before), most - size))
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


def _added_sizes(after: GraphDef, before: GraphDef) -> Iterator[tuple[int, list[NodeDef]]]:
    """Yield the new nodes, a few at a time, with a size that they have at least; and that of the rest, if it is new."""
    if _is_other(after, before):
        yield with_nodes(after, []).ByteSize(), []
    old = set(map(id, before.node))
    nodes = [node for node in after.node if id(node) not in old]
    for start in range(0, len(nodes), _MEASURED):
        piece = nodes[start : start + _MEASURED]
        yield sum(len(text) for node in piece for text in node.input), piece


def _removed_bytes(after: GraphDef, before: GraphDef) -> int:
    new = set(map(id, after.node))
    size = GraphDef(node=[node for node in before.node if id(node) not in new]).ByteSize()
    return size + (with_nodes(before, []).ByteSize() if _is_other(after, before) else 0)


def _is_other(after: GraphDef, before: GraphDef) -> bool:
    return any(getattr(after, name) is not getattr(before, name) for name in BESIDE_NODES)
