"""Fixtures of the tests of commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tfmodel import models


@pytest.fixture
def graph_file(tmp_path: Path) -> Path:
    """The file of a small graph."""
    path = tmp_path / "graph.pb"
    path.write_bytes(models.graph().to_bytes())
    return path
