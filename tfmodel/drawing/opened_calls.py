"""The nodes that compute outputs, with the calls of functions replaced by the nodes of the functions.

opener = CallOpener(nodes, bodies, ops, functions)
computing(opener.opened(), inputs, outputs, opener.effects, ops)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ..errors import GraphError
from ..graph import GraphIndex
from ..graph.edit import replace_node
from ..graph.function_body import FunctionBodies
from ..graph.inline import Inliner
from ..graph.inlined_calls import EffectfulFunction, InlinedCall, called_function
from ..graph.view import GraphView
from ..messages import GraphDef, NodeDef
from ..ops import Registry
from ..ops.traits import STATEFUL_WITHOUT_EFFECT
from ..values.names import TensorName, control_input, is_control_input, node_name


class _ScopeNames:
    """Names nodes of functions as if they were in the scope of the call."""

    def prefix(self, call: str) -> str:
        return call.rpartition("/")[0]

    def spell(self, tensor: TensorName) -> str:
        return str(tensor)


class CallOpener(Inliner):
    """Replaces all calls but those that are recursive, or whose functions are damaged.

    functions    what can be inlined, None for a damaged function; it is filled
    """

    def __init__(
        self,
        nodes: Sequence[NodeDef],
        bodies: FunctionBodies,
        ops: Registry,
        functions: dict[str, EffectfulFunction | None],
    ) -> None:
        super().__init__(nodes, naming=_ScopeNames(), growth_base=len(nodes) + bodies.node_count)
        self._bodies, self._ops, self._inlinable = bodies, ops, functions

    def function(self, node: NodeDef, callers: tuple[str, ...]) -> EffectfulFunction | None:
        try:
            name = called_function(node, self._bodies)
        except GraphError:
            return None
        if not name or name not in self._bodies or name in callers:
            return None
        if name not in self._inlinable:
            self._inlinable[name] = self._prepared(name)
        function = self._inlinable[name]
        is_fitting = function is not None and len(function.arguments) == sum(
            not is_control_input(text) for text in node.input
        )
        return function if is_fitting else None

    def _prepared(self, name: str) -> EffectfulFunction | None:
        try:
            body = self._bodies.body(name)
            GraphView(body)  # raises GraphError if the body is not valid
            return EffectfulFunction(body.message, body.nodes, body.returns, self._bodies, self._ops)
        except GraphError:
            return None

    def gate(self, call: InlinedCall) -> None:
        return None

    def remainders(self, nodes: Sequence[NodeDef]) -> dict[str, NodeDef]:
        return {}

    def is_bypassed(self, call: InlinedCall) -> bool:
        return True

    @property
    def effects(self) -> list[str]:
        """The inlined nodes that run with their calls, whether the results need them or not."""
        return [name for call in self.calls.values() for name in call.effects]

    def opened(self) -> list[NodeDef]:
        """Return the nodes. What waited for a call waits for its effects."""
        return [self._without_calls(node) for node in self.inline()]

    def _without_calls(self, node: NodeDef) -> NodeDef:
        if not any(is_control_input(text) and node_name(text) in self.calls for text in node.input):
            return node
        inputs: list[str] = []
        for text in node.input:
            call = self.calls.get(node_name(text)) if is_control_input(text) else None
            inputs += [text] if call is None else map(control_input, call.effects)
        return replace_node(node, input=inputs)


# --- what computes ---------------------------------------------------------------------------------------------------


def computing(
    nodes: Sequence[NodeDef], inputs: Collection[str], outputs: Iterable[str], effects: Iterable[str], ops: Registry
) -> list[NodeDef]:
    """Return the inputs, and the nodes that compute outputs or have an effect before the outputs are computed.

    A node that only waits for others is kept if one of them has an effect, and is not needed otherwise.
    """
    index = GraphIndex(GraphDef(node=list(nodes)))
    starts = {index.positions[name] for name in (*outputs, *effects) if name in index.positions}
    before = ancestors(index.sources, starts)
    acting = {position for position in before if _has_effect(index.nodes[position], ops)}
    unneeded = acting - ancestors(index.data_sources, starts)
    waiting: set[int] = set()
    for position in index.forward_order:
        is_waiting = position in before and index.nodes[position].op == "NoOp"
        if is_waiting and not (unneeded | waiting).isdisjoint(index.sources[position]):
            waiting.add(position)
    fed = {index.positions[name] for name in inputs}
    kept = ancestors(index.data_sources, starts | acting) | waiting | fed
    return [among(index.nodes[position], kept, index, position) for position in sorted(kept)]


def ancestors(sources: Sequence[Sequence[int]], starts: Iterable[int]) -> set[int]:
    """Return nodes with those that they need, directly or not."""
    reached = set(starts)
    pending = [*reached]
    while pending:
        for position in sources[pending.pop()]:
            if position >= 0 and position not in reached:
                reached.add(position)
                pending.append(position)
    return reached


def _has_effect(node: NodeDef, ops: Registry) -> bool:
    declared = ops.get(node.op)
    return declared is not None and declared.is_stateful and node.op not in STATEFUL_WITHOUT_EFFECT


def among(node: NodeDef, kept: Collection[int], index: GraphIndex, position: int) -> NodeDef:
    """Return a node without the inputs from nodes that are not kept. Inputs from nowhere stay."""
    inputs = [
        text for text, source in zip(node.input, index.sources[position], strict=True) if source < 0 or source in kept
    ]
    return node if len(inputs) == len(node.input) else replace_node(node, input=inputs)
