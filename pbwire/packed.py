"""Packed fields: many numbers at a time, without a loop over their bytes.

Numbers of fixed width are arrays. For varints, Python's own integers serve as vectors. A chunk of a list is one integer
of `width` bytes (a lane) per value, and a few operations on this integer move the groups of 7 bits of all its values at
once:

    varints           AC 02 | 05                                    300, 5
    lanes of 4 bytes  2C 02 00 00 | 05 00 00 00                     a group of 7 bits per byte
    lanes             2C 01 00 00 | 05 00 00 00                     as an array of integers has them

`bytes.expandtabs` puts varints into lanes: it fills each up with spaces to the next multiple of a width. In the other
direction, bytes of lanes that belong to no varint are zero and are deleted. For zigzag, `signs` has the sign of each
lane as its lowest bit; `(signs << width) - signs` then has ones in the whole lanes of negative values.
"""

from __future__ import annotations

import codecs
import struct
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from operator import index

from .descriptor import KINDS, ZIGZAG
from .varints import FROM_UNSIGNED, ONE_BYTE, Malformed, as_bool, write_varint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MIN_BYTES = 48  # of a payload; shorter ones are read varint by varint
MIN_VALUES = 24  # of a list; shorter ones are written varint by varint
MAX_LOOKUPS = 256  # of varints of two bytes in a table; more of them are written as vectors
CHUNK_LENGTH = 1 << 11  # bytes of a payload, or values, for which there is one vector
MAX_VARINT_BYTES = 10

_64_BITS = (1 << 64) - 1


# --- fixed width -----------------------------------------------------------------------------------------------------


def unpack_fixed(format: str, data: bytes) -> list[Any]:
    """Return the values of a packed field of fixed width. Raises ValueError if the last one is truncated."""
    values = array(format)
    values.frombytes(data)
    if sys.byteorder == "big":
        values.byteswap()
    return values.tolist()


def pack_fixed(format: str, values: Iterable[Any]) -> bytes:
    """Return the payload of a packed field of fixed width. For a field of floats, doubles are narrowed as in C.

    Raises OverflowError or TypeError for values that do not fit.
    """
    packed = array(format, values)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


_pack_float = struct.Struct("<f").pack


def pack_float(value: float) -> bytes:
    """Return the four bytes of a value as a float. Values beyond its range become infinite, as in a C cast."""
    try:
        return _pack_float(value)
    except OverflowError:
        return _pack_float(float("inf") if value > 0 else float("-inf"))


# --- varints ---------------------------------------------------------------------------------------------------------


def unpack_varints(kind: str, data: bytes) -> list[Any]:
    """Return the values of a packed field.

    Raises Malformed if the last varint is truncated or one has more than ten bytes.
    """
    values: list[Any]
    if data.isascii():  # one byte per value is the common case; this is a hundred times faster
        values = array("b", data.translate(_FROM_ZIGZAG)).tolist() if kind in ZIGZAG else list(data)
    elif len(data) < MIN_BYTES:
        values = _read_one_by_one(data)
        if kind in ZIGZAG and max(values) < 1 << 32:
            return [value >> 1 ^ -(value & 1) for value in values]
        if max(values) >> 31:
            return list(map(FROM_UNSIGNED[kind], values))
    else:
        values = []
        for chunk in _chunks(data):
            values += _unpack_chunk(kind, chunk)
    return list(map(bool, values)) if kind == "bool" else values


def pack_varints(kind: str, values: Sequence[int]) -> bytes:
    """Return the payload of a packed field.

    Raises Malformed for a value out of range, TypeError for a value that is not an integer.
    """
    if kind == "bool":
        return bytes(map(as_bool, values)) if set(values) - {False, True} else bytes(values)
    if not values:
        return b""
    if len(values) < MIN_VALUES:
        return _pack_chunk(kind, list(map(index, values)))
    if kind not in ZIGZAG:
        try:
            packed = bytes(values)
        except ValueError:  # a negative number, or one above 255
            pass
        else:
            if packed.isascii():
                return packed
    numbers = list(map(index, values))
    return b"".join([_pack_chunk(kind, numbers[i : i + CHUNK_LENGTH]) for i in range(0, len(numbers), CHUNK_LENGTH)])


# --- lanes -----------------------------------------------------------------------------------------------------------


class _Step:
    """A step from groups of 7 bits per byte to all bits of a lane, or back.

    packed, spread    masks of the upper half of the bits in the pairs of groups, before and behind them
    shift             how far the upper half is moved
    """

    def __init__(self, packed: int, spread: int, shift: int) -> None:
        self.packed, self.spread, self.shift = packed, spread, shift


