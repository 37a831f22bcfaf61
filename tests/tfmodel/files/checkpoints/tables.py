"""Table files for tests, well made or with one thing wrong."""

from __future__ import annotations

from collections.abc import Iterable

from tfmodel.files.access.crc32c import crc32c, mask

__all__ = ["COUNTER", "MAGIC", "block", "footer", "handle", "literal", "record", "table", "trailer", "varint"]

MAGIC = bytes.fromhex("57fb808b247547db")
EMPTY_BLOCK = bytes.fromhex("0000000001000000")

# The smallest real index: one float32 scalar called "counter" whose value is 0.0.
COUNTER = bytes.fromhex(
    "000006 08011a020801 00070b 636f756e746572 08011200280435a67b113a 00000000 01000000 00 5fa01073"
    "00000000 01000000 00 c0f2a1b0 000102 64 0026 00000000 01000000 00 22b16103 2b08 380e"
    + "00" * 36
    + "57fb808b247547db"
)


def varint(value: int) -> bytes:
    head = b""
    while value > 127:
        head += bytes([value & 127 | 128])
        value >>= 7
    return head + bytes([value])


def record(key: bytes, value: bytes, shared: int = 0) -> bytes:
    return varint(shared) + varint(len(key) - shared) + varint(len(value)) + key[shared:] + value


def block(records: Iterable[tuple[bytes, bytes]], restart_interval: int = 16) -> bytes:
    """Contents of a block."""
    out, restarts, previous = b"", [0], b""
    for number, (key, value) in enumerate(records):
        shared = 0
        if number % restart_interval:
            while shared < min(len(key), len(previous)) and key[shared] == previous[shared]:
                shared += 1
        elif number:
            restarts.append(len(out))
        out += record(key, value, shared)
        previous = key
    return out + b"".join(restart.to_bytes(4, "little") for restart in [*restarts, len(restarts)])


def trailer(contents: bytes, compression: int = 0) -> bytes:
    kind = bytes([compression])
    return kind + mask(crc32c(contents + kind)).to_bytes(4, "little")


def handle(offset: int, size: int) -> bytes:
    return varint(offset) + varint(size)


def footer(metaindex: bytes, index: bytes) -> bytes:
    return (metaindex + index).ljust(40, b"\0") + MAGIC


def literal(data: bytes) -> bytes:
    """Snappy data of literals only."""
    pieces = [data[offset : offset + 60] for offset in range(0, len(data), 60)]
    return varint(len(data)) + b"".join(bytes([len(piece) - 1 << 2]) + piece for piece in pieces)


def table(
    *blocks: bytes,
    compression: int = 0,
    index: list[tuple[bytes, bytes]] | None = None,
) -> bytes:
    """A file of these blocks' contents. `index` replaces the records of the index block."""
    out, handles = b"", []
    for contents in blocks:
        handles.append(handle(len(out), len(contents)))
        out += contents + trailer(contents, compression)
    metaindex = handle(len(out), len(EMPTY_BLOCK))
    out += EMPTY_BLOCK + trailer(EMPTY_BLOCK)
    records = [(b"%08d" % n, value) for n, value in enumerate(handles)] if index is None else index
    contents = block(records, restart_interval=1)
    place = handle(len(out), len(contents))
    return out + contents + trailer(contents) + footer(metaindex, place)
