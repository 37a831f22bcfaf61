"""A simple reader of checkpoints, to compare the results of `Checkpoint` with.

stored = Stored(["model.index"], 2, checked=True)
stored.check_entry("w", entry)         # AssertionError if the index has another entry
stored.check_array("w", array)         # AssertionError if the file has other values
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tfmodel.files.access.crc32c import crc32c, mask
from tfmodel.files.checkpoints.index import encode_slice_key
from tfmodel.messages import BundleEntryProto, SavedTensorSlices, TensorProto, TensorShapeProto, TensorSliceProto
from tfmodel.values.dtypes import dtype_of

from . import reference

__all__ = ["Stored"]

MAX_ELEMENTS = 1 << 16  # elements that are compared


class Stored:
    """The records of a checkpoint's tables. `checked`: the checkpoint is valid, including its checksums."""

    def __init__(self, files: list[str], version: int, *, checked: bool) -> None:
        self._version, self._checked = version, checked
        self._records: dict[bytes, bytes] = {}
        self._slices: dict[str, list[TensorSliceProto]] = {}
        self._shards: dict[int, bytes] = {}
        self._prefix = files[0].removesuffix(".index")
        for file in files:
            records = reference.records(Path(file).read_bytes(), checked=checked)
            if version == 1:
                meta = SavedTensorSlices.from_bytes(records[0][1]).meta
                for tensor in meta.tensor if meta is not None else []:
                    self._slices.setdefault(tensor.name, []).extend(tensor.slice)
            self._records |= dict(records)
        self._header = reference.header(records) if version == 2 else None

    def check_entry(self, name: str, entry: Any) -> None:
        """Assert that an entry equals its record."""
        if self._version == 1:
            return
        record = self._entry(name.encode())
        assert (entry.dtype, entry.shape) == (record.dtype, _sizes(record.shape))
        if not record.slices:
            expected = (record.shard_id, record.offset, record.size, record.crc32c)
            assert (entry.shard, entry.offset, entry.size, entry.crc32c) == expected
        assert len(entry.slices) == len(record.slices)

    def check_array(self, name: str, array: Any) -> None:
        """Assert that the elements of an array equal those in the files."""
        if array.size > MAX_ELEMENTS or (self._header is not None and self._header.endianness):
            return
        slices = self._slices.get(name, [])
        if self._version == 2:
            record = self._entry(name.encode())
            if not record.slices:
                self._compare(array, record)
                return
            slices = record.slices
        for part in slices:
            extents = [
                (0, -1) if extent.length in (None, -1) else (extent.start, extent.length) for extent in part.extent
            ]
            where = tuple(slice(start, None if size == -1 else start + size) for start, size in extents)
            stored = self._records[encode_slice_key(name, extents)]
            self._compare(
                array[(*where, ...)],
                SavedTensorSlices.from_bytes(stored) if self._version == 1 else BundleEntryProto.from_bytes(stored),
            )

    def _entry(self, key: bytes) -> BundleEntryProto:
        return BundleEntryProto.from_bytes(self._records[key])

    def _compare(self, array: Any, stored: BundleEntryProto | SavedTensorSlices) -> None:
        expected = self._stored(stored, array)
        if expected is None:
            return
        flat = np.ascontiguousarray(array).reshape(-1)
        if array.dtype == object:
            assert flat.tolist() == expected
        else:
            assert flat.tobytes() == b"".join(expected)

    def _stored(self, stored: BundleEntryProto | SavedTensorSlices, array: Any) -> list[bytes] | None:
        """Return the stored elements of a tensor or a part; None for types whose arrays have another representation."""
        if isinstance(stored, SavedTensorSlices):
            values = stored.data.data if stored.data is not None else None
            return _listed(values or TensorProto(), array)
        row = dtype_of(stored.dtype)
        if row.codec:
            return None
        if stored.shard_id not in self._shards:
            self._shards[stored.shard_id] = self._shard(stored.shard_id)
        content = self._shards[stored.shard_id][stored.offset : stored.offset + stored.size]
        if row.is_object:
            return reference.strings(content, array.size)
        assert not self._checked or mask(crc32c(content)) == stored.crc32c, "it was read, and its checksum is wrong"
        return [bytes(map(bool, content)) if array.dtype == bool else content]  # arrays hold 0 and 1 only

    def _shard(self, number: int) -> bytes:
        assert self._header is not None
        prefix = Path(self._prefix)
        exact = prefix.with_name(f"{prefix.name}.data-{number:05d}-of-{self._header.num_shards:05d}")
        if not exact.exists():
            paths = prefix.parent.glob(f"*.data-{number:05d}-of-*")
            (exact,) = (path for path in paths if path.is_file())
        return exact.read_bytes()


def _listed(tensor: TensorProto, array: Any) -> list[bytes] | None:
    """Return the elements listed in one of the fields of a tensor, which has neither a type nor a shape here.

    None if one of them is a NaN, of which Python's floats do not keep all bits.
    """
    for field, kind in (("float_val", "f4"), ("double_val", "f8"), ("int64_val", "i8"), ("string_val", "O")):
        values = getattr(tensor, field)
        if any(value != value for value in values):
            return None
        if values and (array.dtype == np.dtype(kind)) and len(values) == array.size:
            return [bytes(value) for value in values] if kind == "O" else [np.array(list(values), kind).tobytes()]
    return None


def _sizes(shape: TensorShapeProto | None) -> tuple[int, ...]:
    return tuple(dim.size for dim in shape.dim) if shape is not None else ()
