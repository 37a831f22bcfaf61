"""Snappy data in the index of a checkpoint."""

from __future__ import annotations

import pytest

from tests.hostile.measure import assert_linear, peak
from tests.tfmodel.files.checkpoints.tables import literal, varint
from tfmodel.errors import CheckpointError
from tfmodel.files.checkpoints.table_file import decompress

LIMIT = 2**32 - 1
COPY_64 = b"\xfe\x01\x00"  # 64 bytes from one byte back


def refused(data: bytes, limit: int = LIMIT) -> str:
    with pytest.raises(CheckpointError) as raised:
        decompress(data, limit=limit)
    return str(raised.value)


def test_a_wrong_length():
    """Attack: a few bytes with a declared length of 4 GB.

    Naive: allocates 4 GB.
    Stopped by: tfmodel.files.checkpoints.table_file.decompress
    """
    for length in (2**32 - 1, 2**32, 2**63, 2**64 - 1):
        data = varint(length) + b"\0a"
        assert "cannot hold" in refused(data) or "more than" in refused(data)
        assert peak(lambda data=data: refused(data)) < 1 << 16


def test_a_bomb():
    """Attack: one byte, then copies of it: three bytes of input for 64 of output.

    Naive: copies a growing bytes object for each element, or does not limit the output.
    Stopped by: tfmodel.files.checkpoints.table_file.decompress
    """

    def make(size: int) -> bytes:
        return varint(1 + 64 * size) + b"\0a" + COPY_64 * size

    assert decompress(make(100), limit=LIMIT) == b"a" * 6401
    assert "more than the limit of 1,000" in refused(make(100), limit=1_000)
    assert_linear(lambda data: decompress(data, limit=LIMIT), make, 10_000)


def test_more_than_announced():
    """Attack: a small declared length, followed by many more copies.

    Naive: checks the length after decompression.
    Stopped by: tfmodel.files.checkpoints.table_file.decompress
    """
    data = varint(3) + b"\0a" + COPY_64 * 100_000
    assert "more than the 3 bytes it announces" in refused(data)
    assert peak(lambda: refused(data)) < 1 << 16


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"\x08\0a\xfe\0\0", "begins 0 bytes back"),
        (b"\x08\0a\x11\0", "begins 0 bytes back"),
        (b"\x08\0a\xfe\2\0", "begins 2 bytes back, after 1"),
        (b"\x08\0a\xff\xff\xff\xff\xff", "begins 4,294,967,295 bytes back"),
        (b"\x08\xfe\1\0", "begins 1 bytes back, after 0"),
    ],
    ids=["zero", "zero, short", "before the start", "far before the start", "before anything"],
)
def test_snappy_copies_before_the_start(data, problem):
    """Attack: a copy from zero bytes back, or from before the first byte.

    Naive: divides by zero, never ends, or copies other bytes: negative indices count from the end in Python.
    Stopped by: tfmodel.files.checkpoints.table_file.decompress
    """
    assert problem in refused(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff" * 11,
        b"\x08",
        b"\x08\xf0",
        b"\x08\xfc\xff\xff\xff\xff",
        b"\x08\x1cabc",
        b"\x08\0a\xfe\1",
        b"\x08\0a",
    ],
    ids=bytes.hex,
)
def test_truncated_elements(data):
    """Attack: an endless length, literals of 4 GB, truncated elements.

    Naive: raises IndexError, or returns fewer bytes than declared.
    Stopped by: tfmodel.files.checkpoints.table_file.decompress
    """
    refused(data)


def test_sound_data():
    assert decompress(literal(b"abc" * 100), limit=300) == b"abc" * 100
