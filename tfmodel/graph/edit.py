"""Edit graphs: copies that share everything unchanged, working copies to change in place, and names for new nodes.

    relu = replace_node(node, op="Relu")
    graph = with_nodes(graph, [relu if old is node else old for old in graph.node])

    taken = TakenNames(node.name for node in graph.node)
    taken.fresh("scale")        # "scale", or "scale_1" if it is taken, ...

A rewrite that changes many nodes uses a working copy:

    graph = MutableGraph(map(MutableNode.of, message.node))
    graph.nodes["relu"].change("Relu6")
    nodes = [node.to_message() for node in graph.nodes.values()]

In a working copy, nodes of a graph and of a function refer to each other in one form: by node and port. The messages
that it is made of never change, and a node that was not changed gives its own message back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, TypeVar

from pbwire.codec.copy import share

from ..errors import GraphError
from ..messages import AttrValue, FunctionDef, FunctionDefLibrary, GraphDef, NodeDef
from ..names import TensorName, control_input
from ..ops.traits import ENTER
from .attributes import references
from .error_text import describe, quote

__all__ = ["MutableGraph", "MutableNode", "TakenNames", "replace_node", "with_functions", "with_nodes"]


G = TypeVar("G", GraphDef, FunctionDef)


# --- copies ----------------------------------------------------------------------------------------------------------


def replace_node(node: NodeDef, **fields: Any) -> NodeDef:
    """Return a copy of a node with new values in some fields: `replace_node(node, op="Relu", input=[...])`.

    The lists, maps and messages in the other fields are shared with `node`: do not change them. Attributes that were
    not decoded yet stay so. Pass new lists and dicts as inputs and attributes; they may hold old values.
    """
    new = share(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def with_nodes(graph: G, nodes: Iterable[NodeDef]) -> G:
    """Return a copy of a graph or function with other nodes; keep versions, library and unknown fields."""
    new = share(graph)
    if isinstance(new, FunctionDef):
        new.node_def = list(nodes)
    else:
        new.node = list(nodes)
    return new


def with_functions(graph: GraphDef, functions: Iterable[FunctionDef]) -> GraphDef:
    """Return a copy of a graph with other functions in its library; keep everything else, including gradients."""
    new = share(graph)
    new.library = share(graph.library) if graph.library is not None else FunctionDefLibrary()
    new.library.function = list(functions)
    return new


# --- names -----------------------------------------------------------------------------------------------------------


class TakenNames(set[str]):
    """The set of names in use, which makes new ones.

    All new names together take time that is linear in the names: the search for one goes on where the last search for
    the same base ended, and a taken name can only be hit by one base, the part before its last underscore.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        super().__init__(names)
        self._numbers: dict[str, int] = {}

    def fresh(self, base: str) -> str:
        """Return `base`, or the first of base_1, base_2, ... that is not taken, and add it to the names."""
        name = base
        if base in self:
            number = self._numbers.get(base, 1)
            while (name := f"{base}_{number}") in self:
                number += 1
            self._numbers[base] = number + 1
        self.add(name)
        return name


# --- working copies --------------------------------------------------------------------------------------------------


class MutableNode:
    """A node whose `inputs` are tensors and whose `controls` are the names of nodes that run before it.

    `change` replaces its op, inputs, control inputs and attributes; the collections themselves are never changed in
    place. `source` is the message that the node was made of, None for a new node.
    """

    __slots__ = ("_attr", "_changed", "controls", "device", "inputs", "name", "op", "source")

    def __init__(
        self,
        name: str,
        op: str,
        inputs: tuple[TensorName, ...] = (),
        controls: tuple[str, ...] = (),
        attr: Mapping[str, AttrValue] | None = None,
        *,
        source: NodeDef | None = None,
    ) -> None:
        self.name = name
        self.op = op
        self.inputs = inputs
        self.controls = controls
        self.device = source.device if source else ""
        self.source = source
        self._attr = attr
        self._changed = source is None

    @classmethod
    def of(cls, source: NodeDef) -> MutableNode:
        """Make a working copy of a node of a graph. Raises GraphError for an input that is not a reference."""
        return cls.with_references(source, references(source))

    @classmethod
    def with_references(cls, source: NodeDef, names: Iterable[TensorName]) -> MutableNode:
        """Make a working copy of a node whose parsed inputs are `names`."""
        names = list(names)
        inputs = tuple(name for name in names if not name.is_control)
        controls = tuple(name.node for name in names if name.is_control)
        return cls(source.name, source.op, inputs, controls, source=source)

    @property
    def attr(self) -> Mapping[str, AttrValue]:
        """The attributes by name, decoded when they are first read. `tfmodel.graph.attr` reads one."""
        if self._attr is None:
            assert self.source is not None
            self._attr = self.source.attr
        return self._attr

    @property
    def producers(self) -> list[str]:
        """The names of the nodes that this one takes tensors from or waits for, once for each input."""
        return [*(tensor.node for tensor in self.inputs), *self.controls]

    def change(
        self,
        op: str | None = None,
        inputs: Iterable[TensorName] | None = None,
        attr: Mapping[str, AttrValue] | None = None,
        *,
        controls: Iterable[str] | None = None,
    ) -> None:
        """Replace parts of the node; those that are None stay as they are."""
        self._changed = True
        self.op = self.op if op is None else op
        self.inputs = self.inputs if inputs is None else tuple(inputs)
        self.controls = self.controls if controls is None else tuple(controls)
        self._attr = self._attr if attr is None else attr

    def set_input(self, index: int, tensor: TensorName) -> None:
        """Replace one input."""
        if self.inputs[index] != tensor:
            self.change(inputs=(*self.inputs[:index], tensor, *self.inputs[index + 1 :]))

    def to_message(self, inputs: list[str] | None = None) -> NodeDef:
        """Return the node as a message: the source itself if nothing changed.

        `inputs` are the references to write, control inputs included, where a function body spells them differently.
        """
        if self.source is not None and not self._changed and (inputs is None or inputs == list(self.source.input)):
            return self.source
        if inputs is None:
            inputs = [*map(str, self.inputs), *map(control_input, self.controls)]
        node = NodeDef(name=self.name, op=self.op, input=inputs, device=self.device, attr=dict(self.attr))
        if self.source is not None and self.op == self.source.op:
            node.experimental_type = self.source.experimental_type
            node.unknown_fields = self.source.unknown_fields
        return node

    def __repr__(self) -> str:
        return f"<{self.op} {self.name}>"


