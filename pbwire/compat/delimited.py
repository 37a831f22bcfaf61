"""The functions of protobuf's `internal.encoder` and `internal.decoder` that programs use: varints and tags.

Streams of messages, each after its length, are read and written with them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import DecodeError
from ..varints import write_varint

Write = Callable[[bytes], Any]


def VarintBytes(value: int) -> bytes:
    """Return the varint of a number."""
    return write_varint(value)


def EncodeVarint(write: Write, value: int, unused_deterministic: Any = None) -> Any:
    """Write the varint of a number."""
    return write(write_varint(value))


def EncodeSignedVarint(write: Write, value: int, unused_deterministic: Any = None) -> Any:
    """Write the varint of a number that may be negative."""
    return write(write_varint(value & (1 << 64) - 1))


def VarintEncoder() -> Any:
    """Return `EncodeVarint`."""
    return EncodeVarint


def VarintSize(value: int) -> int:
    """Return how many bytes the varint of a number has."""
    return len(write_varint(value))


def TagBytes(field_number: int, wire_type: int) -> bytes:
    """Return the encoded tag of a field."""
    return write_varint(field_number << 3 | wire_type)


def _decode(buffer: Any, pos: int | None, bits: int, signed: bool) -> Any:
    """Read a varint from bytes at `pos`, or from a stream if `pos` is None."""
    data = buffer if pos is not None else _read_from_stream(buffer)
    if not data and pos is None:
        return None
    start, value, shift = pos or 0, 0, 0
    while True:
        if shift >= 70:
            raise DecodeError("Too many bytes when decoding varint.")
        byte = data[start]  # IndexError at the end, which programs that read in pieces expect
        start += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            break
    value &= (1 << bits) - 1
    if signed and value >> (bits - 1):
        value -= 1 << bits
    return value if pos is None else (value, start)


def _read_from_stream(stream: Any) -> bytes:
    data = b""
    while len(data) < 10:
        byte = stream.read(1)
        if not byte:
            if data:
                raise EOFError("the stream ends inside of a varint")
            break
        data += byte
        if byte[0] < 0x80:
            break
    return data


def DecodeVarint(buffer: Any, pos: int | None = None) -> Any:
    """Return a varint of 64 bits and the place after it; of a stream, without `pos`, the number, or None at its end."""
    return _decode(buffer, pos, 64, False)


def DecodeVarint32(buffer: Any, pos: int) -> Any:
    """Return a varint of 32 bits and the place after it."""
    return _decode(buffer, pos, 32, False)


def DecodeSignedVarint(buffer: Any, pos: int) -> Any:
    """Return a signed varint of 64 bits and the place after it."""
    return _decode(buffer, pos, 64, True)


def DecodeSignedVarint32(buffer: Any, pos: int) -> Any:
    """Return a signed varint of 32 bits and the place after it."""
    return _decode(buffer, pos, 32, True)


def ReadTag(buffer: Any, pos: int) -> tuple[bytes, int]:
    """Return the bytes of a tag, and the place after it."""
    _, end = _decode(buffer, pos, 64, False)
    return bytes(buffer[pos:end]), end


DEFAULT_RECURSION_LIMIT = 100


def SetRecursionLimit(new_limit: int) -> None:
    """Do nothing, as in protobuf's C implementation: `SetAllowOversizeProtos` lifts the limit on nesting."""


def IsDefaultScalarValue(value: Any) -> bool:
    """Return whether a field without presence is absent with this value. -0.0 is a value."""
    return not value and str(value) != "-0.0"
