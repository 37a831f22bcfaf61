"""Errors with problem, path and position; merging; text in bytes; damage; time and nesting."""

from __future__ import annotations

import json as plain_json
import pickle
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbwire import JsonError, json
from pbwire import table as pb
from pbwire import wellknown as wk
from tests.pbwire.json.generated import SAMPLES, TYPES, sound
from tests.pbwire.json.kinds import Special
from tests.support.effort import scaled
from tests.support.samples import Choice, ClosedEnums, Leaf, Maps, Mood, Optionals, Recursive, Repeated, Scalars
from tests.support.strategies import messages
from tfmodel.messages import GraphDef, NodeDef

# --- errors ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cls", "document", "error"),
    [
        (Leaf, '{"number": 1,\n  "text": }', "2:11: expecting value"),
        (Leaf, '{"number": 1} x', "1:15: extra data"),
        (Leaf, "", "1:1: expecting value"),
        (Leaf, '{"a\tb": 1}', "1:4: invalid control character at"),
        (Leaf, "\ufeff{}", "1:1: begins with a byte order mark, which JSON does not allow"),
        (Leaf, '{\n "NaN": "\\"NaN",\n "x": NaN}', '3:7: NaN is not JSON; a field of floats takes "NaN", in quotes'),
        (
            Leaf,
            '[1, "Infinity", -Infinity]',
            '1:17: -Infinity is not JSON; a field of floats takes "-Infinity", in quotes',
        ),
        (Leaf, '{"number":\n' + "7" * 5000 + "}", "2:1: an integer of 5,000 digits is out of range for every field"),
        (Leaf, '{"leaf": {"nubmer": 1}}', 'leaf: Leaf has no field "nubmer"; did you mean "number"?'),
        (Leaf, '{"xyz": 1}', 'Leaf has no field "xyz"'),
        (Leaf, '{"leaf": 1}', "leaf: expected an object for Leaf, got 1"),
        (Leaf, '{"leaf": {"leaf": [1]}}', "leaf.leaf: expected an object for Leaf, got a list"),
        (Leaf, '{"number": "twelve"}', 'number: expected an integer, got "twelve"'),
        (Leaf, '{"number": 1.5}', "number: expected an integer, got 1.5"),
        (Leaf, '{"number": true}', "number: expected an integer, got true"),
        (
            Leaf,
            '{"number": 2147483648}',
            "number: 2147483648 is out of range for int32 (-2,147,483,648 to 2,147,483,647)",
        ),
        (
            Leaf,
            f'{{"number": {10**400}}}',
            "number: an integer of 1,329 bits is out of range for int32 (-2,147,483,648 to 2,147,483,647)",
        ),
        (Leaf, '{"numbers": [1, 2, null]}', "numbers[2]: expected an integer, got null"),
        (Leaf, '{"numbers": 1}', "numbers: expected a list, got 1"),
        (Leaf, '{"text": 1}', "text: expected a string, got 1"),
        (Leaf, '{"text": "ab\\ud800"}', "text: character 2 is '\\ud800', half of a surrogate pair"),
        (Leaf, '{"text": {"' + "x" * 100 + '": 1}}', "text: expected a string, got an object"),
        (
            Leaf,
            '{"number": "' + "x" * 100 + '"}',
            'number: expected an integer, got "' + "x" * 60 + '..." (100 characters)',
        ),
        (Leaf, '{"number": "\\u001b[1m"}', 'number: expected an integer, got "\\x1b[1m"'),
        (Leaf, '{"leaf": {"number": 1, "number": 2}}', 'leaf: duplicate key "number" in an object'),
        (Scalars, '{"a_int32": 1, "aInt32": 1}', 'a_int32: "a_int32" and "aInt32" are the same field'),
        (Scalars, '{"aFloat": 1e39}', "a_float: 1e+39 is out of range for float"),
        (Scalars, '{"aDouble": 1e400}', "a_double: inf is out of range for double"),
        (Scalars, '{"aDouble": "1e400"}', 'a_double: "1e400" is out of range for double'),
        (Scalars, '{"aDouble": "nan"}', 'a_double: expected a number, "NaN", "Infinity" or "-Infinity", got "nan"'),
        (Scalars, '{"aBool": "true"}', 'a_bool: expected true or false, got "true"'),
        (Scalars, '{"aBytes": "Q"}', 'a_bytes: expected bytes in base64, got "Q": '),
        (Scalars, '{"aBytes": "Q=Q="}', 'a_bytes: expected bytes in base64, got "Q=Q=": '),
        (Scalars, '{"aMood": "HAPY"}', 'a_mood: Mood has no value "HAPY"; did you mean "HAPPY"?'),
        (Scalars, '{"aMood": []}', "a_mood: expected a name or number of Mood, got []"),
        (ClosedEnums, '{"many": ["LIGHT", 77]}', "many[1]: 77 is not a member of Shade, which is a closed enum"),
        (
            Choice,
            '{"i": 1, "otherS": "x", "f": 2}',
            'f: cannot be combined with "i": both are members of the oneof first',
        ),
        (Maps, '{"byInt32": {"x": ""}}', 'by_int32["x"]: expected an integer, got "x"'),
        (
            Maps,
            '{"byInt32": {"1": "", "1.0": ""}}',
            'by_int32["1.0"]: duplicate key: the map has 1 already, in another spelling',
        ),
        (Maps, '{"byBool": {"1": ""}}', 'by_bool["1"]: the key of this map is "true" or "false", not "1"'),
        (Maps, '{"byInt32": []}', "by_int32: expected an object for a map, got []"),
        (Maps, '{"ofLeaf": {"a\\n\\"b": {"text": 1}}}', 'of_leaf["a\\n\\"b"].text: expected a string, got 1'),
        (Repeated, '{"aLeaf": [{}, {"leaf": {"number": []}}]}', "a_leaf[1].leaf.number: expected an integer, got []"),
        (Repeated, '{"aInt64": ["1", "x"]}', 'a_int64[1]: expected an integer, got "x"'),
        (
            NodeDef,
            '{"attr": {"T": {"type": "DT_FLOT"}}}',
            'attr["T"].type: DataType has no value "DT_FLOT"; did you mean "DT_FLOAT"?',
        ),
        (
            GraphDef,
            '{"node": [{}, {}, {"attr": {"T": {"list": {"i": ["1", "2", "?"]}}}}]}',
            'node[2].attr["T"].list.i[2]: expected an integer, got "?"',
        ),
        (
            Special,
            '{"timestamp": "yesterday"}',
            'timestamp: expected a point in time such as "2024-05-31T23:59:59.5Z", got',
        ),
        (
            Special,
            '{"timestamp": "0001-01-01T00:00:00+01:00"}',
            'timestamp: "0001-01-01T00:00:00+01:00" is not in the years',
        ),
        (Special, '{"duration": 5}', 'duration: expected a length of time in seconds such as "-1.5s", got 5'),
        (Special, '{"duration": "999999999999s"}', 'duration: "999999999999s" is more than 315,576,000,000 seconds'),
        (
            Special,
            '{"mask": "foo_bar"}',
            'mask: "foo_bar" has an underscore: expected field names in lowerCamelCase',
        ),
        (Special, '{"mask": 1}', 'mask: expected field names in lowerCamelCase such as "a,b.cD", got 1'),
        (Special, '{"struct": {"a": [1, {"b": "\\ud800"}]}}', 'struct["a"][1]["b"]: character 0 is'),
        (Special, '{"value": 1e400}', "value: inf is out of range for double"),
        (Special, '{"any": {"number": 1}}', 'any: an Any needs "@type", the URL of its type'),
        (
            Special,
            '{"any": {"@type": "x/no.Such"}}',
            'any: an Any of type "no.Such" cannot be read without its class: types= does not contain this name',
        ),
        (Special, '{"any": {"@type": "sample.Leaf"}}', 'any: "@type" is "sample.Leaf": expected a slash and then'),
        (Special, '{"any": {"@type": 1}}', 'any: "@type" should be the URL of a type, got 1'),
        (
            Special,
            '{"anys": [{"@type": "x/sample.Leaf", "leaf": {"text": 1}}]}',
            "anys[0].leaf.text: expected a string, got 1",
        ),
        (
            Special,
            '{"any": {"@type": "x/google.protobuf.Duration"}}',
            'any: an Any of Duration needs the key "value"',
        ),
        (
            Special,
            '{"any": {"@type": "x/google.protobuf.Duration", "value": 1}}',
            "any.value: expected a length of time",
        ),
        (
            Special,
            '{"any": {"@type": "x/google.protobuf.Duration", "value": "1s", "more": 1}}',
            'any: an Any of Duration may have only the keys "@type" and "value", got "more"',
        ),
        (Special, '{"any": {"@type": "x/sample.Required"}}', "any: the Required in an Any cannot be encoded: "),
    ],
)
def test_errors_say_what_and_where(cls, document, error):
    with pytest.raises(JsonError) as caught:
        json.loads(document, cls, types=TYPES)
    assert str(caught.value).startswith(error)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_line_and_column_are_attributes_and_so_is_the_path():
    with pytest.raises(JsonError) as caught:
        json.loads('{"text":\n"x" "y"}', Leaf)
    assert (caught.value.line, caught.value.column, caught.value.path) == (2, 5, "")
    with pytest.raises(JsonError) as caught:
        json.loads('{"leaf": {"text": 1}}', Leaf)
    assert (caught.value.line, caught.value.column, caught.value.path) == (None, None, "leaf.text")


