"""Varints: helpers of the generated decoders and encoders.

Readers of varints take the first byte, which must be above 127, and the position after it. If they read past the end of
the message, the caller detects it; if they read past the end of the input, they raise IndexError. In both cases
`pbwire.codec.validation` then finds the reason. Bits above the 64th, or above the 32nd of a 32-bit kind, are dropped,
as in every implementation of protobuf.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import index

from .descriptor import KINDS, VARINT, ZIGZAG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_64_BITS = (1 << 64) - 1
_32_BITS = (1 << 32) - 1
_REST_OF_MINUS_ONE = b"\xff" * 8 + b"\x01"


class Malformed(Exception):
    """Invalid input or an invalid value; the code that catches this finds the reason."""


def varint(data: bytes, pos: int, first: int) -> tuple[int, int]:
    """Return the unsigned 64-bit integer whose first byte is `first`, and the position after it."""
    byte = data[pos]
    if byte < 128:
        return first - 128 + (byte << 7), pos + 1
    if byte == 255 and data[pos : pos + 9] == _REST_OF_MINUS_ONE and first == 255:
        return _64_BITS, pos + 9  # -1, an unknown dimension, is by far the most frequent long varint
    value, shift = first - 128 + (byte - 128 << 7), 14
    for byte_pos in range(pos + 1, pos + 9):
        byte = data[byte_pos]
        if byte < 128:
            return (value + (byte << shift)) & _64_BITS, byte_pos + 1
        value += byte - 128 << shift
        shift += 7
    raise Malformed


# Two bytes, which are most of the others, need no second call.


def _int64(data: bytes, pos: int, first: int) -> tuple[int, int]:
    byte = data[pos]
    if byte < 128:
        return first - 128 + (byte << 7), pos + 1
    value, pos = varint(data, pos, first)
    return value - (1 << 64) if value >> 63 else value, pos


def _uint32(data: bytes, pos: int, first: int) -> tuple[int, int]:
    value, pos = varint(data, pos, first)
    return value & _32_BITS, pos


def _int32(data: bytes, pos: int, first: int) -> tuple[int, int]:
    byte = data[pos]
    if byte < 128:
        return first - 128 + (byte << 7), pos + 1
    value, pos = varint(data, pos, first)
    return _signed32(value), pos


def _signed32(value: int) -> int:
    return ((value & _32_BITS) ^ 0x80000000) - 0x80000000


def _signed64(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def from_zigzag(value: int) -> int:
    return (value >> 1) ^ -(value & 1)


MULTIBYTE: dict[str, Callable[[bytes, int, int], tuple[int, int]]] = {
    "int32": _int32,
    "enum": _int32,
    "int64": _int64,
    "uint32": _uint32,
    "uint64": varint,
    "sint32": _uint32,  # the caller decodes the zigzag, as it does for one byte
    "sint64": varint,
    "bool": varint,
}

FROM_UNSIGNED: dict[str, Callable[[int], Any]] = {
    "int32": _signed32,
    "enum": _signed32,
    "int64": _signed64,
    "uint32": lambda value: value & _32_BITS,
    "uint64": int,
    "sint32": lambda value: from_zigzag(value & _32_BITS),
    "sint64": from_zigzag,
    "bool": bool,
}


def write_varint(value: int) -> bytes:
    """Return `value` as a varint. A negative value becomes the ten bytes of its 64-bit two's complement."""
    if 0 <= value < 1 << 28:  # nearly all values; without a loop or recursion it takes half the time
        if value < 1 << 7:
            return ONE_BYTE[value]
        if value < 1 << 14:
            return bytes((value & 127 | 128, value >> 7))
        if value < 1 << 21:
            return bytes((value & 127 | 128, value >> 7 & 127 | 128, value >> 14))
        return bytes((value & 127 | 128, value >> 7 & 127 | 128, value >> 14 & 127 | 128, value >> 21))
    if -128 <= value < 0 and NEGATIVE:  # -1 means "unknown" in TensorFlow
        return NEGATIVE[value]
    value &= _64_BITS
    low = (value & 127 | 128, value >> 7 & 127 | 128, value >> 14 & 127 | 128, value >> 21 & 127 | 128)
    return bytes(low) + write_varint(value >> 28)


ONE_BYTE = tuple(bytes([n]) for n in range(128))
NEGATIVE: tuple[bytes, ...] = ()  # NEGATIVE[-1] is the varint of -1
NEGATIVE = tuple(write_varint(n) for n in range(-128, 0))


def _checked(kind: str) -> Callable[[Any], bytes]:
    low, high = KINDS[kind].bounds or (0, 0)

    def write(value: Any) -> bytes:
        value = index(value)
        if not low <= value <= high:
            raise Malformed
        return write_varint(value)

    def write_zigzag(value: Any) -> bytes:
        value = index(value)
        if not low <= value <= high:
            raise Malformed
        return write_varint(value << 1 ^ value >> 63)

    return write_zigzag if kind in ZIGZAG else write


CHECKED = {kind.name: _checked(kind.name) for kind in KINDS.values() if kind.wire_type == VARINT and kind.bounds}
"""For each kind, a function that encodes an integer; raises Malformed out of range, TypeError for other types."""


@cache
def heads(tag: int) -> tuple[bytes, ...]:
    """Return the tag followed by each one-byte number, 0 to 127.

    Such bytes are the tag and the length of a short value, or a complete field with a small number.
    """
    start = write_varint(tag)
    return tuple(start + byte for byte in ONE_BYTE)


def as_bytes(value: Any) -> Any:
    """Return a value of a bytes field as bytes or a view of bytes. Raises TypeError for any other type."""
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError  # other buffers, such as NumPy's scalars, are rarely meant as bytes
    return value if value.__class__ is bytes else memoryview(value).cast("B")


def as_bool(value: Any) -> bool:
    """Return a bool or an integer as a bool. Raises Malformed for any other type."""
    if value.__class__ is bool or isinstance(value, int):
        return bool(value)
    raise Malformed
