"""gzip, without letting a small file fill the memory."""

from __future__ import annotations

import zlib

__all__ = ["TooLarge", "first_bytes", "unpack"]

_PIECE = 1 << 24
_GZIP = 31  # for zlib: a gzip header, and the largest window


class TooLarge(Exception):
    """The data unpack to more than they may."""


def first_bytes(data: bytes, size: int) -> bytes:
    """The first `size` bytes of what is packed, or fewer if the data are damaged before that. Raises zlib.error."""
    return zlib.decompressobj(_GZIP).decompress(data, size)


def unpack(data: bytes, limit: int) -> bytes:
    """All that is packed. Raises TooLarge beyond `limit` bytes, EOFError if `data` ends too early, zlib.error if wrong.

    The data may be several gzip files one behind another, with zeros at the end.
    """
    pieces: list[bytes] = []
    size = 0
    rest = data
    while rest:
        unpacker = zlib.decompressobj(_GZIP)
        while not unpacker.eof:
            piece = unpacker.decompress(rest, min(_PIECE, limit - size + 1))
            if not piece and not unpacker.eof and not unpacker.unconsumed_tail:
                raise EOFError
            size += len(piece)
            if size > limit:
                raise TooLarge
            pieces.append(piece)
            rest = unpacker.unconsumed_tail
        rest = unpacker.unused_data.lstrip(b"\0")
    return b"".join(pieces)
