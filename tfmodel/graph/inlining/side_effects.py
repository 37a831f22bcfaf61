"""The side effects of functions that are inlined: which of their nodes must run with each call.

A call runs all nodes of its function that the results need, and nodes with side effects besides: those that
`control_ret` lists, and where the name of the function is the op of the call, every node with an effect. A node that
uses one result of the call gets all of that. Once the nodes stand in the graph, they only run if something needs them,
so the inliner has to make something wait for `EffectfulFunction.effects_of(call)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from ...messages import FunctionDef, GraphDef, NodeDef, OpDef
from ...names import TensorName
from ...ops.traits import CALLS, STATEFUL_WITHOUT_EFFECT
from ..function_body import ARGUMENT_OP
from ..functions import Functions
from ..index import GraphIndex
from .calls import InlinableFunction

__all__ = ["EffectfulFunction"]


class EffectfulFunction(InlinableFunction):
    """A function to inline, with an analysis of its side effects."""

    def __init__(
        self,
        message: FunctionDef,
        nodes: Sequence[NodeDef],
        returns: Sequence[TensorName],
        functions: Functions,
        ops: Mapping[str, OpDef],
    ) -> None:
        super().__init__(message, nodes, returns)
        self._functions = functions
        self._ops = ops

    def effects_of(self, call: NodeDef) -> list[str]:
        """Return the nodes that must run with a call, and that not every result of it needs."""
        return self._effects if call.op in CALLS else self._effects_by_name

    @cached_property
    def _effects(self) -> list[str]:
        return self._ordered_after_unneeded(self.controls)

    @cached_property
    def _effects_by_name(self) -> list[str]:
        """The effects of a call whose op is the name of the function."""
        unneeded = (self._index.nodes[position].name for position in self._unneeded)
        return self._ordered_after_unneeded([*self.controls, *unneeded])

    def is_conditional(self, name: str) -> bool:
        """Return whether a node is in a TensorFlow 1 loop or conditional, where no node outside can wait for it."""
        position = self._index.position(name)
        return bool(self._index.node_frames[position] or self._index.node_branches[position])

    def _ordered_after_unneeded(self, names: Iterable[str]) -> list[str]:
        """Return those of the nodes that are in `_unneeded`, or wait for such a node."""
        if not self._unneeded:
            return []
        later = set(self._unneeded)
        for position in self._index.forward_order:
            if not later.isdisjoint(self._index.sources[position]):
                later.add(position)
        return [name for name in dict.fromkeys(names) if self._index.positions.get(name) in later]

    @cached_property
    def _index(self) -> GraphIndex:
        arguments = [NodeDef(name=argument.name, op=ARGUMENT_OP) for argument in self.signature.input_arg]
        return GraphIndex(GraphDef(node=[*arguments, *self.nodes]), self._functions)

    @cached_property
    def _unneeded(self) -> list[int]:
        """The positions of the nodes with an effect that at least one result does not need."""
        effective = [position for position, node in enumerate(self._index.nodes) if self._has_effect(node.op)]
        if not effective:
            return []
        # The results that need a node are bits of a number. A second pass finds those behind the back edge of a loop.
        needed = [0] * len(self._index)
        for place, tensor in enumerate(self.returns):
            needed[self._index.position(tensor.node)] |= 1 << place
        for _ in range(2 if self._index.control_flow else 1):
            for position in reversed(self._index.forward_order):
                if needed[position]:
                    for source in self._index.sources[position]:
                        if source >= 0:
                            needed[source] |= needed[position]
        everything = (1 << len(self.returns)) - 1
        return [position for position in effective if not self.returns or needed[position] != everything]

    def _has_effect(self, op: str) -> bool:
        """Return whether nodes of an op do something beyond their outputs; an unknown op may."""
        if op in STATEFUL_WITHOUT_EFFECT:
            return False
        function = self._functions.get(op)
        declared = function.signature if function is not None else self._ops.get(op)
        return declared is None or declared.is_stateful
