"""The loading of a MetaGraph: the nodes that it runs, and the assets whose paths it feeds."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from ..messages import (
    AssetFileDef,
    AttrValue,
    DataType,
    MetaGraphDef,
    NodeDef,
    TensorProto,
    TensorShapeProto,
)
from ..ops.traits import CONSTS, PLACEHOLDERS
from ..values.names import TensorName
from .signature_defs import INTERNAL_SIGNATURES

_INIT_COLLECTIONS = ("saved_model_main_op", "legacy_init_op", "saved_model_init_op", "table_initializer")


def init_ops(meta: MetaGraphDef | None) -> list[str]:
    """Return the names of the nodes that initialise a loaded model, such as nodes that fill its lookup tables."""
    if meta is None:
        return []
    names = []
    for key in _INIT_COLLECTIONS:
        collection = meta.collection_def.get(key)
        if collection is not None and collection.node_list is not None:
            names += collection.node_list.value
    for key, signature in meta.signature_def.items():
        if key.startswith(INTERNAL_SIGNATURES):
            names += [info.name for info in signature.outputs.values() if info.name]
    return list(dict.fromkeys(TensorName.parse(name).node for name in names))


def assets_of(meta: MetaGraphDef | None) -> dict[str, AssetFileDef]:
    """Return the assets of a MetaGraph by the names of the nodes that hold their paths."""
    return {TensorName.parse(tensor).node: asset for tensor, asset in _named_assets(meta)}


def asset_tensors(meta: MetaGraphDef | None) -> dict[TensorName, str]:
    """Return the names of assets by the tensors in whose place their paths are fed while the model is loaded."""
    return {TensorName.parse(tensor): asset.filename for tensor, asset in _named_assets(meta)}


def path_constants(
    nodes: Mapping[str, NodeDef], paths: Mapping[str, str]
) -> Iterator[tuple[NodeDef, dict[str, AttrValue]]]:
    """Yield the nodes that hold paths of assets, with the attributes of the Const of the path in `paths` for each."""
    for name, path in paths.items():
        node = nodes.get(name)
        if node is not None and node.op in CONSTS | PLACEHOLDERS:
            value = TensorProto(
                dtype=DataType.DT_STRING, tensor_shape=TensorShapeProto(), string_val=[os.fsencode(path)]
            )
            yield node, {"dtype": AttrValue(type=value.dtype), "value": AttrValue(tensor=value)}


def _named_assets(meta: MetaGraphDef | None) -> list[tuple[str, AssetFileDef]]:
    """Return the assets of a MetaGraph, each with the name of its tensor."""
    if meta is None:
        return []
    assets = [*meta.asset_file_def, *_assets_in_collection(meta)]
    return [(info.name, asset) for asset in assets if (info := asset.tensor_info) is not None and info.name]


def _assets_in_collection(meta: MetaGraphDef) -> list[AssetFileDef]:
    """Return the assets in the collection "saved_model_assets", in which TensorFlow 1 lists them."""
    collection = meta.collection_def.get("saved_model_assets")
    if collection is None or collection.any_list is None:
        return []
    return [AssetFileDef.from_bytes(any_.value) for any_ in collection.any_list.value]
