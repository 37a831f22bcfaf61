"""--top and --labels of `run`: the best classes of an output."""

from __future__ import annotations

import json

import pytest

from tests.tfmodel.transforms.run_step import graph_of
from tfmodel.cli import main

GRAPH = """
    x = Placeholder[dtype=float]
    y = Identity(x)[T=float]
    s = Placeholder[dtype=string]
    t = Identity(s)[T=string]
"""
VECTOR = "[0.1, 0.5, 0.25]"


@pytest.fixture
def top(capsys, tmp_path):
    """Run `run --top 2` with a feed and with the lines of a label file; return status, output and errors."""
    (tmp_path / "graph.pb").write_bytes(graph_of(GRAPH).to_bytes())

    def run(value=VECTOR, labels=None, *options, feed="x", fetch="y", count="2"):
        arguments = [f"{tmp_path}/graph.pb", f"--feed={feed}={value}", f"--fetch={fetch}", f"--top={count}"]
        if labels is not None:
            (tmp_path / "labels.txt").write_bytes(labels if isinstance(labels, bytes) else labels.encode())
            arguments.append(f"--labels={tmp_path}/labels.txt")
        status = main(["run", *arguments, *options])
        out, err = capsys.readouterr()
        return status, out, err.strip().removeprefix(f"{tmp_path}/")

    return run


def test_the_best_values_with_their_indices(top):
    assert top() == (0, "y: float32[3] = [0.1 , 0.5 , 0.25]\n  1.   0.5  1\n  2.  0.25  2\n", "")


@pytest.mark.parametrize(
    "labels", ["cat\ndog\nfish\n", "cat\r\ndog\r\nfish", "0:cat\n1:dog\n2:fish", "\ufeffn01 cat\nn02 dog\nn03 fish\n\n"]
)
def test_labels_are_printed_as_they_are(top, labels):
    dog, fish = labels.strip("\ufeff\n").splitlines()[1:3]
    assert top(labels=labels)[1].splitlines()[1:] == [f"  1.   0.5  1  {dog}", f"  2.  0.25  2  {fish}"]


def test_each_vector_of_a_batch(top):
    lines = ["  [0]", "  1.  2  1", "  [1]", "  1.  5  0"]
    assert top("[[1, 2], [5, 3]]", count="1")[1].splitlines()[-4:] == lines


@pytest.mark.parametrize("value", ["[[[[1, 3, 2]]]]", "[[1, 3, 2]]"])
def test_dimensions_of_one_are_left_out(top, value):
    assert top(value)[1].splitlines()[-2:] == ["  1.  3  1", "  2.  2  2"]


def test_the_first_of_equal_values_wins_and_nan_is_left_out(top):
    assert top("[1, NaN, 1, 0, 1]", count="9")[1].splitlines()[1:] == [
        "  1.  1  0",
        "  2.  1  2",
        "  3.  1  4",
        "  4.  0  3",
    ]


def test_json(top):
    status, out, _ = top("[1, Infinity]", "a\nb", "--json")
    entries = [{"index": 1, "value": "inf", "label": "b"}, {"index": 0, "value": 1.0, "label": "a"}]
    assert (status, json.loads(out)["outputs"]["y"]["top"]) == (0, [entries])


def test_with_a_file_of_outputs_too(top, tmp_path):
    out = top(VECTOR, None, f"--output={tmp_path}/out.npz")[1]
    assert out.endswith("  1.   0.5  1\n  2.  0.25  2\n")
    assert (tmp_path / "out.npz").exists()


@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        ("a\nb\n", "it has 2 labels, and y has 3 values: class 0 is probably the background, add a line for it"),
        ("a\nb\nc\nd\n", "it has 4 labels, and y has 3 values: the first label is probably the background"),
        ("a\n" * 9, "it has 9 labels, and y has 3 values"),
        ("", "it has no labels"),
        (b"a\nb\xff\nc", "labels are text in UTF-8, and byte 3 is not"),
        (b"a" * ((1 << 24) + 1), "labels are read from files of up to 16,777,216 bytes"),
    ],
)
def test_labels_that_do_not_fit(top, labels, problem):
    status, out, err = top(labels=labels)
    assert (status, out) == (2, "")
    assert err.startswith(f"labels.txt: {problem}")


def test_control_characters_are_escaped(top):
    assert top(labels="a\n\x1b[31m\nc")[1].splitlines()[1] == r"  1.   0.5  1  \x1b[31m"


@pytest.mark.parametrize(
    ("value", "feed", "fetch", "shape"),
    [("1", "x", "y", "[]"), ("[[[1, 2], [3, 4]]]", "x", "y", "[1, 2, 2]"), ('["a"]', "s", "t", "[1]")],
)
def test_outputs_that_are_not_vectors(top, value, feed, fetch, shape):
    status, _, err = top(value, feed=feed, fetch=fetch)
    assert (status, err) == (
        2,
        f"graph.pb: --top is for vectors of numbers, or batches of them, and no output is one: {fetch} {shape}",
    )


def test_labels_without_top(capsys, tmp_path):
    assert main(["run", "graph.pb", "--labels=x"]) == 2
    assert "--labels names the classes that --top prints: add --top 5" in capsys.readouterr().err
