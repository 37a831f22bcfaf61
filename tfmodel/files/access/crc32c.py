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
than reading a small checkpoint. So NumPy is used only if another module has imported it, as modules that read tensors
do. With NumPy, words of 1 to 8 bytes are removed by adding them to the words 6293 n, 6677 n and 6777 n places later.
Every multiple needs at least three additions per word. This one was chosen for two reasons: the gap of 6293 is large,
so that long runs of words are removed at once, and the degree is small enough for the cache of a processor.

For many short inputs, as the records of a file are, folding does not help. `wrong_parts` looks up the first word of
all of them at once, then the second word, and so on.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from pbwire.wire import Buffer

_POLYNOMIAL = 0x82F63B78  # the one above without its highest term; bit 31 is x^0
_MASK_DELTA = 0xA282EAD8

# the degree of a multiple, its other exponents except 0, and the values of n to use, largest first
_MULTIPLES = (
    (6777, (484, 100), (64, 32, 16, 8, 4, 2, 1)),
    (1059, (88, 85, 43, 4), (4, 2, 1)),
)
_FOLD_FROM = 300  # bytes; below this folding costs more than it saves
_PIECE = 1 << 18  # bytes folded at a time
_NUMPY_FROM = 1 << 15  # bytes
_DEGREE, _EXPONENTS = 6777, (484, 100, 0)
_LEVELS = ((2, "<u8"), (1, "<u8"), (1, "<u4"), (1, "<u2"), (1, "u1"))  # n and word type; a larger n is not faster
_WORTH = 500  # words; removing fewer takes longer than looking them up
_SHORT = 1 << 12  # bytes; longer parts are computed one after another
_MANY = 16  # parts; fewer are computed one after another
_FEW = 192  # parts that may be faster one after another


def crc32c(data: Buffer, value: int = 0) -> int:
    """Return the CRC-32C of `data`. If `value` is the CRC of earlier data, return that of both, one after the other."""
    view, state = memoryview(data).cast("B"), value ^ 0xFFFFFFFF
    if len(view) >= _NUMPY_FROM and sys.modules.get("numpy"):
        view, state = _fold(view, state)
    while len(view) > _PIECE:
        state = _look_up(_shorten(view[:_PIECE], state), 0)
        view = view[_PIECE:]
    if len(view) >= _FOLD_FROM:
        return _look_up(_shorten(view, state), 0) ^ 0xFFFFFFFF
    return _look_up(bytes(view), state) ^ 0xFFFFFFFF


def wrong_parts(data: bytes, starts: Sequence[int], lengths: Sequence[int]) -> list[int]:
    """Return the numbers of the parts of `data` that are not followed by their masked CRC-32C (4 bytes).

    The parts begin at `starts` and have `lengths` bytes.
    """
    np = sys.modules.get("numpy")
    if np is None or len(starts) < _MANY:
        view = memoryview(data)
        return [
            index
            for index, (start, size) in enumerate(zip(starts, lengths, strict=True))
            if mask(crc32c(view[start : start + size])) != int.from_bytes(view[start + size :][:4], "little")
        ]
    checksums = _of_parts(data, np.asarray(starts, np.int64), sizes := np.asarray(lengths, np.int64))
    masked = (checksums >> np.uint32(15) | checksums << np.uint32(17)) + np.uint32(_MASK_DELTA)
    stored = np.ndarray(len(data) - 3, "<u4", data, strides=(1,))[np.asarray(starts, np.int64) + sizes]
    result: list[int] = np.flatnonzero(masked != stored).tolist()
    return result


def mask(value: int) -> int:
    """Return the masked form of a CRC, in which it is stored beside its data.

    Without the mask, a CRC over both the data and their CRC would be degenerate.
    """
    return ((value >> 15 | value << 17) + _MASK_DELTA) & 0xFFFFFFFF


def unmask(value: int) -> int:
    """Return the CRC whose masked form is `value`."""
    rotated = (value - _MASK_DELTA) & 0xFFFFFFFF
    return (rotated >> 17 | rotated << 15) & 0xFFFFFFFF


