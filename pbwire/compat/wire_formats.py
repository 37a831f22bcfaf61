"""Tags, sizes and checks of values: google.protobuf.internal.wire_format and internal.type_checkers."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any

from ..descriptor import INT32, INT64, KINDS, UINT32, UINT64
from ..errors import EncodeError
from ..text.scalars import float_text
from ..varints import write_varint
from ..wire import WireType
from .values.checks import check_for

__all__ = ["PackTag", "TagByteSize", "UnpackTag", "ZigZagDecode", "ZigZagEncode"]

TAG_TYPE_BITS, TAG_TYPE_MASK = 3, 7
WIRETYPE_VARINT, WIRETYPE_FIXED64, WIRETYPE_LENGTH_DELIMITED = 0, 1, 2
WIRETYPE_START_GROUP, WIRETYPE_END_GROUP, WIRETYPE_FIXED32 = 3, 4, 5
_WIRETYPE_MAX = 5
INT32_MIN, INT32_MAX = INT32
INT64_MIN, INT64_MAX = INT64
UINT32_MAX, UINT64_MAX = UINT32[1], UINT64[1]
FORMAT_UINT32_LITTLE_ENDIAN, FORMAT_UINT64_LITTLE_ENDIAN = "<I", "<Q"
FORMAT_FLOAT_LITTLE_ENDIAN, FORMAT_DOUBLE_LITTLE_ENDIAN = "<f", "<d"
FIELD_TYPE_TO_WIRE_TYPE = dict(enumerate((1, 5, 0, 0, 0, 1, 5, 0, 2, 3, 2, 2, 0, 0, 5, 1, 0, 0), start=1))
"""The wire type of each type of fields of descriptor.proto."""
NON_PACKABLE_TYPES = (9, 11, 10, 12)  # string, message, group, bytes


def PackTag(field_number: int, wire_type: int) -> int:
    """Return the tag of a field as a number. Raises EncodeError for a wire type that does not exist."""
    if wire_type not in [*WireType]:
        raise EncodeError(f"Unknown wire type: {wire_type}")
    return field_number << TAG_TYPE_BITS | wire_type


def UnpackTag(tag: int) -> tuple[int, int]:
    """Return the number of a field and the wire type of a tag."""
    return tag >> TAG_TYPE_BITS, tag & TAG_TYPE_MASK


def ZigZagEncode(value: int) -> int:
    """Return the number as which a sint32 or a sint64 is encoded."""
    return value << 1 if value >= 0 else (-value << 1) - 1


def ZigZagDecode(value: int) -> int:
    """Return the sint32 or sint64 for the number as which it is encoded."""
    return -(value >> 1) - 1 if value & 1 else value >> 1


def IsTypePackable(field_type: int) -> bool:
    """Return whether lists of a type can be packed."""
    return field_type not in NON_PACKABLE_TYPES


# --- sizes -----------------------------------------------------------------------------------------------------------


def TagByteSize(field_number: int) -> int:
    """Return the size of the tag of a field."""
    return len(write_varint(field_number << TAG_TYPE_BITS))


def Int32ByteSizeNoTag(int32: int) -> int:
    """Return the size of an int32 without its tag."""
    return len(write_varint(int32 & UINT64_MAX))


def Int64ByteSize(field_number: int, int64: int) -> int:
    """Return the size of a field that is a varint. Raises EncodeError for a number of more than 64 bits."""
    if not INT64_MIN <= int64 <= UINT64_MAX:
        raise EncodeError(f"Value out of range: {int64}")
    return TagByteSize(field_number) + Int32ByteSizeNoTag(int64)


Int32ByteSize = UInt32ByteSize = UInt64ByteSize = EnumByteSize = Int64ByteSize


def SInt64ByteSize(field_number: int, int64: int) -> int:
    """Return the size of a field that is a sint32 or a sint64."""
    return Int64ByteSize(field_number, ZigZagEncode(int64))


SInt32ByteSize = SInt64ByteSize


def BoolByteSize(field_number: int, value: Any) -> int:
    """Return the size of a bool."""
    return TagByteSize(field_number) + 1


def Fixed32ByteSize(field_number: int, value: Any) -> int:
    """Return the size of a field of four bytes."""
    return TagByteSize(field_number) + 4


def Fixed64ByteSize(field_number: int, value: Any) -> int:
    """Return the size of a field of eight bytes."""
    return TagByteSize(field_number) + 8


SFixed32ByteSize = FloatByteSize = Fixed32ByteSize
SFixed64ByteSize = DoubleByteSize = Fixed64ByteSize


def BytesByteSize(field_number: int, value: bytes) -> int:
    """Return the size of a field of bytes."""
    return TagByteSize(field_number) + len(write_varint(len(value))) + len(value)


def StringByteSize(field_number: int, value: str) -> int:
    """Return the size of a string."""
    return BytesByteSize(field_number, value.encode())


def MessageByteSize(field_number: int, message: Any) -> int:
    """Return the size of a field that is a message."""
    size = message.ByteSize()
    return int(TagByteSize(field_number) + len(write_varint(size)) + size)


def GroupByteSize(field_number: int, message: Any) -> int:
    """Return the size of a field that is a group."""
    return int(2 * TagByteSize(field_number) + message.ByteSize())


def MessageSetItemByteSize(field_number: int, msg: Any) -> int:
    """Return the size of an item of a MessageSet: a group of the number of a type and a message."""
    size = msg.ByteSize()
    tags = 2 * TagByteSize(1) + TagByteSize(2) + TagByteSize(3)
    return int(tags + len(write_varint(field_number)) + len(write_varint(size)) + size)


# --- checks ----------------------------------------------------------------------------------------------------------


def TruncateToFourByteFloat(original: float) -> float:
    """Return the float of 32 bits that is nearest to a number."""
    return float(struct.unpack("<f", struct.pack("<f", original))[0])


def ToShortestFloat(original: float) -> float:
    """Return the number with the fewest digits that is the same float of 32 bits."""
    return float(float_text(original)) if original == original and abs(original) != float("inf") else original


def GetTypeChecker(field: Any) -> Any:
    """Return an object whose `CheckValue` checks and converts a value of a field, given by its descriptor."""
    check = check_for(field._field)
    zero = KINDS[field._field.kind].zero
    return SimpleNamespace(CheckValue=check, DefaultValue=lambda: zero)
