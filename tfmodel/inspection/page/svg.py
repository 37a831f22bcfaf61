"""Write the first picture of a page as an SVG document.

Widths of texts are estimated, since there is no font to measure them with.
"""

from __future__ import annotations

import itertools
from html import escape as html_escape
from math import ceil, log2

from ...graph.index import garbage_collector_paused
from ...io.terminal import escape
from ...source import Given, ModelSource, Tags
from .data import page_data
from .document import title_of, weight_rows
from .families import INPUTS, families, family_of, light_colours
from .layered import Point, Size
from .scene import GROUP, PART, STACK, Box, Line, Tree, lay_out, main_body

__all__ = ["svg"]

FONT = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif"
MAX_LABEL, MAX_LINE, MAX_BOX_WIDTH = 34, 42, 280
MARKS = {GROUP: "\N{SQUARED PLUS} ", STACK: "\N{IDENTICAL TO} ", PART: "\N{MIDLINE HORIZONTAL ELLIPSIS} "}
LINE_HEIGHT = 14.4
STUB = 14


def svg(model: Given, *, tags: Tags = None) -> bytes:
    """Return the first picture of a model's page as an SVG document.

    It needs no font and no other file. Equal input gives equal bytes. Raises the errors of `load`.
    """
    source = ModelSource.of(model, tags=tags)
    with garbage_collector_paused(), source.unchanged():
        weights, _ = weight_rows(source, "none")
        with source.naming():
            header, columns = page_data(source)
        tree = Tree(header | {"weights": weights}, columns, main_body(header, columns))
        return _Picture(tree).document(title_of(source)).encode("utf-8", "replace")


class _Picture:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.colours = light_colours()
        self.ends = {*tree.header["ends"]["inputs"], *tree.header["ends"]["outputs"]}

    def document(self, title: str) -> str:
        scene = lay_out(self.tree, self.size, lambda entry: _width(self.frame_title(entry), 12, is_bold=True))
        frames = [box for box in scene.boxes if box.is_open]
        parts = [self.frame(box) for box in frames]
        parts += [part for line in scene.lines for part in self.line(line)]
        parts += [part for box in scene.boxes if not box.is_open for part in self.box(box)]
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
        is_end = node in self.ends
        rim, rim_width = (families()[INPUTS][0], 2) if is_end else ("#b9bdc4", 1)
        parts.append(_rect(box.x, box.y, box.width, box.height, 5 if node >= 0 else 6, colours["box"], rim, rim_width))
        ops = (
            [self.tree.op(node)]
            if node >= 0
            else sorted(self.tree.ops_in(box.entry), key=lambda op: (family_of(op), op))
        )
        colour = families()[family_of(ops[0] if ops else "Const")][0]
        parts.append(_rect(box.x + 4, box.y + 5, 4, box.height - 10, 2, colour))
        lines = self.lines_of(box.entry)
        first = box.y + box.height / 2 - (len(lines) - 1) * LINE_HEIGHT / 2 + 4
        for place, line in enumerate(lines):
            size, colour = (10.5, colours["soft"]) if place else (12, colours["text"])
            text = _fitted(line, box.width - 20, size, is_bold=not place)
            parts.append(_label(box.x + 14, first + place * LINE_HEIGHT, size, colour, text, is_bold=not place))
        full = _text(self.tree.header["names"][node] if node >= 0 else self.tree.header["labels"][box.entry])
        return [f"<g><title>{full}</title>", *parts, "</g>"]

    def line(self, line: Line) -> list[str]:
        width = min(4.0, 1 + log2(max(1, line.tensors)) * 0.5) if not line.control else 1.0
        dash = ' stroke-dasharray="3 4" opacity="0.7"' if line.control else ""
        colour = self.colours["edge"]
        path = f'<path d="{_curve(line)}" fill="none" stroke="{colour}" stroke-width="{_digits(width)}"{dash}/>'
        return [path, _arrow(line.points, colour)] if line.has_arrow else [path]


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
    x: float, y: float, width: float, height: float, radius: int, fill: str, stroke: str = "", stroke_width: int = 1
) -> str:
    place = f'x="{_digits(x)}" y="{_digits(y)}" width="{_digits(width)}" height="{_digits(height)}" rx="{radius}"'
    line = f' stroke="{stroke}" stroke-width="{stroke_width}"' if stroke else ""
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


def _short(number: int) -> str:
    """Return a number in about four characters: 1.2k, 25.6M."""
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size:
            return f"{number / size:.3g}{unit}" if number < 999.5 * size else f"{number / size:,.0f}{unit}"
    return str(number)
