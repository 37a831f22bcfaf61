"""Limits on the growth of a graph by inlining."""

from __future__ import annotations

import pytest

from tfmodel.graph.functions import growth_problem


@pytest.mark.parametrize(
    ("count", "nodes", "characters", "problem"),
    [
        (80, 20_000, 1_000_000, ""),
        (80, 20_001, 1_000_000, "would make more than 20,000 nodes of 80"),
        (80, 20_000, 1_280_001, "would make names of more than 1,280,000 characters"),
        (100_000, 25_000_000, 10**9, ""),
        (100_000, 25_000_001, 10**9, "would make more than 25,000,000 nodes of 100,000"),
    ],
)
def test_inlining_may_make_250_nodes_of_one(count: int, nodes: int, characters: int, problem: str) -> None:
    assert growth_problem(count, nodes, characters).endswith(problem)
    assert bool(growth_problem(count, nodes, characters)) == bool(problem)
