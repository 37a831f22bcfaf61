"""The printer compared with Google's, byte for byte."""

from __future__ import annotations

from enum import Enum, StrEnum
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbwire import DecodeError, EncodeError, explain, text
from pbwire.wellknown import Any
from tests.pbwire.test_corpus import FILES, each_file
from tests.pbwire.text.reference import (
    OPTIONS,
    SAMPLES,
    TYPES,
    any_options,
    google,
    ours,
    parsed,
)
from tests.support.case_tables import each_case
from tests.support.corpus import corpus_files, needs_corpus
from tests.support.effort import scaled
from tests.support.protobuf_twin import IS_4_25, Job, pure_python
from tests.support.samples import (
    Choice,
    Empty,
    Groups,
    Leaf,
    Leaf2,
    Maps,
    Mood,
    Optionals,
    Proto2,
    Recursive,
    Repeated,
    Scalars,
)
from tests.support.strategies import messages, wire_bytes
from tests.support.wire_bytes import ld, number
from tfmodel.messages import CollectionDef, GraphDef, MetaGraphDef, NodeDef, RunMetadata, VersionDef

each_option = each_case("options", OPTIONS)


def check(message, **options):
    expected = google(message, **options)
    assert [printed for printed in ours(message, **options) if printed != expected] == []


# --- real files --------------------------------------------------------------------------------------------------


@each_file
def test_every_model_is_printed_as_google_prints_it(path, cls):
    data = path.read_bytes()
    message = cls.from_bytes(data)
    small = len(data) < 500_000  # Google's printer is slow
    for options in OPTIONS.values() if small else (OPTIONS["plain"], OPTIONS["all"]):
        expected = google(data, cls, **options)
        assert all(printed == expected for printed in ours(message, **options)), options


@each_file
def test_a_lazy_model_is_printed_as_an_eager_one_and_stays_undecoded(path, cls):
    data = path.read_bytes()
    eager, lazy = cls.from_bytes(data), cls.from_bytes(data, lazy=True)
    undecoded = lazy.to_bytes()
    for options in (OPTIONS["plain"], OPTIONS["all"]):
        assert list(ours(lazy, **options)) == list(ours(eager, **options))
    assert lazy.to_bytes() == undecoded


@needs_corpus
def test_text_files_survive_being_read_and_printed():
    for path in corpus_files(".pbtxt"):
        cls = RunMetadata if "metadata" in path.name else GraphDef
        data = parsed(path.read_text(), cls)
        assert text.dumps(cls.from_bytes(data)) == google(data, cls)


def test_there_are_files_of_several_kinds():
    assert {cls for _, cls in FILES} >= {MetaGraphDef, GraphDef}


# --- generated messages ------------------------------------------------------------------------------------------


@pytest.mark.slow(reason="generates many messages and compares them with protobuf")
@pytest.mark.parametrize("cls", SAMPLES, ids=lambda cls: cls.__qualname__)
def test_generated_messages_are_printed_as_google_prints_them(cls):
    @given(messages(cls, unknown=True, nan=True), any_options)
    @settings(max_examples=scaled(60))
    def run(message, options):
        check(message, **options)

    run()


@pytest.mark.slow(reason="generates many messages and compares them with protobuf")
@pytest.mark.parametrize("cls", SAMPLES, ids=lambda cls: cls.__qualname__)
def test_messages_from_any_valid_bytes_are_printed_as_google_prints_them(cls):
    """Except unknown fields: upb does not always keep the original bytes of a map entry or a closed enum."""

    @given(wire_bytes(cls, nan=True), any_options)
    @settings(max_examples=scaled(40))
    def run(data, options):
        options["print_unknown_fields"] = False
        expected = google(data, cls, **options)
        assert all(printed == expected for printed in ours(cls.from_bytes(data), **options))

    run()


@given(st.sampled_from([GraphDef, NodeDef, MetaGraphDef, CollectionDef]).flatmap(messages), any_options)
@settings(max_examples=scaled(100))
def test_generated_models_are_printed_as_google_prints_them(message, options):
    check(message, **options)


