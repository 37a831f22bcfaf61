"""The parts of inlining: functions to inline, their side effects, and calls that are replaced by nodes.

A call runs the nodes of its function that the results need. It also runs nodes with side effects: those that
`control_ret` lists and, if the op of the call is the name of the function, every node with an effect. All these nodes
run even if only one result is used. Inlined nodes run only if another node needs them, so the inliner
makes the consumers of the results wait for the nodes that `EffectfulFunction.effects_of(call)` returns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ..errors import GraphError, with_name
from ..messages import AttrValue, DataType, FunctionDef, GraphDef, NameAttrList, NodeDef, OpDef
from ..ops.traits import CALLS, ENTER, STATEFUL_WITHOUT_EFFECT
from ..values.names import TensorName, control_inputs, data_inputs, node_name
from .attributes import attr, references
from .colocation import CLASS, colocated_with, colocation_attr
from .error_text import describe, quote
from .function_body import ARGUMENT_OP
from .functions import Functions, call_attributes, function_name, has_placeholders, substitute
from .index import GraphIndex

# --- functions -------------------------------------------------------------------------------------------------------


def called_function(node: NodeDef, functions: Functions) -> str:
    """Return the name of the function that a node calls, if the node is a call that can be inlined; else ""."""
    if node.op in CALLS:
        return attr(node, "f", NameAttrList).name
    return node.op if node.op in functions else ""


class InlinableFunction:
    """A function whose nodes are to replace calls of it.

    nodes         the nodes of its body, without arguments
    references    the parsed inputs of each node; ports are counted from the first output of the op, as in a graph
    returns       the tensors that are its results, by position; ports are counted in the same way
    controls      the nodes that run with every call, whether its results need them or not
    """

    def __init__(
        self,
        message: FunctionDef,
        nodes: Sequence[NodeDef],
        returns: Sequence[TensorName],
        references: Sequence[Sequence[TensorName]] | None = None,
    ) -> None:
        self.message = message
        self.name = function_name(message)
        self.nodes = nodes
        self.returns = returns
        self.controls = list(message.control_ret.values())
        self._references = references

    @cached_property
    def references(self) -> Sequence[Sequence[TensorName]]:
        return list(map(references, self.nodes)) if self._references is None else self._references

    @cached_property
    def arguments(self) -> dict[str, int]:
        """The position of each argument, by name."""
        return {argument.name: position for position, argument in enumerate(self.signature.input_arg)}

    @property
    def signature(self) -> OpDef:
        return self.message.signature or OpDef()

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The size of each node in bytes, by name."""
        return {node.name: node.ByteSize() for node in self.nodes}

    @cached_property
    def call_dependent(self) -> frozenset[str]:
        """The names of the nodes whose attributes are not the same in each call."""
        return frozenset(
            node.name
            for node in self.nodes
            if node.op in ENTER or CLASS in node.attr or has_placeholders(node.attr.values())
        )

    def effects_of(self, call: NodeDef) -> list[str]:
        """Return the names of nodes that consumers of results have to wait for, beyond those that the results need."""
        return []

    def argument(self, tensor: TensorName) -> int:
        """Return the position of the argument that a reference in the function refers to.

        Raises GraphError if it does not refer to an argument.
        """
        position = self.arguments.get(tensor.node)
        if position is None or tensor.port > 0:
            what = "node" if position is None else "tensor"
            missing = tensor.node if position is None else str(tensor)
            raise GraphError(f"function {quote(self.name)} has no {what} {quote(missing)}")
        return position


class EffectfulFunction(InlinableFunction):
    """A function to inline, with an analysis of its side effects. `ops` declares the ops that are not functions."""

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
        """Return the names of the nodes that must run with a call, and that not every result of the call needs."""
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
        """Return those of `names` whose nodes are in `_unneeded`, or wait for such a node, directly or not."""
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
        """The positions of nodes with an effect which at least one result does not need."""
        effective = [position for position, node in enumerate(self._index.nodes) if self._has_effect(node.op)]
        if not effective:
            return []
        # For each node, a number whose bits are the results that need it. A second pass follows the back edges of
        # loops.
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
        """Return whether nodes of an op have side effects. An unknown op is assumed to have them."""
        if op in STATEFUL_WITHOUT_EFFECT:
            return False
        function = self._functions.get(op)
        declared = function.signature if function is not None else self._ops.get(op)
        return declared is None or declared.is_stateful


# --- calls -----------------------------------------------------------------------------------------------------------


