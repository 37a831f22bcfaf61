"""The inliner: replace function calls by the nodes of the functions.

    y = PartitionedCall(x)[f=@f]     ->     y/neg = Neg(x)
    z = Relu(y)                             y/square = Square(y/neg)
                                            z = Relu(y/square)
    where f(a) -> (square:y:0) is
    neg = Neg(a)
    square = Square(neg:y:0)

`Inliner` names the nodes of the function, connects them, gives them the attributes of the call, and connects the
consumers of the results. The naming scheme is a parameter. `Inliner` has two subclasses, in
`tfmodel.analysis.variables.preparation` and the transform `inline_partitionedcall`. They decide

    function      the function that replaces a node, if the node is a call to inline
    gate          the node that runs before the nodes of the function, if one is needed
    remainders    the nodes that keep the names of calls
    is_bypassed   whether consumers take the inlined tensors, or the outputs of the remainder of the call

These decisions differ because the results differ on purpose. Freezing writes the graph that TensorFlow's freezing
writes. It goes from outer calls to inner ones, since the names of inner nodes depend on the outer call. It drops side
effects, and a function that calls itself is an error. The transform also inlines the calls in the functions of the
library, so it goes from inner calls to outer ones; it keeps side effects, and leaves calls that it cannot inline.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from ..errors import GraphError
from ..messages import AttrValue, NodeDef
from ..values.names import TakenNames, TensorName, control_input, is_control_input, node_name
from ..values.output_limit import claim
from .edit import replace_node
from .error_text import describe, quote
from .functions import growth_problem
from .inlined_calls import Gate, InlinableFunction, InlinedCall
from .traversal import ChainEnds, CircularChainError

# --- naming schemes --------------------------------------------------------------------------------------------------


class NamingScheme(Protocol):
    """The names of inlined nodes, `<prefix>/<node>`, and the spelling of references to them."""

    def prefix(self, call: str) -> str:
        """Return the prefix for the names of a call's inlined nodes, given the name of the call; "" for none."""

    def spell(self, tensor: TensorName) -> str:
        """Return the reference to a tensor of an inlined node."""


class ToolNames:
    """The scheme of the Graph Transform Tool: the name of the call is the prefix, and output 0 is spelled "n:0"."""

    def prefix(self, call: str) -> str:
        return call

    def spell(self, tensor: TensorName) -> str:
        return tensor.numbered


class FreezingNames:
    """The scheme of TensorFlow's freezing, for calls that are inlined from outer ones to inner ones.

    In a call that has the name of its caller, as StatefulPartitionedCall has inside of most SavedModels, nodes are
    named as if they were in the caller: in the call "StatefulPartitionedCall/StatefulPartitionedCall" they have the
    prefix "StatefulPartitionedCall".
    """

    def __init__(self) -> None:
        self._prefixes: dict[str, str] = {}

    def prefix(self, call: str) -> str:
        caller, _, name = call.rpartition("/")
        prefix = self._prefixes.get(caller, caller)
        if caller not in self._prefixes or prefix.rpartition("/")[2] != name:
            prefix = call
        self._prefixes[call] = prefix
        return prefix

    def spell(self, tensor: TensorName) -> str:
        return str(tensor)


# --- the inliner -----------------------------------------------------------------------------------------------------


