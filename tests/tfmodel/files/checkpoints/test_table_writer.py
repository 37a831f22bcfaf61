"""Tables that we write: read back by our reader, and to the byte what TensorFlow writes (see test_golden too)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmodel.files.checkpoints.table_file import TableFile, _between, _upper_bound, table

from .tables import COUNTER


def pairs(data):
    return [(key, bytes(value)) for key, value, _ in TableFile(data)]


def test_the_smallest_real_index():
    assert table(pairs(COUNTER)) == COUNTER


@given(st.dictionaries(st.binary(max_size=30), st.binary(max_size=300), max_size=60))
def test_written_pairs_are_read_back(content):
    assert pairs(table(sorted(content.items()))) == sorted(content.items())


def test_blocks_end_at_a_quarter_of_a_megabyte():
    content = [(b"%06d" % number, bytes(100)) for number in range(6000)]
    data = table(content)
    assert pairs(data) == content
    assert [handle.size > 1 << 18 for handle in TableFile(data).blocks] == [True, True, False]
    file = TableFile(data)
    assert all(file.find(key) == (key, value, file.find(key).offset) for key, value in content[::100])


def test_a_large_value_has_a_block_of_its_own():
    content = [(b"a", b"1"), (b"b", bytes(1 << 20)), (b"c", b"2")]
    assert pairs(table(content)) == content


@pytest.mark.parametrize(
    ("last", "following", "between"),
    [
        (b"abc", b"abz", b"abd"),
        (b"abc", b"abd", b"abc"),
        (b"abc", b"abcd", b"abc"),
        (b"ab\xff", b"b", b"ab\xff"),
        (b"ab\xff", b"c", b"b"),
        (b"", b"x", b""),
    ],
)
def test_keys_between_blocks(last, following, between):
    assert _between(last, following) == between
    assert last <= between < following


@pytest.mark.parametrize(("last", "behind"), [(b"c", b"d"), (b"\xff\xfe1", b"\xff\xff"), (b"\xff\xff", b"\xff\xff")])
def test_keys_behind_the_last_block(last, behind):
    assert _upper_bound(last) == behind


def test_an_empty_table():
    assert pairs(table([])) == []