class MutableGraph:
    """The nodes of a graph or a function body by name, in order.

    where        what errors call it: "" for the graph, 'function "f"' for a body
    arguments    the arguments of the function, to which nodes may refer as to nodes

    Raises GraphError for two nodes of one name, and for a node with the name of an argument.
    """

    def __init__(self, nodes: Iterable[MutableNode], *, where: str = "", arguments: Iterable[str] = ()) -> None:
        self.where = where
        self.arguments = list(arguments)
        self._argument_names = frozenset(self.arguments)
        self.nodes: dict[str, MutableNode] = {}
        for node in nodes:
            if node.name in self.nodes:
                raise GraphError(f"{where or 'the graph'} has two nodes {quote(node.name)}")
            if node.name in self._argument_names:
                raise GraphError(f"{where or 'the graph'} has a node and an argument {quote(node.name)}")
            self.nodes[node.name] = node
        self._taken: TakenNames | None = None

    def describe(self, node: MutableNode) -> str:
        """Return what errors call a node."""
        return describe(node) + (f" of {self.where}" if self.where else "")

    def producer(self, name: str, user: MutableNode) -> MutableNode | None:
        """Return the node that `user` refers to by `name`; None for an argument. Raises GraphError if it is missing."""
        node = self.nodes.get(name)
        if node is None and name not in self._argument_names:
            raise GraphError(f"{self.describe(user)} needs {quote(name)}, which does not exist")
        return node

    def prune(self, names: Iterable[str]) -> None:
        """Remove all nodes that those nodes do not need. Raises GraphError if one that they need is missing."""
        needed = self.with_ancestors(names, strict=True)
        self.replace_nodes({name: node for name, node in self.nodes.items() if name in needed})

    def replace_nodes(self, nodes: dict[str, MutableNode]) -> None:
        """Replace all nodes; names that are not used any more become free."""
        self.nodes = nodes
        self._taken = None

    def with_ancestors(self, names: Iterable[str], *, strict: bool = False) -> set[str]:
        """Return the names of those nodes and of all that they need, directly or not.

        With `strict`, raises GraphError if one of them is missing.
        """
        needed: set[str] = set()
        queue = [name for name in names if name in self.nodes]
        while queue:
            name = queue.pop()
            if name in needed:
                continue
            needed.add(name)
            node = self.nodes[name]
            for producer in node.producers:
                if producer in self.nodes:
                    queue.append(producer)
                elif strict:
                    self.producer(producer, node)
        return needed

    def consumers(self) -> dict[TensorName, list[tuple[MutableNode, int]]]:
        """Return the users of each tensor: the node, and which of its inputs it is."""
        users: dict[TensorName, list[tuple[MutableNode, int]]] = {}
        for node in self.nodes.values():
            for index, tensor in enumerate(node.inputs):
                users.setdefault(tensor, []).append((node, index))
        return users

    @cached_property
    def has_loops(self) -> bool:
        """Return whether there are TensorFlow 1 loops, where the inputs of a node decide which loop it runs in."""
        return any(node.op in ENTER for node in self.nodes.values())

    def reserve_name(self, name: str) -> str:
        """Return that name, or name_1, name_2, ... if it is taken, and reserve it for a new node."""
        if self._taken is None:
            self._taken = TakenNames((*self.nodes, *self.arguments))
        return self._taken.fresh(name)

    def add(self, node: MutableNode) -> None:
        """Add a node at the end."""
        self.nodes[node.name] = node
        if self._taken is not None:
            self._taken.add(node.name)
