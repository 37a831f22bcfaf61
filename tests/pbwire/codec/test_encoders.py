"""The two generated encoders: `encode` appends to chunks, `encode_bytes` returns the encoding of a small message."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given

from pbwire import EncodeError, Message
from pbwire.codec.buffers import MIN_BUFFER_BYTES, Chunks, TooLarge
from pbwire.codec.codegen import function
from pbwire.table import table_of
from tests.support.samples import Choice, Groups, Maps, Proto2, Repeated, Scalars
from tests.support.strategies import messages
from tfmodel.messages import AttrValue, DataType, GraphDef, NameAttrList, NodeDef, TensorProto, TensorShapeProto

CLASSES = (AttrValue, Choice, GraphDef, Groups, Maps, NodeDef, Proto2, Repeated, Scalars)


def in_chunks(message: Message, deterministic: bool = False, attempts: int = 0) -> bytes:
    chunks = Chunks()
    size = function(table_of(type(message)), "encode")(message, chunks, deterministic, attempts)
    data = chunks.to_bytes()
    assert len(data) == size
    return data


def as_bytes(message: Message, deterministic: bool = False) -> bytes:
    data = function(table_of(type(message)), "encode_bytes")(message, deterministic)
    assert isinstance(data, bytes)
    return data


@pytest.mark.parametrize("cls", CLASSES)
def test_both_encoders_agree(cls: Any) -> None:
    @given(messages(cls))
    def agree(message: Message) -> None:
        for deterministic in (False, True):
            expected = in_chunks(message, deterministic)
            assert message.to_bytes(deterministic) == expected
            try:
                assert as_bytes(message, deterministic) == expected
            except TooLarge:
                assert in_chunks(message, deterministic, attempts=8) == expected

    agree()


@pytest.mark.parametrize(
    "message",
    [
        AttrValue(s=b"a" * MIN_BUFFER_BYTES),
        NodeDef(name="a" * MIN_BUFFER_BYTES),
        NodeDef(attr={"value": AttrValue(tensor=TensorProto(tensor_content=b"a" * MIN_BUFFER_BYTES))}),
        GraphDef(node=[NodeDef(name="n")] * 1000),
        NodeDef(attr={f"a{number}": AttrValue(i=number) for number in range(1000)}),
    ],
)
def test_large_messages_are_left_to_chunks(message: Message) -> None:
    with pytest.raises(TooLarge):
        as_bytes(message)
    assert type(message).from_bytes(message.to_bytes()) == message
    assert message.to_bytes() == in_chunks(message)


def test_a_number_of_another_class_is_refused_after_a_valid_one() -> None:
    assert NodeDef(attr={"n": AttrValue(i=1)}).to_bytes() == bytes.fromhex("2a070a016e12021801")
    with pytest.raises(EncodeError, match=r"i: expected an integer, got float 1\.0"):
        NodeDef(attr={"n": AttrValue(i=1.0)}).to_bytes()  # type: ignore[arg-type]  # the wrong type is the test
    with pytest.raises(EncodeError, match="expected an integer"):
        NodeDef(attr={"n": AttrValue(i=[])}).to_bytes()  # type: ignore[arg-type]  # not hashable


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (AttrValue(i=1), "1801"),
        (AttrValue(i=True), "1801"),
        (AttrValue(b=True), "2801"),
        (AttrValue(type=DataType.DT_FLOAT), "3001"),
        (AttrValue(type=1), "3001"),  # type: ignore[arg-type]  # a number without its name is allowed
        (AttrValue(f=1.0), "250000803f"),
        (AttrValue(f=0.0), "2500000000"),
        (AttrValue(f=-0.0), "2500000080"),
        (AttrValue(i=1, unknown_fields=b"\xa2\x06\x00"), "1801a20600"),
    ],
)
def test_equal_numbers_in_members_are_written_by_kind(value: AttrValue, data: str) -> None:
    size = len(data) // 2
    entry = bytes([0x2A, size + 5, 0x0A, 1, ord("n"), 0x12, size]) + bytes.fromhex(data)
    assert NodeDef(attr={"n": value}).to_bytes() == entry


def test_a_large_value_in_nested_messages_takes_linear_time() -> None:
    """Each level tries the encoder for small messages; if it failed at every level, this would take minutes."""
    node = NodeDef(name="n", attr={f"a{number}": AttrValue(s=b"a" * 200) for number in range(200)})
    node.attr["large"] = AttrValue(s=b"a" * MIN_BUFFER_BYTES)
    shapes = AttrValue(list=AttrValue.ListValue(shape=[TensorShapeProto()] * 200))
    for _ in range(60):
        inner = AttrValue(func=NameAttrList(name="f", attr=node.attr))
        node = NodeDef(attr={**{f"b{number}": shapes for number in range(20)}, "f": inner})
    start = time.process_time()
    data = in_chunks(node)
    in_one_mode = time.process_time() - start
    start = time.process_time()
    assert node.to_bytes() == data
    assert time.process_time() - start < 30 * in_one_mode + 1