def test_an_any_needs_types():
    with pytest.raises(JsonError, match=r"any: an Any of type .*the argument types= is missing"):
        json.loads('{"any": {"@type": "x/sample.Leaf"}}', Special)


def test_duplicate_keys_are_refused_everywhere():
    for document in ('{"unknown": {"a": 1, "a": 2}}', '{"unknown": [[{"a": 1, "a": 2}]], "number": 1}'):
        with pytest.raises(JsonError, match='duplicate key "a"'):
            json.loads(document, Leaf, ignore_unknown_fields=True)


@pytest.mark.parametrize(
    "document",
    [
        {1: 2},
        {"text": b"x"},
        {"number": 1j},
        {"leaf": object()},
        {"numbers": {1, 2}},
        5,
        {"number": float("nan")},
        {"leaf": {None: 1}},
    ],
)
def test_values_that_json_cannot_have_are_refused_in_documents(document):
    with pytest.raises(JsonError):
        json.from_dict(document, Leaf)


def test_wrong_arguments_are_type_errors():
    for arguments in ((1, Leaf), (None, Leaf), ("{}", dict), ("{}", int)):
        with pytest.raises(TypeError):
            json.loads(*arguments)


# --- text in bytes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrap", [bytes, bytearray, memoryview])
def test_bytes_are_utf_8_and_may_begin_with_a_byte_order_mark(wrap):
    assert json.loads(wrap('{"text": "é"}'.encode()), Leaf) == Leaf(text="é")
    assert json.loads(wrap(b'\xef\xbb\xbf{"number": 1}'), Leaf) == Leaf(number=1)


