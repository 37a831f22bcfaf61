"""verify: what would compare nothing, or find numbers different from themselves, is an error and no verdict."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import tfmodel
from tests.tfmodel.transforms.running import graph_of
from tfmodel.interpreter.verifying import Verification

GRAPH = str(Path(__file__).resolve().parents[2] / "data" / "linear.pb")
FEEDS = {"x": np.ones((1, 64))}


def test_without_outputs_nothing_is_compared():
    with pytest.raises(tfmodel.RunError, match="nothing would be compared: there are no outputs"):
        tfmodel.verify(GRAPH, GRAPH, FEEDS)


def test_nor_without_a_run():
    with pytest.raises(tfmodel.RunError, match="nothing would be compared: there are no feeds"):
        tfmodel.verify(GRAPH, GRAPH, [], "y")


def test_what_only_a_feed_needs_is_not_made_up():
    graph = graph_of("""
        x = Placeholder[dtype=float]
        m = Neg(x)[T=float]
        y = Relu(m)[T=float]
    """)  # the shape of x is not known
    verification = Verification({"m": np.ones(3)})
    verification.begin(graph, ["y"])
    assert verification.compare(graph).same


@pytest.mark.parametrize("rtol", [math.nan, math.inf, -1.0])
def test_tolerances_are_finite_and_not_negative(rtol):
    with pytest.raises(ValueError, match="tolerances are finite"):
        tfmodel.verify(GRAPH, GRAPH, FEEDS, "y", rtol=rtol)
    with pytest.raises(ValueError, match="tolerances are finite"):
        Verification(FEEDS, rtol=rtol)
    with pytest.raises(ValueError, match="tolerances are finite"):
        tfmodel.optimize(GRAPH, outputs="y", rtol=rtol)
