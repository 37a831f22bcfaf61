"""What is around two graphs: signatures, tags, collections and so on of a MetaGraph, and versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pbwire.errors import DecodeError

from ...messages import TYPES
from ..describing import dtype_name, shape_text
from .changes import Change, changed_entries, changed_words, same_bytes

if TYPE_CHECKING:
    from pbwire import wellknown
    from pbwire.message import Message

    from ...messages import CollectionDef, GraphDef, MetaGraphDef, SignatureDef, TensorInfo, VersionDef

__all__ = ["compare_meta_graphs", "compare_versions"]


def compare_meta_graphs(before: MetaGraphDef, after: MetaGraphDef) -> Iterator[Change]:
    """What changed beside the graphs. Of what serves saving and loading alone it is only said that it did."""
    yield from changed_words("tags", _tags(before), _tags(after))
    for key in sorted(before.signature_def.keys() | after.signature_def.keys()):
        yield from _signatures(f"signature {key}", before.signature_def.get(key), after.signature_def.get(key))
    yield from changed_entries(
        "collection", before.collection_def, after.collection_def, _compare_collections, _collection_text
    )
    yield from changed_words("assets", _assets(before), _assets(after))
    if before.saver_def != after.saver_def:
        yield Change("saver", "", "", "it differs")


def compare_versions(before: GraphDef, after: GraphDef) -> Iterator[Change]:
    """The versions of two graphs."""
    yield from changed_words("versions", _version_text(before.versions), _version_text(after.versions))


def _tags(meta: MetaGraphDef) -> str:
    return ", ".join(sorted(meta.meta_info_def.tags)) if meta.meta_info_def else ""


def _assets(meta: MetaGraphDef) -> str:
    return ", ".join(asset.filename for asset in meta.asset_file_def)


def _version_text(versions: VersionDef | None) -> str:
    if versions is None:
        return ""
    bad = f", not {', '.join(map(str, versions.bad_consumers))}" if versions.bad_consumers else ""
    return f"producer {versions.producer}, for consumers from {versions.min_consumer}{bad}"


# --- signatures and collections --------------------------------------------------------------------------------------


def _signatures(what: str, before: SignatureDef | None, after: SignatureDef | None) -> Iterator[Change]:
    if before is None or after is None:
        yield from changed_words(what, _signature_text(before), _signature_text(after))
        return
    yield from changed_words(f"{what} method", before.method_name, after.method_name)
    yield from changed_entries(f"{what} input", before.inputs, after.inputs, _compare_tensors, _tensor_text)
    yield from changed_entries(f"{what} output", before.outputs, after.outputs, _compare_tensors, _tensor_text)


def _compare_tensors(what: str, one: TensorInfo, other: TensorInfo) -> Change | None:
    words = _tensor_text(one), _tensor_text(other)
    return Change(what, *words, "they differ" if words[0] == words[1] else "") if one != other else None


def _signature_text(signature: SignatureDef | None) -> str:
    return "" if signature is None else f"({_names(signature.inputs)}) -> ({_names(signature.outputs)})"


def _names(tensors: Mapping[str, TensorInfo]) -> str:
    return ", ".join(sorted(tensors))


def _tensor_text(info: TensorInfo) -> str:
    """`x:0 float32[?,4]`."""
    kind = "sparse" if info.coo_sparse else "composite" if info.composite_tensor else info.name or ""
    return f"{kind} {dtype_name(info.dtype)}{shape_text(info.tensor_shape)}".strip()


def _compare_collections(what: str, one: CollectionDef, other: CollectionDef) -> Change | None:
    if same_bytes(one, other) or _content(one) == _content(other):
        return None
    words = _collection_text(one), _collection_text(other)
    return Change(what, *words, "they differ" if words[0] == words[1] else "")


def _content(collection: CollectionDef) -> tuple[str | None, list[Any]]:
    """The kind and the values. What is packed is unpacked: a message may be written in more than one way."""
    kind = collection.which_oneof("kind")
    values = list(getattr(collection, kind).value) if kind else []
    return kind, [_unpacked(value) for value in values] if kind == "any_list" else values


def _unpacked(packed: wellknown.Any) -> Message:
    """The message in an Any; the Any itself if its type is not known, or if it is damaged."""
    cls = TYPES.get(packed.type_url.rpartition("/")[2])
    try:
        return packed if cls is None else cls.from_bytes(packed.value)
    except DecodeError:
        return packed


def _collection_text(collection: CollectionDef) -> str:
    kind = collection.which_oneof("kind")
    count = len(getattr(collection, kind).value) if kind else 0
    return f"{count:,} value{'' if count == 1 else 's'}"
