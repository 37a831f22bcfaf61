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

The table of families begins with the families of ops that say most about a part of a model. The label of a scope names
its ops of these first families.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from math import log2
from typing import TYPE_CHECKING, NamedTuple

from ...errors import GraphError
from ...graph import attr
from ...messages import TensorProto
from ...ops.traits import NEXT_ITERATION
from ...values.formatting import tensor_text, values_text
from ...values.terminal import escape
from ...values.terminal import shorten as without_middle
from ..wiring import Vertex
from .boxes import Box, Bundle, Path

if TYPE_CHECKING:
    from ...graph import Functions

__all__ = [
    "Family",
    "Sheet",
    "attribute_list",
    "block_lines",
    "box_lines",
    "bundle_text",
    "family_of",
    "family_of_box",
    "indent_line",
    "quoted_id",
    "quoted_label",
    "shorten_label",
    "write_document",
]


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
    ends       the vertices that are inputs or outputs of the model
    """

    title: str
    vertices: Sequence[Vertex]
    boxes: Sequence[Box]
    bundles: Sequence[Bundle]
    lines: Sequence[Sequence[str]]
    shape_of: Callable[[str], str]
    hubs: Mapping[int, int] = field(default_factory=dict)
    center: int | None = None
    ends: frozenset[int] = frozenset()


def write_document(sheet: Sheet) -> str:
    """Return the document. The same graph gives the same text."""
    names = _names(sheet)
    lines = [
        f"graph{_label_attributes(_GRAPH | {'label': sheet.title})};",
        f"node{_label_attributes(_NODE)};",
        f"edge{_label_attributes(_EDGE)};",
    ]
    statements = [indent_line(line, 1) for line in lines]
    statements += _frame_lines(sheet, names)
    if sheet.hubs:
        statements += block_lines("subgraph cluster_aside", _hub_lines(sheet, names), 1)
    statements += [
        indent_line(_edge_line(bundle, sheet, names), 1)
        for bundle in sheet.bundles
        if not {bundle.source, bundle.target} & sheet.hubs.keys()
    ]
    return "".join(f"{line}\n" for line in block_lines(f"digraph {quoted_id(sheet.title)}", statements, 0))


def _label_attributes(pairs: Mapping[str, object]) -> str:
    return attribute_list({name: quoted_label(str(value).split("\n")) for name, value in pairs.items()})


def _names(sheet: Sheet) -> list[str]:
    """Return the names of boxes in the document: their names in the graph, if these are plain and unique."""
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
            yield indent_line(f"graph{_label_attributes(_FRAME | {'label': shorten_label(path[-1])})};", indent)
        for item in inside[path]:
            if isinstance(item, int):
                yield indent_line(_box_line(item, sheet, names), indent)
            else:
                yield from block_lines(f"subgraph cluster_{numbers[item]}", content(item), indent)

    return content(())


def _hub_lines(sheet: Sheet, names: list[str]) -> Iterator[str]:
    yield indent_line(f"graph{_label_attributes(_FRAME | {'label': _ASIDE, 'style': 'dashed'})};", 2)
    for number in sheet.hubs:
        yield indent_line(_box_line(number, sheet, names), 2)
    for row, (above, below) in enumerate(pairwise(sheet.hubs), 1):  # edges make columns, not one row
        if row % _COLUMN:
            yield indent_line(f'{names[above]} -> {names[below]} [style="invis"];', 2)


def _box_line(number: int, sheet: Sheet, names: list[str]) -> str:
    box = sheet.boxes[number]
    vertex = sheet.vertices[box.members[0]]
    lines = list(sheet.lines[number])
    if number in sheet.hubs:
        lines.append(f"linked with {sheet.hubs[number]:,} boxes")
    family = family_of_box(box, sheet.vertices)
    attributes = {"label": quoted_label(lines), "tooltip": quoted_label([box.name])}
    if family.colour != _NODE["fillcolor"]:
        attributes["fillcolor"] = quoted_id(family.colour)
    kind = vertex.kind if box.kind == "node" else box.kind
    attributes |= {name: quoted_id(value) for name, value in _KINDS.get(kind, {}).items()}
    if not sheet.ends.isdisjoint(box.members):
        attributes |= {"penwidth": "2", "color": quoted_id("#38761d")}
    if sheet.center in box.members:
        attributes |= {"penwidth": "3", "color": quoted_id("#cc0000")}
    return f"{names[number]}{attribute_list(attributes)};"


# --- edges -----------------------------------------------------------------------------------------------------------


def _edge_line(bundle: Bundle, sheet: Sheet, names: list[str]) -> str:
    attributes = {}
    if text := bundle_text(bundle, sheet.shape_of):
        attributes["label"] = quoted_label([text])
    if bundle.control:
        attributes |= {"style": '"dashed"', "color": '"#aaaaaa"'}
    elif len(bundle.edges) > 1:
        attributes["penwidth"] = f"{min(4.0, 1 + log2(len(bundle.edges)) / 2):.1f}"
    if all(sheet.vertices[edge.source].op in NEXT_ITERATION for edge in bundle.edges):
        attributes["constraint"] = "false"  # the back edge of a loop goes up
    return f"{names[bundle.source]} -> {names[bundle.target]}{attribute_list(attributes)};"


def quoted_id(text: str) -> str:
    """Return a name in quotes. Different printable names stay different."""
    return '"' + escape(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def quoted_label(lines: Iterable[str]) -> str:
    """Return lines of text, centered, as a label in quotes."""
    return '"' + "\\n".join(_escape(line) for line in lines) + '"'


def _escape(line: str) -> str:
    return escape(line).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


def attribute_list(pairs: Mapping[str, str]) -> str:
    """Return `[a="1", b="2"]` for values in the syntax of the language; empty without values."""
    return f" [{', '.join(f'{name}={value}' for name, value in pairs.items())}]" if pairs else ""


def indent_line(text: str, indent: int) -> str:
    """Return a line with two blanks per level of indentation."""
    return f"{'  ' * indent}{text}"


def block_lines(head: str, lines: Iterable[str], indent: int) -> Iterator[str]:
    """Yield a head and statements in braces."""
    yield indent_line(f"{head} {{", indent)
    yield from lines
    yield indent_line("}", indent)


MAX_NAME = 48  # characters
MAX_OPS = 3  # named in the box of a folded scope
MAX_CONSTANTS = 3  # named in the box of a node


def box_lines(
    box: Box, vertices: Sequence[Vertex], constants: Sequence[tuple[str, Vertex]], functions: Functions
) -> list[str]:
    """Return the lines of a box: title, op or main ops, called functions, and `constants` with their names."""
    if box.kind != "node":
        title = f"{box.title}/" if box.kind == "scope" else box.title
        return [shorten_label(title), f"{len(box.members):,} nodes", *_main_ops(box, vertices)]
    vertex = vertices[box.members[0]]
    lines = [shorten_label(box.title)]
    if vertex.op != box.title:
        lines.append(vertex.op)
    if vertex.node is None:
        return lines
    called = functions.called_by(vertex.node)
    lines += [f"calls {shorten_label(name)}" for name in dict.fromkeys(called)][:MAX_CONSTANTS]
    if vertex.op == "Const":
        lines += _constant_text(vertex)
    for name, constant in constants[:MAX_CONSTANTS]:
        lines.append(f"{shorten_label(name)}: {' '.join(_constant_text(constant)) or '?'}")
    if len(constants) > MAX_CONSTANTS:
        more = len(constants) - MAX_CONSTANTS
        lines.append(f"and {more:,} more constant{'' if more == 1 else 's'}")
    return lines


def family_of_box(box: Box, vertices: Sequence[Vertex]) -> Family:
    """Return the most significant family of the ops in a box."""
    return min(family_of(vertices[number].op) for number in box.members)


def _main_ops(box: Box, vertices: Sequence[Vertex]) -> list[str]:
    """Return the most significant ops of a box: `Conv2D, 2 Relu, ...`."""
    counts = Counter(vertices[number].op for number in box.members)
    ops = sorted(counts, key=lambda op: (family_of(op).rank, -counts[op], op))
    texts = [f"{counts[op]:,} {shorten_label(op)}" if counts[op] > 1 else shorten_label(op) for op in ops[:MAX_OPS]]
    return [", ".join(texts + (["..."] if len(ops) > MAX_OPS else []))]


def _constant_text(constant: Vertex) -> list[str]:
    """Return dtype, shape and a few values of a constant; empty for a constant without a value."""
    assert constant.node is not None
    try:
        tensor = attr(constant.node, "value", TensorProto)
    except GraphError:
        return []
    return [shorten_label(f"{tensor_text(tensor)} {values_text(tensor)}".rstrip())]


def bundle_text(bundle: Bundle, shape_of: Callable[[str], str]) -> str:
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


class Family(NamedTuple):
    """Ops of one purpose: `rank` is the position in the table, `colour` the fill colour."""

    rank: int
    name: str
    colour: str


_OTHER = "other"

_FAMILIES = (
    (
        "linear",
        "#cfe2f3",
        r"(Quantized|_Fused)?(Conv[123]D|DepthwiseConv|Dilation2D|(Sparse|Batch)?MatMul|Einsum|Cudnn"
        r"|(Block)?LSTM|GRUBlock).*",
    ),
    (
        "call",
        "#d9d2e9",
        r"(Stateless|_)?(If|While|Case|For)|(Stateful|Remote|TPU)?PartitionedCall|(Ref)?(Switch|Merge|"
        r"Enter|Exit|NextIteration|Next)|_SwitchN|LoopCond|SymbolicGradient|.*Dataset(V\d)?",
    ),
    ("pooling", "#fce5cd", r"(Quantized)?(Max|Avg|Fractional.*)Pool.*|.*BatchNorm.*|LRN|(Log)?Softmax|.*Entropy.*"),
    ("training", "#f4cccc", r"(Resource|Sparse)*Apply.*|.*Grad(V\d|Input|Filter)?|.*Backprop.*"),
    ("activation", "#fce5cd", r"(Quantized)?(Relu6?|Elu|Selu|LeakyRelu|Sigmoid|Tanh|Softplus|Softsign|BiasAdd).*"),
    ("input", "#d9ead3", r"Placeholder.*|_Arg|_Retval|argument|result|Iterator.*|.*Reader(V\d)?|Decode.*|Parse.*"),
    ("files", "#eadfd0", r"Save.*|Restore.*|MergeV2Checkpoints|ShardedFilename|.*Summary.*"),
    ("state", "#fff2cc", r"(Temporary)?Variable(V2)?|VarHandleOp|.*VariableOp|Assign.*|.*HashTable.*|.*Initialized"),
    (_OTHER, "#ffffff", r".*"),
    ("constant", "#eeeeee", r"Const|HostConst"),
    ("passing", "#ffffff", r"Identity(N)?|NoOp|Snapshot|StopGradient|Shape|missing"),
)

_PATTERNS = [
    (Family(rank, name, colour), re.compile(pattern, re.DOTALL).fullmatch)
    for rank, (name, colour, pattern) in enumerate(_FAMILIES)
    if name != _OTHER
]
_OTHER_FAMILY = next(Family(rank, *row[:2]) for rank, row in enumerate(_FAMILIES) if row[0] == _OTHER)


@cache
def _match_family(op: str) -> Family:
    return next((family for family, matches in _PATTERNS if matches(op)), _OTHER_FAMILY)


def family_of(op: str) -> Family:
    """Return the family of an op; "other" if no family has it."""
    return _match_family(op) if len(op) <= 100 else _OTHER_FAMILY
