"""The bytes of a TFRecord file: from a path, a pipe or memory, compressed as a whole or not.

The format of a record is here too, since the first record tells how a file is compressed.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import zlib
from collections.abc import Callable
from struct import Struct
from typing import Any, BinaryIO, Literal, TypeAlias

from pbwire.errors import compose

from ...errors import FileFormatError, Hint, with_name
from ...values.terminal import escape
from ..access.crc32c import crc32c, mask
from ..access.gzip import UNPACKED, UNPACKED_RATIO
from ..access.open_files import OpenFile
from ..access.special_files import open_user_file
from ..access.stand_ins import stand_in

RecordSource: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | OpenFile"
Compression: TypeAlias = Literal["", "gzip", "zlib"]

HEADER, FOOTER = 12, 4  # bytes before and after the data of a record

_SNIFFED = 1 << 10  # bytes; the code table of compressed data precedes the first byte
_UNPACKED_HEAD = 1 << 22  # bytes
_STDIN = "<stdin>"
_WINDOW_BITS = {"gzip": 31, "zlib": 15}
length_at = Struct("<Q").unpack_from
_checksum_at = Struct("<I").unpack_from


def record_bytes(data: bytes | bytearray | memoryview) -> tuple[bytes, bytes | memoryview, bytes]:
    """Return a record as it is stored: the length with its checksum, the data, and their checksum."""
    view = memoryview(data).cast("B")
    length = len(view).to_bytes(8, "little")
    return (
        length + mask(crc32c(length)).to_bytes(4, "little"),
        view,
        mask(crc32c(view)).to_bytes(4, "little"),
    )


def begins_with_record(head: bytes) -> bool:
    """Return whether data begin with the length of a record and its checksum."""
    return len(head) >= HEADER and mask(crc32c(head[:8])) == _checksum_at(head, 8)[0]


class PackedDataError(Exception):
    """Compressed data are damaged, cut off, or too large when unpacked."""

    def __init__(self, problem: str, *, is_cut_off: bool = False) -> None:
        super().__init__(problem)
        self.is_cut_off = is_cut_off


class ByteStream:
    """The bytes of an open file, unpacked if the file is compressed."""

    compression: Compression = ""

    def __init__(self, name: str, file: BinaryIO) -> None:
        self.name = name
        self._file = file

    def read(self, count: int) -> bytes:
        """Return the next bytes, at least one of them and at most `count`; b"" at the end of the file."""
        raise NotImplementedError

    def left(self, unused: int) -> int | None:
        """Return how many bytes are left, with `unused` bytes that were read; None if that is unknown."""
        return None

    def close(self) -> None:
        if self.name != _STDIN:
            self._file.close()


class _Plain(ByteStream):
    """The bytes of a file that is not compressed. `measure` returns the size of the file; None if it is unknown."""

    def __init__(self, name: str, file: BinaryIO, head: bytes, measure: Callable[[], int] | None) -> None:
        super().__init__(name, file)
        self._head, self._measure, self._position = head, measure, 0

    def read(self, count: int) -> bytes:
        if self._head:
            data, self._head = self._head[:count], self._head[count:]
        else:
            data = self._file.read(count)
        self._position += len(data)
        return data

    def left(self, unused: int) -> int | None:
        return None if self._measure is None else self._measure() - self._position + unused


class _Packed(ByteStream):
    """The unpacked bytes of a compressed file, which may consist of several compressed files."""

    def __init__(self, name: str, file: BinaryIO, head: bytes, compression: Compression, limit: int | None) -> None:
        super().__init__(name, file)
        self.compression = compression
        self._packed, self._limit = head, limit
        self._bits = _WINDOW_BITS[compression]
        self._unpacker = zlib.decompressobj(self._bits)
        self._read, self._written = len(head), 0

    def read(self, count: int) -> bytes:
        while True:
            if not self._packed:
                self._packed = self._file.read(1 << 16)
                self._read += len(self._packed)
                if not self._packed:
                    if not self._unpacker.eof:
                        problem = f"the {self.compression} data are cut off after {self._read:,} bytes"
                        raise PackedDataError(problem, is_cut_off=True)
                    return b""
            if self._unpacker.eof:  # another compressed file may follow, or zeros
                self._packed = self._packed.lstrip(b"\0")
                if not self._packed:
                    continue
                self._unpacker = zlib.decompressobj(self._bits)
            try:
                data = self._unpacker.decompress(self._packed, count)
            except zlib.error as error:
                raise PackedDataError(f"the {self.compression} data are damaged ({error})") from error
            self._packed = self._unpacker.unconsumed_tail or self._unpacker.unused_data
            self._written += len(data)
            limit = max(UNPACKED, UNPACKED_RATIO * self._read) if self._limit is None else self._limit
            if self._written > limit:
                packed = f"the first {self._read:,} bytes of {self.compression} data"
                problem = f"{packed} hold more than {limit:,} bytes; "
                raise PackedDataError(compose(problem, Hint.MORE_UNPACKED, " if that is right"))
            if data:
                return data


def open_stream(source: RecordSource, compression: str | None, max_unpacked: int | None) -> ByteStream:
    """Open a file or a pipe. The compression is detected if it is None; for the other arguments see `read_records`."""
    kind = None if compression is None else _compression_named(compression)
    name, file, measure = _open(source)
    head = _read_up_to(file, _SNIFFED)
    if found := stand_in(head):
        if name != _STDIN:
            file.close()
        raise FileFormatError(with_name(name, f"{found}"))
    kind = _detect_compression(head) if kind is None else kind
    return _Packed(name, file, head, kind, max_unpacked) if kind else _Plain(name, file, head, measure)


def _open(source: RecordSource) -> tuple[str, BinaryIO, Callable[[], int] | None]:
    """Return the name of a source for errors, the open file, and a function that returns its size.

    The function is None for a pipe. A file may grow while it is read, so its size is asked for again.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
        return "<bytes>", io.BytesIO(data), lambda: len(data)
    if isinstance(source, OpenFile):
        taken = source.take()
        return source.name, taken, lambda: os.fstat(taken.fileno()).st_size
    path = os.fspath(source)
    if path == "-":
        if sys.stdin is None:
            raise FileFormatError(f"{_STDIN}: standard input is closed")
        return _STDIN, sys.stdin.buffer, None
    if os.path.isdir(path):
        raise FileFormatError(with_name(escape(path), "this is a folder, and records are in files: give one of them"))
    file = open_user_file(path)
    measure = (lambda: os.fstat(file.fileno()).st_size) if os.path.isfile(path) else None
    return escape(path), file, measure


