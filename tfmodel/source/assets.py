"""The files of assets in the folder of a SavedModel, none of them outside of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import GraphError
from ..files.access.stand_ins import lfs_pointer
from ..graph.error_text import quote

_FOLDER = "assets"


def asset_file(folder: str, name: str) -> str:
    """Return the path of the asset `name` in the folder of a SavedModel.

    Raises GraphError for a path outside of its folder of assets, and if something other than a file is there.
    """
    home = os.path.join(folder, _FOLDER)
    path = os.path.join(home, name)
    if "\0" in path:
        raise GraphError(f"the asset {quote(path)} has a name that no file can have")
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(home)):
        raise GraphError(f"the asset {quote(path)} is not in the folder of the model's assets")
    if os.path.exists(path) and not os.path.isfile(path):  # reading a pipe would not end
        raise GraphError(f"the asset {quote(path)} is not a file")
    return path


def pointer_notes(paths: Iterable[str]) -> Iterator[str]:
    """Yield a line for each path of an asset at which a Git LFS pointer is in place of the file."""
    for path in sorted(set(paths)):
        if found := lfs_pointer(path):
            yield f"the asset {quote(os.path.basename(path))} is {found.what}: {found.advice}"
