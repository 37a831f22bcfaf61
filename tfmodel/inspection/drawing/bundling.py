"""Edges between boxes: those of one kind between the same two are one, and boxes with very many stand aside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .folding import Box
from .wiring import Edge

__all__ = ["Bundle", "bundled", "hubs"]

FEW = 12  # other boxes that one may always be linked with,
SHARE = 3  # or this part of all


@dataclass(slots=True)
class Bundle:
    """The edges of one kind from one box to another: `edges` are not empty."""

    source: int
    target: int
    control: bool
    edges: list[Edge] = field(default_factory=list)


def bundled(edges: Iterable[Edge], box_of: Mapping[int, int]) -> list[Bundle]:
    """The edges between different boxes; `box_of` has the number of the box of each vertex that is in one."""
    bundles: dict[tuple[int, int, bool], Bundle] = {}
    for edge in edges:
        source, target = box_of.get(edge.source), box_of.get(edge.target)
        if source is None or target is None or (source == target and edge.source != edge.target):
            continue
        key = source, target, edge.control
        if key not in bundles:
            bundles[key] = Bundle(*key)
        bundles[key].edges.append(edge)
    return list(bundles.values())


def hubs(boxes: Sequence[Box], bundles: Sequence[Bundle]) -> dict[int, int]:
    """The boxes whose edges would hide all others, and with how many each is linked.

    These are what trains, saves and initialises in a graph that does so. The one with most links is taken first, and
    counts no more for the others.
    """
    linked: list[set[int]] = [set() for _ in boxes]
    for bundle in bundles:
        linked[bundle.source].add(bundle.target)
        linked[bundle.target].add(bundle.source)
    degrees = [len(each) for each in linked]
    most = max(FEW, len(boxes) // SHARE)
    found: dict[int, int] = {}
    while (highest := max(range(len(boxes)), key=degrees.__getitem__, default=None)) is not None:
        if degrees[highest] <= most:
            break
        found[highest] = len(linked[highest])
        degrees[highest] = 0
        for other in linked[highest]:
            degrees[other] -= other not in found
    return found
