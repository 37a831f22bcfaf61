"""Copies are equal, independent at all levels, and keep unknown fields; sharing copies are equal and shallow."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbwire.codec.codegen import function
from pbwire.codec.copy import share
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
