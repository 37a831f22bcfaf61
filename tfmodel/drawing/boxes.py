"""The boxes of a picture: which entries of a hierarchy are open, which stand aside, and the edges between boxes.

    tree = Tree(root, wiring, hosts, needed)
    opened = tree.first_open()
    tree.boxes(opened), tree.aside, tree.bundles(opened)

An open entry is a frame around its children; a closed one is a box. At first, the entries are open that say most about
what the outputs compute, or about the changes of a difference, up to MAX_BOXES boxes. Beside the others, without edges,
stand what is not part of the computation and what is linked with very many others, such as nodes that save and train.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from .entries import Entry
from .families import CONVOLUTIONS, family_of
from .hierarchy import PASSING_OPS
from .wiring import Edge, Wiring

MAX_BOXES = 60
HUB_DEGREE, HUB_CONTROLS, HUB_SHARE = 8, 4, 4
MAIN_SHARE = 10  # a scope with more than this part of the nodes that compute outputs never stands aside
HEAVY = 100  # nodes that a convolution or a product of matrices counts as

HUB, AUXILIARY = 1, 2
"""Reasons for which an entry stands aside."""


@dataclass(slots=True)
class Bundle:
    """All edges of one kind from one box to another; there is at least one edge."""

    source: int
    target: int
    control: bool
    edges: list[Edge] = field(default_factory=list)


class Tree:
    """The entries of a hierarchy in depth-first order; all arguments and results are their numbers, 0 is the root.

    up          the parent of each entry, -1 of the root
    entry_of    the entry of each vertex: its own, or that of its host; -1 for a vertex that is not in the picture
    needed      how many vertices that compute the outputs are in each entry
    """

    def __init__(
        self,
        root: Entry,
        wiring: Wiring,
        hosts: Mapping[int, int],
        needed: Collection[int] | None = None,
        *,
        callers: Collection[int] = (),
        changed: Collection[int] | None = None,
    ) -> None:
        self.wiring, self._hosts, self._callers, self._changed = wiring, hosts, callers, changed
        self.entries: list[Entry] = []
        self.up: list[int] = []
        self.entry_of = [-1] * len(wiring.vertices)
        pending = [(root, -1)]
        while pending:
            entry, parent = pending.pop()
            number = len(self.entries)
            self.entries.append(entry)
            self.up.append(parent)
            if entry.node >= 0:
                self.entry_of[entry.node] = number
            pending += [(child, number) for child in reversed(entry.children)]
        for vertex, host in hosts.items():
            self.entry_of[vertex] = self.entry_of[host]
        self.children: list[list[int]] = [[] for _ in self.entries]
        self.depth = [0] * len(self.entries)
        for number, parent in enumerate(self.up[1:], 1):
            self.children[parent].append(number)
            self.depth[number] = self.depth[parent] + 1
        self._needed = range(len(wiring.vertices)) if needed is None else needed
        self.needed = self._sums(self._needed)

    def _sums(self, vertices: Collection[int]) -> list[int]:
        """Return how many of these vertices are in each entry."""
        sums = [0] * len(self.entries)
        for vertex in vertices:
            if self.entry_of[vertex] >= 0:
                sums[self.entry_of[vertex]] += 1
        for number in range(len(sums) - 1, 0, -1):
            sums[self.up[number]] += sums[number]
        return sums

    @cached_property
    def _convolutions(self) -> set[int]:
        vertices = self.wiring.vertices
        return {place for place, vertex in enumerate(vertices) if family_of(vertex.op) == CONVOLUTIONS}

    @cached_property
    def _has_convolutions(self) -> list[int]:
        return self._sums(self._convolutions)

    @cached_property
    def _weights(self) -> list[int]:
        """How much each entry says about the model, or about the changes."""
        if self._changed is not None:
            return self._sums(self._changed)
        heavy = self._sums([vertex for vertex in self._needed if vertex in self._convolutions])
        return [needed + HEAVY * convolutions for needed, convolutions in zip(self.needed, heavy, strict=True)]

    # --- what is open ---

    def first_open(self, inner: int = 0, limit: int = MAX_BOXES) -> set[int]:
        """Return the entries that are open at first: those around `inner`, then best first, up to `limit` boxes."""
        opened: set[int] = set()
        candidates, boxes = [0], 1
        always = {number for number in self._path(inner) if self.children[number]} | {0}
        while candidates:
            number = max(candidates, key=lambda number: (number in always, self._weights[number], -number))
            candidates.remove(number)
            more = len(self.children[number]) - 1
            is_fit = self._weights[number] and boxes + more <= limit and self.entries[number].kind != "group"
            if number in always or is_fit:
                opened.add(number)
                boxes += more
                candidates += [child for child in self.children[number] if self.children[child]]
        return opened

    def open_to(self, depth: int) -> set[int]:
        """Return the entries of the outer levels: with depth 1, only the root is open."""
        return {number for number, children in enumerate(self.children) if children and self.depth[number] < depth} | {
            0
        }

    def _path(self, number: int) -> list[int]:
        """Return an entry and those around it."""
        path = []
        while number >= 0:
            path.append(number)
            number = self.up[number]
        return path

    # --- what stands aside ---

    @cached_property
    def aside(self) -> dict[int, int]:
        """The entries that stand aside in their parents, with the reason: HUB or AUXILIARY."""
        entry_of, hosts, up, depth, size = self.entry_of, self._hosts, self.up, self.depth, len(self.up)
        # Counts of edges between siblings, by `a * size + b`: there are many edges, and tuples take longer.
        counts: tuple[defaultdict[int, int], ...] = (defaultdict(int), defaultdict(int))
        for source, target, _, control in self.wiring.edges:
            a, b = entry_of[source], entry_of[target]
            if a == b or a < 0 or b < 0 or source in hosts:  # a constant is inside each box that takes it
                continue
            while up[a] != up[b]:
                if depth[a] >= depth[b]:
                    a, b = up[a], b if depth[a] > depth[b] else up[b]
                else:
                    b = up[b]
            if a != b:
                counts[control][a * size + b] += 1
        linked: list[set[int] | None] = [None] * size
        controls = [0] * size
        has_data = bytearray(size)
        for is_control, each in enumerate(counts):
            for key, count in each.items():
                a, b = divmod(key, size)
                for near, far in ((a, b), (b, a)):
                    others = linked[near]
                    if others is None:
                        linked[near] = {far}
                    else:
                        others.add(far)
                    if is_control:
                        controls[near] += count
                    else:
                        has_data[near] = True
        aside: dict[int, int] = {}
        for children in self.children:
            most = max(HUB_DEGREE, len(children) / HUB_SHARE)
            for child in sorted(children, key=lambda child: -len(linked[child] or ())):
                if self._is_auxiliary(child):
                    aside[child] = AUXILIARY
                    continue
                degree = len(linked[child] or ())
                if degree > HUB_CONTROLS:
                    degree = sum(other not in aside for other in linked[child] or ())
                has_controls = controls[child] > HUB_CONTROLS and (degree > HUB_CONTROLS or not has_data[child])
                if (degree > most or has_controls) and not self._is_main(child):
                    aside[child] = HUB
        return aside

    def _is_auxiliary(self, number: int) -> bool:
        """Return whether an entry is not part of what the outputs compute, or only holds values."""
        entry = self.entries[number]
        vertex = self.wiring.vertices[entry.node] if entry.node >= 0 else None
        if vertex is not None and vertex.kind != "node":
            return False
        is_group = entry.kind == "group" or (vertex is not None and vertex.op == "NoOp")
        return is_group or (not self.needed[number] and self.needed[self.up[number]] > 0)

    def _is_main(self, number: int) -> bool:
        """Return whether an entry says so much about the model that it has its edges, however many."""
        if self.entries[number].node >= 0:
            return self.entries[number].node in self._callers
        is_large = self.needed[number] * MAIN_SHARE > self.needed[self.up[number]]
        return is_large or self._has_convolutions[number] > 0

    # --- boxes and bundles ---

    def boxes(self, opened: Collection[int]) -> list[int]:
        """Return the closed entries that are in open ones."""
        box_of = self._box_of(opened)
        return [number for number, box in enumerate(box_of) if box == number]

    def _box_of(self, opened: Collection[int]) -> list[int]:
        """Return the box that each entry is in, -1 for open entries."""
        box_of = [-1] * len(self.up)
        for number, parent in enumerate(self.up):
            if number not in opened:
                outer = box_of[parent] if parent >= 0 else -1
                box_of[number] = outer if outer >= 0 else number
        return box_of

    def bundles(self, opened: Collection[int]) -> list[Bundle]:
        """Bundle the edges between different boxes, and those of a vertex to itself."""
        box_of = self._box_of(opened)
        bundles: dict[tuple[int, int, bool], Bundle] = {}
        for edge in self.wiring.edges:
            a, b = self.entry_of[edge.source], self.entry_of[edge.target]
            if a < 0 or b < 0 or edge.source in self._hosts:
                continue
            source, target = box_of[a], box_of[b]
            if source == target and edge.source != edge.target:
                continue
            key = source, target, edge.control
            if key not in bundles:
                bundles[key] = Bundle(*key)
            bundles[key].edges.append(edge)
        return list(bundles.values())

    def is_apart(self, bundle: Bundle) -> bool:
        """Return whether one end of a bundle is in an entry that stands aside, and the other end is outside of it."""
        a, b = bundle.source, bundle.target
        while a != b:
            inner, outer = (a, b) if self.depth[a] >= self.depth[b] else (b, a)
            if inner in self.aside:
                return True
            a, b = self.up[inner], outer
        return False

    # --- what is inside ---

    def vertices_in(self, number: int) -> list[int]:
        """Return the vertices in an entry, without those that have no entry of their own."""
        vertices, pending = [], [number]
        while pending:
            current = pending.pop()
            pending += reversed(self.children[current])
            if self.entries[current].node >= 0:
                vertices.append(self.entries[current].node)
        return vertices

    @cached_property
    def sizes(self) -> Sequence[int]:
        """The number of nodes in each entry, with those that have no entry of their own."""
        return self._sums(range(len(self.wiring.index)))

    def ops_in(self, number: int) -> list[tuple[str, int]]:
        """Return the ops in an entry with their counts, those that say most first. Constants are left out."""
        counts = Counter(self.wiring.vertices[vertex].op for vertex in self.vertices_in(number))
        ops = [(op, count) for op, count in counts.items() if op not in PASSING_OPS]
        return sorted(ops, key=lambda pair: (family_of(pair[0]), -pair[1], pair[0]))
