"""`diff` agrees with TensorFlow on the equality of graphs."""

from __future__ import annotations

import pytest

from tests.golden.diff.answers import base, changed_by, goldens
from tfmodel.messages import GraphDef
from tfmodel.reports.diff import diff

GOLDENS = goldens()
EQUAL = [names for names, verdict in GOLDENS if not verdict]


@pytest.mark.slow(reason="repeats thousands of cases in another way")
def test_the_same_verdict_for_every_pair_of_changes() -> None:
    before = base()
    different = [names for names, verdict in GOLDENS if diff(before, changed_by(names)).graph.same is bool(verdict)]
    assert different == []


def test_the_same_verdict_for_graphs_that_are_read_lazily() -> None:
    before = base().to_bytes()
    for names, verdict in GOLDENS[:60]:
        after = GraphDef.from_bytes(changed_by(names).to_bytes(), lazy=True)
        assert diff(before, after).graph.same is not bool(verdict), names


def test_there_are_enough_cases_of_both() -> None:
    assert len(GOLDENS) > 1500
    assert len(EQUAL) > 70


@pytest.mark.parametrize("names", [names for names in EQUAL if len(names) == 1])
def test_the_verdict_is_symmetric(names: tuple[str, ...]) -> None:
    assert diff(changed_by(names), base()).graph.same
