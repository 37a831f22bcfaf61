"""Damaged files: nothing but DecodeError, memory within bounds, time in proportion to the input. See tests/soak.py."""

import random
import time

import pytest

from pbwire import DecodeError
from tests.data.make import files
from tests.soak import SHAPES, damaged, memory_per_byte, read_damaged
from tfmodel.messages import AttrValue, FullTypeDef, GraphDef, NodeDef, SavedModel, TensorProto

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


NESTED = b"\x12\x02\x12\x00"
LINEAR = {
    "many nodes, the last one cut off": (GraphDef, lambda n: b"\x0a\x02\x0a\x00" * n + b"\x0a\x05"),
    "one field many times, merged": (AttrValue, lambda n: b"\x3a\x02\x18\x01" * n),
    "two members of a oneof in turn": (AttrValue, lambda n: b"\x3a\x02\x18\x01\x18\x01" * n),
    "unknown and known fields in turn": (NodeDef, lambda n: b"\x78\x01\x0a\x00" * n),
    "strange map entries": (NodeDef, lambda n: b"\x2a\x02\x18\x01\x0a\x00" * n),
    "an overlong number in a long list": (TensorProto, lambda n: b"\x3a" + _length(4 * n) + b"\xff" * 4 * n),
    "groups that nobody knows": (NodeDef, lambda n: b"\x7b\x7c" * n),
    "small messages": (FullTypeDef, lambda n: NESTED * n),
}


def _length(n):
    return bytes([n & 127 | 128, n >> 7 & 127 | 128, n >> 14 & 127 | 128, n >> 21])


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("lazy", [False, True])
def test_time_grows_with_the_input_and_not_faster(name, lazy):
    cls, make = LINEAR[name]

    def seconds(n):
        data = make(n)
        times = []
        for _ in range(3):
            start = time.perf_counter()
            try:
                repr(cls.from_bytes(data, lazy=lazy).to_bytes(deterministic=True))
            except DecodeError:
                pass
            times.append(time.perf_counter() - start)
        return min(times)

    seconds(100)
    assert seconds(64_000) < 40 * seconds(8_000) + 0.05  # eight times the input; quadratic would be 64 times
