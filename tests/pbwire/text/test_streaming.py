"""Undecoded messages are printed in parts, with the same text."""

from __future__ import annotations

import re
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbwire import DecodeError, text
from pbwire.lazy.messages import undecoded_class
from pbwire.table import Message, table_of
from pbwire.text import streaming
from pbwire.wellknown import Any
from tests.pbwire.text.reference import SAMPLES, TYPES, google
from tests.support.effort import scaled
from tests.support.samples import Choice, ClosedEnums, Leaf, Maps, Recursive, Repeated, Scalars, Unpacked
from tests.support.strategies import messages, wire_bytes
from tests.support.wire_bytes import ld, number, tag, varint
from tfmodel.messages import AttrValue, CollectionDef, GraphDef, MetaGraphDef, NodeDef, TensorProto

LARGE = streaming.MIN_PART_BYTES


def undecoded(cls, data):
    """Return a message as it is inside a lazy one."""
    table = table_of(cls)
    message = object.__new__(undecoded_class(table))
    vars(Message)["_unknown"].__set__(message, (data, 100, 0, len(data)))
    return message


def parts_of(cls, data, *, whole=False, whole_lists=False):
    span = (data, 100, 0, len(data))
    return list(streaming.message_parts(table_of(cls), span, whole=whole, whole_lists=whole_lists))


@pytest.fixture
def tiny(monkeypatch):
    """All messages that are not tiny count as large."""
    monkeypatch.setattr(streaming, "MIN_PART_BYTES", 16)


# --- the text is the same ----------------------------------------------------------------------------------------


@pytest.mark.slow(reason="generates many messages and compares them with protobuf")
@pytest.mark.parametrize("cls", SAMPLES, ids=lambda cls: cls.__qualname__)
def test_any_valid_bytes_are_printed_as_google_prints_them(cls):
    @given(wire_bytes(cls, nan=True), st.sampled_from([16, 32, 256]), st.booleans())
    @settings(max_examples=scaled(50))
    def run(data, large, short):
        with mock.patch.object(streaming, "MIN_PART_BYTES", large):
            printed = text.dumps(undecoded(cls, data), use_short_repeated_primitives=short)
        assert printed == google(data, cls, use_short_repeated_primitives=short)

    run()


@pytest.mark.slow(reason="generates many messages and compares them with protobuf")
@pytest.mark.parametrize("cls", SAMPLES, ids=lambda cls: cls.__qualname__)
def test_unknown_fields_come_last_wherever_they_stand(cls):
    @given(messages(cls, unknown=True), st.data())
    @settings(max_examples=scaled(30))
    def run(message, data):
        first, second = message.unknown_fields, data.draw(messages(cls, unknown=True)).to_bytes()
        wire = first + message.to_bytes() + second
        with mock.patch.object(streaming, "MIN_PART_BYTES", 16):
            printed = text.dumps(undecoded(cls, wire), print_unknown_fields=True)
        assert printed == google(wire, cls, print_unknown_fields=True)

    run()


@pytest.mark.parametrize("options", [{"longest": 2}, {"most": 2}, {"most": 0, "use_short_repeated_primitives": True}])
def test_shortened_text_is_the_same(options, tiny):
    message = Repeated(a_int32=[1, 300] * 50, a_string=["a", "bcd"] * 50, a_bytes=[b"a", b"x" * 50] * 5)
    message.a_leaf = [Leaf(numbers=[1, 2, 3] * 10, text="text")] * 9
    expected: list[str] = []
    text.dump(message, expected.append, **options)
    printed: list[str] = []
    text.dump(undecoded(Repeated, message.to_bytes()), printed.append, **options)
    assert "".join(printed) == "".join(expected)


# --- where it is cut ---------------------------------------------------------------------------------------------


