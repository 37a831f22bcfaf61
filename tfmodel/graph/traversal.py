"""The order in which nodes can run: every node behind those that it waits for.

The order of the C++ tool is that of a stack. Nodes that wait for nothing are put on it as they stand in the graph; the
last one is taken off and comes next, and of those that waited for it, the ones that wait for nothing else go onto the
stack. A Merge waits for its control inputs and for one tensor only, which is what lets it start a loop.

The ends of chains such as Identity of Identity of a table.

    ends = ChainEnds(lambda name: inputs[name][0] if ops[name] == "Identity" else None)
    ends("read")        # "table"

All look-ups together take time that is linear in the number of nodes: a chain is followed once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Generic, TypeVar

__all__ = ["ChainEnds", "CircularChainError", "cycles", "order_of", "strong_components"]

K = TypeVar("K", bound=Hashable)


def order_of(pending: list[int], targets: Sequence[Sequence[int]]) -> list[int]:
    """The positions of nodes in execution order; those that nothing sets free are missing.

    `pending` says how many references each node waits for, and is used up: what it holds afterwards is how many each
    still waits for. `targets` are the positions of those who refer to each node, once for each reference.
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
    """Nodes that wait for each other: one cycle for each knot, in which each leads to the next, the last to the first.

    Only nodes at `positions` are looked at, each of which may be part of no cycle.
    """
    loops = []
    for knot in strong_components(positions, targets):
        if len(knot) > 1 or knot[0] in targets[knot[0]]:
            loops.append(_loop(min(knot), set(knot), targets))
    return sorted(loops, key=lambda loop: loop[0])


def _loop(start: int, knot: set[int], targets: Sequence[Sequence[int]]) -> list[int]:
    """A shortest way from a node of a knot back to itself."""
    came_from: dict[int, int] = {}
    queue = [start]
    for position in queue:
        for target in targets[position]:
            if target == start:
                way = [position]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return way[::-1]
            if target in knot and target not in came_from:
                came_from[target] = position
                queue.append(target)
    raise AssertionError("every node of a knot leads back to itself")


def strong_components(positions: Collection[int], targets: Sequence[Sequence[int]]) -> list[list[int]]:
    """The strongly connected components (Tarjan's algorithm, with a stack of its own in place of recursion).

    Each comes behind those that its nodes lead to. What is part of no cycle is a component by itself.
    """
    inside = set(positions)
    number: dict[int, int] = {}
    lowest: dict[int, int] = {}
    open_nodes: list[int] = []
    still_open: set[int] = set()
    found = []
    for root in sorted(inside):
        if root in number:
            continue
        path = [(root, iter(targets[root]))]
        while path:
            position, rest = path[-1]
            if position not in number:
                number[position] = lowest[position] = len(number)
                open_nodes.append(position)
                still_open.add(position)
            for target in rest:
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
                    found.append(_closed(position, open_nodes))
                    still_open.difference_update(found[-1])
    return found


def _closed(position: int, open_nodes: list[int]) -> list[int]:
    """What was opened since that node, and the node itself: taken off the stack."""
    knot: list[int] = []
    while not knot or knot[-1] != position:
        knot.append(open_nodes.pop())
    return knot


class CircularChainError(ValueError):
    """A chain that has no end."""


class ChainEnds(Generic[K]):
    """Find the last element of the chain that begins at one; `following` returns the next one, None at the end."""

    def __init__(self, following: Callable[[K], K | None]) -> None:
        self._following = following
        self._ends: dict[K, K | None] = {}

    def __call__(self, start: K) -> K:
        """Return the last element. Raises CircularChainError if the chain has no end."""
        passed = []
        current = start
        while current not in self._ends:
            self._ends[current] = None  # it is circular if it is met again before its end is known
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
