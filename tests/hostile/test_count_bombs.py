"""Large numbers of elements that cost a reader more than bytes: empty messages, packed numbers, repeated fields."""

from __future__ import annotations

import pytest

import tfmodel
from pbwire import raw
from tests.hostile.measure import assert_linear, peak
from tests.support.wire_bytes import ld, number, varint
from tfmodel.messages import DataType, GraphDef, NodeDef, TensorProto, TensorShapeProto


def test_empty_messages():
    """Attack: empty nodes, of two bytes each.

    Naive: allocates a dictionary or a list of fields for every message, kilobytes each.
    Stopped by: pbwire.codec.decoder
    """
    data = ld(1) * 10_000
    assert len(GraphDef.from_bytes(data).node) == 10_000
    assert peak(lambda: GraphDef.from_bytes(data)) < 300 * len(data)
    assert_linear(GraphDef.from_bytes, lambda size: ld(1) * size, 5_000)


def test_packed_numbers():
    """Attack: a megabyte of ones as a packed list of int64.

    Naive: copies the remaining input for each of them, which takes quadratic time.
    Stopped by: pbwire.packed.unpack_varints
    """
    assert_linear(TensorProto.from_bytes, lambda size: ld(10, b"\1" * size), 30_000)
    assert_linear(TensorProto.from_bytes, lambda size: ld(10, varint(2**64 - 1) * size), 5_000)
    assert peak(lambda: TensorProto.from_bytes(ld(10, b"\1" * 100_000))) < 64 * 100_000


def test_a_repeated_field():
    """Attack: thousands of values of a single string field, and of a message field, which have to be merged.

    Naive: keeps all of them, or copies the merged message each time.
    Stopped by: pbwire.codec.decoder
    """
    assert_linear(NodeDef.from_bytes, lambda size: ld(1, b"x") * size, 5_000)
    assert_linear(TensorProto.from_bytes, lambda size: ld(2, ld(2, number(1, 1))) * size, 2_000)
    assert_linear(TensorProto.from_bytes, lambda size: number(7, 1) * size, 5_000)  # unpacked


def test_unknown_fields():
    """Attack: a hundred thousand unknown fields, which have to be kept.

    Naive: appends each to a growing bytes object.
    Stopped by: pbwire.codec.unknown_fields
    """
    data = number(99, 1) * 10_000
    assert NodeDef.from_bytes(data).to_bytes() == data
    assert_linear(NodeDef.from_bytes, lambda size: number(99, 1) * size, 5_000)
    assert_linear(NodeDef.from_bytes, lambda size: b"".join(number(99 + n % 900, 1) for n in range(size)), 5_000)


def test_records_without_end():
    """Attack: the same in a raw dump, which guesses the meaning of payloads.

    Naive: tries each payload as a message, and its content again on each level.
    Stopped by: pbwire.raw.walk
    """
    nest = b""
    for _ in range(60):
        nest = ld(1, nest)
    assert_linear(lambda data: sum(1 for _ in raw.walk(data, guess=True)), lambda size: nest * size, 20)


def test_more_values_than_elements():
    """Attack: a scalar with a hundred thousand values.

    Naive: makes an array of all of them, then truncates it.
    Stopped by: tfmodel.values.tensors
    """
    tensor = TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=TensorShapeProto(), float_val=[1.0] * 100_000)
    with pytest.raises(tfmodel.TensorError, match="has 1 element, float_val has 100,000"):
        tfmodel.to_ndarray(tensor)


def test_a_few_strings_for_many_elements():
    """Attack: a tensor of 2**40 strings of which `tensor_content` has three.

    Naive: makes a list of 2**40 lengths.
    Stopped by: tfmodel.values.tensors
    """
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=1 << 40)])
    tensor = TensorProto(dtype=DataType.DT_STRING, tensor_shape=shape, tensor_content=b"\1\1\1abc")

    def read() -> None:
        with pytest.raises(tfmodel.TensorError, match="needs more than tensor_content has"):
            tfmodel.to_ndarray(tensor)

    read()
    assert peak(read) < 1 << 20
