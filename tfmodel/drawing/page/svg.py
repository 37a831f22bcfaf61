"""Write the first picture of a page as an SVG document.

Widths of texts are estimated, since there is no font to measure them with.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape as html_escape
from math import ceil, log2, sqrt
from typing import Any

from ...graph.index import garbage_collector_paused
from ...source.model_source import Given, ModelSource, Tags, source_pair
from ...values.terminal import escape
from ..families import FAMILIES, INPUTS, family_of
from ..outlines import title_of
from .data import numbers_of_nodes, page_data
from .document import decode_nodes, number_nodes, page_file, weight_rows
from .layered import Point, Size
from .scene import GROUP, PART, STACK, Box, Line, Tree, lay_out

__all__ = ["light_colours", "svg"]

FONT = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif"
MAX_LABEL, MAX_LINE, MAX_BOX_WIDTH = 34, 42, 280
MARKS = {GROUP: "\N{SQUARED PLUS} ", STACK: "\N{IDENTICAL TO} ", PART: "\N{MIDLINE HORIZONTAL ELLIPSIS} "}
LINE_HEIGHT = 14.4
STUB = 14
SIGNS = {"added": "+", "removed": "\N{MINUS SIGN}", "changed": "\N{NOT EQUAL TO}"}


def svg(
    model: Given,
    other: Given | None = None,
    *,
    tags: Tags = None,
    overlay: Mapping[str, float] | None = None,
    overlay_unit: str = "",
) -> bytes:
    """Return the first picture of a model's page as an SVG document; with `other`, that of the difference to it.

    overlay    a number for each node, which colours it; `overlay_unit` is shown behind it

    It needs no font and no other file. Equal input gives equal bytes. Raises the errors of `load`.
    """
    facts: dict[str, Any] = {}
    changed = None
    with garbage_collector_paused():
        if other is None:
            source = ModelSource.of(model, tags=tags)
            title = title_of(source)
        else:
            from ..difference import changed_nodes, compare

            first, second = source_pair(model, other, tags=tags)
            source, facts["difference"] = compare(first, second)
            changed = changed_nodes(facts["difference"])
            title = f"{title_of(first)} \N{RIGHTWARDS ARROW} {title_of(second)}"
        if overlay:
            facts["overlay"] = {"unit": overlay_unit, "values": overlay}
        decode_nodes(source)
        with source.unchanged():
            facts["weights"], _ = weight_rows(source, "none")
            with source.naming():
                header, columns = page_data(source, changed)
                number_nodes(facts, numbers_of_nodes(source, header))
        return _Picture(Tree(header | facts, columns, header["main"])).document(title).encode("utf-8", "replace")


class _Picture:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.colours = light_colours()
        self.most = 0.0  # of the numbers of an overlay
        self.ends = {*tree.header["ends"]["inputs"], *tree.header["ends"]["outputs"]}

    def document(self, title: str) -> str:
        scene = lay_out(self.tree, self.size, lambda entry: _width(self.frame_title(entry), 12, is_bold=True))
        frames = [box for box in scene.boxes if box.is_open]
        parts = [self.frame(box) for box in frames]
        parts += [part for line in scene.lines for part in self.line(line)]
        closed = [box for box in scene.boxes if not box.is_open]
        self.most = max((abs(self.tree.heat.get(box.entry, 0.0)) for box in closed), default=0.0)
        parts += [part for box in closed for part in self.box(box)]
        parts += self.line_labels(scene.lines)
        width, height = scene.width + 20, scene.height + 20
        size = (
            f'width="{_digits(width)}" height="{_digits(height)}" viewBox="-10 -10 {_digits(width)} {_digits(height)}"'
        )
        back = f'<rect x="-10" y="-10" width="100%" height="100%" fill="{self.colours["back"]}"/>'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}">\n<title>{_text(title)}</title>'
        return "\n".join([head, back, *parts, "</svg>", ""])

    # --- texts and sizes ---

    def label(self, entry: int, limit: int) -> str:
        mark = MARKS.get(self.tree.kind(entry), "")
        return mark + _shortened(self.tree.header["labels"][entry], limit)

    def frame_title(self, entry: int) -> str:
        return "" if entry == self.tree.root else self.label(entry, 40)

    def lines_of(self, entry: int) -> list[str]:
        """Return the lines of a closed box: its name; its op, or number of nodes; main ops, and parameters."""
        label, node = self.label(entry, MAX_LABEL), self.tree.node(entry)
        if node >= 0:
            op, output = self.tree.op(node), self.tree.output_text(node)
            facts = [fact for fact in (op if op != label else "", output) if fact]
            return [label, _shortened(" \N{MIDDLE DOT} ".join(facts), MAX_LINE)] if facts else [label]
        count = self.tree.size[entry]
        nodes = f"{count:,} node{'' if count == 1 else 's'}" if count else f"{len(self.tree.children[entry]):,} values"
        parameters = self.tree.parameters[entry]
        ops = sorted(self.tree.ops_in(entry).items(), key=lambda item: (family_of(item[0]), -item[1], item[0]))[:2]
        return [
            label,
            nodes + (f" \N{MIDDLE DOT} {_short(parameters)} parameters" if parameters else ""),
            _shortened(", ".join(f"{op} {count}" for op, count in ops), MAX_LINE),
        ]

    def size(self, entry: int) -> Size:
        lines = self.lines_of(entry)
        widths = [_width(line, 10.5 if place else 12, is_bold=not place) + 26 for place, line in enumerate(lines)]
        height = 56 if self.tree.node(entry) < 0 else 40 if len(lines) > 1 else 28
        return float(min(MAX_BOX_WIDTH, ceil(max(64, *widths) / 4) * 4)), float(height)

    # --- elements ---

    def frame(self, box: Box) -> str:
        fill = self.colours["frame" if self.tree.depth[box.entry] % 2 else "back"]
        title = _label(box.x + 12, box.y + 17, 12, self.colours["soft"], self.frame_title(box.entry), is_bold=True)
        return f"{_rect(box.x, box.y, box.width, box.height, 10, fill, self.colours['line'])}\n{title}"

    def box(self, box: Box) -> list[str]:
        colours, node = self.colours, self.tree.node(box.entry)
        parts = []
        if node < 0:
            back = box.x + 3, box.y + 3, box.width, box.height
            parts.append(_rect(*back, 6, colours["frame"], colours["line"]))
        status, heat = self.tree.status_of(box.entry), self.tree.heat.get(box.entry, 0.0)
        rim, rim_width = (FAMILIES[INPUTS].colour, 2) if node in self.ends else (colours["rim"], 1)
        if status:
            rim, rim_width = colours[status], 2
        place = box.x, box.y, box.width, box.height, 5 if node >= 0 else 6
        parts.append(_rect(*place, colours["box"], rim, rim_width, dash="4 3" if status == "removed" else ""))
        if heat:
            strength = 0.07 + 0.4 * sqrt(abs(heat) / self.most)
            parts.append(_rect(*place, colours["heat"], opacity=strength))
        ops = (
            [self.tree.op(node)]
            if node >= 0
            else sorted(self.tree.ops_in(box.entry), key=lambda op: (family_of(op), op))
        )
        colour = FAMILIES[family_of(ops[0] if ops else "Const")].colour
        parts.append(_rect(box.x + 4, box.y + 5, 4, box.height - 10, 2, colour))
        lines = self.lines_of(box.entry)
        first = box.y + box.height / 2 - (len(lines) - 1) * LINE_HEIGHT / 2 + 4
        for row, line in enumerate(lines):
            size, colour = (10.5, colours["text" if heat else "soft"]) if row else (12, colours["text"])
            text = _fitted(line, box.width - 20, size, is_bold=not row)
            parts.append(_label(box.x + 14, first + row * LINE_HEIGHT, size, colour, text, is_bold=not row))
        badges = []
        if status:
            count = "" if node >= 0 else f"{self.tree.changes[box.entry]:,}"
            badges.append((SIGNS[status] + count, colours[status]))
        if heat:
            badges.append((_short(heat) + self.tree.header["overlay"]["unit"], colours["changed"]))
        parts += self.badges(box, badges)
        full = _text(self.tree.header["names"][node] if node >= 0 else self.tree.header["labels"][box.entry])
        return [f"<g><title>{full}</title>", *parts, "</g>"]

    def badges(self, box: Box, badges: list[tuple[str, str]]) -> Iterator[str]:
        """Yield the badges at the upper right corner of a box, from right to left."""
        right = box.x + box.width
        for text, colour in badges:
            width = _width(text, 10, is_bold=True) + 10
            yield _rect(right - width + 4, box.y - 8, width, 15, 7, colour)
            yield _label(right - width + 9, box.y + 3, 10, self.colours["sign"], text, is_bold=True)
            right -= width + 3

    def line_labels(self, lines: Sequence[Line]) -> Iterator[str]:
        """Yield the labels of lines where they leave their boxes, if there is room."""
        taken: list[tuple[float, float, float]] = []
        for line in lines:
            (x, y), (u, v) = line.points[:2]
            if not line.label or line.control or line.is_stub or abs(v - y) < 20 or abs(u - x) > 60:
                continue
            width = _width(line.label, 9.5, is_bold=False)
            if any(x < right and left < x + width and abs(y - other) < 12 for left, right, other in taken):
                continue
            taken.append((x, x + width, y))
            yield _label(x + 4, y + 12, 9.5, self.colours["soft"], line.label, is_bold=False)

    def line(self, line: Line) -> list[str]:
        width = min(4.0, 1 + log2(max(1, line.tensors)) * 0.5) if not line.control else 1.0
        dash = ' stroke-dasharray="3 4" opacity="0.7"' if line.control else ""
        colour = self.colours["edge"]
        path = f'<path d="{_curve(line)}" fill="none" stroke="{colour}" stroke-width="{_digits(width)}"{dash}/>'
        return [path, _arrow(line.points, colour)] if line.has_arrow else [path]


@cache
def light_colours() -> dict[str, str]:
    """Return the light colours of the page by name, as its style has them."""
    style = page_file("page.css")
    return dict(re.findall(r"--(\w+): (#\w+);", style.partition("dark")[0]))


def _curve(line: Line) -> str:
    """Return the path of a spline through all points with vertical tangents; of a stub, only its two ends."""
    points = line.points
    (x, y), (u, v) = points[0], points[-1]
    if line.is_stub:
        return f"M{_digits(x)} {_digits(y)}v{STUB}M{_digits(u)} {_digits(v - STUB)}v{STUB}"
    parts = [f"M{_digits(x)} {_digits(y)}"]
    for (x, y), (u, v) in itertools.pairwise(points):
        if abs(x - u) < 0.5:
            parts.append(f"L{_digits(u)} {_digits(v)}")
        else:
            bend = (abs(v - y) / 2 or 10) * (1 if v >= y else -1)
            numbers = (x, y + bend, u, v - bend, u, v)
            parts.append("C" + " ".join(map(_digits, numbers)))
    return "".join(parts)


def _arrow(points: list[Point], colour: str) -> str:
    x, y = points[-1]
    height = 7 if y >= points[-2][1] else -7
    return f'<path d="M{_digits(x)} {_digits(y)}l-3.5 {-height}h7z" fill="{colour}"/>'


def _rect(
    x: float,
    y: float,
    width: float,
    height: float,
    radius: int,
    fill: str,
    stroke: str = "",
    stroke_width: int = 1,
    *,
    dash: str = "",
    opacity: float = 1,
) -> str:
    place = f'x="{_digits(x)}" y="{_digits(y)}" width="{_digits(width)}" height="{_digits(height)}" rx="{radius}"'
    line = f' stroke="{stroke}" stroke-width="{stroke_width}"' if stroke else ""
    line += f' stroke-dasharray="{dash}"' if dash else ""
    line += f' fill-opacity="{opacity:.2f}"' if opacity < 1 else ""
    return f'<rect {place} fill="{fill}"{line}/>'


def _label(x: float, y: float, size: float, colour: str, text: str, *, is_bold: bool) -> str:
    weight = ' font-weight="600"' if is_bold else ""
    return f'<text x="{_digits(x)}" y="{_digits(y)}" font-size="{size}"{weight} fill="{colour}">{_text(text)}</text>'


# --- texts -----------------------------------------------------------------------------------------------------------


def _digits(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _text(text: str) -> str:
    """Return a text of a model as the content of an element; characters that could hide or reorder it are escaped."""
    return html_escape(escape(text))


def _shortened(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters; the middle of a longer one is left out."""
    if len(text) <= limit:
        return text
    front = ceil((limit - 1) * 0.6)
    return f"{text[:front]}\N{HORIZONTAL ELLIPSIS}{text[len(text) - (limit - 1 - front) :]}"


def _fitted(text: str, width: float, size: float, *, is_bold: bool) -> str:
    length = len(text)
    while length > 3 and _width(_shortened(text, length), size, is_bold=is_bold) > width:
        length -= 1
    return _shortened(text, length)


_NARROW = frozenset("ijlI.,:;|'!()[]{}/ft r-")


def _width(text: str, size: float, *, is_bold: bool) -> float:
    """Estimate the width of a text, generously: fonts differ."""
    em = 0.0
    for letter in escape(text):
        wide = 0.95 if letter in "mwMW@%" else 0.72 if letter.isupper() else 0.62
        em += 0.36 if letter in _NARROW else wide if letter.isascii() else 1.0
    return em * size * (1.1 if is_bold else 1.0)


def _short(number: float) -> str:
    """Return a number in about four characters: 1.2k, 25.6M."""
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if abs(number) >= size:
            return f"{number / size:.3g}{unit}" if abs(number) < 999.5 * size else f"{number / size:,.0f}{unit}"
    return str(number) if isinstance(number, int) else f"{number:.3g}"
