"""Write boxes and bundles as a Graphviz document: scopes are frames, control edges dashed, families coloured.

The document uses a small part of Graphviz's language, https://graphviz.org/doc/info/lang.html:

    digraph "a title" {
      node [shape="box"];
      subgraph "cluster 1" {
        label="block_1";
        "block_1/conv" [label="conv\\nConv2D"];
      }
      "x" -> "block_1/conv" [label="[?,4]"];
    }

All text from a graph is in quotes, where Graphviz has only one escape, that of the quote itself; labels are then parsed
again, for backslashes and for entities such as `&lt;`. Control characters become visible escapes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import log2

from ...io.terminal import printable
from ...ops.traits import NEXT_ITERATION
from .boxes import Box, Bundle, Path
from .labels import bundle_text, family_of_box, shortened
from .vertices import Vertex

__all__ = ["Sheet", "attribute_list", "block_lines", "indented", "quoted_id", "quoted_label", "write_document"]


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
_COLUMN = 6  # boxes in a column of hubs
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
    """The content of a picture.

    lines      the text of each box
    hubs       the boxes that are drawn aside, with the number of boxes that each is linked with
    center     the vertex in the center of the picture, if any
    """

    title: str
    vertices: Sequence[Vertex]
    boxes: Sequence[Box]
    bundles: Sequence[Bundle]
    lines: Sequence[Sequence[str]]
    shape_of: Callable[[str], str]
    hubs: Mapping[int, int] = field(default_factory=dict)
    center: int | None = None


def write_document(sheet: Sheet) -> str:
    """Return the document. The same graph gives the same text."""
    names = _names(sheet)
    lines = [
        f"graph{_label_attributes(_GRAPH | {'label': sheet.title})};",
        f"node{_label_attributes(_NODE)};",
        f"edge{_label_attributes(_EDGE)};",
    ]
    statements = [indented(line, 1) for line in lines]
    statements += _frame_lines(sheet, names)
    if sheet.hubs:
        statements += block_lines("subgraph cluster_aside", _hub_lines(sheet, names), 1)
    statements += [
        indented(_edge_line(bundle, sheet, names), 1)
        for bundle in sheet.bundles
        if not {bundle.source, bundle.target} & sheet.hubs.keys()
    ]
    return "".join(f"{line}\n" for line in block_lines(f"digraph {quoted_id(sheet.title)}", statements, 0))


def _label_attributes(pairs: Mapping[str, object]) -> str:
    return attribute_list({name: quoted_label(str(value).split("\n")) for name, value in pairs.items()})


def _names(sheet: Sheet) -> list[str]:
    """Return the names of boxes in the document: those in the graph, if they are plain and unique."""
    names: dict[str, int] = {}
    for number, box in enumerate(sheet.boxes):
        name = f"{box.name}/*" if box.kind == "scope" else box.name
        if not _is_plain(name) or name in names or len(name) > 1000:
            name = f"box {number}"
        names[name] = number
    return [quoted_id(name) for name in names]


# --- boxes -----------------------------------------------------------------------------------------------------------


def _frame_lines(sheet: Sheet, names: list[str]) -> Iterator[str]:
    """Yield the boxes, each in the frames of its path. A frame is in the place of its first box."""
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
            yield indented(f"graph{_label_attributes(_FRAME | {'label': shortened(path[-1])})};", indent)
        for item in inside[path]:
            if isinstance(item, int):
                yield indented(_box_line(item, sheet, names), indent)
            else:
                yield from block_lines(f"subgraph cluster_{numbers[item]}", content(item), indent)

    return content(())


def _hub_lines(sheet: Sheet, names: list[str]) -> Iterator[str]:
    yield indented(f"graph{_label_attributes(_FRAME | {'label': _ASIDE, 'style': 'dashed'})};", 2)
    for number in sheet.hubs:
        yield indented(_box_line(number, sheet, names), 2)
    for place, (above, below) in enumerate(pairwise(sheet.hubs), 1):  # in columns: Graphviz would make one row
        if place % _COLUMN:
            yield indented(f'{names[above]} -> {names[below]} [style="invis"];', 2)


def _box_line(number: int, sheet: Sheet, names: list[str]) -> str:
    box = sheet.boxes[number]
    vertex = sheet.vertices[box.members[0]]
    lines = list(sheet.lines[number])
    if number in sheet.hubs:
        lines.append(f"linked with {sheet.hubs[number]:,} boxes")
    family = family_of_box(box, sheet.vertices)
    drawn = {"label": quoted_label(lines), "tooltip": quoted_label([box.name])}
    if family.colour != _NODE["fillcolor"]:
        drawn["fillcolor"] = quoted_id(family.colour)
    kind = vertex.kind if box.kind == "node" else box.kind
    drawn |= {name: quoted_id(value) for name, value in _KINDS.get(kind, {}).items()}
    if sheet.center in box.members:
        drawn |= {"penwidth": "3", "color": quoted_id("#cc0000")}
    return f"{names[number]}{attribute_list(drawn)};"


# --- edges -----------------------------------------------------------------------------------------------------------


def _edge_line(bundle: Bundle, sheet: Sheet, names: list[str]) -> str:
    drawn = {}
    if text := bundle_text(bundle, sheet.shape_of):
        drawn["label"] = quoted_label([text])
    if bundle.control:
        drawn |= {"style": '"dashed"', "color": '"#aaaaaa"'}
    elif len(bundle.edges) > 1:
        drawn["penwidth"] = f"{min(4.0, 1 + log2(len(bundle.edges)) / 2):.1f}"
    if all(sheet.vertices[edge.source].op in NEXT_ITERATION for edge in bundle.edges):
        drawn["constraint"] = "false"  # the back edge of a loop goes up
    return f"{names[bundle.source]} -> {names[bundle.target]}{attribute_list(drawn)};"


def quoted_id(text: str) -> str:
    """Return a name in quotes. Different printable names stay different."""
    return '"' + printable(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def quoted_label(lines: Iterable[str]) -> str:
    """Return lines of text, centered, as a label in quotes."""
    return '"' + "\\n".join(_escaped(line) for line in lines) + '"'


def _escaped(line: str) -> str:
    return printable(line).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


def attribute_list(pairs: Mapping[str, str]) -> str:
    """Return `[a="1", b="2"]` for values in the syntax of the language; empty without values."""
    return f" [{', '.join(f'{name}={value}' for name, value in pairs.items())}]" if pairs else ""


def indented(text: str, indent: int) -> str:
    """Return a line with two blanks per level of indentation."""
    return f"{'  ' * indent}{text}"


def block_lines(head: str, lines: Iterable[str], indent: int) -> Iterator[str]:
    """Yield a head and statements in braces."""
    yield indented(f"{head} {{", indent)
    yield from lines
    yield indented("}", indent)
