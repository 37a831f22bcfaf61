"""Real model files to start from: those that the tests keep packed in tests/golden."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .target import Files

__all__ = ["SMALL", "folders", "graph_files", "members"]

GOLDEN = Path(__file__).parents[1] / "tests" / "golden"
SMALL = 10_000
"""Bytes of an input that is worth mutating: of larger ones, hardly any byte matters."""


@cache
def members(archive: str) -> Files:
    """The files of one of those archives, by their paths."""
    with tarfile.open(GOLDEN / archive) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}  # type: ignore[union-attr]  # files have one


@cache
def folders(archive: str) -> dict[str, Files]:
    """The same, by the first part of those paths: a folder for each model."""
    found: dict[str, Files] = {}
    for path, content in sorted(members(archive).items()):
        folder, slash, name = path.partition("/")
        if slash:
            found.setdefault(folder, {})[name] = content
    return found


@cache
def _graphs() -> tuple[bytes, ...]:
    found = [*members("transforms/models.tar.xz").items(), *members("whole_models/answers.tar.xz").items()]
    return tuple(content for name, content in sorted(found) if name.endswith(".pb") and len(content) <= SMALL)


def graph_files() -> Iterator[bytes]:
    """Small GraphDefs with loops, conditionals, functions, layers, quantized ops, ..."""
    yield from _graphs()
