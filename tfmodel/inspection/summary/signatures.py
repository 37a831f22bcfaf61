"""What stands around a graph: the ways to call it, in the words of the model itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...dtypes import dtype_name
from ...messages import CollectionDef, MetaGraphDef, SignatureDef, TensorInfo
from ...shapes.shape import of_proto
from .facts import NamedTensor, SignatureFacts

__all__ = ["collections_of", "signatures_of"]

_DEFAULT = "serving_default"
_INTERNAL = "__saved_model_"


def signatures_of(meta: MetaGraphDef) -> list[SignatureFacts]:
    """The signatures of a MetaGraph, the one for serving first. Those that only initialise are left out."""
    names = sorted(name for name in meta.signature_def if not name.startswith(_INTERNAL))
    names.sort(key=lambda name: name != _DEFAULT)
    return [_signature(name, meta.signature_def[name]) for name in names]


def _signature(name: str, signature: SignatureDef) -> SignatureFacts:
    return SignatureFacts(
        name, signature.method_name, list(_tensors(signature.inputs)), list(_tensors(signature.outputs))
    )


def _tensors(infos: Mapping[str, TensorInfo]) -> Iterator[NamedTensor]:
    for name in sorted(infos):
        yield from _parts(name, infos[name])


def _parts(name: str, info: TensorInfo) -> Iterator[NamedTensor]:
    """One tensor, or those that a sparse or another composite tensor consists of."""
    shape = of_proto(info.tensor_shape)
    sparse, composite = info.coo_sparse, info.composite_tensor
    if sparse is not None:
        dtype = dtype_name(info.dtype)
        rank = None if shape is None else len(shape)
        yield NamedTensor(f"{name} (values)", sparse.values_tensor_name, dtype, (None,))
        yield NamedTensor(f"{name} (indices)", sparse.indices_tensor_name, "int64", (None, rank))
        yield NamedTensor(f"{name} (shape)", sparse.dense_shape_tensor_name, "int64", (rank,))
    elif composite is not None:
        for number, part in enumerate(composite.components):
            yield from _parts(f"{name} ({number})", part)
    else:
        yield NamedTensor(name, info.name or "", dtype_name(info.dtype), shape)


def collections_of(meta: MetaGraphDef) -> dict[str, int]:
    """The collections of a MetaGraph, and how many values each has."""
    return {name: _length(meta.collection_def[name]) for name in sorted(meta.collection_def)}


def _length(collection: CollectionDef) -> int:
    kinds = (
        collection.node_list,
        collection.bytes_list,
        collection.int64_list,
        collection.float_list,
        collection.any_list,
    )
    return sum(len(kind.value) for kind in kinds if kind is not None)
