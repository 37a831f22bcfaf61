"""Under which name a folder is imported."""

from __future__ import annotations

import os
from keyword import iskeyword

from .parts import IMPORTS

__all__ = ["import_line", "is_package_name", "package_of"]

_SOURCES = "src"  # the folder in which many projects have their packages


def import_line(package: str, parts: tuple[str, ...]) -> str:
    """The line that imports a copy of those parts."""
    below, name = IMPORTS[parts[-1]]
    return f"from {package}{below} import {name}"


def is_package_name(name: str) -> bool:
    """Is this a name that can be imported, such as "app._vendor"?"""
    return all(part.isidentifier() and not iskeyword(part) for part in name.split("."))


def package_of(folder: str) -> tuple[str, str]:
    """What a folder is called when it is imported, and the folder that has to be on sys.path for that.

    The packages around it count, as far as they have an __init__.py; or else the folders from the current one on. The
    name may be none that can be imported; if a folder's name has a dot it is the path, "./app/v1.2".
    """
    path, here = os.path.realpath(folder), os.path.realpath(os.curdir)
    root = os.path.dirname(path)
    while os.path.isfile(os.path.join(root, "__init__.py")) and os.path.dirname(root) != root:
        root = os.path.dirname(root)
    inside = path.startswith(os.path.join(here, ""))
    if root == os.path.dirname(path) and inside:
        root = here
        if os.path.relpath(path, here).startswith(_SOURCES + os.sep):
            root = os.path.join(here, _SOURCES)
    below = os.path.relpath(path, root)
    if "." in below:
        return os.path.join(os.curdir, below), root
    return below.replace(os.sep, "."), root
