"""Where the C++ tool leaves the nodes of a graph when it removes some.

    x, a, i = Identity(x), y = Relu(i)   ->   a, x, y = Relu(x)

The tool works in passes. In each, it goes through the nodes in execution order (see `graph.sorting`), and a node that
matches claims itself and the nodes that its inputs come from, unless an earlier one has claimed any of them. Then

    a node that goes    leaves its place to the node of its first input
    one that stays      keeps it, and the nodes of its inputs come to stand right behind it, though it reads them

What could not claim its nodes waits for the next pass, until a pass removes nothing.

What follows finds the same places without looking at the whole graph in every pass. All that matters is who claims a
node first of those that take it as their input. A chain needs no order for that: a node comes before those that take
it. Nor do several that take one node and wait for nothing else: that node sets all of them free at once, and since the
order is that of a stack, the last one in the list comes first. Only if some of them wait for others the graph is
sorted, as it is before that pass. A place is a tuple of numbers, like that of a section in a book: (7,) to begin with,
(7, 1) for what comes to stand behind that.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Set
from math import inf
from typing import TypeAlias

from ...graph import MERGE, GraphIndex
from ...graph.index import uncollected
from ...graph.traversal import order_of
from ...names import is_control_input

__all__ = ["order_behind_passes"]

_MOST_SORTED = 1_000_000  # nodes in all: behind that nobody waits for others, so that no graph takes time without end

_Place: TypeAlias = tuple[int, ...]


def order_behind_passes(index: GraphIndex, rounds: Iterable[Iterable[int]], stay: Set[int]) -> list[int]:
    """The positions of the nodes that are left, in the order of the tool.

    Each round has passes of its own: for the nodes at some positions, which match and have an input. Those that `stay`
    are not removed; of what is in their way some are left, too. Linear in the graph, but for sorting.
    """
    graph = _Graph(index)
    for matching in rounds:
        left = [node for node in matching if graph.now(node) == node]
        passes = _Passes(graph, left, stay) if left else None
        while passes is not None and passes.run():
            pass
    return graph.order()


class _Graph:
    """The graph between two passes: where nodes stand, and what is there instead of those that are gone."""

    def __init__(self, index: GraphIndex) -> None:
        self.index = index
        self.places: dict[int, _Place] = {}
        self._instead: dict[int, int] = {}
        self._sorted = 0  # nodes

    def place(self, node: int) -> _Place:
        return self.places.get(node) or (node,)

    def remove(self, node: int, instead: int) -> None:
        self._instead[node] = instead

    def now(self, node: int) -> int:
        """The node itself, or what is there instead."""
        way = []
        while node in self._instead:
            way.append(node)
            node = self._instead[node]
        for each in way:
            self._instead[each] = node
        return node

    def order(self) -> list[int]:
        """The nodes as they stand."""
        left = [node for node in range(len(self.index)) if node not in self._instead]
        return sorted(left, key=self.place) if self.places else left

    @property
    def may_be_sorted(self) -> bool:
        return self._sorted < _MOST_SORTED

    def ranks(self) -> dict[int, int]:
        """How many nodes come before each in execution order. One that never comes is missing."""
        index, order = self.index, self.order()
        self._sorted += len(order)
        missing = len(order)  # where ARGUMENT and UNKNOWN are: at the end of the list, and never reached
        number = [missing] * (len(index) + 2)
        for at, node in enumerate(order):
            number[node] = at
        for gone in self._instead:
            number[gone] = number[self.now(gone)]
        pending = [len(index.sources[node]) for node in order]
        with uncollected():
            targets: list[list[int]] = [[] for _ in range(missing + 1)]
            for at, node in enumerate(order):
                for source in index.sources[node]:
                    targets[number[source]].append(at)
        for node, op in index.control_flow.items():
            if op in MERGE and index.sources[node]:
                pending[number[node]] = 1 + sum(is_control_input(text) for text in index.nodes[node].input)
        return {order[at]: rank for rank, at in enumerate(order_of(pending, targets))}


class _Passes:
    """The passes of one round.

    parent      of each node that matches, what its first input comes from
    takers      the other way round: by place, and each with its place. The nodes that are taken are in execution order
    mixed       the nodes of which some takers may wait for others, too
    joins       those that stay and take several nodes, all of which they claim. One that goes is taken to claim the
                first only: the tool would drop the others, so there is nothing to be like
    """

    def __init__(self, graph: _Graph, matching: Iterable[int], stay: Set[int]) -> None:
        self._graph = graph
        self._stay = stay
        self._mixed: set[int] = set()
        self._joins: set[int] = set()
        takers: dict[int, list[tuple[_Place, int]]] = {}
        for node in matching:
            inputs = self._inputs_of(node)
            takers.setdefault(inputs[0], []).append((graph.place(node), node))
            if len(inputs) > 1:
                self._joins.update({node} & stay)
            elif any(graph.now(source) != inputs[0] for source in graph.index.sources[node]):
                self._mixed.add(inputs[0])
        self._takers = {parent: sorted(takers[parent]) for parent in graph.index.forward_order if parent in takers}
        self._parent = {node: parent for parent, nodes in self._takers.items() for _, node in nodes}

    def _inputs_of(self, node: int) -> list[int]:
        """The nodes that the inputs of a node come from, but for control inputs: each once."""
        index = self._graph.index
        inputs = zip(index.nodes[node].input, index.sources[node], strict=True)
        return list(dict.fromkeys(self._graph.now(source) for text, source in inputs if not is_control_input(text)))

    def run(self) -> bool:
        """One pass. Whether it has removed a node."""
        heads = self._heads_in_order() if self._joins and self._graph.may_be_sorted else self._heads()
        for head in heads:
            place = self._graph.place(head)
            if head not in self._stay:
                self._remove(head, place)
                continue
            inputs = self._inputs_of(head) if head in self._joins else [self._parent[head]]
            for number, node in enumerate(inputs, 1):
                self._move(node, (*place, number))
        self._takers = {parent: takers for parent, takers in self._takers.items() if takers}
        return any(head not in self._stay for head in heads)

    def _heads(self) -> set[int]:
        """The nodes that have claimed theirs: of those that take a node the first, unless that has claimed one itself.

        There is one in every pass for each node that is taken, or it is one: so all passes together are linear.
        """
        heads: set[int] = set()
        ranks: dict[int, int] = {}
        for parent, takers in self._takers.items():
            if parent in heads:
                continue
            if len(takers) == 1 or parent not in self._mixed or not (ranks or self._graph.may_be_sorted):
                heads.add(takers[-1][1])
            else:
                ranks = ranks or self._graph.ranks()
                heads.add(min((ranks.get(node, inf), node) for _, node in takers)[1])
        return heads

    def _heads_in_order(self) -> list[int]:
        """The same where a node may claim several inputs: node by node, as the tool does it."""
        ranks = self._graph.ranks()
        claimed: set[int] = set()
        heads = []
        for node in sorted(ranks.keys() & self._parent.keys(), key=ranks.__getitem__):
            claims = {node, self._parent[node]}
            if node in self._joins:
                claims.update(self._inputs_of(node))
            if claimed.isdisjoint(claims):
                claimed |= claims
                heads.append(node)
        return heads

    def _remove(self, head: int, place: _Place) -> None:
        parent = self._parent.pop(head)
        takers = self._takers[parent]
        del takers[bisect_left(takers, (place, head))]
        orphans = self._takers.get(head)
        if orphans:
            takers += orphans
            takers.sort()
            self._takers[head] = []
            self._parent |= {node: parent for _, node in orphans}
            if head in self._mixed:
                self._mixed.add(parent)
        self._graph.remove(head, parent)
        self._move(parent, place)

    def _move(self, node: int, place: _Place) -> None:
        if node in self._parent:
            takers = self._takers[self._parent[node]]
            del takers[bisect_left(takers, (self._graph.place(node), node))]
            insort(takers, (place, node))
        self._graph.places[node] = place
