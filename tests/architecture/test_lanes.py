"""The inner loop covers every test module of pbwire and tfmodel, and each test outside of it has a reason."""

from __future__ import annotations

import pytest

from tests.architecture.source import ROOT
from tests.support.lanes import LANES, Lane

COVERED = ("pbwire", "schema", "tfmodel")
EXEMPT = {
    "tests/pbwire/test_typing.py": "its test runs mypy",
    "tests/tfmodel/compat/test_stubs.py": "its test runs mypy",
    "tests/tfmodel/drawing/page/test_in_browser.py": "all of its tests start a browser",
    "tests/tfmodel/drawing/page/test_first_picture.py": "all of its tests start a browser",
    "tests/tfmodel/drawing/page/test_edges_in_browser.py": "all of its tests start a browser",
    "tests/tfmodel/drawing/page/test_entrances_in_browser.py": "all of its tests start a browser",
    "tests/tfmodel/drawing/page/test_hands_in_browser.py": "all of its tests start a browser",
    "tests/tfmodel/drawing/page/test_summary_in_browser.py": "all of its tests start a browser",
    "tests/tfmodel/drawing/page/test_real_models.py": "all of its tests start a browser and read real model files",
}
"""Test modules without a test in the inner loop, with the reason."""


@pytest.fixture
def lanes(request: pytest.FixtureRequest) -> dict[str, Lane]:
    """All collected tests. A run of a part of the tests checks that part."""
    return request.config.stash[LANES]


def test_every_slow_mark_has_a_reason(lanes: dict[str, Lane]) -> None:
    assert [name for name, lane in lanes.items() if not lane.has_reason] == []


def test_the_inner_loop_has_a_test_of_every_test_module(lanes: dict[str, Lane]) -> None:
    fast = {lane.path for lane in lanes.values() if not lane.slow}
    folders = [ROOT / "tests" / name for name in COVERED]
    modules = {lane.path for lane in lanes.values() if any(lane.path.is_relative_to(folder) for folder in folders)}
    assert {path.relative_to(ROOT).as_posix() for path in modules - fast} - EXEMPT.keys() == set()
