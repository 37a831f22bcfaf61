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

The other inputs of a removed node go with it if nothing else uses them and they are not declared.

Unlike in the original, control inputs of what is removed are not lost but handed on; all of the nodes that may go do,
even one behind a node that stays; other inputs stay if something else uses them; and nodes in functions are removed
too, where those that are left keep their order. In the graph they stand as the original leaves them: see
`framework.passes`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from ..errors import GraphError, TransformError
from ..graph import CONTROL_FLOW, SWITCH, Functions, GraphIndex, replace_node, with_functions, with_nodes
from ..graph.function_body import ARGUMENT_OP, FunctionBody
from ..graph.functions import function_name
from ..messages import FunctionDef, GraphDef, NodeDef
from ..names import CONTROL, TensorName, control_input, data_inputs, is_control_input
from ..ops import OPS
from .framework.node_edits import with_kept_colocation
from .framework.registry import graph_transform
from .framework.report import StepReport, missing_ops
from .framework.tool_node_order import order_behind_passes

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
    than `max_inputs` inputs stay, not counting control inputs, and so do nodes without any. Notes tell
    which op no node has, and if all nodes stay for the number of their inputs.

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
    report.notes += ops.without_effect(graph)
    declared = {tensor.node for tensor in (*inputs, *outputs)}
    result = graph
    if ops.any_of(graph.node):
        splices = _Splices(GraphIndex(graph), declared, ops, report)
        result = with_nodes(graph, splices.nodes(splices.order()))
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
        body = FunctionBody(function, known, OPS)
        return body.rebuilt(_Splices(body.index, body.results, ops, report).nodes())
    except GraphError as error:
        report.refuse(function_name(function), str(error))
        return function


class _Ops:
    """Which nodes are to be removed."""

    def __init__(self, patterns: Iterable[str], max_inputs: int) -> None:
        self._patterns = [frozenset(pattern.split("|")) for pattern in patterns]
        self._names = frozenset().union(*self._patterns)
        self._max_inputs = max_inputs

    def any_of(self, nodes: Iterable[NodeDef]) -> bool:
        return "*" in self._names or any(node.op in self._names for node in nodes)

    def without_effect(self, graph: GraphDef) -> Iterator[str]:
        """Yield what to say of ops that no node has, or none with so many inputs."""
        yield from missing_ops((op for names in self._patterns for op in sorted(names)), graph)
        if self._max_inputs < 1:
            yield f"no node is removed: max_inputs is {self._max_inputs:,}"
            return
        functions = graph.library.function if graph.library is not None else []
        bodies = [nodes for nodes in (graph.node, *(each.node_def for each in functions)) if self.any_of(nodes)]
        if bodies and not any(self.match(node) for nodes in bodies for node in nodes):
            yield f"no node is removed: those of these ops have no inputs, or more than {self._max_inputs:,}"

    def match(self, node: NodeDef) -> bool:
        if "*" not in self._names and node.op not in self._names:
            return False
        return 1 <= _count(node) <= self._max_inputs

    def rounds(self, nodes: Sequence[NodeDef], positions: Collection[int]) -> Iterator[list[int]]:
        """Some of the nodes that match, in the order in which the tool comes to them: by pattern and number of inputs.

        One that several patterns are about is there for each of them.
        """
        counts = {position: _count(nodes[position]) for position in positions}
        for names in self._patterns:
            for count in sorted(set(counts.values())):
                same = [each for each in positions if counts[each] == count]
                yield same if "*" in names else [each for each in same if nodes[each].op in names]


def _count(node: NodeDef) -> int:
    """How many inputs a node has, not counting control inputs."""
    return len(data_inputs(node))


class _Splices:
    """The nodes that are removed, by position, and what others get in their place.

    tensors     the reference that takes the place of the output of a node
    controls    what consumers of a node have to wait for besides
    """

    def __init__(self, index: GraphIndex, declared: Iterable[str], ops: _Ops, report: StepReport) -> None:
        self._index = index
        self._ops = ops
        self._tensors: dict[int, str] = {}
        self._controls: dict[int, list[str]] = {}
        kept = {index.positions.get(name) for name in declared}
        matching = {position for position, node in enumerate(index.nodes) if ops.match(node)}
        self._declared = matching & kept
        found = matching - kept
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
        self._spare = self._unused(kept)

    def order(self) -> list[int]:
        """The nodes as the tool leaves them. What it would never remove is among them."""
        matching = sorted(self._declared | self._tensors.keys())
        rounds = self._ops.rounds(self._index.nodes, matching)
        return order_behind_passes(self._index, rounds, self._declared)

    def _unused(self, kept: Collection[int | None]) -> set[int]:
        """The inputs of removed nodes, but for the first of each, that nothing uses any more."""
        index = self._index
        spare = set()
        for position in self._tensors:
            first, *others = data_inputs(index.nodes[position])
            spare |= {self._sources[text] for text in others if self._sources[text] != self._sources[first]}
        spare -= {*kept, *self._tensors}
        handed_on = [*self._tensors.values(), *(text for each in self._controls.values() for text in each)]
        spare -= {index.positions.get(TensorName.parse(text).node) for text in handed_on}
        spare = {position for position in spare if position >= 0 and index.nodes[position].op != ARGUMENT_OP}
        for position in reversed(index.forward_order) if spare else ():
            if position in spare and any(
                user not in self._tensors and user not in spare for user in index.targets[position]
            ):
                spare.remove(position)
        return spare

    def nodes(self, order: Iterable[int] | None = None) -> list[NodeDef]:
        """The nodes that stay, with what they get: in their order, or in another."""
        nodes = []
        for position in range(len(self._index)) if order is None else order:
            if position in self._tensors or position in self._spare:
                continue
            node = self._index.nodes[position]
            if not self._tensors.keys().isdisjoint(self._index.sources[position]):
                node = replace_node(node, input=self._new_inputs(node))
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
        tensor = data_inputs(node)[0]
        inputs = self._new_inputs(node)
        return self._tensors.get(self._sources[tensor], tensor), [text for text in inputs if is_control_input(text)]

    def _new_inputs(self, node: NodeDef) -> list[str]:
        """The inputs of a node that are left, and others in place of those that are not."""
        inputs, controls = [], []
        for text in node.input:
            source = self._sources[text]
            if source in self._tensors:
                text = (
                    control_input(TensorName.parse(self._tensors[source]).node)
                    if is_control_input(text)
                    else self._tensors[source]
                )
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
        if source < 0:
            return "its input is not in the graph"
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
