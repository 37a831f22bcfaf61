"""Suggestions are slow to compute, so lists of faults have only a few."""

from __future__ import annotations

from tests.tfmodel.transforms.run_step import graph_of
from tfmodel.errors import GraphError
from tfmodel.graph import GraphIndex, check_graph
from tfmodel.graph.error_text import Guesses


def test_there_are_guesses_for_the_first_few() -> None:
    guess = Guesses(2)
    assert [guess("convv", ["conv"]) for _ in range(3)] == ['; did you mean "conv"?'] * 2 + [""]


def test_a_thousand_missing_nodes_are_not_compared_with_a_thousand_others() -> None:
    graph = graph_of("\n".join(f"node{n} = Neg(nodes{n})[T=float]" for n in range(1000)))
    faults = [str(fault) for fault in check_graph(graph)]
    assert len(faults) == 1000
    assert sum("did you mean" in fault for fault in faults) == 5


def test_an_index_guesses_a_few_times() -> None:
    index = GraphIndex(graph_of("conv = NoOp()"))
    messages = []
    for _ in range(10):
        try:
            index.position("convv")
        except GraphError as error:
            messages.append(str(error))
    assert sum("did you mean" in text for text in messages) == 5
