"""Inlining: the nodes of functions in place of the calls of them. See the transform `inline_partitionedcall`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Protocol

from ..errors import GraphError
from ..growth import claim
from ..messages import AttrValue, DataType, NameAttrList, NodeDef
from ..names import TensorName, control_input, control_inputs, data_inputs, is_control_input, node_name
from ..transforms.framework.report import StepReport
from .attributes import attr
from .colocation import CLASS, colocated_with
from .control_flow import ENTER
from .edit import TakenNames, changed
from .error_text import describe, quoted
from .functions import given_by_call, substituted
from .index import GraphIndex
from .inlinable import Callee

__all__ = ["CALLS", "Call", "Caller", "Library"]

CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall"})
"""The ops that call the function that their attribute f names."""


class Library(Protocol):
    """What has the functions."""

    report: StepReport

    def called(self, node: NodeDef) -> str:
        """The function that a node calls, if it is a call that is to be inlined; else ""."""

    def callee(self, name: str) -> Callee | str:
        """A function that can be inlined, or why it cannot. Raises GraphError if there is none of that name."""


@dataclass(slots=True)
class Call:
    """A call, and what takes its place.

    nodes      what is inside of the function
    results    the tensors that the results of the call are
    effects    the nodes inside that nobody would wait for who uses them
    ends       the nodes that tell that all is done, if they are not those of the results
    """

    node: NodeDef
    callee: Callee
    nodes: list[NodeDef] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    effects: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)


class Caller:
    """A graph, or the body of a function as a graph, whose calls are inlined.

    fed         calls whose results others give
    wanted      calls whose results are fetched
    followed    nodes that others wait for
    """

    def __init__(
        self,
        index: GraphIndex,
        library: Library,
        *,
        fed: Collection[str] = (),
        wanted: Collection[str] = (),
        followed: Collection[str] = (),
    ) -> None:
        self.calls: dict[str, Call] = {}
        self._index = index
        self._library = library
        self._fed = fed
        self._wanted = wanted
        self._followed = set(followed)
        self._taken = TakenNames(index.positions)
        self._final: dict[str, str] = {}

    def nodes(self) -> list[NodeDef]:
        """The nodes, with others in place of the calls. `calls` has these afterwards, by name."""
        pieces = [self._inlined(position, node) or node for position, node in enumerate(self._index.nodes)]
        if not self.calls:
            return self._index.nodes
        self._follow(pieces)
        result: list[NodeDef] = []
        for piece in pieces:
            result += [piece] if isinstance(piece, NodeDef) else [*piece.nodes, *self._remaining(piece)]
        return [self._reconnected(node) for node in result]

    def resolved(self, text: str) -> str:
        """What a reference is when the calls are gone. Raises GraphError for a result that a call does not have."""
        way = [text]
        passed = {text}
        while way[-1] not in self._final and (result := self._result(way[-1])) is not None:
            if result in passed:
                raise GraphError(f"the result {quoted(text)} of a call is made of itself")
            way.append(result)
            passed.add(result)
        end = self._final.get(way[-1], way[-1])
        self._final.update(dict.fromkeys(way, end))
        return end

    def _result(self, text: str) -> str | None:
        """The tensor inside that a result of a call is; None for what is no result of a call that goes away."""
        call = self.calls.get(node_name(text)) if not is_control_input(text) else None
        if call is None:
            return None
        port = TensorName.parse(text).port
        if port >= len(call.results):
            raise GraphError(f"{describe(call.node)} has {len(call.results):,} results: there is no {quoted(text)}")
        return None if self._stays(call) else call.results[port]

    def _stays(self, call: Call) -> bool:
        """Whether everybody goes on using the call."""
        return bool(call.effects) or call.node.name in self._fed

    def _reconnected(self, node: NodeDef) -> NodeDef:
        inputs = [self.resolved(text) for text in node.input]
        return node if inputs == node.input else changed(node, input=inputs)

    # --- what remains of a call --------------------------------------------------------------------------------------

    def _follow(self, pieces: list[NodeDef | Call]) -> None:
        """Find the calls that control inputs and colocations name."""
        for piece in pieces:
            for node in [piece] if isinstance(piece, NodeDef) else piece.nodes:
                self._followed.update(map(node_name, control_inputs(node)))
                self._followed.update(colocated_with(node))
        queue = [call for name, call in self.calls.items() if name in self._followed or name in self._wanted]
        while queue:
            for name in self._done(queue.pop()):
                if name not in self._followed:
                    self._followed.add(name)
                    queue += [self.calls[name]] if name in self.calls else []

    def _done(self, call: Call) -> list[str]:
        """The nodes that tell that all of a call is done."""
        return call.ends or list(dict.fromkeys(node_name(self.resolved(text)) for text in call.results))

    def _remaining(self, call: Call) -> list[NodeDef]:
        name = call.node.name
        if call.results and (self._stays(call) or name in self._wanted):
            return [self._passing(call, name, call.results, "Tout", [control_input(each) for each in call.effects])]
        if not (call.effects or name in self._wanted or name in self._followed):
            return []
        waiting = [control_input(each) for each in self._done(call)]
        return [NodeDef(name=name, op="NoOp", input=waiting, device=call.node.device)]

    def _passing(self, call: Call, name: str, tensors: list[str], types: str, controls: list[str]) -> NodeDef:
        """An Identity or IdentityN; `types` is the attribute of PartitionedCall that has the types of these tensors."""
        if call.node.op in CALLS:
            value = call.node.attr.get(types, AttrValue())
        else:
            signature = call.callee.signature
            arguments = signature.input_arg if types == "Tin" else signature.output_arg
            value = AttrValue(
                list=AttrValue.ListValue(
                    type=[
                        attr(call.node, each.type_attr, DataType) if each.type_attr else each.type for each in arguments
                    ]
                )
            )
        listed = value.list.type if value.list is not None else []
        if len(listed) == len(tensors) == 1:
            op, value = "Identity", AttrValue(type=listed[0])
        elif value.placeholder is not None or len(listed) == len(tensors):
            op = "IdentityN"
        else:
            raise GraphError(f"{describe(call.node)} has {len(tensors):,} of what {quoted(types)} should list")
        inputs = [*tensors, *controls]
        return NodeDef(name=name, op=op, input=inputs, device=call.node.device, attr={"T": value})

    # --- what is inside of a call ------------------------------------------------------------------------------------

    def _inlined(self, position: int, node: NodeDef) -> Call | None:
        """What takes the place of a node; None if it stays."""
        name = self._library.called(node)
        callee = self._library.callee(name) if name else ""
        if isinstance(callee, Callee):
            effects = callee.effects if node.op in CALLS else callee.effects_by_name
            steered = next((each for each in effects if callee.is_steered(each)), None)
            if steered is None:
                return self._opened(position, node, callee, effects)
            callee = f"{quoted(steered)} of its function has an effect in a loop or conditional"
        if callee:
            self._library.report.refuse(node.name, callee)
        return None

    def _opened(self, position: int, node: NodeDef, callee: Callee, effects: list[str]) -> Call:
        given = data_inputs(node)
        controls = control_inputs(node)
        if len(given) != len(callee.arguments):
            raise GraphError(
                f"{describe(node)} has {len(given):,} inputs, its function {quoted(callee.name)} takes "
                f"{len(callee.arguments):,}"
            )
        names = {each.name: self._taken.fresh(f"{node.name}/{each.name}") for each in callee.nodes}
        call = Call(node, callee, effects=[names[each] for each in effects])
        gate = self._gate(position, call, given, controls)
        if gate is not None:
            call.nodes.append(gate)
            given = [str(TensorName(gate.name, port)) for port in range(len(given))]
        inside = _Inside(callee, call, names, given, gate.name if gate is not None else "")
        call.nodes += inside.nodes()
        call.results = [inside.spelled(tensor) for tensor in callee.returns]
        if callee.controls or effects:
            call.ends = list(dict.fromkeys(names[each] for each in (*callee.controls, *effects) if each in names))
        elif not call.results:
            call.ends = [gate.name] if gate is not None else [node_name(text) for text in given]
        self.calls[node.name] = call
        self._library.report.fire()
        return call

    def _gate(self, position: int, call: Call, given: list[str], controls: list[str]) -> NodeDef | None:
        """What everything inside has to wait for, if there is anything to wait for."""
        index = self._index
        is_steered = index.control_flow and (index.node_frames[position] or index.node_branches[position])
        if not (is_steered or controls):
            return None
        name = self._taken.fresh(f"{call.node.name}/inputs")
        if given:
            return self._passing(call, name, given, "Tin", controls)
        return NodeDef(name=name, op="NoOp", input=controls, device=call.node.device)


class _Inside:
    """The nodes of a function as they are in one call.

    names    of the nodes
    given    the tensors that are the arguments
    gate     what nodes without inputs have to wait for; "" if for nothing
    """

    def __init__(self, callee: Callee, call: Call, names: dict[str, str], given: list[str], gate: str) -> None:
        self._callee = callee
        self._call = call.node
        self._names = names
        self._given = given
        self._gate = gate
        own = attr(call.node, "f", NameAttrList).attr if call.node.op in CALLS else call.node.attr
        self._values = given_by_call(callee.function, own)

    def nodes(self) -> list[NodeDef]:
        return [
            self._node(node, tensors) for node, tensors in zip(self._callee.nodes, self._callee.references, strict=True)
        ]

    def spelled(self, tensor: TensorName) -> str:
        """A reference inside of the function as it is in the graph; output 0 of a node with its number."""
        if tensor.node in self._names:
            name = self._names[tensor.node]
            return control_input(name) if tensor.is_control else f"{name}:{tensor.port}"
        place = self._callee.arguments.get(tensor.node)
        if place is None or tensor.port > 0:
            raise GraphError(f"function {quoted(self._callee.name)} has no {quoted(str(tensor))}")
        return control_input(node_name(self._given[place])) if tensor.is_control else self._given[place]

    def _node(self, node: NodeDef, tensors: list[TensorName]) -> NodeDef:
        inputs = list(map(self.spelled, tensors))
        if self._gate and not inputs:
            inputs = [control_input(self._gate)]
        made = changed(node, name=self._names[node.name], input=inputs)
        if not made.device:
            made.device = self._call.device
        size = self._callee.sizes[node.name]
        if node.name in self._callee.special:
            made.attr = self._attributes(node)
            size = made.ByteSize()
        size += len(made.device) + len(made.name) + sum(map(len, inputs))
        claim(size, f"the body of {describe(self._call)}")
        return made

    def _attributes(self, node: NodeDef) -> dict[str, AttrValue]:
        try:
            attributes = substituted(node.attr, self._values)
        except GraphError as error:
            raise GraphError(f"{describe(self._call)}: {error}") from None
        if node.op in ENTER and "frame_name" in attributes:
            loop = attr(node, "frame_name", bytes)
            attributes["frame_name"] = AttrValue(s=f"{self._call.name}/".encode(errors="replace") + loop)
        together = [name for name in map(self._moved, colocated_with(node)) if name]
        if together:
            entries = [b"loc:@" + name.encode(errors="replace") for name in dict.fromkeys(together)]
            attributes[CLASS] = AttrValue(list=AttrValue.ListValue(s=entries))
        else:
            attributes.pop(CLASS, None)
        return attributes

    def _moved(self, name: str) -> str:
        """What the node of a function, or an argument, is in the graph; "" if there is none of that name."""
        if name in self._names:
            return self._names[name]
        place = self._callee.arguments.get(name)
        return node_name(self._given[place]) if place is not None else ""
