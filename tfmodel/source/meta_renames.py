"""Let a MetaGraph name the nodes and tensors of a changed graph: signatures, collections, savers, assets, objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pbwire import wellknown
from pbwire.codec.copy import share

from ..errors import GraphError
from ..messages import AssetFileDef, CollectionDef, GraphDef, MetaGraphDef, SavedObjectGraph, SaverDef, TensorInfo
from ..values.names import Renames, TensorName, node_name
from .collections import as_any, elements, encode_collection, node_names, rename_tensors
from .signature_defs import rename_signature, tensors_of


def with_changed_graph(meta: MetaGraphDef, graph: GraphDef, renames: Renames) -> MetaGraphDef:
    """Return a copy of a MetaGraph with another graph, which names the nodes and tensors of that graph.

    `renames` are from the old graph to the new one. Signatures, elements of collections, savers and assets that name
    other nodes are left out, and collections that have no element any more. The objects of a TF2 model stay, even those
    of constants and assets that are gone: they lead to the keys of variables in a checkpoint. `export.saved_model` does
    not write objects that do not fit the graph.
    """
    return _MetaOfGraph(graph, renames).changed(meta)


def fitting_collections(
    collections: Mapping[str, CollectionDef], graph: GraphDef, renames: Renames
) -> dict[str, CollectionDef]:
    """Return the collections with new names and without elements of nodes that the graph does not have.

    A collection that has no element any more is left out; one that does not change is the same object.
    """
    return _MetaOfGraph(graph, renames).collections(collections)


class _MetaOfGraph:
    """Renames the parts of a MetaGraph, and finds those that name nodes which the new graph does not have."""

    def __init__(self, graph: GraphDef, renames: Renames) -> None:
        self._graph = graph
        self._names = {node.name for node in graph.node}
        self._renames = renames

    def changed(self, meta: MetaGraphDef) -> MetaGraphDef:
        new = share(meta)
        new.graph_def = self._graph
        signatures = {key: rename_signature(old, self._renames.tensor) for key, old in meta.signature_def.items()}
        new.signature_def = {
            key: signature
            for key, signature in signatures.items()
            if self._has(tensors_of(signature.inputs) + tensors_of(signature.outputs))
        }
        new.collection_def = self.collections(meta.collection_def)
        if meta.saver_def is not None:
            saver = self._saver(meta.saver_def)
            new.saver_def = saver if self._has(_names_in_saver(saver)) else None
        objects = meta.object_graph_def
        has_numbers = objects is not None and any(item.asset is not None for item in objects.nodes)
        assets = [self._asset(asset) for asset in meta.asset_file_def]
        new.asset_file_def = [asset for asset in assets if has_numbers or self._has(_names_in_asset(asset))]
        if objects is not None:
            new.object_graph_def = self._objects(objects)
        return new

    def collections(self, collections: Mapping[str, CollectionDef]) -> dict[str, CollectionDef]:
        fitting = {key: self._collection(key, collection) for key, collection in collections.items()}
        return {key: collection for key, collection in fitting.items() if collection is not None}

    def _has(self, names: list[str]) -> bool:
        """Return whether the new graph has all nodes of some references; False for a text that is not a reference."""
        try:
            return {TensorName.parse(name).node for name in names} <= self._names
        except GraphError:
            return False

    def _collection(self, key: str, collection: CollectionDef) -> CollectionDef | None:
        """Return a collection with new names and without elements of nodes that are gone; None if none is left."""
        values: list[Any] = []
        changed = False
        for element in elements(key, collection):
            value, needed = self._element(element.value)
            if needed <= self._names:
                values.append(value)
                changed = changed or value != element.value
            else:
                changed = True
        if not changed:
            return collection
        if collection.any_list is not None:  # a registered collection may hold an Any, too
            values = [value if isinstance(value, wellknown.Any) else as_any(value) for value in values]
        return encode_collection(key, values) if values else None

    def _element(self, value: Any) -> tuple[Any, set[str]]:
        """Return an element of a collection with its new names, and the names of the nodes that it needs."""
        if isinstance(value, (bytes, wellknown.Any)):
            return value, set()  # a program's own data: its names are not known
        if isinstance(value, SaverDef):
            value = self._saver(value)
            return value, {*map(node_name, _names_in_saver(value))}
        if isinstance(value, AssetFileDef):
            value = self._asset(value)
            return value, {*map(node_name, _names_in_asset(value))}
        value = rename_tensors(value, self._node)
        return value, {*node_names(value)}

    def _saver(self, saver: SaverDef) -> SaverDef:
        new = share(saver)
        new.filename_tensor_name = self._node(saver.filename_tensor_name)
        new.save_tensor_name = self._node(saver.save_tensor_name)
        new.restore_op_name = self._node(saver.restore_op_name)
        return new

    def _asset(self, asset: AssetFileDef) -> AssetFileDef:
        if asset.tensor_info is None or not asset.tensor_info.name:
            return asset
        new = share(asset)
        new.tensor_info = TensorInfo.from_bytes(asset.tensor_info.to_bytes())
        new.tensor_info.name = _spelled(asset.tensor_info.name, self._renames.tensor)
        return new

    def _objects(self, objects: SavedObjectGraph) -> SavedObjectGraph:
        constants = [item.constant.operation for item in objects.nodes if item.constant is not None]
        if all(self._renames.node(name) == name for name in constants):
            return objects
        new = SavedObjectGraph.from_bytes(objects.to_bytes())
        for item in new.nodes:
            if item.constant is not None:
                item.constant.operation = self._renames.node(item.constant.operation)
        return new

    def _node(self, text: str) -> str:
        """Return a reference with the new name of its node. A tensor that replaces another one does not count."""
        return _spelled(text, lambda tensor: tensor._replace(node=self._renames.node(tensor.node)))


def _names_in_saver(saver: SaverDef) -> list[str]:
    names = (saver.filename_tensor_name, saver.save_tensor_name, saver.restore_op_name)
    return [name for name in names if name]


def _names_in_asset(asset: AssetFileDef) -> list[str]:
    return [asset.tensor_info.name] if asset.tensor_info is not None and asset.tensor_info.name else []


def _spelled(text: str, rename: Callable[[TensorName], TensorName]) -> str:
    """Return the new name of a node or tensor, with its port if the old one was written with a port."""
    try:
        tensor = TensorName.parse(text)
    except GraphError:
        return text
    renamed = rename(tensor)
    return text if renamed == tensor else str(renamed) if str(tensor) == text else renamed.numbered
