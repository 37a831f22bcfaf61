"""Detect functions that change their argument: a transform returns a new graph, and leaves the graph it gets as it is.

    before = Snapshot(graph)
    result = function(graph)
    problem = before.restore()      # 'it changes the node "y" in place'; "" if nothing was changed

A graph shares nodes with the graph that it was made from. So a function that assigns to a node changes the graph of the
caller too, and a comparison of both finds no difference. A snapshot is the encoding of the graph, whose large contents
are not copied. Encodings of the same graph may differ, since a part that is read is written anew; so before a problem
is reported, the parts are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbwire.errors import Error
from pbwire.message import Message

from ...graph.error_text import quote
from ...graph.functions import function_name
from ...messages import FunctionDef, GraphDef

_BLOCK = 1 << 20


class Snapshot:
    """The contents of a graph at one time."""

    def __init__(self, graph: GraphDef) -> None:
        self._graph = graph
        self._nodes = list(graph.node)
        self._library = graph.library
        self._functions = list(graph.library.function) if graph.library is not None else []
        self._before = _encoding(graph)

    def restore(self) -> str:
        """Undo all changes since the snapshot was taken. Return a description of one, "" if there are none."""
        if self._before is None:
            return ""  # the graph could not be encoded, and is an error in any case
        after = _encoding(self._graph)
        if after is not None and _are_equal(self._before, after):
            return ""
        before = GraphDef.from_bytes(b"".join(self._before))
        problems = [*self._restore_nodes(before), *self._restore_library(before), *self._restore_fields(before)]
        return problems[0] if problems else ""

    def _restore_nodes(self, before: GraphDef) -> Iterator[str]:
        for node, old in zip(self._nodes, before.node, strict=True):
            if _restore(node, old):
                yield f"it changes the node {quote(old.name)} in place"

    def _restore_library(self, before: GraphDef) -> Iterator[str]:
        if self._library is None or before.library is None:
            return
        for function, old in zip(self._functions, before.library.function, strict=True):
            for node, old_node in zip(function.node_def, old.node_def, strict=False):
                if _bytes(node) != _bytes(old_node):
                    yield f"it changes the node {quote(old_node.name)} of the function {quote(_name(old))} in place"
                    break
            if _restore(function, old):
                yield f"it changes the function {quote(_name(old))} in place"
        if _restore(self._library, before.library):
            self._library.function = self._functions
            yield "it changes the library of functions in place"

    def _restore_fields(self, before: GraphDef) -> Iterator[str]:
        """Restore the other fields of the graph that are messages."""
        for name in ("versions", "debug_info"):
            present, old = getattr(self._graph, name, None), getattr(before, name, None)
            if present is not None and old is not None and _restore(present, old):
                yield f"it changes the {name} of the graph in place"


def _name(function: FunctionDef) -> str:
    return function_name(function)


def _restore(message: Message, old: Message) -> bool:
    """Return whether a message differs from an old one; if so, give it the contents of the old one."""
    data = _bytes(old)
    if _bytes(message) == data:
        return False
    assert data is not None  # it was decoded
    message.clear()
    message.merge_from_bytes(data)
    return True


def _bytes(message: Message) -> bytes | None:
    """Return the same bytes for equal messages; None for a message that cannot be encoded."""
    try:
        return message.to_bytes(deterministic=True)
    except Error:
        return None


def _encoding(graph: GraphDef) -> list[bytes | memoryview] | None:
    try:
        return [*graph.to_buffers()]
    except Error:
        return None


def _are_equal(first: Sequence[bytes | memoryview], second: Sequence[bytes | memoryview]) -> bool:
    """Return whether the bytes of two sequences of buffers are equal, without joining them."""
    if sum(map(len, first)) != sum(map(len, second)):
        return False
    pieces = iter(second)
    other, start = memoryview(b""), 0
    for buffer in first:
        view, place = memoryview(buffer), 0
        while place < len(view):
            if start == len(other):
                other, start = memoryview(next(pieces)), 0
                continue
            size = min(len(view) - place, len(other) - start, _BLOCK)
            if view[place : place + size].tobytes() != other[start : start + size].tobytes():
                return False
            place, start = place + size, start + size
    return True
