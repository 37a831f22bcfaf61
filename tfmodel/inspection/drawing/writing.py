"""Boxes and bundles of edges as a Graphviz document: scopes are frames, control edges dashed, families coloured."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import log2

from ...graph.control_flow import NEXT_ITERATION
from . import dot
from .bundling import Bundle
from .folding import Box, Path
from .labels import bundle_text, family_of_box, shortened
from .wiring import Vertex

__all__ = ["Sheet", "document"]

_is_plain = re.compile(r"[\w./>*-]+", re.ASCII).fullmatch

_GRAPH = {"fontname": "Helvetica", "fontsize": 11, "nodesep": 0.2, "ranksep": 0.3, "labelloc": "t"}
_NODE = {
    "shape": "box",
    "style": "rounded,filled",
    "fillcolor": "#ffffff",
    "color": "#888888",
    "fontname": "Helvetica",
    "fontsize": 10,
    "margin": "0.1,0.05",
    "height": 0.3,
}
_EDGE = {"fontname": "Helvetica", "fontsize": 8, "color": "#555555", "fontcolor": "#555555", "arrowsize": 0.6}
_FRAME = {"style": "rounded", "color": "#bbbbbb", "fontcolor": "#666666", "labeljust": "l"}
_ASIDE = "set aside: linked with most others"
_COLUMN = 6  # boxes
_KINDS: dict[str, dict[str, str]] = {
    "scope": {"shape": "box3d", "style": "filled"},
    "series": {"shape": "box3d", "style": "filled"},
    "part": {"shape": "box3d", "style": "filled"},
    "argument": {"shape": "ellipse"},
    "result": {"shape": "ellipse", "fillcolor": "#d9ead3"},
    "missing": {"color": "#cc0000", "fontcolor": "#cc0000", "style": "dashed"},
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is to be drawn.

    lines      what stands in each box
    hubs       the boxes that stand aside, with how many others each is linked
    center     the vertex that the picture is about, if it is about one
    """

    title: str
    vertices: Sequence[Vertex]
    boxes: Sequence[Box]
    bundles: Sequence[Bundle]
    lines: Sequence[Sequence[str]]
    shape_of: Callable[[str], str]
    hubs: Mapping[int, int] = field(default_factory=dict)
    center: int | None = None


def document(sheet: Sheet) -> str:
    """The whole of it. The same graph gives the same text."""
    names = _names(sheet)
    lines = [f"graph{_literal(_GRAPH | {'label': sheet.title})};", f"node{_literal(_NODE)};", f"edge{_literal(_EDGE)};"]
    statements = [dot.statement(line, 1) for line in lines]
    statements += _frames(sheet, names)
    if sheet.hubs:
        statements += dot.block("subgraph cluster_aside", _aside(sheet, names), 1)
    statements += [
        dot.statement(_edge(bundle, sheet, names), 1)
        for bundle in sheet.bundles
        if not {bundle.source, bundle.target} & sheet.hubs.keys()
    ]
    return "".join(f"{line}\n" for line in dot.block(f"digraph {dot.identifier(sheet.title)}", statements, 0))


def _literal(pairs: Mapping[str, object]) -> str:
    return dot.attributes({name: dot.label(str(value).split("\n")) for name, value in pairs.items()})


def _names(sheet: Sheet) -> list[str]:
    """What the document calls the boxes: as the graph does, where such a name is plain and is there once."""
    names: dict[str, int] = {}
    for number, box in enumerate(sheet.boxes):
        name = f"{box.name}/*" if box.kind == "scope" else box.name
        if not _is_plain(name) or name in names or len(name) > 1000:
            name = f"box {number}"
        names[name] = number
    return [dot.identifier(name) for name in names]


# --- boxes -----------------------------------------------------------------------------------------------------------


def _frames(sheet: Sheet, names: list[str]) -> Iterator[str]:
    """The boxes, each in the frames of its path. Frames stand where their first box does."""
    inside: dict[Path, dict[Path | int, None]] = {(): {}}
    for number, box in enumerate(sheet.boxes):
        if number not in sheet.hubs:
            for end in range(len(box.path)):
                inside.setdefault(box.path[:end], {})[box.path[: end + 1]] = None
            inside.setdefault(box.path, {})[number] = None
    numbers = {path: number for number, path in enumerate(inside)}

    def content(path: Path) -> Iterator[str]:
        indent = len(path) + 1
        if path:
            yield dot.statement(f"graph{_literal(_FRAME | {'label': shortened(path[-1])})};", indent)
        for item in inside[path]:
            if isinstance(item, int):
                yield dot.statement(_box(item, sheet, names), indent)
            else:
                yield from dot.block(f"subgraph cluster_{numbers[item]}", content(item), indent)

    return content(())


def _aside(sheet: Sheet, names: list[str]) -> Iterator[str]:
    yield dot.statement(f"graph{_literal(_FRAME | {'label': _ASIDE, 'style': 'dashed'})};", 2)
    for number in sheet.hubs:
        yield dot.statement(_box(number, sheet, names), 2)
    for place, (above, below) in enumerate(pairwise(sheet.hubs), 1):  # in columns: Graphviz would make one row
        if place % _COLUMN:
            yield dot.statement(f'{names[above]} -> {names[below]} [style="invis"];', 2)


def _box(number: int, sheet: Sheet, names: list[str]) -> str:
    box = sheet.boxes[number]
    vertex = sheet.vertices[box.members[0]]
    lines = list(sheet.lines[number])
    if number in sheet.hubs:
        lines.append(f"linked with {sheet.hubs[number]:,} boxes")
    family = family_of_box(box, sheet.vertices)
    drawn = {"label": dot.label(lines), "tooltip": dot.label([box.name])}
    if family.colour != _NODE["fillcolor"]:
        drawn["fillcolor"] = dot.identifier(family.colour)
    kind = vertex.kind if box.kind == "node" else box.kind
    drawn |= {name: dot.identifier(value) for name, value in _KINDS.get(kind, {}).items()}
    if sheet.center in box.members:
        drawn |= {"penwidth": "3", "color": dot.identifier("#cc0000")}
    return f"{names[number]}{dot.attributes(drawn)};"


# --- edges -----------------------------------------------------------------------------------------------------------


def _edge(bundle: Bundle, sheet: Sheet, names: list[str]) -> str:
    drawn = {}
    if text := bundle_text(bundle, sheet.shape_of):
        drawn["label"] = dot.label([text])
    if bundle.control:
        drawn |= {"style": '"dashed"', "color": '"#aaaaaa"'}
    elif len(bundle.edges) > 1:
        drawn["penwidth"] = f"{min(4.0, 1 + log2(len(bundle.edges)) / 2):.1f}"
    if all(sheet.vertices[edge.source].op in NEXT_ITERATION for edge in bundle.edges):
        drawn["constraint"] = "false"  # the way back of a loop goes up
    return f"{names[bundle.source]} -> {names[bundle.target]}{dot.attributes(drawn)};"
