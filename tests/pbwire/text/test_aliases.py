"""The functions of google.protobuf.text_format: the same arguments, the same text, the same messages."""

from __future__ import annotations

import inspect
import io

import pytest
from google.protobuf import text_format
from hypothesis import given, settings
from hypothesis import strategies as st

from pbwire import EncodeError, TextFormatError, text
from pbwire.text import Merge, MergeLines, MessageToBytes, MessageToString, Parse, ParseLines, PrintMessage, aliases
from pbwire.wellknown import Any
from tests.pbwire.text.reference import (
    OPTIONS,
    SAMPLES,
    TYPES,
    any_options,
    google,
    needs_float_format,
    parsed,
)
from tests.pbwire.text.test_printer import AWKWARD
from tests.support.effort import scaled
from tests.support.protobuf_twin import IS_4_25, twin
from tests.support.samples import (
    Choice,
    Empty,
    Groups,
    Leaf,
    Maps,
    Mood,
    Optionals,
    Proto2,
    Recursive,
    Repeated,
    Scalars,
)
from tests.support.strategies import messages
from tfmodel.messages import AttrValue, GraphDef, MetaGraphDef, NodeDef, VersionDef

CHANGED = set() if IS_4_25 else {"float_format", "double_format", "as_utf8", "max_recursion_depth"}
"""Arguments that protobuf 7 has no longer, with another default, or only there."""


FUNCTIONS = [
    name
    for name, value in vars(aliases).items()
    if inspect.isfunction(value) and value.__module__ == aliases.__name__ and not name.startswith("_")
]


def test_the_functions_are_those_of_protobuf():
    assert {"MessageToString", "Merge"} <= {*FUNCTIONS}
    assert [name for name in FUNCTIONS if not hasattr(text_format, name)] == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_are_called_and_ordered_as_protobufs(name):
    def arguments(function):
        parameters = inspect.signature(function).parameters.values()
        return [(p.name, p.kind, p.default) for p in parameters if p.name not in CHANGED]

    ours, theirs = arguments(getattr(text, name)), arguments(getattr(text_format, name))
    if name == "MessageToBytes":  # which names the rest differently
        ours, theirs = ours[:1], theirs[:1]
    assert ours == theirs


@pytest.mark.parametrize("first", ["0", "-0", "-0.0", "0.5", "-0.5", "nan", "-inf"])
@pytest.mark.parametrize("field", ["a_float", "a_double"])
def test_a_field_that_has_its_default_may_be_set_again_and_in_4_25_minus_zero_too(field, first):
    line = f"{field}: {first} {field}: 1"
    ours, theirs = (Parse, Scalars(), TextFormatError), (text_format.Parse, twin(Scalars)(), text_format.ParseError)
    for parse, message, error in (ours, theirs):
        if first == "0" or (first in ("-0", "-0.0") and IS_4_25):
            assert getattr(parse(line, message), field) == 1
        else:
            with pytest.raises(error):
                parse(line, message)


# --- printing: what test_printing compares, and what is not an option of all --------------------------------------


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_printing_to_a_file(options):
    for message in AWKWARD:
        options = dict(options)
        types = options.pop("types", None)
        ours, theirs = io.StringIO(), io.StringIO()
        PrintMessage(message, ours, descriptor_pool=types, **options)
        options = {"as_utf8": False} | options  # the default of 4.25
        text_format.PrintMessage(twin(type(message)).FromString(message.to_bytes()), theirs, **options)
        assert ours.getvalue() == theirs.getvalue()


@pytest.mark.slow(reason="generates many messages")
@pytest.mark.parametrize("cls", SAMPLES, ids=lambda cls: cls.__qualname__)
def test_fields_in_the_order_of_their_declaration(cls):
    @given(messages(cls, unknown=True), any_options)
    @settings(max_examples=scaled(20))
    def run(message, options):
        types = options.pop("types", None)
        expected = google(message, use_index_order=True, types=types, **options)
        for variant in (message, cls.from_bytes(message.to_bytes(), lazy=True)):
            printed = MessageToString(variant, use_index_order=True, descriptor_pool=types, **options)
            assert printed == expected

    run()


