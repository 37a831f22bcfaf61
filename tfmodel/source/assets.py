"""The files of assets in the folder of a SavedModel, none of them outside of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import GraphError
from ..files.access.stand_ins import lfs_pointer
from ..graph.error_text import quote
from ..messages import GraphDef
from .loading import assets_of
from .model_source import ModelSource

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


def asset_files(graph: GraphDef, source: ModelSource) -> dict[str, str]:
    """Return the paths of the asset files that a graph of a model needs, by the Const that holds the path.

    Raises the errors of `asset_file`.
    """
    names = {node.name for node in graph.node}
    assets = assets_of(source.meta).items() if source.folder else ()
    return {name: asset_file(source.folder, asset.filename) for name, asset in assets if name in names}


def pointer_notes(paths: Iterable[str]) -> Iterator[str]:
    """Yield a line for each path of an asset at which a Git LFS pointer is in place of the file."""
    for path in sorted(set(paths)):
        if found := lfs_pointer(path):
            yield f"the asset {quote(os.path.basename(path))} is {found.what}: {found.advice}"
