"""The table file that carries checkpoints: sorted keys and values in blocks, each with a checksum.

    data block ...   metaindex block   index block   footer

The footer is the last 48 bytes: where the other two are, zeros, and eight magic bytes. The metaindex is always empty.
The index has a record for every data block; its values are *handles*, an offset and a size. Behind each block stand a
byte that says whether it is compressed and a CRC over both.

In a block a key only spells out what differs from the key before it. Every so often one is spelled out in full, and
the block ends with a list of those places, which reading from the front has no need of.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pbwire.errors import DecodeError
from pbwire.wire import Buffer, read_varint

from ..errors import CheckpointError
from .crc32c import crc32c, unmask
from .snappy import decompress

__all__ = ["Record", "TableFile", "is_table"]

_MAGIC = bytes.fromhex("57fb808b247547db")
_FOOTER = 48
_TRAILER = 5  # behind a block: one byte for its compression, four for its CRC
_STORED, _SNAPPY = 0, 1
_LARGEST_BLOCK = 2**32 - 1  # places in a block are 32-bit numbers
_KEY_GROWTH = 32  # writers spell out every 16th key, so keys cannot be more than 16 times what the block holds of them


class Record(NamedTuple):
    """One key, its value, and where that is in the file (where its block is, if it is compressed)."""

    key: bytes
    value: memoryview
    offset: int


class _Block(NamedTuple):
    contents: memoryview
    offset: int
    compressed: bool


def is_table(data: Buffer) -> bool:
    """Whether `data` ends as table files do."""
    return len(data) >= _FOOTER and bytes(data[-len(_MAGIC) :]) == _MAGIC


class TableFile:
    """A whole table file in memory; iterating reads its records in the order of their keys.

    Values are views of `data`, except those of compressed blocks. What it costs is linear in the size of the file,
    whatever the file says. With `checksums=False` blocks are taken as they are. Everything that is wrong is a
    CheckpointError that says at which byte: what concerns the table as a whole right here, what concerns a data block
    when iteration reaches it.
    """

    def __init__(self, data: Buffer, *, checksums: bool = True) -> None:
        self._view = memoryview(data).cast("B")
        self._checksums = checksums
        self._body = len(self._view) - _FOOTER  # blocks end before this byte
        if self._body < 0:
            raise CheckpointError(f"not a table: {len(self._view):,} bytes are less than a footer of {_FOOTER}")
        if not is_table(self._view):
            raise CheckpointError(f"not a table: no magic number at byte {len(self._view) - len(_MAGIC):,}")
        end = len(self._view) - len(_MAGIC)
        metaindex, pos = self._handle(self._view, self._body, end, self._body)
        index, pos = self._handle(self._view, pos, end, self._body)
        self._read(metaindex, "metaindex block")
        self._index = self._read(index, "index block")

    def __iter__(self) -> Iterator[Record]:
        previous: bytes | None = None
        behind = 0
        for _, value, where in _records(self._index):
            handle, _ = self._handle(value, 0, len(value), where)
            offset, size = handle
            if offset < behind:
                raise _damaged(f"the block at {offset:,} begins before byte {behind:,}, inside the one before", where)
            behind = offset + size + _TRAILER
            for record in _records(self._read(handle, "block")):
                if previous is not None and record.key <= previous:
                    raise _damaged(f"key {record.key[:60]!r} comes after {previous[:60]!r}", record.offset)
                previous = record.key
                yield record

    def _handle(self, data: memoryview, pos: int, end: int, where: int) -> tuple[tuple[int, int], int]:
        """The block handle at `pos`, known to lie inside the file, and the position behind it."""
        try:
            offset, pos = read_varint(data, pos, end)
            size, pos = read_varint(data, pos, end)
        except DecodeError as error:
            raise _damaged("a block handle cannot be read", where) from error
        if offset + size + _TRAILER > self._body:
            raise _damaged(
                f"a block of {size:,} bytes at {offset:,} does not fit into the {self._body:,} before the footer", where
            )
        return (offset, size), pos

    def _read(self, handle: tuple[int, int], what: str) -> _Block:
        offset, size = handle
        end = offset + size
        contents, compression = self._view[offset:end], self._view[end]
        if self._checksums:
            stored = unmask(int.from_bytes(self._view[end + 1 : end + _TRAILER], "little"))
            actual = crc32c(self._view[offset : end + 1])
            if stored != actual:
                raise _damaged(f"the {what} has CRC {actual:08x}, not the {stored:08x} stored behind it", offset)
        if compression == _SNAPPY:
            contents = memoryview(decompress(contents, limit=_LARGEST_BLOCK, offset=offset))
        elif compression != _STORED:
            raise _damaged(f"the {what} is compressed in the unknown way {compression}", end)
        return _Block(contents, offset, compression != _STORED)


def _records(block: _Block) -> Iterator[Record]:
    """The records of one block, from its front to the list of restarts."""
    contents, size = block.contents, len(block.contents)
    if size < 4:
        raise _damaged(f"a block of {size:,} bytes has no restart count", block.offset)
    restarts = int.from_bytes(contents[size - 4 :], "little")
    end = size - 4 * (restarts + 1)
    if end < 0 or (restarts == 0 and end > 0):
        raise _damaged(f"a block of {size:,} bytes cannot have {restarts:,} restarts", _place(block, size - 4))
    key, keys, pos = b"", 0, 0
    while pos < end:
        start = pos
        try:
            shared, pos = read_varint(contents, pos, end)
            unshared, pos = read_varint(contents, pos, end)
            length, pos = read_varint(contents, pos, end)
        except DecodeError as error:
            raise _damaged("the lengths of a record cannot be read", _place(block, start)) from error
        if shared > len(key):
            raise _damaged(f"a key shares {shared:,} bytes with one of {len(key):,} before it", _place(block, start))
        if unshared + length > end - pos:
            raise _damaged(f"a record needs {unshared + length:,} bytes, {end - pos:,} are left", _place(block, start))
        key = key[:shared] + contents[pos : pos + unshared]
        pos += unshared
        keys += len(key)
        if keys > _KEY_GROWTH * size:
            raise _damaged(f"{size:,} bytes unfold to over {keys:,} bytes of keys", _place(block, start))
        yield Record(key, contents[pos : pos + length], _place(block, pos))
        pos += length


def _place(block: _Block, pos: int) -> int:
    """Where in the file a position of a block is; for a compressed block all one can say is where that begins."""
    return block.offset if block.compressed else block.offset + pos


def _damaged(problem: str, offset: int) -> CheckpointError:
    return CheckpointError(f"damaged table at byte {offset:,}: {problem}")