def test_bytes_that_are_not_utf_8():
    with pytest.raises(JsonError, match=r"^2:11: not UTF-8$"):
        json.loads('{"number": 1,\n "text": "é'.encode()[:-1] + b'"}', Leaf)
    with pytest.raises(JsonError, match=r"^1:3: not UTF-8$"):
        json.loads(b"\xef\xbb\xbf{ \xff}", Leaf)
    with pytest.raises(JsonError, match=r"^1:1: not UTF-8$"):
        json.loads('{"number": 1}'.encode("utf-16"), Leaf)


# --- reading into a message --------------------------------------------------------------------------------------


def test_a_message_is_read_into_another_as_json_format_does():
    message = Leaf(number=1, text="a", numbers=[1], leaf=Leaf(number=2, numbers=[3]))
    assert json.Parse('{"text": "b", "numbers": [7], "leaf": {"text": "c"}}', message) is message
    assert message == Leaf(number=1, text="b", numbers=[7], leaf=Leaf(number=2, text="c", numbers=[3]))
    json.ParseDict({"number": None, "numbers": None, "leaf": {"leaf": {}}}, message)
    assert message == Leaf(text="b", leaf=Leaf(number=2, text="c", numbers=[3], leaf=Leaf()))
    json.Parse('{"leaf": null}', message)
    assert message == Leaf(text="b")


def test_oneofs_maps_and_enums_are_replaced():
    choice = Choice(i=1)
    json.Parse('{"leaf": {"number": 3}}', choice)
    assert choice == Choice(leaf=Leaf(number=3))
    json.Parse('{"leaf": {"text": "x"}, "i": null}', choice)
    assert choice == Choice(leaf=Leaf(number=3, text="x"))
    json.Parse('{"leaf": null}', choice)
    assert choice == Choice()
    maps = Maps(by_int32={1: "a"}, of_leaf={"a": Leaf(number=1)})
    json.Parse('{"byInt32": {"2": "b"}, "ofLeaf": {"a": {"text": "x"}}}', maps)
    assert maps == Maps(by_int32={2: "b"}, of_leaf={"a": Leaf(text="x")})
    special = Special(
        struct=wk.Struct(fields={"a": wk.Value(number_value=1)}), duration=wk.Duration(seconds=5, nanos=1)
    )
    json.Parse('{"struct": {"b": 1}, "duration": "1s", "value": null}', special)
    assert json.to_dict(special) == {"struct": {"b": 1.0}, "duration": "1s", "value": None}
    assert json.Parse('{"aMood": "HAPPY"}', Scalars(a_int32=5)) == Scalars(a_int32=5, a_mood=Mood.HAPPY)


