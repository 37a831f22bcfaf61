"""Results before and after the model selects some of them, as detectors do."""

from __future__ import annotations

import pytest

import tfmodel
from tests.tfmodel.transforms.graph_notation import graph

SCORES = """
    x = Placeholder[dtype=float, shape=(10, 4)]
    w = {weights}
    axis = Const[dtype=int32, value=int32{{0}}()]
    last = Const[dtype=int32, value=int32{{1}}]
    most = Const[dtype=int32, value=int32{{3}}()]
    scores = MatMul(x, w)[T=float]
    all = Reshape(scores, last)[T=float]
    best = Max(scores, last)[T=float, Tidx=int32]
    other = Neg(scores)[T=float]
    classes = Sigmoid(other)[T=float]
"""
WEIGHTS = {
    "variables": "VariableV2[dtype=float, shape=(4, 4)]",
    "constants": "Const[dtype=float, value=float{1}(4, 4)]",
}
KEEP = "keep = NonMaxSuppression(scores, best, most)[]\n"
CHOSEN = "chosen = GatherV2(best, keep, axis)[Tparams=float, Tindices=int32, Taxis=int32]"


def outputs(text: str, weights: str) -> list[str]:
    lines = SCORES.format(weights=WEIGHTS[weights]) + text
    return sorted(end.name for end in tfmodel.Model(graph("\n".join(map(str.strip, lines.splitlines())))).outputs)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_results_that_a_suppression_takes_whole_are_not_chosen(weights: str):
    assert outputs(KEEP + CHOSEN, weights) == ["chosen", "classes"]


@pytest.mark.parametrize("weights", WEIGHTS)
def test_without_a_selection_all_ends_are_outputs(weights: str):
    assert outputs("chosen = Neg(best)[T=float]", weights) == ["all", "chosen", "classes"]


def test_elements_above_a_threshold_are_selected():
    text = """
        above = Greater(best, level)[T=float]
        level = Const[dtype=float, value=float{0.5}()]
        keep = Where(above)[T=bool]
        chosen = GatherNd(best, keep)[Tparams=float, Tindices=int64]
    """
    assert outputs(text, "variables") == ["chosen", "classes"]