def test_lists_are_cut(tiny):
    for message in (
        Repeated(a_leaf=[Leaf(number=1)] * 20),
        Repeated(a_string=["abc"] * 20),
        Repeated(a_bytes=[b"abc"] * 20),
        Repeated(a_int32=[1] * 40),
        Repeated(a_int32=[-1] * 40),
        Repeated(a_double=[0.5] * 40),
        Unpacked(a_float=[0.5] * 40),
    ):
        parts = parts_of(type(message), message.to_bytes())
        assert len(parts) > 4
        assert max(len(part.to_bytes()) for part in parts) <= 16 + 2
        assert sum(len(part.ListFields()[0][1]) for part in parts) == len(message.ListFields()[0][1])


def test_lists_that_must_not_be_cut_are_not_but_messages_are(tiny):
    for message in (Repeated(a_string=["abc"] * 20), Repeated(a_int32=[1] * 40)):
        assert parts_of(Repeated, message.to_bytes(), whole_lists=True) == [message]
    assert len(parts_of(Repeated, Repeated(a_leaf=[Leaf(number=1)] * 20).to_bytes(), whole_lists=True)) > 4


def test_large_bytes_are_views_of_the_input(tiny):
    for message, name in (
        (Scalars(a_int32=5, a_bytes=b"x" * 50, a_mood=1), "a_bytes"),
        (Choice(b=b"x" * 50, before=1), "b"),
        (TensorProto(dtype=1, tensor_content=b"x" * 50), "tensor_content"),
    ):
        parts = parts_of(type(message), message.to_bytes())
        assert [memoryview] == [type(getattr(part, name)) for part in parts if getattr(part, name)]
        assert text.dumps(undecoded(type(message), message.to_bytes())) == google(message)
    message = Repeated(a_bytes=[b"x" * 50, b"y", b"", b"z" * 60])
    parts = [value for part in parts_of(Repeated, message.to_bytes()) for value in part.a_bytes]
    assert [(type(value), bytes(value)) for value in parts] == [
        (memoryview, b"x" * 50),
        (bytes, b"y"),
        (bytes, b""),
        (memoryview, b"z" * 60),
    ]


PADDING = ld(14, b"x" * 50)  # a_string of Scalars


@pytest.mark.parametrize(
    ("cls", "data"),
    [
        (Maps, Maps(by_string={str(n): "x" for n in range(20)}).to_bytes()),  # entries are sorted
        (Scalars, PADDING + PADDING),  # the last one counts
        (Scalars, ld(15, b"x" * 50) + ld(15, b"y" * 50)),
        (Scalars, PADDING + number(3, 1)),  # not in order
        (Choice, ld(7, b"x" * 50) + ld(9, b"y" * 50)),  # of one oneof
        (Recursive, ld(2, number(1, 5) + ld(2, number(1, 2) * 20)) + ld(2, number(1, 6) * 20)),  # to be merged
    ],
    ids=["map", "singular", "bytes", "disorder", "oneof", "message"],
)
def test_fields_that_belong_together_are_not_cut(cls, data, tiny):
    assert parts_of(cls, data) == [cls.from_bytes(data)]
    assert text.dumps(undecoded(cls, data)) == google(data, cls)


def test_several_occurrences_of_an_undecoded_message_are_merged(tiny):
    data = ld(2, number(1, 5) + ld(3, number(1, 1)) * 20) + ld(2, ld(3, number(1, 2)) * 20 + number(1, 6))
    lazy = Recursive.from_bytes(data, lazy=True)
    assert text.dumps(lazy) == google(data, Recursive)


def test_unknown_values_of_a_closed_enum_come_last(tiny):
    for field in table_of(ClosedEnums).fields:
        if field.label == "repeated":
            data = b"".join(tag(field.number, 0) + varint(n) for n in (1, 77, 1, 78) * 10)
            data += ld(field.number, bytes([1, 77, 1, 78] * 10))
            printed = text.dumps(undecoded(ClosedEnums, data), print_unknown_fields=True)
            assert printed == text.dumps(ClosedEnums.from_bytes(data), print_unknown_fields=True)


