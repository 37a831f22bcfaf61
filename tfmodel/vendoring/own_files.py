"""Read our own files from a checkout, an installed wheel, a copy or a .pyz, and make a copy of them in memory.

Files are returned as they are where our packages are top-level, by paths such as "tfmodel/cli/dump.py". The schema is
always "tfmodel/_schema". A copy has the files of some parts, with relative imports, and their manifest.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING

import pbwire

from .. import __version__, messages
from .imports import absolute, relative
from .manifest import Entry, Manifest, VendorError, entry_of
from .parts import files_of

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["Copy", "license_text", "own_copy", "own_files"]


_PACKAGE = __package__.rpartition(".")[0]
_TABLES = "_schema"
_SUFFIXES = (".py", ".gz")
_OTHERS = ("py.typed",)


def own_files() -> dict[str, bytes]:
    """Return the files of all our packages by path, sorted. Raises VendorError if the sources are missing."""
    tables = importlib.import_module(f".{_TABLES}", messages.__package__)  # found by `messages`
    sources = {
        **dict(_files_in(files(pbwire), "pbwire/")),
        **dict(_files_in(files(_PACKAGE), "tfmodel/", leaving_out=_TABLES)),
        **dict(_files_in(files(tables), f"tfmodel/{_TABLES}/")),
    }
    for path in ("pbwire/__init__.py", "tfmodel/__init__.py", f"tfmodel/{_TABLES}/__init__.py"):
        if path not in sources:
            raise VendorError(f"{path}: this tfmodel has no source files, so there is nothing to copy")
    if pbwire.__name__ != "pbwire":  # this is a copy
        sources = {path: absolute(path, data) if path.endswith(".py") else data for path, data in sources.items()}
    return dict(sorted(sources.items()))


def _files_in(folder: Traversable, path: str, leaving_out: str = "") -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            if entry.name.isidentifier() and entry.name not in ("__pycache__", leaving_out):
                yield from _files_in(entry, f"{path}{entry.name}/")
        elif entry.name[0] != "." and (entry.name.endswith(_SUFFIXES) or entry.name in _OTHERS):
            yield path + entry.name, entry.read_bytes()


def license_text() -> bytes:
    """Return our license, from the metadata of the installed distribution or from the folder of the packages.

    Raises VendorError if there is no license.
    """
    installed = _license_of_distribution()
    if installed is not None:
        return installed
    license_file = _license_next_to(files(_PACKAGE))
    if license_file is None:
        raise VendorError("LICENSE: this tfmodel has no license file, and copies need it: install tfmodel again")
    return license_file


def _license_of_distribution() -> bytes | None:
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        installed = distribution("tfmodel")
    except PackageNotFoundError:
        return None
    is_this = str(installed.locate_file("tfmodel")) == str(files(_PACKAGE))  # another tfmodel may be installed
    text = installed.read_text("licenses/LICENSE") if is_this else None
    return text.encode() if text else None


def _license_next_to(package: Traversable) -> bytes | None:
    parent = getattr(package, "parent", None)  # of folders and archives
    path = parent / "LICENSE" if parent is not None else None
    return path.read_bytes() if path is not None and path.is_file() else None


_INIT_SOURCE = '''\
"""A copy of tfmodel {version} ({parts}), made by `python -m tfmodel vendor`, which also checks and updates it.

Do not edit its files, which MANIFEST.json lists. They are under the license in LICENSE.
"""
'''


@dataclass(frozen=True)
class Copy:
    """A copy in memory: `files` by path, sorted, without the manifest."""

    version: str
    parts: tuple[str, ...]
    files: dict[str, bytes]

    @cached_property
    def manifest(self) -> Manifest:
        """The content of MANIFEST.json."""
        return Manifest(self.version, self.parts, self.entries)

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """The entries of the manifest, by path."""
        return {path: entry_of(data) for path, data in self.files.items()}


def own_copy(parts: tuple[str, ...]) -> Copy:
    """Return a copy of parts of the running tfmodel. Raises VendorError if its sources or license are missing."""
    files = {
        path: relative(path, data) if path.endswith(".py") else data
        for path, data in files_of(parts, own_files(), __version__).items()
    }
    files["LICENSE"] = license_text()
    files["__init__.py"] = _INIT_SOURCE.format(version=__version__, parts=", ".join(parts)).encode()
    return Copy(__version__, parts, dict(sorted(files.items())))
