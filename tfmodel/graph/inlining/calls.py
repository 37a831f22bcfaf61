"""The parts of inlining: functions to inline, and calls with the nodes of their functions in their places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ...errors import GraphError
from ...messages import AttrValue, DataType, FunctionDef, NameAttrList, NodeDef, OpDef
from ...names import TensorName, control_inputs, data_inputs, node_name
from ...ops.traits import CALLS, ENTER
from ..attributes import attr
from ..colocation import CLASS, colocated_with, colocation_attr
from ..error_text import describe, quoted
from ..functions import Functions, call_attributes, function_name, has_placeholders, substitute
from ..index import references

__all__ = ["Gate", "InlinableFunction", "InlinedCall", "called_function"]


def called_function(node: NodeDef, functions: Functions) -> str:
    """Return the function that a node calls, if it is a call that can be inlined; else ""."""
    if node.op in CALLS:
        return attr(node, "f", NameAttrList).name
    return node.op if node.op in functions else ""


class InlinableFunction:
    """A function whose nodes are to replace calls of it.

    nodes         the nodes of its body, without arguments
    references    the parsed inputs of each node; ports are counted from the first output of the op, as in a graph
    returns       its results, by position, with ports of the same kind
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
        """Return the nodes for which consumers of the results of a call have to wait, besides those of the results."""
        return []

    def argument(self, tensor: TensorName) -> int:
        """Return the position of the argument that a reference in the function means.

        Raises GraphError if it is not an argument.
        """
        position = self.arguments.get(tensor.node)
        if position is None or tensor.port > 0:
            what = "node" if position is None else "tensor"
            missing = tensor.node if position is None else str(tensor)
            raise GraphError(f"function {quoted(self.name)} has no {what} {quoted(missing)}")
        return position


class Gate(NamedTuple):
    """A node that runs before the nodes of a function in one call.

    passes_arguments    the nodes take its outputs as arguments, so only nodes without inputs have to wait for it;
                        otherwise all nodes that take only arguments have to
    holds_constants     whether constants have to wait for it too
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
    effects      the nodes of the function that consumers of the results would not wait for

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
            takes = f"its function {quoted(function.name)} takes {len(function.arguments):,}"
            raise GraphError(f"{describe(node)} has {len(self.inputs):,} inputs, {takes}")

    def new_names(self, names: Iterable[str]) -> list[str]:
        """Return the new names of nodes of the function, each once; names that it does not have are left out."""
        return list(dict.fromkeys(self.names[name] for name in names if name in self.names))

    def attributes(self, node: NodeDef, input_nodes: Sequence[str]) -> dict[str, AttrValue]:
        """Return the attributes of a node of the function in this call.

        The call gives the values of placeholders. A loop of TensorFlow 1 gets a name of its own, since a function that
        is called twice has its loops twice. Colocations name nodes by their new names, arguments by `input_nodes`, the
        nodes that the inputs come from, if there are any; a colocation with anything else is dropped. Raises
        GraphError for a placeholder without a value.
        """
        try:
            attributes = substitute(node.attr, self._values)
        except GraphError as error:
            raise GraphError(f"{describe(self.node)}: {error}") from None
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
        """Return the types of what the call passes ("Tin") or returns ("Tout"), as an attribute.

        Raises GraphError if an attribute of a call by the name of the function does not hold a type.
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
