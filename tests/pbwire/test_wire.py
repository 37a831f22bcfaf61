"""Varints, tags and the ends of fields, byte by byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbwire.errors import DecodeError
from pbwire.wire import WireType, read_tag, read_varint, skip_field


@pytest.mark.parametrize(
    ("data", "value", "end"),
    [
        (b"\x00", 0, 1),
        (b"\x7f\xff", 127, 1),
        (b"\x96\x01", 150, 2),
        (b"\x80\x00", 0, 2),
        (b"\x81" + b"\x80" * 8 + b"\x00", 1, 10),
        (b"\xff" * 9 + b"\x01", 2**64 - 1, 10),
        (b"\xff" * 9 + b"\x7f", 2**64 - 1, 10),  # bits above the 64th are dropped
        (b"\x80" * 9 + b"\x02", 0, 10),
    ],
)
def test_varint(data, value, end):
    assert read_varint(data, 0, len(data)) == (value, end)
    assert read_varint(memoryview(b"\xff\xff" + data), 2, len(data) + 2) == (value, end + 2)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "truncated inside a number"),
        (b"\x80", "truncated inside a number"),
        (b"\xff" * 9, "truncated inside a number"),
        (b"\x80" * 10 + b"\x00", "number of more than 10 bytes"),
        (b"\xff" * 10, "number of more than 10 bytes"),
    ],
)
def test_a_number_that_does_not_end_is_refused(data, message):
    with pytest.raises(DecodeError) as caught:
        read_varint(b"\x01" + data, 1, 1 + len(data))
    assert (caught.value.message, caught.value.offset) == (message, 1)
    assert caught.value.is_truncated == message.startswith("truncated")


def test_nothing_is_read_at_the_end_or_behind_it():
    with pytest.raises(DecodeError):
        read_varint(b"\x80\x01", 0, 1)
    with pytest.raises(DecodeError):
        read_tag(b"\x80\x01", 0, 1)
    with pytest.raises(DecodeError):
        skip_field(b"\x03abc", 0, 3, 1, WireType.LENGTH)


@pytest.mark.parametrize(
    ("data", "number", "wire_type", "end"),
    [
        (b"\x08", 1, WireType.VARINT, 1),
        (b"\x0d", 1, WireType.FIXED32, 1),
        (b"\x82\x01", 16, WireType.LENGTH, 2),
        (b"\x88\x80\x80\x80\x00", 1, WireType.VARINT, 5),
        (b"\xfd\xff\xff\xff\x0f", 2**29 - 1, WireType.FIXED32, 5),
    ],
)
def test_tag(data, number, wire_type, end):
    assert read_tag(data, 0, len(data)) == (number, wire_type, end)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "truncated inside a tag"),
        (b"\x88", "truncated inside a tag"),
        (b"\x88\x80\x80\x80\x80\x00", "tag of more than 5 bytes"),
        (b"\x88\x80\x80\x80\x10", "field number 536,870,913, which is above 536,870,911,"),
        (b"\x00", "field number 0"),
        (b"\x07", "field number 0"),
        (b"\x0e", "field 1 of wire type 6, which does not exist,"),
        (b"\x0f", "field 1 of wire type 7, which does not exist,"),
    ],
)
def test_an_invalid_tag_is_refused(data, message):
    with pytest.raises(DecodeError) as caught:
        read_tag(b"\xff" + data, 1, 1 + len(data))
    assert (caught.value.message, caught.value.offset) == (message, 1)


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (b"\x08\x96\x01", 3),
        (b"\x09" + b"12345678", 9),
        (b"\x0a\x03abc", 5),
        (b"\x0a\x00", 2),
        (b"\x0d" + b"1234", 5),
        (b"\x0b\x0c", 2),
        (b"\x0b\x08\x01\x13\x0a\x01x\x14\x1d1234\x0c", 14),
        (b"\x0b" * 100 + b"\x0c" * 100, 200),
    ],
)
def test_skipping_ends_behind_the_field(data, size):
    number, wire_type, start = read_tag(data, 0, len(data))
    assert skip_field(data, start, len(data), number, wire_type) == size == len(data)
    assert skip_field(data + b"\xff", start, len(data) + 1, number, wire_type) == size
    for end in range(start, size):
        with pytest.raises(DecodeError) as caught:
            skip_field(data, start, end, number, wire_type)
        assert caught.value.message.startswith("truncated")
        assert start <= caught.value.offset <= end


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x0a\x05abc", "truncated at byte 2: needs 5 bytes, 3 are left"),
        (b"\x0a" + b"\xff" * 9 + b"\x01", "truncated at byte 11: needs 18,446,744,073,709,551,615 bytes, 0 are left"),
        (b"\x0dabc", "truncated at byte 1: needs 4 bytes, 3 are left"),
        (b"\x0b\x08\x01", "truncated at byte 3: group 1 is not closed"),
        (b"\x0b\x14", "end of group 2 inside group 1 at byte 1"),
        (b"\x0c", "end of group 1, which is not open, at byte 0"),
        (b"\x0b" * 101 + b"\x0c" * 101, "nested more than 100 levels deep at byte 101"),
    ],
)
def test_skipping_a_damaged_field_is_refused(data, text):
    number, wire_type, start = read_tag(data, 0, len(data))
    with pytest.raises(DecodeError) as caught:
        skip_field(data, start, len(data), number, wire_type)
    assert str(caught.value) == text


def test_a_wire_type_that_does_not_exist_is_the_callers_mistake():
    with pytest.raises(ValueError, match="expected a wire type from 0 to 5, got 6"):
        skip_field(b"\x00", 0, 1, 1, 6)


@given(st.binary())
def test_any_bytes_are_read_or_refused(data):
    pos = 0
    try:
        while pos < len(data):
            number, wire_type, start = read_tag(data, pos, len(data))
            pos = skip_field(data, start, len(data), number, wire_type)
            assert pos >= start
    except DecodeError as error:
        assert error.offset is not None and 0 <= error.offset <= len(data)
    else:
        assert pos == len(data)
