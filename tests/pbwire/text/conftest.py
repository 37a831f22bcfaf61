"""Text is compared with that of the protobuf of this process, so its version is followed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.protobuf_twin import followed


@pytest.fixture(autouse=True)
def as_the_twin() -> Iterator[None]:
    with followed():
        yield
