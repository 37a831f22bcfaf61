"""The nodes of a graph or of the body of a function, to look at and to change, and the message that they become.

    view = GraphView(graph)                     # or GraphView(functions.body("f"))
    view.users("conv")                          # the names of the nodes that refer to it
    view.change(view.nodes["relu"], "Relu6")
    view.replace_tensors({TensorName("a"): TensorName("b", 1)})
    view.add(NodeDef(name=view.fresh("scale"), op="Const"))
    graph = view.graph()                        # or view.function()

References are spelled as in a graph, in the body of a function too. Each step sees the changes of the steps before it.
The message and its nodes do not change: `change` replaces a node by a copy. `index` has the nodes of the message, and
in the body of a function an `_Arg` for each argument; it does not change either. A function that makes a new list of
nodes from those of `index` gives it to `view.graph` or `view.function`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from functools import cached_property, partial
from typing import NamedTuple, TypeVar

from ..errors import GraphError
from ..messages import AttrValue, FunctionDef, GraphDef, NodeDef
from ..ops.traits import ENTER
from ..values.names import (
    TakenNames,
    TensorName,
    control_input,
    control_inputs,
    data_inputs,
    node_name,
    with_node_name,
)
from .attributes import input_tensors, references
from .colocation import ColocationRenames
from .edit import replace_node, with_nodes
from .error_text import describe, quote
from .function_body import FunctionBody
from .index import GraphIndex

K = TypeVar("K", bound=Hashable)


class User(NamedTuple):
    """A node, and the position of one of its data inputs."""

    node: NodeDef
    input_index: int


_new_user = partial(tuple.__new__, User)  # the constructor of a NamedTuple takes longer, and graphs have many edges


class GraphView:
    """The nodes of a graph or of the body of a function by name, in order.

    message     the GraphDef or FunctionDef
    body        the body of the function; None for a graph
    where       the words for it in errors: "" for a graph, 'function "f"' for a body
    inputs      the tensors that are declared as inputs, which may be fed
    outputs     the tensors that are declared as outputs; in a body, its results and the nodes that run with every call

    Raises GraphError for two nodes of one name, for a node with the name of an argument, for a list of tensors as an
    argument, and for an input that is not a reference. Without `checked`, only the parts of a body that are used raise
    an error; of several nodes with one name, the last counts.
    """

    def __init__(
        self,
        source: GraphDef | FunctionBody,
        *,
        inputs: Iterable[TensorName] = (),
        outputs: Iterable[TensorName] = (),
        checked: bool = True,
    ) -> None:
        self.body = source if isinstance(source, FunctionBody) else None
        self.message: GraphDef | FunctionDef = source.message if isinstance(source, FunctionBody) else source
        self.where = "" if self.body is None else f"function {quote(self.body.name)}"
        self.inputs = tuple(inputs)
        self._outputs = tuple(outputs)
        self._users: dict[str, dict[str, None]] | None = None
        self._taken: TakenNames | None = None
        if checked:
            self._check()

    def _check(self) -> None:
        nodes = self._originals
        arguments = {*(self.body.arguments if self.body is not None else ())}
        names: set[str] = set()
        for node in nodes:
            references(node)
            if node.name in names:
                raise GraphError(f"{self.where or 'the graph'} has two nodes {quote(node.name)}")
            if node.name in arguments:
                raise GraphError(f"{self.where or 'the graph'} has a node and an argument {quote(node.name)}")
            names.add(node.name)

    # --- the message -------------------------------------------------------------------------------------------------

    @property
    def _originals(self) -> list[NodeDef]:
        if self.body is not None:
            return self.body.nodes
        assert isinstance(self.message, GraphDef)
        return self.message.node

    @cached_property
    def nodes(self) -> dict[str, NodeDef]:
        """The nodes by name, without arguments. Change them with the methods."""
        return {node.name: node for node in self._originals}

    @cached_property
    def index(self) -> GraphIndex:
        """The nodes of the message, as they were before all changes."""
        return self.body.index if self.body is not None else GraphIndex(self.message)

    @cached_property
    def ops(self) -> frozenset[str]:
        """The ops of the nodes of the message. References are not read for this."""
        nodes = self.message.node if isinstance(self.message, GraphDef) else self.message.node_def
        return frozenset(node.op for node in nodes)

    @property
    def arguments(self) -> Collection[str]:
        """The names of the arguments, to which nodes may refer."""
        return self.body.argument_names if self.body is not None else ()

    @cached_property
    def results(self) -> dict[str, TensorName]:
        """The tensor of each result of the function, by name."""
        return dict(self.body.ret) if self.body is not None else {}

    @cached_property
    def control_results(self) -> dict[str, str]:
        """The nodes that run with every call of the function, by the names of its control outputs."""
        return dict(self.body.message.control_ret) if self.body is not None else {}

    @property
    def outputs(self) -> tuple[TensorName, ...]:
        if self.body is None:
            return self._outputs
        return (*self.results.values(), *map(TensorName.control, self.control_results.values()))

    @property
    def declared(self) -> frozenset[str]:
        """The names of the nodes that are declared as inputs or outputs."""
        return frozenset(tensor.node for tensor in (*self.inputs, *self.outputs))

    def graph(self, nodes: Iterable[NodeDef] | None = None) -> GraphDef:
        """Return the graph with the present nodes, or with `nodes`; keep all other parts."""
        assert isinstance(self.message, GraphDef)
        return with_nodes(self.message, self.nodes.values() if nodes is None else nodes)

    def function(self, nodes: Iterable[NodeDef] | None = None) -> FunctionDef:
        """Return the function with the present nodes, or with `nodes`; the function itself if nothing changes.

        `nodes` may include the arguments, as in `index`. Raises GraphError for a reference to a node that is not among
        the nodes.
        """
        assert self.body is not None
        nodes = self.nodes.values() if nodes is None else nodes
        return self.body.rebuild(nodes, self.results, self.control_results)

    # --- reading -----------------------------------------------------------------------------------------------------

    def describe(self, node: NodeDef) -> str:
        """Return a node as errors show it, with its function."""
        return describe(node) + (f" of {self.where}" if self.where else "")

    def producer(self, name: str, user: NodeDef) -> NodeDef | None:
        """Return the node that `user` refers to by `name`; None for an argument. Raises GraphError if it is missing."""
        node = self.nodes.get(name)
        if node is None and name not in self.arguments:
            raise GraphError(f"{self.describe(user)} needs {quote(name)}, which does not exist")
        return node

    def with_ancestors(
        self, names: Iterable[str], *, strict: bool = False, stop: Collection[str] = frozenset()
    ) -> set[str]:
        """Return the names of the nodes in `names`, and of all nodes that they need, directly or not.

        Unknown names are ignored. What the nodes in `stop` need is not included. With `strict`, raises GraphError if a
        node that they need is missing.
        """
        needed: set[str] = set()
        queue = [name for name in names if name in self.nodes]
        while queue:
            name = queue.pop()
            if name in needed:
                continue
            needed.add(name)
            node = self.nodes[name]
            for producer in map(node_name, node.input) if name not in stop else ():
                if producer in self.nodes:
                    queue.append(producer)
                elif strict:
                    self.producer(producer, node)
        return needed

    def consumers(self) -> dict[TensorName, list[User]]:
        """Return the nodes that take each tensor, each with the position of the input."""
        return consumers_by(TensorName.parse, self.nodes.values())

    def users(self, name: str) -> Collection[str]:
        """Return the names of the nodes that refer to a node, control inputs included, in order."""
        if self._users is None:
            self._users = users_of(self.nodes.values())
        return self._users.get(name, {}).keys()

    def _update_users(self, name: str, old: NodeDef | None, new: NodeDef | None) -> None:
        """Let the users of nodes follow a change of the node `name`."""
        if self._users is not None:
            before, after = ({} if node is None else dict.fromkeys(map(node_name, node.input)) for node in (old, new))
            for source in before.keys() - after.keys():
                del self._users[source][name]
            for source in after:
                self._users.setdefault(source, {})[name] = None

    @cached_property
    def has_loops(self) -> bool:
        """Return whether there are TensorFlow 1 loops, where the inputs of a node decide which loop it runs in."""
        return any(node.op in ENTER for node in self.nodes.values())

    # --- names -------------------------------------------------------------------------------------------------------

    @property
    def _names(self) -> TakenNames:
        if self._taken is None:
            self._taken = TakenNames((*self.nodes, *self.arguments))
        return self._taken

    def fresh(self, name: str) -> str:
        """Reserve a name for a new node and return it: `name`, or name_1, name_2, ... if it is taken."""
        return self._names.fresh(name)

    def free(self, name: str) -> str:
        """Return the name that `fresh` would reserve."""
        return self._names.free(name)

    # --- changing ----------------------------------------------------------------------------------------------------

    def add(self, node: NodeDef) -> None:
        """Add a node at the end, or replace the node of its name."""
        self._update_users(node.name, self.nodes.get(node.name), node)
        self.nodes[node.name] = node
        if self._taken is not None:
            self._taken.add(node.name)

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
        self.add(new)
        return new

    def replace_tensors(self, replacements: Mapping[TensorName, TensorName]) -> None:
        """Replace tensors, the keys of `replacements`, in the inputs of all nodes. Control inputs stay."""
        for node in [*self.nodes.values()]:
            tensors = input_tensors(node)
            if not replacements.keys().isdisjoint(tensors):
                self.change(node, inputs=[replacements.get(tensor, tensor) for tensor in tensors])

    def rename(self, names: Mapping[str, str]) -> None:
        """Give nodes new names, all at once; references, colocation and the results of a function follow."""
        self.replace_nodes(rename_nodes(self.nodes.values(), names))
        for key, tensor in self.results.items():
            self.results[key] = tensor._replace(node=names.get(tensor.node, tensor.node))
        for key, name in self.control_results.items():
            self.control_results[key] = names.get(name, name)

    def remove(self, names: Collection[str]) -> None:
        """Remove nodes. In the control inputs of other nodes, the control inputs of a removed node take its place.

        The caller makes sure that nothing takes the tensors of the nodes.
        """
        for name in names:
            before = control_inputs(self.nodes[name])
            for node in [self.nodes[user] for user in self.users(name)]:
                controls: dict[str, None] = {}
                for text in control_inputs(node):
                    controls.update(dict.fromkeys(before) if node_name(text) == name else {text: None})
                self.add(replace_node(node, input=[*data_inputs(node), *controls]))
        for name in names:
            self._update_users(name, self.nodes.pop(name), None)
            if self._taken is not None:
                self._taken.discard(name)

    def prune(self, names: Iterable[str]) -> None:
        """Keep only the nodes in `names`, and the nodes that they need.

        Raises GraphError if a needed node is missing.
        """
        needed = self.with_ancestors(names, strict=True)
        self.replace_nodes(node for name, node in self.nodes.items() if name in needed)

    def replace_nodes(self, nodes: Iterable[NodeDef]) -> None:
        """Replace all nodes; names that are not used any more become free."""
        self.nodes = {node.name: node for node in nodes}
        self._users = None
        self._taken = None


# --- lists of nodes --------------------------------------------------------------------------------------------------


def users_of(nodes: Iterable[NodeDef]) -> dict[str, dict[str, None]]:
    """Return the names of the nodes that refer to each name, control inputs included, in the order of the nodes."""
    users: dict[str, dict[str, None]] = {}
    for node in nodes:
        for text in node.input:
            users.setdefault(node_name(text), {})[node.name] = None
    return users


def consumers_by(key: Callable[[str], K], nodes: Iterable[NodeDef]) -> dict[K, list[User]]:
    """Return the nodes that take tensors, in order, by the results of `key` for the references to the tensors.

    `key` is called once for each spelling. Control inputs are not included.
    """
    consumers: dict[K, list[User]] = {}
    by_text: dict[str, list[User]] = {}
    for node in nodes:
        for place, text in enumerate(data_inputs(node)):
            if text not in by_text:
                by_text[text] = consumers.setdefault(key(text), [])
            by_text[text].append(_new_user((node, place)))
    return consumers


def rename_nodes(nodes: Iterable[NodeDef], names: Mapping[str, str]) -> list[NodeDef]:
    """Return nodes with new names, given by the old ones; references and colocation follow.

    All names change at once, so that two nodes may exchange their names.
    """
    colocation = ColocationRenames(names)
    renamed = []
    for node in nodes:
        node = colocation.rename(node)
        inputs = [with_node_name(text, names.get(name, name)) for text in node.input for name in (node_name(text),)]
        if node.name in names or inputs != node.input:
            node = replace_node(node, name=names.get(node.name, node.name), input=inputs)
        renamed.append(node)
    return renamed
