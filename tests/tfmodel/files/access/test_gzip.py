"""`tfmodel.files.access.gzip`: gzip, bounded."""

from __future__ import annotations

import gzip
import random
import zlib

import pytest

from tfmodel.files.access import gzip as unpacking
from tfmodel.files.access.gzip import TooLarge, first_bytes, unpack

NOISE = random.Random(1).randbytes(100_000)


@pytest.mark.parametrize("data", [b"", b"x", NOISE, bytes(3_000_000)])
@pytest.mark.parametrize("piece", [1000, 1 << 24])
def test_it_gives_back_what_was_packed(data, piece, monkeypatch):
    monkeypatch.setattr(unpacking, "_PIECE", piece)
    assert unpack(gzip.compress(data), len(data)) == data


def test_several_files_one_behind_another_and_zeros():
    packed = gzip.compress(b"one, ") + gzip.compress(b"") + gzip.compress(b"two") + bytes(512)
    assert unpack(packed, 100) == b"one, two"


@pytest.mark.parametrize("data", [b"xy", NOISE, bytes(3_000_000)])
def test_one_byte_more_than_allowed_is_too_much(data):
    packed = gzip.compress(data[: len(data) // 2]) + gzip.compress(data[len(data) // 2 :])
    assert unpack(packed, len(data)) == data
    with pytest.raises(TooLarge):
        unpack(packed, len(data) - 1)


@pytest.mark.parametrize("limit", [0, -1, -5])
def test_any_output_exceeds_a_limit_of_zero(limit):
    with pytest.raises(TooLarge):
        unpack(gzip.compress(NOISE), limit)


def test_every_strict_prefix_is_truncated():
    packed = gzip.compress(NOISE[:300])
    for size in range(1, len(packed)):
        with pytest.raises(EOFError):
            unpack(packed[:size], 1000)


@pytest.mark.parametrize("damage", [lambda p: p[:-8] + b"\0" * 8, lambda p: p[:20] + b"\xff" * 20 + p[40:]])
def test_damage_is_noticed(damage):
    with pytest.raises(zlib.error):
        unpack(damage(gzip.compress(NOISE[:300])), 1000)


@pytest.mark.parametrize("flags", [b"\x80", b"\x02"], ids=["reserved", "header CRC"])
def test_damaged_headers_are_refused_in_every_part(flags):
    part = gzip.compress(b"words", mtime=0)
    damaged = part[:3] + flags + part[4:10] + b"no" + part[10:]
    for data in (damaged, part + damaged):
        with pytest.raises(zlib.error, match="header"):
            unpack(data, 1000)


def test_trailing_data_must_be_gzip_too():
    with pytest.raises(zlib.error):
        unpack(gzip.compress(b"x") + b"trailing words", 100)


def test_the_first_bytes():
    assert first_bytes(gzip.compress(NOISE), 100) == NOISE[:100]
    assert first_bytes(gzip.compress(b"few"), 100) == b"few"
