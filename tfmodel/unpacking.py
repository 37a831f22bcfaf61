"""gzip, without letting a small file fill the memory."""

from __future__ import annotations

import re
import zlib

__all__ = ["TooLarge", "first_bytes", "unpack"]

_PIECE = 1 << 24
_FIRST = 1 << 8  # bytes, and then twice as many each time: small files must not have to look at all that follows them
_GZIP = 31  # for zlib: a gzip header, and the largest window

_zeros = re.compile(rb"\0*+").match


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
    size = pos = 0
    while pos < len(data):
        unpacker = zlib.decompressobj(_GZIP)
        given = _FIRST
        while not unpacker.eof:
            packed = unpacker.unconsumed_tail
            if not packed:
                packed = data[pos : pos + given]
                pos += len(packed)
                given = min(2 * given, _PIECE)
            piece = unpacker.decompress(packed, min(_PIECE, max(0, limit - size) + 1))
            if not piece and not packed and not unpacker.eof:
                raise EOFError
            size += len(piece)
            if size > limit:
                raise TooLarge
            pieces.append(piece)
        pos = _zeros(data, pos - len(unpacker.unused_data)).end()  # type: ignore[union-attr]  # it matches anything
    return b"".join(pieces)