def test_a_lazy_message_is_read_into_like_any_other():
    data = Leaf(number=1, leaf=Leaf(number=2)).to_bytes()
    message = Leaf.from_bytes(data, lazy=True)
    json.Parse('{"leaf": {"text": "x"}}', message)
    assert message == Leaf(number=1, leaf=Leaf(number=2, text="x"))
    assert json.Parse("{}", Maps.from_bytes(Maps(by_int32={1: "a"}).to_bytes(), lazy=True)) == Maps(by_int32={1: "a"})


def test_protobufs_spelling_has_protobufs_keywords():
    message = Scalars(a_int64=5, a_float=0.123456789, a_mood=Mood.HAPPY)
    assert json.MessageToDict(
        message, use_integers_for_enums=True, preserving_proto_field_name=True, float_precision=3
    ) == {"a_int64": "5", "a_float": 0.123, "a_mood": 1}
    assert json.MessageToDict(message, unquote_int64_if_possible=True)["aInt64"] == 5
    assert json.MessageToJson(Leaf(number=1), True, None) == '{"number": 1}'
    assert json.MessageToDict(Leaf(), always_print_fields_with_no_presence=True) == {
        "number": 0,
        "text": "",
        "numbers": [],
    }
    assert json.Parse('{"x": 1, "number": 2}', Leaf(), ignore_unknown_fields=True) == Leaf(number=2)
    document = {"any": {"@type": "x/sample.Leaf", "number": 1}}
    special = json.ParseDict(document, Special(), descriptor_pool=TYPES, max_recursion_depth=5)
    assert json.MessageToDict(special, descriptor_pool=TYPES) == document


# --- damage ------------------------------------------------------------------------------------------------------

TOKENS = [
    '"',
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "true",
    "1",
    "-",
    "e9",
    ".",
    "\\ud800",
    "NaN",
    "=",
    " ",
    "\0",
]
TOKENS += ['"@type"', '"a"', "1e999", "9" * 30, "9" * 5000, "é", "\ud800", "[" * 3000, '{"leaf":' * 150]


@st.composite
def damaged(draw, text):
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        stop = draw(st.integers(at, min(len(text), at + 12)))
        position = draw(st.integers(0, len(text)))
        new = draw(st.sampled_from([*TOKENS, "", text[position : position + 10], text[at:stop] * 2]))
        text = text[:at] + new + text[stop:]
    return text


@pytest.mark.slow(reason="damages inputs in thousands of ways")
@pytest.mark.parametrize("cls", [*SAMPLES, Special, GraphDef], ids=lambda cls: cls.__qualname__)
def test_damage_raises_nothing_but_json_errors(cls):
    @given(messages(cls).map(lambda message: json.dumps(sound(message), types=TYPES)).flatmap(damaged), st.booleans())
    @settings(max_examples=scaled(100))
    def run(text, ignore):
        try:
            message = json.loads(text, cls, types=TYPES, ignore_unknown_fields=ignore)
        except JsonError as error:
            assert str(error)
        else:
            assert json.loads(json.dumps(message, types=TYPES), cls, types=TYPES) is not None

    run()


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from(
                [
                    "aInt32",
                    "a_int32",
                    "aBytes",
                    "aMood",
                    "aLeaf",
                    "number",
                    "text",
                    "leaf",
                    "any",
                    "@type",
                    "value",
                    "struct",
                    "timestamp",
                    "duration",
                    "mask",
                    "list",
                    "aDouble",
                    "byInt32",
                    "ofLeaf",
                    "1",
                    "",
                ]
            )
            | st.text(),
            inner,
        )
    ),
    max_leaves=12,
)


@pytest.mark.slow(reason="generates many documents")
@given(values, st.sampled_from([Scalars, Optionals, Repeated, Maps, Special, Leaf]), st.booleans())
@settings(max_examples=scaled(500))
def test_any_document_at_all_is_read_or_refused(document, cls, ignore):
    try:
        json.from_dict(document, cls, types=TYPES, ignore_unknown_fields=ignore)
    except JsonError as error:
        assert str(error)


