"""Version 2 checkpoints: `P.index`, a table of entries, and `P.data-?????-of-?????`, the raw bytes of the tensors.

The index is read when the checkpoint is opened, and the bytes of a tensor when it is used. The index has a checksum of
the bytes of each tensor.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from ...errors import CheckpointError, Error
from ...messages import BundleHeaderProto, DataType
from ...values.dtypes import Dtype
from ...values.terminal import escape
from ..access.crc32c import crc32c, unmask
from ..access.open_files import OpenFile
from ..access.stand_ins import STAND_IN_HEAD, stand_in
from .data_files import DataFiles, shard_name, unload
from .entries import BundleEntries, Damaged, Entry, Slice, about, check_version, fail, in_file
from .index import decode_record
from .strings import ByteOrder, read_strings, read_variants
from .table_file import Records, TableFile

if TYPE_CHECKING:
    import numpy.typing as npt

_OVERLAP = 16  # all tensors together may have at most this many times the bytes of the data files


class Bundle:
    """The reader of a V2 checkpoint: entries and their arrays.

    `opened` is its index, if that is open already. `verify` is as in Checkpoint. `damaged` is called with an error for
    each damaged block of the index; its records are left out.
    """

    version = 2

    def __init__(self, prefix: str, opened: OpenFile | None = None, *, verify: str, damaged: Damaged = fail) -> None:
        self.files = [f"{prefix}.index"]
        self._index = escape(self.files[0])
        self._checked = verify == "read"
        with opened.take() if opened is not None else open(self.files[0], "rb") as file:
            data = file.read()
        try:
            table = TableFile(data, checksums=verify != "off")
        except CheckpointError as error:
            found = stand_in(data[:STAND_IN_HEAD], len(data))
            raise CheckpointError(f"{self._index}: {found or error}") from error
        records: dict[str, bytes] = {}
        others: dict[bytes, bytes] = {}  # slices of tensors
        header = self._read(table, records, others, damaged)
        self._order: ByteOrder = "big" if header.endianness else "little"
        self.entries = BundleEntries(records, others, self._index)
        self._data = DataFiles(prefix, header.num_shards)
        self._reads = 0
        self._overlap = ""

    def check(self, dtype: Dtype, places: Sequence[Slice]) -> None:
        """Raise CheckpointError if the slices of a tensor do not fit into their data files.

        Each must be inside its file and have the size of its shape. Together they must not have more bytes than their
        files.
        """
        for place in places:
            size, elements = len(self._bytes(dtype, place)), prod(place.shape)
            if dtype.is_object and elements > size:  # each takes at least a byte, for its length
                raise CheckpointError(f"{size:,} bytes are too few for {elements:,} {dtype.name}s")
        size = sum(len(self._data.view(shard)) for shard in {place.shard for place in places})
        needed = sum(place.size or 0 for place in places)
        if needed > size:
            raise CheckpointError(f"its parts have {needed:,} bytes, but there are only {size:,}")

    def array(self, name: str, dtype: Dtype, place: Entry | Slice) -> npt.NDArray[Any]:
        """Return the array of a tensor or of a slice, in the type that users get. Raises CheckpointError."""
        data = self._locate(name, dtype, place)
        try:
            if dtype.is_object:
                return self._array(self._elements(dtype, place, data), dtype, place.shape)
            if self._checked:
                self._compare(place, crc32c(data))
            return self._array(data, dtype, place.shape)
        except Error as error:
            raise self._damage_error(name, place, error) from error

    def chunks(self, name: str, dtype: Dtype, place: Entry | Slice, size: int) -> Iterator[npt.NDArray[Any]]:
        """Yield the numbers of a tensor or of a slice in flat arrays of at most `size` elements.

        The checksum is compared after the last of them. Raises CheckpointError.
        """
        data = self._locate(name, dtype, place)
        crc, step, offset = 0, size * dtype.itemsize, place.offset or 0
        for start in range(0, len(data), step):
            chunk = data[start : start + step]
            if self._checked:
                crc = crc32c(chunk, crc)
            yield self._array(chunk, dtype, (len(chunk) // dtype.itemsize,))
            unload(data, offset + start, offset + start + len(chunk))
        if self._checked:
            try:
                self._compare(place, crc)
            except CheckpointError as error:
                raise self._damage_error(name, place, error) from error

    def stored_array(self, name: str, dtype: Dtype, place: Slice) -> npt.NDArray[Any]:
        """Return the stored numbers of a slice as a view of the file, in the file's byte order and not checked."""
        return self._array(self._locate(name, dtype, place), dtype, place.shape, is_decoded=False)

    def _array(self, data: Any, dtype: Dtype, shape: tuple[int, ...], *, is_decoded: bool = True) -> npt.NDArray[Any]:
        """Return the bytes of numbers, or a sequence of objects, as an array: see `array_of_bytes`."""
        from .arrays import array_of_bytes, array_of_objects  # imports numpy

        if dtype.is_object:
            return array_of_objects(data, shape)
        return array_of_bytes(data, dtype, shape, self._order, is_decoded=is_decoded)

    def strings(self, name: str, dtype: Dtype, place: Entry) -> Sequence[bytes]:
        """Return the strings of a tensor as a sequence, without NumPy. Raises CheckpointError."""
        data = self._locate(name, dtype, place)
        try:
            return self._elements(dtype, place, data)
        except Error as error:
            raise self._damage_error(name, place, error) from error

    def complete_files(self) -> dict[str, str]:
        """Return the paths of all files by their suffixes: see `Checkpoint.complete_files`."""
        files = {".index": self.files[0]}
        for name in self.entries:
            entry = self.entries[name]
            for place in entry.slices or [entry]:
                if place.shard is None or place.offset is None or place.size is None:
                    continue
                try:
                    self._data.bytes_of(place.shard, place.offset, place.size)
                except CheckpointError as error:
                    raise about(self._index, name, error) from error
                files[shard_name("", place.shard, self._data.count)] = self._data.path(place.shard)
        return files

    def close(self) -> None:
        self._data.close()

    def _bytes(self, dtype: Dtype, place: Entry | Slice) -> memoryview:
        assert place.shard is not None and place.offset is not None and place.size is not None
        if dtype.is_object and dtype.number not in (DataType.DT_STRING, DataType.DT_VARIANT):
            raise CheckpointError(f"there are no tensors of type {dtype.name} in checkpoints")
        data = self._data.bytes_of(place.shard, place.offset, place.size)
        elements = prod(place.shape)
        if not dtype.is_object and elements * dtype.itemsize != len(data):
            needed = elements * dtype.itemsize
            raise CheckpointError(f"{elements:,} elements of {dtype.name} have {needed:,} bytes, not {len(data):,}")
        return data

    def _locate(self, name: str, dtype: Dtype, place: Entry | Slice) -> memoryview:
        if self._checked or dtype.is_object:  # reads all bytes of the tensor; otherwise it is a view of the file
            self._check_overlap()
        try:
            return self._bytes(dtype, place)
        except CheckpointError as error:
            raise about(self._index, name, error) from error

    def _check_overlap(self) -> None:
        """Raise CheckpointError if the tensors overlap so much that they have far more bytes than the data files.

        Reading all of them would take too long. The sizes are compared once, when the 16th tensor is read.
        """
        self._reads += 1
        if self._reads == _OVERLAP:
            needed, size = sum(self.entries.sizes()), self._data.total_size()
            if size and needed > _OVERLAP * size:  # missing files are reported separately
                self._overlap = f"its tensors have {needed:,} bytes, in data files of {size:,}: they overlap"
        if self._overlap:
            raise CheckpointError(f"{self._index}: {self._overlap}")

    def _damage_error(self, name: str, place: Entry | Slice, error: Error) -> CheckpointError:
        return about(self._data.name(place.shard or 0), name, error, place.offset)

    def _elements(self, dtype: Dtype, place: Entry | Slice, data: memoryview) -> Sequence[Any]:
        count = prod(place.shape)
        elements: Sequence[Any]
        if dtype.number == DataType.DT_STRING:
            elements, crc = read_strings(data, count, self._order, checked=self._checked)
        elif self._order == "big":
            raise CheckpointError("variants of a big-endian machine cannot be read")
        else:
            elements, crc = read_variants(data, count, checked=self._checked)
        if self._checked:
            self._compare(place, crc)
        return elements

    def _compare(self, place: Entry | Slice, actual: int) -> None:
        stored = unmask(place.crc32c or 0)
        if stored != actual:
            raise CheckpointError(f"its {place.size:,} bytes have CRC {actual:08x}, not the {stored:08x} of the index")

    # --- the index ---------------------------------------------------------------------------------------------------

    def _read(
        self, table: TableFile, records: dict[str, bytes], others: dict[bytes, bytes], damaged: Damaged
    ) -> BundleHeaderProto:
        """Return the header, which is the first record. Add entries to `records`, and slices of tensors to `others`."""
        header = None
        previous = None
        for handle in table.blocks:
            try:
                block = table.records(handle, previous)
                keys = block.keys
                values = [value if isinstance(value, bytes) else bytes(value) for value in block.values]
                first_name = bisect_left(keys, b"\1")  # keys of slices begin with a zero byte; the header's is empty
                records.update(zip(map(bytes.decode, keys[first_name:]), values[first_name:], strict=True))
                others.update(zip(keys[:first_name], values, strict=False))
                if previous is None and b"" in others:
                    header = self._header(block)
            except UnicodeDecodeError as error:
                damaged(CheckpointError(f"{self._index}: a name is not UTF-8: {error.object[:100]!r}"))
                continue
            except CheckpointError as error:
                damaged(in_file(self._index, error))
                continue
            previous = keys[-1] if keys else previous
        if header is None:
            raise CheckpointError(f"{self._index}: not a checkpoint: the index has no header")
        del others[b""]
        return header

    def _header(self, block: Records) -> BundleHeaderProto:
        header = decode_record(BundleHeaderProto, block.first(), "the header")
        check_version(header.version)
        if header.endianness not in (0, 1):
            raise CheckpointError(f"the header has the unknown byte order {int(header.endianness)}")
        return header
