"""Where the nodes of a model stand: in its graphs, and in the bodies of their functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from pbwire.message import Message

__all__ = ["Body", "bodies"]


class Body(NamedTuple):
    """A list of nodes: `path` is where, as field paths spell it; `function` the name, empty for a graph's own nodes."""

    path: str
    function: str
    nodes: list[Any]


def bodies(message: Message) -> Iterator[Body] | None:
    """Every list of nodes in a model, in order; None for a message that is none."""
    find = _FINDERS.get(message.__table__.full_name)
    return find(message, "") if find else None


def _of_saved_model(model: Any, path: str) -> Iterator[Body]:
    for index, meta in enumerate(model.meta_graphs):
        yield from _of_meta_graph(meta, f"{path}meta_graphs[{index}].")


def _of_meta_graph(meta: Any, path: str) -> Iterator[Body]:
    if meta.graph_def:
        yield from _of_graph(meta.graph_def, f"{path}graph_def.")


def _of_graph(graph: Any, path: str) -> Iterator[Body]:
    yield Body(f"{path}node", "", graph.node)
    if graph.library:
        yield from _of_library(graph.library, f"{path}library.")


def _of_library(library: Any, path: str) -> Iterator[Body]:
    for index, function in enumerate(library.function):
        yield from _of_function(function, f"{path}function[{index}].")


def _of_function(function: Any, path: str) -> Iterator[Body]:
    name = function.signature.name if function.signature else ""
    yield Body(f"{path}node_def", name or "?", function.node_def)


_FINDERS = {
    "tensorflow.FunctionDef": _of_function,
    "tensorflow.FunctionDefLibrary": _of_library,
    "tensorflow.GraphDef": _of_graph,
    "tensorflow.MetaGraphDef": _of_meta_graph,
    "tensorflow.SavedModel": _of_saved_model,
}
