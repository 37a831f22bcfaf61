"""Decoders remember short entries of maps that occur twice: the messages are equal, and share nothing.

Messages in remembered AttrValues are shared until they are read. Nothing may differ for programs.
"""

from __future__ import annotations

import copy
import pickle
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbwire import DecodeError, json, text
from pbwire.codec import map_decoder
from pbwire.codec.codegen import function
from tests.support.samples import Maps
from tests.support.strategies import wire_bytes
from tests.support.wire_bytes import ld, number
from tfmodel.messages import (
    AttrValue,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    NameAttrList,
    NodeDef,
    TensorShapeProto,
)

Dim = TensorShapeProto.Dim
SHAPE = AttrValue(list=AttrValue.ListValue(shape=[TensorShapeProto(dim=[Dim(size=-1), Dim(size=3)])], i=[1, 2]))
VALUES = {
    "number": AttrValue(i=7),
    "bytes": AttrValue(s=b"text"),
    "nested": SHAPE,
    "empty": AttrValue(),
    "unknown fields": AttrValue.from_bytes(number(99, 5)),
}


def memories() -> list[dict[Any, Any]]:
    """Return what the functions of NodeDef remember of attributes."""
    names = function(NodeDef.__table__, "decode").__globals__
    return [names[name] for name in ("entries_attr", "keys_attr")]


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
    assert [remembered == () for remembered in entries.values()] == [False, False]
    for node in nodes:
        assert node.attr == {"a": VALUES[name], "b": AttrValue(b=True)}
        assert node.to_bytes() == data
        node.attr["a"].list = AttrValue.ListValue(i=[5])
        node.attr["a"].list.i.append(6)
        node.attr["a"].unknown_fields = b""
    assert NodeDef.from_bytes(data).attr["a"] == VALUES[name]


def remembered_node(attributes: bytes) -> NodeDef:
    """Return a node with the encoded map `attributes`, whose entries were decoded before."""
    for _ in range(2):
        NodeDef.from_bytes(attributes)
    return NodeDef.from_bytes(attributes)


ONE_FIELD = {
    "bytes": AttrValue.ListValue(s=[b"a", b""]),
    "numbers": AttrValue.ListValue(i=[1, -1]),
    "enums": AttrValue.ListValue(type=[1]),
    "messages": AttrValue.ListValue(shape=[TensorShapeProto(dim=[Dim(size=3)])]),
}


@pytest.mark.parametrize("name", ONE_FIELD)
def test_lists_with_one_field_are_copied_without_the_others(name, entries):
    data = NodeDef(attr={"a": AttrValue(list=ONE_FIELD[name])}).to_bytes()
    nodes = [NodeDef.from_bytes(data) for _ in range(4)]
    for node in nodes:
        read = node.attr["a"].list
        assert read == ONE_FIELD[name] and type(read) is AttrValue.ListValue
        for field in read.__table__.fields:
            getattr(read, field.name).clear()
    assert NodeDef.from_bytes(data).attr["a"].list == ONE_FIELD[name]


def entry(value: bytes) -> bytes:
    return ld(5, ld(1, b"k") + ld(2, value))


NAN = AttrValue.ListValue(f=[1.0, float("nan")]).to_bytes()
WRITTEN_OTHERWISE = {  # each with what it becomes
    "a packed list as single values": (ld(1, number(3, 1) + number(3, 2)), ld(1, ld(3, b"\x01\x02"))),
    "a varint that is too long": (ld(1, ld(3, b"\x81\x00")), ld(1, ld(3, b"\x01"))),
    "fields out of order": (ld(1, ld(3, b"\x01") + ld(2, b"a")), ld(1, ld(2, b"a") + ld(3, b"\x01"))),
    "another member before": (number(3, 5) + ld(1, ld(3, b"\x01")), ld(1, ld(3, b"\x01"))),
    "a message in two parts": (ld(1, ld(3, b"\x01")) + ld(1, ld(3, b"\x02")), ld(1, ld(3, b"\x01\x02"))),
}


@pytest.mark.parametrize("name", WRITTEN_OTHERWISE)
def test_unusual_encodings_are_written_in_the_usual_way_each_time(name, entries):
    read, written = WRITTEN_OTHERWISE[name]
    for _ in range(5):
        assert NodeDef.from_bytes(entry(read)).to_bytes() == entry(written)


def test_the_value_before_the_key_is_written_behind_it(entries):
    value = ld(2, SHAPE.to_bytes())
    assert remembered_node(ld(5, value + ld(1, b"k"))).to_bytes() == ld(5, ld(1, b"k") + value)


def test_unknown_fields_in_a_list_are_kept(entries):
    data = entry(ld(1, ld(3, b"\x01") + number(77, 5)))
    node = remembered_node(data)
    assert node.attr["k"].list.unknown_fields == number(77, 5)
    assert node.to_bytes() == data


def test_nan_differs_from_nan(entries):
    first, second = (remembered_node(entry(ld(1, NAN))) for _ in range(2))
    assert first != second


def fields(node: NodeDef) -> str:
    """Return what `ListFields` shows, at all levels."""
    return str([(field.name, value) for field, value in node.ListFields()])


def shortened(node: NodeDef) -> str:
    pieces: list[str] = []
    text.dump(node, pieces.append, longest=2, most=1)
    return "".join(pieces)


def pickled(node: NodeDef) -> str:
    return repr(pickle.loads(pickle.dumps(node)))


