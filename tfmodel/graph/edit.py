"""Copies of nodes, graphs and functions with other parts, which share the parts that stay.

    relu = replace_node(node, op="Relu")
    graph = with_nodes(graph, [relu if old is node else old for old in graph.node])

Edits that look at other nodes use a `GraphView`: see `view`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

from pbwire.codec.copy import share

from ..messages import FunctionDef, FunctionDefLibrary, GraphDef, NodeDef
from ..values.names import control_input, is_control_input, node_name

G = TypeVar("G", GraphDef, FunctionDef)


def replace_node(node: NodeDef, **fields: Any) -> NodeDef:
    """Return a copy of a node with new values in some fields: `replace_node(node, op="Relu", input=[...])`.

    The lists, maps and messages in the other fields are shared with `node`: do not change them. Attributes that were
    not decoded yet stay so. Pass new lists and dicts as inputs and attributes; they may hold old values.
    """
    new = share(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


class Passed(NamedTuple):
    """The tensor that takes the place of an output of a node, and the control inputs which its consumers get."""

    tensor: str
    controls: Iterable[str] = ()


def inputs_past(inputs: Iterable[str], passed: Callable[[str], Passed | None]) -> list[str]:
    """Return the inputs of a node past the nodes that only pass on a tensor: data, its own control inputs, and theirs.

    `passed` is called for each reference, and returns None for one that stays. A node that waited for a node which is
    passed waits for the producer of its tensor. Whether a node that remains, since it is declared, is passed in control
    inputs too makes no difference for values: the caller decides.
    """
    data: list[str] = []
    controls: list[str] = []
    added: list[str] = []
    for text in inputs:
        found, is_control = passed(text), is_control_input(text)
        if found is not None:
            text = control_input(node_name(found.tensor)) if is_control else found.tensor
            added += found.controls
        (controls if is_control else data).append(text)
    return [*data, *dict.fromkeys([*controls, *added])]


def with_nodes(graph: G, nodes: Iterable[NodeDef]) -> G:
    """Return a copy of a graph or function with other nodes; keep versions, library and unknown fields."""
    new = share(graph)
    if isinstance(new, FunctionDef):
        new.node_def = list(nodes)
    else:
        new.node = list(nodes)
    return new


def with_functions(graph: GraphDef, functions: Iterable[FunctionDef]) -> GraphDef:
    """Return a copy of a graph with other functions in its library; keep everything else, including gradients."""
    new = share(graph)
    new.library = share(graph.library) if graph.library is not None else FunctionDefLibrary()
    new.library.function = list(functions)
    return new


def map_functions(graph: GraphDef, change: Callable[[FunctionDef], FunctionDef]) -> GraphDef:
    """Return the graph with `change` applied to the functions of its library; the graph itself if these all stay."""
    before = graph.library.function if graph.library is not None else []
    after = [change(function) for function in before]
    same = all(new is old for new, old in zip(after, before, strict=True))
    return graph if same else with_functions(graph, after)
