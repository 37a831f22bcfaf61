"""Shorten a long input of CRC-32C with NumPy, at the speed of memory: see `crc32c` for the method.

The unit is a word of 8 bytes, or n of them: a word is added to those 6293 n, 6677 n and 6777 n words behind it. Three
xors a word are the least that any multiple of the polynomial allows; this one is chosen because the nearest of those
places is far behind, so that long runs of words are folded at once, while all that must be remembered of them stays in
the cache of a processor. What is left is folded again with smaller words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["fold"]

_DEGREE, _EXPONENTS = 6777, (484, 100, 0)
_LEVELS = ((2, "<u8"), (1, "<u8"), (1, "<u4"), (1, "<u2"), (1, "u1"))  # n, word; a larger n is no faster
_WORTH = 500  # words: it takes longer to remove fewer


def fold(view: memoryview, state: int, look_up: Callable[[bytes, int], int]) -> tuple[memoryview, int]:
    """A shorter input of the same CRC, of about 7 kB, and the state to continue it from.

    `look_up` does the few bytes before the first whole word of memory: NumPy is slow with words that are not aligned.
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


def _remove_words(words: Any, state: int, gaps: list[int]) -> Any:
    """The last words that are removed, with all that was added to them on the way; zeros in front if there are few."""
    near, middle, far = gaps
    room = np.zeros(far + 2 * near, words.dtype)  # what was removed last, and then what is being removed
    end, xor = far, np.bitwise_xor
    for start in range(0, len(words), near):
        run = words[start : start + near]  # no word of it is added to another
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
