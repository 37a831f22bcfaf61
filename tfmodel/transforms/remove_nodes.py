"""Nodes that hand on what they are given.

    y(Identity(x))   ->   y(x)

Whoever took the output of a removed node takes what its first input is, and whoever waited for it waits for that, as
for all that it waited for itself. A node is removed if its op is named and it has no more inputs than may be, control
inputs not counted. It is left alone if

    it is declared as input or output, or a function returns it
    somebody takes another of its outputs
    it is part of the control flow of TensorFlow 1, whatever its op is: Switch, Merge, Enter, ...
    it hands on one side of a Switch and others wait for it: they have to run if that side does, not if any does
    it hands on one side of a Switch of a loop: TensorFlow's optimizer makes 2 * v of v + v, and the constant 2 must not
    wait for the Switch itself (in 2.12 such a loop never gives a result)
    it waits for other nodes, and the control flow of TensorFlow 1 takes what it gives; or for very many

Unlike in the original, control inputs of what is removed are not lost but handed on; all of the nodes that may go do,
even one behind a node that stays; no other node goes, even if several inputs may be and nobody needs the second; nodes
that stay do so in their order; and nodes in functions are removed too.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import GraphError, TransformError
from ..graph import CONTROL_FLOW, SWITCH, Functions, GraphIndex, changed, with_functions, with_nodes
from ..graph.functions import function_name
from ..messages import FunctionDef, GraphDef, NodeDef
from ..names import CONTROL, TensorName
from .framework.bodies import Body
from .framework.keeping import with_kept_colocation
from .framework.registry import graph_transform
from .framework.report import StepReport

__all__ = ["remove_nodes"]

_MOST_CONTROLS = 64  # that a removed node hands on: a chain of nodes that each wait for another would hand on all


@graph_transform
def remove_nodes(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    report: StepReport,
    op: tuple[str, ...],
    max_inputs: int = 1,
) -> GraphDef:
    """Remove nodes of some ops, and give their consumers what the first input of each is.

    `op` names an op, or several with "|" between them, or all with "*", and may be given several times. Nodes with more
    than `max_inputs` inputs stay, not counting control inputs, and so do nodes without any.

    Example: remove_nodes(op=Identity, op=CheckNumerics) with inputs x and outputs y

        x = Placeholder[dtype=float]
        check = CheckNumerics(x)[T=float]
        i = Identity(check)[T=float]
        y = Relu(i, ^check)[T=float]

    becomes

        x = Placeholder[dtype=float]
        y = Relu(x, ^x)[T=float]
    """
    if not op:
        raise TransformError("it needs at least one op: remove_nodes(op=Identity)")
    ops = _Ops(op, max_inputs)
    declared = {tensor.node for tensor in (*inputs, *outputs)}
    result = graph
    if ops.any_of(graph.node):
        result = with_nodes(graph, _Splices(GraphIndex(graph), declared, ops, report).nodes())
    if graph.library is None:
        return result
    known = Functions(graph.library)
    functions = [_in_function(each, known, ops, report) for each in graph.library.function]
    same = all(new is old for new, old in zip(functions, graph.library.function, strict=True))
    return result if same else with_functions(result, functions)


def _in_function(function: FunctionDef, known: Functions, ops: _Ops, report: StepReport) -> FunctionDef:
    if not ops.any_of(function.node_def):
        return function
    try:
        body = Body(function, known)
        return body.rebuilt(_Splices(body.index, body.results, ops, report).nodes())
    except GraphError as error:
        report.refuse(function_name(function), str(error))
        return function


class _Ops:
    """Which nodes are to be removed."""

    def __init__(self, patterns: Iterable[str], max_inputs: int) -> None:
        self._names = {name for pattern in patterns for name in pattern.split("|")}
        self._every = "*" in self._names
        self._max_inputs = max_inputs

    def any_of(self, nodes: Iterable[NodeDef]) -> bool:
        return self._every or any(node.op in self._names for node in nodes)

    def match(self, node: NodeDef) -> bool:
        if not self._every and node.op not in self._names:
            return False
        return 1 <= sum(text[:1] != "^" for text in node.input) <= self._max_inputs


class _Splices:
    """The nodes that are removed, by position, and what others get in their place.

    tensors     the reference that takes the place of the output of a node
    controls    what consumers of a node have to wait for besides
    """

    def __init__(self, index: GraphIndex, declared: Iterable[str], ops: _Ops, report: StepReport) -> None:
        self._index = index
        self._tensors: dict[int, str] = {}
        self._controls: dict[int, list[str]] = {}
        kept = set(declared)
        found = {position for position, node in enumerate(index.nodes) if ops.match(node) and node.name not in kept}
        self._sources = index.spellings if found else {}
        self._ports = self._other_ports(found)
        for position in index.forward_order if found else ():
            if position in found:
                tensor, controls = self._handed_on(position)
                reason = self._reason(position, tensor, controls)
                if reason:
                    report.refuse(index.nodes[position].name, reason)
                else:
                    self._tensors[position] = tensor
                    self._controls[position] = controls
                    report.fire()

    def nodes(self) -> list[NodeDef]:
        """The nodes that stay, with what they get."""
        nodes = []
        for position, node in enumerate(self._index.nodes):
            if position in self._tensors:
                continue
            if not self._tensors.keys().isdisjoint(self._index.sources[position]):
                node = changed(node, input=self._new_inputs(node))
            nodes.append(node)
        return with_kept_colocation(nodes, self._index.nodes) if self._tensors else nodes

    def _other_ports(self, positions: set[int]) -> dict[int, set[int]]:
        """By position, which ports of these nodes are referred to, but for output 0. CONTROL is one."""
        ports: dict[int, set[int]] = {}
        for text, source in self._sources.items():
            if source in positions and text != self._index.nodes[source].name:
                port = TensorName.parse(text).port
                if port:
                    ports.setdefault(source, set()).add(port)
        return ports

    def _handed_on(self, position: int) -> tuple[str, list[str]]:
        """What takes the place of a node: the first of its inputs, and all else that it waits for."""
        node = self._index.nodes[position]
        tensor = next(text for text in node.input if text[:1] != "^")
        inputs = self._new_inputs(node)
        return self._tensors.get(self._sources[tensor], tensor), [text for text in inputs if text[:1] == "^"]

    def _new_inputs(self, node: NodeDef) -> list[str]:
        """The inputs of a node that are left, and others in place of those that are not."""
        inputs, controls = [], []
        for text in node.input:
            source = self._sources[text]
            if source in self._tensors:
                text = f"^{TensorName.parse(self._tensors[source]).node}" if text[:1] == "^" else self._tensors[source]
                controls += self._controls[source]
            inputs.append(text)
        return inputs + [text for text in dict.fromkeys(controls) if text not in inputs] if controls else inputs

    def _reason(self, position: int, tensor: str, controls: list[str]) -> str:
        """Why a node is left alone; "" if it is not."""
        nodes = self._index.nodes
        ports = self._ports.get(position, set())
        if nodes[position].op in CONTROL_FLOW:
            return "it is part of a loop or conditional"
        if max(ports, default=0) > 0:
            return "another of its outputs is in use"
        source = self._sources[tensor]
        if nodes[source].op in SWITCH:
            if CONTROL in ports:
                return "others run only if one side of a conditional does, which it tells them"
            if self._index.node_frames[source] is not None:
                return "it stands behind a Switch of a loop, where TensorFlow's optimizer needs it"
        if controls and any(nodes[target].op in CONTROL_FLOW for target in self._index.targets[position]):
            return "it waits for other nodes, and a loop or conditional takes what it gives"
        if len(controls) > _MOST_CONTROLS:
            return f"its consumers would have to wait for more than {_MOST_CONTROLS} other nodes"
        return ""