def _read_up_to(file: Any, count: int) -> bytes:
    """Return the first `count` bytes of a file or a pipe, or fewer if there are no more."""
    data = b""
    while len(data) < count and (piece := file.read(count - len(data))):
        data += piece
    return data


def _detect_compression(head: bytes) -> Compression:
    """Return how a file that begins with `head` is compressed."""
    if begins_with_record(head):
        return ""
    for name, bits in _WINDOW_BITS.items():
        with contextlib.suppress(zlib.error):
            if begins_with_record(zlib.decompressobj(bits).decompress(head, HEADER)):
                return "gzip" if name == "gzip" else "zlib"
    return "gzip" if head.startswith(b"\x1f\x8b\x08") else ""


def _compression_named(name: str) -> Compression:
    """Return the compression of this name, in any case; TensorFlow calls them "GZIP", "ZLIB", "NONE" and ""."""
    lower = name.lower()
    if lower in ("", "none"):
        return ""
    if lower in ("gzip", "zlib"):
        return "gzip" if lower == "gzip" else "zlib"
    raise ValueError(f'compression is "", "gzip" or "zlib", not {name!r}')


def compressor(compression: str) -> Any:
    """Return an object that compresses what is written to a file; None for no compression."""
    kind = _compression_named(compression)
    return zlib.compressobj(wbits=_WINDOW_BITS[kind]) if kind else None


def unpack_head(head: bytes) -> bytes:
    """Return the beginning of a file, unpacked if it is a compressed TFRecord file and the file is not."""
    if not begins_with_record(head) and (compression := _detect_compression(head)):
        with contextlib.suppress(zlib.error):
            return zlib.decompressobj(_WINDOW_BITS[compression]).decompress(head, _UNPACKED_HEAD)
    return head


def is_record_file(path: str) -> bool:
    """Return whether a path is a regular file that begins with a record, or that has "tfrecord" in its name."""
    if not path or not os.path.isfile(path):
        return False
    if "tfrecord" in os.path.basename(path).lower():
        return True
    try:
        with open(path, "rb") as file:
            return begins_with_record(unpack_head(file.read(_SNIFFED)))
    except OSError:
        return False
