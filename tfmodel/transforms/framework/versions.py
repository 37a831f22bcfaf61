"""Which ops a graph may have, by the version of its producer.

TensorFlow refuses an op in graphs whose `versions.producer` is the version in which the op was removed, or a later one
(`CheckOpDeprecation` in tensorflow/core/framework/op_def_util.cc): "Op TensorArrayV2 is not available in GraphDef
version 1395. It has been removed in version 26". Such a graph gets the last version that allows all of its ops.

A lower producer gives other nodes another meaning only where TensorFlow asks for it: up to version 21, a Placeholder
whose shape is () may have any shape. So no transform lowers it that far.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping

from ...errors import TransformError
from ...messages import GraphDef, OpDef

__all__ = ["with_allowed_producer"]

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
