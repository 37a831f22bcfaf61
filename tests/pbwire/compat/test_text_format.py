"""text_format, json_format and str() of protobuf-style messages: Any with the classes of the pool, numbers as in C."""

from __future__ import annotations

import math
from typing import Any

import pytest
from google import protobuf
from google.protobuf import any_pb2, descriptor_pool, struct_pb2, wrappers_pb2
from google.protobuf import json_format as google_json
from google.protobuf import text_format as google_text
from google.protobuf.internal import api_implementation
from hypothesis import example, given
from hypothesis import strategies as st

from pbwire import wellknown
from pbwire.compat import compat_class, json_format, text_format
from pbwire.compat.pools import default_pool
from tests.support.protobuf_twin import twin
from tests.support.samples import Maps
from tfmodel.messages import GraphDef

Any_ = compat_class(wellknown.Any)
Graph = compat_class(GraphDef)
PACKED = {
    "a message": ("google.protobuf.StringValue", b"\n\x01x"),
    "an empty message": ("google.protobuf.StringValue", b""),
    "an unknown class": ("no.Such", b"\x08\x01"),
}
TEXT = '[type.googleapis.com/google.protobuf.StringValue] { value: "x" }'
JSON = '{"@type": "type.googleapis.com/google.protobuf.StringValue", "value": "x"}'


def anys(kind: str) -> list[Any]:
    name, value = PACKED[kind]
    return [cls(type_url=f"type.googleapis.com/{name}", value=value) for cls in (Any_, any_pb2.Any)]


@pytest.mark.parametrize("kind", PACKED)
def test_an_any_is_printed_with_the_class_of_the_pool(kind):
    ours, theirs = anys(kind)
    text = google_text.MessageToString(theirs)
    assert text_format.MessageToString(ours) == text
    assert text_format.MessageToString(ours, descriptor_pool=default_pool()) == text
    assert text_format.MessageToString(ours, descriptor_pool={}) == str(theirs)
    assert text_format.MessageToBytes(ours) == text.encode()


@pytest.mark.parametrize("pool", [None, "the default pool"])
def test_an_any_is_parsed_with_the_class_of_the_pool(pool):
    theirs = google_text.Parse(TEXT, any_pb2.Any())
    given_pool = pool and default_pool()
    assert text_format.Parse(TEXT, Any_(), descriptor_pool=given_pool).value == theirs.value
    assert json_format.Parse(JSON, Any_(), descriptor_pool=given_pool).value == theirs.value


def test_an_any_has_json_with_the_class_of_the_pool():
    ours, theirs = anys("a message")
    assert json_format.MessageToJson(ours) == google_json.MessageToJson(theirs)
    assert json_format.MessageToDict(ours, descriptor_pool=default_pool()) == google_json.MessageToDict(
        theirs, descriptor_pool=descriptor_pool.Default()
    )


def test_an_any_of_an_unknown_class_has_no_json():
    ours, theirs = anys("an unknown class")
    with pytest.raises(json_format.SerializeToJsonError, match=r"an Any holds no\.Such"):
        json_format.MessageToJson(ours)
    with pytest.raises(TypeError):
        google_json.MessageToJson(theirs)


def test_a_formatter_gets_messages_as_protobuf_has_them():
    graph = Graph()
    graph.node.add(name="x").attr["T"].type = 1
    seen = []

    def formatter(message: Any, indent: int, as_one_line: bool) -> str | None:
        seen.append((message.DESCRIPTOR.name, type(message).FromString(message.SerializeToString()) == message))
        return f"of {message.WhichOneof('value')}" if message.DESCRIPTOR.name == "AttrValue" else None

    text = text_format.MessageToString(graph, as_one_line=True, message_formatter=formatter)
    assert text == 'node { name: "x" attr { key: "T" value { of type } } }'
    assert seen == [("GraphDef", True), ("NodeDef", True), ("AttrEntry", True), ("AttrValue", True)]


