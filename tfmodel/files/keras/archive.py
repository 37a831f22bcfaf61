"""The members of a .keras archive, a zip file: config.json, metadata.json and model.weights.h5.

    archive = KerasArchive(open("model.keras", "rb"), "model.keras")
    archive.text("config.json")
    archive.section("model.weights.h5")      # a file object

Members are read by these names alone and never unpacked to files, so their paths do not matter. An archive with a very
long list of members is refused before the list is read, and so are encrypted members, two members of one name, and
members that grow too much. A member that is not compressed, as Keras writes the weights, is read in place.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import Any, BinaryIO

from ...errors import FileFormatError, with_name
from ..access.gzip import UNPACKED, UNPACKED_RATIO

CONFIG, METADATA, WEIGHTS = "config.json", "metadata.json", "model.weights.h5"

MAX_LIST_BYTES = 16 << 20
"""The maximum size of the list of members."""

MAX_TEXT_BYTES = 64 << 20
_END, _END_SIZE, _MAX_COMMENT = b"PK\5\6", 22, 1 << 16
_LOCAL_SIZE = 30
_ENCRYPTED = 1


class KerasArchive:
    """An open archive. Raises FileFormatError, with the name of the file."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name
        self._check_list()
        try:
            self._zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError, UnicodeDecodeError) as error:
            raise FileFormatError(with_name(name, f"damaged zip archive: {error}")) from error
        self.members = [info.filename for info in self._zip.infolist()]

    def close(self) -> None:
        """Close the list of members. The file stays open: it belongs to the caller."""
        self._zip.close()

    def __contains__(self, member: str) -> bool:
        return member in self.members

    def _check_list(self) -> None:
        size = self._file.seek(0, io.SEEK_END)
        start = self._file.seek(max(0, size - _END_SIZE - _MAX_COMMENT))
        tail = self._file.read(size - start)
        end = tail.rfind(_END)
        if end < 0 or len(tail) - end < _END_SIZE:
            raise FileFormatError(
                with_name(self._name, "truncated: the list of members at the end of the archive is missing")
            )
        (list_size,) = struct.unpack_from("<I", tail, end + 12)
        if list_size > MAX_LIST_BYTES:
            raise FileFormatError(with_name(self._name, f"its list of members is larger than {MAX_LIST_BYTES:,} bytes"))

    def _info(self, member: str) -> zipfile.ZipInfo:
        if self.members.count(member) != 1:
            count = "no" if member not in self.members else "several members"
            raise FileFormatError(with_name(self._name, f"it has {count} {member}"))
        info = self._zip.getinfo(member)
        if info.flag_bits & _ENCRYPTED:
            raise FileFormatError(with_name(self._name, f"{member} is encrypted"))
        return info

    def text(self, member: str) -> str:
        """Return a member as text."""
        data = self._unpack(self._info(member), MAX_TEXT_BYTES)
        return data.decode("utf-8", "replace")

    def section(self, member: str) -> BinaryIO:
        """Return a member as a file object: a part of the archive, or its content in memory if it is compressed."""
        info = self._info(member)
        if info.compress_type != zipfile.ZIP_STORED:
            return io.BytesIO(self._unpack(info, max(UNPACKED, UNPACKED_RATIO * info.compress_size)))
        self._file.seek(info.header_offset)
        header = self._file.read(_LOCAL_SIZE)
        if len(header) < _LOCAL_SIZE or not header.startswith(b"PK\3\4"):
            raise FileFormatError(with_name(self._name, f"damaged zip archive: {member} has no header"))
        name_size, extra_size = struct.unpack_from("<HH", header, 26)
        start = info.header_offset + _LOCAL_SIZE + name_size + extra_size
        return io.BufferedReader(_Section(self._file, start, info.file_size))

    def _unpack(self, info: zipfile.ZipInfo, limit: int) -> bytes:
        try:
            with self._zip.open(info) as file:
                data = file.read(limit + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
            raise FileFormatError(with_name(self._name, f"{info.filename} is damaged: {error}")) from error
        if len(data) > limit:
            raise FileFormatError(with_name(self._name, f"{info.filename} has more than {limit:,} bytes"))
        return data


class _Section(io.RawIOBase):
    """A part of a file as a file of its own."""

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        self._file, self._start, self._size, self._position = file, start, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = max(0, base + offset)
        return self._position

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        count = max(0, min(len(view), self._size - self._position))
        self._file.seek(self._start + self._position)
        data = self._file.read(count)
        view[: len(data)] = data
        self._position += len(data)
        return len(data)
