"""Let a MetaGraph name the nodes and tensors of an edited graph: signatures, collections, savers, assets, objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pbwire.codec.copy import share

from ..errors import GraphError
from ..messages import CollectionDef, MetaGraphDef, SaverDef, SignatureDef, TensorInfo
from ..source.metagraph.collections import as_any, elements, encode_collection, node_names, rename_tensors
from ..source.signature_defs import rename_signature, tensors_of
from ..values.names import TensorName, node_name

Rename = Callable[[str], str]


def rename_in_meta(
    meta: MetaGraphDef, nodes: Mapping[str, str], tensors: Mapping[TensorName, TensorName], names: set[str]
) -> MetaGraphDef:
    """Return a copy of a MetaGraph that names nodes and tensors as the edited graph does.

    `nodes` maps old names of nodes to new ones, `tensors` the outputs that another tensor replaces. `names` are the
    nodes of the edited graph: signatures and elements of collections that name other nodes are left out.
    """

    def new_tensor(tensor: TensorName) -> TensorName:
        replaced = tensors.get(tensor)
        return replaced if replaced is not None else tensor._replace(node=nodes.get(tensor.node, tensor.node))

    def rename_output(text: str) -> str:
        return _spelled(text, new_tensor)

    def rename_node(text: str) -> str:
        return _spelled(text, lambda tensor: tensor._replace(node=nodes.get(tensor.node, tensor.node)))

    new = share(meta)
    new.signature_def = {
        key: renamed
        for key, signature in meta.signature_def.items()
        if _names(renamed := _signature(signature, new_tensor)) <= names
    }
    new.collection_def = {
        key: _collection(key, collection, rename_node, names) for key, collection in meta.collection_def.items()
    }
    if meta.saver_def is not None:
        new.saver_def = _saver(meta.saver_def, rename_node)
    new.asset_file_def = []
    for asset in meta.asset_file_def:
        copy = share(asset)
        if asset.tensor_info is not None:
            copy.tensor_info = TensorInfo.from_bytes(asset.tensor_info.to_bytes())
            copy.tensor_info.name = rename_output(asset.tensor_info.name) if asset.tensor_info.name else None
        new.asset_file_def.append(copy)
    if meta.object_graph_def is not None and any(
        item.constant is not None and item.constant.operation in nodes for item in meta.object_graph_def.nodes
    ):
        objects = type(meta.object_graph_def).from_bytes(meta.object_graph_def.to_bytes())
        for item in objects.nodes:
            if item.constant is not None:
                item.constant.operation = nodes.get(item.constant.operation, item.constant.operation)
        new.object_graph_def = objects
    return new


def _spelled(text: str, rename: Callable[[TensorName], TensorName]) -> str:
    """Return the new name of a node or tensor, with its port if the old one was written with a port."""
    try:
        tensor = TensorName.parse(text)
    except GraphError:
        return text
    renamed = rename(tensor)
    return text if renamed == tensor else str(renamed) if str(tensor) == text else renamed.numbered


def _signature(signature: SignatureDef, rename: Callable[[TensorName], TensorName]) -> SignatureDef:
    tensors = {*_tensors(signature)}
    return rename_signature(signature, {tensor: new for tensor in tensors if (new := rename(tensor)) != tensor})


def _tensors(signature: SignatureDef) -> list[TensorName]:
    names = tensors_of(signature.inputs) + tensors_of(signature.outputs)
    try:
        return [TensorName.parse(name) for name in names]
    except GraphError:
        return []


def _names(signature: SignatureDef) -> set[str]:
    return {tensor.node for tensor in _tensors(signature)}


def _collection(key: str, collection: CollectionDef, rename: Rename, names: set[str]) -> CollectionDef:
    """Return a collection with new names; elements of nodes that are gone are left out."""
    values: list[Any] = []
    changed = False
    for element in elements(key, collection):
        if element.problem:
            return collection  # a program's own data: its names are not known
        value = element.value
        if isinstance(value, SaverDef):
            value = _saver(value, rename)
            needed = {node_name(name) for name in (value.filename_tensor_name, value.save_tensor_name) if name}
        else:
            value = rename_tensors(value, rename)
            needed = {*node_names(value)}
        if not needed <= names:
            changed = True
            continue
        changed = changed or value != element.value
        values.append(value)
    if not changed:
        return collection
    if collection.any_list is not None:  # a registered collection may hold an Any, too
        values = [as_any(value) for value in values]
    return encode_collection(key, values)


def _saver(saver: SaverDef, rename: Rename) -> SaverDef:
    new = share(saver)
    new.filename_tensor_name = rename(saver.filename_tensor_name)
    new.save_tensor_name = rename(saver.save_tensor_name)
    new.restore_op_name = rename(saver.restore_op_name)
    return new
