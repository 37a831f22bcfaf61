"""The lane of each collected test: the inner loop, or the slow tests that only the whole suite runs."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

__all__ = ["LANES", "Lane"]


class Lane(NamedTuple):
    """The file of a test, whether it is marked as slow, and whether each such mark has a reason."""

    path: Path
    slow: bool
    has_reason: bool


LANES = pytest.StashKey[dict[str, Lane]]()
"""The lanes of all collected tests by node id, stored by tests/conftest.py."""
