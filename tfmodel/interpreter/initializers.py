"""Which nodes run before a run of a model: its initializers, and the nodes that fill lookup tables. Each runs once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property

from ..graph.tables import table_finder
from ..messages import GraphDef
from ..ops.traits import INITIALIZES_TABLE
from ..values.names import data_inputs

_TABLE_INITIALIZERS = INITIALIZES_TABLE - {"InitializeTableFromDataset"}  # datasets are not run


class Initializers:
    """The nodes of a graph that run before others, and those of them that have run.

    `init_ops` are the nodes that run before the first run; those that the graph does not have are ignored.
    """

    def __init__(self, graph: GraphDef, init_ops: Iterable[str]) -> None:
        self._graph = graph
        self._init_ops = tuple(init_ops)
        self._done: set[str] = set()

    def before(self, needed: Collection[str]) -> Iterator[list[str]]:
        """Yield the nodes that run before the nodes `needed`: the initializers, and then those that fill their tables.

        Those in `needed` are left to the run itself. What is yielded counts as done when the next list is asked for.
        """
        pending = {name: table for name, table in self._tables.items() if name not in self._done}
        chosen = {name: table for name, table in pending.items() if name not in needed}
        for names in (
            [name for name, table in chosen.items() if table is None],
            [name for name, table in chosen.items() if table in needed],
        ):
            yield names
            self._done.update(names)

    def add_done(self, names: Collection[str]) -> None:
        """Remember that these nodes of a run have run."""
        self._done.update(self._tables.keys() & names)

    @cached_property
    def _tables(self) -> dict[str, str | None]:
        """The initializers of the model (with None), and the nodes that fill a table, with the name of the table."""
        nodes = {node.name: node for node in self._graph.node}
        table_of = table_finder(nodes)
        fillers = (node for node in self._graph.node if node.op in _TABLE_INITIALIZERS and data_inputs(node))
        tables: dict[str, str | None] = {node.name: table_of(node) for node in fillers}
        initializers = dict.fromkeys(name for name in self._init_ops if name in nodes)
        return initializers | {name: table for name, table in tables.items() if name not in initializers}
