"""The nodes of two graphs, or of two bodies of a function, side by side: which are new, gone, changed, moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...graph import GraphIndex
from ...graph.wording import quoted
from ...messages import GraphDef
from .changes import same_bytes
from .nodes import Defaults, compare_nodes
from .renaming import renamed_input, renames
from .report import BodyReport, NodeReport

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...messages import FunctionDef, NodeDef
    from .changes import Change, Rules

__all__ = ["compare_bodies"]


def compare_bodies(
    before: GraphDef | FunctionDef, after: GraphDef | FunctionDef, rules: Rules, defaults: Defaults, name: str = ""
) -> BodyReport:
    """What changed in the nodes of a graph, or of the function called `name`.

    Nodes belong together that have the same name; of several of one name the first with the first, and so on.
    """
    if same_bytes(before, after):
        count = len(before.node if isinstance(before, GraphDef) else before.node_def)
        return BodyReport(name, count, count)
    index, other = GraphIndex(before), GraphIndex(after)
    nodes, others = _named(index.nodes), _named(other.nodes)
    removed = [node for key, node in nodes.items() if key not in others]
    added = [node for key, node in others.items() if key not in nodes]
    names = _renames(index, removed, added, rules) if removed and added else {}
    changed = []
    for key, node in nodes.items():
        if key in others and (changes := compare_nodes(node, others[key], rules, defaults)):
            changed.append(NodeReport(node.name, others[key].op, changes, _follows(changes, names)))
    order = _order(list(nodes), list(others)) if rules.order else ""
    return BodyReport(name, len(nodes), len(others), tuple(removed), tuple(added), tuple(changed), names, order)


def _named(nodes: list[NodeDef]) -> dict[tuple[str, int], NodeDef]:
    """Nodes by their names, and how many of that name came before."""
    found: dict[tuple[str, int], NodeDef] = {}
    seen: dict[str, int] = {}
    for node in nodes:
        name = node.name
        number = seen[name] = seen.get(name, -1) + 1
        found[name, number] = node
    return found


def _renames(index: GraphIndex, removed: list[NodeDef], added: list[NodeDef], rules: Rules) -> dict[str, str]:
    gone = {id(node) for node in removed}
    in_order = [index.nodes[position] for position in index.forward_order if id(index.nodes[position]) in gone]
    return renames(in_order, added, rules)


def _follows(changes: tuple[Change, ...], names: Mapping[str, str]) -> bool:
    """Whether a node changed only because nodes that it takes its inputs from seem to be renamed."""
    if not names:
        return False
    waits, new_waits = set(), set()
    for change in changes:
        before = None if change.before is None else renamed_input(change.before, names)
        if change.what == "control input":
            waits.add(before)
            new_waits.add(change.after)
        elif not change.what.startswith("input ") or before != change.after:
            return False
    return waits - {None} == new_waits - {None}


def _order(before: list[tuple[str, int]], after: list[tuple[str, int]]) -> str:
    """Where the order of the nodes that both have differs first; empty if it does not."""
    common = set(before) & set(after)
    pairs = zip((key for key in before if key in common), (key for key in after if key in common), strict=True)
    for (name, _), (other, _) in pairs:
        if name != other:
            return f"where {quoted(name)} stood is now {quoted(other)}"
    return ""
