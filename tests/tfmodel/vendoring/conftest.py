"""Our own files, read once: somebody may be editing them while the tests run."""

from __future__ import annotations

import pytest

from tfmodel.vendoring import making, zipping
from tfmodel.vendoring.sources import own_files


@pytest.fixture(scope="session")
def sources() -> dict[str, bytes]:
    return own_files()


@pytest.fixture(autouse=True)
def _read_once(sources, monkeypatch):
    monkeypatch.setattr(making, "own_files", lambda: sources)
    monkeypatch.setattr(zipping, "own_files", lambda: sources)
