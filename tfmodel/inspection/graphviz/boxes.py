"""Nodes put together to boxes, so that what remains can be looked at.

Names are paths: `block_1/conv/weights` is in the scope `block_1/conv`. Folded at a depth of 1, all of `block_1` is one
box; at a depth of 2, `block_1` is a frame around the boxes that its own scopes are. A node with the name of a scope is
in it. Where a graph has more scopes than one can look at, those become one box that differ only in numbers, or whose
names begin alike, and where even this does not help, neighbours in the order of execution do.

Edges between boxes: those of one kind between the same two are one, and boxes with very many stand aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from ...graph.traversal import strong_components
from .vertices import Edge, Vertex

if TYPE_CHECKING:
    from ...graph import GraphIndex

__all__ = [
    "Box",
    "Bundle",
    "Path",
    "bundled",
    "by_beginning",
    "folded",
    "hubs",
    "in_parts",
    "in_series",
    "paths_of",
    "scope_of",
]


Path: TypeAlias = tuple[str, ...]

DEEPEST = 40  # scopes inside of each other that are told apart
SERIES = 3  # so many names have to differ in their numbers only,
MOST_SERIES = 50  # and no more than so many of such are tried
MOST_WORDS = 8  # with which names begin,
MOST_CIRCLES = 9  # and so many are taken apart again

_number = re.compile(r"_\d+|\d+$")


@dataclass(slots=True)
class Box:
    """What is drawn as one: a node, a folded scope, a series of either, or neighbours.

    name       the node, the scope, or what the others have in common
    title      what it is called in the frames around it
    path       the scopes that are frames around it
    members    the numbers of its vertices
    """

    kind: Literal["node", "scope", "series", "part"]
    name: str
    title: str
    path: Path
    members: list[int]


def scope_of(name: str, scopes: set[Path]) -> Path:
    """The scope that a node is in, which may have its name."""
    parts = tuple(name.split("/", DEEPEST))
    return parts if parts in scopes else parts[:-1]


def paths_of(vertices: Sequence[Vertex]) -> set[Path]:
    """All scopes."""
    found: set[Path] = set()
    for vertex in vertices:
        if vertex.kind == "node":
            parts = tuple(vertex.name.split("/", DEEPEST))[:-1]
            while parts and parts not in found:
                found.add(parts)
                parts = parts[:-1]
    return found


def folded(
    vertices: Sequence[Vertex], chosen: Iterable[int], scopes: set[Path], depth: int | None, opened: Path = ()
) -> list[Box]:
    """The chosen vertices in boxes: scopes are folded at that depth, but for those around `opened`."""
    boxes: dict[Path, Box] = {}
    found = []
    for number in chosen:
        vertex = vertices[number]
        scope = scope_of(vertex.name, scopes) if vertex.kind == "node" else ()
        at = (
            None
            if depth is None
            else next((at for at in range(depth, len(scope) + 1) if scope[:at] != opened[:at]), None)
        )
        if at is None:
            title = vertex.name if not scope else vertex.name.rpartition("/")[2]
            found.append(Box("node", vertex.name, title, scope, [number]))
        elif scope[:at] in boxes:
            boxes[scope[:at]].members.append(number)
        else:
            box = Box("scope", "/".join(scope[:at]), scope[at - 1], scope[: at - 1], [number])
            found.append(boxes.setdefault(scope[:at], box))
    return _trimmed([_alone(box, vertices) for box in found])


def _alone(box: Box, vertices: Sequence[Vertex]) -> Box:
    """A scope with one node is that node."""
    if box.kind == "node" or len(box.members) > 1:
        return box
    name = vertices[box.members[0]].name
    return Box("node", name, name[sum(len(part) + 1 for part in box.path) :], box.path, box.members)


def _trimmed(boxes: list[Box]) -> list[Box]:
    """The boxes without frames around a single one."""
    times: dict[Path, int] = {}
    for box in boxes:
        for end in range(1, len(box.path) + 1):
            times[box.path[:end]] = times.get(box.path[:end], 0) + 1
    for box in boxes:
        while box.path and times[box.path] == 1:
            title = f"{box.path[-1]}/{box.title}" if box.title != box.path[-1] or box.kind == "scope" else box.title
            box.title, box.path = title, box.path[:-1]
    return boxes


def in_series(boxes: list[Box], most: int, index: GraphIndex) -> list[Box]:
    """The boxes, of which those are one that differ in numbers: long series first, till there are few enough.

    What depends on each other, such as the layers of a model, stays apart.
    """
    series: dict[tuple[Path, str], list[Box]] = {}
    for box in boxes:
        series.setdefault((box.path, _number.sub("", box.title)), []).append(box)
    count = len(boxes)
    joined: dict[int, Box] = {}
    for (path, _), alike in sorted(series.items(), key=lambda each: -len(each[1]))[:MOST_SERIES]:
        if count <= most or len(alike) < SERIES:
            break
        if _is_chain(alike, index):
            continue
        members = [number for box in alike for number in box.members]
        title = _number.sub("_*", alike[-1].title)
        whole = Box("series", "/".join((*path, title)), title, path, members)
        joined.update((id(box), whole) for box in alike)
        count -= len(alike) - 1
    return list({id(each): each for each in (joined.get(id(box), box) for box in boxes)}.values())


def _is_chain(boxes: list[Box], index: GraphIndex) -> bool:
    """Whether one of the boxes takes something, if by way of others, from another of them."""
    nothing, several = -1, -2
    box_of = {number: place for place, box in enumerate(boxes) for number in box.members}
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


def by_beginning(boxes: list[Box], least: int, most: int, index: GraphIndex) -> list[Box] | None:
    """The boxes, of which those are one whose names begin with the same words, with as many words as it can be:
    `conv2_block1_*`. None if that leaves fewer than `least` or more than `most`.

    Boxes that depend on each other by way of others stay apart.
    """
    words = [box.title.split("_") for box in boxes]
    for count in range(MOST_WORDS, 0, -1):
        alike: dict[tuple[Path, tuple[str, ...]], list[Box]] = {}
        for box, each in zip(boxes, words, strict=True):
            alike.setdefault((box.path, tuple(each[:count])), []).append(box)
        found = list(alike.values())
        for _ in range(MOST_CIRCLES):
            if len(found) > most:
                break
            circles = _in_circles(found, index)
            if not circles:
                return [_begun(each, count) for each in found] if len(found) >= least else None
            smallest = min(circles, key=len)
            found = [part for each in found for part in ([each] if each is not smallest else [[box] for box in each])]
    return None


def _begun(boxes: list[Box], words: int) -> Box:
    if len(boxes) == 1:
        return boxes[0]
    path = boxes[0].path
    title = "_".join([*boxes[0].title.split("_")[:words], "*"])
    return Box("series", "/".join((*path, title)), title, path, [number for box in boxes for number in box.members])


def _in_circles(groups: list[list[Box]], index: GraphIndex) -> list[list[Box]]:
    """Groups that one can leave and come back to."""
    places = {number: place for place, boxes in enumerate(groups) for box in boxes for number in box.members}
    others = (position for position in range(len(index)) if position not in places)
    places.update((position, place) for place, position in enumerate(others, len(groups)))
    targets: list[list[int]] = [[] for _ in range(len(groups) + len(index))]
    for position in index.forward_order:
        targets[places[position]] += [places[target] for target in index.forward_targets[position]]
    stuck = {place for knot in strong_components(range(len(targets)), targets) if len(knot) > 1 for place in knot}
    return [boxes for place, boxes in enumerate(groups) if place in stuck and len(boxes) > 1]


def in_parts(boxes: list[Box], most: int, ranks: Sequence[int]) -> list[Box]:
    """No more boxes than `most`, each of neighbours; `ranks` are the places of vertices in the order of execution."""
    boxes = sorted(boxes, key=lambda box: min(ranks[number] for number in box.members))
    size = -(-len(boxes) // most)
    parts = [boxes[start : start + size] for start in range(0, len(boxes), size)]
    return [part[0] if len(part) == 1 else _part(part) for part in parts]


def _part(boxes: list[Box]) -> Box:
    name = f"{boxes[0].name} ... {boxes[-1].name}"
    return Box("part", name, name, (), [each for box in boxes for each in box.members])


FEW = 12  # other boxes that one may always be linked with,
SHARE = 3  # or this part of all


@dataclass(slots=True)
class Bundle:
    """The edges of one kind from one box to another: `edges` are not empty."""

    source: int
    target: int
    control: bool
    edges: list[Edge] = field(default_factory=list)


def bundled(edges: Iterable[Edge], box_of: Mapping[int, int]) -> list[Bundle]:
    """The edges between different boxes; `box_of` has the number of the box of each vertex that is in one."""
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


def hubs(boxes: Sequence[Box], bundles: Sequence[Bundle]) -> dict[int, int]:
    """The boxes whose edges would hide all others, and with how many each is linked.

    These are what trains, saves and initialises in a graph that does so. The one with most links is taken first, and
    counts no more for the others.
    """
    linked: list[set[int]] = [set() for _ in boxes]
    for bundle in bundles:
        linked[bundle.source].add(bundle.target)
        linked[bundle.target].add(bundle.source)
    degrees = [len(each) for each in linked]
    most = max(FEW, len(boxes) // SHARE)
    found: dict[int, int] = {}
    while (highest := max(range(len(boxes)), key=degrees.__getitem__, default=None)) is not None:
        if degrees[highest] <= most:
            break
        found[highest] = len(linked[highest])
        degrees[highest] = 0
        for other in linked[highest]:
            degrees[other] -= other not in found
    return found
