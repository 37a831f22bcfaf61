"""CRC-32C, the checksum of blocks and tensors, at hundreds of megabytes a second without leaving Python.

Python's libraries have CRC-32, which is another polynomial. A table lookup per byte is slow in Python, so a long
input is first made short. Read as a polynomial over GF(2), earliest bit first, its CRC is the remainder by

    x^32 + x^28 + x^27 + x^26 + x^25 + x^23 + x^22 + x^20 + x^19 + x^18
         + x^14 + x^13 + x^11 + x^10 + x^9 + x^8 + x^6 + 1

and so is that of anything equal to it modulo a multiple of it. One such multiple has only six terms:

    x^209 + x^144 + x^54 + x^39 + x^14 + 1

Squaring over GF(2) doubles every exponent and adds no terms, so with n a power of two x^(209 n) is equal to
x^(144 n) + x^(54 n) + x^(39 n) + x^(14 n) + 1. Cut into chunks of n bits, a chunk can therefore be removed by adding
(xor) it to the chunks 65, 155, 170, 195 and 209 places behind it. That is five xors of Python's long integers per
chunk, and leaves 209 chunks at the end, which have the same remainder. Repeated with smaller and smaller chunks,
it leaves a few kilobytes for the tables.
"""

from __future__ import annotations

from itertools import chain, islice

from pbwire.wire import Buffer

__all__ = ["crc32c", "mask", "unmask"]

_POLYNOMIAL = 0x82F63B78  # the one above without its highest term; bit 31 is x^0
_MASK_DELTA = 0xA282EAD8

_GAPS = (65, 155, 170, 195, 209)  # see above: 209 minus each lower exponent
_KEPT = 209
_FOLD_FROM = 8192  # bytes; below this folding costs more than it saves
_LARGEST_CHUNK = 4096
_BATCH = 1024  # chunks folded before those that are done with are dropped


def crc32c(data: Buffer, value: int = 0) -> int:
    """The CRC-32C of `data`, or of what had the CRC `value` followed by `data`."""
    view, state = memoryview(data).cast("B"), value ^ 0xFFFFFFFF
    while len(view) >= _FOLD_FROM:
        size = 8
        while size < _LARGEST_CHUNK and len(view) >= 8 * size * _KEPT:
            size *= 2
        view, state = memoryview(_fold(view, state, size)), 0
    return _look_up(view, state) ^ 0xFFFFFFFF


def mask(value: int) -> int:
    """The form in which a CRC is stored beside its data, so that a CRC over both is not degenerate."""
    return ((value >> 15 | value << 17) + _MASK_DELTA) & 0xFFFFFFFF


def unmask(value: int) -> int:
    """The CRC that `mask` made `value` of."""
    rotated = (value - _MASK_DELTA) & 0xFFFFFFFF
    return (rotated >> 17 | rotated << 15) & 0xFFFFFFFF


def _fold(view: memoryview, state: int, size: int) -> bytes:
    """A shorter input of the same CRC, to be continued from state 0: the last 209 chunks and the odd bytes."""
    count = len(view) // size
    numbers = (int.from_bytes(view[at : at + size], "little") for at in range(0, count * size, size))
    chunks = chain([next(numbers) ^ state], numbers)
    folded = [0] * _KEPT
    append = folded.append
    for start in range(0, count - _KEPT, _BATCH):
        batch = islice(chunks, min(_BATCH, count - _KEPT - start))
        # These follow the list while it grows: what is appended here is met again 65 chunks later.
        behind = [islice(folded, _KEPT - gap, None) for gap in _GAPS]
        for chunk, a, b, c, d, e in zip(batch, *behind, strict=False):
            append(chunk ^ a ^ b ^ c ^ d ^ e)
        del folded[:-_KEPT]
    folded += [0] * _KEPT  # the last chunks stay, and are added to nothing
    behind = [islice(folded, _KEPT - gap, None) for gap in _GAPS]
    kept = [chunk ^ a ^ b ^ c ^ d ^ e for chunk, a, b, c, d, e in zip(chunks, *behind, strict=False)]
    return b"".join([chunk.to_bytes(size, "little") for chunk in kept] + [view[count * size :]])


def _look_up(view: memoryview, state: int) -> int:
    """The plain method, eight bytes at a time: each goes through the table for its distance from the eighth."""
    t0, t1, t2, t3, t4, t5, t6, t7 = _TABLES
    whole = len(view) & ~7
    byte = iter(bytes(view[:whole]))
    for a, b, c, d, e, f, g, h in zip(byte, byte, byte, byte, byte, byte, byte, byte, strict=True):
        state = (
            t7[(state ^ a) & 255]
            ^ t6[(state >> 8 ^ b) & 255]
            ^ t5[(state >> 16 ^ c) & 255]
            ^ t4[state >> 24 ^ d]
            ^ t3[e]
            ^ t2[f]
            ^ t1[g]
            ^ t0[h]
        )
    for a in view[whole:]:
        state = t0[(state ^ a) & 255] ^ state >> 8
    return state


def _tables() -> list[list[int]]:
    """Table n gives what a byte adds to the state once n more bytes have passed."""
    first = list(range(256))
    for _ in range(8):
        first = [value >> 1 ^ (_POLYNOMIAL if value & 1 else 0) for value in first]
    tables = [first]
    for _ in range(7):
        tables.append([first[value & 255] ^ value >> 8 for value in tables[-1]])
    return tables


_TABLES = _tables()
