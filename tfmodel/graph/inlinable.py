"""What somebody who inlines a function has to know of it beyond its nodes: above all, what must not get lost.

A call runs all of its function that its results need, and what the function has to do besides: the nodes of its
`control_ret`, and where the function is called by its name as an op, every node that has an effect. Whoever fetches one
result gets all of that. The nodes of the function, once they stand in the graph, only run if somebody needs them.
`effects` are those that something has to be made to wait for.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from ..messages import FunctionDef, GraphDef, NodeDef, OpDef
from ..names import TensorName
from ..ops import is_stateful
from .colocation import CLASS
from .control_flow import ENTER
from .function_body import ARGUMENT_OP
from .functions import Functions, is_open
from .index import GraphIndex, references

__all__ = ["Callee"]

# Declared as stateful, but nobody can tell whether they ran: they read, make handles, or draw random numbers.
_WITHOUT_EFFECT = """
    _Arg _ReadVariablesOp _VarHandlesOp AnonymousHashTable AnonymousIterator AnonymousIteratorV2 AnonymousIteratorV3
    AnonymousMutableDenseHashTable AnonymousMutableHashTable AnonymousMutableHashTableOfTensors DeviceIndex Empty
    GraphDefVersion GuaranteeConst HashTable HashTableV2 Iterator IteratorV2 LookupTableExportV2 LookupTableFindV2
    LookupTableSizeV2 Multinomial MutableDenseHashTable MutableDenseHashTableV2 MutableHashTable
    MutableHashTableOfTensors MutableHashTableOfTensorsV2 MutableHashTableV2 NonDeterministicInts
    ParameterizedTruncatedNormal QueueIsClosedV2 QueueSizeV2 RandomCrop RandomGamma RandomPoisson RandomPoissonV2
    RandomShuffle RandomStandardNormal RandomUniform RandomUniformInt ReadVariableOp ReadVariableXlaSplitND
    ResourceGather ResourceGatherNd Restore RestoreSlice RestoreV2 StatelessRandomGetAlg TensorArraySizeV3 Timestamp
    TruncatedNormal VarHandleOp VarIsInitializedOp Variable VariableShape VariableV2
"""
_IDLE = frozenset(_WITHOUT_EFFECT.split())


class Callee:
    """A function that is to stand in the place of its calls.

    nodes      of its body, without arguments; references are spelled as in a graph (see `bodies`)
    returns    its results, by position, spelled in the same way
    controls   the nodes that have to run with every call, as the function says
    """

    def __init__(
        self,
        function: FunctionDef,
        nodes: list[NodeDef],
        returns: list[TensorName],
        functions: Functions,
        ops: Mapping[str, OpDef],
    ) -> None:
        self.nodes = nodes
        self.returns = returns
        self._ops = ops
        self._functions = functions
        signature = function.signature
        assert signature is not None  # it was found by its name
        self.function = function
        self.signature = signature
        self.name = signature.name
        self.arguments = {argument.name: place for place, argument in enumerate(signature.input_arg)}
        self.controls = list(function.control_ret.values())

    @cached_property
    def references(self) -> list[list[TensorName]]:
        """The inputs of each node."""
        return [references(node) for node in self.nodes]

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The bytes of each node."""
        return {node.name: node.ByteSize() for node in self.nodes}

    @cached_property
    def special(self) -> frozenset[str]:
        """The nodes whose attributes are not the same in every call."""
        return frozenset(
            node.name for node in self.nodes if node.op in ENTER or CLASS in node.attr or is_open(node.attr.values())
        )

    @cached_property
    def effects(self) -> list[str]:
        """The nodes that have to run with a call, and do not run for every one of its results anyway."""
        return self._effects(self.controls)

    @cached_property
    def effects_by_name(self) -> list[str]:
        """The same if the name of the function is the op of the call."""
        return self._effects([*self.controls, *(self._index.nodes[position].name for position in self._unneeded)])

    def is_steered(self, name: str) -> bool:
        """Whether a node is in a loop or conditional of TensorFlow 1, so that nobody outside can wait for it."""
        position = self._index.position(name)
        return bool(self._index.node_frames[position] or self._index.node_branches[position])

    def _effects(self, controls: list[str]) -> list[str]:
        if not self._unneeded:
            return []
        behind = set(self._unneeded)  # these nodes, and all that wait for one of them
        for position in self._index.forward_order:
            if not behind.isdisjoint(self._index.sources[position]):
                behind.add(position)
        return [name for name in dict.fromkeys(controls) if self._index.positions.get(name) in behind]

    @cached_property
    def _index(self) -> GraphIndex:
        arguments = [NodeDef(name=name, op=ARGUMENT_OP) for name in self.arguments]
        return GraphIndex(GraphDef(node=[*arguments, *self.nodes]), self._functions)

    @cached_property
    def _unneeded(self) -> list[int]:
        """The positions of the nodes that have an effect and that one of the results, or more, does not need."""
        effective = [position for position, node in enumerate(self._index.nodes) if self._has_effect(node.op)]
        if not effective:
            return []
        # Which results need a node, as bits of a number. What a loop leads back is found in a second round.
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
        if op in _IDLE:
            return False
        function = self._functions.get(op)
        return is_stateful(function.signature if function is not None else self._ops.get(op))
