"""Version 2 checkpoints: `P.index`, a table of entries, and `P.data-?????-of-?????`, the raw bytes of the tensors.

The data files are mapped into memory on first use. A mapping lives as long as an array uses it, even after `close`.
Truncating a file while it is mapped kills the process that accesses the missing pages; proper writers therefore replace
files and do not overwrite them.

Strings, and variants, which are messages, have elements of variable size. They are stored as

    strings    all lengths as varints, a checksum of the lengths, all strings
    variants   for each element, its length as a varint, the message, and a checksum of everything before it

Checksums cover the lengths as fixed-width numbers, not as varints: four bytes, or eight if the length needs more, and
always eight for variants. They also cover the checksums that are stored between the data. On a big-endian machine only
these numbers and the stored checksums are big-endian.
"""

from __future__ import annotations

import contextlib
import glob
import mmap
import os
import re
import stat
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pbwire.errors import DecodeError
from pbwire.varints import write_varint
from pbwire.wire import read_varint

from ..dtypes import Dtype
from ..errors import CheckpointError, Error
from ..io.crc32c import crc32c, mask, unmask
from ..io.terminal import escape
from ..messages import BundleHeaderProto, DataType, VariantTensorDataProto
from .entries import BundleEntries, Damaged, Entry, Slice, about, check_version, fail, in_file
from .index import decode_record
from .table_file import Records, TableFile

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "Bundle",
    "ByteOrder",
    "DataFileError",
    "DataFiles",
    "encode_strings",
    "map_file",
    "read_strings",
    "read_variants",
    "shard_name",
    "unload",
]


_OVERLAP = 16  # all tensors together may have at most this many times the bytes of the data files


