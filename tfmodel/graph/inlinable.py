"""Functions prepared for inlining that keeps side effects: which of their nodes must run with each call.

A call runs all nodes of its function that the results need, and nodes with side effects besides: those that
`control_ret` lists, and where the name of the function is the op of the call, every node with an effect. A node that
uses one result of the call gets all of that. Once the nodes stand in the graph, they only run if something needs them,
so the inliner has to make something wait for `InlinableFunction.effects`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from ..messages import FunctionDef, GraphDef, NodeDef, OpDef
from ..names import TensorName
from ..ops.traits import STATEFUL_WITHOUT_EFFECT
from .function_body import ARGUMENT_OP
from .functions import Functions, function_name
from .index import GraphIndex, references
from .inline import call_dependent_nodes

__all__ = ["InlinableFunction"]


class InlinableFunction:
    """A function whose nodes are to replace calls of it.

    nodes       the nodes of its body, without arguments; references are spelled as in a graph (see `function_body`)
    returns     its results, by position, spelled in the same way
    controls    the nodes that the function lists to run with every call
    """

    def __init__(
        self,
        function: FunctionDef,
        nodes: list[NodeDef],
        returns: list[TensorName],
        functions: Functions,
        ops: Mapping[str, OpDef],
    ) -> None:
        self.function = function
        self.name = function_name(function)
        self.nodes = nodes
        self.returns = returns
        self.controls = list(function.control_ret.values())
        self._functions = functions
        self._ops = ops

    @cached_property
    def references(self) -> list[list[TensorName]]:
        """The parsed inputs of each node."""
        return [references(node) for node in self.nodes]

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The size of each node in bytes, by name."""
        return {node.name: node.ByteSize() for node in self.nodes}

    @cached_property
    def call_dependent(self) -> frozenset[str]:
        """The nodes whose attributes are not the same in each call."""
        return call_dependent_nodes(self.nodes)

    @cached_property
    def effects(self) -> list[str]:
        """The nodes that must run with a call, and that not every result of it needs."""
        return self._ordered_after_unneeded(self.controls)

    @cached_property
    def effects_by_name(self) -> list[str]:
        """The same for a call whose op is the name of the function."""
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
        signature = self.function.signature or OpDef()
        arguments = [NodeDef(name=argument.name, op=ARGUMENT_OP) for argument in signature.input_arg]
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
