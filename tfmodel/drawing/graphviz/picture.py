"""`draw`: choose the part of a graph to draw, and fold it until the picture is readable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ...analysis.choice import Choice, choose_if_readable
from ...errors import GraphError
from ...graph import Functions, GraphIndex
from ...graph.error_text import guess, list_names, quote
from ...source.model_source import ModelSource
from ...values.names import node_name
from ..wiring import Vertex, Wiring, build_wiring, find_inline_constants
from .boxes import (
    Box,
    all_scopes,
    bundle_edges,
    find_hubs,
    find_neighbourhood,
    fold,
    join_by_prefix,
    join_neighbours,
    join_series,
    scope_of,
)
from .dot import Sheet, box_lines, write_document

if TYPE_CHECKING:
    from ...analysis.shapes import Shapes
    from ...messages import GraphDef

__all__ = ["MAX_BOXES", "Picture", "draw", "picture"]

MAX_BOXES = 60
MIN_BOXES = 10  # with fewer boxes, a picture shows little if one of them has most nodes
DOMINANT_SHARE = 0.75  # the share of the nodes that counts as most of them
SLOW_BOXES = 500  # with more boxes, Graphviz takes minutes, and the picture is unreadable


@dataclass(frozen=True, slots=True)
class Picture:
    """A Graphviz document, with the number of its boxes and notes on what it does not show."""

    dot: str
    boxes: int
    notes: tuple[str, ...] = ()


def draw(
    graph: GraphDef,
    *,
    depth: int | None = None,
    around: str | None = None,
    radius: int = 2,
    function: str | None = None,
    constants: bool = False,
    all_edges: bool = False,
    title: str = "",
) -> str:
    """Return a picture of a graph as a Graphviz document: `dot -Tsvg graph.dot -o graph.svg` renders it.

    depth        the depth at which scopes are folded; default: a depth with at most 60 boxes
    around       draw only nodes at most `radius` edges away from this node
    function     draw this function of the library, not the graph
    constants    draw constants as boxes, not inside their consumers
    all_edges    also draw the edges of boxes that are linked with very many others

    Likely inputs and outputs of the graph have thick green frames; a function is drawn without them. Raises GraphError
    for an unknown node or function, ValueError for an invalid depth or radius.
    """
    return picture(
        graph,
        depth=depth,
        around=around,
        radius=radius,
        function=function,
        constants=constants,
        all_edges=all_edges,
        title=title,
    ).dot


def picture(
    graph: GraphDef,
    *,
    depth: int | None = None,
    around: str | None = None,
    radius: int = 2,
    function: str | None = None,
    constants: bool = False,
    all_edges: bool = False,
    title: str = "",
    endpoints: Choice | None = None,
) -> Picture:
    """Return the picture of `draw` with notes on the parts that it does not show.

    `endpoints` are the inputs and outputs of the model that the graph is part of; default: the likely ones of the
    graph.
    """
    if (depth is not None and depth < 1) or radius < 0:
        raise ValueError(f"depth must be >= 1 and radius >= 0, got {depth} and {radius}")
    functions = Functions(graph.library)
    body = graph if function is None else functions[function]
    view = _view(build_wiring(body), constants, around, radius)
    boxes, notes = _boxes(view, depth)
    box_of = {number: box_number for box_number, box in enumerate(boxes) for number in box.members}
    edges = bundle_edges(view.wiring.edges, box_of)
    aside = {} if all_edges or around is not None else find_hubs(boxes, edges)
    inline_constants = _constants_of(view)
    if function is None and endpoints is None:
        endpoints = choose_if_readable(ModelSource(graph))
    sheet = Sheet(
        title=title or ("graph" if function is None else f"function {function}"),
        vertices=view.wiring.vertices,
        boxes=boxes,
        bundles=edges,
        lines=[
            box_lines(box, view.wiring.vertices, inline_constants.get(box.members[0], ()), functions) for box in boxes
        ],
        shape_of=_Shapes(graph, function, functions),
        hubs=aside,
        center=view.center,
        ends=_vertices_of(endpoints, view.wiring.index) if function is None else frozenset(),
    )
    if view.hidden:
        notes.append(f"{_count(len(view.hidden), 'constant')} without a box; --constants draws them")
    if aside:
        names = list_names([boxes[number].name for number in aside], 8)
        notes.append(f"linked with most others, and so without edges: {names}; --all-edges draws them")
    if len(boxes) > SLOW_BOXES:
        notes.append(f"{len(boxes):,} boxes take dot long to lay out; sfdp is faster, --around shows a part")
    if functions and function is None:
        notes.append(
            f"{_count(len(functions), 'function')} not drawn: {list_names(functions, 3)}; --function draws one"
        )
    return Picture(write_document(sheet), len(boxes), tuple(notes))


def _vertices_of(endpoints: Choice | None, index: GraphIndex) -> frozenset[int]:
    """Return the numbers of the vertices that are inputs and outputs."""
    names = endpoints.nodes if endpoints is not None else ()
    return frozenset(index.positions[name] for name in names if name in index.positions)


# --- choice of boxes -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _View:
    """The vertices of a graph that are drawn.

    hidden    the vertices that are drawn inside their consumers, with the constant that each stands for
    center    the vertex in the center of the picture, if any
    """

    wiring: Wiring
    chosen: list[int]
    hidden: Mapping[int, int]
    center: int | None = None


def _view(wiring: Wiring, constants: bool, around: str | None, radius: int) -> _View:
    hidden = {} if constants else find_inline_constants(wiring.vertices, wiring.edges)
    if around is None:
        return _View(wiring, [number for number in range(len(wiring.vertices)) if number not in hidden], hidden)
    name = node_name(around)
    center = next((number for number, vertex in enumerate(wiring.vertices) if vertex.name == name), None)
    if center is None:
        raise GraphError(_unknown_node_text(name, [vertex.name for vertex in wiring.vertices]))
    if center in hidden:
        hidden = {}
    near = find_neighbourhood([e for e in wiring.edges if not {e.source, e.target} & hidden.keys()], center, radius)
    visible = {edge.source for edge in wiring.edges if edge.target in near and edge.source in hidden}
    return _View(wiring, sorted(near), {number: hidden[number] for number in sorted(visible)}, center)


def _unknown_node_text(name: str, names: list[str]) -> str:
    inside = [node for node in names if node.startswith(f"{name}/")]
    if inside:
        return f"{quote(name)} is a scope, not a node; in it are {list_names(inside, 3)}"
    return f"there is no node {quote(name)}{guess(name, names)}"


def _constants_of(view: _View) -> dict[int, list[tuple[str, Vertex]]]:
    """Return the constants that are drawn inside each vertex, with the last part of their names."""
    constants: dict[int, list[tuple[str, Vertex]]] = {}
    for edge in view.wiring.edges:
        if edge.source in view.hidden and not edge.control:
            constant = view.wiring.vertices[view.hidden[edge.source]]
            constants.setdefault(edge.target, []).append((constant.name.rpartition("/")[2], constant))
    return constants


# --- depth of folding ------------------------------------------------------------------------------------------------


def _boxes(view: _View, depth: int | None) -> tuple[list[Box], list[str]]:
    """Return the boxes, and sentences that describe the folding."""
    scopes = all_scopes(view.wiring.vertices)
    center = None if view.center is None else view.wiring.vertices[view.center]
    opened = () if center is None else scope_of(center.name, scopes)

    def fold_at(depth: int | None) -> list[Box]:
        return fold(view.wiring.vertices, view.chosen, scopes, depth, opened)

    boxes = fold_at(depth)
    if depth is not None or len(boxes) <= MAX_BOXES:
        return boxes, _folding_note(view, boxes, f"folded at depth {depth}")
    fitting, deeper, next_depth = None, fold_at(1), 1
    while len(deeper) <= MAX_BOXES:
        fitting, deeper, next_depth = deeper, fold_at(next_depth + 1), next_depth + 1
    more = f"--depth {next_depth} gives {len(deeper):,}"
    if fitting is not None:
        if len(fitting) >= MIN_BOXES or max(len(box.members) for box in fitting) < DOMINANT_SHARE * len(view.chosen):
            return fitting, _folding_note(view, fitting, f"folded at depth {next_depth - 1}; {more}")
        boxes, how = _reduce_boxes(view, deeper)
        return boxes, _folding_note(view, boxes, f"{how}; {more}, --depth {next_depth - 1} {len(fitting):,}")
    boxes = join_series(deeper, MAX_BOXES, view.wiring.index)
    how = "folded at depth 1 and joined where names differ only in numbers"
    if len(boxes) > MAX_BOXES:
        boxes, how = join_neighbours(boxes, MAX_BOXES, _ranks(view.wiring)), f"{how}, then with neighbours"
    return boxes, _folding_note(view, boxes, f"{how}; {more}")


def _reduce_boxes(view: _View, boxes: list[Box]) -> tuple[list[Box], str]:
    """Join boxes if one scope has too many of them; return the boxes, and the rule for the note."""
    prefix_boxes = join_by_prefix(boxes, MIN_BOXES, MAX_BOXES, view.wiring.index)
    if prefix_boxes is not None:
        return prefix_boxes, "joined where names have the same beginning"
    return join_neighbours(boxes, MAX_BOXES, _ranks(view.wiring)), "neighbours joined"


def _folding_note(view: _View, boxes: list[Box], how: str) -> list[str]:
    if all(box.kind == "node" for box in boxes):
        return []
    return [f"{_count(len(view.chosen), 'node')} in {_count(len(boxes), 'box', 'boxes')}, {how}"]


def _ranks(wiring: Wiring) -> list[int]:
    """Return the position of each vertex in execution order. Arguments come first; nodes in cycles and results last."""
    ranks = [len(wiring.vertices)] * len(wiring.vertices)
    for rank, position in enumerate(wiring.index.forward_order):
        ranks[position] = rank
    return [-1 if vertex.kind == "argument" else rank for vertex, rank in zip(wiring.vertices, ranks, strict=True)]


# --- shapes ----------------------------------------------------------------------------------------------------------


class _Shapes:
    """The shapes of tensors as text, empty if unknown. Shapes are inferred on first use.

    In a function, shapes are those of the first call in the graph.
    """

    def __init__(self, graph: GraphDef, function: str | None, functions: Functions) -> None:
        self._graph = graph
        self._function = function
        self._functions = functions

    def __call__(self, tensor: str) -> str:
        shapes = self._shapes
        shape = shapes.get(tensor) if shapes is not None else None
        return "" if shape is None else f"[{','.join('?' if size is None else str(size) for size in shape)}]"

    @cached_property
    def _shapes(self) -> Shapes | None:
        from ...analysis.shapes import infer_shapes

        shapes = infer_shapes(self._graph, trust_output_shapes=True)
        if self._function is None:
            return shapes
        callers = (node for node in self._graph.node if self._function in self._functions.called_by(node))
        caller = next(callers, None)
        return None if caller is None else shapes.inside(caller).get(self._function)


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
