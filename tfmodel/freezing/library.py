"""The functions of a graph, opened when they are needed, and what ops call their outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from ..errors import FreezeError
from ..graph.edit import TakenNames
from ..messages import AttrValue, FunctionDef, NodeDef, OpDef
from ..names import CONTROL, TensorName
from ..ops import op_def
from .mutable_graph import Body, Node, attr, guess, parsed, quoted

__all__ = ["Call", "Function", "Library", "deeper"]

# What ops that take functions call them, and how many inputs come before those of the functions.
_FUNCTION_ATTRS = {
    "PartitionedCall": (("f",), 0),
    "StatefulPartitionedCall": (("f",), 0),
    "If": (("then_branch", "else_branch"), 1),
    "StatelessIf": (("then_branch", "else_branch"), 1),
    "While": (("cond", "body"), 0),
    "StatelessWhile": (("cond", "body"), 0),
}
_CASES = {"Case": 1, "StatelessCase": 1}
_MOST_PORTS = 1 << 16
_DEEPEST = 64  # functions that call each other; those of real models stop at ten


class Call(NamedTuple):
    """The functions that a node calls.

    attrs    the attributes that name them; empty if the op of the node is the function, [""] for a list of branches
    names    of the functions
    first    the input of the node that is the first argument
    """

    attrs: tuple[str, ...]
    names: tuple[str, ...]
    first: int


class Function:
    """A function: its message, and its inside in the form of a graph.

    `returns` are tensors by position, `controls` the nodes that run whenever the function does.
    """

    def __init__(self, message: FunctionDef, library: Library) -> None:
        self.message = message
        self.name = message.signature.name if message.signature else ""
        self._library = library
        self._spelled: dict[TensorName, str] = {}

    @cached_property
    def args(self) -> list[str]:
        assert self.message.signature is not None
        for arg in (*self.message.signature.input_arg, *self.message.signature.output_arg):
            if arg.number_attr or arg.type_list_attr:
                raise FreezeError(f"the argument {quoted(arg.name)} of function {quoted(self.name)} is a list")
        return [arg.name for arg in self.message.signature.input_arg]

    @cached_property
    def results(self) -> list[str]:
        assert self.message.signature is not None
        return [arg.name for arg in self.message.signature.output_arg]

    @cached_property
    def _sources(self) -> dict[str, NodeDef]:
        return {node.name: node for node in self.message.node_def}

    def body(self) -> Body:
        """A fresh copy to work with."""
        nodes = []
        for source in self.message.node_def:
            names = parsed(source)
            inputs = tuple(self._flat(name) for name in names if name.port != CONTROL)
            controls = tuple(name.node for name in names if name.port == CONTROL)
            nodes.append(Node(source.name, source.op, inputs, controls, source=source))
        return Body(nodes, where=f"function {quoted(self.name)}", args=self.args)

    @cached_property
    def returns(self) -> list[TensorName]:
        for name in self.results:
            if name not in self.message.ret:
                raise FreezeError(f"function {quoted(self.name)} does not say what its result {quoted(name)} is")
        return [self._flat(TensorName.parse(self.message.ret[name])) for name in self.results]

    @property
    def controls(self) -> list[str]:
        return list(self.message.control_ret.values())

    def spelled(self, tensor: TensorName) -> str:
        """How the function itself refers to a tensor."""
        return self._spelled.get(tensor, tensor.node)

    def _flat(self, name: TensorName) -> TensorName:
        """The tensor with its port counted from the first output of its node."""
        if not name.output:
            return name
        source = self._sources.get(name.node)
        if source is None:
            raise FreezeError(f"function {quoted(self.name)} has no node {quoted(name.node)}")
        flat = TensorName(name.node, self._library.port(source, name.output, name.port))
        self._spelled[flat] = str(name)
        return flat


class Library:
    """The functions of a graph by name, and the declarations of its ops as far as they are known."""

    def __init__(self, functions: Iterable[FunctionDef], ops: Iterable[OpDef] = ()) -> None:
        self._messages = {function.signature.name: function for function in functions if function.signature is not None}
        self._taken = TakenNames(self._messages)
        self._functions: dict[str, Function] = {}
        self._ops = {op.name: op for op in ops}
        self._only_output: dict[str, str] = {}
        self.effects: dict[object, Any] = {}  # what tracing has found out

    def __contains__(self, name: str) -> bool:
        return name in self._messages

    def __getitem__(self, name: str) -> Function:
        if name not in self._functions:
            if name not in self._messages:
                raise FreezeError(f"there is no function {quoted(name)}{guess(name, self._messages)}")
            self._functions[name] = Function(self._messages[name], self)
        return self._functions[name]

    @property
    def node_count(self) -> int:
        """How many nodes all functions have."""
        return sum(len(message.node_def) for message in self._messages.values())

    def add(self, message: FunctionDef) -> None:
        assert message.signature is not None
        self._messages[message.signature.name] = message
        self._taken.add(message.signature.name)

    def free_name(self, name: str) -> str:
        """Return that name, or one like it if there is such a function, and reserve it."""
        return self._taken.fresh(name)

    def call(self, node: Node) -> Call | None:
        """The functions that a node calls with its own inputs; None if it calls none."""
        if node.op in _FUNCTION_ATTRS:
            attrs, first = _FUNCTION_ATTRS[node.op]
            return Call(attrs, tuple(attr(node, name, "func").name for name in attrs), first)
        if node.op in _CASES:
            return Call(("",), tuple(each.name for each in attr(node, "branches", "funcs")), _CASES[node.op])
        return Call((), (node.op,), 0) if node.op in self._messages else None

    def port(self, node: NodeDef, output: str, index: int) -> int:
        """The number of a node's tensor that is the one at `index` of an output. Raises FreezeError if it has none."""
        port = index
        for name, count in self._outputs(node, output):
            if name == output:
                if index >= count:
                    raise FreezeError(f"{node.op} {quoted(node.name)} has no tensor {output}:{index}")
                return port
            if count == _MOST_PORTS:
                raise FreezeError(f"how many tensors {quoted(name)} of {node.op} {quoted(node.name)} is, is not known")
            port += count
        raise FreezeError(f"{node.op} {quoted(node.name)} has no output {quoted(output)}")

    def _outputs(self, node: NodeDef, output: str) -> list[tuple[str, int]]:
        """The outputs of a node with the number of tensors in each."""
        if node.op in self._messages:
            signature = self._messages[node.op].signature
            return [(arg.name, 1) for arg in signature.output_arg] if signature else []
        op = self._ops.get(node.op) or op_def(node.op)
        if op is not None:
            defaults = {each.name: each.default_value for each in op.attr if each.default_value is not None}
            return [(arg.name, _count(node, arg.number_attr or arg.type_list_attr, defaults)) for arg in op.output_arg]
        # An op of which nothing is known has one output, as most have, unless it turns out to have two.
        known = self._only_output.setdefault(node.op, output)
        if known != output:
            raise FreezeError(
                f"the op {quoted(node.op)} is not known, and has outputs {quoted(known)} and {quoted(output)}: "
                "give the MetaGraphDef or SavedModel, which declare the ops that they use"
            )
        return [(output, _MOST_PORTS)]


def deeper(callers: tuple[str, ...], name: str) -> tuple[str, ...]:
    """The functions that are being looked into, with one more. Raises FreezeError if that leads nowhere."""
    if name in callers:
        raise FreezeError(f"function {quoted(name)} calls itself")
    if len(callers) >= _DEEPEST:
        raise FreezeError(f"function {quoted(name)} is called by more than {_DEEPEST} functions one inside of another")
    return (*callers, name)


def _count(node: NodeDef, counted: str, defaults: Mapping[str, AttrValue]) -> int:
    """How many tensors there are, by the attribute that tells. It may be left out where it has the default, which for
    lists is to be empty. Any number, if the caller of the function says it."""
    if not counted:
        return 1
    value = node.attr.get(counted) or defaults.get(counted)
    if value is None:
        return 0
    if value.placeholder is not None:
        return _MOST_PORTS
    if value.i is not None:
        return max(0, min(value.i, _MOST_PORTS))
    return len(value.list.type) if value.list is not None else 0
