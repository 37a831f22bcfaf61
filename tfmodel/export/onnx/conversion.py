"""Convert the nodes of a graph, producers first, and collect the nodes that cannot be converted.

A node behind one that was refused is not converted, and not refused either: the report names only where the trouble
begins.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import GraphError
from ...messages import NodeDef
from ...ops.traits import CONSTS, PLACEHOLDERS
from ...values.dtypes import dtype_name
from .body import Body
from .call import Call
from .model import Value
from .registry import Refusal, converters
from .report import RefusedNode
from .scope import ONNX_TYPES, Scope, permuted, to_first


class Conversion:
    """The conversion of a graph and of the functions that it calls.

    refused    the nodes that have no counterpart
    """

    def __init__(self) -> None:
        self.refused: list[RefusedNode] = []
        self._spoiled: set[str] = set()  # tensors that were not computed

    def nodes(self, body: Body, scope: Scope, nodes: Iterable[NodeDef]) -> None:
        """Convert nodes, producers first."""
        for node in nodes:
            if f"{node.name}:0" not in scope:
                self.node(body, scope, node)

    def node(self, body: Body, scope: Scope, node: NodeDef) -> None:
        """Convert one node, and bind the tensors that it makes in the scope."""
        if node.op in CONSTS or self._is_known(body, node):
            _bind_constant(body, scope, node)
            return
        call = Call(node, body, scope)
        if not self._spoiled.isdisjoint(call.keys):
            self._spoil(body, node)
            return
        try:
            convert = converters().get(node.op)
            if convert is None:
                raise Refusal("no counterpart", _hint(node))
            found = convert(call)
        except Refusal as refusal:
            self.refused.append(RefusedNode(node.name, node.op, refusal.reason, refusal.hint))
            self._spoil(body, node)
            return
        for port, value in enumerate([found] if isinstance(found, Value) else found):
            if value is not None:
                _bind(body, scope, f"{node.name}:{port}", value, node)

    def is_spoiled(self, key: str) -> bool:
        return key in self._spoiled

    def _is_known(self, body: Body, node: NodeDef) -> bool:
        """Return whether the result of a node follows from shapes alone."""
        return node.op not in PLACEHOLDERS and body.constant(f"{node.name}:0") is not None and body.is_single(node)

    def _spoil(self, body: Body, node: NodeDef) -> None:
        self._spoiled.update(f"{node.name}:{port}" for port in range(body.count_outputs(node)))


def _bind_constant(body: Body, scope: Scope, node: NodeDef) -> None:
    key = f"{node.name}:0"
    array, dtype = body.constant(key), body.dtype(key)
    assert array is not None
    if dtype not in ONNX_TYPES:
        raise GraphError(f"ONNX has no operators for {dtype_name(dtype)}, the type of {node.name}")
    scope.bind(key, scope.initializers.value(array, dtype, node.name), dtype)


def _bind(body: Body, scope: Scope, key: str, value: Value, node: NodeDef) -> None:
    """Bind a value to a tensor, and give it the shape and the name of the tensor if it is new."""
    dtype, shape = body.dtype(key), body.shape(key)
    is_new = value.producer is not None and value.producer.scope == node.name
    if is_new and value.shape is None and shape is not None:
        value.shape = permuted(shape, to_first(len(shape))) if value.first else shape
    if is_new and not value.name:
        value.name = key.removesuffix(":0")
    source = next((each for each in body.inputs(node) if each in scope and scope.home(each) is value), None)
    if source is not None and body.dtype(source) == dtype:
        scope.alias(key, source)
    else:
        scope.bind(key, value, dtype)


def _hint(node: NodeDef) -> str:
    """Return what to do about an op without a counterpart."""
    if any(word in node.op for word in ("Decode", "Parse", "Reader", "Iterator", "Queue")):
        return f"name its result as an input: --inputs {node.name}:0"
    return ""
