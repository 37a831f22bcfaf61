"""`verify`: a comparison of nothing, or of outputs that differ from run to run, is an error, not a verdict."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import tfmodel
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel.compare.verify import Verification

GRAPH = str(Path(__file__).resolve().parents[3] / "data" / "linear.pb")
FEEDS = {"x": np.ones((1, 64))}


def test_without_outputs_nothing_is_compared():
    constant = graph_of("c = Const[dtype=float, value=float{1}()]")
    with pytest.raises(tfmodel.ModelError, match="there is nothing that looks like an output: name some in outputs="):
        tfmodel.verify(constant, constant, {})
    with pytest.raises(tfmodel.RunError, match="there is nothing to compare: there are no outputs"):
        tfmodel.verify(GRAPH, GRAPH, FEEDS, [])


def test_an_empty_list_of_feeds_is_an_error():
    with pytest.raises(tfmodel.RunError, match="there is nothing to compare: there are no feeds"):
        tfmodel.verify(GRAPH, GRAPH, [], "y")


@pytest.mark.parametrize("rtol", [math.nan, math.inf, -1.0])
def test_tolerances_are_finite_and_not_negative(rtol):
    with pytest.raises(ValueError, match="tolerances must be finite"):
        tfmodel.verify(GRAPH, GRAPH, FEEDS, "y", rtol=rtol)
    with pytest.raises(ValueError, match="tolerances must be finite"):
        Verification(FEEDS, rtol=rtol)
    with pytest.raises(ValueError, match="tolerances must be finite"):
        tfmodel.optimize(GRAPH, outputs="y", rtol=rtol)
