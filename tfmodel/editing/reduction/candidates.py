"""Smaller graphs: some nodes stay, and constants with the sample's values stand for everything before them.

Constants do not stand for resources, for tensors without a value, and for nodes inside a loop of TensorFlow 1: such
nodes stay if a node that stays needs them, and a loop stays or goes as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...analysis.shapes import Shapes, infer_shapes
from ...errors import GraphError
from ...graph import GraphIndex, check_graph, replace_node, with_nodes
from ...graph.attributes import references
from ...graph.colocation import CLASS
from ...graph.validate import Fault
from ...messages import AttrValue, DataType, GraphDef, NodeDef
from ...ops.definitions import Registry
from ...ops.ports import output_types
from ...ops.traits import EXIT, PLACEHOLDERS
from ...values.dtypes import DTYPES
from ...values.names import TensorName, control_inputs
from ...values.tensors import from_ndarray
from .values import Values

_NOT_CONSTANT = (DataType.DT_RESOURCE, DataType.DT_VARIANT)
_MAX_CONSTANT_BYTES = 1 << 28


class Candidate(NamedTuple):
    """A graph that may show the problem, the tensors that are its outputs, and the inputs that are left."""

    graph: GraphDef
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]


class Candidates:
    """Makes smaller graphs of one graph.

    graph     the original
    values    the values of its tensors
    ops       declarations of ops
    made_up   whether zeros may stand for tensors of a known shape that cannot be computed, such as variables without a
              checkpoint
    """

    def __init__(self, graph: GraphDef, values: Values, ops: Registry, *, made_up: bool = False) -> None:
        self.graph = graph
        self.values = values
        self._ops = ops
        self._made_up = made_up
        self.index = GraphIndex(graph)
        self._faults = {_key(fault) for fault in check_graph(graph, registry=ops)}

    @cached_property
    def order(self) -> list[str]:
        """The names of the nodes in execution order."""
        return [node.name for node in self.index.execution_order]

    @cached_property
    def units(self) -> dict[str, str]:
        """The outermost loop of each node in a loop, by the name of the node."""
        units = {}
        for node in self.graph.node:
            frame = self.index.frame(node.name)
            while frame is not None and frame.parent is not None:
                frame = frame.parent
            if frame is not None:
                units[node.name] = frame.name
        return units

    def before(self, names: Iterable[str]) -> list[str]:
        """Return the names of nodes, and of all nodes that they need, in execution order."""
        needed, waiting = set(), list(names)
        while waiting:
            name = waiting.pop()
            if name not in needed:
                needed.add(name)
                waiting += (producer.name for producer in self.index.producers(name))
        return [name for name in self.order if name in needed]

    def make(self, kept: Iterable[str], outputs: Iterable[str]) -> Candidate | None:
        """Return the graph in which the nodes `kept` stay, and the outputs are computed.

        Return None if this is not a valid graph.
        """
        kept_set = set(kept)
        units = {self.units[name] for name in kept_set if name in self.units}
        kept_set |= {name for name, unit in self.units.items() if unit in units}
        outputs = tuple(outputs)
        frontier = [tensor for name in kept_set for tensor in references(self.index[name]) if not tensor.is_control]
        self.values.compute(
            tensor for tensor in frontier if tensor.node not in kept_set and self._may_be_constant(tensor)
        )
        builder = _Builder(self, kept_set)
        try:
            for output in outputs:
                builder.add(TensorName.parse(output).node)
        except GraphError:
            return None
        graph = with_nodes(self.graph, builder.nodes())
        inputs = tuple(node.name for node in graph.node if node.op in PLACEHOLDERS)
        if any(_key(fault) not in self._faults for fault in check_graph(graph, registry=self._ops)):
            return None
        return Candidate(graph, outputs, inputs)

    def _may_be_constant(self, tensor: TensorName) -> bool:
        is_outside = tensor.node not in self.units or self.index[tensor.node].op in EXIT
        return is_outside and self.type_of(tensor) not in (None, *_NOT_CONSTANT)

    def type_of(self, tensor: TensorName) -> DataType | None:
        """Return the type of a tensor; None if it is unknown, or a reference."""
        node = self.index[tensor.node]
        op = self._ops.get(node.op)
        if op is None:
            return None
        try:
            types = output_types(node, op)
        except GraphError:
            return None
        dtype = types[tensor.port] if tensor.port < len(types) else None
        return dtype if dtype is not None and dtype in DataType.__numbers__ and dtype < 100 else None

    def constant(self, tensor: TensorName) -> AttrValue | None:
        """Return the value of a tensor as an attribute of a Const; None if no constant can stand for it."""
        if not self._may_be_constant(tensor):
            return None
        value = self.values.get(tensor)
        if value is None and self._made_up:
            value = self._zeros(tensor)
        if value is None or getattr(value, "nbytes", 0) > _MAX_CONSTANT_BYTES:
            return None
        try:
            return AttrValue(tensor=from_ndarray(value, self.type_of(tensor)))
        except (TypeError, ValueError):
            return None

    def _zeros(self, tensor: TensorName) -> Any:
        """Return zeros of the type and shape of a tensor; None if these are not known, or for a type without zero."""
        shape, dtype = self._shapes.get(tensor.numbered), self.type_of(tensor)
        row = DTYPES.get(dtype) if dtype is not None else None
        if shape is None or None in shape or row is None or row.is_object:
            return None
        return np.broadcast_to(np.zeros((), row.numpy), [size for size in shape if size is not None])

    @cached_property
    def _shapes(self) -> Shapes:
        return infer_shapes(self.graph)

    def has_unknown_op(self, name: str) -> bool:
        """Return whether the op of a node is not declared."""
        return self.index[name].op not in self._ops


def _key(fault: Fault) -> tuple[str, str]:
    return fault.kind, fault.node


class _Builder:
    """Collects the nodes of a candidate."""

    def __init__(self, candidates: Candidates, kept: set[str]) -> None:
        self._candidates = candidates
        self._kept = kept
        self._added: dict[str, NodeDef] = {}
        self._constants: dict[TensorName, NodeDef] = {}
        self._names = candidates.index.taken_names()

    def add(self, name: str) -> None:
        """Add a node that stays, and what it needs."""
        waiting = [name]
        while waiting:
            name = waiting.pop()
            if name in self._added:
                continue
            node = self._candidates.index[name]
            inputs: list[str] = []
            for tensor in references(node):
                if tensor.is_control:
                    if tensor.node in self._kept:
                        inputs.append(str(tensor))
                        waiting.append(tensor.node)
                    continue
                constant = None if tensor.node in self._kept else self._constant(tensor)
                inputs.append(constant if constant is not None else str(tensor))
                if constant is None:
                    waiting.append(tensor.node)
            attributes = node.attr
            if CLASS in attributes:
                attributes = {key: value for key, value in attributes.items() if key != CLASS}
            same = inputs == node.input and attributes is node.attr
            self._added[name] = node if same else replace_node(node, input=inputs, attr=attributes)

    def _constant(self, tensor: TensorName) -> str | None:
        node = self._candidates.index[tensor.node]
        if node.op == "Const" and not control_inputs(node):
            self._added.setdefault(node.name, node)
            return str(tensor)
        known = self._constants.get(tensor)
        if known is None:
            value = self._candidates.constant(tensor)
            if value is None or value.tensor is None:
                return None
            name = tensor.node if not tensor.port else self._names.fresh(f"{tensor.node}_{tensor.port}")
            dtype = AttrValue(type=value.tensor.dtype)
            known = self._constants[tensor] = NodeDef(name=name, op="Const", attr={"dtype": dtype, "value": value})
        return known.name

    def nodes(self) -> list[NodeDef]:
        """Return the nodes in the order of the original."""
        by_name = {node.name: node for node in self._constants.values() if node.name not in self._added} | self._added
        originals = self._candidates.index.positions
        return sorted(by_name.values(), key=lambda node: originals.get(node.name, -1))
