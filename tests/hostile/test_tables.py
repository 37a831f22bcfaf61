"""Table files of checkpoints with wrong lengths, counts, orders and offsets, and correct checksums."""

from __future__ import annotations

import pytest

from tests.hostile.measure import assert_linear, peak
from tests.tfmodel.files.checkpoints.tables import MAGIC, block, footer, handle, literal, record, table, trailer
from tfmodel.errors import CheckpointError
from tfmodel.files.checkpoints.table_file import TableFile


def damaged(data: bytes) -> str:
    errors: list[str] = []

    def read() -> None:
        with pytest.raises(CheckpointError) as raised:
            list(TableFile(data))
        errors.append(str(raised.value))

    read()
    assert peak(read) < 1 << 20
    return errors[0]


RESTARTS = b"\0\0\0\0\1\0\0\0"
TABLES = {
    "a prefix longer than the key before": (
        table(record(b"abc", b"") + b"\5\1\0x" + RESTARTS),
        "shares 5 bytes with the one before, which has 3",
    ),
    "a key longer than the block": (table(b"\0\x7f\0x" + RESTARTS), "needs"),
    "a value longer than the block": (table(b"\0\1\x7fx" + RESTARTS), "needs"),
    "a value of 2**63 bytes": (table(b"\0\1" + b"\xff" * 9 + b"\1x" + RESTARTS), "needs"),
    "more restarts than bytes": (table(b"\0\1\0x" + b"\0\0\0\0\xff\xff\xff\xff"), "cannot have 4,294,967,295 restarts"),
    "no restarts": (table(b"\0\1\0x" + b"\0\0\0\0"), "cannot have 0 restarts"),
    "keys out of order": (table(block([(b"b", b""), (b"a", b"")])), "comes after"),
    "one key twice": (table(block([(b"a", b""), (b"a", b"")])), "comes after"),
    "blocks out of order": (table(block([(b"b", b"")]), block([(b"a", b"")])), "comes after"),
    "no restart count": (table(b"\0\0"), "no restart count"),
    "a number without end": (table(b"\xff" * 20 + RESTARTS), "cannot be read"),
    "compressed in an unknown way": (table(block([(b"a", b"")]), compression=7), "unknown compression 7"),
    "compressed garbage": (table(b"\xff" * 20, compression=1), "Snappy"),
    "a block beyond the file": (table(block([]), index=[(b"x", handle(0, 2**40))]), "does not fit"),
    "a block at 2**64 - 1": (table(block([]), index=[(b"x", handle(2**64 - 1, 1))]), "does not fit"),
    "one block twice": (
        table(block([(b"a", b"")]), index=[(b"x", handle(0, 8)), (b"y", handle(0, 8))]),
        "inside the one before",
    ),
    "invalid handle": (table(block([]), index=[(b"x", b"\xff")]), "cannot be read"),
    "footer alone": (footer(handle(0, 0), handle(0, 0)), "does not fit"),
    "footer of numbers without end": (b"\xff" * 40 + MAGIC, "cannot be read"),
    "nothing": (b"", "empty"),
}


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_with_wrong_lengths(kind):
    """Attack: an index with wrong lengths, counts, orders or offsets, and correct checksums.

    Naive: trusts data with a correct checksum, reads beyond the block, or takes the later of two equal keys.
    Stopped by: tfmodel.files.checkpoints.table_file.TableFile
    """
    data, problem = TABLES[kind]
    assert problem in damaged(data)


def test_an_index_block_that_is_itself():
    """Attack: an index block with a handle that names the index block itself.

    Naive: reads it forever.
    Stopped by: tfmodel.files.checkpoints.table_file.TableFile
    """
    contents = block([(b"x", handle(0, 13))], restart_interval=1)
    assert len(contents) == 14
    contents = block([(b"x", handle(0, len(contents)))], restart_interval=1)
    data = contents + trailer(contents) + footer(handle(0, len(contents)), handle(0, len(contents)))
    (record,) = TableFile(data)
    assert record.key == b"x"  # it is read once, like any other block


@pytest.mark.parametrize("compress", [False, True])
def test_keys_that_unfold(compress):
    """Attack: keys of a megabyte, each of which shares all but the last bytes with the previous key.

    Naive: expands a file of a megabyte to a terabyte of keys.
    Stopped by: tfmodel.files.checkpoints.table_file.TableFile
    """
    long = b"k" * 20_000
    contents = record(long, b"") + b"".join(record(long + b"%05d" % n, b"", shared=20_000) for n in range(3_000))
    data = table(literal(contents + RESTARTS) if compress else contents + RESTARTS, compression=int(compress))

    def read() -> None:
        with pytest.raises(CheckpointError, match="unfold to over"):
            list(TableFile(data))

    read()
    assert peak(read) < 64 * len(data)


def test_blocks_without_records():
    """Attack: ten thousand empty blocks.

    Naive: allocates objects for each.
    Stopped by: tfmodel.files.checkpoints.table_file.TableFile
    """
    assert_linear(lambda data: list(TableFile(data)), lambda size: table(*[block([])] * size), 500)
