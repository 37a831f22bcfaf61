"""The vertices and edges of a picture, folded into boxes and bundles.

Constants that a tensor input reads are drawn inside their consumers, as a line such as `weights: float32[3,3,64,64]`,
not as boxes.

Names are paths: `block_1/conv/weights` is in the scope `block_1/conv`. Folded at depth 1, all of `block_1` is one box;
at depth 2, `block_1` is a frame around the boxes of its own scopes. A node with the same name as a scope is in that
scope. If there are too many scopes, those whose names differ only in numbers, or whose names have the same beginning,
become one box; if that is not enough, neighbours in execution order are joined.

Edges of one kind from one box to another are one bundle. Boxes that are linked with very many others are hubs, which
are drawn aside.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ...graph import GraphIndex
from ...graph.traversal import strong_components
from ..wiring import MAX_DEPTH, Edge, Vertex

__all__ = [
    "Box",
    "Bundle",
    "Path",
    "all_scopes",
    "bundle_edges",
    "find_hubs",
    "find_neighbourhood",
    "fold",
    "join_by_prefix",
    "join_neighbours",
    "join_series",
    "scope_of",
]


def find_neighbourhood(edges: list[Edge], center: int, radius: int) -> set[int]:
    """Return the vertices that are at most `radius` edges away from `center`, in either direction.

    Control edges are followed only from `center` itself, since they lead everywhere.
    """
    neighbours: dict[int, list[int]] = {}
    for edge in edges:
        if not edge.control or center in (edge.source, edge.target):
            neighbours.setdefault(edge.source, []).append(edge.target)
            neighbours.setdefault(edge.target, []).append(edge.source)
    distance = {center: 0}
    queue = deque([center])
    while queue:
        vertex = queue.popleft()
        if distance[vertex] < radius:
            for other in neighbours.get(vertex, ()):
                if other not in distance:
                    distance[other] = distance[vertex] + 1
                    queue.append(other)
    return set(distance)


Path: TypeAlias = tuple[str, ...]

MIN_SERIES = 3  # boxes whose names differ only in numbers
MAX_SERIES = 50  # series that are tried
MAX_WORDS = 8  # at the beginning of names
MAX_CYCLES = 9  # attempts to join boxes without a cycle

_number = re.compile(r"_\d+|\d+$")


@dataclass(slots=True)
class Box:
    """A box of the picture.

    kind       "node"; "scope", folded; "series", boxes whose names differ only in numbers or begin with the same words;
               or "part", neighbours in execution order
    name       the name of the node or scope, the common part of the names of a series, or "first ... last" of a part
    title      the name within the frames around it
    path       the scopes that are frames around it
    members    the numbers of its vertices
    """

    kind: Literal["node", "scope", "series", "part"]
    name: str
    title: str
    path: Path
    members: list[int]


def scope_of(name: str, scopes: set[Path]) -> Path:
    """Return the scope that contains a node. A node with the name of a scope is in that scope."""
    parts = tuple(name.split("/", MAX_DEPTH))
    return parts if parts in scopes else parts[:-1]


def all_scopes(vertices: Sequence[Vertex]) -> set[Path]:
    """Return the scopes of all nodes, at any depth."""
    scopes: set[Path] = set()
    for vertex in vertices:
        if vertex.kind == "node":
            parts = tuple(vertex.name.split("/", MAX_DEPTH))[:-1]
            while parts and parts not in scopes:
                scopes.add(parts)
                parts = parts[:-1]
    return scopes


def fold(
    vertices: Sequence[Vertex], chosen: Iterable[int], scopes: set[Path], depth: int | None, opened: Path = ()
) -> list[Box]:
    """Return the boxes of the chosen vertices.

    Scopes are folded at `depth`, except `opened` and the scopes around it, in which folding begins one level deeper.
    With `depth` None, no scope is folded.
    """
    boxes: dict[Path, Box] = {}
    result = []
    for number in chosen:
        vertex = vertices[number]
        scope = scope_of(vertex.name, scopes) if vertex.kind == "node" else ()
        cut = (
            None
            if depth is None
            else next((cut for cut in range(depth, len(scope) + 1) if scope[:cut] != opened[:cut]), None)
        )
        if cut is None:
            title = vertex.name if not scope else vertex.name.rpartition("/")[2]
            result.append(Box("node", vertex.name, title, scope, [number]))
        elif scope[:cut] in boxes:
            boxes[scope[:cut]].members.append(number)
        else:
            box = Box("scope", "/".join(scope[:cut]), scope[cut - 1], scope[: cut - 1], [number])
            result.append(boxes.setdefault(scope[:cut], box))
    return _without_single_frames([_unwrap_single_node(box, vertices) for box in result])


def _unwrap_single_node(box: Box, vertices: Sequence[Vertex]) -> Box:
    """Return a box for the node if the box is a scope with only one node; other boxes stay as they are."""
    if box.kind == "node" or len(box.members) > 1:
        return box
    name = vertices[box.members[0]].name
    return Box("node", name, name[sum(len(part) + 1 for part in box.path) :], box.path, box.members)


def _without_single_frames(boxes: list[Box]) -> list[Box]:
    """Return the boxes without frames around a single box."""
    boxes_in_frame: dict[Path, int] = {}
    for box in boxes:
        for end in range(1, len(box.path) + 1):
            boxes_in_frame[box.path[:end]] = boxes_in_frame.get(box.path[:end], 0) + 1
    for box in boxes:
        while box.path and boxes_in_frame[box.path] == 1:
            if box.name != "/".join(box.path):  # a node with the name of its scope has no further part in its name
                box.title = f"{box.path[-1]}/{box.title}"
            box.path = box.path[:-1]
    return boxes


def join_series(boxes: list[Box], max_boxes: int, index: GraphIndex) -> list[Box]:
    """Join boxes whose names differ only in numbers, the longest series first, until `max_boxes` boxes are left.

    More are left if there are not enough series.

    Boxes that depend on each other, such as the layers of a model, stay separate.
    """
    series: dict[tuple[Path, str], list[Box]] = {}
    for box in boxes:
        series.setdefault((box.path, _number.sub("", box.title)), []).append(box)
    count = len(boxes)
    series_box_of: dict[int, Box] = {}
    for (path, _), group in sorted(series.items(), key=lambda item: -len(item[1]))[:MAX_SERIES]:
        if count <= max_boxes or len(group) < MIN_SERIES:
            break
        if _has_dependency(group, index):
            continue
        members = [number for box in group for number in box.members]
        title = _number.sub("_*", group[-1].title)
        series_box = Box("series", "/".join((*path, title)), title, path, members)
        series_box_of.update((id(box), series_box) for box in group)
        count -= len(group) - 1
    return list({id(box): box for box in (series_box_of.get(id(box), box) for box in boxes)}.values())


def _has_dependency(boxes: list[Box], index: GraphIndex) -> bool:
    """Return whether one of the boxes depends on another of them, directly or not."""
    nothing, several = -1, -2
    box_of = {number: box_number for box_number, box in enumerate(boxes) for number in box.members}
    reached = [nothing] * len(index)
    for position in index.forward_order:
        own, before = box_of.get(position, nothing), reached[position]
        if own != nothing and before not in (nothing, own):
            return True
        mark = own if own != nothing else before
        if mark != nothing:
            for target in index.forward_targets[position]:
                reached[target] = mark if reached[target] in (nothing, mark) else several
    return False


def join_by_prefix(boxes: list[Box], min_boxes: int, max_boxes: int, index: GraphIndex) -> list[Box] | None:
    """Join boxes whose names begin with the same words, as many words as possible: `conv2_block1_*`.

    Return None if that leaves fewer than `min_boxes` or more than `max_boxes` boxes. If boxes would form a cycle, the
    smallest group of the cycle stays separate; if cycles are left after MAX_CYCLES attempts, the result is None too.
    """
    words = [box.title.split("_") for box in boxes]
    for count in range(MAX_WORDS, 0, -1):
        boxes_by_prefix: dict[tuple[Path, tuple[str, ...]], list[Box]] = {}
        for box, name_words in zip(boxes, words, strict=True):
            boxes_by_prefix.setdefault((box.path, tuple(name_words[:count])), []).append(box)
        groups = list(boxes_by_prefix.values())
        for _ in range(MAX_CYCLES):
            if len(groups) > max_boxes:
                break
            cyclic = _groups_in_cycles(groups, index)
            if not cyclic:
                return [_join_by_words(group, count) for group in groups] if len(groups) >= min_boxes else None
            smallest = min(cyclic, key=len)
            groups = [
                part for group in groups for part in ([group] if group is not smallest else [[box] for box in group])
            ]
    return None


def _join_by_words(boxes: list[Box], word_count: int) -> Box:
    if len(boxes) == 1:
        return boxes[0]
    path = boxes[0].path
    title = "_".join([*boxes[0].title.split("_")[:word_count], "*"])
    return Box("series", "/".join((*path, title)), title, path, [number for box in boxes for number in box.members])


def _groups_in_cycles(groups: list[list[Box]], index: GraphIndex) -> list[list[Box]]:
    """Return the groups of several boxes that are part of a cycle."""
    group_of = {number: group for group, boxes in enumerate(groups) for box in boxes for number in box.members}
    others = (position for position in range(len(index)) if position not in group_of)
    group_of.update((position, group) for group, position in enumerate(others, len(groups)))
    targets: list[list[int]] = [[] for _ in range(len(groups) + len(index))]
    for position in index.forward_order:
        targets[group_of[position]] += [group_of[target] for target in index.forward_targets[position]]
    components = strong_components(range(len(targets)), targets)
    in_cycles = {group for component in components if len(component) > 1 for group in component}
    return [boxes for group, boxes in enumerate(groups) if group in in_cycles and len(boxes) > 1]


def join_neighbours(boxes: list[Box], max_boxes: int, ranks: Sequence[int]) -> list[Box]:
    """Join neighbours in execution order to at most `max_boxes` boxes.

    `ranks` are the positions of the vertices in this order.
    """
    boxes = sorted(boxes, key=lambda box: min(ranks[number] for number in box.members))
    size = -(-len(boxes) // max_boxes)
    parts = [boxes[start : start + size] for start in range(0, len(boxes), size)]
    return [part[0] if len(part) == 1 else _join_neighbours(part) for part in parts]


def _join_neighbours(boxes: list[Box]) -> Box:
    name = f"{boxes[0].name} ... {boxes[-1].name}"
    return Box("part", name, name, (), [member for box in boxes for member in box.members])


MAX_LINKS = 12
HUB_SHARE = 3
"""A hub is linked with more than MAX_LINKS other boxes, and with more than 1 / HUB_SHARE of all."""


@dataclass(slots=True)
class Bundle:
    """All edges of one kind from one box to another; there is at least one edge."""

    source: int
    target: int
    control: bool
    edges: list[Edge] = field(default_factory=list)


def bundle_edges(edges: Iterable[Edge], box_of: Mapping[int, int]) -> list[Bundle]:
    """Bundle the edges between different boxes, and those of a vertex to itself.

    `box_of` maps vertices to the numbers of their boxes.
    """
    bundles: dict[tuple[int, int, bool], Bundle] = {}
    for edge in edges:
        source, target = box_of.get(edge.source), box_of.get(edge.target)
        if source is None or target is None or (source == target and edge.source != edge.target):
            continue
        key = source, target, edge.control
        if key not in bundles:
            bundles[key] = Bundle(*key)
        bundles[key].edges.append(edge)
    return list(bundles.values())


def find_hubs(boxes: Sequence[Box], bundles: Sequence[Bundle]) -> dict[int, int]:
    """Return the boxes whose edges would hide all others, with the number of boxes that each is linked with.

    In a training graph, these are nodes that train, save and initialize. The box with the most links is taken first;
    then its links no longer count for the other boxes.
    """
    linked: list[set[int]] = [set() for _ in boxes]
    for bundle in bundles:
        if bundle.source != bundle.target:
            linked[bundle.source].add(bundle.target)
            linked[bundle.target].add(bundle.source)
    degrees = [len(boxes_linked) for boxes_linked in linked]
    max_links = max(MAX_LINKS, len(boxes) // HUB_SHARE)
    hub_degrees: dict[int, int] = {}
    while (highest := max(range(len(boxes)), key=degrees.__getitem__, default=None)) is not None:
        if degrees[highest] <= max_links:
            break
        hub_degrees[highest] = len(linked[highest])
        degrees[highest] = 0
        for other in linked[highest]:
            degrees[other] -= other not in hub_degrees
    return hub_degrees
