"""Table files: well made ones, real ones, and ones with every kind of damage."""

from __future__ import annotations

import tracemalloc
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.corpus import corpus_files, needs_corpus
from tfmodel.errors import CheckpointError
from tfmodel.files.access.crc32c import crc32c
from tfmodel.files.checkpoints.table_file import TableFile, is_table

from .tables import COUNTER, EMPTY_BLOCK, MAGIC, block, footer, handle, literal, record, table, trailer, varint

PAIRS = [(b"", b"header"), (b"weights/a", b"1"), (b"weights/b", b""), (b"weights/bias", b"3" * 200), (b"x", b"4")]


def pairs(data: bytes, *, checksums: bool = True) -> list[tuple[bytes, bytes]]:
    return [(key, bytes(value)) for key, value, _ in TableFile(data, checksums=checksums)]


def problem(data: bytes, *, checksums: bool = True) -> str:
    with pytest.raises(CheckpointError) as caught:
        pairs(data, checksums=checksums)
    return str(caught.value)


def test_a_real_index():
    assert len(COUNTER) == 123
    assert is_table(COUNTER)
    assert pairs(COUNTER) == [
        (b"", bytes.fromhex("08011a020801")),
        (b"counter", bytes.fromhex("08011200280435a67b113a")),
    ]
    assert [offset for _, _, offset in TableFile(COUNTER)] == [3, 19]


def test_large_values_are_not_copied():
    large = bytes(2 << 20)
    contents = block([(b"", b""), (b"large", large)])
    data = table(contents, index=[(b"large", handle(0, len(contents)))])
    assert [record.value.obj for record in TableFile(data)] == [data, data]
    record = TableFile(data).find(b"large")
    assert record is not None
    assert (record.value.obj, record.value) == (data, large)


def test_any_buffer_is_accepted():
    assert pairs(bytearray(COUNTER)) == pairs(memoryview(COUNTER)) == pairs(COUNTER)


@pytest.mark.parametrize("compression", [0, 1])
def test_a_record_is_found_without_reading_the_others(compression):
    blocks = [block(PAIRS[:2]), block(PAIRS[2:4]), block(PAIRS[4:])]
    last = [PAIRS[1][0], PAIRS[3][0] + b"z", b"y"]  # at least the last key of each block
    blocks = [literal(contents) if compression else contents for contents in blocks]
    handles = [handle(place.offset, place.size) for place in TableFile(table(*blocks)).blocks]
    index = list(zip(last, handles, strict=True))
    data = bytearray(table(*blocks, compression=compression, index=index))
    file = TableFile(data)
    assert [(pair.key, bytes(pair.value)) for key, _ in PAIRS if (pair := file.find(key))] == PAIRS
    assert [file.find(key) for key in (b"a", b"weights/c", b"zzz", b"x0")] == [None] * 4
    data[len(blocks[0]) + 8] ^= 1  # in the second block
    changed = TableFile(data)
    assert all(changed.find(key) for key, _ in (*PAIRS[:2], *PAIRS[4:]))
    with pytest.raises(CheckpointError, match="the block has CRC"):
        changed.find(PAIRS[2][0])


@pytest.mark.parametrize("restart_interval", [1, 2, 16])
@pytest.mark.parametrize("per_block", [1, 2, 5])
def test_blocks_follow_one_another(restart_interval, per_block):
    parts = [PAIRS[start : start + per_block] for start in range(0, len(PAIRS), per_block)]
    assert pairs(table(*(block(part, restart_interval) for part in parts))) == PAIRS


def test_a_table_may_be_empty():
    assert pairs(table()) == pairs(table(EMPTY_BLOCK)) == pairs(table(bytes(4))) == []


def test_blocks_may_be_compressed():
    data = table(*(literal(block([pair])) for pair in PAIRS), compression=1)
    assert pairs(data) == PAIRS
    assert next(iter(TableFile(data))).offset == 0


