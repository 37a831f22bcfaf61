"""A layered drawing of a few boxes: layers from top to bottom, few crossings, edges that are as straight as possible.

    drawing = draw_layers([(60, 28), (60, 28)], [(0, 1)])
    drawing.corners, drawing.lines

The steps are those of the page's script: remove cycles (Eades, Lin, Smyth 1993), layers by longest paths, dummies in
the layers that an edge passes, barycentre sweeps, coordinates after Brandes and Köpf (2002). The script has more of
each, for thousands of boxes. Equal input gives an equal drawing.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Drawing", "Point", "Size", "draw_layers"]

Size: TypeAlias = tuple[float, float]
Point: TypeAlias = tuple[float, float]
Edge: TypeAlias = tuple[int, int]

GAP, DUMMY_GAP, LAYER_GAP = 22.0, 12.0, 34.0
MAX_DUMMIES = 3_000
MAX_SWEEPS = 16
MAX_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Drawing:
    """Corners of the boxes, and the points of each edge from its source to its target.

    A loop has no points, and a stub, an edge that would pass too many layers, has only its ends.
    """

    corners: list[Point]
    lines: list[list[Point]]
    stubs: set[int]
    width: float = 0.0
    height: float = 0.0


def draw_layers(
    sizes: Sequence[Size],
    edges: Sequence[Edge],
    first: Collection[int] = (),
    last: Collection[int] = (),
    shift: Callable[[int, bool], float] = lambda edge, is_start: 0.0,
) -> Drawing:
    """Draw boxes of these sizes with edges between their numbers.

    first, last    boxes that are alone in the first and the last layer
    shift          returns how far from the centre of its box an edge ends, by the number of the edge and whether it is
                   the start
    """
    count = len(sizes)
    if not count:
        return Drawing([], [], set())
    places = _without_cycles(count, edges)
    down_edges = [(a, b) if places[a] <= places[b] else (b, a) for a, b in edges]
    layer = _assign_layers(count, [edge for edge in down_edges if edge[0] != edge[1]], first, last)
    graph = _Layers(count, layer, down_edges)
    graph.order()
    widths = [size[0] for size in sizes] + [0.0] * (graph.total - count)
    centres = _coordinates(graph, widths)
    low = min(centre - width / 2 for centre, width in zip(centres, widths, strict=True))
    high = max(centre + width / 2 for centre, width in zip(centres, widths, strict=True))
    heights = [max((sizes[v][1] for v in level if v < count), default=0.0) for level in graph.layers]
    tops = [sum(heights[:number]) + LAYER_GAP * number for number in range(len(heights))]
    corners = [
        (centres[v] - low - width / 2, tops[layer[v]] + (heights[layer[v]] - height) / 2)
        for v, (width, height) in enumerate(sizes)
    ]
    lines: list[list[Point]] = []
    for number, (edge, (a, b)) in enumerate(zip(edges, down_edges, strict=True)):
        if a == b:
            lines.append([])
            continue
        is_reversed = edge != (a, b)
        start = corners[a][0] + sizes[a][0] / 2 + shift(number, not is_reversed), corners[a][1] + sizes[a][1]
        end = corners[b][0] + sizes[b][0] / 2 + shift(number, is_reversed), corners[b][1]
        points = [start]
        if number not in graph.stubs:
            points.append((start[0], tops[layer[a]] + heights[layer[a]]))
            for v in graph.paths[number]:
                points.append((centres[v] - low, tops[layer[v]]))
                points.append((centres[v] - low, tops[layer[v]] + heights[layer[v]]))
            points.append((end[0], tops[layer[b]]))
        points = [*dict.fromkeys([*points, end])]
        lines.append(points[::-1] if is_reversed else points)
    return Drawing(corners, lines, graph.stubs, high - low, tops[-1] + heights[-1])


# --- cycles and layers -----------------------------------------------------------------------------------------------


def _without_cycles(count: int, edges: Sequence[Edge]) -> list[int]:
    """Return places of the boxes in which few edges point backwards. Ties go to the first box."""
    targets: list[list[int]] = [[] for _ in range(count)]
    sources: list[list[int]] = [[] for _ in range(count)]
    for a, b in edges:
        if a != b:
            targets[a].append(b)
            sources[b].append(a)
    out, into = [*map(len, targets)], [*map(len, sources)]
    left = set(range(count))
    front: list[int] = []
    back: list[int] = []
    sinks = [v for v in reversed(range(count)) if not out[v]]
    starts = [v for v in reversed(range(count)) if not into[v]]
    while left:
        if sinks:
            chosen, side = sinks.pop(), back
        elif starts:
            chosen, side = starts.pop(), front
        else:
            chosen, side = min(left, key=lambda v: (into[v] - out[v], v)), front
        if chosen not in left:
            continue
        left.discard(chosen)
        side.append(chosen)
        for v in targets[chosen]:
            into[v] -= 1
            if v in left and not into[v]:
                starts.append(v)
        for v in sources[chosen]:
            out[v] -= 1
            if v in left and not out[v]:
                sinks.append(v)
    places = [0] * count
    for place, v in enumerate([*front, *reversed(back)]):
        places[v] = place
    return places


def _assign_layers(count: int, edges: Sequence[Edge], first: Collection[int], last: Collection[int]) -> list[int]:
    """Return the layer of each box: longest paths, then boxes move to where their edges are shorter."""
    targets: list[list[int]] = [[] for _ in range(count)]
    sources: list[list[int]] = [[] for _ in range(count)]
    for a, b in edges:
        targets[a].append(b)
        sources[b].append(a)
    layer, waiting = [0] * count, [*map(len, sources)]
    order = [v for v in range(count) if not waiting[v]]
    for v in order:  # grows in the loop
        for target in targets[v]:
            layer[target] = max(layer[target], layer[v] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                order.append(target)
    for _ in range(MAX_ROUNDS):
        before = [*layer]
        for v in (*reversed(order), *order):
            if len(targets[v]) > len(sources[v]):
                layer[v] = min(layer[target] for target in targets[v]) - 1
            elif len(sources[v]) > len(targets[v]):
                layer[v] = max(layer[source] for source in sources[v]) + 1
        if layer == before:
            break
    inner = [layer[v] for v in range(count) if v not in first and v not in last] or [0]
    low, high = min(inner), max(inner)
    for v in range(count):
        layer[v] = low - 1 if v in first else high + 1 if v in last else layer[v]
    used = {number: place for place, number in enumerate(sorted({*layer}))}
    return [used[number] for number in layer]


class _Layers:
    """The vertices of each layer: boxes, and from `count` on the dummies of edges that pass several layers."""

    def __init__(self, count: int, layer: list[int], edges: Sequence[Edge]) -> None:
        self.count, self.layer = count, layer
        self.layers: list[list[int]] = [[] for _ in range(max(layer) + 1)]
        for v in range(count):
            self.layers[layer[v]].append(v)
        self.up: list[list[int]] = [[] for _ in range(count)]
        self.down: list[list[int]] = [[] for _ in range(count)]
        self.paths: dict[int, list[int]] = {}
        self.stubs: set[int] = set()
        budget = MAX_DUMMIES
        for number in sorted(range(len(edges)), key=lambda number: layer[edges[number][1]] - layer[edges[number][0]]):
            a, b = edges[number]
            budget -= max(0, layer[b] - layer[a] - 1)
            if a != b and (layer[a] >= layer[b] or budget < 0):
                self.stubs.add(number)
            elif a != b:
                self._add_path(number, a, b)
        self.total = len(self.up)
        self.place = [0] * self.total

    def _add_path(self, number: int, a: int, b: int) -> None:
        path = [a]
        for level in range(self.layer[a] + 1, self.layer[b]):
            path.append(len(self.up))
            self.layers[level].append(path[-1])
            self.layer.append(level)
            self.up.append([])
            self.down.append([])
        path.append(b)
        self.paths[number] = path[1:-1]
        for above, below in itertools.pairwise(path):
            self.down[above].append(below)
            self.up[below].append(above)

    # --- order ---

    def order(self) -> None:
        """Order the layers: from depth-first orders, sort by mean places of neighbours; the best order is kept."""
        best, fewest = self.layers, float("inf")
        for from_below in (False, True):
            self.layers = self._depth_first(from_below)
            for sweep in range(MAX_SWEEPS):
                self._set_places()
                crossings = self._count_crossings()
                if crossings < fewest:
                    best, fewest = [[*level] for level in self.layers], crossings
                if not fewest:
                    break
                is_down = (sweep % 2 == 0) != from_below
                for level in self.layers[1:] if is_down else self.layers[-2::-1]:
                    self._sort(level, self.up if is_down else self.down, sweep % 4 > 1)
        self.layers = best
        self._set_places()

    def _depth_first(self, from_below: bool) -> list[list[int]]:
        seen = [False] * self.total
        ordered: list[list[int]] = [[] for _ in self.layers]
        for level in reversed(self.layers) if from_below else self.layers:
            for start in level:
                pending = [start]
                while pending:
                    v = pending.pop()
                    if not seen[v]:
                        seen[v] = True
                        ordered[self.layer[v]].append(v)
                        pending += (*reversed(self.up[v]), *reversed(self.down[v]))
        return ordered

    def _set_places(self) -> None:
        for level in self.layers:
            for place, v in enumerate(level):
                self.place[v] = place

    def _sort(self, level: list[int], neighbours: list[list[int]], reverse_ties: bool) -> None:
        """Sort a layer; vertices without neighbours keep their places."""
        keys = {v: sum(self.place[n] for n in neighbours[v]) / len(neighbours[v]) for v in level if neighbours[v]}
        sign = -1 if reverse_ties else 1
        moving = iter(sorted(keys, key=lambda v: (keys[v], sign * self.place[v])))
        level[:] = [next(moving) if v in keys else v for v in level]
        for place, v in enumerate(level):
            self.place[v] = place

    def _count_crossings(self) -> int:
        crossings = 0
        for level in self.layers:
            ends: list[int] = []
            for v in level:
                for place in sorted((self.place[target] for target in self.down[v]), reverse=True):
                    crossings += len(ends) - bisect_left(ends, place + 1)
                    insort(ends, place)
        return crossings


# --- coordinates -----------------------------------------------------------------------------------------------------


def _coordinates(graph: _Layers, widths: Sequence[float]) -> list[float]:
    """Return the centre of each vertex: the mean of the two middle ones of four packings, each of straight blocks."""
    packings = []
    for is_up in (True, False):
        for is_left in (True, False):
            x = _pack(graph, _align(graph, is_up, is_left), widths, is_left)
            low = min(centre - width / 2 for centre, width in zip(x, widths, strict=True))
            high = max(centre + width / 2 for centre, width in zip(x, widths, strict=True))
            packings.append((high - low, is_left, low, high, x))
    _, _, low, high, _ = min(packings, key=lambda packing: packing[0])
    shifted = [
        [centre + (low - own_low if is_left else high - own_high) for centre in x]
        for _, is_left, own_low, own_high, x in packings
    ]
    middles = (sorted(centres)[1:3] for centres in zip(*shifted, strict=True))
    return [sum(pair) / 2 for pair in middles]


def _align(graph: _Layers, is_up: bool, is_left: bool) -> list[int]:
    """Return the first vertex of the block of each vertex: a chain of medians that crosses no other block."""
    root = list(range(graph.total))
    is_taken = [False] * graph.total
    neighbours = graph.up if is_up else graph.down
    for level in graph.layers[1:] if is_up else graph.layers[-2::-1]:
        limit = -1.0 if is_left else float("inf")
        for v in level if is_left else reversed(level):
            near = sorted(neighbours[v], key=graph.place.__getitem__)
            middle = {(len(near) - 1) // 2, len(near) // 2} if near else set()
            for m in sorted(middle, reverse=not is_left):
                place = graph.place[near[m]]
                is_free = place > limit if is_left else place < limit
                if is_free and not is_taken[near[m]] and root[v] == v:
                    root[v], limit = root[near[m]], place
                    is_taken[near[m]] = True
    return root


def _pack(graph: _Layers, root: list[int], widths: Sequence[float], is_left: bool) -> list[float]:
    """Return coordinates in which no neighbours overlap and each block is straight, packed to one side."""
    after: list[list[tuple[int, float]]] = [[] for _ in root]
    waiting = [0] * len(root)
    for level in graph.layers:
        for left, right in itertools.pairwise(level):
            gap = DUMMY_GAP if max(left, right) >= graph.count else GAP
            a, b = (left, right) if is_left else (right, left)
            after[root[a]].append((root[b], (widths[a] + widths[b]) / 2 + gap))
            waiting[root[b]] += 1
    x = [0.0] * len(root)
    order = [v for v in range(len(root)) if root[v] == v and not waiting[v]]
    for v in order:  # grows in the loop
        for other, distance in after[v]:
            x[other] = max(x[other], x[v] + distance)
            waiting[other] -= 1
            if not waiting[other]:
                order.append(other)
    for v in reversed(order):  # blocks with room move towards those after them
        x[v] = max(x[v], min((x[other] - distance for other, distance in after[v]), default=x[v]))
    sign = 1 if is_left else -1
    return [sign * x[block] for block in root]
