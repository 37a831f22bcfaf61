"""Raw Snappy blocks, the compression of some checkpoint indexes."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st

from fuzz.reference import snappy
from fuzz.target import Case, Files, Target
from pbwire import Error
from pbwire.wire import read_varint
from tests.tfmodel.files.checkpoints.tables import literal, varint
from tfmodel.files.checkpoints.table_file import decompress

LIMIT = 2**32 - 1
LARGE = 1 << 18  # bytes of a block with which nonlinear time exceeds the budget

BLOCKS = (
    b"\x00",
    b"\x05\x10hello",
    varint(65) + b"\x00a" + b"\xfe\x01\x00",  # 64 equal bytes, by a copy that overlaps its output
    varint(70) + b"\xf0\x45" + bytes(range(70)),
    varint(12) + b"\x0cabcd" + b"\x11\x04",  # 4 bytes, and 8 more of a copy with an offset of eleven bits
    varint(3 * 64 + 1) + b"\x00x" + b"\xff\x01\x00\x00\x00" * 3,
)


def seeds() -> Iterator[Files]:
    for block in (*BLOCKS, literal(bytes(range(256)) * 3)):
        yield {"block": block}


@st.composite
def blocks(draw: st.DrawFn) -> bytes:
    """Draw valid elements and their length. Sometimes the last element is repeated many times."""
    out, size = b"", 0
    element, length = b"", 0
    for kind, requested, back in draw(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 64), st.integers(1, 4000)))):
        length, back = requested, min(back, size)
        if kind == 0 or not size:
            length = min(length, 60)
            element = bytes([length - 1 << 2]) + bytes(range(requested, requested + length))
        elif kind == 1 and back < 1 << 11:
            length = 4 + length % 8
            element = bytes([back >> 8 << 5 | length - 4 << 2 | 1, back & 255])
        else:
            element = bytes([length - 1 << 2 | (3 if kind == 3 else 2)])
            element += back.to_bytes(4 if kind == 3 else 2, "little")
        out, size = out + element, size + length
    if element and not draw(st.integers(0, 99)):
        times = LARGE // len(element)
        out, size = out + times * element, size + times * length
    return varint(size) + out


def strategy() -> st.SearchStrategy[Files]:
    return blocks().map(lambda block: {"block": block})


def check(files: Files, case: Case) -> object:
    """Assert that decompression follows the format, also with the true length in place of the declared one.

    The decompressed bytes, compressed as literals, must come back unchanged.
    """
    (block,) = files.values()
    try:
        announced, start = read_varint(block, 0, len(block))
    except Error:
        announced, start = -1, len(block)
    expected = snappy(block[start:])
    if expected is not None:
        right = varint(len(expected)) + block[start:]
        assert decompress(right, limit=LIMIT) == expected
        assert decompress(literal(expected), limit=LIMIT) == expected
    plain = decompress(block, limit=LIMIT)
    assert expected is not None, "it is damaged, and is read"
    assert announced == len(expected) and plain == expected
    return plain


TARGETS = (
    Target(
        "snappy", "blocks that are compressed with Snappy", seeds, strategy, check, seconds=0.3, seconds_per_byte=6e-6
    ),
)
