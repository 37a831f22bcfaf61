"""Printed JSON: layout, options, well-known types, errors, streaming, laziness."""

from __future__ import annotations

import errno
import io
import json as plain_json
import math
import tracemalloc
from types import SimpleNamespace

import pytest
from hypothesis import given

from pbwire import DecodeError, EncodeError, explain, json
from pbwire import wellknown as wk
from tests.pbwire.json.generated import SAMPLES, TYPES, sound
from tests.pbwire.json.kinds import Named, Special
from tests.pbwire.test_corpus import each_file
from tests.support.samples import (
    Choice,
    Empty,
    Groups,
    Leaf,
    Maps,
    Mood,
    Nesting,
    Optionals,
    Proto2,
    Recursive,
    Repeated,
    Required,
    Scalars,
)
from tests.support.strategies import messages
from tfmodel.messages import AttrValue, GraphDef, MetaGraphDef, NodeDef, TensorProto

FLT_MAX = 3.4028234663852886e38


def packed(message, prefix="type.googleapis.com/"):
    return wk.Any(type_url=prefix + message.__table__.full_name, value=message.to_bytes())


@pytest.mark.parametrize(
    ("message", "printed"),
    [
        (Empty(), "{}"),
        (
            Leaf(number=1, text='a"\\\n\x7f\u2028é\U0001f600/'),
            '{\n  "number": 1,\n  "text": "a\\"\\\\\\n\\u007f\\u2028\\u00e9\\ud83d\\ude00/"\n}',
        ),
        (Leaf(leaf=Leaf(), numbers=[1, -2]), '{\n  "numbers": [\n    1,\n    -2\n  ],\n  "leaf": {}\n}'),
        (
            Scalars(a_int64=-5, a_uint64=2**64 - 1, a_fixed32=7),
            '{\n  "aInt64": "-5",\n  "aUint64": "18446744073709551615",\n  "aFixed32": 7\n}',
        ),
        (Scalars(a_double=-0.0, a_float=-0.0), '{\n  "aDouble": -0.0,\n  "aFloat": -0.0\n}'),
        (Scalars(a_double=math.inf, a_float=-math.inf), '{\n  "aDouble": "Infinity",\n  "aFloat": "-Infinity"\n}'),
        (Scalars(a_double=math.nan, a_float=math.nan), '{\n  "aDouble": "NaN",\n  "aFloat": "NaN"\n}'),
        (Scalars(a_double=1, a_float=0.1), '{\n  "aDouble": 1.0,\n  "aFloat": 0.1\n}'),
        (Scalars(a_float=FLT_MAX, a_double=0.1), '{\n  "aDouble": 0.1,\n  "aFloat": 3.4028235e+38\n}'),
        (Scalars(a_bytes=b"\xfb\xff", a_mood=77), '{\n  "aBytes": "+/8=",\n  "aMood": 77\n}'),
        (Scalars(a_bytes=bytearray(b"abc"), a_mood=-1), '{\n  "aBytes": "YWJj",\n  "aMood": "GRIM"\n}'),
        (Choice(empty=Empty()), '{\n  "empty": {}\n}'),
        (Optionals(a_int32=0, a_string=""), '{\n  "aInt32": 0,\n  "aString": ""\n}'),
        (
            Maps(by_bool={True: "b", False: "a"}, by_int32={10: "x", 9: ""}),
            '{\n  "byInt32": {\n    "9": "",\n    "10": "x"\n  },\n'
            '  "byBool": {\n    "false": "a",\n    "true": "b"\n  }\n}',
        ),
        (Groups(single=Groups.Single(number=1)), '{\n  "single": {\n    "number": 1\n  }\n}'),
        (Empty(unknown_fields=b"\x08\x01"), "{}"),
        (wk.Timestamp(seconds=-1, nanos=500_000_000), '"1969-12-31T23:59:59.500Z"'),
        (wk.Timestamp(seconds=253402300799, nanos=1), '"9999-12-31T23:59:59.000000001Z"'),
        (wk.Timestamp(seconds=-62135596800), '"0001-01-01T00:00:00Z"'),
        (wk.Duration(seconds=-1, nanos=-20_000), '"-1.000020s"'),
        (wk.Duration(nanos=-5), '"-0.000000005s"'),
        (wk.FieldMask(paths=["a.b_c", "d"]), '"a.bC,d"'),
        (wk.FieldMask(paths=["\xf9_\xf9"]), '"\\u00f9\\u00d9"'),
        (wk.Value(null_value=wk.NullValue.NULL_VALUE), "null"),
        (wk.Value(number_value=3), "3.0"),
        (wk.Value(struct_value=wk.Struct()), "{}"),
        (
            wk.ListValue(values=[wk.Value(bool_value=False), wk.Value(list_value=wk.ListValue())]),
            "[\n  false,\n  []\n]",
        ),
        (
            wk.Struct(fields={"b": wk.Value(string_value="é"), "a": wk.Value(number_value=1)}),
            '{\n  "a": 1.0,\n  "b": "\\u00e9"\n}',
        ),
        (wk.Int64Value(value=5), '"5"'),
        (wk.BoolValue(), "false"),
        (wk.BytesValue(value=b"a"), '"YQ=="'),
        (
            Special(a_int32=wk.Int32Value(), null_by_flag={True: 0}),
            '{\n  "aInt32": 0,\n  "nullByFlag": {\n    "true": null\n  }\n}',
        ),
        (wk.Any(), "{}"),
        (packed(Leaf(number=1)), '{\n  "@type": "type.googleapis.com/sample.Leaf",\n  "number": 1\n}'),
        (packed(Leaf()), '{\n  "@type": "type.googleapis.com/sample.Leaf"\n}'),
        (packed(wk.Duration(seconds=1), "x/"), '{\n  "@type": "x/google.protobuf.Duration",\n  "value": "1s"\n}'),
        (
            packed(packed(Leaf(number=1), "x/"), "x/"),
            '{\n  "@type": "x/google.protobuf.Any",\n  "value": {\n'
            '    "@type": "x/sample.Leaf",\n    "number": 1\n  }\n}',
        ),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_printed(message, printed):
    assert json.dumps(message, types=TYPES) == printed
    again = json.loads(printed, type(message), types=TYPES)
    assert json.dumps(again, types=TYPES) == printed


@pytest.mark.parametrize(
    ("options", "printed"),
    [
        ({"indent": None}, '{"text": "\\u00e9", "leaf": {"number": 1}}'),
        ({"indent": None, "ensure_ascii": False}, '{"text": "é", "leaf": {"number": 1}}'),
        ({"indent": 0}, '{\n"text": "\\u00e9",\n"leaf": {\n"number": 1\n}\n}'),
        ({"indent": "\t"}, '{\n\t"text": "\\u00e9",\n\t"leaf": {\n\t\t"number": 1\n\t}\n}'),
        ({"indent": None, "sort_keys": True}, '{"leaf": {"number": 1}, "text": "\\u00e9"}'),
        (
            {"indent": None, "always_print_fields_with_no_presence": True},
            '{"text": "\\u00e9", "leaf": {"number": 1, "text": "", "numbers": []}, "number": 0, "numbers": []}',
        ),
    ],
)
def test_options(options, printed):
    assert json.dumps(Leaf(text="é", leaf=Leaf(number=1)), **options) == printed


@pytest.mark.parametrize(
    ("message", "options", "document"),
    [
        (Scalars(a_mood=Mood.GRIM, a_int32=1), {"use_integers_for_enums": True}, {"aInt32": 1, "aMood": -1}),
        (Scalars(a_mood=Mood.GRIM, a_int32=1), {"preserving_proto_field_name": True}, {"a_int32": 1, "a_mood": "GRIM"}),
        (Named(x1y_2z=[2**53, 2**53 + 1]), {}, {"x1y2z": [str(2**53), str(2**53 + 1)]}),
        (Nesting(), {"always_print_fields_with_no_presence": True}, {"inners": [], "level": "LOW", "levels": {}}),
        (
            Special(nulls=[0], value=wk.Value(null_value=0)),
            {"use_integers_for_enums": True},
            {"nulls": [0], "value": None},
        ),
    ],
)
def test_documents(message, options, document):
    assert json.to_dict(message, types=TYPES, **options) == document
    assert json.from_dict(document, type(message), types=TYPES).to_bytes() == message.to_bytes()


@pytest.mark.slow(reason="generates many messages")
@pytest.mark.parametrize("cls", [*SAMPLES, Special], ids=lambda cls: cls.__qualname__)
def test_output_is_read_back_and_laid_out_as_by_the_standard_library(cls):
    @given(messages(cls))
    def run(message):
        sound(message)
        text = json.dumps(message, types=TYPES)
        document = plain_json.loads(text)
        assert text == plain_json.dumps(document, indent=2)
        assert json.dumps(message, types=TYPES, indent=None) == plain_json.dumps(document)
        assert json.dumps(message, types=TYPES, indent=1, sort_keys=True) == plain_json.dumps(
            document, indent=1, sort_keys=True
        )
        ours = json.dumps(message, types=TYPES, ensure_ascii=False)
        assert ours == plain_json.dumps(document, indent=2, ensure_ascii=False)
        assert json.loads(text, cls, types=TYPES) == message
        assert json.from_dict(document, cls, types=TYPES) == message
        lazy = cls.from_bytes(message.to_bytes(), lazy=True) if not cls.__table__.has_required_fields else message
        assert json.dumps(lazy, types=TYPES) == text

    run()


# --- what cannot be printed --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (Leaf(number="x"), "number: expected an integer, got str 'x'"),
        (Leaf(leaf=Leaf(text="\ud800")), "leaf.text: has no UTF-8 form"),
        (Leaf(text=b"x"), "text: expected a str"),
        (Leaf(numbers=[1, 2**31]), r"numbers\[1\]: 2,147,483,648 is out of range for int32"),
        (Scalars(a_int64=2**63), "a_int64: .*out of range"),
        (Scalars(a_bool="x"), "a_bool: expected a bool"),
        (Scalars(a_bytes="x"), "a_bytes: expected bytes"),
        (Scalars(a_double="x"), "a_double: expected a number"),
        (Scalars(a_leaf=Empty()), "a_leaf: expected a Leaf"),
        (Maps(by_int32={"x": "y"}), r'by_int32\["x"\]: its key: expected an integer'),
        (Maps(by_string={"\ud800": "y"}), "by_string.*no UTF-8 form"),
        (Maps(of_bytes={"a": 1}), r'of_bytes\["a"\]: expected bytes'),
        (Proto2(a_shade=77), "a_shade: 77 is not a member of Shade, which is a closed enum"),
        (
            Special(timestamp=wk.Timestamp(seconds=253402300800)),
            "^timestamp: 253,402,300,800 seconds are out of range",
        ),
        (Special(timestamps=[wk.Timestamp(), wk.Timestamp(nanos=-1)]), r"^timestamps\[1\]: a Timestamp has 0 to"),
        (Special(duration=wk.Duration(seconds=315576000001)), "^duration: .*are out of range for a Duration"),
        (Special(durations=[wk.Duration(nanos=10**9)]), r"^durations\[0\]: the nanos of a Duration must be between"),
        (Special(duration=wk.Duration(seconds=1, nanos=-1)), "^duration: .*same sign"),
        (Special(mask=wk.FieldMask(paths=["a", "fooBar"])), "^mask: the path 'fooBar' cannot be converted"),
        (Special(mask=wk.FieldMask(paths=["foo_1"])), "^mask: the path 'foo_1'"),
        (Special(mask=wk.FieldMask(paths=["\xd9"])), "^mask: the path '\xd9'"),
        (Special(mask=wk.FieldMask(paths=["a_"])), "^mask: the path 'a_'"),
        (Special(special=Special(value=wk.Value())), "^special.value: nothing is set in this Value; for null, set"),
        (Special(values=[wk.Value(bool_value=True), wk.Value()]), r"^values\[1\]: nothing is set"),
        (Special(value=wk.Value(number_value=math.nan)), "^value: nan is not a number that JSON"),
        (Special(value=wk.Value(number_value=-math.inf)), "^value: -inf is not a number that JSON"),
        (Special(value_by_number={3: wk.Value()}), r"^value_by_number\[3\]: nothing is set"),
        (Special(any=wk.Any(type_url="x/no.Such")), "^any: an Any holds no.Such.*types= does not contain this name"),
        (Special(any=wk.Any(type_url="sample.Leaf")), "^any: 'sample.Leaf' has no type name: expected a slash"),
        (Special(any=wk.Any(value=b"x")), "^any: '' has no type name"),
        (
            Special(any_by_name={"a": wk.Any(type_url="x/sample.Leaf", value=b"\x08")}),
            r'^any_by_name\["a"\]: the content of an Any is not a valid sample.Leaf: truncated',
        ),
        (Special(any=packed(wk.Timestamp(nanos=-1))), "^any: a Timestamp has 0 to"),
    ],
)
def test_values_that_cannot_be_printed(message, error):
    for options in ({}, {"preserving_proto_field_name": True, "always_print_fields_with_no_presence": True}):
        with pytest.raises(EncodeError, match=error):
            json.dumps(message, types=TYPES, **options)


