"""Damaged files: nothing but DecodeError, and memory within bounds. tests/soak.py has longer runs, and time."""

import random

import pytest

from pbwire import DecodeError
from pbwire.numbers import write_varint
from tests.data.make import files
from tests.samples import Leaf
from tests.soak import SHAPES, damaged, memory_per_byte, read_damaged
from tfmodel.messages import GraphDef, NodeDef, SavedModel, TensorProto

PIECES = [(GraphDef, files()["linear.pb"]), (SavedModel, files()["linear/saved_model.pb"])]


@pytest.mark.parametrize(("cls", "data"), PIECES, ids=["graph", "saved model"])
def test_whatever_is_done_to_a_file_it_is_read_or_refused(cls, data):
    rng = random.Random(5)
    verdicts = [read_damaged(cls, damaged(data, rng)) for _ in range(2_000)]
    assert 0 < sum(verdicts) < len(verdicts)


@pytest.mark.parametrize(("cls", "data"), PIECES, ids=["graph", "saved model"])
def test_every_byte_changed_in_every_bit(cls, data):
    for at in range(len(data)):
        for bit in range(8):
            changed = bytearray(data)
            changed[at] ^= 1 << bit
            read_damaged(cls, bytes(changed))


@pytest.mark.parametrize("name", SHAPES)
def test_memory_stays_under_300_bytes_for_each_byte_of_input(name):
    cls, data = SHAPES[name]
    assert memory_per_byte(cls, data) < 300
    assert memory_per_byte(cls, data, lazy=True) < 300


@pytest.mark.parametrize(
    ("cls", "data"),
    [
        (GraphDef, b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),
        (NodeDef, b"\x0a\xff\xff\xff\xff\x0fname"),
        (TensorProto, b"\x22\xff\xff\xff\xff\x07"),
        (TensorProto, b"\x2a\xfc\xff\xff\xff\x07"),
        (TensorProto, b"\x3a\xff\xff\xff\xff\x07\x01"),
        (NodeDef, b"\x2a\xff\xff\xff\xff\x07\x0a\x01a"),
    ],
)
def test_a_declared_length_allocates_nothing(cls, data):
    with pytest.raises(DecodeError, match=r"needs [\d,]+ bytes, \d+ are left"):
        cls.from_bytes(data)


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("end", [b"", b"\x08\x80"], ids=["sound", "damaged"])
def test_a_field_that_comes_twice_on_every_level_is_read_once_on_every_level(end, lazy):
    """Whoever reads a part twice, to merge it or to find what is wrong with it, would need 2**90 steps for this."""
    data = end
    for _ in range(90):
        data = b"\x22\x00\x22" + write_varint(len(data)) + data
    try:
        message = Leaf.from_bytes(data, lazy=lazy)
        assert Leaf.from_bytes(message.to_bytes(deterministic=True)) == message
    except DecodeError as error:
        assert end
        assert 0 < error.offset < len(data)
