"""The input that a worker is running, readable by its parent even after the worker has died.

    slot.put(7, files)         # by the worker, before each input
    slot.clear()               # after it
    slot.read()                # by any process: Tried(7, True, files)

The slot is a file that is overwritten without being closed, which takes microseconds: its content survives any end of
the process.
"""

from __future__ import annotations

import os
import pickle
import struct
from pathlib import Path
from typing import NamedTuple

from .target import Files

__all__ = ["Slot", "Tried"]

HEAD = struct.Struct("<QQQ")  # inputs begun, whether the last one is still running, size of its pickle


class Tried(NamedTuple):
    """The number of inputs begun, whether the last one is still running, and its files."""

    begun: int
    running: bool
    files: Files


class Slot:
    """A file that holds one input, and a count."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)

    def put(self, count: int, files: Files) -> None:
        """Record that input number `count` is about to run."""
        content = pickle.dumps(files)
        self._write(0, HEAD.pack(count, 1, len(content)) + content)

    def clear(self) -> None:
        """Record that the input has ended."""
        self._write(8, struct.pack("<Q", 0))

    def state(self) -> tuple[int, bool]:
        """Return the number of inputs begun, and whether the last one is still running."""
        head = self._read(0, HEAD.size)
        if len(head) < HEAD.size:
            return 0, False
        count, running, _ = HEAD.unpack(head)
        return count, bool(running)

    def read(self) -> Tried:
        """Return the content of the slot. No process may write at the same time."""
        head = self._read(0, HEAD.size)
        if len(head) < HEAD.size:
            return Tried(0, False, {})
        count, running, size = HEAD.unpack(head)
        return Tried(count, bool(running), pickle.loads(self._read(HEAD.size, size)))

    def close(self) -> None:
        """Close the file without removing it."""
        os.close(self._file)

    def _write(self, at: int, data: bytes) -> None:
        os.lseek(self._file, at, os.SEEK_SET)
        os.write(self._file, data)

    def _read(self, at: int, size: int) -> bytes:
        os.lseek(self._file, at, os.SEEK_SET)
        return os.read(self._file, size)
