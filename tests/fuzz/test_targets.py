"""Every target for a second or two, with fixed inputs; `python -m fuzz` runs more."""

from __future__ import annotations

import pytest

from fuzz.runner import fuzz_here
from fuzz.target import find_targets
from tests.support.effort import scaled

COUNT = scaled(240)


@pytest.mark.parametrize("name", list(find_targets()))
def test_a_target_finds_nothing_in_some_inputs(name):
    ended = fuzz_here(name, seed=8, count=COUNT)
    assert [(outcome.shape, outcome.what, files) for files, outcome in ended if outcome.verdict == "finding"] == []
    assert any(outcome.verdict == "accepted" for _, outcome in ended)
