"""Snappy's block format: every kind of element, and every fault in one."""

from __future__ import annotations

import tracemalloc
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmodel.errors import CheckpointError
from tfmodel.files.checkpoints.table_file import decompress

from .tables import literal, varint


@pytest.mark.parametrize(
    ("data", "plain"),
    [
        (b"\x00", b""),
        (b"\x80\x00", b""),
        (b"\x03\x08abc", b"abc"),
        (b"\x06\x08abc\x04de\x00f", b"abcdef"),
        (b"\x3c\xec" + b"x" * 60, b"x" * 60),
        (b"\x3d\xf0\x3c" + b"x" * 61, b"x" * 61),
        (b"\xac\x02\xf4\x2b\x01" + b"x" * 300, b"x" * 300),
        (b"\x03\xf8\x02\x00\x00abc", b"abc"),
        (b"\x03\xfc\x02\x00\x00\x00abc", b"abc"),
        (b"\x08\x0cabcd\x01\x04", b"abcdabcd"),  # one more byte of offset
        (b"\x08\x0cabcd\x0e\x04\x00", b"abcdabcd"),  # two
        (b"\x08\x0cabcd\x0f\x04\x00\x00\x00", b"abcdabcd"),  # four
        (b"\x0c\x00a\x1d\x01", b"a" * 12),  # runs into what it makes
        (b"\x0a\x08abc\x1a\x03\x00", b"abcabcabca"),
        (b"\x42\x04ab\xfe\x02\x00", b"ab" * 33),
        (varint(304) + b"\xf4\x2b\x01abcd" + bytes(296) + b"\x21\x2c", b"abcd" + bytes(296) + b"abcd"),
    ],
)
def test_elements(data, plain):
    assert decompress(data, limit=1000) == plain
    assert decompress(memoryview(data), limit=len(plain)) == plain


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "at byte 100: its length cannot be read"),
        (b"\xff", "at byte 100: its length cannot be read"),
        (b"\xff" * 11, "at byte 100: its length cannot be read"),
        (b"\xff\xff\xff\xff\x0f", "at byte 100: it holds 4,294,967,295 bytes, more than the limit of 1,000"),
        (b"\xe9\x07\x00a", "at byte 100: it holds 1,001 bytes, more than the limit of 1,000"),
        (b"\x56\x00a\x00", "at byte 100: 4 bytes cannot hold 86"),
        (b"\x03\x08ab", "at byte 101: a literal needs 3 bytes, 2 are left"),
        (b"\x03\xf0", "at byte 101: it ends inside an element"),
        (b"\x03\xfc\xff\xff\xff\xff", "at byte 101: a literal needs 4,294,967,296 bytes, 0 are left"),
        (b"\x02\x00a\x01", "at byte 103: it ends inside an element"),
        (b"\x05\x00a\x02\x01", "at byte 103: it ends inside an element"),
        (b"\x05\x00a\x03\x01\x00\x00", "at byte 103: it ends inside an element"),
        (b"\x05\x00a\x01\x00", "at byte 103: a copy begins 0 bytes back, after 1"),
        (b"\x05\x00a\x01\x02", "at byte 103: a copy begins 2 bytes back, after 1"),
        (b"\x05\x01\x01", "at byte 101: a copy begins 1 bytes back, after 0"),
        (b"\x01\x04ab", "at byte 101: it holds more than the 1 bytes it announces"),
        (b"\x04\x00a\x01\x01", "at byte 103: it holds more than the 4 bytes it announces"),
        (b"\x03\x04ab", "at byte 100: it holds 2 bytes where it announces 3"),
    ],
)
def test_damage(data, problem):
    with pytest.raises(CheckpointError) as caught:
        decompress(data, limit=1000, offset=100)
    assert str(caught.value) == f"damaged Snappy data {problem}"


def test_a_bomb_costs_no_more_than_it_weighs():
    bomb = varint(2**32 - 1) + b"\x00a" + b"\xfe\x01\x00" * 1000
    tracemalloc.start()
    with pytest.raises(CheckpointError, match="cannot hold"):
        decompress(bomb, limit=2**32)
    with pytest.raises(CheckpointError, match="more than the"):
        decompress(varint(1000) + bomb[5:], limit=2**32)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000


@given(st.binary(max_size=300))
def test_any_bytes_survive_as_literals(data):
    assert decompress(literal(data), limit=300) == data


@given(
    st.lists(
        st.one_of(
            st.binary(min_size=1, max_size=60),
            st.tuples(st.integers(1, 64), st.integers(1, 500), st.sampled_from([2, 4])),
            st.tuples(st.integers(4, 11), st.integers(1, 500), st.just(1)),
        )
    )
)
def test_copies_are_made_byte_by_byte(elements):
    plain, data = bytearray(), b""
    for element in elements:
        if isinstance(element, bytes):
            plain += element
            data += bytes([len(element) - 1 << 2]) + element
        elif plain:
            length, back, size = element
            back = min(back, len(plain))
            for _ in range(length):
                plain.append(plain[-back])
            if size == 1:
                data += bytes([back >> 8 << 5 | length - 4 << 2 | 1, back & 255])
            else:
                data += bytes([length - 1 << 2 | (2 if size == 2 else 3)]) + back.to_bytes(size, "little")
    assert decompress(varint(len(plain)) + data, limit=len(plain)) == plain


@given(st.binary(max_size=60))
def test_nothing_but_checkpoint_errors_comes_out(data):
    with suppress(CheckpointError):
        decompress(data, limit=100)
