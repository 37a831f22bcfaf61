"""Encoded keys of slices: the vectors, the order, and invalid keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmodel.files.checkpoints.index import decode_slice_key, encode_slice_key


@pytest.mark.parametrize(
    ("name", "extents", "key", "text"),
    [
        ("w", [(0, 2), (0, -1)], "00 77 0001 0102 80 82 80 7f", "w[0,2:-]"),
        ("w", [], "00 77 0001 00", "w[]"),
        ("w", [(0, -1), (0, -1)], "00 77 0001 0102 80 7f 80 7f", "w[-:-]"),
        ("", [], "00 0001 00", "[]"),
        ("a\0b", [], "00 6100ff62 0001 00", "a\0b[]"),
        ("é", [(1, 64)], "00 c3a9 0001 0101 81 c040", "é[1,64]"),
    ],
)
def test_keys(name, extents, key, text):
    assert encode_slice_key(name, extents) == bytes.fromhex(key)
    assert decode_slice_key(bytes.fromhex(key)) == (name, tuple(extents))
    assert str(decode_slice_key(bytes.fromhex(key))) == text


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (0, "80"),
        (1, "81"),
        (63, "bf"),
        (64, "c040"),
        (100, "c064"),
        (8191, "dfff"),
        (8192, "e02000"),
        (1048576, "f0100000"),
        (-1, "7f"),
        (-64, "40"),
        (-65, "3fbf"),
        (2**63 - 1, "ffc07fffffffffffffff"),
        (-(2**63), "003f8000000000000000"),
    ],
)
def test_signed_numbers(value, encoded):
    key = bytes.fromhex("00 0001 0101" + encoded + "80")
    assert encode_slice_key("", [(value, 0)]) == key
    assert decode_slice_key(key) == ("", ((value, 0),))


int64 = st.integers(-(2**63), 2**63 - 1)
names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
keys = st.tuples(names, st.lists(st.tuples(int64, int64), max_size=6).map(tuple))


@given(keys)
def test_decoding_undoes_encoding(key):
    assert decode_slice_key(encode_slice_key(*key)) == key


@given(keys, keys)
def test_keys_sort_as_what_they_mean(a, b):
    meanings = [(name.encode(), len(extents), extents) for name, extents in (a, b)]
    assert (meanings[0] < meanings[1]) == (encode_slice_key(*a) < encode_slice_key(*b))


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        ("", "does not begin with a zero and a name"),
        ("77", "does not begin"),
        ("01 77 0001 00", "does not begin"),
        ("00 77", "does not begin"),
        ("00 77 00", "does not begin"),
        ("00 77 0002 00", "does not begin"),
        ("00 77 ff01 0001 00", "does not begin"),
        ("00 77 0001", "ends before its last dimension"),
        ("00 77 0001 01", "ends before its last dimension"),
        ("00 77 0001 0101 80", "ends before its last dimension"),
        ("00 77 0001 08ffffffffffffffff 80", "ends before its last dimension"),
        ("00 77 0001 ff", "ends before its last dimension"),
        ("00 77 0001 0101 80 c0", "does not end"),
        ("00 77 0001 0101 ff ff", "does not end"),
        ("00 77 0001 0101 0000 80", "does not end"),
        ("00 77 0001 0101 ffdfffffffffffffffff 80", "more than 64 bits"),
        ("00 77 0001 0101 c001 80", "not in their shortest form"),
        ("00 77 0001 020001 80 80", "not in their shortest form"),
        ("00 77 0001 00 00", "more follows them"),
        ("00 ff00 0001 00", "does not begin"),
        ("00 c3 0001 00", "decode byte"),
    ],
)
def test_invalid_keys_are_refused(key, problem):
    with pytest.raises(ValueError, match=problem):
        decode_slice_key(bytes.fromhex(key))


@given(st.binary(max_size=40))
def test_any_bytes_are_one_key_or_none(data):
    try:
        key = decode_slice_key(b"\0" + data)
    except ValueError:
        return
    assert encode_slice_key(*key) == b"\0" + data
