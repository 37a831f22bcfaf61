"""The vertices and edges of a picture: nodes, arguments and results, and the tensors between them.

Constants are drawn inside their consumers, as a line such as `weights: float32[3,3,64,64]`, not as boxes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from ...graph import ARGUMENT, UNKNOWN, GraphIndex
from ...messages import FunctionDef
from ...names import control_input, is_control_input, node_name, strip_control_mark

if TYPE_CHECKING:
    from ...messages import GraphDef, NodeDef

__all__ = ["Edge", "Vertex", "Wiring", "build_wiring", "find_inline_constants", "find_neighbourhood"]


Kind: TypeAlias = Literal["node", "argument", "result", "missing"]


@dataclass(frozen=True, slots=True)
class Vertex:
    """A node, an argument or a result of a function, or a missing node that an input refers to."""

    name: str
    op: str
    kind: Kind = "node"
    node: NodeDef | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Edge:
    """A data or control edge: `target` takes `tensor` from `source`. Both are numbers of vertices."""

    source: int
    target: int
    tensor: str
    control: bool


@dataclass(frozen=True, slots=True)
class Wiring:
    """All vertices, those of nodes first and in their order, and all edges."""

    index: GraphIndex
    vertices: list[Vertex]
    edges: list[Edge]


def build_wiring(graph: GraphDef | FunctionDef) -> Wiring:
    """Return the vertices and edges of a graph or function. Attributes are not decoded."""
    index = GraphIndex(graph)
    vertices = [Vertex(node.name, node.op, "node", node) for node in index.nodes]
    numbers: dict[tuple[Kind, str], int] = {}

    def number(kind: Kind, name: str, op: str) -> int:
        """Return the vertex of an argument, result or missing node."""
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
    edges = []
    for target, node in enumerate(index.nodes):
        for text, position in zip(node.input, index.sources[target], strict=True):
            edges.append(Edge(source(text, position), target, strip_control_mark(text), is_control_input(text)))
    for result, text in _results(graph).items():
        name = node_name(text)
        position = ARGUMENT if name in index.arguments else index.positions.get(name, UNKNOWN)
        target = number("result", result, "result")
        edges.append(Edge(source(text, position), target, strip_control_mark(text), is_control_input(text)))
    return Wiring(index, vertices, edges)


def _results(graph: GraphDef | FunctionDef) -> Mapping[str, str]:
    if not isinstance(graph, FunctionDef):
        return {}
    return {**graph.ret, **{control_input(name): control_input(node) for name, node in graph.control_ret.items()}}


def find_neighbourhood(edges: list[Edge], center: int, radius: int) -> set[int]:
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


_PASS_THROUGH = frozenset({"Identity"})


def find_inline_constants(vertices: list[Vertex], edges: list[Edge]) -> dict[int, int]:
    """Return the vertices that need no box: used constants, and Identity nodes that only pass one on.

    Each maps to the number of its constant.
    """
    is_taken = [False] * len(vertices)
    tensors: list[list[int]] = [[] for _ in vertices]
    for edge in edges:
        if not edge.control:
            is_taken[edge.source] = True
            tensors[edge.target].append(edge.source)
    constants = {number: number for number, vertex in enumerate(vertices) if vertex.op == "Const" and is_taken[number]}
    readers = {
        number: tensors[number][0]
        for number, vertex in enumerate(vertices)
        if vertex.op in _PASS_THROUGH
        and is_taken[number]
        and len(tensors[number]) == 1
        and tensors[number][0] in constants
    }
    return constants | readers
