"""Remove pass-through nodes, such as Identity.

    y(Identity(x))   ->   y(x)

Consumers of a removed node's output take the node's first input instead, and get the control inputs of the node. A
control input from the node is replaced by a control input from the source of its first input. A node is removed if its
op is named in `op` and it has 1 to `max_inputs` inputs, not counting control inputs. It is left alone if

    it is a declared input or output, or a function returns it
    its first input is not in the graph
    another of its outputs is in use
    its op is control flow of TensorFlow 1: Switch, Merge, Enter, ...
    it follows a Switch and has control outputs: they order nodes within one branch of the conditional
    it follows the Switch of a loop: TensorFlow's optimizer replaces v + v by 2 * v, and gives the constant 2 a control
    input from the source of v; if this is the Switch itself, the loop never gives a result (in TensorFlow 2.12)
    it has control inputs, and control flow of TensorFlow 1 consumes its output
    it would pass on more than 64 control inputs

The other inputs of a removed node are removed too if nothing else uses them and they are not declared.

Unlike in the original, control inputs of removed nodes are passed on instead of lost. All removable nodes are removed,
even after a node that stays. The other inputs stay if something else uses them. Nodes in functions are removed too;
there, the remaining nodes keep their order. In the graph, the order is that of the original.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from ..errors import GraphError, TransformError
from ..graph import CONTROL_FLOW, Functions, GraphIndex, replace_node, with_functions, with_nodes
from ..graph.function_body import ARGUMENT_OP, FunctionBody, Outputs
from ..graph.functions import function_name
from ..messages import FunctionDef, GraphDef, NodeDef
from ..ops import OPS
from ..ops.traits import SWITCH
from ..values.names import CONTROL, TensorName, control_input, data_inputs, is_control_input
from .framework.node_edits import restore_colocation
from .framework.registry import graph_transform
from .framework.report import StepReport, missing_ops
from .framework.tool_node_order import tool_order_after_removal

_MAX_CONTROLS = 64  # control inputs that a removed node passes on: in a chain of nodes they would add up


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
    """Remove nodes of some ops; their consumers take the first input of the node instead.

    `op` is an op, or several ops separated by "|", or "*" for all ops; it may be given several times. Nodes without
    inputs stay, and so do nodes with more than `max_inputs` inputs; control inputs do not count. Notes name ops that no
    node has, and say if all nodes stay because of their number of inputs.

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
    ops = _Selection(op, max_inputs)
    report.notes += ops.without_effect(graph)
    declared = {tensor.node for tensor in (*inputs, *outputs)}
    result = graph
    if ops.any_of(graph.node):
        splices = _Splices(GraphIndex(graph), declared, ops, report)
        result = with_nodes(graph, splices.nodes(splices.order()))
    if graph.library is None:
        return result
    op_outputs = Outputs(Functions(graph.library), OPS)
    functions = [_remove_in_function(function, op_outputs, ops, report) for function in graph.library.function]
    same = all(new is old for new, old in zip(functions, graph.library.function, strict=True))
    return result if same else with_functions(result, functions)


def _remove_in_function(function: FunctionDef, op_outputs: Outputs, ops: _Selection, report: StepReport) -> FunctionDef:
    if not ops.any_of(function.node_def):
        return function
    try:
        body = FunctionBody(function, op_outputs)
        return body.rebuild(_Splices(body.index, body.roots, ops, report).nodes())
    except GraphError as error:
        report.refuse(function_name(function), str(error))
        return function


class _Selection:
    """Decides which nodes are to be removed."""

    def __init__(self, patterns: Iterable[str], max_inputs: int) -> None:
        self._patterns = [frozenset(pattern.split("|")) for pattern in patterns]
        self._names = frozenset().union(*self._patterns)
        self._max_inputs = max_inputs

    def any_of(self, nodes: Iterable[NodeDef]) -> bool:
        return "*" in self._names or any(node.op in self._names for node in nodes)

    def without_effect(self, graph: GraphDef) -> Iterator[str]:
        """Yield notes about ops that no node has, and a note if all nodes stay because of their number of inputs."""
        yield from missing_ops((op for names in self._patterns for op in sorted(names)), graph)
        if self._max_inputs < 1:
            yield f"no node is removed: max_inputs is {self._max_inputs:,}"
            return
        functions = graph.library.function if graph.library is not None else []
        bodies = [nodes for nodes in (graph.node, *(function.node_def for function in functions)) if self.any_of(nodes)]
        if bodies and not any(self.match(node) for nodes in bodies for node in nodes):
            yield f"no node is removed: all nodes of these ops have no inputs, or more than {self._max_inputs:,}"

    def match(self, node: NodeDef) -> bool:
        if "*" not in self._names and node.op not in self._names:
            return False
        return 1 <= _count(node) <= self._max_inputs

    def rounds(self, nodes: Sequence[NodeDef], positions: Collection[int]) -> Iterator[list[int]]:
        """Yield matching nodes in the order in which the tool visits them: by pattern and number of inputs.

        A node that matches several patterns is in the round of each.
        """
        counts = {position: _count(nodes[position]) for position in positions}
        for names in self._patterns:
            for count in sorted(set(counts.values())):
                candidates = [position for position in positions if counts[position] == count]
                if "*" not in names:
                    candidates = [position for position in candidates if nodes[position].op in names]
                yield candidates


