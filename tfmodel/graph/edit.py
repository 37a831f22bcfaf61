"""Make edited copies of graphs and nodes that share everything unchanged, and find names for new nodes.

relu = replace_node(node, op="Relu")
graph = with_nodes(graph, [relu if old is node else old for old in graph.node])

taken = TakenNames(node.name for node in graph.node)
taken.fresh("scale")        # "scale", or "scale_1" if it is taken, ...
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from pbwire.codec.copy import share

from ..messages import FunctionDef, FunctionDefLibrary, GraphDef, NodeDef

__all__ = ["TakenNames", "replace_node", "with_functions", "with_nodes"]


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


class TakenNames(set[str]):
    """The set of names in use, which makes new ones.

    All new names together take time that is linear in the names: the search for one goes on where the last search for
    the same base ended, and a taken name can only be hit by one base, the part before its last underscore.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        super().__init__(names)
        self._numbers: dict[str, int] = {}

    def fresh(self, base: str) -> str:
        """Return `base`, or the first of base_1, base_2, ... that is not taken, and add it to the names."""
        name = base
        if base in self:
            number = self._numbers.get(base, 1)
            while (name := f"{base}_{number}") in self:
                number += 1
            self._numbers[base] = number + 1
        self.add(name)
        return name