def test_an_any_needs_types():
    with pytest.raises(EncodeError, match=r"any: an Any holds sample\.Leaf.*the argument types= is missing"):
        json.dumps(Special(any=packed(Leaf())))


def test_a_message_that_holds_itself():
    message = Recursive()
    message.child = message
    with pytest.raises(EncodeError, match="holds itself"):
        json.dumps(message)


def test_required_fields_may_be_missing_in_output():
    assert json.dumps(Required(id=1), indent=None) == '{"id": 1}'


def test_other_objects_are_refused():
    with pytest.raises(TypeError, match="dict is not a message class"):
        json.dumps({})


def test_damage_in_an_undecoded_part_is_a_decode_error():
    data = Leaf(leaf=Leaf(numbers=[1, 2])).to_bytes()[:-1]
    damaged = Leaf.from_bytes(data[:1] + bytes([data[1] - 1]) + data[2:], lazy=True)
    with pytest.raises(DecodeError, match="Leaf"):
        json.dumps(damaged)


def test_explain_shows_readable_code():
    json.dumps(Leaf())
    from pbwire.codec.codegen import generate_source

    text = generate_source(Leaf.__table__, "print_json").text
    assert "def print_json(out, head, line, message, depth, opened=False):" in text
    compile(explain(Leaf), "explained", "exec")


