"""Replace the outputs of constant nodes by new Const nodes.

New constants have the names of the original, `<node>/_<i>__cf__<j>`. The number i counts constants, and j counts
constants and outputs of shape ops, which all come first. Constants are counted in the order of the names of the nodes
that they replace. In this order, output k of all outputs of shape ops has the name `<node>/_<k>__cf__<k>`.

Two kinds of constants are counted but not made: constants for declared outputs that nothing else uses, since these
nodes stay, and constants for lists of tensors, which only the original makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from pbwire.lazy.undecoded_maps import wire_entry

from ...graph import replace_node
from ...messages import AttrValue, DataType, NodeDef, OpDef, TensorProto
from ...ops import output_types
from ...ops.traits import CONSTS, ENTER, UNCHANGED
from ...values.dtypes import dtype_of
from ...values.names import CONTROL, TakenNames
from ...values.tensors import elements_of, from_ndarray
from ...values.terminal import escape
from ..framework.node_edits import content_tensor
from ..framework.report import StepReport
from .dependencies import Dependencies, Output
from .evaluation import TOO_LARGE, Constants

_HANDLES = (DataType.DT_RESOURCE, DataType.DT_VARIANT)
_PASSING = UNCHANGED - ENTER  # Enter passes on a value to another frame, where the Const is not
_OUTPUT_SHAPES = "_output_shapes"
_STRING_BYTES = 24  # per string, in addition to its characters, as TensorFlow counts them


@dataclass(frozen=True, slots=True)
class _Constant:
    """A new Const: its name, its value, and the positions of the nodes from which it has control inputs."""

    name: str
    value: TensorProto
    controls: frozenset[int]


def replace_constants(
    dependencies: Dependencies,
    constants: Constants,
    ops: Mapping[str, OpDef],
    complete: Callable[[NodeDef], NodeDef],
    limit: int,
    report: StepReport,
) -> list[NodeDef]:
    """Return the nodes that the outputs need after folding: old nodes in the order of `Dependencies.ranks`, then new
    constants.

    `complete` adds default attributes to old nodes. Results of more than `limit` bytes do not become constants. Nodes
    that are fed are not included. The values of `constants` are consumed.
    """
    new = _make_constants(dependencies, constants, ops, limit, report)
    return _Replacement(dependencies, constants, new).nodes(complete, report)


# --- new constants ---------------------------------------------------------------------------------------------------


def _make_constants(
    dependencies: Dependencies, constants: Constants, ops: Mapping[str, OpDef], limit: int, report: StepReport
) -> dict[Output, _Constant]:
    """Return new constants by the tensors that they replace, in the order of the original."""
    nodes = dependencies.index.nodes
    keys: dict[Output, str] = {}
    for position, ports in constants.shaped.items():
        for port in range(ports):
            keys[position, port] = f"{nodes[position].name}/_{len(keys)}__cf__{len(keys)}"
    taken = TakenNames(nodes[position].name for position in (*dependencies.tensors, *dependencies.fed))
    new: dict[Output, _Constant] = {}
    numbers = count()
    for position, port in sorted(
        constants.values, key=lambda tensor: (keys.get(tensor, nodes[tensor[0]].name), tensor[1])
    ):
        node, array = nodes[position], constants.values.pop((position, port))
        dtype = output_types(node, ops[node.op])[port]
        assert dtype is not None, "constant tensors have a known type"
        tensor, problem = _make_tensor(array, dtype, limit)
        if tensor is None:
            report.refuse(node.name, problem)
            if dtype in _HANDLES:
                next(numbers)
            continue
        number = next(numbers)
        name = taken.fresh(f"{node.name}/_{number}__cf__{len(keys) + number}")
        new[position, port] = _Constant(name, tensor, constants.controls[position])
    return new


def _make_tensor(array: Any, dtype: DataType, limit: int) -> tuple[TensorProto | None, str]:
    """Return a tensor of an array and ""; or None and the reason why this is not possible.

    A single element is stored in the field of its type, and several elements in `tensor_content`.
    """
    if dtype in _HANDLES:
        return None, "its output cannot be a constant"
    row = dtype_of(dtype)
    try:
        contents = sum(map(len, elements_of(array))) if row.is_object else 0
        size = contents + array.size * (_STRING_BYTES if row.is_object else row.itemsize)
        if size > limit:
            return None, TOO_LARGE.format(limit)
        return content_tensor(array, dtype) if array.size > 1 else from_ndarray(array, dtype), ""
    except (TypeError, ValueError) as error:  # the tensor has another type than the graph declares
        return None, escape(str(error))


# --- needed nodes -----------------------------------------------------------------------------------------------------


class _Replacement:
    """The nodes that the outputs need if tensors are replaced by new constants.

    A new constant must not be a copy of a Const that is still needed: this would double the weights of a model. Such a
    tensor is the output of an Identity, for example. If there is one, control inputs from constants, which may be all
    that still needs the Const, are replaced. If it is needed for another reason, consumers take its output, or that of
    the Identity if this is needed too or waits for other nodes.

    old        the positions of the old nodes that are needed
    used       the tensors that needed new constants replace
    replaced   the outputs of Const nodes that nodes take in place of other tensors
    """

    def __init__(self, dependencies: Dependencies, constants: Constants, new: dict[Output, _Constant]) -> None:
        self._dependencies = dependencies
        self._nodes = dependencies.index.nodes
        self._constant_controls = constants.controls
        self._new = new
        self._replaced: dict[Output, Output] = {}
        self._keeps_controls = True
        self._old, self._used = self._find_needed()
        if self._copies():
            self._keeps_controls = False
            self._old, self._used = self._find_needed()
        while copies := self._copies():
            for tensor, origin in copies.items():
                del new[tensor]
                if origin != tensor:
                    self._replaced[tensor] = origin
            self._old, self._used = self._find_needed()

    def nodes(self, complete: Callable[[NodeDef], NodeDef], report: StepReport) -> list[NodeDef]:
        """Return the old nodes, then the new constants in the order of the original."""
        dependencies = self._dependencies
        nodes = [
            self._rewire(complete(self._nodes[position]), position)
            for position in sorted(self._old, key=dependencies.ranks.__getitem__)
        ]
        for tensor, constant in self._new.items():
            if tensor in self._used:
                attributes = {"dtype": AttrValue(type=constant.value.dtype), "value": AttrValue(tensor=constant.value)}
                controls = self._references(constant.controls)
                nodes.append(NodeDef(name=constant.name, op="Const", input=controls, attr=attributes))
        report.fire(len(self._used) + len(self._replaced))
        return nodes

    def _find_needed(self) -> tuple[set[int], set[Output]]:
        dependencies = self._dependencies
        old: set[int] = set()
        used: set[Output] = set()
        queue = [position for position, _ in dependencies.outputs]
        while queue:
            position = queue.pop()
            if position in old or position in dependencies.fed:
                continue
            old.add(position)
            queue += self._controls(position)
            for tensor in dependencies.tensors[position]:
                if tensor not in self._new:
                    queue.append(self._replaced.get(tensor, tensor)[0])
                elif tensor not in used:
                    used.add(tensor)
                    queue += self._new[tensor].controls
        return old, used

    def _controls(self, position: int) -> set[int]:
        """Return the positions of the nodes from which a node gets control inputs.

        A constant has no effect. Unless control inputs are kept, the nodes that must run before it take its place.
        """
        if self._keeps_controls:
            return set(self._dependencies.controls[position])
        controls = set[int]()
        for source in self._dependencies.controls[position]:
            controls |= self._constant_controls.get(source, {source})
        return controls

    def _copies(self) -> dict[Output, Output]:
        """Return the used tensors whose new constant would be a copy of a needed Const, and what consumers take."""
        copies = {}
        for tensor in self._used:
            position, _ = tensor
            origin = self._origin(position)
            if origin in self._old and origin != position:
                waits = self._constant_controls[position] <= set(self._dependencies.controls[origin])
                copies[tensor] = (origin, 0) if waits and position not in self._old else tensor
        return copies

    def _origin(self, position: int) -> int:
        """Return the Const whose value a node passes on; the position of another node if there is none."""
        while self._nodes[position].op in _PASSING and len(tensors := self._dependencies.tensors[position]) == 1:
            position, _ = tensors[0]
        return position if self._nodes[position].op in CONSTS else -1

    def _rewire(self, node: NodeDef, position: int) -> NodeDef:
        inputs = [*self._inputs(self._dependencies.tensors[position]), *self._references(self._controls(position))]
        fields: dict[str, Any] = {}
        if inputs != node.input:
            fields["input"] = inputs
        if wire_entry(node, "attr", _OUTPUT_SHAPES) is not None:
            fields["attr"] = {name: value for name, value in node.attr.items() if name != _OUTPUT_SHAPES}
        return replace_node(node, **fields) if fields else node

    def _inputs(self, tensors: list[Output]) -> Iterator[str]:
        dependencies = self._dependencies
        for tensor in tensors:
            if tensor in self._new:
                yield self._new[tensor].name
            elif tensor[0] in dependencies.fed:
                yield f"{self._nodes[tensor[0]].name}:{tensor[1]}"
            else:
                yield dependencies.reference(*self._replaced.get(tensor, tensor))

    def _references(self, controls: Iterable[int]) -> list[str]:
        dependencies = self._dependencies
        return [dependencies.reference(source, CONTROL) for source in sorted(controls, key=dependencies.name_in_run)]
