"""Reading a whole file into memory, which for a large one is most of the time that opening it lazily takes.

The kernel spends more on handing out 25,000 small pages for 100 MB than on copying the bytes. Memory that is asked for
with the advice to use large pages costs half of that; it is anonymous memory, not a mapping of the file, which would
kill the process if somebody cut the file short.
"""

from __future__ import annotations

import io
from typing import Any

__all__ = ["read_whole"]

LARGE = 32 << 20


def read_whole(file: io.FileIO, size: int) -> Any:
    """The rest of `file`, expected to be `size` bytes: as bytes, or if it is large as memory that can be sliced so."""
    start = file.tell()
    memory = _large_pages(size) if size >= LARGE else None
    if memory is None:
        return file.readall()
    with memoryview(memory) as view:
        filled = 0
        while filled < size and (count := file.readinto(view[filled:])):
            filled += count
    if filled == size and not file.read(1):
        return memory
    file.seek(start)  # its size has changed meanwhile
    return file.readall()


def _large_pages(size: int) -> Any:
    """Memory for `size` bytes with that advice; None where the system knows none."""
    try:
        from mmap import MADV_HUGEPAGE, MAP_ANONYMOUS, MAP_PRIVATE, mmap

        memory = mmap(-1, size, flags=MAP_PRIVATE | MAP_ANONYMOUS)
        memory.madvise(MADV_HUGEPAGE)
    except (ImportError, OSError, ValueError):
        return None
    return memory
