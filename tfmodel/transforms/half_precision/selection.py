"""Choose the nodes of a graph, or of a function, that compute in half precision.

    selection = select_nodes(index, ops, DataType.DT_HALF, constants=..., pinned={"y": "it is excluded"})
    selection.changes["conv"]       # Change: the attributes and ports that become half precision
    selection.kept["softmax"]       # the reason why a node that computes with floats stays float32

Layers compute in half precision, and sensitive ops in float32. The other ops, such as Add and Relu, follow: those that
are connected with each other, and with nothing between them but each other, form a group, which has one precision. It
is half precision if one of its neighbours is a layer, or if none of them stays float32. So a number is not rounded
between two nodes that both compute in float32, and the nodes of a loop agree.

A node that reads a constant that half precision cannot represent stays float32. So do the nodes behind it, as far as
these only move its numbers, add or multiply: a mask of -1e9 would be infinite again in the next node.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ...errors import GraphError
from ...graph import CONTROL_FLOW, GraphIndex, replace_node
from ...graph.function_body import ARGUMENT_OP
from ...messages import AttrValue, DataType, NodeDef, OpDef
from ...ops import Ports, input_types, output_types
from ...ops.traits import CONSTS, PLACEHOLDERS
from ...values.dtypes import dtype_name
from ...values.names import TensorName, data_inputs
from .kernels import COMBINES, GATHERS, LAYERS, MOVES, READERS, SENSITIVE, half_attributes

EXACT = frozenset({DataType.DT_BOOL, DataType.DT_INT8, DataType.DT_UINT8})
"""Types of which half precision represents all values."""

OLD_BATCH_NORM, NEW_BATCH_NORM = "FusedBatchNorm", "FusedBatchNormV2"
"""The first has one type for images and statistics; the second keeps the statistics in float32."""


class Change(NamedTuple):
    """A node that becomes half precision.

    node             the node with its new attributes, and the old inputs
    inputs, outputs  the ports that become half precision
    """

    node: NodeDef
    inputs: tuple[range, ...]
    outputs: tuple[range, ...]

    def takes(self, place: int) -> bool:
        """Return whether an input becomes half precision."""
        return any(place in ports for ports in self.inputs)

    def gives(self, port: int) -> bool:
        """Return whether an output becomes half precision."""
        return any(port in ports for ports in self.outputs)


class Unrepresentable(NamedTuple):
    """A constant that has to stay float32: the reason, and whether its numbers are too large."""

    reason: str
    overflows: bool


@dataclass(slots=True)
class Selection:
    """The nodes that become half precision, by name, and the reasons why other nodes with floats do not."""

    changes: dict[str, Change] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)

    def is_half(self, tensor: TensorName) -> bool:
        """Return whether a tensor becomes half precision."""
        change = self.changes.get(tensor.node)
        return change is not None and change.gives(max(tensor.port, 0))


def select_nodes(
    index: GraphIndex,
    ops: Mapping[str, OpDef],
    half: DataType,
    *,
    constants: Mapping[str, Unrepresentable],
    pinned: Mapping[str, str],
    wide: Collection[str] = (),
    include: Collection[str] = (),
) -> Selection:
    """Return the nodes that compute in half precision.

    `constants` are those that have to stay float32, by name. `pinned` has the nodes that stay float32 for other
    reasons. `wide` are nodes with results that are known to be too large. `include` are sensitive ops to convert.
    """
    selector = _Selector(index, ops, half, include)
    return selector.select(selector.pin(constants, pinned, wide), constants)


class _Selector:
    def __init__(self, index: GraphIndex, ops: Mapping[str, OpDef], half: DataType, include: Collection[str]) -> None:
        self._index = index
        self._ops = ops
        self._half = half
        self._name = dtype_name(half)
        self._include = frozenset(include)
        self._tensors = {node.name: [*map(TensorName.parse, data_inputs(node))] for node in index.nodes}
        self._candidates: dict[str, Change] = {}
        self._kept: dict[str, str] = {}
        for node in index.nodes:
            change, reason = self._candidate(node)
            if change is not None:
                self._candidates[node.name] = change
            elif reason:
                self._kept[node.name] = reason

    # --- candidates --------------------------------------------------------------------------------------------------

    def _candidate(self, node: NodeDef) -> tuple[Change | None, str]:
        """Return the change of a node that can compute in half precision; else None, and why it stays float32."""
        op = self._ops.get(node.op)
        if op is None or node.op in CONSTS or node.op in PLACEHOLDERS:
            return None, ""
        try:
            names = self._attributes(node)
            return (self._change(node, names), "") if names else (None, self._obstacle(node, op))
        except GraphError as error:  # an attribute is missing, or the number of ports is not known
            return None, str(error)

    def _attributes(self, node: NodeDef) -> tuple[str, ...]:
        """Return the attributes of a node that can become half precision; empty if there are none."""
        if node.op == "Cast":
            return _attributes_of_cast(node)
        if (node.op in SENSITIVE and node.op not in self._include) or _computes_statistics(node):
            return ()
        op = NEW_BATCH_NORM if node.op == OLD_BATCH_NORM else node.op
        names = half_attributes(op, self._half)
        return names if all(_type(node, name) == DataType.DT_FLOAT for name in names) else ()

    def _obstacle(self, node: NodeDef, op: OpDef) -> str:
        """Return why a node with floats stays float32; "" for other nodes."""
        types = {_type(node, one.name) for one in op.attr if one.type == "type"}
        if DataType.DT_FLOAT not in types or node.op == "Cast":
            return ""
        if node.op in SENSITIVE:
            return "its op is sensitive to rounding"
        if _computes_statistics(node):
            return "it computes statistics of its input"
        return f"its op is not converted to {self._name}"

    def _change(self, node: NodeDef, names: tuple[str, ...]) -> Change:
        new = replace_node(node, attr={**node.attr, **dict.fromkeys(names, AttrValue(type=self._half))})
        if node.op == OLD_BATCH_NORM:
            new = replace_node(new, op=NEW_BATCH_NORM, attr={**new.attr, "U": AttrValue(type=DataType.DT_FLOAT)})
        op = self._ops[new.op]
        inputs = _ports(input_types(new, op), op.input_arg, names)
        return Change(new, inputs, _ports(output_types(new, op), op.output_arg, names))

    def _is_layer(self, node: NodeDef) -> bool:
        if node.op not in GATHERS or not self._tensors[node.name]:
            return node.op in LAYERS
        table = self._index.get(self._tensors[node.name][0].node)
        return table is not None and table.op in CONSTS

    # --- nodes that stay float32 -------------------------------------------------------------------------------------

    def pin(
        self, constants: Mapping[str, Unrepresentable], pinned: Mapping[str, str], wide: Collection[str]
    ) -> dict[str, str]:
        """Return the nodes that stay float32, with reasons: the given ones, and those that get too large numbers."""
        result = dict(pinned)
        spread = dict(constants)
        for name in wide:
            spread[name] = Unrepresentable(f"its values overflow {self._name}", True)
            result.setdefault(name, spread[name].reason)
        if not spread:
            return result
        for position in self._index.forward_order:
            node = self._index.nodes[position]
            change = self._candidates.get(node.name)
            sources = [
                spread[tensor.node]
                for place, tensor in enumerate(self._tensors[node.name])
                if tensor.node in spread and change is not None and change.takes(place)
            ]
            if not sources:
                continue
            source = max(sources, key=lambda one: one.overflows)
            what = f"overflows {self._name}" if source.overflows else f"would become zero in {self._name}"
            result.setdefault(node.name, f"one of its inputs {what}")
            if node.op in MOVES or (node.op in COMBINES and source.overflows):
                spread.setdefault(node.name, source)
        return result

    # --- groups ------------------------------------------------------------------------------------------------------

    def select(self, pinned: Mapping[str, str], constants: Collection[str]) -> Selection:
        """Return the nodes that become half precision if those in `pinned` stay float32."""
        kept, fixed = dict(self._kept), set[str]()
        for name, reason in pinned.items():
            if name in self._candidates:
                kept[name] = reason
                if self._candidates[name].node.op in CONTROL_FLOW:  # all nodes of a loop have one type
                    fixed.add(name)
                else:
                    del self._candidates[name]
        groups = self._groups(fixed)
        changes: dict[str, Change] = {}
        for name, change in self._candidates.items():
            if name in groups and not groups.is_half(name):
                kept.setdefault(name, "the nodes around it stay float32")
            elif not _is_reader(change):
                changes[name] = change
        selection = Selection(changes, kept)
        self._add_readers(selection, constants)
        return selection

    def _groups(self, fixed: Collection[str]) -> _Groups:
        """Return the groups of followers; those of the nodes `fixed` stay float32."""
        candidates = self._candidates.items()
        layers = {name for name, change in candidates if self._is_layer(change.node)}
        groups = _Groups(name for name, change in candidates if name not in layers and not _is_reader(change))
        for name in fixed:
            groups.fix(name)
        for name, tensors in self._tensors.items():
            change = self._candidates.get(name)
            for place, tensor in enumerate(tensors):
                source = self._candidates.get(tensor.node)
                takes = change is not None and change.takes(place)
                gives = source is not None and source.gives(max(tensor.port, 0))
                if change is not None and _is_reader(change):
                    continue
                if takes and gives:
                    groups.join(tensor.node, name)
                elif takes and not self._is_neutral(tensor.node):
                    groups.add_float_neighbour(name)
                elif gives:
                    groups.add_float_neighbour(tensor.node)
        return groups

    def _is_neutral(self, name: str) -> bool:
        """Return whether the output of a node costs the same in both precisions: a constant, an input or an integer."""
        node = self._index.get(name)
        return node is None or node.op in CONSTS or node.op in PLACEHOLDERS or node.op in (ARGUMENT_OP, "Cast")

    def _add_readers(self, selection: Selection, constants: Collection[str]) -> None:
        """Add the readers whose floats all come in half precision."""
        for name, change in self._candidates.items():
            if not _is_reader(change):
                continue
            floats = [tensor for place, tensor in enumerate(self._tensors[name]) if change.takes(place)]
            others = [tensor for tensor in floats if not selection.is_half(tensor)]
            if len(others) < len(floats) and all(self._is_free_constant(tensor.node, constants) for tensor in others):
                selection.changes[name] = change

    def _is_free_constant(self, name: str, constants: Collection[str]) -> bool:
        node = self._index.get(name)
        return node is not None and node.op in CONSTS and name not in constants


class _Groups:
    """Followers that are connected with each other, and the neighbours of these groups."""

    def __init__(self, names: Iterable[str]) -> None:
        self._parents = {name: name for name in names}
        self._near_layer: set[str] = set()
        self._near_float: set[str] = set()
        self._fixed: set[str] = set()
        self._roots: tuple[set[str], set[str], set[str]] | None = None

    def __contains__(self, name: str) -> bool:
        return name in self._parents

    def join(self, one: str, other: str) -> None:
        """Record an edge between two nodes that can compute in half precision: followers or layers."""
        if one in self._parents and other in self._parents:
            self._parents[self._root(one)] = self._root(other)
        elif one in self._parents or other in self._parents:
            self._near_layer.add(one if one in self._parents else other)

    def add_float_neighbour(self, name: str) -> None:
        """Record an edge between a follower and a node that stays float32."""
        if name in self._parents:
            self._near_float.add(name)

    def fix(self, name: str) -> None:
        """Keep the group of a follower in float32."""
        if name in self._parents:
            self._fixed.add(name)

    def is_half(self, name: str) -> bool:
        """Return the precision of the group of a follower, once all edges are recorded."""
        if self._roots is None:
            near_layer, near_float, fixed = (
                {*map(self._root, names)} for names in (self._near_layer, self._near_float, self._fixed)
            )
            self._roots = near_layer, near_float, fixed
        near_layer, near_float, fixed = self._roots
        root = self._root(name)
        return root not in fixed and (root in near_layer or root not in near_float)

    def _root(self, name: str) -> str:
        while self._parents[name] != name:
            self._parents[name] = name = self._parents[self._parents[name]]  # halves the path
        return name


def _is_reader(change: Change) -> bool:
    return change.node.op in READERS or (change.node.op == "Cast" and bool(change.inputs))


def _computes_statistics(node: NodeDef) -> bool:
    """Return whether a batch norm computes the mean and the variance of its input, as layer norms of Keras do.

    That is a sum of many numbers. Besides, TensorFlow 2.12 with oneDNN cannot run such a layer norm in float16.
    """
    training = node.attr.get("is_training")
    return node.op in (OLD_BATCH_NORM, NEW_BATCH_NORM, "FusedBatchNormV3") and (
        training is None or training.b is not False
    )


def _attributes_of_cast(node: NodeDef) -> tuple[str, ...]:
    """Return the attribute of a Cast that can become half precision.

    It is the type of its input, or that of its output if half precision represents all values of the input.
    """
    if _type(node, "SrcT") == DataType.DT_FLOAT:
        return ("SrcT",)
    return ("DstT",) if _type(node, "DstT") == DataType.DT_FLOAT and _type(node, "SrcT") in EXACT else ()


def _type(node: NodeDef, name: str) -> DataType | None:
    """Return a type among the attributes of a node; None if it is missing, or if the caller of a function sets it."""
    value = node.attr.get(name)
    return value.type if value is not None else None


def _ports(ports: Ports, arguments: Iterable[OpDef.ArgDef], names: Collection[str]) -> tuple[range, ...]:
    """Return the ports of the arguments whose types are in `names`."""
    ranges = ports.ranges
    return tuple(ranges[argument.name] for argument in arguments if argument.type_attr in names)
