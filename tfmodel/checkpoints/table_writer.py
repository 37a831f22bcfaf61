"""Writing the table that carries checkpoints, to the byte as TensorFlow does: see `table_file` for its form."""

from __future__ import annotations

from collections.abc import Iterable

from pbwire.varints import write_varint

from .crc32c import crc32c, mask
from .table_file import FOOTER, MAGIC

__all__ = ["table"]

_RESTART_INTERVAL = 16  # records, of which one spells out its whole key
_BLOCK_SIZE = 1 << 18  # bytes after which a block ends


def table(records: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The file that holds these records, whose keys have to come in order."""
    out = bytearray()
    index = _BlockWriter(1)
    block = _BlockWriter(_RESTART_INTERVAL)
    handle = b""
    for key, value in records:
        if handle:  # the block before is done; now it is known what its index key must be less than
            index.add(_between(block.last, key), handle)
            block, handle = _BlockWriter(_RESTART_INTERVAL), b""
        block.add(key, value)
        if block.size >= _BLOCK_SIZE:
            handle = _append(out, block)
    if not handle and block.last is not None:
        handle = _append(out, block)
    if handle:
        index.add(_behind(block.last or b""), handle)
    metaindex = _append(out, _BlockWriter(_RESTART_INTERVAL))
    footer = metaindex + _append(out, index)
    return bytes(out) + footer.ljust(FOOTER - len(MAGIC), b"\0") + MAGIC


class _BlockWriter:
    """The contents of a block while it is put together."""

    def __init__(self, interval: int) -> None:
        self._interval = interval
        self._contents = bytearray()
        self._restarts = [0]
        self._since = 0  # the last restart
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
            shared = _shared(self.last, key)
        lengths = map(write_varint, (shared, len(key) - shared, len(value)))
        self._contents += b"".join([*lengths, key[shared:], value])
        self._since += 1
        self.last = key

    def contents(self) -> bytes:
        numbers = [*self._restarts, len(self._restarts)]
        return bytes(self._contents) + b"".join([number.to_bytes(4, "little") for number in numbers])


def _append(out: bytearray, block: _BlockWriter) -> bytes:
    """Write a block, not compressed, and return its handle."""
    stored = block.contents() + b"\0"
    handle = write_varint(len(out)) + write_varint(len(stored) - 1)
    out += stored + mask(crc32c(stored)).to_bytes(4, "little")
    return handle


def _shared(a: bytes, b: bytes) -> int:
    """How many bytes two keys have in common in front."""
    most = min(len(a), len(b))
    return next((at for at in range(most) if a[at] != b[at]), most)


def _between(last: bytes | None, following: bytes) -> bytes:
    """A short key that is at least `last` and less than `following`, as TensorFlow chooses it."""
    last = last or b""
    at = _shared(last, following)
    if at < min(len(last), len(following)) and last[at] < 0xFF and last[at] + 1 < following[at]:
        return last[:at] + bytes([last[at] + 1])
    return last


def _behind(last: bytes) -> bytes:
    """A short key that is at least `last`."""
    at = next((at for at, byte in enumerate(last) if byte != 0xFF), None)
    return last if at is None else last[:at] + bytes([last[at] + 1])
