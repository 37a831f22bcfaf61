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

from collections.abc import Iterable, Sequence

from ..errors import GraphError
from ..graph.attributes import references
from ..graph.edit import MutableGraph, replace_node
from ..graph.error_text import quote
from ..graph.function_body import FunctionBodies
from ..graph.functions import enter_function
from ..graph.inline import FreezingNames, Inliner
from ..graph.inlined_calls import Gate, InlinableFunction, InlinedCall, called_function
from ..messages import NodeDef
from ..names import TensorName, control_inputs, node_name
from ..ops.traits import ENTER, SWITCH, VARIABLES

__all__ = ["drop_idle_controls", "inline_calls"]

_FRAME_STARTS = SWITCH | ENTER


def inline_calls(graph: MutableGraph, functions: FunctionBodies, outputs: Iterable[TensorName]) -> set[str]:
    """Inline all calls in `graph`, in place. Returns the names of the nodes that come from functions.

    Raises GraphError for functions that contradict themselves, call themselves or grow too large.
    """
    inliner = _Inliner(graph, functions, outputs)
    originals = graph.nodes
    graph.replace_nodes(
        node if originals.get(node.name) is node else _with_short_inputs(node) for node in inliner.inline()
    )
    return graph.nodes.keys() - (originals.keys() - inliner.calls.keys()) - inliner.outputs.keys()


def _with_short_inputs(node: NodeDef) -> NodeDef:
    """Return a node that the inliner made with the shortest spelling of its inputs, and each control input once."""
    node.experimental_debug_info = None  # about a node of the function; frozen graphs are written without it
    names = references(node)
    tensors = [str(name) for name in names if not name.is_control]
    inputs = [*tensors, *dict.fromkeys(str(name) for name in names if name.is_control)]
    return node if inputs == node.input else replace_node(node, input=inputs)


class _Inliner(Inliner):
    """Inline from outer calls to inner ones.

    outputs    the highest port of each node that is an output of the graph
    """

    def __init__(self, graph: MutableGraph, functions: FunctionBodies, outputs: Iterable[TensorName]) -> None:
        nodes = list(graph.nodes.values())
        super().__init__(nodes, naming=FreezingNames(), growth_base=len(nodes) + functions.node_count)
        self.outputs: dict[str, int] = {}
        for tensor in outputs:
            self.outputs[tensor.node] = max(tensor.port, self.outputs.get(tensor.node, 0))
        self._functions = functions
        self._inlinable: dict[str, InlinableFunction] = {}
        self._awaited = {node_name(name) for node in nodes for name in control_inputs(node)}
        self._has_frames = any(node.op in _FRAME_STARTS for node in nodes)

    def function(self, node: NodeDef, callers: tuple[str, ...]) -> InlinableFunction | None:
        name = called_function(node, self._functions)
        if not name:
            return None
        enter_function(callers, name)
        if name not in self._inlinable:
            function = self._functions.body(name)
            nodes = function.message.node_def
            function.graph()  # raises GraphError if the body is not valid
            self._inlinable[name] = InlinableFunction(function.message, nodes, function.returns, function.references)
        return self._inlinable[name]

    def gate(self, call: InlinedCall) -> Gate | None:
        """It also puts a node without inputs into the loop or branch that the call is in."""
        if self._has_frames and call.inputs:
            node = self.identity(call, self.gate_name(call), call.inputs[:1], "Tin", call.controls)
        elif call.controls:
            node = self.no_op(call, self.gate_name(call), call.controls)
        else:
            return None
        return Gate(node, passes_arguments=False, holds_constants=self._has_frames)

    def remainders(self, nodes: Sequence[NodeDef]) -> dict[str, NodeDef]:
        return {name: self._remainder(call) for name, call in self.calls.items()}

    def _remainder(self, call: InlinedCall) -> NodeDef:
        name, results = call.node.name, call.results
        controls = call.new_names(call.function.controls)
        controls = controls or list(dict.fromkeys([*map(node_name, results), *call.controls]))
        if name not in self.outputs or call.is_nested:
            return self.no_op(call, name, controls)
        count = self.outputs[name] + 1
        if count > len(results):
            raise GraphError(f"{quote(name)} has {len(results)} results: there is no {name}:{count - 1}")
        return self.identity(call, name, results[:count], "Tout", controls if name in self._awaited else ())


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
        producers = set(map(node_name, node.input))
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
        controls = list(map(node_name, control_inputs(node)))
        if not idle.isdisjoint(controls):
            graph.change(node, controls=[control for control in controls if control not in idle])


def _has_no_effect(node: NodeDef, new: set[str]) -> bool:
    return node.op in _CONSTANT or (node.op in _PURE and node.name in new)
