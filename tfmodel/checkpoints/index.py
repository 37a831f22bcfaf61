"""The messages in the table of a checkpoint, decoded without reading a tensor.

The two formats differ only from the first record on:

    V2, P.index     the header under the empty key, then an entry for every tensor under its name. Of a tensor stored
                    in parts, every part has an entry of its own under an encoded key: see `slice_key`.
    V1, P itself    a table of contents under the empty key. All other records are tensors and are not read here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from pbwire.errors import DecodeError
from pbwire.printable import is_visible
from pbwire.raw import walk
from pbwire.table import Message
from pbwire.wire import Buffer, WireType

from ..errors import CheckpointError
from ..messages import BundleEntryProto, BundleHeaderProto, SavedSliceMeta, SavedTensorSliceMeta, SavedTensorSlices
from .slice_key import SliceKey, decode_slice_key
from .table_file import Record, TableFile

__all__ = ["BundleIndex", "Index", "SlicesIndex", "begins_slices", "message_of", "read_index"]

M = TypeVar("M", bound=Message)

_SHOWN = 100  # characters of a key or name, in an error


@dataclass(frozen=True, slots=True)
class BundleIndex:
    """The index of a V2 checkpoint. Both dicts keep the order of the file."""

    header: BundleHeaderProto
    entries: dict[str, BundleEntryProto]
    slices: dict[SliceKey, BundleEntryProto]
    """The slices of the tensors whose entry has `slices`."""


@dataclass(frozen=True, slots=True)
class SlicesIndex:
    """The table of contents of a V1 checkpoint file. One file may have only some of the slices of a tensor."""

    meta: SavedTensorSliceMeta

    @property
    def entries(self) -> dict[str, SavedSliceMeta]:
        return {tensor.name: tensor for tensor in self.meta.tensor}


Index: TypeAlias = BundleIndex | SlicesIndex


def read_index(data: Buffer, *, checksums: bool = True) -> Index:
    """Decode the table file `data`. Raises CheckpointError if it is damaged or not a checkpoint."""
    records = iter(TableFile(data, checksums=checksums))
    first = next(records, None)
    if first is None or first.key != b"":
        raise CheckpointError("not a checkpoint: the table has no record under the empty key")
    if begins_slices(first):
        slices = message_of(SavedTensorSlices, first, "the table of contents")
        return SlicesIndex(slices.meta or SavedTensorSliceMeta())
    return _bundle(message_of(BundleHeaderProto, first, "the header"), records)


def begins_slices(first: Record) -> bool:
    """Return whether the first record is a V1 table of contents: its field 1 is a message, a number in a V2 header."""
    try:
        return any(field.number == 1 and field.wire_type == WireType.LENGTH for field in walk(first.value))
    except DecodeError as error:
        raise CheckpointError(
            f"damaged index: in the first record, which begins at byte {first.offset:,}: {error}"
        ) from error


def _bundle(header: BundleHeaderProto, records: Iterator[Record]) -> BundleIndex:
    index = BundleIndex(header, {}, {})
    for record in records:
        try:
            key = decode_slice_key(record.key) if record.key[0] == 0 else record.key.decode()
        except ValueError as error:
            shown = repr(record.key[:_SHOWN])[1:]
            what = f"is not UTF-8: {error}" if record.key[0] else f"is not the key of a slice: {error}"
            raise CheckpointError(f"damaged index: the key {shown} at byte {record.offset:,} {what}") from error
        entry = message_of(BundleEntryProto, record, f"the entry {_quoted(str(key))}")
        if isinstance(key, SliceKey):
            index.slices[key] = entry
        else:
            index.entries[key] = entry
    return index


def message_of(cls: type[M], record: Record, what: str) -> M:
    """Decode the message of a record. Raises CheckpointError, which calls the message `what`, if that fails."""
    try:
        return cls.from_bytes(bytes(record.value))
    except DecodeError as error:
        raise CheckpointError(f"damaged index: in {what}, which begins at byte {record.offset:,}: {error}") from error


def _quoted(name: str) -> str:
    return f'"{name[:_SHOWN]}"' if is_visible(name) else ascii(name[:_SHOWN])
