"""Convert the nodes that compute given tensors, producers first, and collect the nodes that cannot be converted.

The results of a refused node are taken for given, so that all refused nodes are found at once. A node behind a result
that no ONNX tensor can be is not converted, and not refused either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from ....errors import GraphError
from ....messages import NodeDef
from ....ops.traits import CONSTS, PLACEHOLDERS
from ....values.dtypes import dtype_name
from .body import Body
from .call import Call
from .model import Value
from .registry import Refusal, find_converter
from .report import RefusedNode
from .scope import Scope, permuted
from .types import ONNX_TYPES

Steps: TypeAlias = "Iterable[tuple[Body, Scope, list[str]]]"
"""Tensors that must be computed before a node, each in a body and a scope."""

Structure: TypeAlias = "Callable[[Conversion, Body, Scope, NodeDef], None]"
"""Converts a node together with others: a loop, a conditional."""


CALL = "PartitionedCall"
"""The key of the structure that converts calls of functions."""


class SpoiledError(Exception):
    """A tensor that a loop or a conditional needs could not be computed; there is a refusal already."""


class Conversion:
    """The conversion of a graph and of the functions that it calls.

    structures    what converts the nodes of control flow, by op
    refused       the nodes that have no counterpart
    """

    def __init__(self, structures: dict[str, Structure] | None = None) -> None:
        self.structures = structures or {}
        self.refused: list[RefusedNode] = []
        self._spoiled: set[str] = set()  # tensors that could not be computed

    def compute(self, body: Body, scope: Scope, keys: Iterable[str]) -> None:
        """Convert the nodes that make these tensors, and those that make their inputs, unless the scope has them."""
        pending = list(keys)[::-1]
        entered: set[str] = set()
        while pending:
            key = pending[-1]
            if key in scope or key in self._spoiled:
                pending.pop()
                continue
            node = body.producer(key)
            if node is None:
                raise Refusal(f"there is no value for {key}")
            missing = [] if self._stands_alone(body, node) else self._missing(body, scope, node)
            if missing and node.name not in entered:
                entered.add(node.name)
                pending += missing[::-1]
                continue
            pending.pop()
            self.node(body, scope, node)
            if key not in scope:
                self._spoiled.add(key)

    def _missing(self, body: Body, scope: Scope, node: NodeDef) -> list[str]:
        return [key for key in body.inputs(node) if key not in scope and key not in self._spoiled]

    def _stands_alone(self, body: Body, node: NodeDef) -> bool:
        """Return whether a node needs none of its inputs, or sees to them by itself."""
        return self._structure(body, node) is not None or node.op in CONSTS or self._is_known(body, node)

    def node(self, body: Body, scope: Scope, node: NodeDef) -> None:
        """Convert one node, whose inputs are there, and bind the tensors that it makes in the scope."""
        try:
            if node.op in CONSTS or self._is_known(body, node):
                _bind_constant(body, scope, node)
            elif (structure := self._structure(body, node)) is not None:
                structure(self, body, scope, node)
            elif self._spoiled.isdisjoint(body.inputs(node)):
                if self._missing(body, scope, node):
                    raise Refusal("it is in a cycle")
                self._convert(body, scope, node)
            else:
                self.spoil(body, node)
        except SpoiledError:
            self.spoil(body, node)
        except GraphError as error:  # an attribute is damaged, or left to the caller of a function
            self.refuse(body, scope, node, Refusal(str(error)))
        except Refusal as refusal:
            self.refuse(body, scope, node, refusal)

    def _structure(self, body: Body, node: NodeDef) -> Structure | None:
        """Return what converts a node of control flow; a call may name its function by the op."""
        return self.structures.get(CALL if node.op in body.index.functions else node.op)

    def _convert(self, body: Body, scope: Scope, node: NodeDef) -> None:
        found = find_converter(node)(Call(node, body, scope))
        for port, value in enumerate([found] if isinstance(found, Value) else found):
            if value is not None:
                bind(body, scope, body.output(node, port), value, node)

    def refuse(self, body: Body, scope: Scope, node: NodeDef, refusal: Refusal) -> None:
        """Note that a node cannot be converted, once, and let values without a producer be its results."""
        row = RefusedNode(node.name, node.op, refusal.reason, refusal.hint, refusal.opset)
        if row not in self.refused:
            self.refused.append(row)
        for port in range(body.count_outputs(node)):
            key = body.output(node, port)
            if not body.is_onnx(key):
                self._spoiled.add(key)
            elif key not in scope:
                dtype = body.dtype(key)
                scope.bind(key, Value(dtype, body.shape(key), key), dtype)

    def spoil(self, body: Body, node: NodeDef) -> None:
        """Note that the outputs of a node are not computed."""
        self._spoiled.update(body.output(node, port) for port in range(body.count_outputs(node)))

    def require(self, body: Body, scope: Scope, keys: Iterable[str]) -> None:
        """Compute tensors. Raises SpoiledError if that is not possible."""
        wanted = list(keys)
        self.compute(body, scope, wanted)
        if self.is_spoiled(wanted):
            raise SpoiledError

    def is_spoiled(self, keys: Iterable[str]) -> bool:
        return not self._spoiled.isdisjoint(keys)

    def _is_known(self, body: Body, node: NodeDef) -> bool:
        """Return whether the result of a node follows from shapes alone."""
        if node.op in PLACEHOLDERS or self._structure(body, node) is not None or not body.is_single(node):
            return False
        return body.constant(body.output(node)) is not None


def _bind_constant(body: Body, scope: Scope, node: NodeDef) -> None:
    key = body.output(node)
    array, dtype = body.constant(key), body.dtype(key)
    assert array is not None
    if dtype not in ONNX_TYPES:
        raise Refusal(f"ONNX has no operators for {dtype_name(dtype)}")
    scope.bind(key, scope.initializers.value(array, dtype, f"{body.prefix}{node.name}"), dtype)


def bind(body: Body, scope: Scope, key: str, value: Value, node: NodeDef) -> None:
    """Bind a value to a tensor, and give it the shape and the name of the tensor if it is new."""
    if value.listed:
        scope.bind(key, value, value.dtype)
        return
    dtype, shape = body.dtype(key), body.shape(key)
    is_new = value.producer is not None and value.producer.scope == node.name
    if is_new and value.shape is None and shape is not None:
        value.shape = permuted(shape, value.order)
    if is_new and not value.name:
        value.name = key.removesuffix(":0")
    source = next((each for each in body.inputs(node) if each in scope and scope.home(each) is value), None)
    if source is not None and body.dtype(source) == dtype:
        scope.share(key, source)
    else:
        scope.bind(key, value, dtype)
