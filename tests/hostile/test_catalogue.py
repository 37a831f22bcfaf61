"""Every attack names the function that stops it, and the function exists."""

from __future__ import annotations

from operator import attrgetter

from tests.hostile.catalogue import cases, resolve
from tests.support.case_tables import each_case


@each_case("case", {f"{case.file}-{case.test}": case for case in cases()}, attrgetter("file"))
def test_an_attack_names_the_function_that_stops_it(case):
    assert case.stopped_by, "the docstring has no lines Attack, Naive and Stopped by"
    for name in case.stopped_by:
        assert resolve(name) is not None
