"""What can be drawn of a graph or of a function: nodes, what goes in and comes out, and who takes what from whom.

Constants as part of the nodes that take them: `weights: float32[3,3,64,64]` in a line, in place of a box each.
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

__all__ = ["Edge", "Vertex", "Wiring", "neighbourhood", "taken_in", "wiring_of"]


Kind: TypeAlias = Literal["node", "argument", "result", "missing"]


@dataclass(frozen=True, slots=True)
class Vertex:
    """A node, an argument or a result of a function, or what an input refers to and is not there."""

    name: str
    op: str
    kind: Kind = "node"
    node: NodeDef | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Edge:
    """`target` takes `tensor` from `source`, or waits for it. Both are numbers of vertices."""

    source: int
    target: int
    tensor: str
    control: bool


@dataclass(frozen=True, slots=True)
class Wiring:
    """All vertices, those of nodes first and as they stand, and all edges."""

    index: GraphIndex
    vertices: list[Vertex]
    edges: list[Edge]


def wiring_of(graph: GraphDef | FunctionDef) -> Wiring:
    """The vertices and edges of a graph, or of a function. No attribute is read."""
    index = GraphIndex(graph)
    vertices = [Vertex(node.name, node.op, "node", node) for node in index.nodes]
    numbers: dict[tuple[Kind, str], int] = {}

    def number(kind: Kind, name: str, op: str) -> int:
        """The vertex of something that is no node."""
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


def neighbourhood(edges: list[Edge], center: int, radius: int) -> set[int]:
    """The vertices that are at most so many edges away from one, in whatever direction.

    Edges that only order execution are followed from the one itself and no further: they lead everywhere.
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


_READING = frozenset({"Identity"})


def taken_in(vertices: list[Vertex], edges: list[Edge]) -> dict[int, int]:
    """The vertices that need no box: constants that something takes, and Identity nodes that only pass one on.

    Each has the number of the constant that it stands for.
    """
    is_taken = [False] * len(vertices)
    tensors: list[list[int]] = [[] for _ in vertices]
    for edge in edges:
        if not edge.control:
            is_taken[edge.source] = True
            tensors[edge.target].append(edge.source)
    found = {number: number for number, vertex in enumerate(vertices) if vertex.op == "Const" and is_taken[number]}
    readers = {
        number: tensors[number][0]
        for number, vertex in enumerate(vertices)
        if vertex.op in _READING and is_taken[number] and len(tensors[number]) == 1 and tensors[number][0] in found
    }
    return found | readers
