"""The data files of a version 2 checkpoint, `P.data-?????-of-?????`.

They are mapped into memory on first use. A mapping lives as long as an array uses it, even after `close`. Truncating a
file while it is mapped kills the process that accesses the missing pages; proper writers therefore replace files and do
not overwrite them. So before each tensor is read, the file is compared with the one that was opened: only a change
between this and the access to the bytes is not noticed.
"""

from __future__ import annotations

import contextlib
import glob
import io
import mmap
import os
import re
import stat
from collections.abc import Sequence
from typing import BinaryIO

from ...errors import CheckpointError
from ...values.terminal import escape
from ..access.stand_ins import EMPTY, STAND_IN_HEAD, stand_in

_MOST_LISTED = 4


class DataFileError(CheckpointError):
    """A data file lacks the bytes of a tensor; `problem` describes the defect of `file`, common to all its tensors."""

    def __init__(self, message: str, *, file: str = "", problem: str = "") -> None:
        super().__init__(message)
        self.file = file
        self.problem = problem


def map_file(path: str) -> memoryview:
    """Return the contents of a file, memory-mapped if possible.

    Raises CheckpointError if it is not a regular file, because reading a pipe or a device might block forever, and if
    it stands for another file, as a pointer of Git LFS does; OSError if the file cannot be read.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise CheckpointError("this is not a file")
    with open(path, "rb", buffering=0) as file:
        data = map_opened(file)
    if found := stand_in(bytes(data[:STAND_IN_HEAD])):
        raise CheckpointError(str(found))
    return data


def map_opened(file: BinaryIO | io.FileIO) -> memoryview:
    """Return the contents of an open file, memory-mapped if possible."""
    size = os.fstat(file.fileno()).st_size
    if size:
        with contextlib.suppress(OSError):  # some file systems do not support mapping
            return memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ))
    return memoryview(file.read())


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
        self._states: dict[int, os.stat_result] = {}

    def name(self, number: int) -> str:
        """Return the name of a file for error messages."""
        return escape(self._paths.get(number) or shard_name(self._prefix, number, self.count))

    def view(self, number: int) -> memoryview:
        """Return all bytes of a file, which is mapped on first use.

        Raises CheckpointError if it does not exist, is not a regular file, or stands for one, and OSError if it cannot
        be read.
        """
        if number not in self._views:
            if not 0 <= number < self.count:
                raise CheckpointError(f"it is in data file {number:,}, but there are {self.count:,}")
            self._paths[number] = self._path(number)
            try:
                self._states[number] = os.stat(self._paths[number])
                self._views[number] = map_file(self._paths[number])
            except CheckpointError as error:
                name = self.name(number)
                raise DataFileError(f"it is in {name}: {error}", file=name, problem=str(error)) from error
        return self._views[number]

    def path(self, number: int) -> str:
        """Return the path of a file. Raises the errors of `view`."""
        self.view(number)
        return self._paths[number]

    def total_size(self) -> int:
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
            if not len(view):
                raise DataFileError(f"it is in {name}: {EMPTY}", file=name, problem=str(EMPTY))
            raise DataFileError(message, file=name, problem=f"this data file ends after {len(view):,} bytes")
        self._check_unchanged(number)
        return view[offset : offset + size]

    def _check_unchanged(self, number: int) -> None:
        """Raise DataFileError if the file was written to since it was opened. Another file may have got its name."""
        before = self._states[number]
        try:
            now = os.stat(self._paths[number])
        except OSError:  # it was deleted or renamed, and the mapping keeps it
            return
        if os.path.samestat(before, now) and (before.st_size, before.st_mtime_ns) != (now.st_size, now.st_mtime_ns):
            name, problem = self.name(number), "this data file has changed since it was opened"
            raise DataFileError(f"it is in {name}: {problem}", file=name, problem=problem)

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
        problem = f"this data file is missing{instead}"
        raise DataFileError(f"it is in {name}, which is missing{instead}", file=name, problem=problem)


def _instead(prefix: str) -> str:
    names = sorted(name for name in glob.glob(f"{glob.escape(prefix)}.data-*") if re.search(r"-\d+-of-\d+$", name))
    return f"; there is {list_files(names)}" if names else "; there is no data file at all"


def list_files(paths: Sequence[str]) -> str:
    names = [escape(os.path.basename(path)) for path in paths[:_MOST_LISTED]]
    return ", ".join(names + [f"... ({len(paths):,} in all)"] * (len(paths) > _MOST_LISTED))