@given(st.dictionaries(st.binary(max_size=20), st.binary(max_size=50)), st.integers(1, 20), st.integers(1, 8))
def test_written_pairs_are_read_back(content, restart_interval, per_block):
    expected = sorted(content.items())
    parts = [expected[start : start + per_block] for start in range(0, len(expected), per_block)]
    assert pairs(table(*(block(part, restart_interval) for part in parts))) == expected


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        (b"", False),
        (MAGIC, False),
        (bytes(40) + MAGIC, True),
        (bytes(39) + MAGIC, False),
        (COUNTER[:-1], False),
        (COUNTER + b"\0", False),
    ],
)
def test_is_table(data, answer):
    assert is_table(data) is is_table(memoryview(data)) is answer


def test_other_files_are_refused():
    assert problem(b"") == "truncated, or not a checkpoint: empty (0 bytes)"
    assert problem(bytes(9)) == "truncated, or not a checkpoint: 9 bytes are less than a footer of 48"
    assert problem(bytes(100)) == "truncated, or not a checkpoint: no magic number at byte 92"


def checked(contents: bytes) -> bytes:
    return contents + trailer(contents)


ONE = block([(b"a", b"1")])


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (bytes(48 - 8) + MAGIC, "damaged table at byte 0: a block of 0 bytes at 0 does not fit into the 0 before"),
        (checked(EMPTY_BLOCK) + footer(handle(0, 8), handle(0, 9)), "at byte 13: a block of 9 bytes at 0 does not fit"),
        (checked(EMPTY_BLOCK) + footer(handle(0, 8), handle(2**64 - 1, 8)), "8 bytes at 18,446,744,073,709,551,615"),
        (checked(EMPTY_BLOCK) + footer(handle(0, 2**63), handle(0, 8)), "9,223,372,036,854,775,808 bytes at 0"),
        (checked(EMPTY_BLOCK) + footer(b"\xff" * 40, b""), "at byte 13: a block handle cannot be read"),
        (checked(EMPTY_BLOCK) + footer(b"\x80" * 40, b""), "at byte 13: a block handle cannot be read"),
        (checked(b"\0\0\0") + footer(handle(0, 3), handle(0, 3)), "at byte 0: a block of 3 bytes has no restart count"),
        (table(ONE, index=[(b"a", b"")]), "at byte 35: a block handle cannot be read"),
        (table(ONE, index=[(b"a", b"\x00")]), "at byte 35: a block handle cannot be read"),
        (table(ONE, index=[(b"a", handle(0, 10_000))]), "at byte 35: a block of 10,000 bytes at 0 does not fit"),
        (
            table(ONE, index=[(b"a", handle(0, len(ONE))), (b"b", handle(0, len(ONE)))]),
            "the block at 0 begins before byte 18, inside the one before",
        ),
        (
            table(record(b"ab", b"1", shared=1) + EMPTY_BLOCK),
            "at byte 0: a key shares 1 bytes with the one before, which has 0",
        ),
        (table(b"\x00\x05\x01abc" + EMPTY_BLOCK), "at byte 0: a record needs 6 bytes, 3 are left"),
        (
            table(b"\x00" + varint(2**64 - 1) + b"\x01abc" + EMPTY_BLOCK),
            "a record needs 18,446,744,073,709,551,616 byt",
        ),
        (table(b"\x00\x01" + EMPTY_BLOCK), "at byte 0: the lengths of a record cannot be read"),
        (table(b"\x80" * 11 + EMPTY_BLOCK), "at byte 0: the lengths of a record cannot be read"),
        (table(ONE[:-4] + b"\xff\xff\xff\xff"), "at byte 9: a block of 13 bytes cannot have 4,294,967,295 restarts"),
        (table(ONE[:-4] + b"\x03\0\0\0"), "at byte 9: a block of 13 bytes cannot have 3 restarts"),
        (table(ONE[:-4] + b"\0\0\0\0"), "at byte 9: a block of 13 bytes cannot have 0 restarts"),
        (table(block([(b"b", b""), (b"a", b"")])), "at byte 8: key b'a' comes after b'b'"),
        (table(block([(b"a", b""), (b"a", b"")])), "at byte 7: key b'a' comes after b'a'"),
        (table(block([(b"b", b"")]), block([(b"a", b"")])), "at byte 21: key b'a' comes after b'b'"),
        (table(ONE, compression=2), "at byte 13: the block has the unknown compression 2"),
        (table(ONE, compression=1), "damaged Snappy data at byte"),
        (table(literal(ONE[:-1] + b"\x7f"), compression=1), "at byte 0: a block of 13 bytes cannot have 2,130,706,433"),
    ],
)
def test_damage_behind_a_right_checksum(data, text):
    assert text in problem(data)


