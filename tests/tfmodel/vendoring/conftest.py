"""Our own files, read once, since they may be edited while the tests run."""

from __future__ import annotations

import pytest

from tfmodel.vendoring import own_files as own_files_module
from tfmodel.vendoring.own_files import own_files


@pytest.fixture(scope="session")
def sources() -> dict[str, bytes]:
    return own_files()


@pytest.fixture(autouse=True)
def _read_once(sources, monkeypatch):
    monkeypatch.setattr(own_files_module, "own_files", lambda: sources)
