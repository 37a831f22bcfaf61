"""The signatures and collections that a MetaGraph declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...dtypes import dtype_name
from ...messages import CollectionDef, MetaGraphDef, SignatureDef, TensorInfo
from ...shape import shape_of_proto
from ...shapes import Shape

__all__ = [
    "NamedTensor",
    "SignatureFacts",
    "collected_losses",
    "count_collections",
    "list_signatures",
]


@dataclass(frozen=True, slots=True)
class NamedTensor:
    """An input or output of a signature: its name there, the tensor in the graph, dtype and shape."""

    name: str
    tensor: str
    dtype: str
    shape: Shape | None


@dataclass(frozen=True, slots=True)
class SignatureFacts:
    """A signature of a model."""

    name: str
    method: str
    inputs: Sequence[NamedTensor]
    outputs: Sequence[NamedTensor]


_DEFAULT = "serving_default"
_INTERNAL = "__saved_model_"


def list_signatures(meta: MetaGraphDef, *, internal: bool = False) -> list[SignatureFacts]:
    """Return the signatures of a MetaGraph, the default one first; those that only initialize with `internal`."""
    names = sorted(name for name in meta.signature_def if internal or not name.startswith(_INTERNAL))
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
    """Yield one tensor, or the components of a sparse or composite tensor."""
    shape = shape_of_proto(info.tensor_shape)
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


def collected_losses(meta: MetaGraphDef | None) -> list[str]:
    """Return the names in the collection "losses", to which TensorFlow's own loss functions add theirs."""
    collection = meta.collection_def.get("losses") if meta is not None else None
    return list(collection.node_list.value) if collection is not None and collection.node_list is not None else []


def count_collections(meta: MetaGraphDef) -> dict[str, int]:
    """Return the collections of a MetaGraph with their numbers of values."""
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
