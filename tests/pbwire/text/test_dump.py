"""Streaming, and shortened text."""

from __future__ import annotations

import errno
import io
import subprocess
import sys
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import pytest
from google.protobuf import text_format
from hypothesis import given, settings
from hypothesis import strategies as st

from pbwire import EncodeError, text
from pbwire.wellknown import Any
from tests.pbwire.test_corpus import each_file
from tests.pbwire.text import memory_use
from tests.pbwire.text.reference import SAMPLES, TYPES, google, parsed
from tests.support.effort import scaled
from tests.support.protobuf_twin import twin
from tests.support.samples import Empty, Leaf, Maps, Mood, Proto2, Repeated, Scalars
from tests.support.strategies import messages
from tfmodel.messages import AttrValue, GraphDef, MetaGraphDef, NodeDef, TensorProto


def shortened(message, **options):
    out = io.StringIO()
    text.dump(message, out, **options)
    return out.getvalue()


# --- streaming ---------------------------------------------------------------------------------------------------


def test_to_a_file_or_a_function():
    message, pieces = Repeated(a_leaf=[Leaf(number=n) for n in range(1, 2000)]), []
    text.dump(message, pieces.append)
    assert len(pieces) > 5
    assert "".join(pieces) == shortened(message) == text.dumps(message)
    assert max(map(len, pieces)) < 10_000


@pytest.mark.parametrize("options", [{}, {"as_one_line": True}], ids=["lines", "one line"])
@pytest.mark.parametrize(
    "message",
    [
        Empty(),
        Leaf(number=1),
        Scalars(a_bytes=b"\xff" * 100_000, a_string="é" * 100_000),
        Repeated(a_int32=list(range(5000)), a_string=["x"] * 5000, a_bytes=[b"'"] * 5000),
        Maps(of_leaf={str(n): Leaf(number=n) for n in range(3000)}, by_int32=dict.fromkeys(range(3000), "")),
    ],
    ids=lambda message: type(message).__name__,
)
def test_pieces_make_up_the_whole(message, options):
    pieces = []
    text.dump(message, pieces.append, **options)
    assert "".join(pieces) == google(message, **options)
    assert max(map(len, pieces), default=0) < 200_000


@pytest.mark.slow(reason="measures the memory that large inputs take")
def test_memory_does_not_grow_with_the_message():
    def peak(make, count):
        total = 0

        def write(piece):
            nonlocal total
            total += len(piece)

        text.dump(make(10), write)  # compiled
        message, total = make(count), 0
        tracemalloc.start()
        text.dump(message, write)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert total > 1_200_000
        return peak

    assert peak(lambda n: Scalars(a_bytes=bytes(n)), 2_000_000) < 1_000_000
    assert peak(lambda n: Scalars(a_string="é" * n), 1_000_000) < 1_000_000
    assert peak(lambda n: Repeated(a_float=[1 / 3] * n), 100_000) < 1_000_000
    assert peak(lambda n: Repeated(a_string=["a name"] * n), 100_000) < 1_000_000
    assert peak(lambda n: Repeated(a_bytes=[b"'"] * n), 100_000) < 1_000_000
    assert peak(lambda n: Repeated(a_leaf=[Leaf(number=1, text="'")] * n), 70_000) < 1_000_000
    assert peak(lambda n: Maps(of_leaf={f"{i:0300}": Leaf() for i in range(n)}), 20_000) < 1_000_000


@pytest.mark.slow(reason="measures the memory that large inputs take")
@pytest.mark.skipif(not memory_use.RESET.exists(), reason="this system does not tell the peak of a process's memory")
@pytest.mark.parametrize("how", ["eager", "lazy"])
@pytest.mark.parametrize("case", memory_use.CASES)
def test_however_much_is_printed_it_takes_a_few_megabytes(case, how):
    command = [sys.executable, "-m", memory_use.__name__, case, how]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=Path(__file__).parents[3])
    growth, size = map(int, done.stdout.split())
    assert size > 10_000_000
    assert growth < 6_000_000


