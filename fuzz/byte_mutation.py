"""Mutations of bytes that know nothing of their format: flipped bits, moved ranges, extreme lengths and counts."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

from pbwire.varints import write_varint

__all__ = ["BYTES", "EXTREMES", "IN_BYTES", "IN_TEXT", "MAX_FILE_BYTES", "OVERLONG", "Way", "extreme_varint"]

MAX_FILE_BYTES = 1 << 18
"""Maximum bytes of a mutated file: enough for nonlinear time to exceed the budget."""

EXTREMES = (0, 1, 2, 127, 128, 255, 256, 65535, 2**24, *(2**31 + d for d in (-1, 0)), *(2**32 + d for d in (-1, 0)))
EXTREMES += (2**40, 2**60, 2**62, *(2**63 + d for d in (-1, 0)), 2**64 - 1, 2**64 - 2**31)


OVERLONG = (b"\x80" * 9 + b"\x01", b"\x80" * 10 + b"\x01", b"\xff" * 9 + b"\x7f", b"\xff" * 20, b"\x80\x00", b"\xff")

Way = Callable[[bytes, bytes, random.Random], bytes]
"""A mutation: makes a file from a file, and from parts of another one."""


def _flip(data: bytes, _: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _unused in range(chance.choice((1, 1, 1, 4))):
        if changed:
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _set(data: bytes, _: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + bytes([chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))]) + data[at + 1 :]


def _insert(data: bytes, _: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    new = chance.choice((chance.randbytes(chance.randrange(1, 9)), chance.choice(OVERLONG), bytes(8)))
    return data[:at] + new + data[at:]


def _delete(data: bytes, _: bytes, chance: random.Random) -> bytes:
    start, end = _range(data, chance)
    return data[:start] + data[end:]


def _cut(data: bytes, _: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _repeat(data: bytes, _: bytes, chance: random.Random) -> bytes:
    """Repeat a range, once or so often that quadratic time exceeds the budget."""
    start, end = _range(data, chance)
    most = max(1, (MAX_FILE_BYTES // 2 - len(data)) // max(1, end - start))
    times = chance.choice((1, 1, 1, 2, 2, 3, 10, 100, chance.choice((1000, most))))
    return data[:end] + data[start:end] * min(times, most) + data[end:]


def _move(data: bytes, _: bytes, chance: random.Random) -> bytes:
    start, end = _range(data, chance)
    remainder = data[:start] + data[end:]
    at = chance.randrange(len(remainder) + 1)
    return remainder[:at] + data[start:end] + remainder[at:]


def _splice(data: bytes, other: bytes, chance: random.Random) -> bytes:
    start, end = _range(other, chance)
    at, upto = _range(data, chance)
    return data[:at] + other[start:end] + data[chance.choice((at, upto)) :]


def _crossed(data: bytes, other: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)] + other[chance.randrange(len(other) + 1) :]


def _varint(data: bytes, _: bytes, chance: random.Random) -> bytes:
    """Replace a possible varint by an extreme value."""
    at = chance.randrange(len(data) + 1)
    end = at
    while end < len(data) and data[end] > 127 and end - at < 9:
        end += 1
    value = int.from_bytes(data[at : end + 1], "little") & 127 if end == at else len(data)
    return data[:at] + extreme_varint(value, len(data) - end, chance) + data[end + 1 :]


def _fixed(data: bytes, _: bytes, chance: random.Random) -> bytes:
    """Replace four or eight bytes by an extreme number, in either byte order."""
    size = chance.choice((4, 8))
    at = chance.randrange(len(data) + 1)
    value = chance.choice((*EXTREMES, len(data), len(data) - at, len(data) + 1))
    form = chance.choice("<>") + ("I" if size == 4 else "Q")
    return data[:at] + struct.pack(form, value % (1 << 8 * size)) + data[at + size :]


def extreme_varint(value: int, left: int, chance: random.Random) -> bytes:
    """Return a replacement for a varint `value` that `left` bytes follow: extreme, off by one, or invalid."""
    if chance.randrange(8) == 0:
        return chance.choice(OVERLONG)
    number = chance.choice((chance.choice(EXTREMES), value + 1, max(0, value - 1), left, left + 1, max(0, left - 1)))
    return write_varint(number % 2**64)


def _range(data: bytes, chance: random.Random) -> tuple[int, int]:
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + chance.choice((1, 2, 4, 8, 16, 64, 256, 4096, chance.randrange(1, 64))))


BYTES: tuple[Way, ...] = (_flip, _set, _insert, _delete, _cut, _repeat, _move, _splice, _crossed, _varint, _fixed)
IN_BYTES: tuple[Way, ...] = (*BYTES, _flip, _varint, _varint, _fixed)
IN_TEXT: tuple[Way, ...] = (_flip, _set, _insert, _cut, _repeat, _splice, _crossed)
