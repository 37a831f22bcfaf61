"""False lengths of strings, messages, packed lists and tensors."""

from __future__ import annotations

import pytest

import tfmodel
from pbwire import DecodeError, raw
from tests.hostile.measure import peak
from tests.support.wire_bytes import LENGTH, ld, tag, varint
from tfmodel.messages import DataType, GraphDef, NodeDef, TensorProto, TensorShapeProto

BOMBS = {
    "string": (NodeDef, tag(1, LENGTH), b"x"),
    "message": (GraphDef, tag(1, LENGTH), b"\n\1x"),
    "map entry": (NodeDef, tag(5, LENGTH), b"\n\1x"),
    "bytes": (TensorProto, tag(4, LENGTH), b"x"),
    "packed varints": (TensorProto, tag(7, LENGTH), b"\1\2"),
    "packed floats": (TensorProto, tag(5, LENGTH), bytes(4)),
    "unknown field": (NodeDef, tag(99, LENGTH), b"x"),
}
LENGTHS = [2, 100, 2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1]


@pytest.mark.parametrize("length", LENGTHS, ids=hex)
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_length_beyond_the_input(bomb, length):
    """Attack: a length of up to 2**64 - 1 in front of a few bytes, for each length-delimited kind of field.

    Naive: allocates that size, or computes an end that wraps around to before the start.
    Stopped by: pbwire.wire.fail_too_short, pbwire.codec.validation
    """
    cls, before, inside = BOMBS[bomb]
    data = before + varint(max(length, len(inside) + 1)) + inside

    def read() -> None:
        with pytest.raises(DecodeError, match="truncated"):
            cls.from_bytes(data)
        with pytest.raises(DecodeError, match="truncated"):
            list(raw.walk(data))
        with pytest.raises(tfmodel.FileFormatError):
            tfmodel.load(data, cls)

    read()
    assert peak(read) < 1 << 20


def test_a_length_beyond_the_message_around_it():
    """Attack: a string that ends within the file, but behind the end of its message.

    Naive: reads bytes of the enclosing message, and continues in the middle of it.
    Stopped by: pbwire.wire.fail_too_short, pbwire.codec.validation
    """
    inside = tag(1, LENGTH) + varint(20) + b"name"
    with pytest.raises(DecodeError, match=r"node\[0\].*truncated|truncated.*node\[0\]"):
        GraphDef.from_bytes(ld(1, inside) + ld(1, ld(1, b"x" * 100)))


def test_a_length_beyond_a_lazy_message():
    """Attack: the same in a lazy message, whose content is decoded on first access.

    Naive: trusts the unchecked length.
    Stopped by: pbwire.lazy.messages, pbwire.codec.validation
    """
    graph = GraphDef.from_bytes(ld(1, tag(1, LENGTH) + varint(2**40) + b"x"), lazy=True)
    with pytest.raises(DecodeError, match="truncated"):
        assert graph.node[0].name


def test_strings_of_a_tensor_with_wrong_lengths():
    """Attack: a string tensor whose `tensor_content` says that its one string has 2**62 bytes.

    Naive: returns a shorter string, or allocates memory for missing bytes.
    Stopped by: tfmodel.values.tensors
    """
    content = varint(2**62) + b"abc"
    tensor = TensorProto(dtype=DataType.DT_STRING, tensor_shape=TensorShapeProto(), tensor_content=content)
    with pytest.raises(tfmodel.TensorError, match="needs 4,611,686,018,427,387,913 bytes"):
        tfmodel.to_ndarray(tensor)