class Bundle:
    """The reader of a V2 checkpoint: entries and their arrays.

    `verify` is as in Checkpoint. `damaged` is called with an error for each damaged block of the index; its records are
    left out.
    """

    version = 2

    def __init__(self, prefix: str, *, verify: str, damaged: Damaged = fail) -> None:
        self.files = [f"{prefix}.index"]
        self._index = escape(self.files[0])
        self._checked = verify == "read"
        with open(self.files[0], "rb") as file:
            data = file.read()
        try:
            table = TableFile(data, checksums=verify != "off")
        except CheckpointError as error:
            raise CheckpointError(f"{self._index}: {error}") from error
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
        room = sum(len(self._data.view(shard)) for shard in {place.shard for place in places})
        needed = sum(place.size or 0 for place in places)
        if needed > room:
            raise CheckpointError(f"its parts have {needed:,} bytes, but there are only {room:,}")

    def array(self, name: str, dtype: Dtype, place: Entry | Slice) -> npt.NDArray[Any]:
        """Return the array of a tensor or of a slice, in the type that users get. Raises CheckpointError."""
        from .arrays import array_of_bytes, array_of_objects  # imports numpy

        data = self._locate(name, dtype, place)
        try:
            if dtype.is_object:
                return array_of_objects(self._elements(dtype, place, data), place.shape)
            if self._checked:
                self._compare(place, crc32c(data))
            return array_of_bytes(data, dtype, place.shape, self._order)
        except Error as error:
            raise self._damage_error(name, place, error) from error

    def chunks(self, name: str, dtype: Dtype, place: Entry | Slice, size: int) -> Iterator[npt.NDArray[Any]]:
        """Yield the numbers of a tensor or of a slice in flat arrays of at most `size` elements.

        The checksum is compared after the last of them. Raises CheckpointError.
        """
        from .arrays import array_of_bytes  # imports numpy

        data = self._locate(name, dtype, place)
        crc, step, offset = 0, size * dtype.itemsize, place.offset or 0
        for start in range(0, len(data), step):
            chunk = data[start : start + step]
            if self._checked:
                crc = crc32c(chunk, crc)
            yield array_of_bytes(chunk, dtype, (len(chunk) // dtype.itemsize,), self._order)
            unload(data, offset + start, offset + start + len(chunk))
        if self._checked:
            try:
                self._compare(place, crc)
            except CheckpointError as error:
                raise self._damage_error(name, place, error) from error

    def stored_array(self, name: str, dtype: Dtype, place: Slice) -> npt.NDArray[Any]:
        """Return the stored numbers of a slice as a view of the file, in the file's byte order and not checked."""
        from .arrays import array_of_bytes  # imports numpy

        return array_of_bytes(self._locate(name, dtype, place), dtype, place.shape, self._order, is_decoded=False)

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
            needed, room = sum(self.entries.sizes()), self._data.room()
            if room and needed > _OVERLAP * room:  # missing files are reported separately
                self._overlap = f"its tensors have {needed:,} bytes, in data files of {room:,}: they overlap"
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


_MOST_LISTED = 4


class DataFileError(CheckpointError):
    """A data file lacks the bytes of a tensor; `problem` describes the defect of `file`, common to all its tensors."""

    def __init__(self, file: str, problem: str, message: str) -> None:
        super().__init__(message)
        self.file = file
        self.problem = problem


def map_file(path: str) -> memoryview:
    """Return the contents of a file, memory-mapped if possible.

    Raises CheckpointError if it is not a regular file, because reading a pipe or a device might block forever, and
    OSError if the file cannot be read.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise CheckpointError("this is not a file")
    with open(path, "rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        if size:
            with contextlib.suppress(OSError):  # some file systems do not support mapping
                return memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ))
        return memoryview(file.readall())


def unload(data: memoryview, start: int, end: int) -> None:
    """Release the memory of a mapped file between two positions in it; the system loads it again if it is needed.

    `data` is any view of the file. Without this, all pages of a file that is read once stay in the process.
    """
    advice = getattr(mmap, "MADV_DONTNEED", None)
    begin, size = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE, end // mmap.PAGESIZE * mmap.PAGESIZE - start
    if advice is not None and isinstance(data.obj, mmap.mmap) and size > mmap.PAGESIZE:
        data.obj.madvise(advice, begin, end // mmap.PAGESIZE * mmap.PAGESIZE - begin)


def shard_name(prefix: str, number: int, count: int) -> str:
    return f"{prefix}.data-{number:05d}-of-{count:05d}"


class DataFiles:
    """The data files of a V2 checkpoint; its header declares `count` of them."""

    def __init__(self, prefix: str, count: int) -> None:
        self.count = count
        self._prefix = prefix
        self._paths: dict[int, str] = {}
        self._views: dict[int, memoryview] = {}

    def name(self, number: int) -> str:
        """Return the name of a file for error messages."""
        return escape(self._paths.get(number) or shard_name(self._prefix, number, self.count))

    def view(self, number: int) -> memoryview:
        """Return all bytes of a file, which is mapped on first use.

        Raises CheckpointError if it does not exist or is not a regular file, and OSError if it cannot be read.
        """
        if number not in self._views:
            if not 0 <= number < self.count:
                raise CheckpointError(f"it is in data file {number:,}, but there are {self.count:,}")
            self._paths[number] = self._path(number)
            try:
                self._views[number] = map_file(self._paths[number])
            except CheckpointError as error:
                name = self.name(number)
                raise DataFileError(name, str(error), f"it is in {name}: {error}") from error
        return self._views[number]

    def path(self, number: int) -> str:
        """Return the path of a file. Raises the errors of `view`."""
        self.view(number)
        return self._paths[number]

    def room(self) -> int:
        """Return the total size of the existing files, in bytes. Dangling links, folders and so on are ignored."""
        names = glob.glob(f"{glob.escape(self._prefix)}.data-*")
        return sum(os.path.getsize(name) for name in names if os.path.isfile(name))

    def bytes_of(self, number: int, offset: int, size: int) -> memoryview:
        view = self.view(number)
        if offset < 0 or size < 0 or offset + size > len(view):
            name = self.name(number)
            message = f"its {size:,} bytes at {offset:,} are not inside of {name}, which has {len(view):,}"
            if offset < 0 or size < 0:
                raise CheckpointError(message)
            raise DataFileError(name, f"this data file ends after {len(view):,} bytes", message)
        return view[offset : offset + size]

    def close(self) -> None:
        self._views.clear()

    def _path(self, number: int) -> str:
        path = shard_name(self._prefix, number, self.count)
        if os.path.exists(path):
            return path
        # After a merge of checkpoints the header may count files that were never written.
        others = sorted(glob.glob(f"{glob.escape(self._prefix)}.data-{number:05d}-of-[0-9]*"))
        if len(others) == 1:
            return others[0]
        name, instead = escape(path), _instead(self._prefix)
        raise DataFileError(name, f"this data file is missing{instead}", f"it is in {name}, which is missing{instead}")


def _instead(prefix: str) -> str:
    names = sorted(name for name in glob.glob(f"{glob.escape(prefix)}.data-*") if re.search(r"-\d+-of-\d+$", name))
    return f"; there is {list_files(names)}" if names else "; there is no data file at all"


def list_files(paths: Sequence[str]) -> str:
    names = [escape(os.path.basename(path)) for path in paths[:_MOST_LISTED]]
    return ", ".join(names + [f"... ({len(paths):,} in all)"] * (len(paths) > _MOST_LISTED))


ByteOrder: TypeAlias = Literal["little", "big"]

_VARINT = 10  # bytes at most
_CRC = 4


def read_strings(data: memoryview, count: int, order: ByteOrder, *, checked: bool) -> tuple[list[bytes], int]:
    """Return `count` strings and the CRC over everything, for the caller to compare; 0 unless `checked`.

    With `checked`, the checksum of the lengths is verified. Raises CheckpointError if the data is damaged.
    """
    if count == 0 and not data:
        return [], 0
    if count > len(data):
        raise CheckpointError(f"{len(data):,} bytes are too few for {count:,} strings")
    lengths, pos = _lengths(data, count)
    if sum(lengths) != len(data) - pos - _CRC:
        raise CheckpointError(f"its strings have {sum(lengths):,} bytes, {len(data) - pos - _CRC:,} are there")
    crc = 0
    if checked:
        crc = crc32c(_fixed_width(lengths, order))
        _check(data, pos, crc, order, "the lengths of its strings have")
        crc = crc32c(data[pos:], crc)
    strings = []
    pos += _CRC
    for length in lengths:
        strings.append(bytes(data[pos : pos + length]))
        pos += length
    return strings, crc


def encode_strings(strings: Sequence[bytes]) -> tuple[list[bytes], int]:
    """Return the encoding of strings, in pieces, and the CRC over all of it."""
    lengths = [len(string) for string in strings]
    crc = crc32c(_fixed_width(lengths, "little"))
    pieces = [b"".join(map(write_varint, lengths)), mask(crc).to_bytes(_CRC, "little"), b"".join(strings)]
    return pieces, crc32c(pieces[2], crc32c(pieces[1], crc))


def read_variants(data: memoryview, count: int, *, checked: bool) -> tuple[list[VariantTensorDataProto], int]:
    """Return `count` variants and the CRC over everything, for the caller to compare; 0 unless `checked`.

    With `checked`, the checksums after the variants are verified. Only little-endian data is supported, as in
    TensorFlow. Raises CheckpointError if the data is damaged.
    """
    if count * (1 + _CRC) > len(data):
        raise CheckpointError(f"{len(data):,} bytes are too few for {count:,} variants")
    variants, pos, crc = [], 0, 0
    for number in range(count):
        length, pos = _length(data, pos, len(data))
        if length > len(data) - pos - _CRC:
            raise CheckpointError(f"variant {number:,} has {length:,} bytes, {len(data) - pos:,} are left")
        message = data[pos : pos + length]
        pos += length
        if checked:
            crc = crc32c(message, crc32c(length.to_bytes(8, "little"), crc))
            _check(data, pos, crc, "little", f"all up to variant {number:,} has")
            crc = crc32c(data[pos : pos + _CRC], crc)
        pos += _CRC
        try:
            variants.append(VariantTensorDataProto.from_bytes(bytes(message)))
        except DecodeError as error:
            raise CheckpointError(f"variant {number:,}: {error}") from error
    if pos != len(data):
        raise CheckpointError(f"{len(data) - pos:,} bytes follow its last variant")
    return variants, crc


def _check(data: memoryview, pos: int, crc: int, order: ByteOrder, what: str) -> None:
    stored = unmask(int.from_bytes(data[pos : pos + _CRC], order))
    if stored != crc:
        raise CheckpointError(f"{what} CRC {crc:08x}, not the {stored:08x} stored after that")


def _lengths(data: memoryview, count: int) -> tuple[list[int], int]:
    head = bytes(data[: min(_VARINT * count, len(data))])
    lengths, pos = list(head[:count]), count
    if max(lengths, default=0) > 127:  # some lengths take more than one byte
        lengths, pos = [], 0
        for _ in range(count):
            length, pos = _length(head, pos, len(head))
            lengths.append(length)
    if pos + _CRC > len(data):
        raise CheckpointError("it ends before its strings begin")
    return lengths, pos


def _length(data: bytes | memoryview, pos: int, end: int) -> tuple[int, int]:
    try:
        return read_varint(data, pos, end)
    except DecodeError as error:
        raise CheckpointError("the length of an element cannot be read") from error


def _fixed_width(lengths: Sequence[int], order: ByteOrder) -> bytes:
    return b"".join([length.to_bytes(4 if length < 1 << 32 else 8, order) for length in lengths])