def test_a_lazy_graph_is_decoded_node_by_node():
    node = NodeDef(name="w", attr={"value": AttrValue(tensor=TensorProto(tensor_content=bytes(100_000)))})
    data = GraphDef(node=[node] * 300).to_bytes()
    graph = GraphDef.from_bytes(data, lazy=True)
    text.dump(graph, lambda _: None, longest=10)
    tracemalloc.start()
    text.dump(graph, lambda _: None, longest=10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000
    assert {node._unknown.__class__ for node in graph.node} == {tuple}


def test_a_large_sub_message_is_not_decoded_at_once():
    node = NodeDef(name="w", attr={"value": AttrValue(tensor=TensorProto(tensor_content=bytes(100_000)))})
    data = MetaGraphDef(graph_def=GraphDef(node=[node] * 100)).to_bytes()
    lazy = MetaGraphDef.from_bytes(data, lazy=True)
    text.dump(lazy, lambda _: None, longest=10)
    tracemalloc.start()
    text.dump(lazy, lambda _: None, longest=10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000
    assert lazy._unknown == b""
    assert lazy.graph_def._unknown.__class__ is tuple


@pytest.mark.parametrize("error", [BrokenPipeError(errno.EPIPE, "closed"), ValueError("closed file"), KeyError("mine")])
def test_errors_of_the_file_pass_through(error):
    def write(_):
        raise error

    with pytest.raises(type(error)) as caught:
        text.dump(Leaf(number=1), SimpleNamespace(write=write))
    assert caught.value is error


def test_an_encoding_that_the_file_lacks_is_the_files_error():
    with pytest.raises(UnicodeEncodeError):
        text.dump(Leaf(text="é"), io.TextIOWrapper(io.BytesIO(), encoding="ascii"), as_utf8=True)


def test_fields_before_an_invalid_value_may_be_written():
    pieces = []
    with pytest.raises(EncodeError, match="a_int64"):
        text.dump(Repeated(a_int32=[1] * 50_000, a_int64=["x"]), pieces.append)
    assert "".join(pieces).startswith("a_int32: 1\na_int32: 1\n")


# --- shortened ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "options", "printed"),
    [
        (Scalars(a_string="a" * 2000), {"longest": 3}, 'a_string: "aaa" # 2,000 characters in all\n'),
        (Scalars(a_bytes=b"a" * 2000), {"longest": 3}, 'a_bytes: "aaa" # 2,000 bytes in all\n'),
        (Scalars(a_string="abc"), {"longest": 3}, 'a_string: "abc"\n'),
        (Scalars(a_string="abc"), {"longest": 0}, 'a_string: "" # 3 characters in all\n'),
        (Scalars(a_string="éßü"), {"longest": 2}, 'a_string: "\\303\\251\\303\\237" # 3 characters in all\n'),
        (Scalars(a_string="éßü"), {"longest": 2, "as_utf8": True}, 'a_string: "éß" # 3 characters in all\n'),
        (Scalars(a_bytes=b"\xff\n''"), {"longest": 3}, 'a_bytes: "\\377\\n\\\'" # 4 bytes in all\n'),
        (Scalars(a_bytes="aé☃".encode()), {"longest": 2}, 'a_bytes: "a" # 6 bytes in all\n'),
        (Scalars(a_bytes="aé☃".encode()), {"longest": 5}, 'a_bytes: "a\\303\\251" # 6 bytes in all\n'),
        (Scalars(a_bytes="😀!".encode()), {"longest": 3}, 'a_bytes: "" # 5 bytes in all\n'),
        (Scalars(a_bytes=b"\x80" * 9), {"longest": 5}, 'a_bytes: "\\200\\200\\200\\200\\200" # 9 bytes in all\n'),
        (
            Maps(by_string={"key": "value"}),
            {"longest": 4},
            'by_string {\n  key: "key"\n  value: "valu" # 5 characters in all\n}\n',
        ),
        (
            Maps(of_leaf={"long key": Leaf()}),
            {"longest": 4},
            'of_leaf {\n  key: "long" # 8 characters in all\n  value {\n  }\n}\n',
        ),
        (Repeated(a_string=["a", "bcd"]), {"longest": 2}, 'a_string: "a"\na_string: "bc" # 3 characters in all\n'),
        (Repeated(a_int32=[1] * 1000), {"most": 2}, "a_int32: 1\na_int32: 1\n# a_int32: 1,000 in all\n"),
        (Repeated(a_int32=[1, 2]), {"most": 2}, "a_int32: 1\na_int32: 2\n"),
        (Repeated(a_int32=[1, 2]), {"most": 0}, "# a_int32: 2 in all\n"),
        (Repeated(a_string=["a", "b"]), {"most": 1}, 'a_string: "a"\n# a_string: 2 in all\n'),
        (Repeated(a_bytes=[b"a", b"b"]), {"most": 0}, "# a_bytes: 2 in all\n"),
        (Repeated(a_mood=[Mood.CALM, 99, 1]), {"most": 2}, "a_mood: CALM\na_mood: 99\n# a_mood: 3 in all\n"),
        (Repeated(a_leaf=[Leaf()] * 3), {"most": 1}, "a_leaf {\n}\n" * 3),
        (Repeated(a_leaf=[Leaf(numbers=[1, 2])]), {"most": 1}, "a_leaf {\n  numbers: 1\n  # numbers: 2 in all\n}\n"),
        (
            Repeated(a_int32=[1, 2, 3]),
            {"most": 2, "use_short_repeated_primitives": True},
            "a_int32: [1, 2] # a_int32: 3 in all\n",
        ),
        (
            Repeated(a_int32=[1, 2, 3]),
            {"most": 0, "use_short_repeated_primitives": True},
            "a_int32: [] # a_int32: 3 in all\n",
        ),
        (
            Any(type_url="a.b.c/sample.Leaf", value=Leaf(text="abc").to_bytes()),
            {"longest": 1, "types": TYPES},
            '[a.b.c/sample.Leaf] {\n  text: "a" # 3 characters in all\n}\n',
        ),
        (
            Empty(unknown_fields=b"\x0a\x03abc"),
            {"longest": 2, "print_unknown_fields": True},
            '1: "ab" # 3 bytes in all\n',
        ),
    ],
)
def test_shortened_values(message, options, printed):
    assert shortened(message, **options) == printed
    if "print_unknown_fields" not in options:
        parsed(printed, type(message))


@pytest.mark.parametrize("size", [8191, 8192, 8193, 20_000, 100_000])
def test_cuts_at_and_around_the_size_of_a_piece(size):
    data = ("é" * 100_000).encode()
    cut = shortened(Scalars(a_bytes=data), longest=size)
    assert Scalars.from_bytes(parsed(cut, Scalars)).a_bytes == data[: size - size % 2]
    cut = shortened(Scalars(a_string=data.decode()), longest=size)
    assert Scalars.from_bytes(parsed(cut, Scalars)).a_string == data.decode()[:size]


@pytest.mark.slow(reason="generates many messages and compares them with protobuf")
@pytest.mark.parametrize("cls", SAMPLES, ids=lambda cls: cls.__qualname__)
def test_shortened_text_can_be_read_and_enough_is_everything(cls):
    limits = st.none() | st.integers(0, 10)

    @given(messages(cls), limits, limits, st.booleans())
    @settings(max_examples=scaled(40))
    def run(message, longest, most, short):
        options = {"use_short_repeated_primitives": short}
        assert text.dumps(message, **options) == shortened(message, **options, longest=10**6, most=10**6)
        printed = shortened(message, **options, longest=longest, most=most)
        theirs = text_format.Parse(printed, twin(cls)())
        assert len(theirs.ListFields()) <= len(twin(cls).FromString(message.to_bytes()).ListFields())

    run()


@each_file
def test_shortened_models_can_be_read(path, cls):
    message = cls.from_bytes(path.read_bytes(), lazy=True)
    printed = shortened(message, longest=20, most=3, types=TYPES)
    if len(printed) < 500_000:
        parsed(printed, cls)


@pytest.mark.parametrize(
    "options",
    [
        {"longest": 1, "as_one_line": True},
        {"most": 1, "as_one_line": True},
        {"longest": -1},
        {"most": -1},
    ],
)
def test_limits_that_make_no_sense(options):
    with pytest.raises(ValueError):
        shortened(Leaf(), **options)


def test_proto2_zeros_in_a_shortened_map():
    assert shortened(Proto2(names={0: "abc"}), longest=1) == (
        'names {\n  key: 0\n  value: "a" # 3 characters in all\n}\n'
    )
