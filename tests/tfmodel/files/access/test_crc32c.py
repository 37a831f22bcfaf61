"""CRC-32C against published values and against the definition, bit by bit."""

from __future__ import annotations

import random
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmodel.files.access import crc32c_words
from tfmodel.files.access.crc32c import crc32c, mask, unmask

module = sys.modules["tfmodel.files.access.crc32c"]


def bit_by_bit(data: bytes) -> int:
    state = 0xFFFFFFFF
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ (0x82F63B78 if state & 1 else 0)
    return state ^ 0xFFFFFFFF


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"", 0),
        (b"a", 0xC1D04330),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),  # this and the next four: RFC 3720, B.4
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
        (
            bytes.fromhex("01c00000000000000000000000000000140000000000040000000014000000182800000000000000")
            + bytes.fromhex("0200000000000000"),
            0xD9963A56,
        ),
    ],
)
def test_published_values(data, value):
    assert crc32c(data) == bit_by_bit(data) == value


def power(exponent):
    """x to that power, modulo the polynomial of the CRC."""
    remainder = 1
    for _ in range(exponent):
        remainder <<= 1
        remainder ^= 0x11EDC6F41 if remainder >> 32 else 0
    return remainder


@pytest.mark.parametrize(("degree", "exponents"), [(degree, exponents) for degree, exponents, _ in module._MULTIPLES])
def test_sparse_polynomials_are_multiples_of_the_real_one(degree, exponents):
    remainder = power(degree) ^ power(0)
    for exponent in exponents:
        remainder ^= power(exponent)
    assert remainder == 0
    assert (degree, (*exponents, 0)) == (crc32c_words._DEGREE, crc32c_words._EXPONENTS) or degree == 1059


SIZES = [0, 1, 7, 8, 9, 299, 300, 301, 847, 848, 849, 6777, 8192, 13375, 2**15 - 1, 2**15, 2**15 + 9, 60_001, 120_000]


@pytest.mark.parametrize("size", SIZES)
def test_long_inputs_agree_with_the_definition(size):
    data = random.Random(size).randbytes(size)
    expected = bit_by_bit(data)
    assert crc32c(data) == expected
    assert module.look_up(data, 0xFFFFFFFF) ^ 0xFFFFFFFF == expected


@pytest.mark.parametrize("size", [2**15, 54_217, 2**18, 2**18 + 1, 2**20 - 1, 2**21 + 13])
def test_longer_inputs_agree_with_their_parts_with_and_without_numpy(size, monkeypatch):
    data = random.Random(size).randbytes(size)
    value = 1
    for offset in range(0, size, 8000):  # too short for NumPy
        value = crc32c(data[offset : offset + 8000], value)
    assert crc32c(data, 1) == value
    assert crc32c(memoryview(data)[3:], crc32c(data[:3], 1)) == value  # words that are not aligned
    monkeypatch.delitem(sys.modules, "numpy")
    assert crc32c(data, 1) == value


def test_zeros_count():
    assert len({crc32c(bytes(size)) for size in (*range(64), *range(20_000, 20_064))}) == 128


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_a_crc_can_be_continued(first, second):
    assert crc32c(second, crc32c(first)) == crc32c(first + second) == bit_by_bit(first + second)


def test_any_buffer_is_accepted():
    data = random.Random(1).randbytes(20_000)
    assert crc32c(bytearray(data)) == crc32c(memoryview(data)) == crc32c(memoryview(data).cast("I")) == crc32c(data)
    assert crc32c(memoryview(bytearray(60_000))) == crc32c(bytes(60_000))


@pytest.mark.parametrize(("value", "masked"), [(0, 0xA282EAD8), (0xE3069283, 0xC78AB0E5)])
def test_mask(value, masked):
    assert (mask(value), unmask(masked)) == (masked, value)


@given(st.integers(0, 2**32 - 1))
def test_unmask_undoes_mask(value):
    assert unmask(mask(value)) == value
    assert 0 <= mask(value) < 2**32
