"""New graphs and nodes from old ones, which stay as they are: what does not change is shared.

Names for new nodes.

taken = TakenNames(node.name for node in graph.node)
taken.fresh("scale")        # "scale", or "scale_1" if there is one, ...
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from pbwire.codec.copy import share

from ..messages import FunctionDef, FunctionDefLibrary, GraphDef, NodeDef

__all__ = ["TakenNames", "replace_node", "with_functions", "with_nodes"]


G = TypeVar("G", GraphDef, FunctionDef)


def replace_node(node: NodeDef, **fields: Any) -> NodeDef:
    """A node with other values in some fields: `replace_node(node, op="Relu", input=[...])`.

    The lists, maps and messages in the other fields are those of `node`, and not to be changed; attributes that were
    not decoded yet stay so. Its inputs and attributes are best given as new lists and dicts that may hold old values.
    """
    new = share(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def with_nodes(graph: G, nodes: Iterable[NodeDef]) -> G:
    """The graph, or function, with other nodes. All else is kept: versions, library, and fields that are not known."""
    new = share(graph)
    if isinstance(new, FunctionDef):
        new.node_def = list(nodes)
    else:
        new.node = list(nodes)
    return new


def with_functions(graph: GraphDef, functions: Iterable[FunctionDef]) -> GraphDef:
    """The graph with other functions in its library. All else is kept, gradients among it."""
    new = share(graph)
    new.library = share(graph.library) if graph.library is not None else FunctionDefLibrary()
    new.library.function = list(functions)
    return new


class TakenNames(set[str]):
    """The names that are in use, and fresh ones.

    All fresh names together take time that is linear in the names: the search for one goes on where the last one for
    the same base ended, and a taken name is in the way of one base only, the one before its last underscore.
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
