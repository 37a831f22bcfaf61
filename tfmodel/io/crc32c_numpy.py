"""Shorten a long input of CRC-32C with NumPy, at the speed of memory: see `crc32c` for the method.

A word has 8 n bytes. It is removed by adding it (xor) to the words 6293, 6677 and 6777 places behind it: these are the
exponents of a multiple of the polynomial. No multiple needs fewer than three additions per word. This one was chosen
because its smallest exponent is large, so that long runs of words are removed at once, and because its largest one is
small enough for the cache of a processor. The remainder is shortened again with smaller words.
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
    """Return an input of about 7 kB with the same CRC, and the state to continue it from.

    `look_up` processes the bytes before the first aligned word, since NumPy is slow with words that are not aligned.
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
    """Return the last words that were removed, after all additions to them; with zeros in front if they are few."""
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
