"""Limits on the result of a transform: the ops that the producer version allows, and the size in bytes.

TensorFlow refuses an op in graphs whose `versions.producer` is the version in which the op was removed, or a later one
(`CheckOpDeprecation` in tensorflow/core/framework/op_def_util.cc): "Op TensorArrayV2 is not available in GraphDef
version 1395. It has been removed in version 26". Such a graph gets the last version that allows all of its ops.

A lower producer changes the meaning of other nodes in one case: up to version 21, a Placeholder whose shape is () may
have any shape. So no transform lowers the producer that far.

Size: see `tfmodel.values.output_limit`. The size of a graph is computed from the nodes that a step added and removed.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from functools import cached_property

from pbwire.errors import EncodeError

from ...errors import TransformError
from ...graph import with_nodes
from ...messages import GraphDef, NodeDef, OpDef
from ...values import output_limit

MIN_PRODUCER = 22
"""The lowest producer under which nodes have their present meaning (tensorflow/core/public/version.h)."""


def lower_producer(after: GraphDef, before: GraphDef, ops: Mapping[str, OpDef]) -> tuple[GraphDef, str]:
    """Lower the producer version of a graph if a transform added ops that it does not allow.

    `before` and `after` are the graphs before and after the transform; `ops` declares ops. Returns the graph, and a
    note, which is empty if the version stays. Ops that were not allowed in `before` either are ignored. Raises
    TransformError if an op is allowed only under producers that would change the meaning of other nodes.
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
    """Return the ops of a graph and its functions that its producer does not allow, with the versions that removed
    them.
    """
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
    """Tracks the size of the present graph from step to step. `present` is the size in bytes, None while not known."""

    def __init__(self, graph: GraphDef, *, is_measured: bool) -> None:
        self._original = graph
        self._added_bytes = 0
        self.present = self.original if is_measured else None

    @cached_property
    def original(self) -> int:
        """The size of the input graph."""
        return self._original.ByteSize()

    def check(self, after: GraphDef, before: GraphDef, limit: output_limit.OutputLimit) -> int | None:
        """Return the size of `after`, which a step made of the present graph `before`; None if it was not measured.

        Raises TransformError if `after` is larger than the limit and larger than `before`, or cannot be encoded.
        """
        try:
            if self.present is None:
                self._added_bytes += sum(
                    _bounded_sizes(_added_pieces(after, before), output_limit.MIN_LIMIT - self._added_bytes)
                )
                if self._added_bytes <= output_limit.MIN_LIMIT:
                    return None
                self.present = before.ByteSize()
            max_size = max(limit.limit, self.present)
            size = self.present - _removed_bytes(after, before)
            size += sum(_bounded_sizes(_added_pieces(after, before), max_size - size))
        except EncodeError as error:
            raise TransformError(f"it returned a graph that cannot be encoded: {error}") from error
        if size > max_size:
            raise TransformError(f"refused, the result would be too large: {limit.explanation}")
        return size


def _bounded_sizes(pieces: Iterator[tuple[int, list[NodeDef]]], max_size: int) -> Iterator[int]:
    """Yield the sizes of pieces until their sum exceeds `max_size`.

    If the minimum size of a piece suffices for this, it is yielded, and the piece is not measured.
    """
    total = 0
    for min_size, nodes in pieces:
        size = GraphDef(node=nodes).ByteSize() if nodes and total + min_size <= max_size else min_size
        yield size
        total += size
        if total > max_size:
            return


def _added_pieces(after: GraphDef, before: GraphDef) -> Iterator[tuple[int, list[NodeDef]]]:
    """Yield the pieces that a step added: a few nodes each, with their minimum size in bytes.

    If other fields than the nodes have changed, the first piece is their size, without nodes.
    """
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
