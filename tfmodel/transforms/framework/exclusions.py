"""Nodes that a transform leaves alone: the arguments `exclude_node` and `exclude_op`.

    exclusions = Exclusions(exclude_node, exclude_op, graph, report)
    node in exclusions                                # a node by its name or its op
    exclusions.has_constant(node, GraphIndex(graph))  # a constant, also by the nodes that read it

A name in `exclude_node` may have the wildcards * and ?, which no name of a node has. Constants are meant by the nodes
that read them too, directly or through Identity and Enter: `exclude_op=MatMul` means the matrices.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from fnmatch import translate

from ...graph import GraphIndex
from ...graph.index import Use
from ...messages import GraphDef, NodeDef
from ...ops.traits import ENTER
from .report import StepReport, missing_nodes, missing_ops

PASSES_ON = ENTER | {"Identity", "RefIdentity"}
"""Ops between a constant and the nodes that read it."""


class NamePatterns:
    """The names of nodes that are equal to one of several names, or that match one with the wildcards * and ?."""

    def __init__(self, names: Iterable[str]) -> None:
        all_names = [*names]
        self.patterns = [name for name in all_names if re.search(r"[*?]", name)]
        self.names = frozenset(all_names).difference(self.patterns)
        self._expressions = [re.compile(translate(name.replace("[", "[[]"))) for name in self.patterns]

    def __contains__(self, name: object) -> bool:
        return name in self.names or (
            isinstance(name, str) and any(expression.match(name) for expression in self._expressions)
        )

    def missing(self, argument: str, graph: GraphDef, *, functions: bool = False) -> list[str]:
        """Return a note for each name and pattern that no node has: see `missing_nodes`."""
        notes = [*missing_nodes(argument, sorted(self.names), graph, functions=functions)]
        if not self.patterns:
            return notes
        library = graph.library.function if functions and graph.library is not None else []
        names = [node.name for nodes in (graph.node, *(one.node_def for one in library)) for node in nodes]
        return notes + [
            f'{argument}: no node has a name that matches "{pattern}"'
            for pattern, expression in zip(self.patterns, self._expressions, strict=True)
            if not any(map(expression.match, names))
        ]


class Exclusions:
    """The nodes of a graph and of its functions that are excluded by name or by op.

    Names and ops that no node has become notes of the report.
    """

    def __init__(self, names: Collection[str], ops: Collection[str], graph: GraphDef, report: StepReport) -> None:
        self._names, self._ops = NamePatterns(names), frozenset(ops)
        self._has_any = bool(self._ops or self._names.names or self._names.patterns)
        report.notes += missing_ops(ops, graph)
        report.notes += self._names.missing("exclude_node", graph, functions=True)

    def __contains__(self, node: NodeDef) -> bool:
        return node.op in self._ops or node.name in self._names

    def constants(self, graph: GraphDef) -> list[NodeDef]:
        """Return the excluded constants of the graph and of its functions: see `has_constant`."""
        if not self._has_any:
            return []
        bodies = (graph, *(graph.library.function if graph.library is not None else ()))
        indices = map(GraphIndex, bodies)
        return [node for index in indices for node in index if node.op == "Const" and self.has_constant(node, index)]

    def has_constant(self, node: NodeDef, index: GraphIndex) -> bool:
        """Return whether a constant is excluded, by its name or by the name or op of a node that reads it."""
        if not self._has_any:
            return False
        return node.name in self._names or any(use.node in self for use in constant_readers(node, index))


def constant_readers(node: NodeDef, index: GraphIndex) -> list[Use]:
    """Return the inputs that take a constant, directly or through Identity and Enter nodes."""
    readers: list[Use] = []
    seen, queue = {node.name}, [node.name]
    for name in queue:  # the loop appends to it
        for use in index.uses(name):
            if use.tensor.is_control:
                continue
            readers.append(use)
            if use.node.op in PASSES_ON and use.node.name not in seen:
                seen.add(use.node.name)
                queue.append(use.node.name)
    return readers