def test_the_order_of_declaration_is_that_of_tensorflow():
    graph = GraphDef(node=[NodeDef(name="a")], version=1, versions=VersionDef(producer=2))
    assert MessageToString(graph, as_one_line=True) == 'node { name: "a" } version: 1 versions { producer: 2 }'
    assert MessageToString(graph, as_one_line=True, use_index_order=True) == (
        'node { name: "a" } versions { producer: 2 } version: 1'
    )


@needs_float_format
@pytest.mark.parametrize("how", ["", ".17g", ".0f", "e", "%", ",.2f", "*^+20.3f", "n", "G"])
def test_any_format_of_numbers(how):
    numbers = [0.5, -0.0, 1 / 3, 1e300, 1e-45, float("inf"), float("nan"), 16777217.0]
    messages = [Repeated(a_float=numbers, a_double=numbers), Maps(of_float={"a": 0.1}, of_double={"a": 0.1})]
    messages += [Scalars(a_float=0.1, a_double=0.1), AttrValue(f=0.1)]
    for message in messages:
        for options in ({"float_format": how}, {"double_format": how}, {"float_format": how, "double_format": ".1e"}):
            for short in (False, True):
                options["use_short_repeated_primitives"] = short
                assert MessageToString(message, **options) == google(message, **options)


@needs_float_format
def test_numbers_of_other_types_are_formatted_as_what_an_encoder_makes_of_them():
    message = Scalars(a_float=1, a_double=True)
    assert MessageToString(message, float_format=".2f") == google(message, float_format=".2f")


def test_how_it_looks():
    message = Maps(of_leaf={"a": Leaf(number=1)}, by_int32={0: "x"})
    assert MessageToString(message, pointy_brackets=True, force_colon=True, indent=1) == (
        ' by_int32: <\n   value: "x"\n >\n of_leaf: <\n   key: "a"\n   value: <\n     number: 1\n   >\n >\n'
    )
    assert MessageToString(Groups(many=[Groups.Many(numbers=[1])]), use_field_number=True, as_one_line=True) == (
        f"{Groups.__table__.by_name['many'].number} {{ {Groups.Many.__table__.by_name['numbers'].number}: 1 }}"
    )
    packed = Any(type_url="a.b/sample.Leaf", value=Leaf(number=1).to_bytes())
    assert MessageToString(packed, True, True, descriptor_pool=TYPES, pointy_brackets=True, force_colon=True) == (
        "[a.b/sample.Leaf]: < number: 1 >"
    )


def test_as_bytes():
    assert MessageToBytes(Leaf(text="é")) == b'text: "\\303\\251"\n'
    assert MessageToBytes(Leaf(text="é"), as_utf8=True, as_one_line=True) == 'text: "é"'.encode()


# --- printing: a formatter ---------------------------------------------------------------------------------------


def test_a_formatter_is_asked_for_every_message():
    message = Maps(of_leaf={"k": Leaf(leaf=Leaf(number=5))}, by_string={"s": "t"})
    calls = []

    def formatter(message, indent, as_one_line):
        calls.append((type(message).__name__, indent, as_one_line))

    assert MessageToString(message, message_formatter=formatter, indent=1) == MessageToString(message, indent=1)
    assert calls == [
        ("Maps", 1, False),
        ("ByStringEntry", 3, False),
        ("OfLeafEntry", 3, False),
        ("Leaf", 5, False),
        ("Leaf", 7, False),
    ]


def test_a_formatter_gets_decoded_parts_of_a_lazy_message_which_stays_lazy():
    data = GraphDef(node=[NodeDef(name="a"), NodeDef(name="b", attr={"T": AttrValue(i=1)})]).to_bytes()
    lazy = GraphDef.from_bytes(data, lazy=True)

    def formatter(message, indent, as_one_line):
        return f"# {message.name} has {len(message.attr)}" if isinstance(message, NodeDef) else None

    printed = MessageToString(lazy, message_formatter=formatter)
    assert printed == "node {\n  # a has 0\n}\nnode {\n  # b has 1\n}\n"
    assert {node._unknown.__class__ for node in lazy.node} == {tuple}


