"""Our own files, wherever this runs from: a checkout, an installed wheel, a copy in somebody's tree, a .pyz.

They are given as they are in the place where our packages are top-level, by paths such as "tfmodel/cli/dump.py". The
tables are "tfmodel/_schema" in all of them, whatever their folder is called here.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from importlib.resources import files
from typing import TYPE_CHECKING

import pbwire

from .. import messages
from .imports import absolute
from .manifest import VendorError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["license_text", "own_files"]

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
