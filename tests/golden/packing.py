"""Reproducible archives of models: the same files always give the same bytes."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from pathlib import Path

__all__ = ["files_in", "pack"]


def files_in(folder: Path) -> dict[str, bytes]:
    """The content of all files in a folder, by the path from there."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def pack(archive: Path, files: Mapping[str, bytes]) -> None:
    """Write a .tar.xz."""
    with tarfile.open(archive, "w:xz", preset=9) as tar:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
