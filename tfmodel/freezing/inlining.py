"""Inline the calls of functions in a graph that is being frozen, and drop the control inputs that this leaves behind.

    y = PartitionedCall(x, w, f=f)        ->        y/MatMul = MatMul(x, w), ...

A node of the function is named `<call>/<node>`, shortened as TensorFlow's own freezing does it: see
`tfmodel.graph.inline.FreezingNames`.

Consumers of a result take the tensor inside. The control inputs of the call become those of everything in it, and nodes
that waited for the call wait for `<call>`, a NoOp that waits for all nodes that the function has to run. A result that
is itself an output of the graph keeps its name: `<call>` is then an Identity, or an IdentityN where the function has
several.

Calls inside of functions are inlined in turn. Loops and branches remain calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ..errors import FreezeError
from ..graph import attr, describe
from ..graph.edit import TakenNames
from ..graph.error_text import quoted
from ..graph.function_body import OpenFunction, OpenFunctions
from ..graph.functions import enter_function, growth_problem
from ..graph.inline import FreezingNames, InlinedCall, call_dependent_nodes
from ..graph.mutable_graph import MutableGraph, MutableNode
from ..graph.traversal import ChainEnds, CircularChainError
from ..messages import AttrValue, DataType, NameAttrList
from ..names import TensorName
from ..ops.traits import CALLS, ENTER, SWITCH, VARIABLES

__all__ = ["drop_idle_controls", "inline_calls"]

_FRAME_STARTS = SWITCH | ENTER


def inline_calls(graph: MutableGraph, functions: OpenFunctions, outputs: Iterable[TensorName]) -> set[str]:
    """Inline all calls in `graph`, in place. Returns the names of the nodes that come from functions.

    Raises GraphError or FreezeError for functions that contradict themselves, call themselves or grow too large.
    """
    return _Inliner(graph, functions, outputs).run()


class _Pending(NamedTuple):
    """A node that may be a call, and the functions that it comes from, outermost first."""

    node: MutableNode
    callers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Function:
    """A function that is called: its body, and the nodes whose attributes are not the same in each call."""

    function: OpenFunction
    body: MutableGraph
    call_dependent: frozenset[str]


class _Inliner:
    def __init__(self, graph: MutableGraph, functions: OpenFunctions, outputs: Iterable[TensorName]) -> None:
        self._graph = graph
        self._functions = functions
        self._output_ports: dict[str, int] = {}  # by call: the highest port that is an output of the graph
        for tensor in outputs:
            self._output_ports[tensor.node] = max(tensor.port, self._output_ports.get(tensor.node, 0))
        self._taken = TakenNames(graph.nodes)
        self._awaited = {name for node in graph.nodes.values() for name in node.controls}
        self._results: dict[TensorName, TensorName] = {}
        self._has_frames = any(node.op in _FRAME_STARTS for node in graph.nodes.values())
        self._new: set[str] = set()
        self._prefix = FreezingNames()
        self._bodies: dict[str, _Function] = {}

    def run(self) -> set[str]:
        count = len(self._graph.nodes) + self._functions.node_count
        characters = 0
        done: dict[str, MutableNode] = {}
        pending = [_Pending(node, ()) for node in reversed(self._graph.nodes.values())]
        while pending:
            node, callers = pending.pop()
            name = self._called(node)
            if not name:
                done[node.name] = node
                continue
            inside = enter_function(callers, name)
            replacement = list(self._replacement(node, self._body(name)))
            pending += [_Pending(new, inside) for new in reversed(replacement)]
            characters += sum(len(new.name) for new in replacement)
            if problem := growth_problem(count, len(done) + len(pending), characters):
                raise FreezeError(problem)
        self._graph.replace_nodes(done)
        if self._results:
            self._reconnect()
        return self._new & done.keys()

    def _called(self, node: MutableNode) -> str:
        """Return the function that a node calls; "" if it is not a call."""
        if node.op in CALLS:
            return attr(node, "f", NameAttrList).name
        return node.op if node.op in self._functions else ""

    def _body(self, name: str) -> _Function:
        if name not in self._bodies:
            function = self._functions.open(name)
            call_dependent = call_dependent_nodes(function.message.node_def)
            self._bodies[name] = _Function(function, function.graph(), call_dependent)
        return self._bodies[name]

    # --- one call ----------------------------------------------------------------------------------------------------

    def _replacement(self, call: MutableNode, called: _Function) -> Iterator[MutableNode]:
        """Yield the nodes that replace a call."""
        function, body = called.function, called.body
        inlined = InlinedCall(
            call,
            function.message,
            body.nodes,
            input_count=len(call.inputs),
            prefix=self._prefix(call.name),
            taken=self._taken,
        )
        gate = self._gate(call, inlined)
        if gate is not None:
            yield gate
        for node in body.nodes.values():
            new = MutableNode(inlined.names[node.name], node.op, source=node.source)
            controls = self._controls(node, call, inlined, gate)
            new.change(inputs=[_outside(tensor, call, inlined) for tensor in node.inputs], controls=controls)
            if node.name in called.call_dependent and node.source is not None:
                new.change(attr=inlined.attributes(node.source))
            self._new.add(new.name)
            yield new
        returns = [_outside(tensor, call, inlined) for tensor in function.returns]
        names = inlined.names
        yield self._named_like_call(
            call, inlined, returns, [names[name] for name in function.controls if name in names]
        )

    def _controls(
        self, node: MutableNode, call: MutableNode, inlined: InlinedCall, gate: MutableNode | None
    ) -> Iterable[str]:
        """Return the control inputs of a node of the function in the graph."""
        names = inlined.names
        controls = [names[name] for name in node.controls if name in names]
        arguments = [name for name in node.controls if name not in names]
        controls += [call.inputs[inlined.argument(TensorName.control(name))].node for name in arguments]
        takes_only_arguments = all(tensor.node in inlined.arguments for tensor in node.inputs) and not node.controls
        if takes_only_arguments and gate is not None and (self._has_frames or node.op != "Const"):
            controls.append(gate.name)
        return dict.fromkeys(controls)

    def _gate(self, call: MutableNode, inlined: InlinedCall) -> MutableNode | None:
        """Return a node that runs before the nodes inside of a call, if something has to.

        It also puts a node without inputs into the loop or branch that the call is in.
        """
        if self._has_frames and call.inputs:
            gate = MutableNode(self._taken.fresh(f"{call.name}/inputs"), "Identity", call.inputs[:1], call.controls)
            gate.change(attr={"T": AttrValue(type=self._types(inlined, "Tin")[0])})
        elif call.controls:
            gate = MutableNode(self._taken.fresh(f"{call.name}/inputs"), "NoOp", (), call.controls, {})
        else:
            return None
        self._new.add(gate.name)
        return gate

    def _types(self, inlined: InlinedCall, key: str) -> list[DataType]:
        """Return the types of what a call passes ("Tin") or returns ("Tout")."""
        if inlined.call.op in CALLS:
            return attr(inlined.call, key, list[DataType])
        types = inlined.types(key).list
        assert types is not None
        return list(types.type)

    def _named_like_call(
        self, call: MutableNode, inlined: InlinedCall, returns: list[TensorName], controls: list[str]
    ) -> MutableNode:
        """Return the node that has the name of the call."""
        for port, tensor in enumerate(returns):
            self._results[TensorName(call.name, port)] = tensor
        controls = controls or list(dict.fromkeys([*(tensor.node for tensor in returns), *call.controls]))
        if call.name not in self._output_ports or call.name in self._new:
            self._new.add(call.name)
            return MutableNode(call.name, "NoOp", (), tuple(controls), {})
        count = self._output_ports[call.name] + 1
        if count > len(returns):
            raise FreezeError(f"{quoted(call.name)} has {len(returns)} results: there is no {call.name}:{count - 1}")
        types = self._types(inlined, "Tout")[:count]
        if len(types) < count:
            raise FreezeError(f"{describe(call)} does not list the types of its {count:,} results")
        kept = tuple(controls) if call.name in self._awaited else ()
        if count == 1:
            return MutableNode(call.name, "Identity", tuple(returns[:1]), kept, {"T": AttrValue(type=types[0])})
        attrs = {"T": AttrValue(list=AttrValue.ListValue(type=types))}
        return MutableNode(call.name, "IdentityN", tuple(returns[:count]), kept, attrs)

    def _reconnect(self) -> None:
        """Connect the consumers of results of calls to the tensors inside."""
        ends = ChainEnds(self._results.get)
        for node in self._graph.nodes.values():
            for index, tensor in enumerate(node.inputs):
                if tensor in self._results:
                    try:
                        node.set_input(index, ends(tensor))
                    except CircularChainError:
                        raise FreezeError(f"the result {quoted(str(tensor))} is defined by itself") from None


def _outside(tensor: TensorName, call: MutableNode, inlined: InlinedCall) -> TensorName:
    """Return the tensor in the graph for one in the function."""
    name = inlined.names.get(tensor.node)
    return call.inputs[inlined.argument(tensor)] if name is None else TensorName(name, tensor.port)


# --- control inputs --------------------------------------------------------------------------------------------------

_PURE = ("Identity", "Shape")
_CONSTANT = ("Const", "NoOp", *VARIABLES)


def drop_idle_controls(graph: MutableGraph, new: set[str]) -> None:
    """Drop control inputs that have no effect once the variables are constants.

    TensorFlow 2 functions let all their results wait for every read of a variable. Nodes that come from functions
    (`new`) do not wait for nodes that have no effect and wait for nothing themselves.
    """
    waiting: dict[str, int] = {}
    users: dict[str, list[str]] = {}
    for node in graph.nodes.values():
        producers = set(node.producers)
        waiting[node.name] = len(producers)
        for name in producers:
            users.setdefault(name, []).append(node.name)
    idle: set[str] = set()
    queue = [name for name, count in waiting.items() if not count and _has_no_effect(graph.nodes[name], new)]
    while queue:
        name = queue.pop()
        idle.add(name)
        for user in users.get(name, ()):
            waiting[user] -= 1
            if not waiting[user] and _has_no_effect(graph.nodes[user], new):
                queue.append(user)
    for name in new & graph.nodes.keys():
        node = graph.nodes[name]
        if not idle.isdisjoint(node.controls):
            node.change(controls=[control for control in node.controls if control not in idle])


def _has_no_effect(node: MutableNode, new: set[str]) -> bool:
    return node.op in _CONSTANT or (node.op in _PURE and node.name in new)