@pytest.mark.parametrize("value", [b"", Leaf(number=1, text="x" * 100).to_bytes(), b"\xff" * 100])
def test_an_any_is_seen_as_a_whole(value, tiny):
    packed = Any(type_url="x/sample.Leaf", value=value, unknown_fields=number(15, 7) * 20)
    message = CollectionDef(any_list=CollectionDef.AnyList(value=[packed] * 3))
    lazy = CollectionDef.from_bytes(message.to_bytes(), lazy=True)
    options = {"types": TYPES, "print_unknown_fields": True}
    assert text.dumps(lazy, **options) == text.dumps(message, **options)


@pytest.mark.slow(reason="reads or transforms inputs that are large")
@pytest.mark.parametrize("size", [LARGE // 7 - 1, LARGE // 7, LARGE // 7 + 1, LARGE // 7 * 2, LARGE])
def test_at_and_around_the_real_size(size):
    for message in (
        Recursive(child=Recursive(children=[Recursive(depth=100_000)] * size)),
        NodeDef(attr={"a": AttrValue(tensor=TensorProto(string_val=[b"abcde"] * size, int64_val=[300] * size))}),
    ):
        lazy = type(message).from_bytes(message.to_bytes(), lazy=True)
        assert text.dumps(lazy) == text.dumps(message)


# --- damage ------------------------------------------------------------------------------------------------------


def test_an_error_is_called_as_in_the_whole():
    nodes = [NodeDef(name="n" * 100, attr={"T": AttrValue(i=1)})] * 2000
    data = MetaGraphDef(graph_def=GraphDef(node=nodes)).to_bytes()
    at = data.rindex(b"T\x12") + 3  # what the value of the last node's attribute begins with
    damaged = data[:at] + b"\xff" + data[at + 1 :]
    with pytest.raises(DecodeError) as caught:
        text.dumps(MetaGraphDef.from_bytes(damaged, lazy=True))
    with pytest.raises(DecodeError) as eager:
        MetaGraphDef.from_bytes(damaged)
    assert eager.value.path == "graph_def." + caught.value.path.removeprefix("GraphDef.")
    assert (caught.value.message, caught.value.offset) == (eager.value.message, eager.value.offset)


@pytest.mark.parametrize("cut", [1, 3, 40, 41, 42, 43, 80])
def test_truncation_is_an_error(cut, tiny):
    data = Repeated(a_leaf=[Leaf(number=1, text="a")] * 5, a_double=[0.5] * 9).to_bytes()
    expected = None
    try:
        Repeated.from_bytes(data[:-cut])
    except DecodeError as error:
        expected = (error.message, error.offset)
    try:
        text.dumps(undecoded(Repeated, data[:-cut]))
        got = None
    except DecodeError as error:
        got = (error.message, error.offset)
    assert got == expected


@pytest.mark.slow(reason="damages inputs in thousands of ways")
@given(
    wire_bytes(Recursive) | wire_bytes(Repeated),
    st.binary(max_size=3),
    st.integers(0, 1000),
    st.sampled_from([16, 256]),
)
@settings(max_examples=scaled(200))
def test_damaged_or_not_parts_give_the_same_outcome(data, noise, at, large):
    data = data[: at % (len(data) + 1)] + noise + data[at % (len(data) + 1) :]

    for cls in (Recursive, Repeated):
        with mock.patch.object(streaming, "MIN_PART_BYTES", large):
            try:
                printed = text.dumps(undecoded(cls, data))
            except DecodeError:
                with pytest.raises(DecodeError):
                    cls.from_bytes(data)
                continue
        try:
            expected = text.dumps(cls.from_bytes(data, lazy=True))
        except DecodeError as error:  # in a member of a oneof that another one replaces: decoding looks at it too
            assert {"left", "right"} & {*re.findall(r"\w+", error.path)}
            continue
        assert printed == expected
