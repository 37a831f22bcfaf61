"""Snappy's raw blocks, as the indexes of some checkpoints are compressed with it."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st

from fuzz.target import Case, Files, Target
from tests.tfmodel.checkpoints.tables import literal, varint
from tfmodel.checkpoints.snappy import decompress

LIMIT = 2**32 - 1

BLOCKS = (
    b"\x00",
    b"\x05\x10hello",
    varint(65) + b"\x00a" + b"\xfe\x01\x00",  # 64 of the same, by a copy that repeats what it makes
    varint(70) + b"\xf0\x45" + bytes(range(70)),
    varint(12) + b"\x0cabcd" + b"\x11\x04",  # 4 bytes, and 8 more of a copy with an offset of eleven bits
    varint(3 * 64 + 1) + b"\x00x" + b"\xff\x01\x00\x00\x00" * 3,
)


def seeds() -> Iterator[Files]:
    for block in (*BLOCKS, literal(bytes(range(256)) * 3)):
        yield {"block": block}


@st.composite
def blocks(draw: st.DrawFn) -> bytes:
    """Elements that follow the rules, and a length that is theirs."""
    out, size = b"", 0
    for kind, length, back in draw(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 64), st.integers(1, 4000)))):
        if kind == 0 or not size:
            out += bytes([min(length, 60) - 1 << 2]) + bytes(range(min(length, 60)))
            size += min(length, 60)
            continue
        back = min(back, size)
        if kind == 1 and back < 1 << 11:
            length = 4 + length % 8
            out += bytes([back >> 8 << 5 | length - 4 << 2 | 1, back & 255])
        else:
            out += bytes([length - 1 << 2 | (3 if kind == 3 else 2)]) + back.to_bytes(4 if kind == 3 else 2, "little")
        size += length
    return varint(size) + out


def strategy() -> st.SearchStrategy[Files]:
    return blocks().map(lambda block: {"block": block})


def check(files: Files, case: Case) -> object:
    """What is decompressed has the length that is announced, and comes out again of literals."""
    (block,) = files.values()
    plain = decompress(block, limit=LIMIT)
    assert len(plain) <= 64 * len(block) / 3
    assert decompress(literal(plain), limit=LIMIT) == plain
    return plain


TARGETS = (Target("snappy", "blocks that are compressed with Snappy", seeds, strategy, check, seconds_per_byte=100e-6),)
