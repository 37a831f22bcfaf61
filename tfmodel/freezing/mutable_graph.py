"""Working copies of graphs and of the insides of functions, in one form: nodes that refer to each other by ports.

The messages that a copy is made of are never changed. A node that is still as it was gives its own message back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import islice
from typing import Any, Literal, overload

from pbwire.guessing import suggestion

from ..errors import FreezeError, GraphError
from ..graph.edit import TakenNames
from ..graph.error_text import quoted
from ..messages import AttrValue, DataType, NameAttrList, NodeDef, TensorShapeProto
from ..names import CONTROL, TensorName, control_input
from ..printable import printable

__all__ = ["Body", "Node", "attr", "guess", "parsed", "quoted"]

_MOST_GUESSED = 10_000


def guess(name: str, known: Iterable[str]) -> str:
    """ "; did you mean ...?", for an error, if one of the first names is like it."""
    return printable(suggestion(name, list(islice(known, _MOST_GUESSED))))


def parsed(source: NodeDef) -> list[TensorName]:
    """The inputs of a node, control inputs among them."""
    try:
        return [TensorName.parse(text) for text in source.input]
    except GraphError as error:
        raise FreezeError(f"{source.op} {quoted(source.name)}: its input {error}") from error


class Node:
    """A node to work with: `inputs` are its tensors, `controls` the nodes that run before it.

    Assign to `op`, `inputs`, `controls` and `attrs`, or call `become`; what these hold is never changed in place.
    """

    __slots__ = ("_attrs", "_changed", "controls", "device", "inputs", "name", "op", "source")

    def __init__(
        self,
        name: str,
        op: str,
        inputs: tuple[TensorName, ...] = (),
        controls: tuple[str, ...] = (),
        attrs: Mapping[str, AttrValue] | None = None,
        *,
        source: NodeDef | None = None,
    ) -> None:
        self.name = name
        self.op = op
        self.inputs = inputs
        self.controls = controls
        self.device = source.device if source else ""
        self.source = source
        self._attrs = attrs
        self._changed = source is None

    @classmethod
    def of(cls, source: NodeDef) -> Node:
        names = parsed(source)
        inputs = tuple(name for name in names if name.port != CONTROL)
        controls = tuple(name.node for name in names if name.port == CONTROL)
        return cls(source.name, source.op, inputs, controls, source=source)

    @property
    def attrs(self) -> Mapping[str, AttrValue]:
        if self._attrs is None:
            assert self.source is not None
            self._attrs = self.source.attr
        return self._attrs

    def become(
        self,
        op: str | None = None,
        inputs: Iterable[TensorName] | None = None,
        attrs: Mapping[str, AttrValue] | None = None,
        *,
        controls: Iterable[str] | None = None,
    ) -> None:
        """Change what is given; the rest stays."""
        self._changed = True
        self.op = self.op if op is None else op
        self.inputs = self.inputs if inputs is None else tuple(inputs)
        self.controls = self.controls if controls is None else tuple(controls)
        self._attrs = self._attrs if attrs is None else attrs

    def reconnect(self, index: int, tensor: TensorName) -> None:
        if self.inputs[index] != tensor:
            self.become(inputs=(*self.inputs[:index], tensor, *self.inputs[index + 1 :]))

    def message(self, inputs: list[str] | None = None) -> NodeDef:
        """The node as a message; `inputs` are its inputs and control inputs, if they are spelled in another way."""
        if self.source is not None and not self._changed and (inputs is None or inputs == list(self.source.input)):
            return self.source
        if inputs is None:
            inputs = [*map(str, self.inputs), *(control_input(name) for name in self.controls)]
        node = NodeDef(name=self.name, op=self.op, input=inputs, device=self.device, attr=dict(self.attrs))
        if self.source is not None and self.op == self.source.op:
            node.experimental_type = self.source.experimental_type
            node.unknown_fields = self.source.unknown_fields
        return node

    def __repr__(self) -> str:
        return f"<{self.op} {self.name}>"


class Body:
    """Nodes by name, in order. `where` is what errors call them: "" for the graph, "function f".

    args      of a function, its arguments: nodes may refer to them as to nodes
    """

    def __init__(self, nodes: Iterable[Node], *, where: str = "", args: Iterable[str] = ()) -> None:
        self.where = where
        self.args = list(args)
        self.nodes: dict[str, Node] = {}
        for node in nodes:
            if node.name in self.nodes:
                raise FreezeError(f"{self.place()}has two nodes {quoted(node.name)}")
            self.nodes[node.name] = node
        self._known_args = frozenset(self.args)
        self._taken: TakenNames | None = None

    def place(self) -> str:
        return f"{self.where} " if self.where else "the graph "

    def describe(self, node: Node) -> str:
        """What errors call a node."""
        return f"{node.op} {quoted(node.name)}" + (f" of {self.where}" if self.where else "")

    def producer(self, name: str, user: Node) -> Node | None:
        """The node of a name; None if it is that of an argument. Raises FreezeError if there is no such node."""
        found = self.nodes.get(name)
        if found is None and name not in self._known_args:
            raise FreezeError(f"{self.describe(user)} needs {quoted(name)}, which is not there")
        return found

    def prune(self, wanted: Iterable[str]) -> None:
        """Leave only what those nodes need."""
        needed = self.needed_by(wanted, strict=True)
        self.replace({name: node for name, node in self.nodes.items() if name in needed})

    def replace(self, nodes: dict[str, Node]) -> None:
        """Have these nodes instead, by name; the names of the others are free."""
        self.nodes = nodes
        self._taken = None

    def needed_by(self, names: Iterable[str], *, strict: bool = False) -> set[str]:
        """Those nodes and all that they need, directly or not. With `strict`, FreezeError if something is missing."""
        needed: set[str] = set()
        queue = [name for name in names if name in self.nodes]
        while queue:
            name = queue.pop()
            if name in needed:
                continue
            needed.add(name)
            node = self.nodes[name]
            for other in (*(tensor.node for tensor in node.inputs), *node.controls):
                if other in self.nodes:
                    queue.append(other)
                elif strict:
                    self.producer(other, node)
        return needed

    def consumers(self) -> dict[TensorName, list[tuple[Node, int]]]:
        """Who uses each tensor, and as which input."""
        users: dict[TensorName, list[tuple[Node, int]]] = {}
        for node in self.nodes.values():
            for index, tensor in enumerate(node.inputs):
                users.setdefault(tensor, []).append((node, index))
        return users

    @cached_property
    def has_loops(self) -> bool:
        """Are there loops of TF1, whose nodes are told by their inputs?"""
        return any(node.op in ("Enter", "RefEnter") for node in self.nodes.values())

    def free_name(self, name: str) -> str:
        """Return that name, or one like it if there is such a node, and reserve it."""
        if self._taken is None:
            self._taken = TakenNames((*self.nodes, *self.args))
        return self._taken.fresh(name)

    def add(self, node: Node) -> None:
        self.nodes[node.name] = node
        if self._taken is not None:
            self._taken.add(node.name)


# --- attributes ------------------------------------------------------------------------------------------------------

_KINDS = {"types": "list of types", "funcs": "list of functions", "i": "number", "s": "string", "func": "function"}
_Kind = Literal["type", "types", "i", "s", "func", "funcs", "shape"]


@overload
def attr(node: Node, name: str, kind: Literal["type"]) -> DataType: ...
@overload
def attr(node: Node, name: str, kind: Literal["types"]) -> list[DataType]: ...
@overload
def attr(node: Node, name: str, kind: Literal["i"], default: int | None = None) -> int: ...
@overload
def attr(node: Node, name: str, kind: Literal["s"], default: bytes | None = None) -> bytes: ...
@overload
def attr(node: Node, name: str, kind: Literal["func"]) -> NameAttrList: ...
@overload
def attr(node: Node, name: str, kind: Literal["funcs"]) -> list[NameAttrList]: ...
@overload
def attr(
    node: Node, name: str, kind: Literal["shape"], default: TensorShapeProto | None = None
) -> TensorShapeProto: ...
def attr(node: Node, name: str, kind: _Kind, default: Any = None) -> Any:
    """The value of an attribute. Raises FreezeError if it is not there (unless there is a default) or is another."""
    value = node.attrs.get(name)
    if value is None:
        if default is not None:
            return default
        raise FreezeError(f"{node.op} {quoted(node.name)} has no attribute {quoted(name)}")
    if kind in ("types", "funcs"):
        found = None if value.list is None else value.list.type if kind == "types" else value.list.func
    else:
        found = getattr(value, kind)
    if found is None:
        what = _KINDS.get(kind, kind)
        raise FreezeError(f"the attribute {quoted(name)} of {node.op} {quoted(node.name)} is no {what}")
    return found