class _Lanes:
    """Constants for lanes of a width in bytes.

    ones      the lowest bit of each lane
    steps     from the smallest pairs of groups to the largest
    smear     shifts, with the masks of the bytes that do not come from the next lane
    high_bit  the highest bit of each byte
    low_bits  the other bits of each byte
    zero      a number that is longer than all others, in place of 0, and its varint
    """

    def __init__(self, width: int) -> None:
        size = CHUNK_LENGTH * width  # the largest chunk has varints of one byte each

        def repeated(value: int, length: int) -> int:
            return int.from_bytes(value.to_bytes(length, "little") * (size // length), "little")

        pairs = [length for length in (2, 4, 8, 16) if length <= width]
        ones = {length: (1 << length * 7 // 2) - 1 for length in pairs}
        self.width = width
        self.ones = repeated(1, width)
        self.steps = [
            _Step(
                repeated(ones[length] << length * 7 // 2, length),
                repeated(ones[length] << length * 4, length),
                length // 2,
            )
            for length in pairs
        ]
        self.smear = [
            (8 * count, repeated((1 << 8 * (width - count)) - 1, width)) for count in (1, 1, 2, 4, 8) if count < width
        ]
        bits = {4: 21, 8: 49, 16: 70}[width]
        self.high_bit, self.low_bits = repeated(0x80, 1), repeated(0x7F, 1)
        self.zero, self.zero_varint = 1 << bits, b"\x80" * (bits // 7) + b"\x01"


_lanes = cache(_Lanes)


# --- unpacking -------------------------------------------------------------------------------------------------------

# The type codes of arrays, by kind.
_LETTERS = {"int32": "i", "enum": "i", "sint32": "i", "uint32": "I"}
_LETTERS |= {"int64": "q", "sint64": "q", "uint64": "Q", "bool": "Q"}
_FROM_ZIGZAG = bytes([(value >> 1 ^ -(value & 1)) & 255 for value in range(128)] * 2)  # of one byte, as a signed byte

_IS_CONTINUED = bytes([0] * 128 + [1] * 128)
# The low byte of each UTF-16 code unit has a group of 7 bits, and 1 as its highest bit. The high byte is a tab after
# the last group of a varint, else 0.
_WITH_TABS = "".join(chr((byte < 128) * ord("\t") << 8 | 0x80 | byte) for byte in range(256))
_GROUPS = bytes([0] * 128 + list(range(128)))  # spaces become 0


def _chunks(data: bytes) -> Iterator[bytes]:
    """Yield parts of a payload that end with a varint."""
    start, size = 0, len(data)
    if data[-1] > 127:
        raise Malformed
    while start < size:
        end = min(start + CHUNK_LENGTH, size)
        while data[end - 1] > 127:
            end -= 1
            if end == start:
                raise Malformed
        yield data[start:end]
        start = end


def _unpack_chunk(kind: str, chunk: bytes) -> list[int]:
    """Return the integers of complete varints."""
    width = _width_of(chunk)
    letter = _LETTERS[kind] if width > 4 else "i" if kind in ZIGZAG else "I"  # 21 bits at most
    constants = _lanes(width)
    groups = codecs.charmap_decode(chunk, "strict", _WITH_TABS)[0].encode("utf-16-le").translate(None, b"\0")
    lanes = groups.expandtabs(width).translate(_GROUPS)
    vector = int.from_bytes(lanes, "little")
    for step in constants.steps:
        upper = vector & step.spread
        vector -= (upper >> step.shift) * ((1 << step.shift) - 1)
    if kind in ZIGZAG:
        bits = 32 if kind == "sint32" else 64
        if 8 * width > bits:
            vector &= (constants.ones << bits) - constants.ones  # drops the bits above
        signs = vector & constants.ones
        vector = vector - signs >> 1 ^ (signs << 8 * width) - signs
    numbers = array(letter)
    numbers.frombytes(vector.to_bytes(len(lanes), "little"))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers[:: width // numbers.itemsize].tolist()


def _width_of(chunk: bytes) -> int:
    """Return the width of lanes that have a byte more than the longest varint."""
    is_continued = chunk.translate(_IS_CONTINUED)
    if b"\1" * 3 not in is_continued:
        return 4
    if b"\1" * 7 not in is_continued:
        return 8
    if b"\1" * MAX_VARINT_BYTES in is_continued:
        raise Malformed
    return 16


def _read_one_by_one(data: bytes) -> list[int]:
    values: list[int] = []
    append = values.append
    value = shift = 0
    for byte in data:
        if byte > 127:
            value += byte - 128 << shift
            shift += 7
        elif shift:
            append((value + (byte << shift)) & _64_BITS)
            value = shift = 0
        else:
            append(byte)
        if shift == 7 * MAX_VARINT_BYTES:
            raise Malformed
    if shift:
        raise Malformed
    return values


# --- packing ---------------------------------------------------------------------------------------------------------

_TO_ZIGZAG = bytes([(value << 1 ^ -(value >> 7)) & 255 for value in range(256)])  # of signed bytes


def _pack_chunk(kind: str, values: list[int]) -> bytes:
    """Return the varints of integers. Raises Malformed for a value out of range."""
    low, high = min(values), max(values)
    is_zigzag = kind in ZIGZAG
    if is_zigzag:
        if low >= -1 << 6 and high < 1 << 6:
            return array("b", values).tobytes().translate(_TO_ZIGZAG)
        has_two_bytes = low >= -1 << 13 and high < 1 << 13
    else:
        has_two_bytes = low >= 0 and high < 1 << 14
        if has_two_bytes and high < 1 << 7:
            return bytes(values)
    if has_two_bytes and len(values) < MAX_LOOKUPS:
        return b"".join(map(_two_byte_varints(is_zigzag).__getitem__, values))
    min_value, max_value = KINDS[kind].bounds or (0, 0)
    if low < min_value or high > max_value:
        raise Malformed
    has_few_bytes = -128 <= low < 0 and high < 1 << 14  # apart from negative ones, which are written quickly
    if len(values) < MIN_VALUES or (has_few_bytes and not is_zigzag):
        return b"".join(map(write_varint, [value << 1 ^ value >> 63 for value in values] if is_zigzag else values))
    largest = max(high, -low) << 1 if is_zigzag else high if low >= 0 else _64_BITS
    lanes = _lanes(16 if largest >= 1 << 49 else 8 if largest >= 1 << 21 else 4)
    has_zeros = low == 0 or (low < 0 and 0 in values)
    return _pack_lanes(lanes, _in_lanes(lanes, values, low < 0, has_zeros, is_zigzag), has_zeros, is_zigzag)


@cache
def _two_byte_varints(is_zigzag: bool) -> tuple[bytes, ...]:
    """Return the varints of one and two bytes by value. With `is_zigzag`, negative values count from the end."""
    continued = [bytes([byte]) for byte in range(128, 256)]
    varints = (*ONE_BYTE, *[first + last for last in ONE_BYTE[1:] for first in continued])
    return (*varints[::2], *varints[::-2]) if is_zigzag else varints


def _in_lanes(lanes: _Lanes, values: list[int], is_signed: bool, has_zeros: bool, is_zigzag: bool) -> bytes:
    """Return values as little-endian integers of the width of the lanes, with a substitute for 0.

    With `is_zigzag`, the substitute is half of the one that is written: zigzag doubles it.
    """
    letter = ("i" if lanes.width == 4 else "q") if is_signed else "I" if lanes.width == 4 else "Q"
    zero = lanes.zero >> is_zigzag
    if lanes.width < 16:
        numbers = array(letter, [value or zero for value in values] if has_zeros else values)
    else:
        numbers = array(letter, bytes(lanes.width * len(values)))
        numbers[::2] = array(letter, values)
        if has_zeros:
            numbers[1::2] = array(letter, [0 if value else zero >> 64 for value in values])
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _pack_lanes(lanes: _Lanes, data: bytes, has_zeros: bool, is_zigzag: bool) -> bytes:
    vector = int.from_bytes(data, "little")
    if is_zigzag:
        bits = 32 if lanes.width == 4 else 64
        signs = vector >> bits - 1 & lanes.ones
        vector = (vector - (signs << bits - 1) << 1) ^ (signs << bits) - signs
    for step in reversed(lanes.steps):
        vector += (vector & step.packed) * ((1 << step.shift) - 1)
    is_whole = len(data) == CHUNK_LENGTH * lanes.width
    low_bits = lanes.low_bits if is_whole else int.from_bytes(b"\x7f" * len(data), "little")
    used = vector + low_bits & lanes.high_bit  # marks bytes that are not 0
    (shift, mask), *rest = lanes.smear
    continued = used >> shift & mask  # marks the bytes in front of them
    for shift, mask in rest:
        continued |= continued >> shift & mask
    packed = (vector | continued).to_bytes(len(data), "little").translate(None, b"\0")
    return packed.replace(lanes.zero_varint, b"\0") if has_zeros else packed
