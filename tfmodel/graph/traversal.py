"""Topological order, cycles and strong components of nodes by position, the ends of chains, and equal parts of graphs.

`topological_order` puts every node after the nodes that it waits for, in the order of the C++ Graph Transform Tool,
which uses a stack. First all nodes that wait for nothing are pushed, in the order of the graph. Then the node on top is
popped and comes next in the order, nodes that now wait for nothing are pushed, and so on. A Merge waits for its control
inputs and for only one of its tensors, so that it can start a loop.

`ChainEnds` follows chains such as an Identity of an Identity of a table. All look-ups together take time that is linear
in the number of nodes, since a chain is followed once:

    ends = ChainEnds(lambda name: inputs[name][0] if ops[name] == "Identity" else None)
    ends("read")        # "table"

`equal_places` walks two graphs from their outputs to their inputs as long as the ops are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from ..messages import NodeDef
from ..values.names import TensorName, data_inputs

MAX_CHAIN = 1_000
"""The most Identity nodes that `identity_chain` follows."""

MAX_PAIRS = 100_000
"""The most pairs of tensors that `equal_places` compares."""

K = TypeVar("K", bound=Hashable)


def topological_order(pending: list[int], targets: Sequence[Sequence[int]]) -> list[int]:
    """Return the positions of nodes in topological order. Nodes in cycles, and nodes after a cycle, are left out.

    `pending` has the number of references that each node waits for. It is changed in place: at the end it has the
    number of references that each node still waits for. `targets` has the positions of the nodes that refer to each
    node, once per reference.
    """
    ready = [position for position, count in enumerate(pending) if not count]
    order = []
    while ready:
        position = ready.pop()
        order.append(position)
        for target in targets[position]:
            pending[target] -= 1
            if not pending[target]:
                ready.append(target)
    return order


def cycles(positions: Collection[int], targets: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return one cycle, a list of positions, of each strong component that has a cycle.

    Each node of a cycle leads to the next, and the last node leads to the first. Only the nodes at `positions` are
    considered; they need not be in cycles.
    """
    loops = []
    for component in strong_components(positions, targets):
        if len(component) > 1 or component[0] in targets[component[0]]:
            loops.append(_shortest_cycle(min(component), set(component), targets))
    return sorted(loops, key=lambda loop: loop[0])


def _shortest_cycle(start: int, component: set[int], targets: Sequence[Sequence[int]]) -> list[int]:
    """Return a shortest path from a node of a strong component back to itself."""
    came_from: dict[int, int] = {}
    queue = [start]
    for position in queue:
        for target in targets[position]:
            if target == start:
                path = [position]
                while path[-1] != start:
                    path.append(came_from[path[-1]])
                return path[::-1]
            if target in component and target not in came_from:
                came_from[target] = position
                queue.append(target)
    raise AssertionError("every node of a strong component leads back to itself")


def strong_components(positions: Collection[int], targets: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the strongly connected components of the nodes at `positions`, by Tarjan's algorithm without recursion.

    A component comes after the components that its nodes lead to. A node outside of cycles is a component by itself.
    """
    inside = set(positions)
    number: dict[int, int] = {}
    lowest: dict[int, int] = {}
    open_nodes: list[int] = []
    still_open: set[int] = set()
    components = []
    for root in sorted(inside):
        if root in number:
            continue
        path = [(root, iter(targets[root]))]
        while path:
            position, unvisited = path[-1]
            if position not in number:
                number[position] = lowest[position] = len(number)
                open_nodes.append(position)
                still_open.add(position)
            for target in unvisited:
                if target not in inside:
                    continue
                if target not in number:
                    path.append((target, iter(targets[target])))
                    break
                if target in still_open:
                    lowest[position] = min(lowest[position], number[target])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    lowest[above] = min(lowest[above], lowest[position])
                if lowest[position] == number[position]:
                    components.append(_pop_component(position, open_nodes))
                    still_open.difference_update(components[-1])
    return components


def _pop_component(position: int, open_nodes: list[int]) -> list[int]:
    """Pop the component of the node at `position` off the stack and return it: this node and all nodes above it."""
    component: list[int] = []
    while not component or component[-1] != position:
        component.append(open_nodes.pop())
    return component


class CircularChainError(ValueError):
    """Raised for a chain that leads back to itself."""


class ChainEnds(Generic[K]):
    """Finds the last elements of chains.

    `following` returns the element after another one, or None at the end of a chain.
    """

    def __init__(self, following: Callable[[K], K | None]) -> None:
        self._following = following
        self._ends: dict[K, K | None] = {}

    def __call__(self, start: K) -> K:
        """Return the last element of the chain that begins with `start`.

        Raises CircularChainError if the chain has no end.
        """
        known = self._ends.get(start)
        if known is not None:
            return known
        passed = []
        current = start
        while current not in self._ends:
            self._ends[current] = None  # reaching it again before its end is known means a cycle
            passed.append(current)
            following = self._following(current)
            if following is None:
                self._ends[current] = current
                break
            current = following
        end = self._ends[current]
        if end is None:
            raise CircularChainError(start)
        self._ends.update(dict.fromkeys(passed, end))
        return end


# --- places in two graphs --------------------------------------------------------------------------------------------


def identity_chain(tensor: TensorName, nodes: Mapping[str, NodeDef]) -> list[TensorName]:
    """Return the tensor, and those that it passes on through Identity and IdentityN nodes."""
    chain = [tensor]
    while len(chain) < MAX_CHAIN:
        node = nodes[chain[-1].node]
        inputs = data_inputs(node) if node.op in ("Identity", "IdentityN") else []
        if chain[-1].port >= len(inputs):
            break
        source = TensorName.parse(inputs[chain[-1].port])
        if source.node not in nodes:
            break
        chain.append(source)
    return chain


def equal_places(
    outputs: Iterable[tuple[TensorName, TensorName]], nodes: Mapping[str, NodeDef], others: Mapping[str, NodeDef]
) -> dict[TensorName, TensorName]:
    """Return the tensors of a graph, with those of another, that the outputs depend on in the same way.

    Both graphs are walked from pairs of outputs while the ops are equal; Identity nodes are skipped. A tensor with
    several counterparts is left out.
    """
    places: dict[TensorName, set[TensorName]] = {}
    reverse: dict[TensorName, set[TensorName]] = {}
    seen: set[tuple[TensorName, TensorName]] = set()
    stack = list(outputs)
    while stack and len(seen) < MAX_PAIRS:
        chain, other = identity_chain(stack[-1][0], nodes), identity_chain(stack[-1][1], others)[-1]
        stack.pop()
        for tensor in chain:
            places.setdefault(tensor, set()).add(other)
        reverse.setdefault(other, set()).add(chain[-1])
        if (chain[-1], other) in seen:
            continue
        seen.add((chain[-1], other))
        node, other_node = nodes[chain[-1].node], others[other.node]
        inputs, other_inputs = data_inputs(node), data_inputs(other_node)
        if node.op != other_node.op or chain[-1].port != other.port or len(inputs) != len(other_inputs):
            continue
        for one, another in zip(map(TensorName.parse, inputs), map(TensorName.parse, other_inputs), strict=True):
            if one.node in nodes and another.node in others:
                stack.append((one, another))
    unique = ((one, next(iter(matches))) for one, matches in places.items() if len(matches) == 1)
    return {one: other for one, other in unique if len(reverse[other]) == 1}
