"""What is in a folder, and how that differs from what a manifest says. No link is ever followed below it."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass

from .manifest import LARGEST, MANIFEST, Entry

__all__ = ["Differences", "compared", "contents", "read_manifest", "same"]

_CACHE = "__pycache__"
_BLOCK = 1 << 16


@dataclass(frozen=True)
class Differences:
    """Sorted paths: of files that are not what they should be, that are not there, and that should not be there."""

    changed: list[str]
    missing: list[str]
    extra: list[str]

    def __bool__(self) -> bool:
        return bool(self.changed or self.missing or self.extra)


def contents(folder: str) -> list[str]:
    """The paths of all that is in a folder but folders and `__pycache__`, sorted, with "/" between the names.

    Links are among them, and not what they lead to. Raises OSError where something cannot be listed.
    """
    found, pending = [], [""]
    while pending:
        below = pending.pop()
        with os.scandir(os.path.join(folder, below)) as entries:
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    found.append(below + entry.name)
                elif entry.name != _CACHE:
                    pending.append(f"{below}{entry.name}/")
    return sorted(found)


def compared(folder: str, paths: list[str], entries: Mapping[str, Entry]) -> Differences:
    """How the contents of a folder differ from what they should be, the manifest apart."""
    there = set(paths)
    return Differences(
        changed=[path for path, entry in entries.items() if path in there and not same(folder, path, entry)],
        missing=[path for path in entries if path not in there],
        extra=[path for path in paths if path not in entries and path != MANIFEST],
    )


def same(folder: str, path: str, entry: Entry) -> bool:
    """Is what is there a regular file with that content? Files of another size are not read."""
    name = os.path.join(folder, path)
    status = os.lstat(name)
    if not stat.S_ISREG(status.st_mode) or status.st_size != entry.size:
        return False
    digest = hashlib.sha256()
    with open(name, "rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest() == entry.sha256


def read_manifest(folder: str) -> bytes | None:
    """The bytes of the manifest, one more than `LARGEST` at most; None if there is none. A link is none."""
    name = os.path.join(folder, MANIFEST)
    try:
        if not stat.S_ISREG(os.lstat(name).st_mode):
            return None
        with open(name, "rb") as file:
            return file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
