"""Decoder for Snappy's raw block format, which compresses some checkpoint indexes.

The input is the length of the output, followed by elements: literal bytes, or a copy of earlier output. A copy may
overlap the bytes that it produces, which repeats them.
"""

from __future__ import annotations

from pbwire.errors import DecodeError
from pbwire.wire import Buffer, read_varint

from ..errors import CheckpointError

__all__ = ["decompress"]

_LENGTH_BYTES = {60: 1, 61: 2, 62: 3, 63: 4}  # for literals over 60 bytes, the length follows the tag


def decompress(data: Buffer, *, limit: int, offset: int = 0) -> bytes:
    """Return the decompressed `data`, at most `limit` bytes.

    Raises CheckpointError if it is damaged or larger; `offset`, the position of `data` in its file, is for the message.
    """
    view = memoryview(data).cast("B")
    end = len(view)
    try:
        expected, pos = read_varint(view, 0, end)
    except DecodeError as error:
        raise _damaged_snappy("its length cannot be read", offset) from error
    if expected > limit:
        raise _damaged_snappy(f"it holds {expected:,} bytes, more than the {limit:,} that can be right", offset)
    if expected > end * 64 // 3:  # the best possible ratio is a copy: 64 bytes in three
        raise _damaged_snappy(f"{end:,} bytes cannot hold {expected:,}", offset)
    out = bytearray()
    while pos < end:
        start = pos
        tag = view[pos]
        kind, high = tag & 3, tag >> 2
        # the number of bytes that belong to this tag, and their value
        extra = (_LENGTH_BYTES.get(high, 0), 1, 2, 4)[kind]
        pos += 1 + extra
        if pos > end:
            raise _damaged_snappy("it ends inside an element", offset + start)
        operand = int.from_bytes(view[start + 1 : pos], "little")
        if kind == 0:
            length = (operand if extra else high) + 1
            if length > end - pos:
                raise _damaged_snappy(f"a literal needs {length:,} bytes, {end - pos:,} are left", offset + start)
            out += view[pos : pos + length]
            pos += length
        else:
            length, back = (4 + (high & 7), (tag >> 5) << 8 | operand) if kind == 1 else (high + 1, operand)
            if not 0 < back <= len(out):
                raise _damaged_snappy(f"a copy begins {back:,} bytes back, after {len(out):,}", offset + start)
            source = len(out) - back
            piece = out[source : source + length]
            while len(piece) < length:
                piece *= 2
            out += piece[:length]
        if len(out) > expected:
            raise _damaged_snappy(f"it holds more than the {expected:,} bytes it announces", offset + start)
    if len(out) != expected:
        raise _damaged_snappy(f"it holds {len(out):,} bytes where it announces {expected:,}", offset)
    return bytes(out)


def _damaged_snappy(problem: str, offset: int) -> CheckpointError:
    return CheckpointError(f"damaged Snappy data at byte {offset:,}: {problem}")
