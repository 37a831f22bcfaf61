"""Edit graphs: copies that share unchanged parts, graphs to change node by node, and names for new nodes.

    relu = replace_node(node, op="Relu")
    graph = with_nodes(graph, [relu if old is node else old for old in graph.node])

    taken = TakenNames(node.name for node in graph.node)
    taken.fresh("scale")        # "scale", or "scale_1" if it is taken, ...

A rewrite in several steps, where each step sees the changes of the steps before it, uses a `MutableGraph`:

    graph = MutableGraph(message.node)
    graph.change(graph.nodes["relu"], "Relu6")
    nodes = list(graph.nodes.values())

The message of a node never changes: `change` replaces a node by a copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, TypeVar

from pbwire.codec.copy import share

from ..errors import GraphError
from ..messages import AttrValue, FunctionDef, FunctionDefLibrary, GraphDef, NodeDef
from ..ops.traits import ENTER
from ..values.names import TakenNames, TensorName, control_input, control_inputs, node_name
from .attributes import input_tensors, references
from .error_text import describe, quote

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


# --- graphs that change ----------------------------------------------------------------------------------------------


class MutableGraph:
    """The nodes of a graph or a function body by name, in order. References are spelled as in a graph.

    where        the words for it in errors: "" for the graph, 'function "f"' for a body
    arguments    the names of the function's arguments, to which nodes may refer

    Raises GraphError for two nodes of one name, for a node with the name of an argument, and for an input that is not
    a reference.
    """

    def __init__(self, nodes: Iterable[NodeDef], *, where: str = "", arguments: Iterable[str] = ()) -> None:
        self.where = where
        self.arguments = list(arguments)
        self._argument_names = frozenset(self.arguments)
        self.nodes: dict[str, NodeDef] = {}
        for node in nodes:
            references(node)
            if node.name in self.nodes:
                raise GraphError(f"{where or 'the graph'} has two nodes {quote(node.name)}")
            if node.name in self._argument_names:
                raise GraphError(f"{where or 'the graph'} has a node and an argument {quote(node.name)}")
            self.nodes[node.name] = node
        self._taken: TakenNames | None = None

    # --- reading -----------------------------------------------------------------------------------------------------

    def describe(self, node: NodeDef) -> str:
        """Return a node as errors show it, with its function."""
        return describe(node) + (f" of {self.where}" if self.where else "")

    def producer(self, name: str, user: NodeDef) -> NodeDef | None:
        """Return the node that `user` refers to by `name`; None for an argument. Raises GraphError if it is missing."""
        node = self.nodes.get(name)
        if node is None and name not in self._argument_names:
            raise GraphError(f"{self.describe(user)} needs {quote(name)}, which does not exist")
        return node

    def with_ancestors(self, names: Iterable[str], *, strict: bool = False) -> set[str]:
        """Return the names of the nodes in `names`, and of all nodes that they need, directly or not.

        Unknown names are ignored. With `strict`, raises GraphError if a node that they need is missing.
        """
        needed: set[str] = set()
        queue = [name for name in names if name in self.nodes]
        while queue:
            name = queue.pop()
            if name in needed:
                continue
            needed.add(name)
            node = self.nodes[name]
            for producer in map(node_name, node.input):
                if producer in self.nodes:
                    queue.append(producer)
                elif strict:
                    self.producer(producer, node)
        return needed

    def consumers(self) -> dict[TensorName, list[tuple[NodeDef, int]]]:
        """Return the uses of each tensor: the node that takes it, and the position of the input."""
        users: dict[TensorName, list[tuple[NodeDef, int]]] = {}
        for node in self.nodes.values():
            for index, tensor in enumerate(input_tensors(node)):
                users.setdefault(tensor, []).append((node, index))
        return users

    @cached_property
    def has_loops(self) -> bool:
        """Return whether there are TensorFlow 1 loops, where the inputs of a node decide which loop it runs in."""
        return any(node.op in ENTER for node in self.nodes.values())

    # --- changing ----------------------------------------------------------------------------------------------------

    def change(
        self,
        node: NodeDef,
        op: str | None = None,
        inputs: Iterable[TensorName] | None = None,
        attr: Mapping[str, AttrValue] | None = None,
        *,
        controls: Iterable[str] | None = None,
    ) -> NodeDef:
        """Replace a node by a copy with another op, other inputs, attributes or control inputs, and return the copy.

        `controls` are the names of nodes that run before it. Parts that are None stay as they are. If the op changes,
        fields about the old op are removed. The debug information is always removed, since frozen graphs have none.
        """
        tensors = input_tensors(node) if inputs is None else inputs
        names = map(node_name, control_inputs(node)) if controls is None else controls
        new = replace_node(node, input=[*map(str, tensors), *map(control_input, names)], experimental_debug_info=None)
        if attr is not None:
            new.attr = dict(attr)
        if op is not None and op != node.op:
            new.op, new.experimental_type, new.unknown_fields = op, None, b""
        self.nodes[new.name] = new
        return new

    def replace_tensors(self, replacements: Mapping[TensorName, TensorName]) -> None:
        """Replace tensors, the keys of `replacements`, in the inputs of all nodes. Control inputs stay."""
        for node in [*self.nodes.values()]:
            tensors = input_tensors(node)
            if not replacements.keys().isdisjoint(tensors):
                self.change(node, inputs=[replacements.get(tensor, tensor) for tensor in tensors])

    def prune(self, names: Iterable[str]) -> None:
        """Keep only the nodes in `names`, and the nodes that they need.

        Raises GraphError if a needed node is missing.
        """
        needed = self.with_ancestors(names, strict=True)
        self.replace_nodes(node for name, node in self.nodes.items() if name in needed)

    def replace_nodes(self, nodes: Iterable[NodeDef]) -> None:
        """Replace all nodes; names that are not used any more become free."""
        self.nodes = {node.name: node for node in nodes}
        self._taken = None

    def reserve_name(self, name: str) -> str:
        """Reserve a name for a new node and return it: `name`, or name_1, name_2, ... if it is taken."""
        if self._taken is None:
            self._taken = TakenNames((*self.nodes, *self.arguments))
        return self._taken.fresh(name)

    def add(self, node: NodeDef) -> None:
        """Add a node at the end, or replace the node of its name."""
        self.nodes[node.name] = node
        if self._taken is not None:
            self._taken.add(node.name)
