"""Our own files, wherever this runs from: a checkout, an installed wheel, a copy in somebody's tree, a .pyz.

They are given as they are in the place where our packages are top-level, by paths such as "tfmodel/cli/dump.py". The
tables are "tfmodel/_schema" in all of them, whatever their folder is called here.

What a copy is made of: the files of some parts, rewritten so that they work in any package, and their manifest.
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
    """The files of all our packages, by path, sorted. Raises VendorError where they came without sources."""
    tables = importlib.import_module(f".{_TABLES}", messages.__package__)  # which messages knows how to find
    found = {
        **dict(_files_in(files(pbwire), "pbwire/")),
        **dict(_files_in(files(_PACKAGE), "tfmodel/", leaving_out=_TABLES)),
        **dict(_files_in(files(tables), f"tfmodel/{_TABLES}/")),
    }
    for path in ("pbwire/__init__.py", "tfmodel/__init__.py", f"tfmodel/{_TABLES}/__init__.py"):
        if path not in found:
            raise VendorError(f"{path}: this tfmodel is without its source files, so there is nothing to copy")
    if pbwire.__name__ != "pbwire":  # this is a copy
        found = {path: absolute(path, data) if path.endswith(".py") else data for path, data in found.items()}
    return dict(sorted(found.items()))


def _files_in(folder: Traversable, path: str, leaving_out: str = "") -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            if entry.name.isidentifier() and entry.name not in ("__pycache__", leaving_out):
                yield from _files_in(entry, f"{path}{entry.name}/")
        elif entry.name[0] != "." and (entry.name.endswith(_SUFFIXES) or entry.name in _OTHERS):
            yield path + entry.name, entry.read_bytes()


def license_text() -> bytes:
    """Our license. It stands beside the packages or, where they are installed, with what is known of them."""
    installed = _license_of_distribution()
    if installed is not None:
        return installed
    beside = _beside(files(_PACKAGE))
    if beside is None:
        raise VendorError("LICENSE: there is none with this tfmodel, and no copy goes without it: install it anew")
    return beside


def _license_of_distribution() -> bytes | None:
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = distribution("tfmodel")
    except PackageNotFoundError:
        return None
    with_sources = str(found.locate_file("tfmodel")) == str(files(_PACKAGE))  # else it is another tfmodel
    text = found.read_text("licenses/LICENSE") if with_sources else None
    return text.encode() if text else None


def _beside(package: Traversable) -> bytes | None:
    parent = getattr(package, "parent", None)  # folders and archives have one
    beside = parent / "LICENSE" if parent is not None else None
    return beside.read_bytes() if beside is not None and beside.is_file() else None


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
