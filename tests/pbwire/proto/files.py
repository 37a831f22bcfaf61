"""The .proto files of tests/data/proto, and their types."""

from __future__ import annotations

from functools import cache
from typing import Any

from pbwire import proto
from tests.golden.proto.protoc import FILES, FOLDER

__all__ = ["FILES", "FOLDER", "shop"]


@cache
def shop() -> Any:
    """Return the types of all files."""
    return proto.load(*(FOLDER / file for file in FILES), include=[FOLDER])