@pytest.mark.slow(reason="generates many messages and compares them with protobuf")
@given(st.sampled_from(list(TYPES.values())).flatmap(lambda cls: messages(cls, unknown=True, nan=True)))
@settings(max_examples=scaled(300))
def test_hundreds_of_messages_are_printed_as_google_prints_them_with_each_option(message):
    for options in OPTIONS.values():
        check(message, **options)


CLASSES = [Recursive, Choice, Maps, Groups, Proto2, CollectionDef]


@given(st.sampled_from(CLASSES).flatmap(lambda cls: messages(cls, unknown=True)), any_options)
@settings(max_examples=scaled(150))
def test_lazy_messages_are_printed_as_eager_ones(message, options):
    data = message.to_bytes()
    lazy = type(message).from_bytes(data, lazy=True)
    expected = google(data, type(message), **options)
    assert all(printed == expected for printed in ours(lazy, **options))
    assert lazy.to_bytes() == type(message).from_bytes(data, lazy=True).to_bytes()


# --- by hand -----------------------------------------------------------------------------------------------------

AWKWARD = [
    Empty(),
    Leaf(number=-(2**31), numbers=[0, 2**31 - 1], leaf=Leaf(leaf=Leaf())),
    Scalars(a_string="".join(map(chr, range(256))), a_bytes=bytes(range(256))),
    Scalars(a_string="\ud7ff\ue000\uffff\U0010ffff\u2028\ufeff", a_mood=5),
    Scalars(a_int64=-(2**63), a_uint64=2**64 - 1, a_sfixed64=2**63 - 1, a_fixed32=2**32 - 1, a_bool=True),
    Scalars(a_mood=Mood.LIVID, a_leaf=Leaf()),
    Scalars(a_mood=2**31 - 1),
    Scalars(a_mood=-(2**31) + 1),
    Optionals(a_string="", a_bytes=b"", a_int32=0, a_bool=False, a_float=0.0, a_mood=Mood.CALM, a_leaf=Leaf()),
    Choice(before=1, i=0, other_s=""),
    Choice(last=True, empty=Empty(), other_x=2**64 - 1, after=[1]),
    Choice(choice=Choice(flag=False), between="b"),
    Maps(by_string={"": ""}, of_leaf={"": Leaf()}, of_bytes={"": b""}, by_bool={False: "", True: "yes"}),
    Maps(by_string={"b": "2", "a": "1", "é": "3", "B": "4", "a\n": "5", "a" * 300: "6"}),
    Maps(leaf_by_number={0: Leaf(), -1: Leaf(number=1), 1: Leaf(text="x")}, of_mood={"z": 0, "k": 77, "h": 1}),
    Maps(of_double={"zero": 0.0, "minus": -0.0, "nan": float("nan")}, of_float={"inf": float("-inf")}),
    Maps(by_uint64={2**64 - 1: "a", 0: "b", 10: "c", 9: "d"}, mood_by_flag={True: Mood.GRIM, False: 0}),
    Proto2(names={0: "", 1: "x"}, leaves={"": Leaf2(), "a": Leaf2(number=0)}, d_string="", one_leaf=Leaf2()),
    Proto2(a_double=0.0, a_bytes=b"", r_string=["", "'"], r_bytes=[b"", b"\xff"], p_bool=[True, False]),
    Groups(single=Groups.Single(deep=Groups.Single.Deep()), many=[Groups.Many(), Groups.Many(inner=[])]),
    Repeated(a_string=["a", "b'", "\n"] * 50, a_bytes=[b"", b"'\x00"] * 50, a_leaf=[Leaf()] * 3),
]


@each_option
@pytest.mark.parametrize("message", AWKWARD, ids=lambda message: type(message).__name__)
def test_awkward_messages(message, options):
    check(message, **options)


