"""Copies are equal, independent at all levels, and keep unknown fields; sharing copies are equal and shallow."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbwire.codec.codegen import function
from pbwire.codec.copy import share
from pbwire.errors import DecodeError, EncodeError
from pbwire.table import Message, table_of
from tests.support.samples import (
    Choice,
    ClosedEnums,
    Groups,
    Leaf,
    Maps,
    Nesting,
    Optionals,
    Proto2,
    Recursive,
    Repeated,
)
from tests.support.strategies import messages
from tfmodel.messages import AttrValue, GraphDef, NodeDef


def copy(message: Any) -> Any:
    return function(table_of(type(message)), "copy")(message)


@pytest.mark.parametrize(
    "cls", [Choice, ClosedEnums, Groups, Maps, Nesting, NodeDef, Optionals, Proto2, Recursive, Repeated]
)
@given(data=st.data())
def test_a_copy_is_equal_and_shares_nothing_that_can_change(cls: type[Message], data: st.DataObject) -> None:
    message = data.draw(messages(cls, unknown=True))
    copied = copy(message)
    assert copied == message
    assert copied.to_bytes(deterministic=True) == message.to_bytes(deterministic=True)
    assert type(copied) is cls
    assert not changeable(message) & changeable(copied)


def changeable(message: Any) -> set[int]:
    """The identities of a message and of all messages, lists and dicts in it."""
    identities = {id(message)}
    for field in table_of(type(message)).fields:
        value = getattr(message, field.slot)
        if isinstance(value, (list, dict)):
            identities.add(id(value))
        values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
        for item in values:
            if isinstance(item, Message):
                identities |= changeable(item)
    return identities


def test_absent_lists_stay_absent() -> None:
    assert copy(Leaf())._numbers is None


@given(data=st.data(), lazy=st.booleans())
@pytest.mark.parametrize("cls", [Choice, Leaf, Maps, Nesting, NodeDef, Proto2, Recursive, Repeated])
def test_a_sharing_copy_is_equal_and_its_fields_are_independent(
    cls: type[Message], data: st.DataObject, lazy: bool
) -> None:
    message = data.draw(messages(cls, unknown=True))
    wire = message.to_bytes(deterministic=True)
    message = cls.from_bytes(wire, lazy=lazy)
    shared = share(message)
    assert type(shared) is cls
    assert shared.to_bytes(deterministic=True) == wire
    shared.clear()
    assert message.to_bytes(deterministic=True) == wire


def test_decoded_parts_are_shared_and_undecoded_parts_stay_undecoded() -> None:
    graph = GraphDef(node=[NodeDef(name="a", input=["b"], attr={"T": AttrValue(i=1)})])
    node = graph.node[0]
    assert share(node).attr is node.attr
    assert share(node).input is node.input
    lazy = GraphDef.from_bytes(graph.to_bytes(), lazy=True).node[0]
    shared = share(lazy)
    assert type(lazy._attr) is type(shared._attr) is tuple
    shared.attr["T"].i = 2
    assert lazy.attr["T"].i == 1


@given(data=st.data())
@pytest.mark.parametrize("cls", [Choice, Leaf, Maps, Nesting, NodeDef, Proto2, Recursive, Repeated])
def test_undecoded_parts_stay_undecoded_in_a_copy(cls: type[Message], data: st.DataObject) -> None:
    wire = data.draw(messages(cls, unknown=True)).to_bytes(deterministic=True)
    message = cls.from_bytes(wire, lazy=True)
    copied = cls()
    copied.CopyFrom(message)
    assert deepcopy(cls.from_bytes(wire, lazy=True)).to_bytes(deterministic=True) == wire
    assert copied.to_bytes(deterministic=True) == wire
    assert not changeable(copied) & changeable(message)


@given(first=messages(Leaf, unknown=True), second=messages(Leaf, unknown=True))
def test_an_undecoded_message_in_several_parts_is_copied(first: Leaf, second: Leaf) -> None:
    wire = Optionals(a_leaf=first).to_bytes() + Optionals(a_leaf=second).to_bytes()
    lazy = Optionals.from_bytes(wire, lazy=True)
    assert copy(copy(lazy)) == copy(lazy) == Optionals.from_bytes(wire)


def test_a_copy_shares_no_bytearray() -> None:
    content = bytearray(b"abc")
    choice, leaves = Optionals(a_bytes=content), Repeated(a_bytes=[content])  # type: ignore[arg-type, list-item]  # wrong
    copies = deepcopy(choice), deepcopy(leaves)
    content[0] = 0
    assert (copies[0].a_bytes, copies[1].a_bytes) == (b"abc", [b"abc"])


CANNOT_BE_COPIED = [
    (NodeDef(attr={"T": 1}), 'attr["T"]: expected a AttrValue, got int 1'),  # type: ignore[dict-item]  # wrong
    (GraphDef(node=[NodeDef(), AttrValue()]), "node[1]: expected a NodeDef, got AttrValue"),  # type: ignore[list-item]  # wrong
    (Optionals(a_bytes="text"), "a_bytes: expected bytes, got str 'text'"),  # type: ignore[arg-type]  # wrong
]


@pytest.mark.parametrize(("message", "problem"), CANNOT_BE_COPIED)
def test_values_of_other_types_cannot_be_copied(message: Message, problem: str) -> None:
    with pytest.raises(EncodeError, match=re.escape(problem)):
        deepcopy(message)
    copied = type(message)()
    with pytest.raises(EncodeError):
        copied.CopyFrom(message)
    assert copied == type(message)()


def test_a_message_that_holds_itself_cannot_be_copied() -> None:
    message = Recursive()
    message.child = message
    with pytest.raises(EncodeError, match="holds itself"):
        deepcopy(message)


def test_damage_in_an_undecoded_message_leaves_the_target_unchanged() -> None:
    target = Optionals(a_int32=1)
    with pytest.raises(DecodeError):
        target.CopyFrom(Optionals.from_bytes(b"\x8a\x01", lazy=True))
    assert target == Optionals(a_int32=1)
