"""Reader and writer of the table files that contain checkpoints: sorted keys and values in blocks with checksums.

    data block ...   metaindex block   index block   footer

The footer is the last 48 bytes: the handles of the metaindex and index blocks, zeros, and eight magic bytes. A handle
is an offset and a size. The metaindex is always empty. The index has a record for every data block, whose value is the
handle of the block. Each block is followed by a byte for its compression and a CRC over both.

In a block, a key stores only the part that differs from the key before it. At regular intervals (restarts) a key is
stored in full; the block ends with a list of the restarts, which sequential reading does not need.

The writer produces the same bytes as TensorFlow.

Some checkpoint indexes are compressed with Snappy. `decompress` reads its raw block format: the length of the output,
followed by elements, which are literal bytes or copies of earlier output. A copy may overlap the bytes that it
produces; then these are repeated.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from operator import lt
from typing import NamedTuple

from pbwire.errors import DecodeError
from pbwire.varints import write_varint
from pbwire.wire import Buffer, read_varint

from ...errors import CheckpointError
from ..access.crc32c import crc32c, mask, unmask

MAGIC = bytes.fromhex("57fb808b247547db")
FOOTER = 48
_NO_TABLE = "truncated, or not a checkpoint"
_TRAILER = 5  # after a block: one byte for its compression, four for its CRC
_STORED, _SNAPPY = 0, 1
_LARGEST_BLOCK = 2**32 - 1  # positions in a block are 32-bit numbers
_COPIED = 1 << 20  # blocks up to this size are copied: reading bytes is faster than reading a view
# Writers store every 16th key in full, so decoded keys take at most 16 times the bytes of the block. Only records whose
# lengths need more than one byte each are counted: all other keys have at most 254 bytes.
_KEY_GROWTH = 32


class Handle(NamedTuple):
    """The location of a block.

    `last` is an upper bound of its keys: at least its last key, and less than the first key of the next block.
    """

    offset: int
    size: int
    last: bytes


class Record(NamedTuple):
    """A key, its value, and the position of the value in the file (of its block, if that is compressed)."""

    key: bytes
    value: bytes | memoryview
    offset: int


class _Block(NamedTuple):
    contents: bytes | memoryview
    offset: int
    compressed: bool


class Records(NamedTuple):
    """The records of a block, as a list of keys and a list of values."""

    keys: list[bytes]
    values: list[bytes | memoryview]
    block: _Block

    def offsets(self) -> Iterator[int]:
        """Yield the positions of the values.

        They are rarely needed, so they are not stored: this decodes the block again.
        """
        pos = 0
        for value in self.values:
            _, unshared, _, pos = _lengths(self.block, pos, len(self.block.contents))
            yield _place(self.block, pos + unshared)
            pos += unshared + len(value)

    def first(self) -> Record:
        return Record(self.keys[0], self.values[0], next(self.offsets()))


def is_table(data: Buffer) -> bool:
    """Return whether `data` ends with the footer of a table file."""
    return len(data) >= FOOTER and bytes(data[-len(MAGIC) :]) == MAGIC


class TableFile:
    """A table file in memory, or memory-mapped; iteration yields its records in the order of their keys.

    The cost is linear in the size of the data, whatever its contents. With `checksums=False` checksums are not
    compared. Raises CheckpointError, with the position, for damage: the constructor for the structure of the table,
    the methods for the data blocks that they read.
    """

    def __init__(self, data: Buffer, *, checksums: bool = True) -> None:
        self._view = memoryview(data).cast("B")
        self.checksums = checksums
        self._body = len(self._view) - FOOTER  # blocks end before this byte
        if self._body < 0:
            problem = f"{len(self._view):,} bytes are less than a footer of {FOOTER}"
            raise CheckpointError(f"{_NO_TABLE}: {problem if self._view else 'empty (0 bytes)'}")
        if not is_table(self._view):
            raise CheckpointError(f"{_NO_TABLE}: no magic number at byte {len(self._view) - len(MAGIC):,}")
        end = len(self._view) - len(MAGIC)
        offset, size, pos = self._handle(self._view, self._body, end, self._body)
        self._read(offset, size, "metaindex block")
        offset, size, _ = self._handle(self._view, pos, end, self._body)
        self.blocks = self._handles(self._read(offset, size, "index block"))
        self._last_block: tuple[Handle, dict[bytes, Record]] | None = None

    def __iter__(self) -> Iterator[Record]:
        previous: bytes | None = None
        for handle in self.blocks:
            records = self.records(handle, previous)
            yield from _each(records)
            previous = records.keys[-1] if records.keys else previous

    def records(self, handle: Handle, previous: bytes | None = None) -> Records:
        """Return the records of one of the `blocks`; its keys follow `previous`, the last key of the preceding block.

        Raises CheckpointError if the block is damaged.
        """
        return _records(self._read(handle.offset, handle.size, "block"), previous)

    def find(self, key: bytes) -> Record | None:
        """Return the record of a key; None if the table does not have it. Raises CheckpointError for a damaged block.

        The last block is cached, since keys are often looked up in order.
        """
        position = bisect_left(self.blocks, key, key=lambda handle: handle.last)
        if position == len(self.blocks):
            return None
        handle = self.blocks[position]
        if self._last_block is None or self._last_block[0] is not handle:
            self._last_block = None
            records = self.records(handle)
            self._last_block = handle, {record.key: record for record in _each(records)}
        return self._last_block[1].get(key)

    def _handles(self, index: _Block) -> list[Handle]:
        records = _records(index, None)
        handles = []
        previous_end = 0
        for key, value, where in zip(records.keys, records.values, records.offsets(), strict=True):
            offset, size, _ = self._handle(memoryview(value), 0, len(value), where)
            if offset < previous_end:
                raise _damage_error(
                    f"the block at {offset:,} begins before byte {previous_end:,}, inside the one before", where
                )
            previous_end = offset + size + _TRAILER
            handles.append(Handle(offset, size, key))
        return handles

    def _handle(self, data: memoryview, pos: int, end: int, where: int) -> tuple[int, int, int]:
        """Return offset and size of the handle at `pos`, checked to lie inside the file, and the position after it."""
        try:
            offset, pos = read_varint(data, pos, end)
            size, pos = read_varint(data, pos, end)
        except DecodeError as error:
            raise _damage_error("a block handle cannot be read", where) from error
        if offset + size + _TRAILER > self._body:
            raise _damage_error(
                f"a block of {size:,} bytes at {offset:,} does not fit into the {self._body:,} before the footer", where
            )
        return offset, size, pos

    def _read(self, offset: int, size: int, what: str) -> _Block:
        end = offset + size
        stored: bytes | memoryview = self._view[offset:end]
        compression = self._view[end]
        if self.checksums:
            expected = unmask(int.from_bytes(self._view[end + 1 : end + _TRAILER], "little"))
            actual = crc32c(self._view[offset : end + 1])
            if expected != actual:
                raise _damage_error(f"the {what} has CRC {actual:08x}, not the {expected:08x} stored after it", offset)
        if compression == _SNAPPY:
            return _Block(decompress(stored, limit=_LARGEST_BLOCK, offset=offset), offset, True)
        if compression != _STORED:
            raise _damage_error(f"the {what} has the unknown compression {compression}", end)
        return _Block(bytes(stored) if size <= _COPIED else stored, offset, False)


def _each(records: Records) -> Iterator[Record]:
    return map(Record, records.keys, records.values, records.offsets())


def _records(block: _Block, previous: bytes | None) -> Records:
    """Return the records of one block, from its start to the list of restarts."""
    contents, size = block.contents, len(block.contents)
    records = Records([], [], block)
    keys, values, _ = records
    key, unfolded, pos, end = b"", 0, 0, _end_of_records(block)
    while pos < end:
        start = pos
        shared, unshared, length = (
            contents[pos],
            contents[pos + 1],
            contents[pos + 2],
        )  # the index is valid: restarts follow
        pos += 3
        if shared | unshared | length > 127 or pos > end:
            shared, unshared, length, pos = _lengths(block, start, end)
            unfolded += shared
            if unfolded > _KEY_GROWTH * size:
                raise _damage_error(f"{size:,} bytes unfold to over {unfolded:,} bytes of keys", _place(block, start))
        middle = pos + unshared
        stop = middle + length
        if shared > len(key):
            raise _damage_error(
                f"a key shares {shared:,} bytes with the one before, which has {len(key):,}", _place(block, start)
            )
        if stop > end:
            raise _damage_error(f"a record needs {stop - pos:,} bytes, {end - pos:,} are left", _place(block, start))
        key = key[:shared] + contents[pos:middle]
        keys.append(key)
        values.append(contents[middle:stop])
        pos = stop
    _check_order(records, previous)
    return records


def _check_order(records: Records, previous: bytes | None) -> None:
    keys = records.keys if previous is None else [previous, *records.keys]
    if all(map(lt, keys, islice(keys, 1, None))):  # takes a third of the time of the loop below
        return
    following = islice(records.offsets(), 1 if previous is None else 0, None)
    for (earlier, key), place in zip(pairwise(keys), following, strict=True):
        if key <= earlier:
            raise _damage_error(f"key {key[:60]!r} comes after {earlier[:60]!r}", place)


def _end_of_records(block: _Block) -> int:
    contents, size = block.contents, len(block.contents)
    if size < 4:
        raise _damage_error(f"a block of {size:,} bytes has no restart count", block.offset)
    restarts = int.from_bytes(contents[size - 4 :], "little")
    end = size - 4 * (restarts + 1)
    if end < 0 or (restarts == 0 and end > 0):
        raise _damage_error(f"a block of {size:,} bytes cannot have {restarts:,} restarts", _place(block, size - 4))
    return end


def _lengths(block: _Block, start: int, end: int) -> tuple[int, int, int, int]:
    """Return the three lengths at the start of a record (shared and own part of the key, value), and their end."""
    contents = memoryview(block.contents)
    try:
        shared, pos = read_varint(contents, start, end)
        unshared, pos = read_varint(contents, pos, end)
        length, pos = read_varint(contents, pos, end)
    except DecodeError as error:
        raise _damage_error("the lengths of a record cannot be read", _place(block, start)) from error
    return shared, unshared, length, pos


def _place(block: _Block, pos: int) -> int:
    """Return the position in the file for a position in a block; for a compressed block, the start of the block."""
    return block.offset if block.compressed else block.offset + pos


def _damage_error(problem: str, offset: int) -> CheckpointError:
    return CheckpointError(f"damaged table at byte {offset:,}: {problem}")


_RESTART_INTERVAL = 16  # records per restart
_BLOCK_SIZE = 1 << 18  # bytes after which a block ends


def table(records: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return the table file with these records, whose keys must be in increasing order."""
    out = bytearray()
    index = _BlockWriter(1)
    block = _BlockWriter(_RESTART_INTERVAL)
    handle = b""
    for key, value in records:
        if handle:  # the preceding block is complete; its key in the index depends on `key`
            index.add(_between(block.last, key), handle)
            block, handle = _BlockWriter(_RESTART_INTERVAL), b""
        block.add(key, value)
        if block.size >= _BLOCK_SIZE:
            handle = _append(out, block)
    if not handle and block.last is not None:
        handle = _append(out, block)
    if handle:
        index.add(_upper_bound(block.last or b""), handle)
    metaindex = _append(out, _BlockWriter(_RESTART_INTERVAL))
    footer = metaindex + _append(out, index)
    return bytes(out) + footer.ljust(FOOTER - len(MAGIC), b"\0") + MAGIC


