"""Feeds from TFRecord files: serialized examples, and their features."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tfmodel.files.records.files import example, examples, record_file, sequence_example
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel import Error, FeedError, RecordError, RunError
from tfmodel.cli import main
from tfmodel.interpreter import Session
from tfmodel.interpreter.record_feeds import RecordFeed
from tfmodel.messages import BytesList, Example, Feature, Features, FloatList, Int64List

GRAPH = """
    text = Placeholder[dtype=string, shape=()]
    texts = Placeholder[dtype=string, shape=(-1)]
    four = Placeholder[dtype=string, shape=(4)]
    column = Placeholder[dtype=string, shape=(-1, 1)]
    x = Placeholder[dtype=float, shape=(-1, 4)]
    square = Placeholder[dtype=float, shape=(-1, 2, 2)]
    wide = Placeholder[dtype=float, shape=(-1, -1)]
    vector = Placeholder[dtype=float, shape=(4)]
    wrong = Placeholder[dtype=float, shape=(-1, 5)]
    open = Placeholder[dtype=float, shape=(-1, -1, -1)]
    unknown = Placeholder[dtype=float, shape=()]
    label = Placeholder[dtype=int32, shape=(-1)]
    flag = Placeholder[dtype=bool, shape=(-1)]
    tokens = Placeholder[dtype=int64, shape=(-1, -1)]