def test_how_it_looks():
    message = Maps(by_int32={0: "zero", 7: ""}, of_leaf={"": Leaf(), "a": Leaf(numbers=[1, 2])})
    assert text.dumps(message) == (
        'by_int32 {\n  value: "zero"\n}\n'
        "by_int32 {\n  key: 7\n}\n"
        "of_leaf {\n  value {\n  }\n}\n"
        'of_leaf {\n  key: "a"\n  value {\n    numbers: 1\n    numbers: 2\n  }\n}\n'
    )
    assert text.dumps(message, as_one_line=True, use_short_repeated_primitives=True) == (
        'by_int32 { value: "zero" } by_int32 { key: 7 } '
        'of_leaf { value { } } of_leaf { key: "a" value { numbers: [1, 2] } }'
    )
    assert text.dumps(Proto2(names={0: ""})) == 'names {\n  key: 0\n  value: ""\n}\n'  # zeros are values in proto2
    assert text.dumps(Groups(many=[Groups.Many(numbers=[1])])) == "Many {\n  numbers: 1\n}\n"
    assert text.dumps(Empty()) == text.dumps(Empty(), as_one_line=True) == ""


NEGATIVE_ZEROS = ["a_double: -0.0", "a_float: -0.0", 'of_double { key: "a" value: -0.0 }']


def test_googles_two_backends_of_4_25_differ_in_negative_zero_and_we_side_with_upb():
    messages = [Scalars(a_double=-0.0), Scalars(a_float=-0.0), Maps(of_double={"a": -0.0})]
    jobs = [Job(f"sample.{type(m).__name__}", m.to_bytes(), "text", {"as_one_line": True}) for m in messages]
    assert pure_python(jobs) == (["", "", 'of_double { key: "a" }'] if IS_4_25 else NEGATIVE_ZEROS)
    ours = [text.dumps(message, as_one_line=True) for message in messages]
    assert ours == [google(message, as_one_line=True) for message in messages]
    assert ours == NEGATIVE_ZEROS


def test_the_backends_agree_in_everything_else():
    options = [{"as_one_line": one_line, "as_utf8": utf8} for one_line, utf8 in product([False, True], repeat=2)]
    cases = [(message, choice) for message in AWKWARD if "minus" not in repr(message) for choice in options]
    jobs = [Job(type(m).__table__.full_name, m.to_bytes(), "text", choice) for m, choice in cases]
    assert pure_python(jobs) == [text.dumps(message, **choice) for message, choice in cases]


def test_a_printer_is_explained():
    assert "def print(out, line, message, depth):" in explain(Leaf)


# --- values of other types than decoding makes -------------------------------------------------------------------


class Text(str):
    def __str__(self):
        return "not this"

    def __format__(self, how):
        return "nor this"


class Word(StrEnum):
    PLAIN = "plain"


class Mixed(str, Enum):  # noqa: UP042  which a format prints as Mixed.ONE
    ONE = "one"


class Number:
    def __index__(self):
        return 1


class Subclass(Leaf):
    pass


@pytest.mark.parametrize(
    "message",
    [
        Scalars(a_double=1, a_float=1, a_int32=True, a_int64=Mood.HAPPY, a_bool=1, a_mood=1),
        Scalars(a_float=0.1, a_double=True, a_fixed64=Number()),
        Scalars(a_float=1e300),
        Scalars(a_string=Text("this"), a_bytes=bytearray(b"'a'")),
        Scalars(a_string=Word.PLAIN, a_bytes=memoryview(b"abc")),
        Scalars(a_string=Mixed.ONE, a_bytes=memoryview(b"abcd").cast("H")),
        Repeated(a_string=[Text("this"), Word.PLAIN, Mixed.ONE], a_bytes=[b"x", bytearray(b"y"), memoryview(b"'")]),
        Repeated(a_bytes=[memoryview(b"abcd").cast("H"), bytearray(b"y")]),
        Repeated(a_int32=[True, Mood.GRIM, Number()], a_double=[1, 2**70], a_float=[0.1, 1e300], a_bool=[0, 1, True]),
        Repeated(a_mood=[1, Mood.GRIM, 99, True], a_uint64=[2**64 - 1, Number()]),
        Maps(by_int32={True: "a"}, by_bool={1: "b", 0: "c"}, by_string={Text("k"): Text("v")}, of_mood={"a": True}),
        Proto2(a_shade=1, names={False: ""}),
        Choice(mood=150, other_z=True),
    ],
)
def test_values_that_an_encoder_accepts_are_printed_as_it_encodes_them(message):
    for options in ({}, {"as_utf8": True, "use_short_repeated_primitives": True}):
        check(message, **options)


