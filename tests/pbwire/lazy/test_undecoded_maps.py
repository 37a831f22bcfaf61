"""Undecoded maps are searched and changed, and stay undecoded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbwire import table_of
from pbwire.errors import DecodeError
from pbwire.lazy.undecoded_maps import wire_entries, wire_entry, with_entry, without_field
from tests.support.case_tables import each_case
from tests.support.samples import Maps, Recursive
from tests.support.strategies import messages
from tests.support.wire_bytes import LENGTH, group, ld, number, tag, varint
from tests.support.wire_variants import forms
from tfmodel.messages import AttrValue, GraphDef, NameAttrList, NodeDef, TensorProto

ONE, TWO = AttrValue(i=1), AttrValue(i=2)


def lazily(node: NodeDef) -> NodeDef:
    return GraphDef.from_bytes(GraphDef(node=[node]).to_bytes(deterministic=True), lazy=True).node[0]


def on_the_wire(*entries: bytes) -> NodeDef:
    """A node that was not decoded, with these entries as its attributes."""
    node = b"".join(b"\x2a" + bytes([len(entry)]) + entry for entry in entries)
    return GraphDef.from_bytes(b"\x0a" + bytes([len(node)]) + node, lazy=True).node[0]


def is_decoded(node: NodeDef) -> bool:
    return type(node._attr) is not tuple


@given(messages(NodeDef))
def test_entries_are_the_same_decoded_or_not(node: NodeDef) -> None:
    lazy = lazily(node)
    node = NodeDef.from_bytes(node.to_bytes(deterministic=True))  # so that maps in values are in one order
    joined = {key: b"".join(value) for key, value in wire_entries(lazy, "attr").items()}
    assert joined == {key: b"".join(value) for key, value in wire_entries(node, "attr").items()}
    assert joined == {key.encode(): value.to_bytes() for key, value in node.attr.items()}
    for key in [*node.attr, "?"]:
        assert wire_entry(lazy, "attr", key) == wire_entry(node, "attr", key) == joined.get(key.encode())


@given(messages(NodeDef), st.data(), st.booleans())
def test_one_entry_is_changed_decoded_or_not(node: NodeDef, data: st.DataObject, lazy: bool) -> None:
    key = data.draw(st.sampled_from([*node.attr, "?"]))
    original = lazily(node) if lazy else node
    changed = with_entry(original, "attr", key, ONE.to_bytes())
    assert original == node
    assert changed.attr == {**node.attr, key: ONE}
    node.attr[key] = ONE
    assert changed == node


def test_nothing_is_decoded() -> None:
    node = lazily(NodeDef(attr={"S": ONE, "T": TWO, "U": ONE}))
    assert wire_entries(node, "attr") == {b"S": [b"\x18\x01"], b"T": [b"\x18\x02"], b"U": [b"\x18\x01"]}
    assert wire_entry(node, "attr", "T") == b"\x18\x02"
    assert wire_entry(node, "attr", "V") is None
    changed = with_entry(node, "attr", "T", AttrValue(s=bytes(300)).to_bytes())
    assert not is_decoded(node)
    assert not is_decoded(changed)
    assert changed.attr == {"S": ONE, "T": AttrValue(s=bytes(300)), "U": ONE}


def test_without_a_map() -> None:
    assert wire_entry(NodeDef(), "attr", "T") is None
    assert wire_entries(NodeDef(), "attr") == {}
    assert with_entry(NodeDef(), "attr", "T", ONE.to_bytes()).attr == {"T": ONE}


def test_large_values_are_not_copied() -> None:
    node = lazily(NodeDef(attr={"S": ONE, "T": AttrValue(s=bytes(1 << 20))}))
    assert isinstance(wire_entries(node, "attr")[b"T"][0], memoryview)
    assert wire_entry(node, "attr", "S") == b"\x18\x01"
    assert wire_entry(node, "attr", "U") is None
    changed = with_entry(node, "attr", "S", b"\x18\x02")
    assert type(changed.attr["T"]).__mro__[1] is AttrValue  # still undecoded


@pytest.mark.parametrize(
    ("entries", "value"),
    [
        ([b"\x0a\x01T\x12\x02\x18\x01"], ONE),
        ([b"\x12\x02\x18\x01\x0a\x01T"], ONE),  # the value first
        ([b"\x0a\x01T\x12\x02\x18\x02\x12\x02\x18\x01"], ONE),  # two values, of which the last counts
        ([b"\x0a\x01U\x12\x02\x18\x01\x0a\x01T"], ONE),  # two keys
        ([b"\x0a\x01T"], AttrValue()),
        ([b"\x0a\x01T\x12\x82\x00\x18\x01"], ONE),  # a length of two bytes
        ([b"\x0a\x01T\x12\x02\x18\x02", b"\x0a\x01T\x12\x02\x18\x01"], ONE),  # two entries
    ],
)
def test_entries_that_others_write_otherwise(entries: list[bytes], value: AttrValue) -> None:
    node = on_the_wire(*entries)
    assert {key: b"".join(parts) for key, parts in wire_entries(node, "attr").items()} == {b"T": value.to_bytes()}
    assert wire_entry(node, "attr", "T") == value.to_bytes()
    assert with_entry(node, "attr", "T", TWO.to_bytes()).attr == {"T": TWO}
    assert not is_decoded(node)


def test_a_key_inside_a_value_is_not_found() -> None:
    node = lazily(NodeDef(attr={"S": AttrValue(s=b"\x0a\x01T\x12\x02\x18\x01")}))
    assert wire_entry(node, "attr", "T") is None


@pytest.mark.parametrize("ask", [wire_entries, lambda node, name: wire_entry(node, name, "T")])
@pytest.mark.parametrize("entry", [b"\x0a\x01T\x12\x05", b"\x0a\x09T\x12\x02\x18\x01", b"\x0a\x01T\x13"])
def test_damage_is_found(ask: object, entry: bytes) -> None:
    assert callable(ask)
    with pytest.raises(DecodeError):
        ask(on_the_wire(entry), "attr")


MAPS = [(NodeDef, "attr"), (Maps, "of_leaf"), (Recursive, "named")]


@pytest.mark.parametrize(("cls", "name"), MAPS, ids=["attr", "of_leaf", "named"])
@given(data=st.data())
def test_any_encoding_gives_what_a_decoded_map_gives(cls: Any, name: str, data: st.DataObject) -> None:
    _, wire = data.draw(forms(messages(cls), strangers=True))
    eager = cls.from_bytes(wire)
    keys = [*getattr(eager, name), "?", ""]
    value = table_of(cls).by_name[name].value
    assert value is not None
    replacement = value.type().to_bytes()

    def results(lazy: bool) -> list[Any]:
        message = cls.from_bytes(wire, lazy=lazy)
        values = [wire_entries(message, name), *(wire_entry(message, name, key) for key in keys)]
        changed = [with_entry(message, name, key, replacement) for key in keys]
        values += [(message_copy.to_bytes(deterministic=True), message_copy.unknown_fields) for message_copy in changed]
        return [{key: b"".join(parts) for key, parts in values[0].items()}, *values[1:]]

    assert results(lazy=True) == results(lazy=False)


def ways_to_spell(key: bytes, value: bytes) -> Iterator[tuple[str, bytes]]:
    """An entry in every way, one at a time."""
    yield "canonical", ld(1, key) + ld(2, value)
    yield "a padded tag of the key", tag(1, LENGTH, size=2) + varint(len(key)) + key + ld(2, value)
    yield "a padded length of the key", tag(1, LENGTH) + varint(len(key), size=2) + key + ld(2, value)
    yield "a padded tag of the value", ld(1, key) + tag(2, LENGTH, size=2) + varint(len(value)) + value
    yield "a padded length of the value", ld(1, key) + tag(2, LENGTH) + varint(len(value), size=5) + value
    yield "value and key", ld(2, value) + ld(1, key)
    yield "two keys", ld(1, b"T") + ld(1, key) + ld(2, value)
    yield "two values", ld(1, key) + ld(2, number(3, 5)) + ld(2, value)
    yield "no value", ld(1, key)
    yield "an unknown field", ld(1, key) + number(9, 1) + ld(2, value)
    yield "a group around", group(9, ld(1, key)) + ld(1, key) + ld(2, value)
    yield "a key of another type", number(1, 7) + ld(1, key) + ld(2, value)


SPELLINGS = dict(ways_to_spell(b"_class", b"\x18\x01"))


@each_case("first", {name: name for name in SPELLINGS})
@pytest.mark.parametrize("second", SPELLINGS)
def test_two_spellings_of_an_entry(first: str, second: str) -> None:
    """Every spelling before and behind every other one, with entry tags and lengths of one byte and of more."""
    entries = [SPELLINGS[first], ld(1, b"T") + ld(2, number(6, 1)), SPELLINGS[second]]
    for tag_size, length_size in ((0, 0), (2, 0), (0, 2)):
        wire = b"".join(tag(5, LENGTH, size=tag_size) + varint(len(e), size=length_size) + e for e in entries)
        eager, lazy = NodeDef.from_bytes(wire), NodeDef.from_bytes(wire, lazy=True)
        expected = eager.attr.get("_class")
        entry = wire_entry(lazy, "attr", "_class")
        assert entry == (None if expected is None else expected.to_bytes())
        changed, lazily = (with_entry(message, "attr", "_class", b"\x18\x07") for message in (eager, lazy))
        assert lazily == changed
        assert NodeDef.from_bytes(lazily.to_bytes()).attr == changed.attr


def test_a_large_value_is_a_view_only_if_it_is_encoded_as_we_would() -> None:
    content = b"\x07" * (1 << 17)
    usual, padded = ld(8, ld(4, content)), ld(8, tag(4, LENGTH, size=2) + varint(len(content)) + content)
    for value in (usual, padded):
        node = NodeDef.from_bytes(ld(5, ld(1, b"value") + ld(2, value)), lazy=True)
        parts = wire_entries(node, "attr")[b"value"]
        assert b"".join(parts) == usual
        assert (len(parts) == 1 and len(parts[0]) == len(value)) == (value == usual)


def test_the_depth_that_is_allowed_counts_for_values_too() -> None:
    deep = NodeDef(attr={"T": nested_value(60)})
    wire = GraphDef(node=[deep]).to_bytes()
    lazy = GraphDef.from_bytes(wire, lazy=True, max_depth=400).node[0]
    assert wire_entry(lazy, "attr", "T") == deep.attr["T"].to_bytes()
    with pytest.raises(DecodeError, match="nested"):
        wire_entry(GraphDef.from_bytes(wire, lazy=True).node[0], "attr", "T")


def nested_value(levels: int) -> AttrValue:
    value = AttrValue(i=1)
    for _ in range(levels):
        value = AttrValue(func=NameAttrList(name="f", attr={"a": value}))
    return value


# --- a field that is cut out ---------------------------------------------------------------------------------------

CONTENT = b"\x05" * 64
FIELD = ld(4, CONTENT)
HEAD = number(1, 4)


@pytest.mark.parametrize(
    ("wire", "is_cut"),
    [
        (HEAD + FIELD, True),
        (FIELD + HEAD, True),
        (HEAD + tag(4, LENGTH, size=3) + varint(64, size=5) + CONTENT, True),
        (HEAD + FIELD + ld(4), False),  # the last one counts, which is empty
        (HEAD + ld(4, b"\x01") + FIELD, False),
        (HEAD + FIELD + FIELD, False),
        (HEAD + group(1001, FIELD), False),  # part of an unknown group
        (HEAD + group(1001, FIELD) + ld(4, b"\x07"), False),
        (HEAD + number(4, 5) + FIELD, False),
        (HEAD + number(7, 1) * 20 + FIELD + ld(4), False),  # behind more records than are searched
        (HEAD + number(7, 1) * 40, False),
    ],
)
def test_a_field_is_cut_out_of_any_encoding(wire: bytes, is_cut: bool) -> None:
    eager, lazy = TensorProto.from_bytes(wire), AttrValue.from_bytes(ld(8, wire), lazy=True).tensor
    assert lazy is not None
    cut = without_field(lazy, "tensor_content", 8)
    assert (cut is not None) == is_cut
    if cut is not None:
        remaining = TensorProto.from_bytes(cut.other_fields)
        assert not remaining.tensor_content
        remaining.tensor_content = bytes(cut.value)
        assert remaining == eager