class _BlockWriter:
    """The contents of a block under construction."""

    def __init__(self, interval: int) -> None:
        self._interval = interval
        self._contents = bytearray()
        self._restarts = [0]
        self._since = 0  # records since the last restart
        self.last: bytes | None = None

    @property
    def size(self) -> int:
        return len(self._contents) + 4 * len(self._restarts) + 4

    def add(self, key: bytes, value: bytes) -> None:
        shared = 0
        if self._since == self._interval:
            self._restarts.append(len(self._contents))
            self._since = 0
        elif self.last is not None:
            shared = _common_prefix_length(self.last, key)
        lengths = map(write_varint, (shared, len(key) - shared, len(value)))
        self._contents += b"".join([*lengths, key[shared:], value])
        self._since += 1
        self.last = key

    def contents(self) -> bytes:
        numbers = [*self._restarts, len(self._restarts)]
        return bytes(self._contents) + b"".join([number.to_bytes(4, "little") for number in numbers])


def _append(out: bytearray, block: _BlockWriter) -> bytes:
    """Append an uncompressed block and return its handle."""
    stored = block.contents() + b"\0"
    handle = write_varint(len(out)) + write_varint(len(stored) - 1)
    out += stored + mask(crc32c(stored)).to_bytes(4, "little")
    return handle


