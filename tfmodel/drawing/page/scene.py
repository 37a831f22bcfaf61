"""The first picture of a page as boxes, frames and lines, from the same data: which entries are open, and where all is.

Open entries are laid out children before parents; the size of an open entry is that of a box in the drawing of its
parent. Edges that leave an open entry go through ports on its frame. The rules are those of `js/tree.js` and
`js/layout.js`.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from ..families import CONVOLUTIONS, family_of
from ..hierarchy import PASSING_OPS
from .layered import Drawing, Point, Size, draw_layers

__all__ = ["Box", "Line", "Scene", "Tree", "lay_out"]

MAX_BOXES = 60
MAX_PORTS = 12
HUB_DEGREE, HUB_CONTROLS, HUB_SHARE = 8, 4, 4
MAIN_SHARE = 10  # a scope with more than this part of the nodes that compute outputs never stands aside
HEAVY = 100  # nodes that a convolution or a product of matrices counts as
MARGIN, TITLE = 14.0, 26.0
BESIDE_GAP = 14.0
SCOPE, GROUP, STACK, PART, NODE = range(5)


class Link(NamedTuple):
    """All edges of one kind between two children of an entry: the pairs of a node and an output."""

    source: int
    target: int
    control: bool


class Tree:
    """The entries of one body of a page: parents, children, sums over the nodes inside, links between children."""

    def __init__(self, header: Mapping[str, Any], columns: Mapping[str, array[int]], body: int) -> None:
        self.header = header
        facts = header["bodies"][body]
        self.start, self.real, self.count = facts["start"], facts["real"], facts["count"]
        self.root, self.entries = facts["entry"], range(facts["entry"], facts["entry"] + facts["entries"])
        self._columns = columns = defaultdict(lambda: array("i"), columns)  # columns without values are left out
        self.up = {entry: entry - columns["parent"][entry] if entry > self.root else -1 for entry in self.entries}
        self.children: dict[int, list[int]] = {entry: [] for entry in self.entries}
        for entry in self.entries[1:]:
            self.children[self.up[entry]].append(entry)
        self.depth: dict[int, int] = {}
        for entry in self.entries:
            self.depth[entry] = self.depth.get(self.up[entry], -1) + 1
        owner = {columns["node"][entry]: entry for entry in self.entries if columns["node"][entry] >= 0}
        nodes = range(self.start, self.start + self.count)
        self.entry_of = {node: owner.get(node, owner.get(node - columns["host"][node], -1)) for node in nodes}
        self.size, self.needed, self.heavy, self.parameters, self.changes = (Counter[int]() for _ in range(5))
        self.heat: dict[int, float] = defaultdict(float)
        rows = header["difference"]["status"] if "difference" in header else []
        self.status: dict[int, str] = {node: status for node, status, _ in rows}
        self.callers = {*columns["caller"]}
        self.links: dict[int, dict[Link, set[tuple[int, int]]]] = {}
        self._add_sums()
        self._add_links()

    def _add_sums(self) -> None:
        weights = {weight.get("node"): weight for weight in self.header.get("weights", ())}
        numbers = dict(self.header["overlay"]["values"]) if "overlay" in self.header else {}
        for node, entry in self.entry_of.items():
            weight = weights.get(node)
            self.changes[entry] += node in self.status
            if node in numbers:
                self.heat[entry] += numbers[node]
            parameters = 1 if weight is not None and weight.get("shape") is not None else 0
            for length in (weight or {}).get("shape") or ():
                parameters *= length or 0
            self.size[entry] += node < self.start + self.real
            self.needed[entry] += self._columns["needed"][node]
            self.heavy[entry] += self._columns["needed"][node] and family_of(self.op(node)) == CONVOLUTIONS
            self.parameters[entry] += max(0, parameters)
        for entry in reversed(self.entries[1:]):
            for sums in (self.size, self.needed, self.heavy, self.parameters, self.changes):
                sums[self.up[entry]] += sums[entry]
            if self.heat.get(entry):
                self.heat[self.up[entry]] += self.heat[entry]

    def _add_links(self) -> None:
        for source, target, port in self._edges():
            a, b = self._meeting(source, target)
            if a != b:
                link = Link(a, b, port < 0)
                self.links.setdefault(self.up[a], {}).setdefault(link, set()).add((source, port))

    @cached_property
    def _first_edge(self) -> int:
        return sum(self._columns["inputs"][: self.start])

    def _edges(self) -> Iterator[tuple[int, int, int]]:
        """Yield the nodes at the ends of each edge, and the number of the output, -1 for a control edge."""
        edge = self._first_edge
        for target in range(self.start, self.start + self.count):
            for _ in range(self._columns["inputs"][target]):
                yield target - self._columns["source"][edge], target, self._columns["port"][edge]
                edge += 1

    def _meeting(self, source: int, target: int) -> tuple[int, int]:
        """Return the two children of the entry where the ends of an edge meet; twice the same inside one entry.

        A constant is inside each box that takes it.
        """
        a, b = self.entry_of[source], self.entry_of[target]
        if min(a, b) < 0 or a == b or self._columns["host"][source]:
            return -1, -1
        while self.depth[a] > self.depth[b]:
            a = self.up[a]
        while self.depth[b] > self.depth[a]:
            b = self.up[b]
        while self.up[a] != self.up[b]:
            a, b = self.up[a], self.up[b]
        return a, b

    def crossings(self, opened: Collection[int], aside: Collection[int]) -> Iterator[tuple[int, Port]]:
        """Yield the ports that edges need on the frames of open entries, with the entries.

        Edges from and to entries that stand aside are not drawn.
        """
        for source, target, port in self._edges():
            a, b = self._meeting(source, target)
            if a == b or a in aside or b in aside:
                continue
            for end, outer, other, is_input in ((source, a, b, False), (target, b, a, True)):
                path, entry = [], self.entry_of[end]
                while entry != outer:
                    path.append(entry)
                    entry = self.up[entry]
                while path and outer in opened and path[-1] not in aside:
                    yield outer, Port(path[-1], other, is_input, port < 0)
                    outer = path.pop()

    def kind(self, entry: int) -> int:
        return self._columns["kind"][entry]

    def node(self, entry: int) -> int:
        return self._columns["node"][entry]

    def op(self, node: int) -> str:
        op: str = self.header["ops"][self._columns["op"][node]]
        return op

    def output_text(self, node: int, place: int = 0) -> str:
        """Return type and shape of an output of a node: "float32[?,10]"; empty if unknown."""
        number = self._columns["output"][node]
        if number < 0:
            return ""
        dtypes, shapes, *_ = self.header["outputs"][number]
        shape = shapes[place] if place < len(shapes) else None
        sizes = "" if shape is None else f"[{','.join('?' if size is None else str(size) for size in shape)}]"
        return f"{dtypes[place] if place < len(dtypes) else ''}{sizes}"

    def edge_text(self, node: int, port: int) -> str:
        """Return type and shape of the tensor on an edge from a node; empty if unknown."""
        return self.output_text(node, port)

    def status_of(self, entry: int) -> str:
        """Return the status of an entry in a difference: that of all nodes inside, "changed" if they differ, or ""."""
        if not self.changes[entry]:
            return ""
        kinds = {self.status.get(node, "") for node in self.nodes_in(entry)}
        return kinds.pop() or "changed" if len(kinds) == 1 else "changed"

    def nodes_in(self, entry: int) -> Iterator[int]:
        """Yield the nodes of the leaves of an entry."""
        pending = [entry]
        while pending:
            current = pending.pop()
            pending += self.children[current]
            if self.node(current) >= 0:
                yield self.node(current)

    def ops_in(self, entry: int) -> Counter[str]:
        """Return how often an entry has each op; constants and nodes that pass values on are left out."""
        counts = Counter(map(self.op, self.nodes_in(entry)))
        return Counter({op: count for op, count in counts.items() if op not in PASSING_OPS})


class Port(NamedTuple):
    """A place on the frame of an open entry where edges between `child` and the entry `other` outside go through."""

    child: int
    other: int
    is_input: bool
    control: bool


def first_open(tree: Tree, limit: int = MAX_BOXES) -> set[int]:
    """Return the entries that are open at first: best first by what computes outputs, or by the changes, inside."""

    def weight(entry: int) -> int:
        if "difference" in tree.header:
            return tree.changes[entry]
        return tree.needed[entry] and tree.needed[entry] + tree.heavy[entry] * HEAVY

    opened = {tree.root}
    boxes = len(tree.children[tree.root])
    candidates = [entry for entry in tree.children[tree.root] if tree.children[entry]]
    while candidates:
        entry = max(candidates, key=lambda entry: (weight(entry), -entry))
        candidates.remove(entry)
        more = len(tree.children[entry])
        if weight(entry) and boxes + more - 1 <= limit and tree.kind(entry) != GROUP:
            opened.add(entry)
            boxes += more - 1
            candidates += [child for child in tree.children[entry] if tree.children[child]]
    return opened


# --- layout ----------------------------------------------------------------------------------------------------------


class Box(NamedTuple):
    """The place of an entry; `is_open` if it is a frame around its children."""

    entry: int
    x: float
    y: float
    width: float
    height: float
    is_open: bool


class Line(NamedTuple):
    """An edge; `tensors` is how many different ones it carries.

    It has no arrow if it ends at a frame from inside, and is an `is_input_port` if it begins there. Its label has type
    and shape of what leaves a closed or open scope; a node has them in its box.
    """

    points: list[Point]
    control: bool
    tensors: int
    is_stub: bool
    has_arrow: bool
    is_input_port: bool
    label: str = ""


@dataclass(slots=True)
class Scene:
    """Boxes, outer ones first, and lines."""

    width: float
    height: float
    boxes: list[Box] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)


@dataclass(slots=True)
class _Level:
    """The drawing of the children of an open entry, in the coordinates of its frame."""

    width: float
    height: float
    boxes: list[Box]
    lines: list[Line]
    ports: dict[tuple[bool, int], float]


def lay_out(tree: Tree, size_of: Callable[[int], Size], title_width: Callable[[int], float]) -> Scene:
    """Return the first picture. The arguments say how large closed boxes and titles of frames are."""
    opened = first_open(tree)
    aside = {entry: _hubs(tree, entry) for entry in opened}
    ports: dict[int, dict[Port, None]] = {entry: {} for entry in opened}
    for entry, port in tree.crossings(opened, set().union(*aside.values())):
        ports[entry][port] = None
    levels: dict[int, _Level] = {}
    for entry in sorted(opened, reverse=True):  # children have larger numbers
        levels[entry] = _Layout(tree, entry, list(ports[entry]), aside[entry], levels, size_of).level(title_width)
    whole = levels[tree.root]
    scene = Scene(whole.width, whole.height)
    pending = [(tree.root, 0.0, 0.0)]
    while pending:
        entry, x, y = pending.pop()
        level = levels[entry]
        for box in level.boxes:
            scene.boxes.append(box._replace(x=x + box.x, y=y + box.y))
            if box.is_open:
                pending.append((box.entry, x + box.x, y + box.y))
        scene.lines += [line._replace(points=[(x + px, y + py) for px, py in line.points]) for line in level.lines]
    return scene


def _hubs(tree: Tree, entry: int) -> set[int]:
    """Return the children that stand aside: linked with too many others, or not part of what the outputs compute."""
    children = tree.children[entry]
    linked: dict[int, set[int]] = {child: set() for child in children}
    controls, data = Counter[int](), set[int]()
    for link, edges in tree.links.get(entry, {}).items():
        linked[link.source].add(link.target)
        linked[link.target].add(link.source)
        if link.control:
            controls[link.source] += len(edges)
            controls[link.target] += len(edges)
        else:
            data.update((link.source, link.target))
    most = max(HUB_DEGREE, len(children) / HUB_SHARE)
    hubs: set[int] = set()
    for child in sorted(children, key=lambda child: -len(linked[child])):
        degree = len(linked[child] - hubs)
        is_hub = degree > most or (controls[child] > HUB_CONTROLS and (degree > HUB_CONTROLS or child not in data))
        if _is_auxiliary(tree, child) or (is_hub and not _is_main(tree, child)):
            hubs.add(child)
    return hubs


def _is_auxiliary(tree: Tree, entry: int) -> bool:
    """Return whether an entry is not part of what the outputs compute, or only holds values."""
    node = tree.node(entry)
    is_group = tree.kind(entry) == GROUP or (node >= 0 and tree.op(node) == "NoOp")
    return is_group or (not tree.needed[entry] and tree.needed[tree.up[entry]] > 0)


def _is_main(tree: Tree, entry: int) -> bool:
    """Return whether an entry says so much about the model that it has its edges, however many."""
    if tree.node(entry) >= 0:
        return tree.node(entry) in tree.callers
    ops = tree.ops_in(entry)
    is_heavy = any(family_of(op) == CONVOLUTIONS for op in ops)
    return is_heavy or tree.needed[entry] * MAIN_SHARE > tree.needed[tree.up[entry]]


class _Layout:
    """The layout of one open entry."""

    def __init__(
        self,
        tree: Tree,
        entry: int,
        ports: list[Port],
        hubs: set[int],
        levels: Mapping[int, _Level],
        size_of: Callable[[int], Size],
    ) -> None:
        self.tree, self.entry, self.levels = tree, entry, levels
        links = tree.links.get(entry, {})
        kept = {link: edges for link, edges in links.items() if link.source not in hubs and link.target not in hubs}
        linked = {end for link in kept for end in link[:2]} | {port.child for port in ports}
        loose = [child for child in tree.children[entry] if child not in hubs and child not in linked]
        self.beside = [child for child in tree.children[entry] if child in hubs or (len(loose) > 3 and child in loose)]
        besides = set(self.beside)
        self.children = [child for child in tree.children[entry] if child not in besides]
        self.sizes = {
            child: (levels[child].width, levels[child].height) if child in levels else size_of(child)
            for child in tree.children[entry]
        }
        self.vertices: list[Size] = [self.sizes[child] for child in self.children]
        self.number = {child: place for place, child in enumerate(self.children)}
        self.edges: list[tuple[int, int]] = []
        self.facts: list[tuple[Link, int, bool]] = []  # with the number of tensors, and whether a port is the target
        self.labels = {link: self._label(edges) for link, edges in kept.items() if self.tree.node(link.source) < 0}
        for link, edges in kept.items():
            self._add_edge(self.number[link.source], self.number[link.target], link, len(edges))
        self.first = self._add_ports(ports, is_input=True)
        self.last = self._add_ports(ports, is_input=False)

    def _label(self, tensors: set[tuple[int, int]]) -> str:
        node, port = min(tensors)
        text = self.tree.edge_text(node, port) if port >= 0 else ""
        return f"{text} +{len(tensors) - 1}" if text and len(tensors) > 1 else text

    def _add_edge(self, source: int, target: int, link: Link, tensors: int, *, to_port: bool = False) -> None:
        self.edges.append((source, target))
        self.facts.append((link, tensors, to_port))

    def _add_ports(self, ports: list[Port], *, is_input: bool) -> dict[int, int]:
        """Add a vertex for each neighbour outside; many of a side are one. Return the vertices by neighbour."""
        side = [port for port in ports if port.is_input == is_input and port.child in self.number]
        controls = Counter(port.other for port in side if port.control)
        side = [port for port in side if not port.control or controls[port.other] <= HUB_CONTROLS]
        is_joined = len({port.other for port in side}) > MAX_PORTS
        vertices: dict[int, int] = {}
        joined: dict[Link, int] = {}
        for port in side:
            key = -1 if is_joined else port.other
            if key not in vertices:
                vertices[key] = len(self.vertices)
                self.vertices.append((6.0, 0.0))
            link = Link(key, port.child, port.control) if is_input else Link(port.child, key, port.control)
            joined[link] = joined.get(link, 0) + 1
        for link, count in joined.items():
            inner = self.number[link.target if is_input else link.source]
            outer = vertices[link.source if is_input else link.target]
            ends = (outer, inner) if is_input else (inner, outer)
            self._add_edge(*ends, link, count, to_port=not is_input)
        return vertices

    def _shift(self, edge: int, is_start: bool) -> float:
        """Return how far from the centre of an open child an edge meets its frame: at the port for the neighbour."""
        link = self.facts[edge][0]
        child, other = (link.source, link.target) if is_start else (link.target, link.source)
        level = self.levels.get(child)
        if level is None:
            return 0.0
        x = level.ports.get((not is_start, other), level.ports.get((not is_start, -1)))
        return 0.0 if x is None else x - level.width / 2

    def level(self, title_width: Callable[[int], float]) -> _Level:
        drawing = draw_layers(self.vertices, self.edges, {*self.first.values()}, {*self.last.values()}, self._shift)
        top = MARGIN if self.entry == self.tree.root else TITLE
        boxes = [
            self._box(child, x + MARGIN, y + top) for child, (x, y) in zip(self.children, drawing.corners, strict=False)
        ]
        beside, width, height = self._place_beside(drawing)
        boxes += [self._box(child, x + MARGIN, y + top) for child, x, y in beside]
        lines = [
            Line(
                [(x + MARGIN, y + top) for x, y in points],
                link.control,
                tensors,
                place in drawing.stubs,
                not to_port,
                link.source not in self.number,
                "" if to_port else self.labels.get(link, ""),
            )
            for place, ((link, tensors, to_port), points) in enumerate(zip(self.facts, drawing.lines, strict=True))
            if points
        ]
        ports = {
            (is_input, key): drawing.corners[vertex][0] + 3 + MARGIN
            for is_input, vertices in ((True, self.first), (False, self.last))
            for key, vertex in vertices.items()
        }
        title = title_width(self.entry)
        width, height = max(width, 40.0, title) + 2 * MARGIN, max(drawing.height, height) + top + MARGIN
        return _Level(width, height, boxes, [self._to_rim(line, title, height) for line in lines], ports)

    def _to_rim(self, line: Line, title: float, height: float) -> Line:
        """Return a line of a port as far as the rim of the frame, except through the title."""
        x = line.points[0][0]
        if line.is_input_port and x > title + 2 * MARGIN:
            line.points.insert(0, (x, 0.0))
        if not line.has_arrow:
            line.points.append((line.points[-1][0], height))
        return line

    def _box(self, child: int, x: float, y: float) -> Box:
        return Box(child, x, y, *self.sizes[child], child in self.levels)

    def _place_beside(self, drawing: Drawing) -> tuple[list[tuple[int, float, float]], float, float]:
        """Place boxes without edges in columns on the right of the drawing. Return them, and the width and height."""
        area = sum((self.sizes[child][0] + 20) * (self.sizes[child][1] + BESIDE_GAP) for child in self.beside)
        limit = max(drawing.height, 240.0, (area * 0.7) ** 0.5)
        x, y = drawing.width + (40.0 if drawing.width else 0.0), 0.0
        placed, column, width, bottom = [], 0.0, drawing.width, 0.0
        for child in self.beside:
            box_width, box_height = self.sizes[child]
            if y and y + box_height > limit:
                x, y, column = x + column + 20, 0.0, 0.0
            placed.append((child, x, y))
            y += box_height + BESIDE_GAP
            column, width, bottom = max(column, box_width), max(width, x + box_width), max(bottom, y - BESIDE_GAP)
        return placed, width, bottom
