"""Sets of characters as automata over the bytes of their UTF-8 encodings.

    encoded(((0xE9, 0xE9),))     lead byte C3, then byte A9

As in RE2, the set of all characters from U+0080 on is encoded loosely: overlong forms, and codes over U+10FFFF whose
lead byte is F4, are matched too.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from .char_classes import LAST, Ranges, merged

__all__ = ["ByteStep", "Encoded", "encoded"]

_CONTINUATION = range(0x80, 0xC0)
_LENGTHS = ((0x00, 0x7F, 1), (0x80, 0x7FF, 2), (0x800, 0xFFFF, 3), (0x10000, LAST, 4))
_LEADS = {2: 0xC0, 3: 0xE0, 4: 0xF0}


class ByteStep(NamedTuple):
    """One byte of a set, and the indices of the steps for the byte behind it; none behind the last byte."""

    bytes: frozenset[int]
    next: tuple[int, ...]


class Encoded(NamedTuple):
    """The steps, and the indices of those that begin a character."""

    steps: tuple[ByteStep, ...]
    first: tuple[int, ...]


@lru_cache(1000)
def encoded(ranges: Ranges) -> Encoded:
    """Return the smallest automaton for one character of the set."""
    return _Encoder().encode(ranges)


class _Encoder:
    def __init__(self) -> None:
        self.steps: list[ByteStep] = []
        self.known: dict[tuple[int, Ranges], tuple[int, ...]] = {}

    def encode(self, ranges: Ranges) -> Encoded:
        first: list[int] = []
        if ranges and ranges[-1][1] == LAST and ranges[-1][0] <= 0x80:
            first += self._loose()
            ranges = merged([*ranges[:-1], *([(ranges[-1][0], 0x7F)] if ranges[-1][0] < 0x80 else [])])
        for low, high, length in _LENGTHS:
            part = tuple((max(low, begin), min(high, end)) for begin, end in ranges if begin <= high and end >= low)
            if part and length == 1:
                first.append(self._step(frozenset(code for begin, end in part for code in range(begin, end + 1))))
            elif part:
                first += self._tails(length, part, _LEADS[length])
        return Encoded(tuple(self.steps), tuple(first))

    def _loose(self) -> list[int]:
        """Add the encodings of U+0080 to the last character."""
        behind: tuple[int, ...] = ()
        first = []
        for leads in (range(0xC2, 0xE0), range(0xE0, 0xF0), range(0xF0, 0xF5)):
            behind = (self._step(frozenset(_CONTINUATION), behind),)
            first.append(self._step(frozenset(leads), behind))
        return first

    def _tails(self, length: int, ranges: Ranges, lead: int) -> tuple[int, ...]:
        """Add the last `length` bytes of encodings whose bits are in the ranges; return the steps that begin them."""
        if (length, ranges) in self.known:
            return self.known[length, ranges]
        shift = 6 * (length - 1)
        branches: dict[Ranges, set[int]] = {}
        for byte, rest in _split(ranges, shift):
            branches.setdefault(rest, set()).update(lead + value for value in byte)
        first = []
        for rest, values in branches.items():
            behind = self._tails(length - 1, rest, 0x80) if length > 1 else ()
            first.append(self._step(frozenset(values), behind))
        self.known[length, ranges] = tuple(first)
        return self.known[length, ranges]

    def _step(self, values: frozenset[int], behind: tuple[int, ...] = ()) -> int:
        self.steps.append(ByteStep(values, behind))
        return len(self.steps) - 1


def _split(ranges: Ranges, shift: int) -> list[tuple[range, Ranges]]:
    """Split numbers into the values of their upper bits, and for each of these the ranges of their lower bits."""
    if not shift:
        return [(range(low, high + 1), ()) for low, high in ranges]
    full = (1 << shift) - 1
    lower: dict[int, list[tuple[int, int]]] = {}
    whole: list[range] = []
    for low, high in ranges:
        top, last = low >> shift, high >> shift
        if low & full or top == last:
            lower.setdefault(top, []).append((low & full, high & full if top == last else full))
            top += 1
        if top <= last and (high & full) != full:
            lower.setdefault(last, []).append((0, high & full))
            last -= 1
        if top <= last:
            whole.append(range(top, last + 1))
    parts = [(values, ((0, full),)) for values in whole]
    return parts + [(range(top, top + 1), merged(pairs)) for top, pairs in lower.items()]
