"""Keep the nodes that fill lookup tables in a frozen graph: table initializers, and the nodes that group them."""

from __future__ import annotations

from collections.abc import Container

from ..errors import FreezeError
from ..graph.error_text import quote
from ..graph.tables import initializing, table_finder
from ..graph.view import GraphView
from ..ops.traits import FILLS_TABLE, MUTABLE_TABLES, TABLES
from ..source.loading import init_ops
from ..source.model_source import ModelSource
from ..values.names import control_inputs, data_inputs, node_name

MAX_NAMES_SHOWN = 5
"""The maximum number of names in an error."""

_TABLE_KEYS = "/.ATTRIBUTES/table-keys"  # the suffix of the keys of a table in a TF2 checkpoint


class TableInitializers:
    """The initializers of the lookup tables of a graph that is being frozen."""

    def __init__(self, graph: GraphView, source: ModelSource) -> None:
        self._graph = graph
        self._source = source

    def roots(self) -> list[str]:
        """Return the model's initializers, the nodes that group table initializers, and all table initializers."""
        nodes = self._graph.nodes
        fillers = self._fillers()
        controls = {node.name: set(map(node_name, control_inputs(node))) for node in nodes.values()}
        groups = [name for name, sources in controls.items() if sources and sources <= fillers]
        roots = [name for name in (*init_ops(self._source.meta), *groups) if name in nodes]
        return [*dict.fromkeys([*roots, *sorted(fillers)])]

    def _fillers(self) -> set[str]:
        """Return the names of the nodes that fill tables before the model is used."""
        nodes = self._graph.nodes
        fillers = [node for node in nodes.values() if node.op in FILLS_TABLE]
        return {node.name for node in initializing(fillers, nodes, restoring=True)}

    def keep(self, targets: list[str], roots: list[str]) -> list[str]:
        """Return the initializers of the tables that the targets need, and the NoOps that group initializers.

        The NoOps are changed to depend only on these.
        """
        graph = self._graph
        needed = graph.with_ancestors(targets)
        tables = {name for name in needed if graph.nodes[name].op in TABLES}
        table_of, fillers = table_finder(graph.nodes), self._fillers()
        kept = {
            node.name: None
            for node in graph.nodes.values()
            if node.name in fillers and data_inputs(node) and table_of(node) in tables
        }
        groups = {
            name: None
            for name in (roots if kept else ())
            if name in graph.nodes and graph.nodes[name].op == "NoOp" and name not in needed
        }
        positions = {name: position for position, name in enumerate((*kept, *groups))}
        dead_ends: set[str] = set()
        for name in groups:
            node = graph.nodes[name]
            members = tuple(sorted(self._nearest_ancestors(name, positions, dead_ends), key=positions.__getitem__))
            if members != tuple(map(node_name, control_inputs(node))):
                graph.change(node, controls=members)
        return [*kept, *groups]

    def _nearest_ancestors(self, name: str, stops: Container[str], dead_ends: set[str]) -> set[str]:
        """Walk back from a node and return the nodes of `stops` that are reached first.

        The walk does not continue beyond these nodes. `dead_ends` collects nodes from which no node of `stops` is
        reached, so that they are visited only once.
        """
        nodes, ancestors, passed = self._graph.nodes, set(), {name}
        queue = [name]
        while queue:
            node = nodes[queue.pop()]
            for other in map(node_name, node.input):
                if other in stops and other != name:
                    ancestors.add(other)
                elif other in nodes and other not in passed and other not in dead_ends:
                    passed.add(other)
                    queue.append(other)
        if not ancestors:
            dead_ends |= passed
        return ancestors

    def check_contents(self) -> None:
        """Raise FreezeError if the contents of a table are only in the checkpoint.

        The frozen graph has no node that fills such a table.
        """
        nodes, table_of = self._graph.nodes.values(), table_finder(self._graph.nodes)
        filled = {table_of(node) for node in nodes if node.op in FILLS_TABLE and data_inputs(node)}
        empty = [node.name for node in nodes if node.op in MUTABLE_TABLES and node.name not in filled]
        if not empty or not self._source.is_saved_model:
            return
        if any(key.endswith(_TABLE_KEYS) for key in self._source.checkpoint or ()):
            tables = ", ".join(map(quote, empty[:MAX_NAMES_SHOWN]))
            what = "the table" if len(empty) == 1 else "the tables"
            raise FreezeError(
                f"the contents of {what} {tables} are only in the checkpoint, and a frozen graph cannot load them"
            )
