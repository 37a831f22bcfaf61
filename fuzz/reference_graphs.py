"""A simple evaluator of graphs of simple ops, to compare the interpreter with.

value(graph, "y:1", {"x": array})       # None if the graph has an op that is not supported here
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfmodel.messages import DataType, GraphDef, NodeDef

from . import reference

__all__ = ["value"]

MAX_TENSORS = 200  # tensors
OPS: dict[str, Callable[..., Any]] = {
    "Identity": lambda x: x,
    "Neg": np.negative,
    "Relu": lambda x: np.maximum(x, np.float32(0)),
    "Square": np.square,
    "Tanh": np.tanh,
    "Add": np.add,
    "AddV2": np.add,
    "Mul": np.multiply,
    "Maximum": np.maximum,
    "Sub": np.subtract,
    "AddN": lambda *all_: sum(all_[1:], all_[0]),
}


class _Unknown(Exception):
    """The value of a tensor is unknown."""


def value(graph: GraphDef, tensor: str, feeds: Mapping[str, Any]) -> Any:
    """Return the value of a tensor of floats; None if it needs ops that are not supported here."""
    nodes = {node.name: node for node in graph.node}
    values: dict[tuple[str, int], Any] = {}

    def of(name: str, port: int) -> Any:
        if (name, port) not in values:
            values[name, port] = None  # a cycle
            if len(values) > MAX_TENSORS or name not in nodes:
                raise _Unknown
            values[name, port] = computed(nodes[name], port)
        if values[name, port] is None:
            raise _Unknown
        return values[name, port]

    def computed(node: NodeDef, port: int) -> Any:
        if _types(node) - {DataType.DT_FLOAT}:  # values of other types would be converted
            raise _Unknown
        if node.op == "Placeholder":
            array = np.asarray(feeds.get(node.name))
        elif node.op == "Const":
            array = _constant(node)
        else:
            spelled = [text.partition(":") for text in node.input if not text.startswith("^")]
            inputs = [of(name, int(place or 0)) for name, _, place in spelled]
            if node.op == "IdentityN":
                return inputs[port]
            array = np.asarray(OPS[node.op](*inputs))
        if port or array.dtype != np.float32:
            raise _Unknown
        return array

    name, _, place = tensor.partition(":")
    try:
        with np.errstate(all="ignore"):
            return of(name, int(place or 0))
    except (_Unknown, LookupError, TypeError, ValueError, RecursionError):
        return None


def _types(node: NodeDef) -> set[int]:
    """Return the dtypes that a node declares; for an unknown op or a missing attribute, an unsupported one."""
    if node.op == "IdentityN":
        types = node.attr["T"].list
        return {*types.type} if types is not None else {0}
    if node.op in OPS:
        return {node.attr["T"].type or 0}
    return {node.attr["dtype"].type or 0} if node.op in ("Const", "Placeholder") else {0}


def _constant(node: NodeDef) -> Any:
    tensor = node.attr["value"].tensor
    if tensor is None or tensor.dtype != DataType.DT_FLOAT or tensor.tensor_shape is None:
        raise _Unknown
    sizes = [dim.size for dim in tensor.tensor_shape.dim]
    count = int(np.prod(sizes, dtype=np.float64)) if all(0 <= size < 1000 for size in sizes) else 1 << 20
    elements = reference.elements(tensor, count) if count < 1000 else None
    if elements is None:
        raise _Unknown
    return np.frombuffer(b"".join(elements), np.float32).reshape(sizes)
