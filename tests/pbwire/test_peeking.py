"""Maps that were not decoded are looked into, and changed, and stay as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbwire.errors import DecodeError
from pbwire.peeking import wire_entries, wire_entry, with_entry
from tests.strategies import messages
from tfmodel.messages import AttrValue, GraphDef, NodeDef

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
    given = lazily(node) if lazy else node
    changed = with_entry(given, "attr", key, ONE.to_bytes())
    assert given == node
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


def test_what_is_large_is_not_copied() -> None:
    node = lazily(NodeDef(attr={"S": ONE, "T": AttrValue(s=bytes(1 << 20))}))
    assert isinstance(wire_entries(node, "attr")[b"T"][0], memoryview)
    assert wire_entry(node, "attr", "S") == b"\x18\x01"
    assert wire_entry(node, "attr", "U") is None
    changed = with_entry(node, "attr", "S", b"\x18\x02")
    assert type(changed.attr["T"]).__mro__[1] is AttrValue  # still untouched


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


def test_a_key_in_a_value_is_none() -> None:
    node = lazily(NodeDef(attr={"S": AttrValue(s=b"\x0a\x01T\x12\x02\x18\x01")}))
    assert wire_entry(node, "attr", "T") is None


@pytest.mark.parametrize("ask", [wire_entries, lambda node, name: wire_entry(node, name, "T")])
@pytest.mark.parametrize("entry", [b"\x0a\x01T\x12\x05", b"\x0a\x09T\x12\x02\x18\x01", b"\x0a\x01T\x13"])
def test_damage_is_found(ask: object, entry: bytes) -> None:
    assert callable(ask)
    with pytest.raises(DecodeError):
        ask(on_the_wire(entry), "attr")
