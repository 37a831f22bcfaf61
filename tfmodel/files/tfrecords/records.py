"""TFRecord files: read and write records, whose lengths and contents have checksums.

    for data in read_records("train.tfrecord"):      # one bytes object per record
        example = Example.from_bytes(data)

    write_records("copy.tfrecord.gz", read_records("train.tfrecord"))

A record is stored as its length (8 bytes, little-endian), the masked CRC-32C of these 8 bytes, the data, and the masked
CRC-32C of the data. The file has no header and no index. It may be compressed as a whole, by gzip or zlib. Event files
of TensorBoard are TFRecord files of Event messages.

If only the checksum of the data is wrong, the next record begins behind it. If the checksum of the length is wrong, it
is unknown where the next record begins: it can only be searched for, by comparing checksums at every byte.

Files are read block by block, so a reader needs memory for one record, and a file may be a pipe. Checksums of short
records are computed for a whole block at once if NumPy is there.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple, TypeAlias

from pbwire.errors import DecodeError

from ...errors import Hint, RecordError
from ..access.crc32c import wrong_parts
from .sources import (
    FOOTER,
    HEADER,
    Compression,
    PackedDataError,
    RecordSource,
    begins_with_record,
    compressor,
    length_at,
    open_stream,
    record_bytes,
)

Damaged: TypeAlias = Literal["raise", "skip", "search"]


_BLOCK = 1 << 22
_MANY = 1 << 20  # records of a block
_SKIPPED = {"raise": (), "skip": ("data", "end"), "search": ("data", "end", "length")}  # kinds of damage
_NUMPY_FROM = 1 << 19  # bytes of a block from which on importing NumPy is worth it


class Record(NamedTuple):
    """A record: its number in the file, from 0, the offset of its first byte in the (unpacked) file, and its data."""

    number: int
    offset: int
    data: bytes


class Damage(NamedTuple):
    """A damaged place in a file.

    number     the number of the record, from 0
    offset     where the record begins in the (unpacked) file
    problem    what is wrong
    kind       "data": the record is lost, the next one is known; "end": the last record is cut off; "length": it is
               unknown where the next record begins; "packed": the compressed data are damaged, cut off or too large
    """

    number: int
    offset: int
    problem: str
    kind: Literal["data", "end", "length", "packed"]

    def __str__(self) -> str:
        return f"record[{self.number}] at byte {self.offset:,}: {self.problem}"


def read_records(
    source: RecordSource,
    *,
    compression: str | None = None,
    damaged: Damaged = "raise",
    on_damage: Callable[[Damage], None] | None = None,
    max_unpacked: int | None = None,
) -> Iterator[bytes]:
    """Return an iterator over the records of a TFRecord file, each as bytes.

    source          a path, bytes, or "-" for standard input
    compression     "" (none), "gzip" or "zlib", also in TensorFlow's spelling; default: detected
    damaged         "raise": raise RecordError for the first damaged record, after all records before it.
                    "skip": leave out records whose data are damaged, and a last record that is cut off; raise
                    RecordError where it is unknown how the file goes on.
                    "search": there, continue with the next bytes that look like the beginning of a record. These may
                    be inside the damaged record, if its data contain records
    on_damage       a function that is called with each damaged place that is skipped
    max_unpacked    the maximum size of compressed data when unpacked; default: 64 MB or a hundred times the size that
                    was read so far, whichever is larger

    Raises RecordError, a FileFormatError that names the record and its offset, and OSError.
    """
    reader = RecordReader(source, compression=compression, damaged=damaged, max_unpacked=max_unpacked)
    return _data_of(reader, on_damage)


def _data_of(reader: RecordReader, on_damage: Callable[[Damage], None] | None) -> Iterator[bytes]:
    with reader:
        for record in reader:
            if isinstance(record, Record):
                yield record.data
            elif on_damage is not None:
                on_damage(record)


def write_records(
    path: str | os.PathLike[str], records: Iterable[bytes | bytearray | memoryview], *, compression: str | None = None
) -> int:
    """Write a TFRecord file, and return the number of records.

    path           the file; "-" is standard output. It is replaced when all records are written: after any error, it
                   still has its previous content
    records        bytes, or messages as bytes: `(example.to_bytes() for example in examples)`
    compression    "" (none), "gzip" or "zlib"; default: gzip if the name ends with .gz, else none

    Raises TypeError for other values than bytes, ValueError for an unknown compression, and OSError.
    """
    from pbwire.atomic import writable  # reading does not need it

    target = os.fspath(path)
    packer = compressor(("gzip" if target.endswith(".gz") else "") if compression is None else compression)
    count = 0
    with writable(target) as file:
        for record in records:
            if not isinstance(record, (bytes, bytearray, memoryview)):
                raise TypeError(f"a record is bytes, not {type(record).__name__} (of a message: message.to_bytes())")
            for piece in record_bytes(record):
                file.write(packer.compress(piece) if packer else piece)
            count += 1
        if packer:
            file.write(packer.flush())
    return count


@contextlib.contextmanager
def naming_record(name: str, record: Record) -> Iterator[None]:
    """Turn decoding errors in the block into a RecordError with the name of the file and the number of the record."""
    try:
        yield
    except DecodeError as error:
        raise RecordError(str(error), file=name, number=record.number, offset=record.offset) from error


class RecordReader:
    """An iterator over the records of a file, and over the damaged places that it skips, in the order of the file.

    The arguments are those of `read_records`. The file is open until the end, or until `close`.
    """

    def __init__(
        self,
        source: RecordSource,
        *,
        compression: str | None = None,
        damaged: Damaged = "raise",
        max_unpacked: int | None = None,
    ) -> None:
        if damaged not in ("raise", "skip", "search"):
            raise ValueError(f'damaged is "raise", "skip" or "search", not {damaged!r}')
        self._stream = open_stream(source, compression, max_unpacked)
        self._data, self._position, self._base = b"", 0, 0  # the data in memory begin at byte `base` of the file
        self._is_complete = False
        self._failure: PackedDataError | None = None
        self._damaged = damaged
        self.name = self._stream.name
        self.compression: Compression = self._stream.compression
        """How the file is compressed: "" (not at all), "gzip" or "zlib"."""

    def __enter__(self) -> RecordReader:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._stream.close()

    def share(self) -> float | None:
        """Return the share of the file that was read, from 0 to 1; None if its size is unknown, as if compressed."""
        left = self._stream.left(len(self._data) - self._position)
        place = self._base + self._position
        return None if left is None else place / max(place + left, 1)

    def __iter__(self) -> Iterator[Record | Damage]:
        self._fill(_BLOCK)
        number, at_most = 0, _MANY
        while True:
            data, base = self._data, self._base
            starts, lengths, end = _split(data, self._position, at_most)
            sound, wrong = _compare_checksums(data, starts, lengths)
            self._position = end if sound == len(starts) else starts[sound]
            for index in range(sound):
                start, length = starts[index], lengths[index]
                if index in wrong:
                    problem = f"the checksum of its {length:,} bytes is wrong"
                    yield self._skip(Damage(number, base + start, problem, "data"))
                else:
                    yield Record(number, base + start, data[start + HEADER : start + HEADER + length])
                number += 1
            at_most = min(2 * at_most, _MANY)
            if (damage := self._look_ahead(number)) is not None:
                yield self._skip(damage)
                if self._damaged != "search" or damage.kind == "packed":
                    return
                number, at_most = number + 1, 1
                self._search()
            elif self._position == len(self._data):
                return

    def _skip(self, damage: Damage) -> Damage:
        """Return the damage if it may be skipped, else raise it."""
        if damage.kind in _SKIPPED[self._damaged]:
            return damage
        hint = Hint.SEARCH if damage.kind == "length" else None
        raise RecordError(damage.problem, file=self.name, number=damage.number, offset=damage.offset, hint=hint)

    def _fill(self, needed: int) -> None:
        """Read until `needed` bytes from the position on are there, or until the end of the file.

        At least a block is read, so that the copying of the bytes that are there takes linear time in all.
        """
        left = len(self._data) - self._position
        if self._is_complete or left >= needed:
            return
        pieces, missing, step = [self._data[self._position :]], max(needed - left, _BLOCK), _BLOCK
        while missing > 0 and not self._is_complete:
            try:
                piece = self._stream.read(min(missing, step))
            except PackedDataError as error:
                self._failure, piece = error, b""
            self._is_complete = not piece
            pieces.append(piece)
            missing -= len(piece)
            step *= 2
        self._base += self._position
        self._data, self._position = b"".join(pieces), 0

    def _look_ahead(self, number: int) -> Damage | None:
        """Read the next record; return what is wrong with it, or None for a record with a sound length or no record."""
        self._fill(HEADER)
        offset, left = self._base + self._position, len(self._data) - self._position
        if left >= HEADER and not begins_with_record(self._data[self._position : self._position + HEADER]):
            problem = "the checksum of its length is wrong, so it is unknown where the next record begins"
            return Damage(number, offset, problem, "length")
        if left >= HEADER:
            (length,) = length_at(self._data, self._position)
            in_file = None if self._is_complete else self._stream.left(left)
            if in_file is None or HEADER + length + FOOTER <= in_file:
                self._fill(HEADER + length + FOOTER)
                left = in_file = len(self._data) - self._position
            if HEADER + length + FOOTER <= in_file:
                return None
            problem = f"truncated: it needs {length + FOOTER:,} bytes, and {max(0, in_file - HEADER):,} are left"
        else:
            problem = f"truncated: its header has {HEADER} bytes, and {left:,} are left"
        if self._failure is not None:
            return Damage(number, offset, str(self._failure), "end" if self._failure.is_cut_off else "packed")
        return Damage(number, offset, problem, "end") if left else None

    def _search(self) -> None:
        """Go to the next header with a correct checksum behind this position, or to the end of the file."""
        self._position += 1
        window = 64  # so that many damaged lengths, close to each other, take linear time
        while True:
            self._fill(window + HEADER)
            last = min(self._position + window, len(self._data) - HEADER + 1)
            position = _find_header(self._data, self._position, last)
            if position is not None or len(self._data) - self._position < window + HEADER:
                self._position = len(self._data) if position is None else position
                return
            self._position = last
            window = min(2 * window, _BLOCK)


# --- the records of a block ------------------------------------------------------------------------------------------


def _split(data: bytes, start: int, at_most: int) -> tuple[list[int], list[int], int]:
    """Return where the complete records from `start` on begin, the lengths of their data, and where the last one ends.

    Their checksums are not compared, so all records behind a wrong length are wrong too.
    """
    starts: list[int] = []
    lengths: list[int] = []
    last = len(data) - HEADER - FOOTER
    while start <= last and len(starts) < at_most:
        (length,) = length_at(data, start)
        if length > last - start:
            break
        starts.append(start)
        lengths.append(length)
        start += HEADER + FOOTER + length
    return starts, lengths, start


def _compare_checksums(data: bytes, starts: list[int], lengths: list[int]) -> tuple[int, set[int]]:
    """Return how many records precede the first one with a wrong length, and which of them have wrong data."""
    if len(data) >= _NUMPY_FROM and len(starts) > 1:
        with contextlib.suppress(ImportError):
            import numpy  # noqa: F401  `wrong_parts` uses it if it is imported
    sound = min(wrong_parts(data, starts, [8] * len(starts)), default=len(starts))
    return sound, {*wrong_parts(data, [start + HEADER for start in starts[:sound]], lengths[:sound])}


def _find_header(data: bytes, start: int, stop: int) -> int | None:
    """Return the first position in `range(start, stop)` of a length with its checksum; None without any."""
    positions = range(start, stop)
    wrong = wrong_parts(data, positions, [8] * len(positions))
    for index, other in enumerate(wrong):
        if index != other:
            return start + index
    return start + len(wrong) if len(wrong) < len(positions) else None


# --- the bytes of a file ---------------------------------------------------------------------------------------------
