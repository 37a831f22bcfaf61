"""Varints that do not end, or that are longer than necessary."""

from __future__ import annotations

import pytest

from pbwire import DecodeError, raw
from tests.hostile.measure import assert_linear, peak
from tests.support.wire_bytes import LENGTH, ld, number, tag, varint
from tfmodel.messages import NodeDef, TensorProto

ENDLESS = b"\xff" * 100_000
PLACES = {
    "tag": ENDLESS,
    "value": tag(7, 0) + ENDLESS,
    "length": tag(4, LENGTH) + ENDLESS,
    "packed": ld(7, ENDLESS),
    "tag of an unknown field": tag(2000, 0) + b"\1" + ENDLESS,
}


@pytest.mark.parametrize("place", PLACES)
def test_an_endless_number(place):
    """Attack: a hundred thousand bytes with the continuation bit set.

    Naive: shifts a growing integer of 700,000 bits for each byte, which takes quadratic time.
    Stopped by: pbwire.wire.read_varint, pbwire.wire.read_tag, pbwire.varints.varint
    """

    def read() -> None:
        with pytest.raises(DecodeError, match=r"more than (5|10) bytes"):
            TensorProto.from_bytes(PLACES[place])
        if place != "packed":  # they show the numbers as bytes
            with pytest.raises(DecodeError, match=r"more than (5|10) bytes"):
                list(raw.walk(PLACES[place], cls=TensorProto))

    read()
    assert peak(read) < 8 * len(ENDLESS)


def test_ten_bytes_for_a_small_number():
    """Attack: every number in the maximum number of bytes.

    Naive: treats two encodings of a number as different, or a tag in two bytes as another field.
    Stopped by: pbwire.wire.read_varint
    """
    long = tag(1, LENGTH, size=5) + varint(1, size=10) + b"x"
    assert NodeDef.from_bytes(long) == NodeDef(name="x")
    assert_linear(TensorProto.from_bytes, lambda size: number(7, 1, size=10) * size, 10_000)


def test_bits_above_the_64th():
    """Attack: a number of ten bytes whose last one has bits that no 64-bit integer has.

    Naive: returns an integer of 70 bits, which cannot be encoded.
    Stopped by: pbwire.wire.read_varint
    """
    tensor = TensorProto.from_bytes(tag(10, 0) + b"\xff" * 9 + b"\x7f")
    assert tensor.int64_val == [-1]
    assert TensorProto.from_bytes(tensor.to_bytes()) == tensor


@pytest.mark.parametrize("data", [b"\x00\x01", b"\x06", b"\x07", b"\xff\xff\xff\xff\x7f\x00"], ids=bytes.hex)
def test_invalid_tags(data):
    """Attack: field number 0 or above 2**29 - 1, wire types 6 and 7.

    Naive: raises IndexError in a table of wire types, or loops forever.
    Stopped by: pbwire.wire.read_tag
    """
    with pytest.raises(DecodeError):
        NodeDef.from_bytes(data)
