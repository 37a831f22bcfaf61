"""The difference of two models as one graph: the nodes of the second, and those of the first that it lacks."""

from __future__ import annotations

from typing import Any

from ..messages import FunctionDefLibrary, GraphDef
from ..reports.diff import diff
from ..source.model_source import ModelSource
from .outlines import cut


def compare(first: ModelSource, second: ModelSource) -> tuple[ModelSource, dict[str, Any]]:
    """Return the union of two models, and the changes: their counts, text, and the status of each node.

    The status of a node is the name of its function, its own, "added", "removed" or "changed", and the changes of its
    attributes and inputs.
    """
    report = diff(first, second)
    names = {node.name for node in second.graph.node}
    removed = [node for node in report.graph.removed if node.name not in names]
    union = GraphDef(node=[*second.graph.node, *removed], versions=second.graph.versions)
    functions = [*second.graph.library.function] if second.graph.library is not None else []
    known = {function.signature.name for function in functions if function.signature is not None}
    before = first.graph.library.function if first.graph.library is not None else []
    functions += [f for f in before if f.signature is not None and f.signature.name not in known]
    if functions:
        union.library = FunctionDefLibrary(function=functions)
    status: list[list[Any]] = []

    def add(function: str, body: Any) -> None:
        status.extend([function, node.name, "removed", []] for node in body.removed)
        status.extend([function, node.name, "added", []] for node in body.added)
        for node in body.changed:
            changes = [cut(str(change), 2_000) for change in node.changes]
            status.append([function, node.name, "changed", changes])

    add("", report.graph)
    for function in report.functions.changed:
        add(function.name, function.body)
    source = second.with_graph(union)
    text = "" if report.same else report.to_text()
    return source, {
        "counts": {
            "removed": len(report.graph.removed),
            "added": len(report.graph.added),
            "changed": len(report.graph.changed),
            "unchanged": report.graph.unchanged,
        },
        "renamed": {cut(old): cut(new) for old, new in report.graph.renamed.items()},
        "status": status,
        "text": cut(text.replace(first.name, "A").replace(second.name, "B"), 100_000),
        "same": report.same,
    }


def changed_nodes(facts: dict[str, Any]) -> dict[str, set[str]]:
    """Return the names of the nodes that a comparison found to differ, by the name of their function."""
    changed: dict[str, set[str]] = {}
    for function, name, *_ in facts["status"]:
        changed.setdefault(function, set()).add(name)
    return changed
