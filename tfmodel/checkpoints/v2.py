"""Version 2 checkpoints: `P.index`, a table of entries, and `P.data-?????-of-?????`, the raw bytes of the tensors."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from ..dtypes import Dtype
from ..errors import CheckpointError, Error
from ..io.crc32c import crc32c, unmask
from ..io.terminal import printable
from ..messages import BundleHeaderProto, DataType
from .data_files import DataFiles
from .entries import BundleEntries, Entry, Slice
from .index import message_of
from .problems import Damaged, about, check_version, fail, in_file
from .strings import ByteOrder, read_strings, read_variants
from .table_file import Records, TableFile

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Bundle"]

_OVERLAP = 16  # the limit of bytes to read for all tensors, in sizes of the data files


class Bundle:
    """The reader of a V2 checkpoint: entries and their arrays.

    `verify` is as in Checkpoint. `damaged` is called with the error of every damaged block of the index.
    """

    version = 2

    def __init__(self, prefix: str, *, verify: str, damaged: Damaged = fail) -> None:
        self.files = [f"{prefix}.index"]
        self._index = printable(self.files[0])
        self._checked = verify == "read"
        with open(self.files[0], "rb") as file:
            data = file.read()
        try:
            table = TableFile(data, checksums=verify != "off")
        except CheckpointError as error:
            raise CheckpointError(f"{self._index}: {error}") from error
        named: dict[str, bytes] = {}
        others: dict[bytes, bytes] = {}  # slices of tensors
        header = self._read(table, named, others, damaged)
        self._order: ByteOrder = "big" if header.endianness else "little"
        self.entries = BundleEntries(named, others, self._index)
        self._data = DataFiles(prefix, header.num_shards)
        self._reads = 0
        self._overlap = ""

    def check(self, dtype: Dtype, places: Sequence[Slice]) -> None:
        """Raise CheckpointError if bytes of these slices are missing, or if they have more bytes than their files."""
        for place in places:
            self._bytes(dtype, place)
        room = sum(len(self._data.view(shard)) for shard in {place.shard for place in places})
        needed = sum(place.size or 0 for place in places)
        if needed > room:
            raise CheckpointError(f"its parts have {needed:,} bytes, but there are only {room:,}")

    def array(self, name: str, dtype: Dtype, place: Entry | Slice) -> npt.NDArray[Any]:
        """Return the array of a tensor or of a slice, in the type that users get. Raises CheckpointError."""
        from .arrays import array_of_bytes, array_of_objects  # imports numpy

        data = self._located(name, dtype, place)
        try:
            if dtype.is_object:
                return array_of_objects(self._elements(dtype, place, data), place.shape)
            if self._checked:
                self._compare(place, crc32c(data))
            return array_of_bytes(data, dtype, place.shape, self._order)
        except Error as error:
            raise self._damaged(name, place, error) from error

    def strings(self, name: str, dtype: Dtype, place: Entry) -> Sequence[bytes]:
        """Return the strings of a tensor as a sequence, without NumPy. Raises CheckpointError."""
        data = self._located(name, dtype, place)
        try:
            return self._elements(dtype, place, data)
        except Error as error:
            raise self._damaged(name, place, error) from error

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

    def _located(self, name: str, dtype: Dtype, place: Entry | Slice) -> memoryview:
        if self._checked or dtype.is_object:  # reads all bytes of the tensor; otherwise it is a view of the file
            self._check_overlap()
        try:
            return self._bytes(dtype, place)
        except CheckpointError as error:
            raise about(self._index, name, error) from error

    def _check_overlap(self) -> None:
        """Raise CheckpointError if reading all tensors takes far longer than reading the files, because they overlap.

        The check runs only once several tensors have been read.
        """
        self._reads += 1
        if self._reads == _OVERLAP:
            needed, room = sum(self.entries.sizes()), self._data.room()
            if room and needed > _OVERLAP * room:  # missing files are reported separately
                self._overlap = f"its tensors have {needed:,} bytes, in data files of {room:,}: they overlap"
        if self._overlap:
            raise CheckpointError(f"{self._index}: {self._overlap}")

    def _damaged(self, name: str, place: Entry | Slice, error: Error) -> CheckpointError:
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
        self, table: TableFile, named: dict[str, bytes], others: dict[bytes, bytes], damaged: Damaged
    ) -> BundleHeaderProto:
        """Return the header, which is the first record, and fill both dicts with all other records."""
        header = None
        previous = None
        for handle in table.blocks:
            try:
                block = table.records(handle, previous)
                keys = block.keys
                values = [value if isinstance(value, bytes) else bytes(value) for value in block.values]
                first_name = bisect_left(keys, b"\1")  # keys of slices begin with a zero byte; the header's is empty
                named.update(zip(map(bytes.decode, keys[first_name:]), values[first_name:], strict=True))
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
        header = message_of(BundleHeaderProto, block.first(), "the header")
        check_version(header.version)
        if header.endianness not in (0, 1):
            raise CheckpointError(f"the header has the unknown byte order {int(header.endianness)}")
        return header
