"""Detect writes to variables that never run, because a constant predicate leads to another branch.

Freezing keeps the conditionals of TensorFlow 1, and a bound input such as phase_train is their predicate.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import GraphError, TensorError
from ..graph.attributes import attr
from ..messages import NodeDef, TensorProto
from ..values.names import TensorName
from ..values.tensor_header import read_header, read_number

_SWITCHES = ("Switch", "RefSwitch")
_MERGES = ("Merge", "RefMerge")
_MAX_NODES = 10_000


def is_dead(node: NodeDef, nodes: Mapping[str, NodeDef]) -> bool:
    """Return whether a node never runs: it needs the output of a Switch that is never taken."""
    queue, seen = [node], {node.name}
    for current in queue:  # the loop appends to it
        if current.op in _MERGES or len(seen) > _MAX_NODES:
            continue
        for text in current.input:
            tensor = TensorName.parse(text)
            producer = nodes.get(tensor.node)
            if producer is None:
                continue
            if producer.op in _SWITCHES and not tensor.is_control:
                taken = _constant(producer.input[1], nodes) if len(producer.input) > 1 else None
                if taken is not None and tensor.port != int(taken):
                    return True
            if producer.name not in seen:
                seen.add(producer.name)
                queue.append(producer)
    return False


def _constant(text: str, nodes: Mapping[str, NodeDef]) -> bool | None:
    """Return the value of a Boolean that is a constant, perhaps behind Identity nodes; None if it is not known."""
    node = nodes.get(TensorName.parse(text).node)
    for _ in range(_MAX_NODES):
        if node is None or node.op != "Identity" or not node.input:
            break
        node = nodes.get(TensorName.parse(node.input[0]).node)
    if node is None or node.op != "Const":
        return None
    try:
        tensor = attr(node, "value", TensorProto)
        value = read_number(tensor) if read_header(tensor).shape == () else None
    except (GraphError, TensorError):
        return None
    return value if isinstance(value, bool) else None
