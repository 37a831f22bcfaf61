"""The vertices and edges of a graph or function as pictures show them.

Vertices are nodes, missing nodes, and arguments and results of functions; edges are the tensors and control
dependencies between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from ..graph import ARGUMENT, UNKNOWN, GraphIndex
from ..messages import FunctionDef
from ..values.names import is_control_input, node_name, strip_control_mark

if TYPE_CHECKING:
    from ..messages import GraphDef, NodeDef

MAX_DEPTH = 40  # of nested scopes


Kind: TypeAlias = Literal["node", "argument", "result", "missing"]


class Vertex(NamedTuple):
    """A node, an argument or a result of a function, or a missing node that an input refers to."""

    name: str
    op: str
    kind: Kind = "node"
    node: NodeDef | None = None


class Edge(NamedTuple):
    """A data or control edge: `target` takes `tensor` from `source`. Both are numbers of vertices."""

    source: int
    target: int
    tensor: str
    control: bool


_new_vertex = partial(tuple.__new__, Vertex)  # the constructor of a NamedTuple takes longer
_new_edge = partial(tuple.__new__, Edge)


@dataclass(frozen=True, slots=True)
class Wiring:
    """All vertices and edges. The vertices of nodes come first, in their order; edges are in the order of targets."""

    index: GraphIndex
    vertices: list[Vertex]
    edges: list[Edge]


def build_wiring(graph: GraphDef | FunctionDef, index: GraphIndex | None = None) -> Wiring:
    """Return the vertices and edges of a graph or function, of which `index` may be an index.

    Attributes are not decoded.
    """
    index = GraphIndex(graph) if index is None else index
    vertices = [_new_vertex((node.name, node.op, "node", node)) for node in index.nodes]
    numbers: dict[tuple[Kind, str], int] = {}

    def number(kind: Kind, name: str, op: str) -> int:
        """Return the number of the vertex of an argument, result or missing node; add the vertex if necessary."""
        if (kind, name) not in numbers:
            numbers[kind, name] = len(vertices)
            vertices.append(Vertex(name, op, kind))
        return numbers[kind, name]

    def source(text: str, position: int) -> int:
        if position >= 0:
            return position
        name = node_name(text)
        return number("argument", name, "argument") if position == ARGUMENT else number("missing", name, "missing")

    for argument in index.arguments:
        number("argument", argument, "argument")
    controls = {text: strip_control_mark(text) for text in index.spellings if is_control_input(text)}
    edges = [
        _new_edge(
            (
                position if position >= 0 else source(text, position),
                target,
                text if (bare := controls.get(text)) is None else bare,
                bare is not None,
            )
        )
        for target, (node, positions) in enumerate(zip(index.nodes, index.sources, strict=True))
        for text, position in zip(node.input, positions, strict=True)
    ]
    for result, text in graph.ret.items() if isinstance(graph, FunctionDef) else ():
        name = node_name(text)
        position = ARGUMENT if name in index.arguments else index.positions.get(name, UNKNOWN)
        edges.append(Edge(source(text, position), number("result", result, "result"), text, False))
    return Wiring(index, vertices, edges)


_PASS_THROUGH = frozenset({"Identity"})


def find_inline_constants(vertices: list[Vertex], edges: list[Edge]) -> dict[int, int]:
    """Return the vertices that do not need a box: used constants, and Identity nodes that only pass a constant on.

    The result maps the number of each such vertex to the number of its constant.
    """
    is_used = [False] * len(vertices)
    tensors: list[list[int]] = [[] for _ in vertices]
    for edge in edges:
        if not edge.control:
            is_used[edge.source] = True
            tensors[edge.target].append(edge.source)
    constants = {number: number for number, vertex in enumerate(vertices) if vertex.op == "Const" and is_used[number]}
    readers = {
        number: tensors[number][0]
        for number, vertex in enumerate(vertices)
        if vertex.op in _PASS_THROUGH
        and is_used[number]
        and len(tensors[number]) == 1
        and tensors[number][0] in constants
    }
    return constants | readers