def test_an_instance_of_a_subclass_is_printed():
    assert text.dumps(Scalars(a_leaf=Subclass(number=1))) == "a_leaf {\n  number: 1\n}\n"
    assert text.dumps(Subclass(number=1)) == "number: 1\n"


@pytest.mark.parametrize(
    ("message", "path"),
    [
        (Scalars(a_int32="1"), "a_int32"),
        (Scalars(a_int32=1.0), "a_int32"),
        (Scalars(a_int32=2**31), "a_int32"),
        (Scalars(a_uint64=-1), "a_uint64"),
        (Scalars(a_string=b"text"), "a_string"),
        (Scalars(a_string="\ud800"), "a_string"),
        (Scalars(a_string=5), "a_string"),
        (Scalars(a_bytes="text"), "a_bytes"),
        (Scalars(a_bytes=5), "a_bytes"),
        (Scalars(a_bool="yes"), "a_bool"),
        (Scalars(a_double="1.5"), "a_double"),
        (Scalars(a_float="1.5"), "a_float"),
        (Scalars(a_mood="HAPPY"), "a_mood"),
        (Scalars(a_mood=1.0), "a_mood"),
        (Scalars(a_mood=2**31), "a_mood"),
        (Scalars(a_leaf=Scalars()), "a_leaf"),
        (Scalars(a_leaf={"number": 1}), "a_leaf"),
        (Scalars(a_leaf=Leaf(leaf=Leaf(number="x"))), "a_leaf.leaf.number"),
        (Repeated(a_string=["a", 1]), "a_string[1]"),
        (Repeated(a_string=[1, "a"]), "a_string[0]"),
        (Repeated(a_string=["a", b"b"]), "a_string[1]"),
        (Repeated(a_string=["a", "\ud800"]), "a_string[1]"),
        (Repeated(a_bytes=[b"a", "b"]), "a_bytes[1]"),
        (Repeated(a_bytes=["a"]), "a_bytes[0]"),
        (Repeated(a_bytes=[1]), "a_bytes[0]"),
        (Repeated(a_int32=[1, 1.5]), "a_int32[1]"),
        (Repeated(a_int32=[1, 2**31]), "a_int32[1]"),
        (Repeated(a_uint32=[-1]), "a_uint32[0]"),
        (Repeated(a_double=[1.0, "2"]), "a_double[1]"),
        (Repeated(a_float=[None]), "a_float[0]"),
        (Repeated(a_bool=[True, 0.0]), "a_bool[1]"),
        (Repeated(a_mood=[0, 1.0]), "a_mood[1]"),
        (Repeated(a_leaf=[Leaf(), None]), "a_leaf[1]"),
        (Maps(by_string={"a": 1}), 'by_string["a"]'),
        (Maps(by_string={"a": None}), 'by_string["a"]'),
        (Maps(by_string={None: "a"}), "by_string[None]"),
        (Maps(by_string={"a": "b", 1: "c"}), "by_string[1]"),
        (Maps(by_int32={"a": "b"}), 'by_int32["a"]'),
        (Maps(of_leaf={"a": None}), 'of_leaf["a"]'),
        (Maps(of_double={"a": None}), 'of_double["a"]'),
        (Maps(of_float={"a": ""}), 'of_float["a"]'),
        (Proto2(a_shade=99), "a_shade"),
        (Proto2(r_shade=[99]), "r_shade[0]"),
        (Any(type_url=5, value=b""), "type_url"),
        (Any(type_url="\ud800/sample.Leaf"), "type_url"),
        (Any(type_url="x/sample.Leaf", value="text"), "value"),
    ],
)
def test_values_that_an_encoder_refuses_are_refused(message, path):
    for options in ({}, {"types": TYPES}):
        with pytest.raises(EncodeError) as printing:
            text.dumps(message, **options)
    with pytest.raises(EncodeError) as writing:
        message.to_bytes()
    assert str(printing.value) == str(writing.value)
    assert path in printing.value.path