def test_a_value_in_which_nothing_is_set_is_null():
    ours = [
        compat_class(wellknown.Value)(),
        compat_class(wellknown.ListValue)(values=[compat_class(wellknown.Value)()]),
    ]
    theirs = [struct_pb2.Value(), struct_pb2.ListValue(values=[struct_pb2.Value()])]
    assert [*map(json_format.MessageToJson, ours)] == [*map(google_json.MessageToJson, theirs)]
    assert [*map(json_format.MessageToDict, ours)] == [*map(google_json.MessageToDict, theirs)]


@pytest.mark.parametrize("function", [text_format.MessageToString, json_format.MessageToDict])
def test_wrong_arguments_are_type_errors(function):
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        function(Graph(), nope=1)
    with pytest.raises(TypeError, match=r"takes \d+ (positional )?arguments"):
        function(Graph(), *range(30))


def test_the_older_name_of_an_option_of_json_is_known():
    ours = json_format.MessageToDict(Graph(version=0), including_default_value_fields=True)
    assert ours == {"node": [], "version": 0}
    assert json_format.MessageToDict(Graph(), including_default_value_fields=False) == {}


def test_str_prints_fields_by_number():
    """In graph.proto: node = 1, versions = 4, version = 3, library = 2."""
    graph = Graph(version=1)
    graph.node.add(name="x")
    graph.versions.producer = 2
    graph.library.SetInParent()
    text = 'node {\n  name: "x"\n}\n'
    text += "library {\n}\nversion: 1\nversions {\n  producer: 2\n}\n"
    assert str(graph) == text_format.MessageToString(graph) == text


def with_sign(printed: str) -> str:
    """Return what is printed for a value; without the sign of NaN if protobuf does not print it, as since version 7."""
    return printed if int(protobuf.__version__.split(".")[0]) < 7 else printed.replace("-nan", "nan")


needs_upb = pytest.mark.skipif(api_implementation.Type() != "upb", reason="str() is that of the C implementation")


@needs_upb
@given(st.floats(width=32))
@example(-math.nan)
def test_str_prints_floats_as_c_does(value):
    ours, theirs = compat_class(wellknown.FloatValue)(value=value), wrappers_pb2.FloatValue(value=value)
    assert with_sign(str(ours)) == with_sign(str(theirs))


@needs_upb
@given(st.floats())
@example(-math.nan)
def test_str_prints_doubles_as_c_does(value):
    ours, theirs = compat_class(wellknown.DoubleValue)(value=value), wrappers_pb2.DoubleValue(value=value)
    assert with_sign(str(ours)) == with_sign(str(theirs))


@needs_upb
@given(st.text(st.characters(codec="utf-8")))
def test_str_prints_strings_as_c_does(value):
    ours, theirs = compat_class(wellknown.StringValue)(value=value), wrappers_pb2.StringValue(value=value)
    assert str(ours) == str(theirs)


@needs_upb
@given(st.binary())
def test_str_prints_bytes_as_c_does(value):
    ours, theirs = compat_class(wellknown.BytesValue)(value=value), wrappers_pb2.BytesValue(value=value)
    assert str(ours) == str(theirs)


ZEROS = {
    "strings": lambda message: message.by_string.update({"": ""}),
    "numbers": lambda message: message.by_int32.update({0: "a"}),
    "floats": lambda message: message.of_float.update({"a": 0.0}),
    "enums and bools": lambda message: (message.of_bool.update({"": False}), message.of_mood.update({"": 0})),
    "messages": lambda message: message.of_leaf[""].SetInParent(),
}


@needs_upb
@pytest.mark.parametrize("name", ZEROS)
def test_str_prints_zeros_in_maps_as_c_does(name):
    ours, theirs = compat_class(Maps)(), twin(Maps)()
    for message in (ours, theirs):
        ZEROS[name](message)
    assert str(ours) == str(theirs)
