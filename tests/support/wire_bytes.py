"""Functions for writing wire bytes of test inputs by hand.

tag(1, VARINT) + varint(150)            # b"\\x08\\x96\\x01"
ld(2, b"abc")                           # field 2, length 3, abc
ld(5, number(1, 7), ld(2))              # a sub-message with two fields
group(3, number(1, 7))                  # between a start tag and an end tag
tag(1, VARINT, size=5)                  # the same tag in five bytes
"""

from __future__ import annotations

__all__ = [
    "END",
    "FIXED32",
    "FIXED64",
    "LENGTH",
    "START",
    "VARINT",
    "fixed32",
    "fixed64",
    "group",
    "ld",
    "nested",
    "number",
    "tag",
    "varint",
]

VARINT, FIXED64, LENGTH, START, END, FIXED32 = range(6)


def varint(value: int, *, size: int = 0) -> bytes:
    """Return a varint of at least `size` bytes. A negative value is encoded as its 64-bit two's complement."""
    if value < 0:
        value &= 2**64 - 1
    out = bytearray()
    while value > 127 or len(out) + 1 < size:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def tag(number: int, wire_type: int, *, size: int = 0) -> bytes:
    return varint(number << 3 | wire_type, size=size)


def number(field: int, value: int, *, size: int = 0) -> bytes:
    """Return a varint field."""
    return tag(field, VARINT) + varint(value, size=size)


def ld(field: int, *parts: bytes) -> bytes:
    """Return a length-delimited field: a string, bytes, a sub-message or a packed list made of `parts`."""
    data = b"".join(parts)
    return tag(field, LENGTH) + varint(len(data)) + data


def group(field: int, *parts: bytes) -> bytes:
    return tag(field, START) + b"".join(parts) + tag(field, END)


def fixed32(field: int, data: bytes) -> bytes:
    """Return a field of four bytes."""
    assert len(data) == 4
    return tag(field, FIXED32) + data


def fixed64(field: int, data: bytes) -> bytes:
    assert len(data) == 8
    return tag(field, FIXED64) + data


def nested(times: int, around: bytes, inside: bytes = b"") -> bytes:
    """Return `inside` within `times` length-delimited fields, each with the tag `around`."""
    for _ in range(times):
        inside = around + varint(len(inside)) + inside
    return inside
