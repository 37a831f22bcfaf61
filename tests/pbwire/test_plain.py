"""Text format and JSON of protobuf-style messages, by the functions for dataclasses."""

from __future__ import annotations

from typing import Any

import pytest

from pbwire import json, text, wellknown
from pbwire.compat import compat_class, unwrap, wrap
from pbwire.errors import JsonError, TextFormatError
from pbwire.plain import plain
from tfmodel.messages import AttrValue, NodeDef

NODE = NodeDef(name="x", op="y", attr={"a": AttrValue(i=5), "b": AttrValue(list=AttrValue.ListValue(i=[1, 2]))})
MESSAGES = [
    NODE,
    json.from_dict({"a": [1, None, {"b": True}], "": "text"}, wellknown.Struct),
    json.from_dict([1, [2]], wellknown.Value),
    wellknown.Timestamp(seconds=5),
    wellknown.Duration(nanos=5),
    wellknown.FieldMask(paths=["a", "b.c"]),
    wellknown.Int64Value(value=5),
]
each_message = pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)


@each_message
def test_printers_write_the_same_as_for_dataclasses(message):
    other = wrap(message)
    assert json.dumps(other) == json.dumps(message)
    assert json.to_dict(other) == json.to_dict(message)
    assert text.dumps(other) == text.dumps(message)
    assert text.MessageToString(other, as_one_line=True) == text.MessageToString(message, as_one_line=True)


@each_message
def test_parsers_return_messages_of_the_class(message):
    cls = compat_class(type(message))
    parsed = [
        json.loads(json.dumps(message), cls),
        json.from_dict(json.to_dict(message), cls),
        json.Parse(json.dumps(message), cls()),
        text.loads(text.dumps(message), cls),
        text.Parse(text.dumps(message), cls()),
    ]
    assert [type(other) for other in parsed] == [cls] * 5
    assert all(other == wrap(message) for other in parsed)


def test_messages_are_parsed_into_existing_ones():
    message = compat_class(NodeDef)(device="d", op="old")
    assert json.Parse(json.dumps(NODE), message) is message
    text.Merge('input: "z" attr { key: "a" value { i: 6 } }', message)
    assert (message.device, message.op, [*message.input]) == ("d", "y", ["z"])
    assert (message.attr["a"].i, [*message.attr["b"].list.i]) == (6, [1, 2])


PARSERS: dict[str, Any] = {
    "json": (lambda message: json.Parse('{"name": "new", "op": 5}', message), JsonError),
    "text": (lambda message: text.Parse('name: "new" op: 5', message), TextFormatError),
}


@pytest.mark.parametrize("name", PARSERS)
def test_a_message_is_unchanged_after_an_error(name):
    parse, error = PARSERS[name]
    message = compat_class(NodeDef)(name="x")
    with pytest.raises(error):
        parse(message)
    assert message == compat_class(NodeDef)(name="x")


def test_dataclasses_are_plain():
    assert plain(NODE) is NODE
    assert plain(wrap(NODE)) == unwrap(wrap(NODE)) == NODE
    assert NodeDef.__table__.is_plain and not compat_class(NodeDef).__table__.is_plain
    with pytest.raises(TypeError, match="int"):
        plain(5)