def test_a_message_that_holds_itself_is_refused():
    loop = Recursive()
    loop.child = loop
    with pytest.raises(EncodeError, match="holds itself"):
        text.dumps(loop)


def test_an_attribute_that_was_deleted_is_refused():
    leaf = Leaf()
    del leaf.text
    with pytest.raises(EncodeError, match="was deleted"):
        text.dumps(leaf)


@pytest.mark.parametrize("value", [None, 5, "text", Leaf, {}])
def test_only_messages_are_printed(value):
    with pytest.raises(TypeError):
        text.dumps(value)


# --- lazy --------------------------------------------------------------------------------------------------------


def undecoded(message):
    return message._unknown.__class__ is tuple


def test_printing_decodes_nothing_for_good():
    data = GraphDef(node=[NodeDef(name="a"), NodeDef(name="b")], versions=VersionDef(producer=22)).to_bytes()
    graph = GraphDef.from_bytes(data, lazy=True)
    assert text.dumps(graph) == text.dumps(GraphDef.from_bytes(data))
    assert all(map(undecoded, [*graph.node, graph.versions]))
    assert text.dumps(graph.node[1]) == 'name: "b"\n'
    assert undecoded(graph.node[1])


def test_changes_of_a_lazy_message_are_printed():
    graph = GraphDef.from_bytes(GraphDef(node=[NodeDef(name="a"), NodeDef(name="b")]).to_bytes(), lazy=True)
    graph.node[1].name = "c"
    assert text.dumps(graph, as_one_line=True) == 'node { name: "a" } node { name: "c" }'
    assert undecoded(graph.node[0])


def test_a_map_that_was_not_read_stays_so_and_its_unknown_entries_are_printed():
    data = Maps(by_string={"b": "2", "a": "1"}).to_bytes() + ld(12, ld(1, b"z"), number(3, 1))
    lazy = Maps.from_bytes(data, lazy=True)
    pending = lazy._by_string
    assert pending.__class__ is tuple
    printed = text.dumps(lazy, print_unknown_fields=True)
    assert printed == google(data, Maps, print_unknown_fields=True)
    assert '12 {\n  1: "z"\n  3: 1\n}\n' in printed
    assert lazy._by_string is pending
    assert lazy._unknown == b""


def test_occurrences_of_a_field_that_wait_to_be_merged_are_merged_for_printing():
    data = Recursive(child=Recursive(depth=1)).to_bytes() + Recursive(child=Recursive(left=Recursive())).to_bytes()
    lazy = Recursive.from_bytes(data, lazy=True)
    child = lazy.child
    assert text.dumps(lazy) == google(data, Recursive) == "child {\n  depth: 1\n  left {\n  }\n}\n"
    assert text.dumps(child) == "depth: 1\nleft {\n}\n"
    assert undecoded(child)


@pytest.mark.parametrize("padding", [0, 100_000], ids=["small", "large"])
def test_an_error_in_an_undecoded_part_has_a_path(padding):
    large = ld(4, ld(1, b"x" * padding))
    data = ld(2, large, ld(2, large, b"\x08\xff"))
    lazy = Recursive.from_bytes(data, lazy=True)
    with pytest.raises(DecodeError, match="truncated") as caught:
        text.dumps(lazy)
    assert caught.value.offset == len(data) - 1
    assert caught.value.path in ("Recursive.child.depth", "Recursive.depth")
    assert undecoded(lazy.child)
