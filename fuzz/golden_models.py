"""Seeds of real models: the archives of tests/golden."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .target import Files

__all__ = ["MAX_SEED_BYTES", "folders", "graph_files", "members"]

GOLDEN = Path(__file__).parents[1] / "tests" / "golden"
MAX_SEED_BYTES = 10_000
"""Maximum bytes of a seed: in larger inputs, few bytes matter."""


@cache
def members(archive: str) -> Files:
    """Return the files of an archive of tests/golden, by path."""
    with tarfile.open(GOLDEN / archive) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}  # type: ignore[union-attr]  # extractfile returns None for folders only


@cache
def folders(archive: str) -> dict[str, Files]:
    """Return the files of an archive by model, the first part of their paths."""
    files_by_model: dict[str, Files] = {}
    for path, content in sorted(members(archive).items()):
        folder, slash, name = path.partition("/")
        if slash:
            files_by_model.setdefault(folder, {})[name] = content
    return files_by_model


@cache
def _graphs() -> tuple[bytes, ...]:
    files = [*members("transforms/models.tar.xz").items(), *members("whole_models/answers.tar.xz").items()]
    return tuple(content for name, content in sorted(files) if name.endswith(".pb") and len(content) <= MAX_SEED_BYTES)


def graph_files() -> Iterator[bytes]:
    """Return small GraphDefs with loops, conditionals, functions, layers, quantized ops, ..."""
    yield from _graphs()
