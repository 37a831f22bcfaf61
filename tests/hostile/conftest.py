"""Fixtures of the attack tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hostile.interruptions import Moments


@pytest.fixture(scope="session")
def moments(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Moments]:
    """Runs writers that are stopped at each of their steps."""
    with Moments(tmp_path_factory.mktemp("moments")) as running:
        yield running
