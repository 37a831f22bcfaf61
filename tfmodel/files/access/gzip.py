"""Decompress gzip with a limit, so that a small file cannot fill the memory.

The number of decompressed bytes says little about the memory that decoding takes: gzip packs a thousand messages of two
bytes into four bytes, and each becomes an object of a hundred bytes. So there are two limits. One counts all bytes. The
other, `dense`, does not count long runs of zeros (bytes 0, or the escape \\000 of text format), which are weights that
are zero: they contain no messages, and decoding makes at most eight bytes of each. Apart from such runs, gzip makes
real models smaller by a factor of 2 to 20.
"""

from __future__ import annotations

import re
import zlib

# A gzip file may decompress to UNPACKED bytes or to UNPACKED_RATIO times its size, whichever is larger. Weights
# compress little, and a small file that grows a hundredfold is an attack or a mistake. DENSE and DENSE_RATIO limit data
# other than zeros. They are lower, since decoding takes up to sixty bytes of memory for each byte. The largest ratio of
# known graphs is 21.
UNPACKED = 64 << 20
UNPACKED_RATIO = 100
DENSE = 2 << 20
DENSE_RATIO = 50


_PIECE = 1 << 24
_FIRST = 1 << 8  # bytes of the first piece; each piece is twice as long as the one before
_GZIP = 31  # for zlib: a gzip header, and the largest window

_RUN = bytes(64)  # of zeros, which are not counted as dense
_ESCAPED_RUN = b"\\000" * 16

_zeros = re.compile(rb"\0*+").match


class TooLarge(Exception):
    """The decompressed data exceed a limit. `dense` is true if it is the limit that does not count runs of zeros."""

    def __init__(self, *, dense: bool = False) -> None:
        super().__init__()
        self.dense = dense


def first_bytes(data: bytes, size: int) -> bytes:
    """Return the first `size` decompressed bytes, or fewer if the data are damaged before that. Raises zlib.error."""
    return zlib.decompressobj(_GZIP).decompress(data, size)


def unpack(data: bytes, limit: int, dense: int | None = None) -> bytes:
    """Return the decompressed data.

    `data` may be several gzip files one after another, with zeros at the end. `limit` is the maximum number of bytes;
    `dense`, unless it is None, is the maximum number of bytes that do not belong to long runs of zeros.

    Raises TooLarge beyond a limit, EOFError if `data` ends too early, and zlib.error if it is damaged.
    """
    pieces: list[bytes] = []
    size = counted = pos = 0
    while pos < len(data):
        unpacker = zlib.decompressobj(_GZIP)
        chunk = _FIRST
        while not unpacker.eof:
            packed = unpacker.unconsumed_tail
            if not packed:
                packed = data[pos : pos + chunk]
                pos += len(packed)
                chunk = min(2 * chunk, _PIECE)
            piece = unpacker.decompress(packed, min(_PIECE, max(0, limit - size) + 1))
            if not piece and not packed and not unpacker.eof:
                raise EOFError
            size += len(piece)
            if size > limit:
                raise TooLarge
            if dense is not None:
                counted += len(piece) - len(_RUN) * piece.count(_RUN) - len(_ESCAPED_RUN) * piece.count(_ESCAPED_RUN)
                if counted > dense:
                    raise TooLarge(dense=True)
            pieces.append(piece)
        pos = _zeros(data, pos - len(unpacker.unused_data)).end()  # type: ignore[union-attr]  # it matches anything
    return b"".join(pieces)
