"""An index over the nodes of a graph, or of the body of a function: nodes by name, and the references between them.

    index = GraphIndex(graph)
    index["conv"]                       # the node; GraphError with a suggestion for an unknown name
    index.producers("conv")             # the nodes that its inputs refer to
    index.consumers("conv")             # the nodes that refer to it, once for each reference
    index.uses("conv")                  # the same with the input and the port
    index.execution_order               # the nodes in topological order
    index.frame("conv")                 # the loop that it is in
    index.branch("conv")                # the branch of a conditional that it is in

Each part is computed when it is first used, in time linear in the graph. The only attributes that are read are the
names of loops, so nodes that were decoded lazily stay so. The graph must not change while its index is in use.

Algorithms over large graphs use positions of nodes, `sources` and `targets`. Any graph has an index, even one with
faults, which `check_graph` finds. If several nodes have one name, the last counts, as in the C++ Graph Transform Tool.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from pbwire.collection import PausedCollection

from ..errors import GraphError, with_name
from ..messages import FunctionDef, GraphDef, NodeDef
from ..ops.traits import MERGE, NEXT_ITERATION
from ..values.names import TakenNames, TensorName, check_name, is_control_input, is_plain_name
from .control_flow import CONTROL_FLOW, Branch, Frame, branches_of, frames_of
from .error_text import Guesses, describe, guess, list_names, quote
from .functions import Functions
from .traversal import topological_order

ARGUMENT = -1
"""Stands for the position of an argument of a function."""

UNKNOWN = -2
"""Stands for the position of a node that does not exist, and for an input that is not a reference."""


class Use(NamedTuple):
    """A reference to a node: input number `place` of `node` is `tensor`, whose port is CONTROL for a control input."""

    node: NodeDef
    place: int
    tensor: TensorName


class GraphIndex:
    """The nodes of a graph or a function by name and position, their connections, order and control flow.

    nodes        the nodes, in the order of the graph
    arguments    the names of the arguments of a function, to which nodes may refer
    functions    the function library; pass it for a function, since its message does not contain the library
    """

    def __init__(self, graph: GraphDef | FunctionDef, functions: Functions | None = None) -> None:
        self.graph = graph
        self.nodes: list[NodeDef]
        self.arguments: list[str] = []
        if isinstance(graph, FunctionDef):
            self.nodes = graph.node_def
            if graph.signature is not None:
                self.arguments = [argument.name for argument in graph.signature.input_arg]
        else:
            self.nodes = graph.node
        self.positions: dict[str, int] = {node.name: position for position, node in enumerate(self.nodes)}
        self._functions = functions
        self._bodies: dict[str, GraphIndex] = {}
        self._guess = Guesses()

    @property
    def in_body(self) -> bool:
        """Return whether these are the nodes of a function body, where references are spelled differently."""
        return isinstance(self.graph, FunctionDef)

    @cached_property
    def functions(self) -> Functions:
        if self._functions is not None or isinstance(self.graph, FunctionDef):
            return self._functions or Functions(None)
        return Functions(self.graph.library)

    def body(self, name: str) -> GraphIndex:
        """Return the index of a function of the library, which is made once. Raises GraphError for an unknown name."""
        function = self.functions[name]
        index = self._bodies.get(name)
        if index is None or index.graph is not function:
            index = self._bodies[name] = GraphIndex(function, self.functions)
        return index

    # --- by name -----------------------------------------------------------------------------------------------------

    def __contains__(self, name: str) -> bool:
        return name in self.positions

    def __getitem__(self, name: str) -> NodeDef:
        return self.nodes[self.position(name)]

    def __iter__(self) -> Iterator[NodeDef]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)

    def __repr__(self) -> str:
        return f"<GraphIndex of {len(self.nodes):,} nodes>"

    def get(self, name: str) -> NodeDef | None:
        position = self.positions.get(name)
        return None if position is None else self.nodes[position]

    def position(self, name: str) -> int:
        """Return the position of a node by name. Raises GraphError, with a suggestion, for an unknown name."""
        position = self.positions.get(check_name(name))
        if position is None:
            raise GraphError(f"there is no node {quote(name)}{self._guess(name, self.positions)}")
        return position

    def taken_names(self) -> TakenNames:
        """Return the names of all nodes and arguments, which make names for new nodes."""
        return TakenNames((*self.positions, *self.arguments))

    # --- edges -------------------------------------------------------------------------------------------------------

    @cached_property
    def sources(self) -> list[list[int]]:
        """For each node, the position that each of its inputs refers to, which may be ARGUMENT or UNKNOWN."""
        position_of = self._referred.__getitem__
        with PausedCollection():
            return [[*map(position_of, node.input)] for node in self.nodes]

    @cached_property
    def _referred(self) -> _Referred:
        return _Referred(self.positions, self.arguments)

    @property
    def spellings(self) -> Mapping[str, int]:
        """The positions of nodes by reference: all references in the graph, and all names of nodes."""
        return self._referred if self.sources else {}

    @cached_property
    def targets(self) -> list[list[int]]:
        """For each node, the positions of the nodes that refer to it, in order, once per reference."""
        all_sources = self.sources
        with PausedCollection():
            targets: list[list[int]] = [[] for _ in self.nodes]
            for position, sources in enumerate(all_sources):
                for source in sources:
                    if source >= 0:
                        targets[source].append(position)
        return targets

    def producers(self, name: str) -> list[NodeDef]:
        """Return the nodes that the inputs of a node refer to, one per input; arguments of a function are left out.

        Raises GraphError if one does not exist.
        """
        position = self.position(name)
        sources = self.sources[position]
        if UNKNOWN in sources:
            raise self._missing(position)
        return [self.nodes[source] for source in sources if source >= 0]

    def consumers(self, name: str) -> list[NodeDef]:
        """Return the nodes that refer to a node, once per reference."""
        return [self.nodes[target] for target in self.targets[self.position(name)]]

    def uses(self, name: str) -> list[Use]:
        """Return the references to a node."""
        return [
            Use(self.nodes[target], place, TensorName.parse(self.nodes[target].input[place]))
            for target, place in self._uses[self.position(name)]
        ]

    @cached_property
    def _uses(self) -> list[list[tuple[int, int]]]:
        all_sources = self.sources
        with PausedCollection():
            uses: list[list[tuple[int, int]]] = [[] for _ in self.nodes]
            for position, sources in enumerate(all_sources):
                for place, source in enumerate(sources):
                    if source >= 0:
                        uses[source].append((position, place))
        return uses

    @cached_property
    def takers(self) -> list[int]:
        """For each node, the number of inputs that take one of its tensors; control inputs do not count."""
        takers = [0] * len(self.nodes)
        controls = set(filter(is_control_input, self.spellings))  # each spelling is parsed once
        for node, sources in zip(self.nodes, self.sources, strict=True):
            for text, source in zip(node.input, sources, strict=True):
                if source >= 0 and text not in controls:
                    takers[source] += 1
        return takers

    def data_references(self, position: int) -> Iterable[tuple[str, int]]:
        """Return the data inputs of a node, each with the position that it refers to."""
        pairs = self._without_controls.get(position)
        return zip(self.nodes[position].input, self.sources[position], strict=True) if pairs is None else pairs

    @cached_property
    def data_sources(self) -> list[list[int]]:
        """`sources` without those of control inputs."""
        without = self._without_controls
        if not without:
            return self.sources
        return [
            [source for _, source in without[position]] if position in without else sources
            for position, sources in enumerate(self.sources)
        ]

    @property
    def with_controls(self) -> Collection[int]:
        """The positions of the nodes that have control inputs, in order."""
        return self._without_controls.keys()

    @cached_property
    def _without_controls(self) -> dict[int, list[tuple[str, int]]]:
        """The data inputs of the nodes that have control inputs too."""
        controls = set(filter(is_control_input, self.spellings))
        pairs = {}
        for position, node in enumerate(self.nodes if controls else ()):
            if not controls.isdisjoint(node.input):
                both = zip(node.input, self.sources[position], strict=True)
                pairs[position] = [(text, source) for text, source in both if text not in controls]
        return pairs

    def _missing(self, position: int) -> GraphError:
        """Return the error for a node with an input that refers to nothing."""
        node = self.nodes[position]
        for text, source in zip(node.input, self.sources[position], strict=True):
            if source == UNKNOWN:
                try:
                    name = TensorName.parse(text).node
                except GraphError as error:
                    return GraphError(with_name(describe(node), f"its input {error}"))
                problem = f"there is no node {quote(name)} for its input {quote(text)}"
                return GraphError(
                    with_name(describe(node), f"{problem}{guess(name, [*self.arguments, *self.positions])}")
                )
        raise AssertionError("all inputs refer to something")

    # --- order -------------------------------------------------------------------------------------------------------

    @cached_property
    def execution_order(self) -> list[NodeDef]:
        """The nodes in topological order, producers first, as the C++ tool orders them.

        Raises GraphError if an input refers to nothing, or if nodes wait for each other.
        """
        for position, sources in enumerate(self.sources):
            if UNKNOWN in sources:
                raise self._missing(position)
        pending = self._pending()
        for position, op in self.control_flow.items():
            if op in MERGE and self.sources[position]:
                pending[position] = self._merge_pending(position)
        order = topological_order(pending, self.targets)
        if len(order) < len(self.nodes):
            stuck = [node.name for node, count in zip(self.nodes, pending, strict=True) if count > 0]
            raise GraphError(f"{len(stuck):,} nodes are part of a cycle or after one: {list_names(stuck)}")
        return [self.nodes[position] for position in order]

    def _merge_pending(self, position: int) -> int:
        """Return the number of references that a Merge waits for: one tensor, and all control inputs."""
        inputs = list(zip(self.nodes[position].input, self.sources[position], strict=True))
        controls = sum(is_control_input(text) and source >= 0 for text, source in inputs)
        has_tensor = any(not is_control_input(text) and source == ARGUMENT for text, source in inputs)
        return controls + (not has_tensor)

    def _pending(self) -> list[int]:
        """Return the number of references that each node waits for."""
        return [
            len(sources) if min(sources, default=0) >= 0 else sum(source >= 0 for source in sources)
            for sources in self.sources
        ]

    # --- control flow ------------------------------------------------------------------------------------------------

    @cached_property
    def control_flow(self) -> dict[int, str]:
        """The ops of TensorFlow 1 loops and conditionals, by position."""
        return {position: node.op for position, node in enumerate(self.nodes) if node.op in CONTROL_FLOW}

    @property
    def is_sorted(self) -> bool:
        """Return whether every node comes after all nodes that it refers to."""
        return all(max(sources, default=UNKNOWN) < position for position, sources in enumerate(self.sources))

    @cached_property
    def forward_order(self) -> list[int]:
        """The positions in topological order, where a Merge waits for all inputs except the back edge of its loop.

        Nodes in other cycles, and nodes after these, are left out. Inputs that refer to nothing are ignored.
        """
        targets = self.forward_targets
        pending = self._pending()
        for position, kept in enumerate(targets):
            if kept is not self.targets[position]:
                for target in self.targets[position]:
                    pending[target] -= self.control_flow.get(target) in MERGE
        return topological_order(pending, targets)

    @cached_property
    def forward_targets(self) -> list[list[int]]:
        """`targets` without the back edges of loops, from NextIteration to Merge."""
        targets = list(self.targets)
        merges = {position for position, op in self.control_flow.items() if op in MERGE}
        for position, op in self.control_flow.items():
            if op in NEXT_ITERATION:
                targets[position] = [target for target in targets[position] if target not in merges]
        return targets

    @cached_property
    def node_frames(self) -> list[Frame | None]:
        """The frame of each node, by position; None outside of loops."""
        return frames_of(self)

    @cached_property
    def frames(self) -> list[Frame]:
        """The frames of all loops, outer ones first."""
        if not self.control_flow:
            return []
        frames = dict.fromkeys(self.node_frames[position] for position in self.forward_order)
        return [frame for frame in frames if frame is not None]

    def frame(self, name: str) -> Frame | None:
        """Return the frame of the loop that a node runs in; None outside of loops.

        An Enter runs in the frame that it leads into, and an Exit in the one that it leaves.
        """
        return self.node_frames[self.position(name)]

    @cached_property
    def node_branches(self) -> list[Branch | None]:
        """The branch of each node, by position; None outside of conditionals."""
        return branches_of(self)

    def branch(self, name: str) -> Branch | None:
        """Return the innermost branch of a TensorFlow 1 conditional that a node runs in; None outside of them.

        A Switch is outside of the branches that it leads into, and a Merge outside of those that it joins.
        """
        return self.node_branches[self.position(name)]


class _Referred(dict[str, int]):
    """The positions of nodes by reference. Each reference is parsed once."""

    def __init__(self, positions: dict[str, int], arguments: list[str]) -> None:
        super().__init__({name: position for name, position in positions.items() if is_plain_name(name)})
        self._positions = positions
        self._arguments = frozenset(arguments)
        for name in arguments:
            self[name] = ARGUMENT

    def __missing__(self, text: str) -> int:
        try:
            name = TensorName.parse(text).node
        except GraphError:
            name = ""
        position = ARGUMENT if name in self._arguments else self._positions.get(name, UNKNOWN) if name else UNKNOWN
        self[text] = position
        return position
