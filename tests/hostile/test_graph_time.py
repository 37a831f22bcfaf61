"""No function of the library takes quadratic time for a graph: all are tried, on graphs that provoke it.

Here each graph is tried with a few functions; `python -m tests.growth graphs` tries all pairs.
"""

from __future__ import annotations

import pytest

from tests.hostile.graph_actions import ACTIONS, exponent_of
from tests.hostile.large_graphs import MAKERS
from tfmodel.graph.chains import ChainEnds, CircularChainError

SMALL, LARGE = 50, 200
AT_MOST = 1.45
"""The exponent: 1 is linear, 2 quadratic, and something is added by parts that are small yet."""

INITIALIZED = [
    name for name in MAKERS if any(word in name for word in ("table", "variables", "savers", "initializers"))
]
PAIRS = [
    *((graph, list(ACTIONS)[number % len(ACTIONS)]) for number, graph in enumerate(MAKERS)),
    *((graph, action) for graph in INITIALIZED for action in ("run", "freeze")),
]
"""Every graph and every function once, and whatever initializes something."""


@pytest.mark.parametrize(("graph", "action"), dict.fromkeys(PAIRS))
def test_work_is_in_proportion_to_the_graph(graph: str, action: str) -> None:
    """Attack: graphs whose structure makes simple algorithms quadratic; a table behind thousands of Identity nodes.

    Naive: a look at the whole graph, or a walk along the same chain, for each of the nodes.
    Stopped by: tfmodel.graph.chains.ChainEnds
    """
    assert exponent_of(ACTIONS[action], *(MAKERS[graph](size) for size in (SMALL, LARGE))) < AT_MOST


def test_sound_every_function_is_tried() -> None:
    assert {action for _, action in PAIRS} == set(ACTIONS)


def test_sound_ends_of_chains() -> None:
    following = {"a": "b", "b": "c", "d": "b", "e": "f", "f": "e", "g": "e"}
    asked: list[str] = []

    def follow(name: str) -> str | None:
        asked.append(name)
        return following.get(name)

    ends = ChainEnds(follow)
    assert [ends(name) for name in "abcdz"] == ["c", "c", "c", "c", "z"]
    for name in "efg":
        with pytest.raises(CircularChainError):
            ends(name)
    assert len(asked) == len(set(asked))
