"""CRC-32C, the checksum of blocks, tensors and records, at gigabytes a second without leaving Python.

Python's libraries have only CRC-32, which uses another polynomial. A table lookup per byte is slow in Python, so a
long input is first replaced by a short one with the same CRC. The bits of an input are the coefficients of a polynomial
over GF(2), the earliest bit first. The CRC is the remainder of this polynomial after division by

    x^32 + x^28 + x^27 + x^26 + x^25 + x^23 + x^22 + x^20 + x^19 + x^18
         + x^14 + x^13 + x^11 + x^10 + x^9 + x^8 + x^6 + 1

Two inputs have the same CRC if their difference is a multiple of this polynomial. Some multiples have few terms, such
as

    x^6777 + x^484 + x^100 + 1

Squaring over GF(2) doubles every exponent and adds no terms. So if n is a power of two, x^(6777 n) can be replaced by
x^(484 n) + x^(100 n) + 1: a bit is removed from the front by adding (xor) it to the bits that are 6293 n, 6677 n and
6777 n places later. Since the nearest of these is 6293 n places away, 6293 n bits can be removed at once, by three xors
of long integers. This is repeated with smaller and smaller n, and then with a multiple of a lower degree that has two
more terms. It leaves 133 bytes for the tables.

Long integers do this at a few hundred megabytes a second. NumPy is ten times as fast, but importing it takes longer
than reading a small checkpoint. So NumPy is used, by `crc32c_words`, only if another module has imported it, as modules
that read tensors do.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pbwire.wire import Buffer

_POLYNOMIAL = 0x82F63B78  # the one above without its highest term; bit 31 is x^0
MASK_DELTA = 0xA282EAD8

# the degree of a multiple, its other exponents except 0, and the values of n to use, largest first
_MULTIPLES = (
    (6777, (484, 100), (64, 32, 16, 8, 4, 2, 1)),
    (1059, (88, 85, 43, 4), (4, 2, 1)),
)
_FOLD_FROM = 300  # bytes; below this folding costs more than it saves
_PIECE = 1 << 18  # bytes folded at a time
_NUMPY_FROM = 1 << 15  # bytes
_MANY = 16  # parts; fewer are computed one after another


def crc32c(data: Buffer, value: int = 0) -> int:
    """Return the CRC-32C of `data`. If `value` is the CRC of earlier data, return that of both, one after the other."""
    view, state = memoryview(data).cast("B"), value ^ 0xFFFFFFFF
    if len(view) >= _NUMPY_FROM and sys.modules.get("numpy"):
        from .crc32c_words import fold_words  # imports numpy

        view, state = fold_words(view, state)
    while len(view) > _PIECE:
        state = look_up(_shorten(view[:_PIECE], state), 0)
        view = view[_PIECE:]
    if len(view) >= _FOLD_FROM:
        return look_up(_shorten(view, state), 0) ^ 0xFFFFFFFF
    return look_up(bytes(view), state) ^ 0xFFFFFFFF


def wrong_parts(data: bytes, starts: Sequence[int], lengths: Sequence[int]) -> list[int]:
    """Return the numbers of the parts of `data` that are not followed by their masked CRC-32C (4 bytes).

    The parts begin at `starts` and have `lengths` bytes.
    """
    if sys.modules.get("numpy") is None or len(starts) < _MANY:
        view = memoryview(data)
        return [
            index
            for index, (start, size) in enumerate(zip(starts, lengths, strict=True))
            if mask(crc32c(view[start : start + size])) != int.from_bytes(view[start + size :][:4], "little")
        ]
    from .crc32c_words import wrong_parts_by_words  # imports numpy

    return wrong_parts_by_words(data, starts, lengths)


def mask(value: int) -> int:
    """Return the masked form of a CRC, in which it is stored beside its data.

    Without the mask, a CRC over both the data and their CRC would be degenerate.
    """
    return ((value >> 15 | value << 17) + MASK_DELTA) & 0xFFFFFFFF


def unmask(value: int) -> int:
    """Return the CRC whose masked form is `value`."""
    rotated = (value - MASK_DELTA) & 0xFFFFFFFF
    return (rotated >> 17 | rotated << 15) & 0xFFFFFFFF


def _shorten(view: memoryview, state: int) -> bytes:
    """Return a short input that leads from state 0 to the same state as `view` does from `state`."""
    bits = int.from_bytes(view, "little") ^ state  # bit 0 is the earliest
    size = 8 * len(view)
    for degree, exponents, scales in _MULTIPLES:
        for n in scales:
            while size > degree * n:
                removed = min((degree - exponents[0]) * n, size - degree * n)
                gone = bits & (1 << removed) - 1
                bits >>= removed
                bits ^= gone << degree * n - removed
                for exponent in exponents:
                    bits ^= gone << (degree - exponent) * n - removed
                size -= removed
    words = -(-size // 8)
    return (bits << 8 * words - size).to_bytes(words, "little")  # zeros in front do not change state 0


def look_up(data: bytes, state: int) -> int:
    """Return the state after more bytes, by table lookup: eight bytes at a time, with a table for each of them."""
    t0, t1, t2, t3, t4, t5, t6, t7 = TABLES
    aligned = len(data) & ~7
    byte = iter(data[:aligned])
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
    for a in data[aligned:]:
        state = t0[(state ^ a) & 255] ^ state >> 8
    return state


def _tables() -> list[list[int]]:
    """Return the tables; table n maps a byte to its contribution to the state after n more bytes."""
    first = list(range(256))
    for _ in range(8):
        first = [value >> 1 ^ (_POLYNOMIAL if value & 1 else 0) for value in first]
    tables = [first]
    for _ in range(7):
        tables.append([first[value & 255] ^ value >> 8 for value in tables[-1]])
    return tables


TABLES = _tables()