def test_a_wrong_checksum_is_found_unless_not_looked_for():
    data = bytearray(COUNTER)
    data[3] ^= 1
    assert problem(data).startswith("damaged table at byte 0: the block has CRC ")
    assert pairs(data, checksums=False)[0] == (b"", bytes.fromhex("09011a020801"))


def test_damage_is_reported_when_it_is_reached():
    blocks = [block([pair]) for pair in PAIRS]
    data = bytearray(table(*blocks))
    data[sum(len(contents) + 5 for contents in blocks[:3])] ^= 1
    records = iter(TableFile(data))
    assert [next(records).key for _ in range(3)] == [key for key, _ in PAIRS[:3]]
    with pytest.raises(CheckpointError, match="the block has CRC"):
        next(records)


SAMPLES = {
    "real": COUNTER,
    "blocks": table(*(block([pair]) for pair in PAIRS)),
    "compressed": table(literal(block(PAIRS)), compression=1),
}


@pytest.mark.slow(reason="damages inputs in thousands of ways")
@pytest.mark.parametrize("data", SAMPLES.values(), ids=SAMPLES)
def test_every_changed_bit_is_noticed_or_harmless(data):
    expected = pairs(data)
    padding = range(len(data) - 48, len(data) - 8)
    for offset in range(len(data)):
        for bit in range(8):
            changed = bytearray(data)
            changed[offset] ^= 1 << bit
            try:
                assert pairs(changed) == expected
                assert offset in padding
            except CheckpointError as error:
                assert " byte" in str(error)
            with suppress(CheckpointError):
                pairs(changed, checksums=False)


@pytest.mark.parametrize("data", SAMPLES.values(), ids=SAMPLES)
def test_every_truncation_is_noticed(data):
    for end in range(len(data)):
        problem(data[:end])
        problem(data[:end], checksums=False)
        problem(data[:end] + data[-48:]) if end < len(data) - 48 else None


@given(st.binary(max_size=80), st.binary(max_size=40), st.booleans())
def test_nothing_but_checkpoint_errors_comes_out(contents, handles, checksums):
    body = checked(contents)
    for data in (
        contents + handles.ljust(40, b"\0") + MAGIC,
        body + footer(handle(0, len(contents)), handle(0, len(contents))),
        table(contents),
        table(contents, compression=1),
    ):
        with suppress(CheckpointError):
            pairs(data, checksums=checksums)


@pytest.mark.parametrize("compress", [False, True])
def test_keys_cannot_unfold_without_bound(compress):
    """A thousand keys that share nearly all of a long one: 10 kilobytes that say 5 megabytes."""
    long = b"k" * 5000
    contents = record(long, b"") + b"".join(record(long + b"%04d" % n, b"", shared=5000) for n in range(1000))
    contents += bytes(4) + b"\x01\0\0\0"
    data = table(literal(contents) if compress else contents, compression=int(compress))
    tracemalloc.start()
    assert "bytes of keys" in problem(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 * len(data)


def test_a_compressed_block_costs_no_more_than_it_weighs():
    contents = varint(2**32 - 1) + b"\0a" + b"\xfe\x01\0" * 100
    tracemalloc.start()
    assert "bytes cannot hold 4,294,967,295" in problem(table(contents, compression=1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000


@needs_corpus
@pytest.mark.parametrize("path", corpus_files(".index", "-00000-of-00001", "export"), ids=lambda path: path.name)
def test_real_tables(path):
    data = path.read_bytes()
    if not is_table(data):
        assert ".data-" in path.name
        return
    records = pairs(data)
    assert records[0][0] == b"" and len(records) > 1
    assert records == pairs(data, checksums=False)
    assert crc32c(data) == crc32c(data[100:], crc32c(data[:100]))
