"""`picture`: choose the part of a model to draw and the boxes that are open, and write them for Graphviz."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...analysis.facts import Facts
from ...analysis.shapes import infer_shapes
from ...errors import GraphError
from ...files.decoding import Tags
from ...graph.error_text import guess, list_names, quote
from ...source.model_source import Given, ModelSource, source_pair
from ...values.names import node_name
from ..boxes import Bundle
from ..outlines import Outline, ends_of, main_body, outline_of, title_of
from ..wiring import Edge, Wiring
from .dot import Sheet, write_document

if TYPE_CHECKING:
    from ...analysis.shapes import Shapes

SLOW_BOXES = 500  # with more boxes, Graphviz takes minutes, and the picture is unreadable


@dataclass(frozen=True, slots=True)
class Picture:
    """A Graphviz document, with the number of its boxes and notes on what it does not show."""

    dot: str
    boxes: int
    notes: tuple[str, ...] = ()


def draw(model: Given, other: Given | None = None, **options: Any) -> str:
    """Return the document of `picture`, which has the options: `dot -Tsvg graph.dot -o graph.svg` renders it."""
    return picture(model, other, **options).dot


def picture(
    model: Given,
    other: Given | None = None,
    *,
    depth: int | None = None,
    around: str | None = None,
    radius: int = 2,
    function: str | None = None,
    constants: bool = False,
    all_edges: bool = False,
    title: str = "",
    tags: Tags = None,
    overlay: Mapping[str, float] | None = None,
    overlay_unit: str = "",
) -> Picture:
    """Return a picture of a model as a Graphviz document; with `other`, of the difference from `model` to `other`.

    depth        open this many levels of scopes; default: those that say most, in at most 60 boxes
    around       draw only nodes at most `radius` edges away from this node
    function     draw this function of the library, or with "" the graph; default: what computes the outputs
    constants    draw constants and variables as boxes, not inside their consumers
    all_edges    also draw the edges of boxes that stand aside
    overlay      a number for each node, which colours it; `overlay_unit` is shown behind it

    Inputs and outputs of the graph have thick green frames. Raises GraphError for an unknown node or function,
    ValueError for an invalid depth or radius.
    """
    if (depth is not None and depth < 1) or radius < 0:
        raise ValueError(f"depth must be >= 1 and radius >= 0, got {depth} and {radius}")
    status: dict[str, dict[str, str]] | None = None
    if other is None:
        source = ModelSource.of(model, tags=tags)
    else:
        from ..difference import compare  # one model does not need it

        first, second = source_pair(model, other, tags=tags)
        source, difference = compare(first, second)
        title = title or f"{title_of(first)} \N{RIGHTWARDS ARROW} {title_of(second)}"
        status = {}
        for body, name, kind, *_ in difference["status"]:
            status.setdefault(body, {})[name] = kind
    source = source.keeping_facts()
    with source.naming_damage():
        view = _View(source, around, radius, constants, status)
        outline = view.outline_of(function)
        options = _Options(depth, all_edges, title, overlay or {}, overlay_unit)
        return _picture(view, outline, function, options)


@dataclass(frozen=True, slots=True)
class _Options:
    depth: int | None
    all_edges: bool
    title: str
    overlay: Mapping[str, float]
    unit: str


def _picture(view: _View, outline: Outline, function: str | None, options: _Options) -> Picture:
    tree, source = outline.tree, view.source
    inner = 0 if view.center is None else tree.entry_of[view.center]
    opened = tree.first_open(inner) if options.depth is None else tree.open_to(options.depth)
    boxes = tree.boxes(opened) if tree.children[0] else []
    aside = {} if options.all_edges or view.center is not None else tree.aside
    bundles = tree.bundles(opened)
    apart = [bundle for bundle in bundles if aside and tree.is_apart(bundle)]
    linked = _links(apart)
    is_apart = {id(bundle) for bundle in apart}
    name = f"function {outline.name}" if outline.name else ""
    whole = ", ".join(part for part in (options.title or title_of(source), name, view.place) if part)
    positions = outline.index.positions
    ends = {number for some in ends_of(source).values() for number in some} if not outline.name else set()
    status = (view.status or {}).get(outline.name, {})
    sheet = Sheet(
        title=whole,
        outline=outline,
        opened=opened,
        boxes=boxes,
        bundles=[bundle for bundle in bundles if id(bundle) not in is_apart],
        aside={number: len(linked.get(number, ())) for number in aside},
        functions=Facts.of(source).functions,
        shape_of=_Shapes(source, outline.name),
        center=view.center,
        ends=frozenset(ends),
        status={positions[node]: kind for node, kind in status.items() if node in positions},
        heat={} if outline.name else {positions[n]: value for n, value in options.overlay.items() if n in positions},
        unit=options.unit,
    )
    hubs = [number for number in boxes if number in aside and number in linked]
    notes = (
        *_notes_on_boxes(outline, boxes, hubs, options.depth),
        *_notes_on_functions(outline, function, [*Facts.of(source).functions]),
    )
    return Picture(write_document(sheet), len(boxes), notes)


def _links(bundles: Iterable[Bundle]) -> dict[int, set[int]]:
    """Return the boxes at the other end of the bundles of each box."""
    linked: dict[int, set[int]] = {}
    for bundle in bundles:
        linked.setdefault(bundle.source, set()).add(bundle.target)
        linked.setdefault(bundle.target, set()).add(bundle.source)
    return linked


def _notes_on_boxes(outline: Outline, boxes: Sequence[int], hubs: Sequence[int], depth: int | None) -> Iterator[str]:
    """Say what is folded or not drawn, and how to see it. `hubs` are boxes whose edges are not drawn."""
    tree, hosts = outline.tree, outline.hosts
    if any(tree.children[box] for box in boxes):
        counts = ((level, len(tree.boxes(tree.open_to(level)))) for level in range(1, max(tree.depth) + 2))
        more, count = next(each for each in counts if each[1] > len(boxes))
        how = "" if depth is None else f", folded at depth {depth}"
        nodes = _count(sum(tree.sizes[box] for box in boxes), "node")
        yield f"{nodes} in {_count(len(boxes), 'box', 'boxes')}{how}; --depth {more} gives {count:,}"
    if hosts:
        is_constant = all(outline.wiring.vertices[number].op in ("Const", "Identity") for number in hosts)
        hidden = _count(len(hosts), "constant") if is_constant else f"{len(hosts):,} constants and variables"
        yield f"{hidden} without a box; --constants draws them"
    if hubs:
        names = list_names([*dict.fromkeys(_name_of(outline, number) for number in hubs)], 8)
        yield f"set aside, without edges: {names}; --all-edges draws them"
    if len(boxes) > SLOW_BOXES:
        yield f"{len(boxes):,} boxes take dot long to lay out; sfdp is faster, --around shows a part"


def _notes_on_functions(outline: Outline, asked: str | None, functions: Sequence[str]) -> Iterator[str]:
    """Say which bodies are not drawn if the caller did not choose one."""
    if outline.name and asked is None:
        yield f"function {quote(outline.name)} computes the outputs; --function '' draws the graph that calls it"
    elif asked is None and functions:
        yield f"{_count(len(functions), 'function')} not drawn: {list_names(functions, 3)}; --function draws one"


def _name_of(outline: Outline, number: int) -> str:
    entry = outline.tree.entries[number]
    return outline.wiring.vertices[entry.node].name if entry.node >= 0 else entry.path or entry.label


@dataclass(slots=True)
class _View:
    """The part of a model to draw. `center` is the vertex in the center of the picture, if any, once it is known."""

    source: ModelSource
    around: str | None
    radius: int
    constants: bool
    status: Mapping[str, Mapping[str, str]] | None
    center: int | None = None
    _outlines: dict[str, Outline] = field(default_factory=dict)

    @property
    def place(self) -> str:
        return f"around {self.around}" if self.around is not None else ""

    def outline_of(self, function: str | None) -> Outline:
        """Return what is drawn: a function, with "" the graph, with None what computes the outputs."""
        if function:
            Facts.of(self.source).functions[function]  # raises for an unknown one
        if function is None:
            is_alone = self.around is not None or self.status is not None
            function = "" if is_alone else main_body(self._whole)
        return self._whole(function) if self.around is None else self._outline(function)

    def _whole(self, name: str) -> Outline:
        if name not in self._outlines:
            self._outlines[name] = self._outline(name)
        return self._outlines[name]

    def _outline(self, name: str) -> Outline:
        changed = None if self.status is None else self.status.get(name, {})
        choose = None if self.around is None else self._choose
        return outline_of(self.source, name, changed=changed, separate=self.constants, choose=choose)

    def _choose(self, wiring: Wiring, hosts: Mapping[int, int]) -> tuple[Mapping[int, int], set[int]]:
        name = node_name(self.around or "")
        names = [vertex.name for vertex in wiring.vertices]
        if name not in names:
            raise GraphError(_unknown_node_text(name, names))
        self.center = names.index(name)
        hosts = {} if self.center in hosts else hosts
        edges = [
            edge._replace(target=hosts.get(edge.target, edge.target))
            for edge in wiring.edges
            if edge.source not in hosts
        ]
        return hosts, find_neighbourhood(edges, self.center, self.radius)


def find_neighbourhood(edges: Sequence[Edge], center: int, radius: int) -> set[int]:
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


def _unknown_node_text(name: str, names: Collection[str]) -> str:
    inside = [node for node in names if node.startswith(f"{name}/")]
    if inside:
        return f"{quote(name)} is a scope, not a node; in it are {list_names(inside, 3)}"
    return f"there is no node {quote(name)}{guess(name, [*names])}"


class _Shapes:
    """The shapes of tensors as text, empty if unknown. Shapes are inferred on first use.

    In a function, shapes are those of the first call in the graph.
    """

    def __init__(self, source: ModelSource, function: str) -> None:
        self._source = source
        self._function = function

    def __call__(self, tensor: str) -> str:
        shapes = self._shapes
        shape = shapes.get(tensor) if shapes is not None else None
        return "" if shape is None else f"[{','.join('?' if size is None else str(size) for size in shape)}]"

    @cached_property
    def _shapes(self) -> Shapes | None:
        facts = Facts.of(self._source)
        shapes = infer_shapes(facts.index, trust_output_shapes=True)
        if not self._function:
            return shapes
        callers = (node for node in facts.index.nodes if self._function in facts.functions.called_by(node))
        caller = next(callers, None)
        return None if caller is None else shapes.inside(caller).get(self._function)


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
