"""Every attack names the function that stops it, and the function exists."""

from __future__ import annotations

import pytest

from tests.hostile.catalogue import cases, resolve

CASES = list(cases())


@pytest.mark.parametrize("case", CASES, ids=[f"{case.file}-{case.test}" for case in CASES])
def test_an_attack_names_the_function_that_stops_it(case):
    assert case.stopped_by, "the docstring has no lines Attack, Naive and Stopped by"
    for name in case.stopped_by:
        assert resolve(name) is not None
