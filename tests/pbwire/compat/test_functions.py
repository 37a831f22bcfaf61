"""The functions of google.protobuf's modules proto, any, timestamp and duration, and varints for streams."""

from __future__ import annotations

import datetime
import io

import pytest
from google.protobuf.internal import decoder, encoder
from hypothesis import given
from hypothesis import strategies as st

from pbwire.compat import compat_class, delimited, functions
from pbwire.errors import DecodeError
from tfmodel.messages import NodeDef, VersionDef

Node = compat_class(NodeDef)
Version = compat_class(VersionDef)


def test_messages_are_written_to_a_stream_and_read_until_its_end():
    stream = io.BytesIO()
    nodes = [Node(name="x"), Node(), Node(name="y" * 200)]
    for node in nodes:
        functions.serialize_length_prefixed(node, stream)
    stream.seek(0)
    assert [functions.parse_length_prefixed(Node, stream) for _ in nodes] == nodes
    assert functions.parse_length_prefixed(Node, stream) is None


@pytest.mark.parametrize("cut", [1, 2, 5])
def test_a_stream_that_ends_inside_of_a_message_is_an_error(cut):
    stream = io.BytesIO()
    functions.serialize_length_prefixed(Node(name="y" * 200), stream)
    with pytest.raises((ValueError, EOFError)):
        functions.parse_length_prefixed(Node, io.BytesIO(stream.getvalue()[:cut]))


def test_messages_are_encoded_cleared_and_parsed():
    node = Node(name="x", op="NoOp")
    assert functions.parse(Node, functions.serialize(node)) == node
    assert functions.byte_size(node) == len(functions.serialize(node, deterministic=True))
    functions.clear_field(node, "op")
    assert node == Node(name="x")
    functions.clear_message(node)
    assert node == Node()


def test_an_any_holds_a_message():
    packed = functions.pack(Node(name="x"))
    assert functions.type_name(packed) == "tensorflow.NodeDef"
    assert functions.is_type(packed, Node.DESCRIPTOR)
    assert functions.unpack_as(packed, Node) == Node(name="x")
    assert not functions.unpack(packed, Version())
    with pytest.raises(TypeError, match=r"Attempted to unpack tensorflow\.NodeDef as tensorflow\.VersionDef"):
        functions.unpack_as(packed, Version)


def test_times_and_durations_are_converted():
    moment = datetime.datetime(2024, 5, 31, 12)
    made = functions.timestamp.from_datetime(moment)
    assert functions.timestamp.to_datetime(made) == moment
    assert functions.timestamp.to_json_string(made) == "2024-05-31T12:00:00Z"
    assert functions.timestamp.from_json_string("2024-05-31T12:00:00Z") == made
    assert functions.timestamp.to_seconds(functions.timestamp.from_current_time()) > 1_700_000_000
    length = functions.duration.from_milliseconds(1500)
    assert functions.duration.to_timedelta(length) == datetime.timedelta(seconds=1.5)
    assert functions.duration.to_microseconds(length) == 1_500_000


@given(st.integers(0, (1 << 64) - 1))
def test_varints_are_those_of_protobuf(number):
    data = delimited.VarintBytes(number)
    assert data == encoder._VarintBytes(number)
    assert delimited.VarintSize(number) == len(data)
    assert delimited.DecodeVarint(b"x" + data + b"x", 1) == decoder._DecodeVarint(b"x" + data + b"x", 1)
    assert delimited.DecodeVarint32(data, 0) == decoder._DecodeVarint32(data, 0)
    assert delimited.DecodeSignedVarint(data, 0) == decoder._DecodeSignedVarint(data, 0)
    assert delimited.DecodeSignedVarint32(data, 0) == decoder._DecodeSignedVarint32(data, 0)
    assert delimited.DecodeVarint(io.BytesIO(data)) == number


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_signed_varints_are_those_of_protobuf(number):
    ours, theirs = io.BytesIO(), io.BytesIO()
    delimited.EncodeSignedVarint(ours.write, number)
    encoder._EncodeSignedVarint(theirs.write, number)
    assert ours.getvalue() == theirs.getvalue()


def test_tags_are_read_and_written():
    assert delimited.TagBytes(1, 4) == encoder.TagBytes(1, 4)
    assert delimited.ReadTag(b"\x92\x7fx", 0) == (b"\x92\x7f", 2)


def test_a_varint_that_is_too_long_is_an_error():
    with pytest.raises(DecodeError, match="Too many bytes"):
        delimited.DecodeVarint(b"\xff" * 11, 0)
    with pytest.raises(IndexError):
        delimited.DecodeVarint(b"\xff", 0)
