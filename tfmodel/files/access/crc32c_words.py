"""CRC-32C with NumPy, for long inputs and for many inputs: words of 1 to 8 bytes at a time.

A long input is folded as in `crc32c`: its words are removed by adding them to the words 6293 n, 6677 n and 6777 n
places later. Every multiple of the polynomial needs at least three additions per word. This one was chosen for two
reasons: the gap of 6293 is large, so that long runs of words are removed at once, and the degree is small enough for
the cache of a processor.

For many short inputs, as the records of a file are, folding does not help. `wrong_parts_by_words` looks up the first
word of all of them at once, then the second word, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .crc32c import MASK_DELTA, TABLES, crc32c, look_up

_DEGREE, _EXPONENTS = 6777, (484, 100, 0)
_LEVELS = ((2, "<u8"), (1, "<u8"), (1, "<u4"), (1, "<u2"), (1, "u1"))  # n and word type; a larger n is not faster
_WORTH = 500  # words; removing fewer takes longer than looking them up
_SHORT = 1 << 12  # bytes; longer parts are computed one after another
_FEW = 192  # parts that may be faster one after another


def wrong_parts_by_words(data: bytes, starts: Sequence[int], lengths: Sequence[int]) -> list[int]:
    """Return the numbers of the parts with another CRC than the one behind them: see `crc32c.wrong_parts`."""
    checksums = _of_parts(data, np.asarray(starts, np.int64), sizes := np.asarray(lengths, np.int64))
    masked = (checksums >> np.uint32(15) | checksums << np.uint32(17)) + np.uint32(MASK_DELTA)
    stored = np.ndarray(len(data) - 3, "<u4", data, strides=(1,))[np.asarray(starts, np.int64) + sizes]
    result: list[int] = np.flatnonzero(masked != stored).tolist()
    return result


def fold_words(view: memoryview, state: int) -> tuple[memoryview, int]:
    """Return an input of about 7 kB with the same CRC, and the state to continue it from.

    The bytes before the first aligned word are looked up, since NumPy is slow with words that are not aligned.
    """
    head = -np.frombuffer(view, np.uint8).ctypes.data % 8
    state = look_up(bytes(view[:head]), state)
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
    if not _PAIRS:
        by_byte = np.array(TABLES, np.uint32)
        for place in (6, 4, 2, 0):  # the number of bytes behind the pair
            _PAIRS.append((by_byte[place][:, np.newaxis] ^ by_byte[place + 1]).ravel())
    return _PAIRS


_PAIRS: list[Any] = []


def _remove_words(words: Any, state: int, gaps: list[int]) -> Any:
    """Remove words by adding them to later words, and return the last removed words with all additions to them.

    The result has as many words as the largest gap, with zeros in front if fewer were removed. `state` is the state
    before the words, and `gaps` are the distances to the later words, in ascending order.
    """
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
