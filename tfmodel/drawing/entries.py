"""The entries that the hierarchy of the page is made of, their vertices, and the edges between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Entry:
    """A scope, group, stack or part with its children; or a node, which has none.

    kind     "scope"; "group" of auxiliary nodes; "stack" of equal blocks; "part" of a long list; or "node"
    label    the name in its parent
    path     the full name of the scope; empty for entries that names do not have
    node     the number of the vertex of a node, else -1
    uses     what the nodes inside that compute the outputs do: "" for computing, or a label of `_storage`
    """

    kind: str
    label: str
    path: str = ""
    node: int = -1
    children: list[Entry] = field(default_factory=list)
    uses: frozenset[str] = frozenset()


def members(entry: Entry) -> list[int]:
    """Return the vertices in an entry."""
    if not entry.children:
        return [entry.node] if entry.node >= 0 else []
    result, pending = [], [entry]
    while pending:
        current = pending.pop()
        if current.node >= 0:
            result.append(current.node)
        pending += current.children
    return result


def links(inside: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]) -> tuple[list[set[int]], list[set[int]]]:
    """Return the places of the children that each child leads to, and of those that lead to it.

    `inside` has the vertices of each child.
    """
    place_of = {number: place for place, numbers in enumerate(inside) for number in numbers}
    found: list[set[int | None]] = [set() for _ in inside]
    for number, place in place_of.items():
        found[place].update(map(place_of.get, targets[number]))  # None for what is outside
    after = [{other for other in others if other is not None and other != place} for place, others in enumerate(found)]
    before: list[set[int]] = [set() for _ in inside]
    for place, others in enumerate(after):
        for other in others:
            before[other].add(place)
    return after, before