class Inliner(ABC):
    """Inline the calls in a graph, or in the body of a function whose references are spelled as in a graph.

    calls    the calls that are inlined, by name

    `naming` names the new nodes. With `inherit_placement`, nodes without a device get the device of the call, and nodes
    that are colocated with an argument are colocated with the node that the call gets the argument from. `growth_base`
    is a number of nodes to compare the result with: raises GraphError if that grows too much, see `growth_problem`.
    With `claim_output`, raises GraphError if the new nodes take too much memory: see `tfmodel.values.output_limit`.
    """

    def __init__(
        self,
        nodes: Sequence[NodeDef],
        *,
        naming: NamingScheme,
        inherit_placement: bool = False,
        growth_base: int | None = None,
        claim_output: bool = False,
    ) -> None:
        self.calls: dict[str, InlinedCall] = {}
        self._nodes = nodes
        self._naming = naming
        self._inherit_placement = inherit_placement
        self._growth_base = growth_base
        self._claim_output = claim_output
        self._taken = TakenNames(node.name for node in nodes)
        self._ends = ChainEnds(self._result)

    # --- decisions ---------------------------------------------------------------------------------------------------

    @abstractmethod
    def function(self, node: NodeDef, callers: tuple[str, ...]) -> InlinableFunction | None:
        """Return the function that replaces a node, or None if the node stays.

        `callers` are the functions that the node comes from, outermost first.
        """

    @abstractmethod
    def gate(self, call: InlinedCall) -> Gate | None:
        """Return the node that runs before the nodes of the function in a call, or None if they need not wait."""

    @abstractmethod
    def remainders(self, nodes: Sequence[NodeDef]) -> Mapping[str, NodeDef]:
        """Return the nodes that keep the names of calls, by name. `nodes` are all other nodes."""

    def is_bypassed(self, call: InlinedCall) -> bool:
        """Return whether consumers of the results take the inlined tensors, not the outputs of the call's remainder."""
        return not call.effects

    # --- the result --------------------------------------------------------------------------------------------------

    def inline(self) -> Sequence[NodeDef]:
        """Return the nodes with calls replaced by the nodes of functions; the same list if no call is inlined."""
        pieces: list[NodeDef | InlinedCall] = []
        pending: list[tuple[NodeDef | InlinedCall, tuple[str, ...]]] = [(node, ()) for node in reversed(self._nodes)]
        characters = 0
        while pending:
            piece, callers = pending.pop()
            function = self.function(piece, callers) if isinstance(piece, NodeDef) else None
            if function is None or isinstance(piece, InlinedCall):
                pieces.append(piece)
                continue
            call, nodes = self._replacement(piece, function, is_nested=bool(callers))
            callers = (*callers, function.name)
            pending.append((call, callers))
            pending += [(node, callers) for node in reversed(nodes)]
            if self._growth_base is not None:
                characters += len(piece.name) + sum(len(node.name) for node in nodes)
                if problem := growth_problem(self._growth_base, len(pieces) + len(pending), characters):
                    raise GraphError(problem)
        if not self.calls:
            return self._nodes
        remainders = self.remainders([piece for piece in pieces if isinstance(piece, NodeDef)])
        nodes = [
            piece if isinstance(piece, NodeDef) else remainders[piece.node.name]
            for piece in pieces
            if isinstance(piece, NodeDef) or piece.node.name in remainders
        ]
        return list(map(self._reconnect, nodes))

    def resolve(self, text: str) -> str:
        """Return the reference that replaces `text`, which stays the same if it does not refer to an inlined call.

        Raises GraphError for a result that the call does not have, or that is defined by itself.
        """
        try:
            return self._ends(text)
        except CircularChainError:
            raise GraphError(f"the result {quote(text)} of a call is defined by itself") from None

    def _result(self, text: str) -> str | None:
        """Return the inlined tensor for a result of a call.

        None for other references, and for calls that are not bypassed.
        """
        call = self.calls.get(node_name(text)) if not is_control_input(text) else None
        if call is None:
            return None
        port = TensorName.parse(text).port
        if port >= len(call.results):
            raise GraphError(f"{describe(call.node)} has {len(call.results):,} results: there is no {quote(text)}")
        return call.results[port] if self.is_bypassed(call) else None

    def _reconnect(self, node: NodeDef) -> NodeDef:
        inputs = list(map(self.resolve, node.input))
        return node if inputs == node.input else replace_node(node, input=inputs)

    # --- one call ----------------------------------------------------------------------------------------------------

    def _replacement(
        self, node: NodeDef, function: InlinableFunction, *, is_nested: bool
    ) -> tuple[InlinedCall, list[NodeDef]]:
        """Add a call to `calls`; return it with the nodes that replace it, except for its remainder."""
        prefix = self._naming.prefix(node.name)
        scope = f"{prefix}/" if prefix else ""
        names = {inner.name: self._taken.fresh(scope + inner.name) for inner in function.nodes}
        call = self.calls[node.name] = InlinedCall(node, function, names, is_nested=is_nested)
        nodes = []
        call.gate = self.gate(call)
        if call.gate is not None:
            nodes.append(call.gate.node)
            if call.gate.passes_arguments:
                call.inputs = [str(TensorName(call.gate.node.name, port)) for port in range(len(call.inputs))]
        input_nodes = list(map(node_name, call.inputs))
        for inner, tensors in zip(function.nodes, function.references, strict=True):
            nodes.append(self._copy(call, inner, tensors, input_nodes))
        call.results = [self._reference(call, tensor, input_nodes) for tensor in function.returns]
        return call, nodes

    def _copy(
        self, call: InlinedCall, node: NodeDef, tensors: Sequence[TensorName], input_nodes: Sequence[str]
    ) -> NodeDef:
        """Return the copy of a function's node for one call."""
        inputs = [self._reference(call, tensor, input_nodes) for tensor in tensors]
        if call.gate is not None and call.gate.holds(node, tensors, call.function):
            inputs.append(control_input(call.gate.node.name))
        copy = replace_node(node, name=call.names[node.name], input=inputs)
        if self._inherit_placement and not copy.device:
            copy.device = call.node.device
        is_dependent = node.name in call.function.call_dependent
        if is_dependent:
            copy.attr = call.attributes(node, input_nodes if self._inherit_placement else ())
        if self._claim_output:
            size = copy.ByteSize() if is_dependent else call.function.sizes[node.name]
            size += len(copy.device) + len(copy.name) + sum(map(len, inputs))
            claim(size, f"the body of {describe(call.node)}")
        return copy

    def _reference(self, call: InlinedCall, tensor: TensorName, input_nodes: Sequence[str]) -> str:
        """Return the reference in the graph for a reference in the function."""
        name = call.names.get(tensor.node)
        if name is not None:
            return control_input(name) if tensor.is_control else self._naming.spell(TensorName(name, tensor.port))
        position = call.function.argument(tensor)
        return control_input(input_nodes[position]) if tensor.is_control else call.inputs[position]

    # --- new nodes ---------------------------------------------------------------------------------------------------

    def gate_name(self, call: InlinedCall) -> str:
        """Reserve the name of a call's gate, `<call>/inputs`, and return it."""
        return self._taken.fresh(f"{call.node.name}/inputs")

    def no_op(self, call: InlinedCall, name: str, controls: Iterable[str]) -> NodeDef:
        """Return a NoOp that waits for the nodes in `controls`."""
        return NodeDef(name=name, op="NoOp", input=list(map(control_input, controls)), device=self._device(call))

    def identity(
        self, call: InlinedCall, name: str, tensors: Sequence[str], key: str, controls: Iterable[str]
    ) -> NodeDef:
        """Return an Identity of `tensors`, or an IdentityN if they are several.

        They are the first inputs of the call if `key` is "Tin", or its results if `key` is "Tout". Raises GraphError if
        the call does not list their types.
        """
        value, op = call.types(key), "IdentityN"
        if value.placeholder is None:
            types = value.list.type if value.list is not None else []
            if len(types) < len(tensors):
                what = "inputs" if key == "Tin" else "results"
                raise GraphError(f"{describe(call.node)} does not list the types of its {len(tensors):,} {what}")
            if len(tensors) == 1:
                op, value = "Identity", AttrValue(type=types[0])
            elif len(types) > len(tensors):
                value = AttrValue(list=AttrValue.ListValue(type=list(types[: len(tensors)])))
        inputs = [*tensors, *map(control_input, controls)]
        return NodeDef(name=name, op=op, input=inputs, device=self._device(call), attr={"T": value})

    def _device(self, call: InlinedCall) -> str:
        return call.node.device if self._inherit_placement else ""
