"""What a copy is made of: the files of some parts, rewritten so that they work in any package, and their manifest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .. import __version__
from .imports import relative
from .manifest import Entry, Manifest, entry_of
from .parts import files_of
from .sources import license_text, own_files

__all__ = ["Copy", "own_copy"]

_INIT_SOURCE = '''\
"""A copy of tfmodel {version} ({parts}), made by `python -m tfmodel vendor`, which also checks and updates it.

MANIFEST.json says which files belong to it; they are not for editing. LICENSE is what they are under.
"""
'''


@dataclass(frozen=True)
class Copy:
    """A copy that can be written to a folder: `files` by path, sorted, all but the manifest."""

    version: str
    parts: tuple[str, ...]
    files: dict[str, bytes]

    @cached_property
    def manifest(self) -> Manifest:
        """What its MANIFEST.json says."""
        return Manifest(self.version, self.parts, self.entries)

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """What the manifest says of each file."""
        return {path: entry_of(data) for path, data in self.files.items()}


def own_copy(parts: tuple[str, ...]) -> Copy:
    """The copy of those parts of the tfmodel that runs. Raises VendorError where its sources or license are missing."""
    files = {
        path: relative(path, data) if path.endswith(".py") else data
        for path, data in files_of(parts, own_files(), __version__).items()
    }
    files["LICENSE"] = license_text()
    files["__init__.py"] = _INIT_SOURCE.format(version=__version__, parts=", ".join(parts)).encode()
    return Copy(__version__, parts, dict(sorted(files.items())))
