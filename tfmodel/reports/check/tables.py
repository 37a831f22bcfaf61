"""Lookup tables that nothing fills, and nodes that a program has to run to fill tables."""

from __future__ import annotations

from collections.abc import Iterator

from ...graph.error_text import list_names, quote
from ...graph.tables import empty_tables, first_to_run, table_fillers
from ...ops.traits import FILLS_TABLE
from ...source.model_source import ModelSource
from .report import Finding


def table_findings(source: ModelSource) -> Iterator[Finding]:
    """Yield a finding for each table of a graph that nothing fills.

    Of a graph alone, which has no signature or collection that names them, the nodes to run first are in a note.
    """
    graph = source.graph
    readers = [node.name for node in graph.node if node.op != "NoOp" and node.op not in FILLS_TABLE]
    for name in empty_tables(graph, readers):
        problem = f"nothing in the graph fills the table {quote(name)}, so looking up in it fails"
        advice = "keep the node that fills it, as freezing the whole model does"
        yield Finding("broken", "table", f"{problem}; {advice}", name)
    first = first_to_run(graph, table_fillers(graph, readers)) if source.meta is None else []
    if first:
        what = "node fills" if len(first) == 1 else "nodes fill"
        yield Finding("note", "table", f"this {what} tables, and must run before the outputs: {list_names(first)}")