# --- streaming ---------------------------------------------------------------------------------------------------


def test_to_a_file_or_a_function():
    message, pieces, file = Repeated(a_leaf=[Leaf(number=n) for n in range(2000)]), [], io.StringIO()
    json.dump(message, pieces.append)
    json.dump(message, file)
    assert len(pieces) > 5
    assert "".join(pieces) == file.getvalue() == json.dumps(message)
    assert max(map(len, pieces)) < 50_000


@pytest.mark.parametrize("size", [6143, 6144, 6145, 12_288, 100_000])
def test_long_values_are_cut_where_it_makes_no_difference(size):
    text, data = "é😀\n" * (size // 3) + "x" * (size % 3), b"\xff\0" * (size // 2) + b"x" * (size % 2)
    message = Scalars(a_string=text, a_bytes=data)
    for options in ({}, {"ensure_ascii": False}):
        assert json.dumps(message, **options) == plain_json.dumps(json.to_dict(message), indent=2, **options)
    assert json.loads(json.dumps(message), Scalars) == message
    many = Repeated(a_string=[message.a_string, "x"], a_bytes=[b"", message.a_bytes])
    assert json.loads(json.dumps(many), Repeated) == many
    keys = Maps(of_bytes={message.a_string: message.a_bytes})
    assert json.loads(json.dumps(keys), Maps) == keys


@pytest.mark.slow(reason="measures the memory that large inputs take")
def test_memory_does_not_grow_with_the_message():
    def peak(make, count):
        total = 0

        def write(piece):
            nonlocal total
            total += len(piece)

        json.dump(make(10), write)  # compiled
        message, total = make(count), 0
        tracemalloc.start()
        json.dump(message, write)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert total > 1_500_000
        return peak

    assert peak(lambda n: Scalars(a_bytes=bytes(n)), 1_500_000) < 700_000
    assert peak(lambda n: Scalars(a_string="é" * n), 1_500_000) < 700_000
    assert peak(lambda n: Repeated(a_float=[1 / 3] * n), 100_000) < 700_000
    assert peak(lambda n: Repeated(a_string=["a name"] * n), 150_000) < 700_000
    assert peak(lambda n: Repeated(a_bytes=[b"'"] * n), 150_000) < 700_000
    assert peak(lambda n: Repeated(a_leaf=[Leaf(number=1, text="'")] * n), 50_000) < 700_000
    assert peak(lambda n: Maps(of_leaf={f"{i:0300}": Leaf() for i in range(n)}), 5_000) < 700_000
    assert peak(lambda n: wk.ListValue(values=[wk.Value(string_value="x" * 20)] * n), 60_000) < 700_000


def test_a_lazy_graph_is_decoded_node_by_node():
    node = NodeDef(name="w", attr={"value": AttrValue(tensor=TensorProto(tensor_content=bytes(100_000)))})
    data = MetaGraphDef(graph_def=GraphDef(node=[node] * 100)).to_bytes()
    lazy = MetaGraphDef.from_bytes(data, lazy=True)
    json.dump(lazy, lambda _: None)
    tracemalloc.start()
    json.dump(lazy, lambda _: None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_500_000
    assert lazy.graph_def._unknown.__class__ is tuple


@pytest.mark.parametrize("error", [BrokenPipeError(errno.EPIPE, "closed"), ValueError("closed file"), KeyError("mine")])
def test_errors_of_the_file_pass_through(error):
    def write(_):
        raise error

    with pytest.raises(type(error)) as caught:
        json.dump(Leaf(number=1), SimpleNamespace(write=write))
    assert caught.value is error


def test_nothing_more_is_written_once_a_value_is_refused():
    pieces = []
    message = Special(int64s=[wk.Int64Value(value=1)] * 5000, values=[wk.Value()])
    with pytest.raises(EncodeError, match=r"values\[0\]"):
        json.dump(message, pieces.append)
    assert "".join(pieces).count("timestamp") == 0


@each_file
def test_lazy_models_are_printed_as_eager_ones(path, cls):
    data = path.read_bytes()
    if b"serving.AssetFile" in data:  # a type that is not among TYPES
        with pytest.raises(EncodeError, match=r"tensorflow\.serving\.AssetFile"):
            json.dumps(cls.from_bytes(data), types=TYPES)
        return
    text = json.dumps(cls.from_bytes(data), types=TYPES)
    assert json.dumps(cls.from_bytes(data, lazy=True), types=TYPES) == text
    assert text == plain_json.dumps(plain_json.loads(text), indent=2)