def test_a_formatter_sees_a_large_lazy_message_as_a_whole():
    data = MetaGraphDef(graph_def=GraphDef(node=[NodeDef(name="n" * 50)] * 3000)).to_bytes()
    seen = []

    def formatter(message, indent, as_one_line):
        if isinstance(message, GraphDef):
            seen.append(len(message.node))

    MessageToString(MetaGraphDef.from_bytes(data, lazy=True), message_formatter=formatter)
    assert seen == [3000]


@pytest.mark.parametrize("error", [KeyError("mine"), ValueError("bad"), KeyboardInterrupt()])
def test_exceptions_of_a_formatter_pass_through(error):
    def formatter(message, indent, as_one_line):
        raise error

    with pytest.raises(type(error)) as caught:
        MessageToString(Leaf(), message_formatter=formatter)
    assert caught.value is error


# --- printing: what is refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"indent": -1}, ValueError),
        ({"indent": "  "}, TypeError),
        ({"float_format": "d"}, ValueError),
        ({"float_format": "nonsense"}, ValueError),
        ({"double_format": ".x"}, ValueError),
        ({"double_format": 5}, TypeError),
        ({"message_formatter": lambda *_: b"bytes"}, TypeError),
        ({"message_formatter": lambda: None}, TypeError),
        ({"message_formatter": 5}, TypeError),
    ],
)
def test_wrong_arguments(options, error):
    with pytest.raises(error):
        MessageToString(Leaf(), **options)


def test_wrong_values_and_other_objects():
    with pytest.raises(EncodeError, match="number"):
        MessageToString(Leaf(leaf=Leaf(number="x")), pointy_brackets=True, indent=2, as_one_line=True)
    with pytest.raises(EncodeError, match="a_double"):
        MessageToString(Scalars(a_double="x"), double_format=".1f")
    for nothing in (None, Leaf, "text", 5):
        for function in (MessageToString, lambda m: PrintMessage(m, io.StringIO()), lambda m: Parse("", m)):
            with pytest.raises(TypeError):
                function(nothing)


# --- parsing -----------------------------------------------------------------------------------------------------

PARSED = [
    (Leaf(), "number: 3 numbers: [1, 2] leaf { text: 'x' }"),
    (Leaf(number=2), "number: 1"),
    (Leaf(number=2), "text: 'a'"),
    (Leaf(numbers=[1]), "numbers: 3"),
    (Leaf(leaf=Leaf()), "leaf {}"),
    (Leaf(leaf=Leaf(number=1, numbers=[1])), "leaf { number: 2 numbers: 2 text: 'a' }"),
    (Optionals(a_int32=0), "a_int32: 1"),
    (Optionals(a_mood=Mood.CALM, a_leaf=Leaf(number=1)), "a_mood: HAPPY"),
    (Choice(i=1), "i: 2"),
    (Choice(i=1), "flag: true"),
    (Choice(choice=Choice(i=1)), "choice { flag: true }"),
    (Maps(by_string={"a": "1", "b": "1"}), "by_string { key: 'a' value: '2' } by_string { key: 'c' value: '2' }"),
    (Maps(of_leaf={"a": Leaf(number=1)}), "of_leaf { key: 'a' value { text: 'x' } }"),
    (Proto2(a_int32=0), "a_int32: 5"),
    (Groups(single=Groups.Single()), "Single { }"),
    (Groups(many=[Groups.Many(numbers=[1])]), "Many { numbers: 2 }"),
    (Leaf(unknown_fields=b"\x78\x05"), "number: 1"),
    (Leaf(number=1), "number: 2 nonsense: 3"),
    (Leaf(), "number: 2 nonsense: 3"),
    (Leaf(numbers=[1]), "numbers: 2 numbers: 'x'"),
    (Empty(), "[some.extension]: 1"),
    (Leaf(), "1: 5"),
    (Any(), "[type.googleapis.com/sample.Leaf] { number: 1 }"),
]
PARSE_OPTIONS = [{}, {"allow_unknown_extension": True}, {"allow_field_number": True}, {"allow_unknown_field": True}]


