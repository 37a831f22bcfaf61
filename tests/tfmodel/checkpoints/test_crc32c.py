"""CRC-32C against published values and against the definition, bit by bit."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmodel.checkpoints import crc32c as module
from tfmodel.checkpoints.crc32c import crc32c, mask, unmask


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


def test_the_sparse_polynomial_is_a_multiple_of_the_real_one():
    remainder = 0
    for exponent in (209, 144, 54, 39, 14, 0):
        power = 1
        for _ in range(exponent):
            power <<= 1
            power ^= 0x11EDC6F41 if power >> 32 else 0
        remainder ^= power
    assert remainder == 0
    assert [209 - gap for gap in module._GAPS] == [144, 54, 39, 14, 0]


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 8191, 8192, 8193, 13375, 13376, 13377, 60_001, 120_000])
def test_long_inputs_agree_with_the_definition(size):
    data = random.Random(size).randbytes(size)
    assert crc32c(data) == bit_by_bit(data)


@pytest.mark.parametrize("size", [2**20 - 1, 2**21 + 13, 8 * 4096 * 209, 8 * 4096 * 209 + 4095])
def test_longer_inputs_agree_with_their_parts(size):
    data = random.Random(size).randbytes(size)
    value = 0
    for at in range(0, size, 8000):  # short enough not to be folded
        value = crc32c(data[at : at + 8000], value)
    assert crc32c(data) == value


def test_zeros_count():
    assert len({crc32c(bytes(size)) for size in (*range(64), *range(20_000, 20_064))}) == 128


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_a_crc_can_be_continued(first, second):
    assert crc32c(second, crc32c(first)) == crc32c(first + second) == bit_by_bit(first + second)


def test_any_buffer_will_do():
    data = random.Random(1).randbytes(20_000)
    assert crc32c(bytearray(data)) == crc32c(memoryview(data)) == crc32c(memoryview(data).cast("I")) == crc32c(data)


@pytest.mark.parametrize(("value", "masked"), [(0, 0xA282EAD8), (0xE3069283, 0xC78AB0E5)])
def test_mask(value, masked):
    assert (mask(value), unmask(masked)) == (masked, value)


@given(st.integers(0, 2**32 - 1))
def test_unmask_undoes_mask(value):
    assert unmask(mask(value)) == value
    assert 0 <= mask(value) < 2**32
