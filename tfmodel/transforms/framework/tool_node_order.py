"""The node order in which the C++ tool leaves a graph after it removes nodes.

    x, a, i = Identity(x), y = Relu(i)   ->   a, x, y = Relu(x)

The tool works in passes. In each pass it visits the nodes in execution order (see `graph.traversal`); a matching node
claims itself and the sources of its inputs, unless an earlier node has claimed one of them. Then

    a node that is removed   is replaced, at its place, by the source of its first input
    a node that stays        keeps its place, and the sources of its inputs move to the places directly after it

Nodes that could not claim wait for the next pass, until a pass removes nothing.

This module computes the same order without visiting the whole graph in every pass. It only has to decide which of the
consumers of a node claims that node first. In a chain, a node comes before its consumer, so the execution order is not
needed. It is not needed either if the consumers have no other inputs: the node makes all of them ready at once, and the
execution order is that of a stack, so the last consumer in the list comes first. Only if some consumers have other
inputs is the graph sorted, in its state before that pass. Sorting ends once `_MAX_SORTED` nodes and inputs have been
sorted in total, so the time of large graphs is linear.

A place is a tuple of numbers, like the number of a section in a book: (7,) at first, and (7, 1) for a node that moves
to the place directly after the node at (7,).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Set
from math import inf
from typing import TypeAlias

from pbwire.collection import PausedCollection

from ...graph import GraphIndex
from ...graph.traversal import topological_order
from ...ops.traits import MERGE
from ...values.names import is_control_input

_MAX_SORTED = 3_000_000  # nodes and inputs in total; after that, other inputs of takers are ignored

_Place: TypeAlias = tuple[int, ...]


def tool_order_after_removal(index: GraphIndex, rounds: Iterable[Iterable[int]], stay: Set[int]) -> list[int]:
    """Return the positions of the remaining nodes, in the order of the tool.

    `rounds` has the positions of matching nodes, each of which must have an input. Each round has its own passes over
    its nodes. Matching nodes in `stay` are not removed; they may also keep other nodes from being removed. The time is
    linear, except for sorting.
    """
    graph = _Graph(index)
    for matching in rounds:
        remaining = [node for node in matching if graph.current(node) == node]
        passes = _Passes(graph, remaining, stay) if remaining else None
        while passes is not None and passes.run():
            pass
    return graph.order()


class _Graph:
    """The graph between two passes: the places of nodes, and replacements of removed nodes."""

    def __init__(self, index: GraphIndex) -> None:
        self.index = index
        self.places: dict[int, _Place] = {}
        self._replacements: dict[int, int] = {}
        self._sorted = 0  # nodes and inputs

    def place(self, node: int) -> _Place:
        return self.places.get(node) or (node,)

    def remove(self, node: int, replacement: int) -> None:
        self._replacements[node] = replacement

    def current(self, node: int) -> int:
        """Return the node itself, or the node that replaced it."""
        path = []
        while node in self._replacements:
            path.append(node)
            node = self._replacements[node]
        for removed in path:
            self._replacements[removed] = node
        return node

    def order(self) -> list[int]:
        """Return the remaining nodes, ordered by place."""
        remaining = [node for node in range(len(self.index)) if node not in self._replacements]
        return sorted(remaining, key=self.place) if self.places else remaining

    @property
    def may_be_sorted(self) -> bool:
        return self._sorted < _MAX_SORTED

    def ranks(self) -> dict[int, int]:
        """Return the rank of each node in execution order. Nodes that cannot run are missing."""
        index, order = self.index, self.order()
        self._sorted += len(order) + sum(len(index.sources[node]) for node in order)
        missing = len(order)  # the entry of ARGUMENT and UNKNOWN, at the end of the list and never reached
        ordinals = [missing] * (len(index) + 2)
        for ordinal, node in enumerate(order):
            ordinals[node] = ordinal
        for removed in self._replacements:
            ordinals[removed] = ordinals[self.current(removed)]
        pending = [len(index.sources[node]) for node in order]
        with PausedCollection():
            targets: list[list[int]] = [[] for _ in range(missing + 1)]
            for ordinal, node in enumerate(order):
                for source in index.sources[node]:
                    targets[ordinals[source]].append(ordinal)
        for node, op in index.control_flow.items():
            if op in MERGE and index.sources[node]:
                pending[ordinals[node]] = 1 + sum(is_control_input(text) for text in index.nodes[node].input)
        return {order[ordinal]: rank for rank, ordinal in enumerate(topological_order(pending, targets))}


class _Passes:
    """The passes of one round.

    parent      by matching node: the source of its first input
    takers      by parent, in execution order: the matching nodes with this parent, sorted by place
    mixed       the parents of which some takers have other inputs or control inputs
    joins       nodes that stay and have several sources, all of which they claim. A removed node is assumed to claim
                only its first source: the tool would lose the others, which is a bug that is not reproduced
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
            elif any(graph.current(source) != inputs[0] for source in graph.index.sources[node]):
                self._mixed.add(inputs[0])
        self._takers = {parent: sorted(takers[parent]) for parent in graph.index.forward_order if parent in takers}
        self._parent = {node: parent for parent, nodes in self._takers.items() for _, node in nodes}

    def _inputs_of(self, node: int) -> list[int]:
        """Return the sources of the data inputs of a node, without repetition."""
        index = self._graph.index
        inputs = zip(index.nodes[node].input, index.sources[node], strict=True)
        return list(dict.fromkeys(self._graph.current(source) for text, source in inputs if not is_control_input(text)))

    def run(self) -> bool:
        """Run one pass; return whether it removed a node."""
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
        """Return the nodes that claim their sources: the first taker of each source, unless that source itself claims.

        In every pass, one of the takers of each parent claims, or the parent itself claims. So all passes together take
        linear time.
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
        """Return the nodes that claim their sources if some claim several: visit node by node, as the tool does."""
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
