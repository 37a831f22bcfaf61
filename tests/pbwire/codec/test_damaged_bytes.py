"""Damaged files: only DecodeError, and bounded memory. `python -m fuzz` has longer runs."""

import random
from pathlib import Path

import pytest

from fuzz.messages import as_files
from fuzz.mutation import mutate
from fuzz.target import Case
from fuzz.targets import wire
from pbwire import DecodeError, Error
from pbwire.varints import write_varint
from tests.data.make import files
from tests.support.effort import LONG, scaled
from tests.support.growth import SHAPES, memory_per_byte
from tests.support.samples import Leaf
from tfmodel.messages import GraphDef, NodeDef, SavedModel, TensorProto

PIECES = [(GraphDef, files()["linear.pb"]), (SavedModel, files()["linear/saved_model.pb"])]


def is_read(files):
    """Return whether an input is accepted. All guarantees hold in either case."""
    try:
        wire.check(files, Case(Path()))
    except Error:
        return False
    return True


@pytest.mark.slow(reason="damages inputs in thousands of ways")
@pytest.mark.parametrize(("cls", "data"), PIECES, ids=["graph", "saved model"])
def test_a_damaged_file_is_read_or_refused(cls, data):
    rng = random.Random(5)
    files = as_files(cls, data)
    verdicts = [is_read(mutate(files, [], rng)) for _ in range(scaled(1_500))]
    assert 0 < sum(verdicts) < len(verdicts)


@pytest.mark.slow(reason="damages inputs in thousands of ways")
@pytest.mark.parametrize(("cls", "data"), PIECES, ids=["graph", "saved model"])
def test_every_byte_changed(cls, data):
    """One bit of each byte is flipped, every other time the continuation bit; in a long run, every bit."""
    for at in range(len(data)):
        for bit in range(8) if LONG else (7 if at % 2 else at // 2 % 7,):
            changed = bytearray(data)
            changed[at] ^= 1 << bit
            is_read(as_files(cls, bytes(changed)))


@pytest.mark.slow(reason="measures the memory that large inputs take")
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
    """A decoder that reads a part twice, to merge it or to explain an error, would need 2**90 steps for this."""
    data = end
    for _ in range(90):
        data = b"\x22\x00\x22" + write_varint(len(data)) + data
    try:
        message = Leaf.from_bytes(data, lazy=lazy)
        assert Leaf.from_bytes(message.to_bytes(deterministic=True)) == message
    except DecodeError as error:
        assert end
        assert 0 < error.offset < len(data)
