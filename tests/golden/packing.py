"""Archives of models: the same files always give the same bytes, and every Python unpacks them alike."""

from __future__ import annotations

import atexit
import io
import shutil
import tarfile
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

__all__ = ["files_in", "pack", "unpack", "unpacked"]


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


def unpack(archive: Path, folder: Path) -> None:
    """Write the files of an archive into a folder."""
    with tarfile.open(archive) as tar:
        # an attribute, because `extractall(filter=)` needs Python 3.11.4; without a filter, Python 3.12 and 3.13 warn
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(folder)


@cache
def unpacked(archive: Path) -> Path:
    """Return a folder with the files of an archive, which are not to be changed. It is removed when Python ends."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    unpack(archive, folder)
    return folder
