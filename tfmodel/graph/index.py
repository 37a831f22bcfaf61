"""An index over the nodes of a graph, or of the body of a function: who is called how, and who refers to whom.

    index = GraphIndex(graph)
    index["conv"]                       # the node; GraphError with a suggestion if there is none
    index.producers("conv")             # the nodes that it takes its inputs from
    index.consumers("conv")             # the nodes that refer to it, once for each reference
    index.uses("conv")                  # the same with the input and the port
    index.execution_order               # the nodes as they can run
    index.frame("conv")                 # the loop that it is in
    index.branch("conv")                # the side of a conditional that it is in

Everything is computed when it is first asked for, in time linear in the graph. No attribute is read but the names of
loops, where there are any, so nodes that were decoded lazily stay so. The graph is never changed, and is not to be
changed while its index is in use.

Nodes are told apart by their positions in the graph, which `sources` and `targets` hold for those who work through a
large graph. Where several nodes have one name, it means the last of them, as it does to TensorFlow's own tool: an index
can be had of any graph, and `check_graph` tells what is wrong with it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import NamedTuple

from ..errors import GraphError
from ..messages import FunctionDef, GraphDef, NodeDef
from ..names import TensorName, is_control_input, is_plain_name
from .control_flow import (
    CONTROL_FLOW,
    MERGE,
    NEXT_ITERATION,
    Branch,
    Frame,
    branches_of,
    frames_of,
)
from .error_text import Guesses, describe, guess, listed, quoted
from .functions import Functions
from .traversal import order_of

__all__ = ["ARGUMENT", "UNKNOWN", "GraphIndex", "Use", "references"]

ARGUMENT = -1
"""In place of a position: the argument of a function."""

UNKNOWN = -2
"""In place of a position: there is no such node, or the reference is none."""


class Use(NamedTuple):
    """A reference to a node: the input of `node` at `place` is `tensor`, whose port is CONTROL for a control input."""

    node: NodeDef
    place: int
    tensor: TensorName


def references(node: NodeDef) -> list[TensorName]:
    """The inputs of a node, control inputs among them. Raises GraphError, which names the node, if one is none."""
    try:
        return [TensorName.parse(text) for text in node.input]
    except GraphError as error:
        raise GraphError(f"{describe(node)}: its input {error}") from error


class GraphIndex:
    """What there is to know about a graph, or the body of a function, beyond the list of its nodes.

    nodes        the nodes, as they stand
    arguments    of a function, the names of its arguments, by which nodes may refer to them
    functions    the library: of a function it is given, since a body does not know the graph it belongs to
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
        self._guess = Guesses()

    @property
    def in_body(self) -> bool:
        """Whether these are the nodes of a function, which spell their inputs in another way."""
        return isinstance(self.graph, FunctionDef)

    @cached_property
    def functions(self) -> Functions:
        if self._functions is not None or isinstance(self.graph, FunctionDef):
            return self._functions or Functions(None)
        return Functions(self.graph.library)

    # --- by name -----------------------------------------------------------------------------------------------------

    def __contains__(self, name: str) -> bool:
        return name in self.positions

    def __getitem__(self, name: str) -> NodeDef:
        return self.nodes[self.position(name)]

    def __iter__(self) -> Iterator[NodeDef]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)

    def get(self, name: str) -> NodeDef | None:
        position = self.positions.get(name)
        return None if position is None else self.nodes[position]

    def position(self, name: str) -> int:
        """Where the node of a name stands. Raises GraphError if there is none."""
        position = self.positions.get(name)
        if position is None:
            raise GraphError(f"there is no node {quoted(name)}{self._guess(name, self.positions)}")
        return position

    # --- edges -------------------------------------------------------------------------------------------------------

    @cached_property
    def sources(self) -> list[list[int]]:
        """Of each node, the positions of what its inputs refer to, one by one: ARGUMENT and UNKNOWN are among them."""
        found = self._referred.__getitem__
        with uncollected():
            return [[*map(found, node.input)] for node in self.nodes]

    @cached_property
    def _referred(self) -> _Referred:
        return _Referred(self.positions, self.arguments)

    @property
    def spellings(self) -> Mapping[str, int]:
        """Positions by reference: of all references, and of all names of nodes, whether they occur as such or not."""
        return self._referred if self.sources else {}

    @cached_property
    def targets(self) -> list[list[int]]:
        """Of each node, the positions of those that refer to it: in order, once for each reference."""
        all_sources = self.sources
        with uncollected():
            targets: list[list[int]] = [[] for _ in self.nodes]
            for position, sources in enumerate(all_sources):
                for source in sources:
                    if source >= 0:
                        targets[source].append(position)
        return targets

    def producers(self, name: str) -> list[NodeDef]:
        """The nodes that the inputs of a node refer to, one for each input that is no argument of the function.

        Raises GraphError if one is missing.
        """
        position = self.position(name)
        sources = self.sources[position]
        if UNKNOWN in sources:
            raise self._missing(position)
        return [self.nodes[source] for source in sources if source >= 0]

    def consumers(self, name: str) -> list[NodeDef]:
        """The nodes that refer to a node, once for each reference."""
        return [self.nodes[target] for target in self.targets[self.position(name)]]

    def uses(self, name: str) -> list[Use]:
        """The references to a node."""
        return [
            Use(self.nodes[target], place, TensorName.parse(self.nodes[target].input[place]))
            for target, place in self._uses[self.position(name)]
        ]

    @cached_property
    def _uses(self) -> list[list[tuple[int, int]]]:
        all_sources = self.sources
        with uncollected():
            uses: list[list[tuple[int, int]]] = [[] for _ in self.nodes]
            for position, sources in enumerate(all_sources):
                for place, source in enumerate(sources):
                    if source >= 0:
                        uses[source].append((position, place))
        return uses

    @cached_property
    def takers(self) -> list[int]:
        """Of each node, how many inputs take a tensor that it gives. Who only waits for it takes none."""
        takers = [0] * len(self.nodes)
        for node, sources in zip(self.nodes, self.sources, strict=True):
            for text, source in zip(node.input, sources, strict=True):
                if source >= 0 and not is_control_input(text):
                    takers[source] += 1
        return takers

    def _missing(self, position: int) -> GraphError:
        """The error for a node with an input of which there is no node."""
        node = self.nodes[position]
        for text, source in zip(node.input, self.sources[position], strict=True):
            if source == UNKNOWN:
                try:
                    name = TensorName.parse(text).node
                except GraphError as error:
                    return GraphError(f"{describe(node)}: its input {error}")
                problem = f"there is no node {quoted(name)} for its input {quoted(text)}"
                return GraphError(f"{describe(node)}: {problem}{guess(name, [*self.arguments, *self.positions])}")
        raise AssertionError("an input is missing")

    # --- order -------------------------------------------------------------------------------------------------------

    @cached_property
    def execution_order(self) -> list[NodeDef]:
        """The nodes as they can run, producers first; which comes first of several that could is as in the C++ tool.

        Raises GraphError if an input is missing, or if nodes wait for each other.
        """
        for position, sources in enumerate(self.sources):
            if UNKNOWN in sources:
                raise self._missing(position)
        pending = self._pending()
        for position, op in self.control_flow.items():
            if op in MERGE and self.sources[position]:
                pending[position] = self._waits_for_one(position)
        order = order_of(pending, self.targets)
        if len(order) < len(self.nodes):
            stuck = [node.name for node, count in zip(self.nodes, pending, strict=True) if count > 0]
            raise GraphError(f"{len(stuck):,} nodes are part of a cycle or behind one: {listed(stuck)}")
        return [self.nodes[position] for position in order]

    def _waits_for_one(self, position: int) -> int:
        """How many references a Merge waits for: one tensor, and all control inputs."""
        inputs = list(zip(self.nodes[position].input, self.sources[position], strict=True))
        controls = sum(is_control_input(text) and source >= 0 for text, source in inputs)
        has_tensor = any(not is_control_input(text) and source == ARGUMENT for text, source in inputs)
        return controls + (not has_tensor)

    def _pending(self) -> list[int]:
        """How many references to nodes each node waits for."""
        return [
            len(sources) if min(sources, default=0) >= 0 else sum(source >= 0 for source in sources)
            for sources in self.sources
        ]

    # --- control flow ------------------------------------------------------------------------------------------------

    @cached_property
    def control_flow(self) -> dict[int, str]:
        """The ops of v1 loops and conditionals, by position."""
        return {position: node.op for position, node in enumerate(self.nodes) if node.op in CONTROL_FLOW}

    @property
    def is_sorted(self) -> bool:
        """Whether every node stands behind all that it refers to."""
        return all(max(sources, default=UNKNOWN) < position for position, sources in enumerate(self.sources))

    @cached_property
    def forward_order(self) -> list[int]:
        """Positions in execution order, where a Merge waits for all but the way back of its loop, from NextIteration.

        What is part of another cycle, or behind one, is missing, as if it were not there. So is an input of which there
        is no node.
        """
        targets = self.forward_targets
        pending = self._pending()
        for position, kept in enumerate(targets):
            if kept is not self.targets[position]:
                for target in self.targets[position]:
                    pending[target] -= self.control_flow.get(target) in MERGE
        return order_of(pending, targets)

    @cached_property
    def forward_targets(self) -> list[list[int]]:
        """`targets` without the ways back of loops."""
        targets = list(self.targets)
        merges = {position for position, op in self.control_flow.items() if op in MERGE}
        for position, op in self.control_flow.items():
            if op in NEXT_ITERATION:
                targets[position] = [target for target in targets[position] if target not in merges]
        return targets

    @cached_property
    def node_frames(self) -> list[Frame | None]:
        """The frame of each node, by position."""
        return frames_of(self)

    @cached_property
    def frames(self) -> list[Frame]:
        """The frames of all loops, outer ones first."""
        if not self.control_flow:
            return []
        found = dict.fromkeys(self.node_frames[position] for position in self.forward_order)
        return [frame for frame in found if frame is not None]

    def frame(self, name: str) -> Frame | None:
        """The frame of the loop that a node runs in; None outside of loops.

        Enter is part of the frame that it leads into, and Exit of the one that it leaves.
        """
        return self.node_frames[self.position(name)]

    @cached_property
    def node_branches(self) -> list[Branch | None]:
        """The branch of each node, by position."""
        return branches_of(self)

    def branch(self, name: str) -> Branch | None:
        """The side of a v1 conditional that a node runs in, the innermost; None outside of them.

        A Switch and a Merge are no part of the sides that they lead into and out of.
        """
        return self.node_branches[self.position(name)]


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the garbage collector from looking, again and again, at many objects that stay."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class _Referred(dict[str, int]):
    """Positions by reference, as nodes spell them: each spelling is looked at once."""

    def __init__(self, positions: dict[str, int], arguments: list[str]) -> None:
        super().__init__({name: at for name, at in positions.items() if is_plain_name(name)})
        self._positions = positions
        self._arguments = frozenset(arguments)
        for name in arguments:
            self[name] = ARGUMENT

    def __missing__(self, text: str) -> int:
        try:
            name = TensorName.parse(text).node
        except GraphError:
            name = ""
        found = ARGUMENT if name in self._arguments else self._positions.get(name, UNKNOWN) if name else UNKNOWN
        self[text] = found
        return found
