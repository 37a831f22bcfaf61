"""Constants as part of the nodes that take them: `weights: float32[3,3,64,64]` in a line, in place of a box each."""

from __future__ import annotations

from .wiring import Edge, Vertex

__all__ = ["taken_in"]

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
