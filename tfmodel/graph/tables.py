"""The nodes that fill the lookup tables which outputs read.

    table_fillers(graph, ["labels"])        # {"init_table": ["table"]}

No output depends on a node that fills a table, since it runs before the model does. A graph without it is valid, but
its tables are empty. A node fills a table if its op does, or if it calls a function in which a node does. Its first
input leads to the table, through nodes such as Identity. Tables with the same shared name are one table, in functions
too. Two kinds of nodes are not included: those that fill a table from a checkpoint, which belong to a saver, and those
that insert elements which are fed or come from a pipeline, since they change a table while the model is used.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TypeAlias

from ..errors import GraphError
from ..messages import GraphDef, NodeDef
from ..ops.traits import (
    FILLS_TABLE,
    INITIALIZES_TABLE,
    MUTABLE_TABLES,
    PASS_THROUGH,
    PIPELINES,
    PLACEHOLDERS_WITHOUT_DEFAULT,
    RESTORES,
    TABLES,
)
from ..values.names import control_inputs, data_inputs, node_name
from .attributes import attr
from .error_text import describe, list_names, quote
from .functions import Functions
from .traversal import ChainEnds, CircularChainError
from .view import GraphView, users_of

_Table: TypeAlias = tuple[str, ...]
"""The identity of a table: its container and shared name, or the name of its node."""


def table_fillers(
    graph: GraphDef, outputs: Iterable[str], inputs: Collection[str] = frozenset()
) -> dict[str, list[str]]:
    """Return the nodes that fill tables which `outputs` need, in the order of the graph, each with the tables.

    Nodes that the outputs need anyway are not included. `inputs` are fed: what they need is not read.
    """
    outputs = list(outputs)
    library = graph.library.function if outputs and graph.library is not None else []
    if not any(node.op in FILLS_TABLE for nodes in (graph.node, *(one.node_def for one in library)) for node in nodes):
        return {}
    return _Tables(graph, inputs).fillers(outputs)


def initializing(fillers: Iterable[NodeDef], nodes: Mapping[str, NodeDef], *, restoring: bool = False) -> list[NodeDef]:
    """Return those of the nodes that fill tables which do so before the model is used.

    The others insert elements that are fed, or that come from a pipeline of data. Those that fill a table from a
    checkpoint belong to a saver, and are included with `restoring` only. `nodes` are all nodes of the graph.
    """
    fillers = list(fillers)
    if not fillers:
        return []
    given = _dependents(nodes, PLACEHOLDERS_WITHOUT_DEFAULT | PIPELINES)
    restored = set() if restoring else _dependents(nodes, RESTORES)
    return [
        node
        for node in fillers
        if node.name not in restored and (node.op in INITIALIZES_TABLE or node.name not in given)
    ]


def table_finder(nodes: Mapping[str, NodeDef]) -> Callable[[NodeDef], str]:
    """Return a function that maps a node to the table that its first input leads to through Identity nodes.

    It raises GraphError for a circle of these, and is valid until the nodes change.
    """

    def following(name: str) -> str | None:
        node = nodes.get(name)
        inputs = data_inputs(node) if node is not None and node.op == "Identity" else []
        return node_name(inputs[0]) if inputs else None

    def table_of(node: NodeDef) -> str:
        try:
            return ends(node_name(data_inputs(node)[0]))
        except CircularChainError:
            raise GraphError(f"{describe(node)} must fill a table, not a cycle of Identity nodes") from None

    ends = ChainEnds(following)
    return table_of


def _dependents(nodes: Mapping[str, NodeDef], ops: Collection[str]) -> set[str]:
    """Return the names of the nodes that depend on nodes with some ops, directly or not, and of these."""
    queue = [node.name for node in nodes.values() if node.op in ops]
    users = users_of(nodes.values()) if queue else {}
    dependents: set[str] = set()
    while queue:
        name = queue.pop()
        if name not in dependents:
            dependents.add(name)
            queue += users.get(name, ())
    return dependents


def needed_nodes(graph: GraphDef, outputs: Iterable[str], inputs: Collection[str] = frozenset()) -> set[str]:
    """Return the names of `outputs` and of the nodes that they need; the search stops at `inputs`."""
    return GraphView(graph, checked=False).with_ancestors(outputs, stop=inputs)


def empty_tables(graph: GraphDef, outputs: Iterable[str], inputs: Collection[str] = frozenset()) -> list[str]:
    """Return the tables that `outputs` need and that no node of the graph fills, so that looking up in them fails.

    Tables that accept elements at any time are not included: they may be empty. If the graph has functions that fill
    tables, none are included, since a program that loads the model may call these.
    """
    library = graph.library.function if graph.library is not None else []
    if any(node.op in FILLS_TABLE for function in library for node in function.node_def):
        return []
    if not any(node.op in TABLES for node in graph.node):
        return []
    return _Tables(graph, inputs).empty(outputs)


def describe_tables(graph: GraphDef, outputs: Iterable[str], inputs: Collection[str] = frozenset()) -> list[str]:
    """Return sentences about the tables that `outputs` need: those to fill first, and empty ones."""
    names = list(outputs)
    notes = []
    if first := first_to_run(graph, table_fillers(graph, names, inputs)):
        what = "node" if len(first) == 1 else "nodes"
        notes.append(
            f"run the {what} {list_names(first)} first: {'it fills' if len(first) == 1 else 'they fill'} tables"
        )
    notes += [
        f"nothing fills the table {quote(name)}: looking up in it fails" for name in empty_tables(graph, names, inputs)
    ]
    return notes


def first_to_run(graph: GraphDef, fillers: Collection[str]) -> list[str]:
    """Return the nodes to run before the outputs: NoOps that run fillers, and the other fillers."""
    groups = table_groups(graph, fillers)
    grouped = {name for names in groups.values() for name in names}
    return [*groups, *(name for name in fillers if name not in grouped)]


def table_groups(graph: GraphDef, fillers: Collection[str]) -> dict[str, list[str]]:
    """Return the NoOps that only run some of the fillers, in the order of the graph, each with these fillers."""
    groups = {}
    for node in graph.node if fillers else ():
        sources = [*map(node_name, control_inputs(node))] if node.op == "NoOp" else []
        if sources and all(source in fillers for source in sources):
            groups[node.name] = sources
    return groups


class _Tables:
    """The tables of a graph, and the nodes that fill them."""

    def __init__(self, graph: GraphDef, fed: Collection[str]) -> None:
        self._graph = graph
        self._nodes: Mapping[str, NodeDef] = {node.name: node for node in graph.node}
        self._functions = Functions(graph.library)
        self._fed = fed

    def fillers(self, outputs: list[str]) -> dict[str, list[str]]:
        candidates = self._candidates()
        fillers_of: dict[_Table, list[str]] = {}
        for name, tables in candidates.items():
            for table in tables:
                fillers_of.setdefault(table, []).append(name)
        needed: set[str] = set()
        found: dict[str, set[str]] = {}
        called: set[str] = set()
        queue = list(outputs)
        while queue:
            name = queue.pop()
            if name in needed or name not in self._nodes:
                continue
            needed.add(name)
            if name in self._fed:
                continue
            node = self._nodes[name]
            queue += map(node_name, node.input)
            for table in self._tables_of(node, called):
                for filler in fillers_of.pop(table, ()):
                    found.setdefault(filler, set()).add(candidates[filler][table])
                    if filler not in needed:
                        queue.append(filler)
        plain = needed_nodes(self._graph, outputs, self._fed)
        return {name: sorted(found[name]) for name in candidates if name in found and name not in plain}

    def empty(self, outputs: Iterable[str]) -> list[str]:
        needed = needed_nodes(self._graph, outputs, self._fed)
        filled = {table for node in self._nodes.values() for table in self._filled_by(node)}
        static = [node for node in self._graph.node if node.op in TABLES and node.op not in MUTABLE_TABLES]
        return [node.name for node in static if node.name in needed - {*self._fed} and _table(node) not in filled]

    def _candidates(self) -> dict[str, dict[_Table, str]]:
        """Return the nodes that fill tables, each with the tables and the name of a node for each of them."""
        fills = [
            node
            for node in self._nodes.values()
            if node.op in FILLS_TABLE or not self._filling.isdisjoint(self._called(node))
        ]
        nodes = initializing(fills, self._nodes)
        return {node.name: tables for node in nodes if (tables := self._filled_by(node))}

    def _filled_by(self, node: NodeDef) -> dict[_Table, str]:
        """Return the tables that a node fills, each with the name of a node for it."""
        if node.op in FILLS_TABLE:
            return dict(self._origins(data_inputs(node)[:1]))
        if self._filling.isdisjoint(self._called(node)):
            return {}
        inside = dict.fromkeys(self._tables_of(node, set()), node.name)
        return {**inside, **dict(self._origins(data_inputs(node)))}

    @cached_property
    def _filling(self) -> set[str]:
        """The names of the functions in which a node fills a table, directly or by a call."""
        callers: dict[str, list[str]] = {}
        queue = []
        for name in self._functions:
            body = self._functions[name].node_def
            if any(node.op in FILLS_TABLE for node in body):
                queue.append(name)
            for node in body:
                for called in self._called(node):
                    callers.setdefault(called, []).append(name)
        filling: set[str] = set()
        while queue:
            name = queue.pop()
            if name not in filling:
                filling.add(name)
                queue += callers.get(name, ())
        return filling

    def _tables_of(self, node: NodeDef, seen: set[str]) -> Iterator[_Table]:
        """Yield the table that a node is, and those in the functions that it calls, except for those already `seen`."""
        if node.op in TABLES:
            yield _table(node)
        queue = self._called(node)
        while queue:
            name = queue.pop()
            if name not in seen:
                seen.add(name)
                for inner in self._functions[name].node_def:
                    if inner.op in TABLES:
                        yield _table(inner, name)
                    queue += self._called(inner)

    def _origins(self, texts: Iterable[str]) -> Iterator[tuple[_Table, str]]:
        """Yield the tables that inputs lead to through nodes that pass on their input."""
        seen: set[str] = set()
        queue = [*map(node_name, texts)]
        while queue:
            name = queue.pop()
            node = self._nodes.get(name)
            if node is None or name in seen:
                continue
            seen.add(name)
            if node.op in TABLES:
                yield _table(node), name
            elif node.op in PASS_THROUGH:
                queue += map(node_name, data_inputs(node))

    def _called(self, node: NodeDef) -> list[str]:
        """Return the functions that a node calls; empty if an attribute that should name a function is damaged."""
        try:
            call = self._functions.call(node)
        except GraphError:
            return []
        return [name for name in call.names if name in self._functions] if call is not None else []


def _table(node: NodeDef, function: str = "") -> _Table:
    try:
        shared = attr(node, "shared_name", str, "")
        if shared:
            return attr(node, "container", str, ""), shared
    except GraphError:
        pass  # a damaged attribute; the node is a table of its own
    return (function, "", node.name)
