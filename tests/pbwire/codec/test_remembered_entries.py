"""Decoders remember short entries of maps that occur twice: the messages are equal, and share nothing."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbwire import DecodeError
from pbwire.codec import map_decoder
from pbwire.codec.codegen import function
from tests.support.samples import Maps
from tests.support.strategies import wire_bytes
from tests.support.wire_bytes import ld, number
from tfmodel.messages import AttrValue, NodeDef, TensorShapeProto

Dim = TensorShapeProto.Dim
SHAPE = AttrValue(list=AttrValue.ListValue(shape=[TensorShapeProto(dim=[Dim(size=-1), Dim(size=3)])], i=[1, 2]))
VALUES = {
    "number": AttrValue(i=7),
    "bytes": AttrValue(s=b"text"),
    "nested": SHAPE,
    "empty": AttrValue(),
    "unknown fields": AttrValue.from_bytes(number(99, 5)),
}


@pytest.fixture
def entries():
    """Return what the decoder of NodeDef remembers, which is empty at first."""
    remembered = function(NodeDef.__table__, "decode").__globals__["entries_attr"]
    remembered.clear()
    return remembered


@pytest.mark.parametrize("name", VALUES)
def test_equal_entries_give_equal_messages_that_share_nothing(name, entries):
    data = NodeDef(attr={"a": VALUES[name], "b": AttrValue(b=True)}).to_bytes()
    nodes = [NodeDef.from_bytes(data) for _ in range(4)]
    assert [len(remembered) for remembered in entries.values()] == [2, 2]
    for node in nodes:
        assert node.attr == {"a": VALUES[name], "b": AttrValue(b=True)}
        assert node.to_bytes() == data
        node.attr["a"].list = AttrValue.ListValue(i=[5])
        node.attr["a"].list.i.append(6)
        node.attr["a"].unknown_fields = b""
    assert NodeDef.from_bytes(data).attr["a"] == VALUES[name]


def test_lists_of_remembered_messages_are_copied(entries):
    data = NodeDef(attr={"a": SHAPE}).to_bytes()
    first, second, third, fourth = (NodeDef.from_bytes(data).attr["a"].list for _ in range(4))
    for value in (first, second, third):
        value.shape[0].dim[0].size = 9
        value.i.clear()
    assert fourth == SHAPE.list


def test_an_entry_that_occurs_once_is_not_kept_decoded(entries):
    NodeDef.from_bytes(NodeDef(attr={"a": AttrValue(i=7)}).to_bytes())
    assert list(entries.values()) == [()]


def test_long_entries_are_not_remembered(entries):
    for size in (20, 200):
        data = NodeDef(attr={"a": AttrValue(s=b"x" * size)}).to_bytes()
        assert NodeDef.from_bytes(data) == NodeDef.from_bytes(data) == NodeDef.from_bytes(data)
    assert max(map(len, entries)) < map_decoder.MAX_REMEMBERED_ENTRY_BYTES


def test_the_number_of_remembered_entries_is_limited(entries):
    count = map_decoder.MAX_REMEMBERED_ENTRIES + 50
    data = NodeDef(attr={str(n): AttrValue(i=n) for n in range(count)}).to_bytes()
    for _ in range(3):
        assert len(NodeDef.from_bytes(data).attr) == count
    assert len(entries) == map_decoder.MAX_REMEMBERED_ENTRIES


def test_nesting_is_limited_for_remembered_entries_too(entries):
    data = NodeDef(attr={"a": SHAPE}).to_bytes()
    for _ in range(3):
        NodeDef.from_bytes(data)
    with pytest.raises(DecodeError, match="nested too deeply"):
        NodeDef.from_bytes(data, max_depth=3)
    NodeDef.from_bytes(data, max_depth=5)


def test_a_later_entry_with_the_same_key_wins(entries):
    first, second = (ld(5, ld(1, b"k") + ld(2, AttrValue(i=n).to_bytes())) for n in (1, 2))
    for _ in range(3):
        assert NodeDef.from_bytes(first + second).attr == {"k": AttrValue(i=2)}
        assert NodeDef.from_bytes(second + first).attr == {"k": AttrValue(i=1)}


def test_damaged_entries_are_refused_each_time(entries):
    data = ld(5, ld(1, b"k") + ld(2, b"\x1a\x05"))
    for _ in range(3):
        with pytest.raises(DecodeError):
            NodeDef.from_bytes(data)
    assert not any(entries.values())


@given(wire_bytes(Maps), st.integers(2, 4))
def test_any_maps_are_decoded_again_as_the_first_time(data, times):
    first = Maps.from_bytes(data)
    before = copy.deepcopy(first)
    for _ in range(times):
        assert Maps.from_bytes(data) == before
    assert first == before
