"""Public names, parameters, options and JSON keys are those of the list in tests/data."""

from __future__ import annotations

import pytest

from tests.public_surface import FILE, ROOT, surface


@pytest.mark.slow(reason="runs a command for each kind of report")
def test_the_public_surface_is_the_committed_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """If this fails on purpose: `python -m tests.public_surface`, and a line in CHANGELOG.md."""
    monkeypatch.chdir(ROOT)
    listed = FILE.read_text(encoding="utf-8").splitlines()
    found = list(surface())
    assert {"gone": sorted(set(listed) - set(found)), "new": sorted(set(found) - set(listed))} == {
        "gone": [],
        "new": [],
    }
