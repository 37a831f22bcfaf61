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

from collections.abc import Collection, Iterable, Iterator, Sequence, Set

from ..errors import TransformError
from ..graph import CONTROL_FLOW, GraphIndex, replace_node
from ..graph.edit import Passed, inputs_past
from ..graph.function_body import ARGUMENT_OP
from ..graph.view import GraphView
from ..messages import GraphDef, NodeDef
from ..ops import OPS
from ..values.names import TensorName, data_inputs, has_port, is_control_input
from .framework.bodies import rewrite_bodies
from .framework.node_edits import bypass_problem, restore_colocation
from .framework.registry import graph_transform
from .framework.report import StepReport, missing_ops
from .framework.tool_node_order import tool_order_after_removal


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

    def rewrite(view: GraphView) -> list[NodeDef] | None:
        if not ops.any_of(view.ops):
            return None
        splices = _Splices(view.index, view.declared, ops, report)
        return splices.nodes(splices.order() if view.body is None else None)

    return rewrite_bodies(graph, rewrite, ops=OPS, report=report, inputs=inputs, outputs=outputs)


class _Selection:
    """Decides which nodes are to be removed."""

    def __init__(self, patterns: Iterable[str], max_inputs: int) -> None:
        self._patterns = [frozenset(pattern.split("|")) for pattern in patterns]
        self._names = frozenset().union(*self._patterns)
        self._max_inputs = max_inputs

    def any_of(self, ops: Set[str]) -> bool:
        return "*" in self._names or not self._names.isdisjoint(ops)

    def without_effect(self, graph: GraphDef) -> Iterator[str]:
        """Yield notes about ops that no node has, and a note if all nodes stay because of their number of inputs."""
        yield from missing_ops((op for names in self._patterns for op in sorted(names)), graph)
        if self._max_inputs < 1:
            yield f"no node is removed: max_inputs is {self._max_inputs:,}"
            return
        functions = graph.library.function if graph.library is not None else []
        nodes = [node for nodes in (graph.node, *(one.node_def for one in functions)) for node in nodes]
        if self.any_of({node.op for node in nodes}) and not any(map(self.match, nodes)):
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
        self._several = self._with_several_outputs(candidates)
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

    def _with_several_outputs(self, positions: set[int]) -> set[int]:
        """Return the positions of those of the nodes of which an output other than output 0 is in use."""
        sources = self._sources.items()
        return {
            source for text, source in sources if source in positions and has_port(text) and TensorName.parse(text).port
        }

    def _pass_through(self, position: int) -> tuple[str, list[str]]:
        """Return the first input of a node, which replaces it, and all its control inputs."""
        node = self._index.nodes[position]
        tensor = data_inputs(node)[0]
        inputs = self._new_inputs(node)
        return self._tensors.get(self._sources[tensor], tensor), [text for text in inputs if is_control_input(text)]

    def _new_inputs(self, node: NodeDef) -> list[str]:
        """Return the inputs of a node, with references to removed nodes replaced."""
        return inputs_past(node.input, self._passed)

    def _passed(self, text: str) -> Passed | None:
        source = self._sources[text]
        return Passed(self._tensors[source], self._controls[source]) if source in self._tensors else None

    def _reason(self, position: int, tensor: str, controls: list[str]) -> str:
        """Return why a node is left alone; "" if it is removed."""
        nodes = self._index.nodes
        if nodes[position].op in CONTROL_FLOW:
            return "it is part of a loop or conditional"
        if position in self._several:
            return "another of its outputs is in use"
        source = self._sources[tensor]
        if source < 0:
            return "its input is not in the graph"
        return bypass_problem(self._index, nodes[position], nodes[source], controls)
