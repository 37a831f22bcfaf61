"""Files that are opened once: what detects their format hands them to their reader."""

from __future__ import annotations

import io
import os
import weakref
from typing import BinaryIO

from ...values.terminal import escape
from .special_files import open_user_file


class OpenFile:
    """A regular file that is open until it is taken, or until nothing refers to this object.

    name   the printable path
    """

    def __init__(self, path: str, file: io.BufferedReader | None = None) -> None:
        self.path = path
        self.name = escape(path)
        self._file: BinaryIO | None = open_user_file(path) if file is None else file
        self._close = weakref.finalize(self, self._file.close)

    def ends(self, head: int, tail: int) -> tuple[bytes, bytes, int]:
        """Return the first bytes, the last bytes, and the size."""
        file = self.take()
        first, size = file.read(head), os.fstat(file.fileno()).st_size
        file.seek(max(0, size - tail))
        last = file.read(tail)
        self._file, self._close = file, weakref.finalize(self, file.close)
        return first, last, size

    def take(self) -> BinaryIO:
        """Return the file at its first byte; the caller closes it. It is opened again if it was taken before."""
        file, self._file = self._file, None
        self._close.detach()
        if file is None:
            return open_user_file(self.path)
        file.seek(0)
        return file
