"""`check` calls no model of the folder "check" sound and safe, except those that are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.cases import cases, needs_cases, run_module

pytestmark = needs_cases

BROKEN_COUNTS = {"custom_declared", "trt_declared"}
"""Models with ops that TensorFlow 2.12 does not have: the finding may be that it refuses them."""

NOTES = {"mlir.pb"}
"""Models of which a note is enough."""


def _models() -> list[Path]:
    folder = cases / "check"
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _check(path: Path) -> tuple[int, dict[str, int]]:
    """Return the exit status, and the number of findings by level."""
    result = run_module("tfmodel", "check", path, "--json")
    levels: dict[str, int] = {}
    for finding in json.loads(result.stdout)["findings"]:
        levels[finding["level"]] = levels.get(finding["level"], 0) + 1
    return result.returncode, levels


@pytest.mark.parametrize("path", [path for path in _models() if not path.name.startswith("control")], ids=str)
def test_an_unsafe_model_is_found(path: Path) -> None:
    status, levels = _check(path)
    if path.name in NOTES:
        assert levels
        return
    assert status == 1
    assert levels.get("unsafe") or (path.name in BROKEN_COUNTS and levels.get("broken"))


@pytest.mark.parametrize("path", [path for path in _models() if path.name.startswith("control")], ids=str)
def test_a_safe_model_has_no_findings(path: Path) -> None:
    assert _check(path) == (0, {})


def test_attributes_that_tensorflow_ignores_are_notes() -> None:
    status, levels = _check(cases / "field" / "check_ignored_attribute" / "graph.pb")
    assert status == 0
    assert set(levels) == {"note"}
