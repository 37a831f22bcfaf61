"""Write boxes and bundles as a Graphviz document, with labels and colours.

Scopes are frames, control edges are dashed, and the colour of a box shows the family of its ops. Inputs and outputs of
the model have thick frames. The document uses a small part of Graphviz's language,
https://graphviz.org/doc/info/lang.html:

    digraph "a title" {
      node [shape="box"];
      subgraph "cluster 1" {
        label="block_1";
        "block_1/conv" [label="conv\\nConv2D"];
      }
      "x" -> "block_1/conv" [label="[?,4]"];
    }

All text from a graph is in quotes. In quotes, Graphviz has only one escape, for the quote itself. It parses labels a
second time, for backslashes and for entities such as `&lt;`. Control characters become visible escapes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import log2, sqrt
from typing import TYPE_CHECKING

from ...errors import GraphError
from ...graph import attr
from ...messages import TensorProto
from ...ops.traits import ALL_VARIABLES, NEXT_ITERATION
from ...values.formatting import tensor_text, values_text
from ...values.terminal import escape
from ...values.terminal import shorten as without_middle
from ..boxes import Bundle
from ..families import CONSTANTS, FAMILIES, INPUTS, family_of
from ..outlines import Outline
from ..wiring import Vertex

if TYPE_CHECKING:
    from ...graph import Functions

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
_ASIDE = "set aside"
_COLUMN = 6  # boxes in a column of those that stand aside
_KINDS: dict[str, dict[str, str]] = {
    "scope": {"shape": "box3d", "style": "filled"},
    "group": {"shape": "box3d", "style": "filled"},
    "stack": {"shape": "box3d", "style": "filled"},
    "part": {"shape": "box3d", "style": "filled"},
    "argument": {"shape": "ellipse"},
    "result": {"shape": "ellipse"},
    "missing": {"color": "#cc0000", "fontcolor": "#cc0000", "style": "dashed"},
}
_STATUS = {
    "added": ("+", {"color": "#006f50", "penwidth": "2"}),
    "removed": ("\N{MINUS SIGN}", {"color": "#a6360a", "penwidth": "2", "style": "rounded,filled,dashed"}),
    "changed": ("\N{NOT EQUAL TO}", {"color": "#7a5a00", "penwidth": "2"}),
}
"""The sign of a status in a difference, and how the box looks."""

_HEAT = "#e66e14"


@dataclass(frozen=True, slots=True)
class Sheet:
    """The content of a picture. Boxes and frames are entries of the outline's tree.

    opened     the entries that are frames
    aside      the entries that stand aside, with the number of boxes that each is linked with
    center     the vertex in the center of the picture, if any
    ends       the vertices that are inputs or outputs of the model
    status     in a difference of two models, the vertices that differ: "added", "removed" or "changed"
    heat       the numbers that colour vertices, and `unit`, which is shown behind them
    """

    title: str
    outline: Outline
    opened: Collection[int]
    boxes: Sequence[int]
    bundles: Sequence[Bundle]
    functions: Functions
    shape_of: Callable[[str], str]
    aside: Mapping[int, int] = field(default_factory=dict)
    center: int | None = None
    ends: frozenset[int] = frozenset()
    status: Mapping[int, str] = field(default_factory=dict)
    heat: Mapping[int, float] = field(default_factory=dict)
    unit: str = ""

    @property
    def vertices(self) -> Sequence[Vertex]:
        return self.outline.wiring.vertices


def write_document(sheet: Sheet) -> str:
    """Return the document. The same graph gives the same text."""
    return _Writer(sheet).document()


class _Writer:
    def __init__(self, sheet: Sheet) -> None:
        self.sheet, self.tree = sheet, sheet.outline.tree
        self.names = _names(sheet)
        self.clusters = 0
        inside: dict[int, list[int]] = {box: [] for box in sheet.boxes}  # the vertices in each box, hosted ones too
        for vertex, entry in enumerate(self.tree.entry_of):
            while entry >= 0 and entry not in inside:
                entry = self.tree.up[entry]
            if entry >= 0:
                inside[entry].append(vertex)
        self.inside = inside
        self.held = _held(sheet)
        sums = (sum(sheet.heat.get(vertex, 0.0) for vertex in vertices) for vertices in inside.values())
        self.heat = dict(zip(inside, sums, strict=True))
        self.hottest = max(map(abs, self.heat.values()), default=0.0)

    def document(self) -> str:
        sheet = self.sheet
        lines = [
            f"graph{_label_attributes(_GRAPH | {'label': sheet.title})};",
            f"node{_label_attributes(_NODE)};",
            f"edge{_label_attributes(_EDGE)};",
        ]
        statements = [_indent_line(line, 1) for line in lines]
        statements += self.content(0, 1) if sheet.boxes else []
        statements += [_indent_line(self.edge_line(bundle), 1) for bundle in sheet.bundles]
        return "".join(f"{line}\n" for line in _block_lines(f"digraph {quoted_id(sheet.title)}", statements, 0))

    # --- boxes ---

    def content(self, frame: int, indent: int) -> Iterator[str]:
        """Yield the boxes and frames in a frame, and in a frame of their own those that stand aside."""
        children = self.tree.children[frame]
        for child in children:
            if child not in self.sheet.aside:
                yield from self.element(child, indent)
        if aside := [child for child in children if child in self.sheet.aside]:
            self.clusters += 1
            yield from _block_lines(f"subgraph cluster_{self.clusters}", self.aside(aside, indent + 1), indent)

    def element(self, number: int, indent: int) -> Iterator[str]:
        if number not in self.sheet.opened:
            yield _indent_line(self.box_line(number), indent)
            return
        self.clusters += 1
        name = f"subgraph cluster_{self.clusters}"  # before the frames inside are counted
        label = {"label": shorten_label(self.tree.entries[number].label)}
        head = _indent_line(f"graph{_label_attributes(_FRAME | label)};", indent + 1)
        yield from _block_lines(name, [head, *self.content(number, indent + 1)], indent)

    def aside(self, numbers: Sequence[int], indent: int) -> Iterator[str]:
        yield _indent_line(f"graph{_label_attributes(_FRAME | {'label': _ASIDE, 'style': 'dashed'})};", indent)
        for number in numbers:
            yield from self.element(number, indent)
        closed = [number for number in numbers if number not in self.sheet.opened]
        for row, (above, below) in enumerate(pairwise(closed), 1):  # edges make columns, not one row
            if row % _COLUMN:
                yield _indent_line(f'{self.names[above]} -> {self.names[below]} [style="invis"];', indent)

    def box_line(self, number: int) -> str:
        sheet, entry, inside = self.sheet, self.tree.entries[number], self.inside[number]
        lines = self.node_lines(number) if entry.node >= 0 else self.scope_lines(number)
        vertex = sheet.vertices[entry.node] if entry.node >= 0 else None
        attributes = {"fillcolor": quoted_id(_pale(self.colour(number), 0.25))}
        kind = entry.kind if vertex is None else vertex.kind
        attributes |= {name: quoted_id(value) for name, value in _KINDS.get(kind, {}).items()}
        if not sheet.ends.isdisjoint(inside):
            attributes |= {"penwidth": "2", "color": quoted_id("#38761d")}
        changed = [sheet.status[member] for member in inside if member in sheet.status]
        if changed:
            is_one = len({*changed}) == 1 and (vertex is not None or len(changed) == len(inside))
            sign, look = _STATUS[changed[0] if is_one else "changed"]
            attributes |= {name: quoted_id(value) for name, value in look.items()}
            lines.append(sign if vertex is not None else f"{sign}{len(changed):,}")
        if heat := self.heat[number]:
            strength = 0.07 + 0.4 * sqrt(abs(heat) / self.hottest)
            attributes["fillcolor"] = quoted_id(_pale(_HEAT, strength))
            lines.append(f"{_short(heat)}{sheet.unit}")
        if sheet.aside.get(number):
            lines.append(f"linked with {sheet.aside[number]:,} box{'' if sheet.aside[number] == 1 else 'es'}")
        if sheet.center is not None and sheet.center in inside:
            attributes |= {"penwidth": "3", "color": quoted_id("#cc0000")}
        full = vertex.name if vertex is not None else entry.path or entry.label
        texts = {"label": quoted_label(lines), "tooltip": quoted_label([full])}
        return f"{self.names[number]}{_attribute_list(texts | attributes)};"

    def colour(self, number: int) -> str:
        """Return the colour of the family of a node, or of what says most about a scope."""
        node = self.tree.entries[number].node
        if node >= 0:
            vertex = self.sheet.vertices[node]
            return FAMILIES[INPUTS if vertex.node is None else family_of(vertex.op)].colour
        ops = self.tree.ops_in(number)
        return FAMILIES[family_of(ops[0][0]) if ops else CONSTANTS].colour

    def scope_lines(self, number: int) -> list[str]:
        """Return the lines of a closed scope: title, number of nodes, main ops."""
        entry, ops = self.tree.entries[number], self.tree.ops_in(number)
        texts = [f"{count:,} {shorten_label(op)}" if count > 1 else shorten_label(op) for op, count in ops[:MAX_OPS]]
        size = self.tree.sizes[number]
        return [
            shorten_label(f"{entry.label}/" if entry.kind == "scope" else entry.label),
            f"{size:,} node{'' if size == 1 else 's'}",
            *([", ".join([*texts, "..."] if len(ops) > MAX_OPS else texts)] if texts else []),
        ]

    def node_lines(self, number: int) -> list[str]:
        """Return the lines of a node: title, op, called functions, and the values inside with their names."""
        entry = self.tree.entries[number]
        vertex = self.sheet.vertices[entry.node]
        lines = [shorten_label(entry.label)]
        if vertex.op != entry.label:
            lines.append(vertex.op)
        if vertex.node is None:
            return lines
        called = self.sheet.functions.called_by(vertex.node)
        lines += [f"calls {shorten_label(name)}" for name in dict.fromkeys(called)][:MAX_CONSTANTS]
        if vertex.op == "Const":
            lines += _constant_text(vertex)
        held = self.held.get(entry.node, ())
        for name, text in held[:MAX_CONSTANTS]:
            lines.append(f"{shorten_label(name)}: {text}")
        if len(held) > MAX_CONSTANTS:
            more = len(held) - MAX_CONSTANTS
            lines.append(f"and {more:,} more value{'' if more == 1 else 's'}")
        return lines

    # --- edges ---

    def edge_line(self, bundle: Bundle) -> str:
        attributes = {}
        if text := _bundle_text(bundle, self.sheet.shape_of):
            attributes["label"] = quoted_label([text])
        if bundle.control:
            attributes |= {"style": '"dashed"', "color": '"#aaaaaa"'}
        elif len(bundle.edges) > 1:
            attributes["penwidth"] = f"{min(4.0, 1 + log2(len(bundle.edges)) / 2):.1f}"
        if all(self.sheet.vertices[edge.source].op in NEXT_ITERATION for edge in bundle.edges):
            attributes["constraint"] = "false"  # the back edge of a loop goes up
        return f"{self.names[bundle.source]} -> {self.names[bundle.target]}{_attribute_list(attributes)};"


def _names(sheet: Sheet) -> dict[int, str]:
    """Return the names of boxes in the document: their names in the graph, if these are plain and unique."""
    names: dict[str, int] = {}
    for number in sheet.boxes:
        entry = sheet.outline.tree.entries[number]
        name = sheet.vertices[entry.node].name if entry.node >= 0 else f"{entry.path or entry.label}/*"
        if not _is_plain(name) or name in names or len(name) > 1000:
            name = f"box {number}"
        names[name] = number
    return {number: quoted_id(name) for name, number in names.items()}


def _held(sheet: Sheet) -> dict[int, list[tuple[str, str]]]:
    """Return the constants and variables that are drawn inside each vertex, as their names and texts."""
    outline, hosts = sheet.outline, sheet.outline.hosts
    giver: dict[int, int] = {}
    for edge in outline.wiring.edges if hosts else ():
        if edge.target in hosts and not edge.control:
            giver.setdefault(edge.target, edge.source)
    held: dict[int, list[tuple[str, str]]] = {}
    for edge in outline.wiring.edges if hosts else ():
        if edge.control or edge.source not in hosts or edge.target in hosts:
            continue
        number = edge.source
        for _ in range(6):  # an Identity passes the read of a handle on
            number = giver.get(number, number)
        origin = sheet.vertices[number]
        if origin.op == "Const":
            text = " ".join(_constant_text(origin)) or "?"
        else:
            what = "variable" if origin.op in ALL_VARIABLES else origin.op
            text = f"{what} {sheet.shape_of(edge.tensor)}".rstrip()
        held.setdefault(edge.target, []).append((origin.name.rpartition("/")[2], text))
    return held


def _pale(colour: str, strength: float) -> str:
    """Return a colour mixed with white."""
    parts = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - part) * strength):02x}" for part in parts)


def _short(number: float) -> str:
    """Return a number in about four characters: 1.2k, 25.6M."""
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if abs(number) >= size:
            return f"{number / size:.3g}{unit}" if abs(number) < 999.5 * size else f"{number / size:,.0f}{unit}"
    return str(number) if isinstance(number, int) else f"{number:.3g}"


def _label_attributes(pairs: Mapping[str, object]) -> str:
    return _attribute_list({name: quoted_label(str(value).split("\n")) for name, value in pairs.items()})


def quoted_id(text: str) -> str:
    """Return a name in quotes. Different printable names stay different."""
    return '"' + escape(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def quoted_label(lines: Iterable[str]) -> str:
    """Return lines of text, centered, as a label in quotes."""
    return '"' + "\\n".join(_escape(line) for line in lines) + '"'


def _escape(line: str) -> str:
    return escape(line).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


def _attribute_list(pairs: Mapping[str, str]) -> str:
    """Return `[a="1", b="2"]` for values in the syntax of the language; empty without values."""
    return f" [{', '.join(f'{name}={value}' for name, value in pairs.items())}]" if pairs else ""


def _indent_line(text: str, indent: int) -> str:
    """Return a line with two blanks per level of indentation."""
    return f"{'  ' * indent}{text}"


def _block_lines(head: str, lines: Iterable[str], indent: int) -> Iterator[str]:
    """Yield a head and statements in braces."""
    yield _indent_line(f"{head} {{", indent)
    yield from lines
    yield _indent_line("}", indent)


MAX_NAME = 48  # characters
MAX_OPS = 3  # named in the box of a folded scope
MAX_CONSTANTS = 3  # named in the box of a node


def _constant_text(constant: Vertex) -> list[str]:
    """Return dtype, shape and a few values of a constant; empty for a constant without a value."""
    assert constant.node is not None
    try:
        tensor = attr(constant.node, "value", TensorProto)
    except GraphError:
        return []
    return [shorten_label(f"{tensor_text(tensor)} {values_text(tensor)}".rstrip())]


def _bundle_text(bundle: Bundle, shape_of: Callable[[str], str]) -> str:
    """Return the shape of a tensor, or the number of tensors: `[?,224,224,3]`, `3 tensors`; empty if unknown.

    For control edges, return their number; empty if there is only one.
    """
    tensors = {edge.tensor for edge in bundle.edges}
    if bundle.control:
        return f"{len(tensors):,}" if len(tensors) > 1 else ""
    shapes = (
        {shape_of(tensor) for tensor in sorted(tensors)[:MAX_CONSTANTS]} if len(tensors) <= MAX_CONSTANTS else set()
    )
    shape = shapes.pop() if len(shapes) == 1 else ""
    if len(tensors) == 1:
        return shape
    return f"{len(tensors):,} {shape}" if shape else f"{len(tensors):,} tensors"


def shorten_label(text: str) -> str:
    """Return a name, without its middle if it is long."""
    return without_middle(text, MAX_NAME)