def _common_prefix_length(a: bytes, b: bytes) -> int:
    """Return the length of the common prefix of two keys."""
    length = min(len(a), len(b))
    return next((index for index in range(length) if a[index] != b[index]), length)


def _between(last: bytes | None, following: bytes) -> bytes:
    """Return a short key that is at least `last` and less than `following`, the one that TensorFlow chooses."""
    last = last or b""
    index = _common_prefix_length(last, following)
    if index < min(len(last), len(following)) and last[index] < 0xFF and last[index] + 1 < following[index]:
        return last[:index] + bytes([last[index] + 1])
    return last


def _upper_bound(last: bytes) -> bytes:
    """Return a short key that is at least `last`."""
    index = next((index for index, byte in enumerate(last) if byte != 0xFF), None)
    return last if index is None else last[:index] + bytes([last[index] + 1])


_LENGTH_BYTES = {60: 1, 61: 2, 62: 3, 63: 4}  # for literals over 60 bytes, the length follows the tag


def decompress(data: Buffer, *, limit: int, offset: int = 0) -> bytes:
    """Decompress Snappy data to at most `limit` bytes.

    Raises CheckpointError if the data is damaged or larger; `offset`, its position in the file, is for the message.
    """
    view = memoryview(data).cast("B")
    end = len(view)
    try:
        expected, pos = read_varint(view, 0, end)
    except DecodeError as error:
        raise _snappy_error("its length cannot be read", offset) from error
    if expected > limit:
        raise _snappy_error(f"it holds {expected:,} bytes, more than the limit of {limit:,}", offset)
    if expected > end * 64 // 3:  # the best possible ratio is a copy: 64 bytes in three
        raise _snappy_error(f"{end:,} bytes cannot hold {expected:,}", offset)
    out = bytearray()
    while pos < end:
        start = pos
        tag = view[pos]
        kind, high = tag & 3, tag >> 2
        # the number of bytes that follow this tag and belong to it
        extra = (_LENGTH_BYTES.get(high, 0), 1, 2, 4)[kind]
        pos += 1 + extra
        if pos > end:
            raise _snappy_error("it ends inside an element", offset + start)
        operand = int.from_bytes(view[start + 1 : pos], "little")
        if kind == 0:
            length = (operand if extra else high) + 1
            if length > end - pos:
                raise _snappy_error(f"a literal needs {length:,} bytes, {end - pos:,} are left", offset + start)
            out += view[pos : pos + length]
            pos += length
        else:
            length, back = (4 + (high & 7), (tag >> 5) << 8 | operand) if kind == 1 else (high + 1, operand)
            if not 0 < back <= len(out):
                raise _snappy_error(f"a copy begins {back:,} bytes back, after {len(out):,}", offset + start)
            source = len(out) - back
            piece = out[source : source + length]
            while len(piece) < length:
                piece *= 2
            out += piece[:length]
        if len(out) > expected:
            raise _snappy_error(f"it holds more than the {expected:,} bytes it announces", offset + start)
    if len(out) != expected:
        raise _snappy_error(f"it holds {len(out):,} bytes where it announces {expected:,}", offset)
    return bytes(out)


def _snappy_error(problem: str, offset: int) -> CheckpointError:
    return CheckpointError(f"damaged Snappy data at byte {offset:,}: {problem}")
