"""google.protobuf.Any as text: packed, or expanded."""

from __future__ import annotations

import pytest

from pbwire import table as pb
from pbwire import text
from pbwire.behavior import DEFAULT, follow
from pbwire.wellknown import Any
from tests.pbwire.text.reference import TYPES, google
from tests.pbwire.text.test_printer import check, each_option
from tests.support.protobuf_twin import IS_4_25
from tests.support.samples import Groups, Leaf, Maps, Proto2
from tests.support.wire_bytes import number
from tfmodel.messages import CollectionDef, MetaGraphDef

LEAF = Leaf(number=7, text="é").to_bytes()


@pb.message("sample.WithAny")
class WithAny(pb.Message):
    by_name: dict[str, Any] = pb.map(pb.string, Any, 1)


@each_option
@pytest.mark.parametrize(
    "message",
    [
        Any(type_url="type.googleapis.com/sample.Leaf", value=LEAF),
        Any(type_url="type.googleapis.com/sample.Leaf"),
        Any(type_url="type.googleapis.com/sample.Leaf", value=LEAF + b"\x78\x07", unknown_fields=b"\x78\x05"),
        Any(type_url="/sample.Leaf", value=LEAF),
        Any(type_url="a/b/sample.Leaf", value=LEAF),
        Any(type_url="sample.Leaf", value=LEAF),
        Any(type_url="x/sample.Leaf/", value=LEAF),
        Any(type_url="x/sample.Nope", value=LEAF),
        Any(type_url="x/sample.Mood", value=LEAF),
        Any(type_url="x/sample", value=LEAF),
        Any(type_url="x/", value=LEAF),
        Any(type_url="/"),
        Any(value=LEAF),
        Any(),
        Any(type_url="x/google.protobuf.Any", value=Any(type_url="y/sample.Leaf", value=LEAF).to_bytes()),
        Any(type_url="x/google.protobuf.Any"),
        Any(type_url="x/sample.Required"),
        Any(type_url="x/google.protobuf.Value", value=b"\x32\x02\x0a\x00"),
        Any(type_url="x/tensorflow.VariableDef", value=b"\x0a\x01v"),
        Any(
            type_url="x/sample.Groups", value=Groups(single=Groups.Single(), many=[Groups.Many(numbers=[1])]).to_bytes()
        ),
        Any(type_url="x/sample.Maps", value=Maps(of_leaf={"a": Leaf(number=1)}, by_bool={False: ""}).to_bytes()),
        Any(type_url="x/sample.Proto2", value=Proto2(names={0: ""}, a_double=0.0, r_string=[""]).to_bytes()),
        Any(type_url="x/google.protobuf.Struct/sample.Leaf", value=LEAF),
        MetaGraphDef.MetaInfoDef(any_info=Any(type_url="x/tensorflow.GraphDef", value=b"\x0a\x03\x0a\x01a")),
        CollectionDef(any_list=CollectionDef.AnyList(value=[Any(type_url="x/sample.Leaf", value=LEAF), Any()])),
    ],
    ids=repr,
)
def test_an_any_is_expanded_as_google_does_it(message, options):
    check(message, **options)


each_any_of_a_struct = pytest.mark.parametrize(
    "message",
    [
        Any(type_url="x/google.protobuf.Struct", value=b"\x0a\x05\x0a\x01a\x12\x00"),
        Any(type_url="x/google.protobuf.ListValue", value=b"\x0a\x00"),
        Any(type_url="x/google.protobuf.Struct", value=b""),
    ],
    ids=repr,
)


@each_option
@each_any_of_a_struct
def test_an_any_of_a_struct_or_a_list_is_expanded_except_in_4_25(message, options):
    check(message, **options)


@each_any_of_a_struct
def test_an_expanded_struct_or_list_is_packed_again(message):
    follow(DEFAULT)
    expanded = text.dumps(message, types=TYPES)
    assert expanded.startswith("[x/google.protobuf.")
    assert (expanded == google(message, types=TYPES)) != IS_4_25
    assert text.loads(expanded, Any, types=TYPES) == message


def test_an_any_that_cannot_be_read_stays_packed_where_google_raises():
    broken = Any(type_url="x/sample.Leaf", value=b"\xff")
    with pytest.raises(Exception, match="Error parsing message"):
        google(broken, types=TYPES)
    assert text.dumps(broken, types=TYPES) == google(broken) == 'type_url: "x/sample.Leaf"\nvalue: "\\377"\n'
    around = Any(type_url="x/google.protobuf.Any", value=broken.to_bytes(), unknown_fields=number(9, 1))
    assert text.dumps(around, types=TYPES, as_one_line=True, print_unknown_fields=True) == (
        '[x/google.protobuf.Any] { type_url: "x/sample.Leaf" value: "\\377" }'
    )


@pytest.mark.parametrize(
    "url",
    [
        "x] { } name: 1 [x/sample.Leaf",
        "\x1b[2J/sample.Leaf",
        "a\n/sample.Leaf",
        '"/sample.Leaf',
        "é/sample.Leaf",
    ],
)
def test_an_any_whose_url_would_forge_text_stays_packed_where_google_prints_it_as_it_is(url):
    forging = Any(type_url=url, value=Leaf(number=7).to_bytes())
    assert url in google(forging, types=TYPES)
    printed = text.dumps(forging, types=TYPES)
    assert printed == text.dumps(forging)
    assert text.loads(printed, Any, types=TYPES) == forging


def test_an_any_may_be_the_value_of_a_map():
    message = WithAny(by_name={"b": Any(), "a": Any(type_url="x/sample.Leaf", value=LEAF)})
    for variant in (message, WithAny.from_bytes(message.to_bytes(), lazy=True)):
        assert text.dumps(variant, types=TYPES, as_one_line=True, as_utf8=True) == (
            'by_name { key: "a" value { [x/sample.Leaf] { number: 7 text: "é" } } } by_name { key: "b" value { } }'
        )


def test_messages_in_any_are_expanded_to_the_depth_that_parsers_accept():
    message = Any(type_url="x/sample.Leaf", value=LEAF)
    for _ in range(2000):
        message = Any(type_url="x/google.protobuf.Any", value=message.to_bytes())
    printed = text.dumps(message, types=TYPES)
    assert printed.count("[x/google.protobuf.Any] {") == 100
    assert text.loads(printed, Any, types=TYPES) == message
