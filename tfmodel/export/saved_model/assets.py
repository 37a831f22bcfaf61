"""The assets of a SavedModel: files in its folder "assets", such as vocabularies, whose paths nodes of the graph hold.

A loader of a SavedModel replaces the value of such a node by the path of the file in the folder. The files come from
the folder of the SavedModel that was opened, from beside a .meta whose collection "asset_filepaths" names the nodes, or
from the caller. A model never makes the program read a file outside of its own folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from ...errors import Error, GraphError, Hint, ModelError
from ...graph import const_tensor
from ...graph.error_text import guess, quote
from ...messages import AssetFileDef, GraphDef, MetaGraphDef, NodeDef, TensorInfo
from ...source.assets import _FOLDER, asset_file
from ...source.loading import assets_of
from ...source.model_source import ModelSource
from ...values.names import TakenNames, TensorName
from ...values.tensors import to_ndarray

GivenAssets: TypeAlias = "Mapping[str, str | os.PathLike[str]] | Iterable[str | os.PathLike[str]]"
"""Files by the name of the node that holds the path, or files whose nodes are found by the name of the file."""

_PATHS = "asset_filepaths"  # the collection in which TensorFlow 1 lists tensors with the paths of files
_IN_COLLECTION = "saved_model_assets"  # the collection in which TensorFlow 1 lists the AssetFileDefs of a SavedModel
_MAX_PATH_BYTES = 1 << 16


def stored_assets(meta: MetaGraphDef, folder: str) -> dict[str, str]:
    """Return the files of a MetaGraph's assets in the folder of its SavedModel, by their names in "assets"."""
    names = [_checked_name(asset.filename) for asset in assets_of(meta).values()]
    return {name: asset_file(folder, name) for name in names}


def given_assets(graph: GraphDef, assets: GivenAssets) -> dict[str, str]:
    """Return the files that a caller gives, by the names of the nodes that hold their paths.

    Raises ModelError for a name that is not that of a node with a path, and for a file that no node names, or several.
    """
    if isinstance(assets, Mapping):
        files = {TensorName.parse(name).node: os.fspath(path) for name, path in assets.items()}
    else:
        if isinstance(assets, (str, bytes, os.PathLike)):
            raise TypeError(f"assets are several files, or a mapping from names of nodes to files, not {assets!r}")
        files = dict(_find_nodes(graph, [os.fspath(path) for path in assets]))
    nodes = {node.name: node for node in graph.node if node.name in files}
    for name, path in files.items():
        if name not in nodes:
            raise ModelError(f"there is no node {quote(name)}{guess(name, (node.name for node in graph.node))}")
        if _path_in(nodes[name]) is None:
            raise ModelError(f"the node {quote(name)} does not hold the path of a file: it is not a constant string")
        if not os.path.isfile(path):
            raise ModelError(f"the asset {quote(path)} is not a file")
    return files


def _find_nodes(graph: GraphDef, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the node that holds the path of each file, and the path of the file: the names of both files are equal."""
    nodes: dict[str, list[str]] = {}
    for node in graph.node:
        if (path := _path_in(node)) is not None:
            nodes.setdefault(_base_name(path), []).append(node.name)
    for path in paths:
        names = nodes.get(os.path.basename(path), [])
        if len(names) == 1:
            yield names[0], path
            continue
        which = f"the nodes {', '.join(map(quote, names))} hold" if names else "no node holds"
        raise ModelError(f"{which} the path of a file called {quote(os.path.basename(path))}: ", Hint.GIVE_ASSET)


def _path_in(node: NodeDef) -> str | None:
    """Return the path of a file that a constant may hold; None for other nodes."""
    if node.op != "Const":
        return None
    try:
        array = to_ndarray(const_tensor(node), max_fill=_MAX_PATH_BYTES)
    except Error:
        return None
    values = array.reshape(-1)
    if values.size != 1 or not isinstance(values[0], bytes) or not values[0]:
        return None
    return values[0].decode("utf-8", "surrogateescape")


def _base_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def add_assets(source: ModelSource, meta: MetaGraphDef, given: Mapping[str, str], *, keep_all: bool) -> dict[str, str]:
    """Set the assets of a MetaGraph, and return their files by their names in the folder "assets".

    `given` are files by the names of nodes. Assets whose node is not in the graph are removed, unless `keep_all` is
    set, since the objects of a TF2 model refer to assets by their numbers. Raises ModelError for a file that is not
    known, and GraphError as `asset_file` does.
    """
    assert meta.graph_def is not None
    nodes = {node.name: node for node in meta.graph_def.node}
    declared = assets_of(meta)
    kept = {name: asset for name, asset in declared.items() if keep_all or name in nodes}
    if len(kept) < len(declared):
        meta.asset_file_def = list(kept.values())
        meta.collection_def = {
            name: collection for name, collection in meta.collection_def.items() if name != _IN_COLLECTION
        }
    files: dict[str, str] = {}
    for name, asset in kept.items():
        filename = _checked_name(asset.filename)
        if name in given:
            files[filename] = given[name]
        elif source.folder:
            files[filename] = asset_file(source.folder, filename)
        else:
            raise ModelError(f"the file of the asset {quote(asset.filename)} is not known: ", Hint.GIVE_ASSET)
    new = {name: path for name, path in given.items() if name not in kept}
    for name in _named_in_collection(meta, nodes):
        if name not in kept and name not in new:
            new[name] = _beside(source, nodes[name])
    taken = TakenNames(files)
    added = []
    for name, path in new.items():
        filename = taken.fresh(_base_name(path))
        files[filename] = path
        added.append(AssetFileDef(tensor_info=TensorInfo(name=TensorName(name).numbered), filename=filename))
    if added:
        meta.asset_file_def = [*(meta.asset_file_def or kept.values()), *added]
    return files


def _checked_name(name: str) -> str:
    parts = name.replace("\\", "/").split("/")
    if "\0" in name or ".." in parts or "" in parts:
        raise GraphError(f"the asset {quote(name)} is not in the folder of the model's assets")
    return name


def _named_in_collection(meta: MetaGraphDef, nodes: Mapping[str, NodeDef]) -> list[str]:
    """Return the nodes that the collection "asset_filepaths" names and the graph has."""
    collection = meta.collection_def.get(_PATHS)
    if collection is None or collection.node_list is None:
        return []
    names = [TensorName.parse(name).node for name in collection.node_list.value]
    return [name for name in dict.fromkeys(names) if name in nodes and _path_in(nodes[name]) is not None]


def _beside(source: ModelSource, node: NodeDef) -> str:
    """Return the file that a node of a .meta names, which is in the folder of the .meta, or in "assets" beside it."""
    path = _path_in(node) or ""
    home = os.path.dirname(os.path.abspath(source.file.path)) if source.file is not None and source.file.path else ""
    for name in (path, _base_name(path), os.path.join(_FOLDER, _base_name(path))) if home and "\0" not in path else ():
        candidate = os.path.realpath(os.path.join(home, name))
        if os.path.isfile(candidate) and Path(candidate).is_relative_to(os.path.realpath(home)):
            return candidate
    raise ModelError(f"the file of the asset {quote(path)} is not beside the model: ", Hint.GIVE_ASSET)