@pytest.mark.parametrize("print_message", [text.dumps, shortened, json.dumps, repr, pickled, fields])
def test_it_looks_like_one_that_was_never_remembered(print_message, entries):
    texts = AttrValue(list=AttrValue.ListValue(s=[b"long text", b"text"]))
    attributes = {"a": SHAPE, "b": SHAPE, "c": AttrValue(shape=SHAPE.list.shape[0]), "d": texts, "e": texts}
    data = NodeDef(attr=attributes).to_bytes()
    expected = print_message(NodeDef.from_bytes(data))
    remembered = [remembered_node(data) for _ in range(2)]
    assert {print_message(node) for node in remembered} == {expected}
    assert {print_message(node) for node in remembered} == {expected}


def test_members_have_their_real_class(entries):
    value = remembered_node(NodeDef(attr={"a": SHAPE}).to_bytes()).attr["a"]
    assert type(value.list) is AttrValue.ListValue
    assert type(value.list.shape[0]) is TensorShapeProto
    assert value.shape is None


def test_a_shallow_copy_has_the_same_member(entries):
    value = remembered_node(NodeDef(attr={"a": SHAPE}).to_bytes()).attr["a"]
    assert copy.copy(value).list is value.list


def test_a_member_stays_the_same_object(entries):
    value = remembered_node(NodeDef(attr={"a": SHAPE}).to_bytes()).attr["a"]
    assert value.list is value.list


def test_threads_read_the_same_member(entries):
    data = NodeDef(attr={f"k{number}": SHAPE for number in range(50)}).to_bytes()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(10):
            node = remembered_node(data)
            with ThreadPoolExecutor(4) as pool:
                found = list(pool.map(lambda _: [value.list for value in node.attr.values()], range(4)))  # noqa: B023  # called at once
            assert {tuple(map(id, members)) for members in found} == {tuple(map(id, found[0]))}
    finally:
        sys.setswitchinterval(interval)


def test_printed_values_may_be_changed_afterwards(entries):
    node = remembered_node(NodeDef(attr={"a": SHAPE, "b": SHAPE}).to_bytes())
    for print_message in (text.dumps, json.dumps):
        print_message(node)
        node.attr["a"].list.i.append(9)
        assert print_message(node).count("9") == 1
        del node.attr["a"].list.i[2:]


def test_the_text_is_indented_by_its_place(entries):
    data = NodeDef(attr={"a": SHAPE}).to_bytes()
    first = NodeDef.from_bytes(data)
    node, same = remembered_node(data), remembered_node(data)
    graph, expected = (
        GraphDef(node=[outer], library=FunctionDefLibrary(function=[FunctionDef(node_def=[inner])]))
        for outer, inner in ((node, same), (first, first))
    )
    assert text.dumps(graph) == text.dumps(expected)
    assert text.dumps(graph, as_one_line=True) == text.dumps(expected, as_one_line=True)


def test_deterministic_bytes_have_sorted_maps_inside(entries):
    function_attributes = {"z": AttrValue(i=1), "a": AttrValue(i=2)}
    node = NodeDef(attr={"f": AttrValue(func=NameAttrList(name="f", attr=function_attributes))})
    remembered = remembered_node(node.to_bytes())
    remembered.to_bytes()
    assert remembered.to_bytes(deterministic=True) == node.to_bytes(deterministic=True) != node.to_bytes()


def test_a_changed_message_is_written_as_changed(entries):
    node = remembered_node(NodeDef(attr={"a": SHAPE}).to_bytes())
    node.to_bytes()
    node.attr["a"].list.i[0] = 5
    assert NodeDef.from_bytes(node.to_bytes()).attr["a"].list.i == [5, 2]


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
        message = NodeDef.from_bytes(data)
        assert len(message.attr) == count and message.to_bytes() == data
        assert all(len(memory) <= map_decoder.MAX_REMEMBERED_ENTRIES for memory in memories())


def test_other_entries_leave_room_for_those_that_repeat(entries):
    data = NodeDef(attr={"T": AttrValue(type=3)}).to_bytes()
    for first in range(0, 3 * map_decoder.MAX_REMEMBERED_ENTRIES, 1000):
        NodeDef.from_bytes(NodeDef(attr={str(first + n): AttrValue(i=n) for n in range(1000)}).to_bytes()).to_bytes()
        for _ in range(2):
            NodeDef.from_bytes(data).to_bytes()
        assert entries[data[2:]]


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


@given(wire_bytes(NodeDef))
def test_any_attributes_are_written_and_printed_again_as_the_first_time(data):
    first = NodeDef.from_bytes(data)
    expected = first.to_bytes(), first.to_bytes(deterministic=True), text.dumps(first, print_unknown_fields=True)
    for _ in range(3):
        node = NodeDef.from_bytes(data)
        assert node.to_bytes() == expected[0]
        assert node.to_bytes(deterministic=True) == expected[1]
        assert text.dumps(node, print_unknown_fields=True) == expected[2]


@pytest.mark.parametrize("value", [{"shape": [TensorShapeProto(dim=[Dim()] * 20)]}, {"func": [NameAttrList()] * 20}])
def test_remembered_entries_take_little_memory(value, entries):
    encoded = [NodeDef(attr={f"{i}": AttrValue(list=AttrValue.ListValue(**value))}).to_bytes() for i in range(300)]
    for data in encoded:
        NodeDef.from_bytes(data)
    tracemalloc.start()
    for data in encoded * 2:
        NodeDef.from_bytes(data)
    remembered, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert all(entries.values()) and remembered < 5000 * len(encoded)  # bytes