# --- depth and size ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        "[" * 100_000,
        '{"child": ' * 100_000,
        '{"child": ' * 100_000 + "{}" + "}" * 100_000,
        '{"unknown": ' + "[" * 100_000 + "]" * 100_000 + "}",
    ],
    ids=["brackets", "open", "closed", "unknown"],
)
@pytest.mark.parametrize("ignore", [False, True])
def test_deep_nesting_is_refused(document, ignore):
    with pytest.raises(JsonError, match="nested"):
        json.loads(document, Recursive, ignore_unknown_fields=ignore, max_depth=10**9)


def test_the_limit_counts_messages_and_can_be_set():
    document = {}
    for _ in range(150):
        document = {"child": document}
    with pytest.raises(JsonError, match="nested too deeply: more than 101 levels of messages"):
        json.from_dict(document, Recursive)
    assert json.from_dict(document, Recursive, max_depth=151).to_bytes()
    with pytest.raises(JsonError, match="more than 150 levels"):
        json.from_dict(document, Recursive, max_depth=150)


def test_depth_beyond_what_python_can_do_is_refused_as_well():
    document = {}
    for _ in range(sys.getrecursionlimit() + 1):  # hypothesis raises the limit
        document = {"child": document}
    with pytest.raises(JsonError, match="nested more deeply than this program's recursion limit allows"):
        json.from_dict(document, Recursive, max_depth=10**9)


LARGE = {
    "integers": lambda n: Repeated(a_int32=range(n)),
    "long integers": lambda n: Repeated(a_int64=range(n)),
    "floats": lambda n: Repeated(a_float=[0.5] * n),
    "strings": lambda n: Repeated(a_string=["é"] * n),
    "one string": lambda n: Scalars(a_string="é" * (n * 5)),
    "one bytes": lambda n: Scalars(a_bytes=bytes(n * 5)),
    "enums": lambda n: Repeated(a_mood=[Mood.HAPPY] * n),
    "messages": lambda n: Repeated(a_leaf=[Leaf(number=1)] * n),
    "entries": lambda n: Maps(by_int32=dict.fromkeys(range(n), "")),
}


@pytest.mark.slow(reason="reads or transforms inputs that are large")
@pytest.mark.parametrize("make", LARGE.values(), ids=LARGE)
def test_large_documents_are_read_in_seconds(make):
    message = make(200_000)  # with a step that takes time for all that came before, this would take minutes
    text = json.dumps(message)
    assert json.loads(text, type(message)) == message


@pytest.mark.slow(reason="reads or transforms inputs that are large")
def test_a_million_elements_and_a_string_of_50_megabytes():
    assert json.loads(f'{{"numbers": [{"7, " * 999_999}7]}}', Leaf).numbers == [7] * 1_000_000
    text = json.loads('{"text": "' + "x" * 50_000_000 + '"}', Leaf).text
    assert len(text) == 50_000_000
    with pytest.raises(JsonError, match=r"50,000,000 characters"):
        json.loads('{"number": "' + "x" * 50_000_000 + '"}', Leaf)
    with pytest.raises(JsonError, match="out of range for int32"):
        json.loads('{"number": "' + "1" * 1_000_000 + '"}', Leaf)


def test_plain_lists_are_read_as_others_are():
    plain = json.loads('{"aInt64": ["1", "-2"], "aFloat": [0.1], "aBool": [true], "aDouble": [1.5]}', Repeated)
    mixed = json.loads('{"aInt64": ["1", -2.0], "aFloat": ["0.1"], "aBool": [true], "aDouble": ["1.5"]}', Repeated)
    assert plain == mixed
    assert plain_json.loads(json.dumps(plain))["aFloat"] == [0.1]
    shared = [1, 2]
    message = json.from_dict({"numbers": shared}, Leaf)
    message.numbers.append(3)
    assert shared == [1, 2]


def test_fields_may_have_the_names_of_kinds():
    @pb.message("kinds.Awkward")
    class Awkward(pb.Message):
        """Names that generated code has a use for."""

        string: list[int] = pb.repeated(pb.int64, 1)
        int64: list[str] = pb.repeated(pb.string, 2)
        name: str = pb.string(3)
        value: int = pb.int64(4)
        message: list[float] = pb.repeated(pb.float, 5)
        number: dict[str, bytes] = pb.map(pb.string, pb.bytes, 6)
        json_: str = pb.string(7)

    message = Awkward(string=[1], int64=["é"], name="n", value=-1, message=[0.5], number={"é": b"x"}, json_="j")
    for options in ({}, {"preserving_proto_field_name": True}):
        assert json.loads(json.dumps(message, **options), Awkward) == message
