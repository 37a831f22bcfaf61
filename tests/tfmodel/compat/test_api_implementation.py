"""`api_implementation`: the messages behave as those of protobuf's C implementation."""

from __future__ import annotations

import pytest

from tfmodel.compat.google.protobuf import struct_pb2
from tfmodel.compat.google.protobuf.internal import api_implementation
from tfmodel.compat.google.protobuf.message import DecodeError


def nested(levels: int) -> bytes:
    """A google.protobuf.Value with a list in a list, and so on; each level is two messages."""
    data = b"\x11" + bytes(8)
    for _ in range(levels):
        data = b"\x0a" + varint(len(data)) + data
        data = b"\x32" + varint(len(data)) + data
    return data


def varint(number: int) -> bytes:
    low = number & 127
    return bytes((low,)) if number < 128 else bytes((low | 128,)) + varint(number >> 7)


def test_nesting_has_a_limit_that_can_be_lifted() -> None:
    data = nested(60)
    with pytest.raises(DecodeError, match="nested"):
        struct_pb2.Value.FromString(data)
    api_implementation._c_module.SetAllowOversizeProtos(True)
    try:
        assert struct_pb2.Value.FromString(data).SerializeToString() == data
        with pytest.raises(DecodeError, match="recursion limit"):
            struct_pb2.Value.FromString(nested(20_000))
    finally:
        api_implementation._c_module.SetAllowOversizeProtos(False)
    with pytest.raises(DecodeError, match="nested"):
        struct_pb2.Value.FromString(data)