"""


def fed(name: str, source: Any, **limits: Any) -> Any:
    """Return the value of a tensor of GRAPH for a feed."""
    return Session(graph_of(GRAPH), log=lambda text: None).run({name: source}, name, **limits)[name]


@pytest.fixture
def feed(tmp_path: Path) -> Any:
    """Return the feed that a text names, in which FILE has ten examples."""

    def feed(text: str, data: bytes = examples(10)) -> RecordFeed:
        (tmp_path / "data").write_bytes(data)
        made = RecordFeed.parse(text.replace("FILE", str(tmp_path / "data")))
        assert made is not None
        return made

    return feed


def serialized(*numbers: int) -> list[bytes]:
    return [example(number).to_bytes(deterministic=True) for number in numbers]


@pytest.mark.parametrize(
    ("name", "text", "records"),
    [
        ("texts", "FILE", range(10)),
        ("texts", "FILE[2:5]", [2, 3, 4]),
        ("texts", "FILE[:2]", [0, 1]),
        ("texts", "FILE[8:]", [8, 9]),
        ("texts", "FILE[8:100]", [8, 9]),
        ("texts", "FILE[3]", [3]),
        ("four", "FILE", [0, 1, 2, 3]),
        ("four", "FILE[5:]", [5, 6, 7, 8]),
    ],
)
def test_records_as_strings(name: str, text: str, records: Any, feed: Any) -> None:
    assert fed(name, feed(text)).tolist() == serialized(*records)


def test_one_record_for_a_scalar_and_for_a_batch_of_one(feed: Any) -> None:
    assert fed("text", feed("FILE")).item() == serialized(0)[0]
    assert fed("text", feed("FILE[7]")).item() == serialized(7)[0]
    assert fed("column", feed("FILE[7]")).tolist() == [serialized(7)]


X = [[number + place / 4 for place in range(4)] for number in range(10)]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("x", "FILE[1:3]:x", X[1:3]),
        ("x", "FILE:x", X),
        ("x", "FILE[5]:x", X[5:6]),
        ("square", "FILE[:1]:x", [[X[0][:2], X[0][2:]]]),
        ("wide", "FILE[1:3]:x", X[1:3]),
        ("vector", "FILE[5]:x", X[5]),
        ("unknown", "FILE[1:3]:x", X[1:3]),
        ("unknown", "FILE[5]:x", X[5]),
        ("unknown", "FILE[4]:label", 4.0),
        ("unknown", "FILE[4:6]:label", [4.0, 5.0]),
        ("label", "FILE[4:6]:label", [4, 5]),
        ("flag", "FILE[0:2]:label", [False, True]),
        ("texts", "FILE[0:2]:image", [b"\x00\x00\xff", b"\x01\x00\xff"]),
    ],
)
def test_features_in_the_shape_of_the_tensor(name: str, text: str, expected: Any, feed: Any) -> None:
    assert fed(name, feed(text)).tolist() == expected


def test_the_steps_of_a_sequence(feed: Any) -> None:
    data = record_file([sequence_example(3).to_bytes()] * 2)
    assert fed("tokens", feed("FILE:token", data)).tolist() == [[0, 1, 2]] * 2
    assert fed("unknown", feed("FILE[0]:token", data)).tolist() == [0, 1, 2]
    assert fed("label", feed("FILE:id", data)).tolist() == [3, 3]


def uneven() -> bytes:
    features = [{"x": Feature(float_list=FloatList(value=[1.0] * count))} for count in (2, 3)]
    return record_file(Example(features=Features(feature=each)).to_bytes() for each in features)


def mixed() -> bytes:
    features = [{"x": Feature(float_list=FloatList(value=[1]))}, {"x": Feature(int64_list=Int64List(value=[1]))}]
    return record_file(Example(features=Features(feature=each)).to_bytes() for each in features)


def missing() -> bytes:
    return record_file([Example(features=Features(feature={"x": Feature(), "b": BYTES})).to_bytes()])


BYTES = Feature(bytes_list=BytesList(value=[b"1"]))


@pytest.mark.parametrize(
    ("name", "text", "data", "problem"),
    [
        (
            "x",
            "FILE",
            None,
            '"x" takes float32, and records are strings; name a feature, as in FILE:NAME; there are "im',
        ),
        ("x", "FILE", record_file([b"\xff"]), '"x" takes float32, and records are strings'),
        ("x", "FILE:y", None, 'record 0 has no feature "y"; there are "image", "label", "x"'),
        ("x", "FILE:lable", None, 'record 0 has no feature "lable"; did you mean "label"?'),
        ("x", "FILE:image", None, 'the feature "image" has bytes values, and "x" takes float32'),
        ("texts", "FILE:x", None, 'the feature "x" has float values, and "texts" takes string'),
        ("wrong", "FILE:x", None, 'the feature "x" has 4 values in each record, which do not fit the shape [?,5]'),
        ("open", "FILE:x", None, "which do not fit the shape [?,?,?]"),
        ("texts", "FILE[10:12]", None, "there is no record 10"),
        ("unknown", "FILE:x", uneven(), 'the feature "x" has 2 values in record 0 and 3 in record 1'),
        ("unknown", "FILE:x", mixed(), 'the feature "x" has values of several kinds: float, int64'),
        ("unknown", "FILE:x", missing(), 'the feature "x" has no values in record 0'),
        ("flag", "FILE:label", None, "is not bool"),
    ],
)
def test_feeds_that_do_not_fit(
    name: str, text: str, data: bytes | None, problem: str, feed: Any, tmp_path: Path
) -> None:
    with pytest.raises(FeedError) as caught:
        fed(name, feed(text, data) if data else feed(text))
    assert problem in str(caught.value).replace(str(tmp_path / "data"), "FILE")


def test_damage_names_the_record(feed: Any) -> None:
    data = bytearray(examples(3))
    data[79 + 20] ^= 1
    with pytest.raises(RecordError, match=r"record\[1\] at byte 79: the checksum of its 63 bytes is wrong"):
        fed("texts", feed("FILE", bytes(data)))
    with pytest.raises(Error, match=r"record\[0\] at byte 0: "):
        fed("x", feed("FILE:x", record_file([b"\xff"])))


def test_the_memory_limit(feed: Any) -> None:
    with pytest.raises(RunError, match="the records have more than 100 bytes"):
        fed("texts", feed("FILE"), max_bytes=100)


@pytest.mark.parametrize("text", ["FILE[]", "FILE[3:3]", "FILE[5:2]"])
def test_ranges_without_records(text: str, feed: Any) -> None:
    with pytest.raises(ValueError, match="has no"):
        feed(text)


@pytest.mark.parametrize("text", ["0.5", "[1, 2]", "", ":", "x:y", "[0:3]", "gone.tfrecord[0:3]:x", '{"a:b": [1:2]}'])
def test_other_text_names_no_records(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").write_text("text")
    assert RecordFeed.parse(text) is None


def test_paths_with_colons_and_brackets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a:b", "c[1]", "d"):
        (tmp_path / name).write_bytes(examples(3))
    for text, file, start, feature in [
        ("a:b", "a:b", 0, ""),
        ("a:b[1]:x/y:z", "a:b", 1, "x/y:z"),
        ("c[1]", "c[1]", 0, ""),
        ("c[1][2]", "c[1]", 2, ""),
        ("d:x[0]", "d", 0, "x[0]"),
    ]:
        feed = RecordFeed.parse(text)
        assert feed is not None
        assert (feed.file, feed.start, feed.feature) == (file, start, feature)


class TestCommand:
    @pytest.fixture
    def run(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
        monkeypatch.chdir(tmp_path)
        Path("a.tfrecord").write_bytes(examples(10))
        Path("graph.pb").write_bytes(graph_of(GRAPH).to_bytes())

        def run(name: str, text: str) -> tuple[int, str, str]:
            status = main(["run", "graph.pb", "--feed", f"{name}={text}", "--fetch", name])
            out, err = capsys.readouterr()
            return status, out, err

        return run

    def test_a_line_says_what_was_fed(self, run: Any) -> None:
        status, out, err = run("x", "a.tfrecord[1:3]:x")
        assert (status, out.split(" ")[1]) == (0, "float32[2,4]")
        assert err == '"x": fed records 1 to 2 of a.tfrecord, feature "x", as float32[2,4]\n'

    def test_serialized_records(self, run: Any) -> None:
        assert run("texts", "a.tfrecord[1:3]")[2] == '"texts": fed records 1 to 2 of a.tfrecord, as string[2]\n'

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("gone.tfrecord[0:3]", "gone.tfrecord[0:3]: --feed x: there is no such file\n"),
            ("a.tfrecord[3:3]", "--feed x: [3:3] has no records\n"),
            ("graph.pb", "graph.pb: --feed x: arrays are read from .npy, .npz and TFRecord files\n"),
        ],
    )
    def test_errors(self, run: Any, text: str, problem: str) -> None:
        status, _, err = run("x", text)
        assert (status, err.endswith(problem)) == (2, True), err


def test_a_name_that_promises_records(tmp_path: Path) -> None:
    (tmp_path / "a.tfrecord").write_bytes(b"no records at all, but text")
    feed = RecordFeed.parse(f"{tmp_path}/a.tfrecord")
    with pytest.raises(RecordError, match=r"record\[0\] at byte 0: the checksum of its length is wrong"):
        fed("texts", feed)