@pytest.mark.parametrize("options", PARSE_OPTIONS, ids=lambda options: "".join(options) or "plain")
@pytest.mark.parametrize("function", ["Parse", "Merge", "ParseLines", "MergeLines"])
@pytest.mark.parametrize("lazy", [False, True], ids=["eager", "lazy"])
def test_a_text_is_merged_into_the_message(function, options, lazy):
    for before, source in PARSED:
        data = before.to_bytes()
        ours, theirs = type(before).from_bytes(data, lazy=lazy), twin(type(before)).FromString(data)
        argument = [source] if "Lines" in function else source
        try:
            getattr(text_format, function)(argument, theirs, descriptor_pool=theirs.DESCRIPTOR.file.pool, **options)
        except text_format.ParseError:
            with pytest.raises(TextFormatError):
                getattr(text, function)(argument, ours, descriptor_pool=TYPES, **options)
        else:
            assert getattr(text, function)(argument, ours, descriptor_pool=TYPES, **options) is ours
        assert ours.to_bytes(deterministic=True) == theirs.SerializeToString(deterministic=True), source


@pytest.mark.slow(reason="generates many messages and compares them with protobuf")
@pytest.mark.parametrize("cls", SAMPLES, ids=lambda cls: cls.__qualname__)
def test_every_printed_form_can_be_parsed(cls):
    flags = ("as_utf8", "as_one_line", "use_short_repeated_primitives", "pointy_brackets", "force_colon")
    layouts = dict.fromkeys((*flags, "use_field_number"), st.booleans()) | {"indent": st.integers(0, 3)}

    @given(messages(cls), st.fixed_dictionaries({}, optional=layouts))
    def run(message, options):
        printed = MessageToString(message, **options)
        numbers = options.get("use_field_number", False)
        assert Parse(printed, cls(), allow_field_number=numbers) == cls.from_bytes(message.to_bytes())

    run()


def test_positional_arguments_mean_what_they_mean_in_protobuf():
    message = Any(type_url="a.b.c/sample.Leaf", value=Leaf(number=1).to_bytes())
    printed = MessageToString(message, False, True, False, True, False, None, None, True, TYPES, 0, None, True, True)
    assert printed == "[a.b.c/sample.Leaf]: < 1: 1 >"
    assert Parse(printed + " 9: 9", Any(), True, True, TYPES, True) == message
    assert Merge(printed, Any(), False, True, TYPES) == message


@pytest.mark.parametrize(
    "lines",
    [
        ["number: 1", "text: 'a'", "# end"],
        ["number: 1\n", "text: 'a'\n", "\n"],
        [b"number: 1\r\n", b"text: 'a'"],
        iter(["number: 1", b"text: 'a'"]),
        [],
    ],
)
def test_lines_may_be_of_any_sort(lines):
    lines = list(lines)
    expected = text_format.ParseLines(lines, twin(Leaf)()).SerializeToString()
    assert ParseLines(iter(lines), Leaf()).to_bytes() == expected
    assert MergeLines(io.StringIO("number: 1\nnumber: 2\n"), Leaf()).number == 2


def test_an_error_in_lines_says_in_which():
    for lines in (["number: 1", "number: x"], ["number: 1\n", "number: x\n"], [b"number: 1\n", "number: x"]):
        with pytest.raises(TextFormatError) as caught:
            ParseLines(lines, Leaf())
        assert (caught.value.line, caught.value.column) == (2, 9)


@pytest.mark.parametrize("source", [b"text: '\xff'", "text: '\ud800'", ["number: 1", "text: '\ud800'"], [b"\xff"]])
def test_invalid_text_is_refused(source):
    with pytest.raises(TextFormatError):
        (ParseLines if isinstance(source, list) else Parse)(source, Leaf())


def test_protobuf_reads_what_we_print_for_it():
    message = Recursive(child=Recursive(depth=1))
    assert parsed(MessageToString(message, pointy_brackets=True), Recursive) == message.to_bytes()
