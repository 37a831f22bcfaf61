"""Inline function calls: names, attributes and references of the nodes of a function in the place of one call.

    y = PartitionedCall(x)[f=@f]        ->        y/neg = Neg(x), y/square = Square(y/neg:0)

Freezing (`tfmodel.freezing.inlining`) and the transform `inline_partitionedcall` inline calls with the class here. They
differ in three things, which stay with them: freezing works on a MutableGraph, goes from outer calls to inner ones and
loses side effects; the transform works on messages, inlines the calls in functions first and keeps side effects. Their
naming schemes are here side by side.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

from ..errors import GraphError
from ..messages import AttrValue, DataType, FunctionDef, NameAttrList, NodeDef, OpDef
from ..names import TensorName
from ..ops.traits import CALLS, ENTER
from .attributes import HasAttributes, attr
from .colocation import CLASS, colocated_with, colocation_attr
from .edit import TakenNames
from .error_text import describe, quoted
from .functions import call_attributes, function_name, has_placeholders, substitute

__all__ = ["FreezingNames", "InlinedCall", "call_dependent_nodes", "nested_names"]


# --- naming schemes --------------------------------------------------------------------------------------------------


def nested_names(call: str) -> str:
    """Return the prefix of the nodes inside a call: the name of the call, as the Graph Transform Tool has it."""
    return call


class FreezingNames:
    """The prefixes of TensorFlow's freezing, for calls that are inlined from outer ones to inner ones.

    In a call that has the name of its caller, as StatefulPartitionedCall has inside of most SavedModels, nodes are
    named as if they were in the caller: "StatefulPartitionedCall/StatefulPartitionedCall" adds nothing to the prefix.
    """

    def __init__(self) -> None:
        self._prefixes: dict[str, str] = {}

    def __call__(self, call: str) -> str:
        """Return the prefix of the nodes inside a call."""
        caller, _, name = call.rpartition("/")
        prefix = self._prefixes.get(caller, caller)
        if caller not in self._prefixes or prefix.rpartition("/")[2] != name:
            prefix = call
        self._prefixes[call] = prefix
        return prefix


# --- one call --------------------------------------------------------------------------------------------------------


def call_dependent_nodes(nodes: Iterable[NodeDef]) -> frozenset[str]:
    """Return the names of the nodes of a function whose attributes are not the same in each call of it."""
    return frozenset(
        node.name for node in nodes if node.op in ENTER or CLASS in node.attr or has_placeholders(node.attr.values())
    )


class InlinedCall:
    """The nodes of a function in the place of one call.

    call         the node that calls the function
    function     the function
    arguments    the position of each argument, by name
    names        the new name of each node, by its name in the function

    `prefix` comes from a naming scheme; new names are reserved in `taken`. Raises GraphError if the call does not have
    `input_count` inputs.
    """

    def __init__(
        self,
        call: HasAttributes,
        function: FunctionDef,
        nodes: Iterable[str],
        *,
        input_count: int,
        prefix: str,
        taken: TakenNames,
    ) -> None:
        self.call = call
        self.function = function
        self.arguments = {argument.name: position for position, argument in enumerate(self._signature.input_arg)}
        if input_count != len(self.arguments):
            name = quoted(function_name(function))
            takes = f"its function {name} takes {len(self.arguments):,}"
            raise GraphError(f"{describe(call)} has {input_count:,} inputs, {takes}")
        self.names = {name: taken.fresh(f"{prefix}/{name}") for name in nodes}

    def argument(self, tensor: TensorName) -> int:
        """Return the position of the argument that a reference in the function means.

        Raises GraphError if it is not an argument.
        """
        position = self.arguments.get(tensor.node)
        if position is None or tensor.port > 0:
            what = "node" if position is None else "tensor"
            missing = tensor.node if position is None else str(tensor)
            raise GraphError(f"function {quoted(function_name(self.function))} has no {what} {quoted(missing)}")
        return position

    def attributes(self, node: NodeDef, input_nodes: Sequence[str] = ()) -> dict[str, AttrValue]:
        """Return the attributes of a node of the function in this call.

        The call gives the values of placeholders. A loop of TensorFlow 1 gets a name of its own, since a function that
        is called twice has its loops twice. Colocations name nodes by their new names, arguments by `input_nodes`, the
        nodes that the inputs come from; a colocation with anything else is dropped. Raises GraphError for a
        placeholder without a value.
        """
        try:
            attributes = substitute(node.attr, self._values)
        except GraphError as error:
            raise GraphError(f"{describe(self.call)}: {error}") from None
        if node.op in ENTER and "frame_name" in attributes:
            frame = attributes["frame_name"].s
            if frame is None:
                frame = attr(node, "frame_name", bytes)  # raises
            attributes["frame_name"] = AttrValue(s=f"{self.call.name}/".encode(errors="replace") + frame)
        if CLASS in attributes:
            new_names = self._colocation_names(input_nodes)
            names = dict.fromkeys(new_names[name] for name in colocated_with(node) if name in new_names)
            if names:
                attributes[CLASS] = colocation_attr(names)
            else:
                del attributes[CLASS]
        return attributes

    def types(self, key: str) -> AttrValue:
        """Return the types of what the call passes ("Tin") or returns ("Tout"), as an attribute.

        Raises GraphError if an attribute of a call by the name of the function does not hold a type.
        """
        if self.call.op in CALLS:
            return self.call.attr.get(key, AttrValue())
        arguments = self._signature.input_arg if key == "Tin" else self._signature.output_arg
        types = [attr(self.call, row.type_attr, DataType) if row.type_attr else row.type for row in arguments]
        return AttrValue(list=AttrValue.ListValue(type=types))

    def _colocation_names(self, input_nodes: Collection[str]) -> Mapping[str, str]:
        return dict(zip(self.arguments, input_nodes, strict=True)) | self.names if input_nodes else self.names

    @cached_property
    def _values(self) -> dict[str, AttrValue]:
        passed = attr(self.call, "f", NameAttrList).attr if self.call.op in CALLS else self.call.attr
        return call_attributes(self.function, passed)

    @property
    def _signature(self) -> OpDef:
        return self.function.signature or OpDef()