def _count(node: NodeDef) -> int:
    """Return the number of inputs of a node, not counting control inputs."""
    return len(data_inputs(node))


class _Splices:
    """The removed nodes, by position, and the references that replace them.

    tensors     the reference that replaces the output of a node
    controls    the control inputs that consumers of the node get in addition
    """

    def __init__(self, index: GraphIndex, declared: Iterable[str], ops: _Selection, report: StepReport) -> None:
        self._index = index
        self._ops = ops
        self._tensors: dict[int, str] = {}
        self._controls: dict[int, list[str]] = {}
        declared_positions = {index.positions.get(name) for name in declared}
        matching = {position for position, node in enumerate(index.nodes) if ops.match(node)}
        self._declared = matching & declared_positions
        candidates = matching - declared_positions
        self._sources = index.spellings if candidates else {}
        self._ports = self._other_ports(candidates)
        for position in index.forward_order if candidates else ():
            if position in candidates:
                tensor, controls = self._pass_through(position)
                reason = self._reason(position, tensor, controls)
                if reason:
                    report.refuse(index.nodes[position].name, reason)
                else:
                    self._tensors[position] = tensor
                    self._controls[position] = controls
                    report.fire()
        self._spare = self._unused_inputs(declared_positions)

    def order(self) -> list[int]:
        """Return the positions of the remaining nodes in the order of the tool.

        Inputs of removed nodes that nothing else uses are still included; `nodes` leaves them out.
        """
        matching = sorted(self._declared | self._tensors.keys())
        rounds = self._ops.rounds(self._index.nodes, matching)
        return tool_order_after_removal(self._index, rounds, self._declared)

    def _unused_inputs(self, declared_positions: Collection[int | None]) -> set[int]:
        """Return the positions of inputs of removed nodes that nothing else uses; first inputs are not included."""
        index = self._index
        spare = set()
        for position in self._tensors:
            first, *others = data_inputs(index.nodes[position])
            spare |= {self._sources[text] for text in others if self._sources[text] != self._sources[first]}
        spare -= {*declared_positions, *self._tensors}
        passed_on = [*self._tensors.values(), *(text for controls in self._controls.values() for text in controls)]
        spare -= {index.positions.get(TensorName.parse(text).node) for text in passed_on}
        spare = {position for position in spare if position >= 0 and index.nodes[position].op != ARGUMENT_OP}
        for position in reversed(index.forward_order) if spare else ():
            if position in spare and any(
                user not in self._tensors and user not in spare for user in index.targets[position]
            ):
                spare.remove(position)
        return spare

    def nodes(self, order: Iterable[int] | None = None) -> list[NodeDef]:
        """Return the remaining nodes with their new inputs, in graph order or in the given order."""
        nodes = []
        for position in range(len(self._index)) if order is None else order:
            if position in self._tensors or position in self._spare:
                continue
            node = self._index.nodes[position]
            if not self._tensors.keys().isdisjoint(self._index.sources[position]):
                node = replace_node(node, input=self._new_inputs(node))
            nodes.append(node)
        return restore_colocation(nodes, self._index.nodes) if self._tensors else nodes

    def _other_ports(self, positions: set[int]) -> dict[int, set[int]]:
        """Return the ports of these nodes that are in use, by position: CONTROL and all outputs but output 0."""
        ports: dict[int, set[int]] = {}
        for text, source in self._sources.items():
            if source in positions and text != self._index.nodes[source].name:
                port = TensorName.parse(text).port
                if port:
                    ports.setdefault(source, set()).add(port)
        return ports

    def _pass_through(self, position: int) -> tuple[str, list[str]]:
        """Return the first input of a node, which replaces it, and all its control inputs."""
        node = self._index.nodes[position]
        tensor = data_inputs(node)[0]
        inputs = self._new_inputs(node)
        return self._tensors.get(self._sources[tensor], tensor), [text for text in inputs if is_control_input(text)]

    def _new_inputs(self, node: NodeDef) -> list[str]:
        """Return the inputs of a node, with references to removed nodes replaced."""
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
        """Return why a node is left alone; "" if it is removed."""
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
                return "its control outputs order nodes within one branch of a conditional"
            if self._index.node_frames[source] is not None:
                return "it follows the Switch of a loop, where TensorFlow's optimizer needs it"
        if controls and any(nodes[target].op in CONTROL_FLOW for target in self._index.targets[position]):
            return "it has control inputs, and a loop or conditional consumes its output"
        if len(controls) > _MAX_CONTROLS:
            return f"its consumers would get more than {_MAX_CONTROLS} control inputs"
        return ""
