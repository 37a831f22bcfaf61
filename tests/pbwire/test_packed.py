"""Packed varints, many at a time, compared with one at a time."""

from __future__ import annotations

import sys
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pbwire import packed
from pbwire.descriptor import KINDS, VARINT, ZIGZAG
from pbwire.packed import pack_varints, unpack_varints
from pbwire.varints import Malformed
from pbwire.wire import read_varint
from tests.support.effort import scaled

KIND_NAMES = [kind.name for kind in KINDS.values() if kind.wire_type == VARINT]
SIGNED = ("int32", "int64", "enum")
each_kind = pytest.mark.parametrize("kind", KIND_NAMES)


def encode(value: int) -> bytes:
    """Return an unsigned integer as a varint."""
    groups = [value >> shift & 127 for shift in range(0, max(1, value.bit_length()), 7)]
    return bytes([*(group | 128 for group in groups[:-1]), groups[-1]])


def pack_one_by_one(kind: str, values: list[int]) -> bytes:
    if kind in ZIGZAG:
        values = [value << 1 ^ value >> 63 for value in values]
    return b"".join(encode(value % (1 << 64)) for value in values)


def unpack_one_by_one(kind: str, data: bytes) -> list[int]:
    values, pos = [], 0
    while pos < len(data):
        value, pos = read_varint(data, pos, len(data))
        if kind == "bool":
            values.append(bool(value))
            continue
        bits = 32 if "32" in kind or kind == "enum" else 64
        value %= 1 << bits
        if kind in ZIGZAG:
            value = (value >> 1) ^ -(value & 1)
        elif kind in SIGNED and value >> bits - 1:
            value -= 1 << bits
        values.append(value)
    return values


def integers(kind: str) -> st.SearchStrategy[int]:
    """Integers of a kind, of any length as a varint."""
    low, high = KINDS[kind].bounds or (0, 1)
    near = st.sampled_from([value for value in (0, 0, 1, 127, 128, -1, low, high) if low <= value <= high])
    bits = st.integers(0, 64).flatmap(lambda bits: st.integers(max(low, -(1 << bits)), min(high, 1 << bits)))
    return st.one_of(near, bits)


@each_kind
@pytest.mark.parametrize("length", [3, packed.CHUNK_LENGTH])
def test_integers_are_packed_and_unpacked_as_one_by_one(kind, length):
    @given(st.lists(integers(kind), max_size=40), st.sampled_from([1, 3, 100]))
    @settings(max_examples=scaled(100))
    def run(values, repeated):
        values = values * repeated
        with (
            mock.patch.multiple(packed, MIN_BYTES=0, MIN_VALUES=0, CHUNK_LENGTH=max(length, 10)),
            mock.patch.object(packed, "_lanes", packed._lanes.__wrapped__),
        ):
            data = pack_varints(kind, values)
            assert data == pack_one_by_one(kind, values)
            assert unpack_varints(kind, data) == values
        assert pack_varints(kind, values) == data
        assert unpack_varints(kind, data) == values

    run()


@each_kind
@pytest.mark.parametrize("bits", [8, 14, 20, 21, 22, 28, 48, 49, 50, 56, 62, 63])
def test_each_length_among_ones_and_zeros(kind, bits):
    low, high = KINDS[kind].bounds or (0, 1)
    edges = [value for size in (bits - 1, bits) for value in (1 << size, (1 << size) - 1, -(1 << size))]
    values = [value for value in edges if low <= value <= high]
    for others in ([], [0], [1], [0, 1], [-1, 0] if low < 0 else [0]):
        numbers = (values + others) * 50
        data = pack_varints(kind, numbers)
        assert data == pack_one_by_one(kind, numbers)
        assert unpack_varints(kind, data) == numbers


NUMBER = st.binary(max_size=9).map(lambda data: bytes(byte | 128 for byte in data))
VARINT = st.builds(lambda start, last: start + bytes([last]), NUMBER, st.integers(0, 127))  # longer than needed, too


@each_kind
def test_any_valid_bytes_are_unpacked_as_one_by_one(kind):
    @given(st.lists(VARINT, max_size=60).map(b"".join))
    @settings(max_examples=scaled(200))
    @example(b"\x80\x00" * 30)
    @example(b"\xff" * 9 + b"\x7f")
    def run(data):
        expected = unpack_one_by_one(kind, data)
        assert unpack_varints(kind, data) == expected
        assert unpack_varints(kind, data * 40) == expected * 40

    run()


MALFORMED = {
    "truncated": b"\x80",
    "truncated after a number": b"\x01\x80",
    "too long": b"\x80" * 10 + b"\x01",
    "much too long": b"\x80" * 10_000 + b"\x01",
    "never ending": b"\xff" * 10_000,
}


@pytest.mark.parametrize("name", MALFORMED)
@pytest.mark.parametrize("before", [b"", b"\x81\x01" * 500, b"\x01" * (packed.CHUNK_LENGTH - 5)])
@pytest.mark.parametrize("after", [b"", b"\x81\x01" * 500])
def test_malformed_bytes_are_refused(name, before, after):
    data = before + MALFORMED[name] + (after if MALFORMED[name][-1] < 128 else b"")
    with pytest.raises(Malformed):
        unpack_varints("int64", data)


@each_kind
def test_values_out_of_range_are_refused(kind):
    low, high = KINDS[kind].bounds or (0, 1)
    if kind == "bool":
        return
    for wrong in (low - 1, high + 1, 1 << 70):
        for values in ([wrong], [5, wrong], [300] * 3_000 + [wrong]):
            with pytest.raises(Malformed):
                pack_varints(kind, values)


@pytest.mark.parametrize("wrong", [1.5, 2.0, "1", None, b"1"])
def test_values_other_than_integers_are_refused(wrong):
    for values in ([wrong], [300] * 100 + [wrong]):
        with pytest.raises(TypeError):
            pack_varints("int64", values)


def test_a_machine_with_the_other_byte_order(monkeypatch):
    """Arrays then have the other order, as if their bytes were swapped at the boundary to Python's integers."""
    values = [0, 1, 300, 1 << 40, -1, -(1 << 63)] * 20
    data = pack_varints("int64", values)

    class Swapped(packed.array):
        def frombytes(self, data):
            super().frombytes(data)
            super().byteswap()

        def tobytes(self):
            super().byteswap()
            return super().tobytes()

        def __getitem__(self, key):
            return super().__getitem__(key)

    other = "little" if sys.byteorder == "big" else "big"
    monkeypatch.setattr(packed, "array", Swapped)
    monkeypatch.setattr(packed.sys, "byteorder", other)
    assert pack_varints("int64", values) == data
    assert unpack_varints("int64", data) == values
    assert unpack_varints("int32", pack_varints("int32", [1, 300, -5] * 30)) == [1, 300, -5] * 30