def _fold(view: memoryview, state: int) -> tuple[memoryview, int]:
    """Return an input of about 7 kB with the same CRC, and the state to continue it from.

    The bytes before the first aligned word are looked up, since NumPy is slow with words that are not aligned.
    """
    import numpy as np

    head = -np.frombuffer(view, np.uint8).ctypes.data % 8
    state = _look_up(bytes(view[:head]), state)
    view = view[head:]
    for n, word in _LEVELS:
        words = np.frombuffer(view, word, len(view) // int(word[-1]))
        kept = _DEGREE * n
        count = len(words) - kept
        if count < _WORTH:
            continue
        gaps = [(_DEGREE - exponent) * n for exponent in _EXPONENTS]
        remainder = bytearray(view[words.itemsize * count :])
        behind = np.frombuffer(remainder, word, kept)
        last = _remove_words(words[:count], state, gaps)
        for gap in gaps:
            behind[:gap] ^= last[kept - gap :]
        view, state = memoryview(remainder), 0
    return view, state


def _of_parts(data: bytes, starts: Any, lengths: Any) -> Any:
    """Return the CRC of each part, looking up a word of all of them at a time. At least 4 bytes are behind each part.

    The first word of a part has its first 1 to 8 bytes, so that whole words follow. Zeros in front of these bytes do
    not change state 0, and the state before the part is added to its first four bytes instead.
    """
    import numpy as np

    result = np.empty(len(starts), np.uint32)
    is_single = (lengths < 4) | (lengths > _SHORT)
    for index in np.flatnonzero(is_single).tolist():
        result[index] = crc32c(data[starts[index] : starts[index] + lengths[index]])
    order = np.flatnonzero(~is_single)
    order = order[np.argsort(-lengths[order], kind="stable")]  # those with most words are in front
    sizes = lengths[order]
    head = (sizes - 1) % 8 + 1
    shift = (64 - 8 * head).astype(np.uint64)
    positions, counts = starts[order] + head, (sizes - head) // 8
    words = np.ndarray(max(0, len(data) - 7), "<u8", data, strides=(1,))  # the word at each byte
    states = _look_up_words(words[starts[order]] << shift ^ np.uint64(0xFFFFFFFF) << shift)
    states ^= (np.uint64(0xFFFFFFFF) >> (8 * np.minimum(head, 4)).astype(np.uint64)).astype(np.uint32)  # the rest of it
    active = int(np.searchsorted(-counts, 0))  # the parts with more words
    while active:
        positions, counts = positions[:active], counts[:active]
        if active < _FEW and 15 * counts[0] > 12 * active + 0.08 * counts.sum():  # microseconds of either way
            for index in range(active):
                rest = data[positions[index] : positions[index] + 8 * counts[index]]
                states[index] = crc32c(rest, int(states[index]) ^ 0xFFFFFFFF) ^ 0xFFFFFFFF
            break
        states[:active] = _look_up_words(words[positions] ^ states[:active])
        positions, counts = positions + 8, counts - 1
        active = int(np.searchsorted(-counts, 0))
    result[order] = states ^ np.uint32(0xFFFFFFFF)
    return result


def _look_up_words(words: Any) -> Any:
    """Return the states after one word each. The state before a word has been added to its first four bytes."""
    tables = _tables_of_pairs()
    pairs = words.view("<u2").reshape(-1, 4)
    states = tables[0][pairs[:, 0]]
    for column in (1, 2, 3):
        states ^= tables[column][pairs[:, column]]
    return states


def _tables_of_pairs() -> list[Any]:
    """Return tables for the four pairs of bytes of a word; each maps a pair to its contribution to the state."""
    import numpy as np

    if not _PAIRS:
        by_byte = np.array(_TABLES, np.uint32)
        for place in (6, 4, 2, 0):  # the number of bytes behind the pair
            _PAIRS.append((by_byte[place][:, np.newaxis] ^ by_byte[place + 1]).ravel())
    return _PAIRS


_PAIRS: list[Any] = []


def _remove_words(words: Any, state: int, gaps: list[int]) -> Any:
    """Remove words by adding them to later words, and return the last removed words with all additions to them.

    The result has as many words as the largest gap, with zeros in front if fewer were removed. `state` is the state
    before the words, and `gaps` are the distances to the later words, in ascending order.
    """
    import numpy as np

    near, middle, far = gaps
    room = np.zeros(far + 2 * near, words.dtype)  # the words that were removed last, followed by those removed now
    end, xor = far, np.bitwise_xor
    for start in range(0, len(words), near):
        run = words[start : start + near]  # so short that its words are not added to each other
        size = len(run)
        if end + size > len(room):
            room[:far] = room[end - far : end]
            end = far
        out = room[end : end + size]
        xor(run, room[end - near : end - near + size], out)
        if start == 0:
            out[:4].view("<u4")[:1] ^= np.uint32(state)
        xor(out, room[end - middle : end - middle + size], out)
        xor(out, room[end - far : end - far + size], out)
        end += size
    return room[end - far : end]


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


def _look_up(data: bytes, state: int) -> int:
    """Return the state after more bytes, by table lookup: eight bytes at a time, with a table for each of them."""
    t0, t1, t2, t3, t4, t5, t6, t7 = _TABLES
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


_TABLES = _tables()
