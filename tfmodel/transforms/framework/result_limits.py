"""Limits on the result of a transform: the ops that the producer version allows, and the size in bytes.

TensorFlow refuses an op in graphs whose `versions.producer` is the version in which the op was removed, or a later one
(`CheckOpDeprecation` in tensorflow/core/framework/op_def_util.cc): "Op TensorArrayV2 is not available in GraphDef
version 1395. It has been removed in version 26". Such a graph gets the last version that allows all of its ops.

A lower producer changes the meaning of other nodes in one case: up to version 21, a Placeholder whose shape is () may
have any shape. So no transform lowers the producer that far.

Size: see `tfmodel.output_limit`. The size of a graph is computed from the nodes that a step added and removed.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from functools import cached_property

from pbwire.errors import EncodeError

from ... import output_limit
from ...errors import TransformError
from ...graph import with_nodes
from ...messages import GraphDef, NodeDef, OpDef

__all__ = ["OTHER_FIELDS", "GraphSize", "lower_producer"]


MIN_PRODUCER = 22
"""The lowest producer under which nodes have their present meaning (tensorflow/core/public/version.h)."""


def lower_producer(after: GraphDef, before: GraphDef, ops: Mapping[str, OpDef]) -> tuple[GraphDef, str]:
    """Return the graph with a producer that allows the ops that a transform added, and a note if it was lowered.

    Ops that its producer already forbade in `before` are ignored. Raises TransformError if an op is allowed only
    under producers that would change the meaning of other nodes.
    """
    versions = after.versions
    if versions is None or not versions.producer:
        return after, ""
    removed = _removed_ops(after, ops)
    if not removed:
        return after, ""
    for op in _removed_ops(before, ops):
        removed.pop(op, None)
    if not removed:
        return after, ""
    op = min(removed, key=removed.__getitem__)
    producer = removed[op] - 1
    if producer < MIN_PRODUCER:
        raise TransformError(
            f"refused, it would break the graph: the op {op} was removed in GraphDef version {removed[op]:,},"
            f" and the graph has version {versions.producer:,}"
        )
    lowered, result = copy.copy(versions), copy.copy(after)
    lowered.producer = producer
    result.versions = lowered
    return result, f"versions.producer is {producer:,} instead of {versions.producer:,}: {op} was removed after that"


def _removed_ops(graph: GraphDef, ops: Mapping[str, OpDef]) -> dict[str, int]:
    """Return the ops of a graph and its functions that its producer does not allow, and the version without them."""
    producer = graph.versions.producer if graph.versions is not None else 0
    functions = graph.library.function if graph.library is not None else []
    used = {node.op for nodes in (graph.node, *(function.node_def for function in functions)) for node in nodes}
    removed = {}
    for name in used:
        op = ops.get(name)
        if op is not None and op.deprecation is not None and 0 < op.deprecation.version <= producer:
            removed[name] = op.deprecation.version
    return removed


OTHER_FIELDS = ("versions", "version", "library", "debug_info")
"""The fields of a graph besides its nodes."""

_MEASURED_AT_ONCE = 16  # nodes: measuring takes the memory of encoding them


class GraphSize:
    """Tracks the size of the present graph in bytes; None while it is not known."""

    def __init__(self, graph: GraphDef, *, is_measured: bool) -> None:
        self._original = graph
        self._added_sizes = 0
        self.present = self.original if is_measured else None

    @cached_property
    def original(self) -> int:
        """The size of the input graph."""
        return self._original.ByteSize()

    def check(self, after: GraphDef, before: GraphDef, limit: output_limit.OutputLimit) -> int | None:
        """Return the size of the graph that a step made of the present one, or None if it was not measured.

        Raises TransformError if it is larger than the limit and larger than before, or if it cannot be encoded.
        """
        try:
            if self.present is None:
                self._added_sizes += sum(
                    _bounded_size(_added_sizes(after, before), output_limit.MIN_LIMIT - self._added_sizes)
                )
                if self._added_sizes <= output_limit.MIN_LIMIT:
                    return None
                self.present = before.ByteSize()
            max_size = max(limit.limit, self.present)
            size = self.present - _removed_bytes(after, before)
            size += sum(_bounded_size(_added_sizes(after, before), max_size - size))
        except EncodeError as error:
            raise TransformError(f"it returned a graph that cannot be encoded: {error}") from error
        if size > max_size:
            raise TransformError(f"refused, the result would be too large: {limit.explanation}")
        return size


def _bounded_size(sizes: Iterator[tuple[int, list[NodeDef]]], max_size: int) -> Iterator[int]:
    """Yield the sizes of pieces until they exceed `max_size`; a piece whose minimum size exceeds it is not measured."""
    total = 0
    for min_size, nodes in sizes:
        size = GraphDef(node=nodes).ByteSize() if nodes and total + min_size <= max_size else min_size
        yield size
        total += size
        if total > max_size:
            return


def _added_sizes(after: GraphDef, before: GraphDef) -> Iterator[tuple[int, list[NodeDef]]]:
    """Yield the new nodes, a few at a time, with their minimum size; and the size of the other fields if changed."""
    if _other_fields_differ(after, before):
        yield with_nodes(after, []).ByteSize(), []
    old = set(map(id, before.node))
    nodes = [node for node in after.node if id(node) not in old]
    for start in range(0, len(nodes), _MEASURED_AT_ONCE):
        piece = nodes[start : start + _MEASURED_AT_ONCE]
        yield sum(len(text) for node in piece for text in node.input), piece


def _removed_bytes(after: GraphDef, before: GraphDef) -> int:
    new = set(map(id, after.node))
    size = GraphDef(node=[node for node in before.node if id(node) not in new]).ByteSize()
    return size + (with_nodes(before, []).ByteSize() if _other_fields_differ(after, before) else 0)


def _other_fields_differ(after: GraphDef, before: GraphDef) -> bool:
    return any(getattr(after, name) is not getattr(before, name) for name in OTHER_FIELDS)