class Gate(NamedTuple):
    """A node that runs before the nodes of a function in one call.

    passes_arguments    True if the nodes take the outputs of the gate in place of the inputs of the call. Then only
                        nodes without inputs need a control input from the gate; otherwise, nodes that take only
                        arguments need one too
    holds_constants     whether constants have to wait for the gate too
    """

    node: NodeDef
    passes_arguments: bool = True
    holds_constants: bool = True

    def holds(self, node: NodeDef, inputs: Sequence[TensorName], function: InlinableFunction) -> bool:
        """Return whether a node of the function needs a control input from the gate."""
        if node.op == "Const" and not self.holds_constants:
            return False
        if self.passes_arguments:
            return not inputs
        return all(not tensor.is_control and tensor.node in function.arguments for tensor in inputs)


class InlinedCall:
    """A call, and the nodes of its function in its place.

    node         the call
    function     the function
    is_nested    whether the call itself comes from a function
    inputs       the references that are the arguments of the function
    controls     the names of the nodes that the call waits for
    names        the new name of each node, by its name in the function
    gate         the node that runs before the nodes of the function, or None
    results      the references that are the results
    effects      the new names of the nodes that `function.effects_of` returns

    Raises GraphError if the call does not have one input for each argument.
    """

    def __init__(
        self, node: NodeDef, function: InlinableFunction, names: Mapping[str, str], *, is_nested: bool
    ) -> None:
        self.node = node
        self.function = function
        self.is_nested = is_nested
        self.inputs = data_inputs(node)
        self.controls = list(map(node_name, control_inputs(node)))
        self.names = names
        self.gate: Gate | None = None
        self.results: list[str] = []
        self.effects = [names[name] for name in function.effects_of(node)]
        if len(self.inputs) != len(function.arguments):
            takes = f"its function {quote(function.name)} takes {len(function.arguments):,}"
            raise GraphError(f"{describe(node)} has {len(self.inputs):,} inputs, {takes}")

    def new_names(self, names: Iterable[str]) -> list[str]:
        """Return the new names of nodes of the function, each once; names of other nodes are left out."""
        return list(dict.fromkeys(self.names[name] for name in names if name in self.names))

    def attributes(self, node: NodeDef, input_nodes: Sequence[str]) -> dict[str, AttrValue]:
        """Return the attributes of a node of the function in this call.

        - Placeholders get the values that the call passes.
        - A loop of TensorFlow 1 gets a new name, since a function that is called twice has its loops twice.
        - Colocations get the new names of nodes. In place of an argument, they get the node that the input comes from:
          `input_nodes` has one for each argument, or is empty. All other colocations are dropped.

        Raises GraphError for a placeholder without a value.
        """
        try:
            attributes = substitute(node.attr, self._values)
        except GraphError as error:
            raise GraphError(with_name(describe(self.node), error)) from None
        if node.op in ENTER and "frame_name" in attributes:
            frame = attributes["frame_name"].s
            if frame is None:
                frame = attr(node, "frame_name", bytes)  # raises
            attributes["frame_name"] = AttrValue(s=f"{self.node.name}/".encode(errors="replace") + frame)
        if CLASS in attributes:
            arguments = dict(zip(self.function.arguments, input_nodes, strict=True)) if input_nodes else {}
            new_names = arguments | dict(self.names) if arguments else self.names
            places = dict.fromkeys(new_names[name] for name in colocated_with(node) if name in new_names)
            if places:
                attributes[CLASS] = colocation_attr(places)
            else:
                del attributes[CLASS]
        return attributes

    def types(self, key: str) -> AttrValue:
        """Return the types of the call's inputs (if `key` is "Tin") or results ("Tout"), as an attribute.

        If the op of the call is the name of the function, the types are those of its signature, or of the attributes
        that this names. Raises GraphError if one of these attributes does not hold a type.
        """
        if self.node.op in CALLS:
            return self.node.attr.get(key, AttrValue())
        signature = self.function.signature
        arguments = signature.input_arg if key == "Tin" else signature.output_arg
        types = [attr(self.node, row.type_attr, DataType) if row.type_attr else row.type for row in arguments]
        return AttrValue(list=AttrValue.ListValue(type=types))

    @cached_property
    def _values(self) -> dict[str, AttrValue]:
        passed = attr(self.node, "f", NameAttrList).attr if self.node.op in CALLS else self.node.attr
        return call_attributes(self.function.message, passed)
