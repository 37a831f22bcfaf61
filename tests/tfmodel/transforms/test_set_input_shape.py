"""Inputs get other shapes, and constants of the old size follow."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tfmodel.transforms.run_step import after, graph_of
from tfmodel.errors import TransformError
from tfmodel.interpreter import Session
from tfmodel.transforms.framework.pipeline import transform

FLAT = """
    x = Placeholder[dtype=float, shape=(1, 2, 3)]
    size = Const[dtype=int32, value=int32{1, 6}]
    flat = Reshape(x, size)[T=float]
    w = Const[dtype=float, value=float{0.5, 1, 2, 3, 4, 5}(6, 1)]
    y = MatMul(flat, w)[T=float]
"""


def test_an_unknown_size_becomes_known() -> None:
    nodes, report = after(
        "x = Placeholder[dtype=float, shape=(-1, 3)]\ny = Relu(x)[T=float]",
        'set_input_shape(name=x, shape="8,3")',
        "x",
        "y",
    )
    assert nodes == {"x": "Placeholder[dtype=float, shape=(8, 3)]", "y": "Relu(x)[T=float]"}
    assert report.fired == 1


def test_the_batch_size_is_that_of_all_open_inputs() -> None:
    text = """
        x = Placeholder[dtype=float, shape=(-1, 3)]
        table = Placeholder[dtype=float, shape=(5, 3)]
        rate = Placeholder[dtype=float, shape=()]
        y = Relu(x)[T=float]
    """
    nodes, _ = after(text, "set_input_shape(batch_size=4)", "x,table,rate", "y")
    shapes = {name: text.partition("shape=")[2] for name, text in nodes.items()}
    assert shapes == {"x": "(4, 3)]", "table": "(5, 3)]", "rate": "()]", "y": ""}


REWRITTEN = {
    "a Reshape of the batch": ("y = Reshape(x, size)[T=float]", "size", "1, 6", "y/shape", "8, 6"),
    "with an unknown size": ("y = Reshape(x, size)[T=float]", "size", "1, -1", "y/shape", "8, -1"),
    "a Slice of all": (
        "z = Const[dtype=int32, value=int32{0, 0, 0}]\ny = Slice(x, z, size)[T=float]",
        "size",
        "1, 2, 2",
        "y/size",
        "8, 2, 2",
    ),
    "a StridedSlice of all": (
        "z = Const[dtype=int32, value=int32{0, 0, 0}]\no = Const[dtype=int32, value=int32{1, 1, 1}]\n"
        "y = StridedSlice(x, z, size, o)[T=float, Index=int32]",
        "size",
        "1, 1, 3",
        "y/end",
        "8, 1, 3",
    ),
    "a BroadcastTo": ("y = BroadcastTo(x, size)[T=float]", "size", "5, 1, 2, 3", "y/shape", "5, 8, 2, 3"),
    "a Fill that is joined": (
        "zero = Const[dtype=float, value=float{0}()]\nf = Fill(size, zero)[T=float]\n"
        "axis = Const[dtype=int32, value=int32{2}()]\n"
        "y = ConcatV2(x, f, axis)[N=2, T=float]",
        "size",
        "1, 2, 4",
        "f/dims",
        "8, 2, 4",
    ),
    "a transposed convolution": (
        "axis = Const[dtype=int32, value=int32{3}()]\npicture = ExpandDims(x, axis)[T=float, Tdim=int32]\n"
        "w = Const[dtype=float, value=float{1, 2, 3, 4}(2, 2, 1, 1)]\n"
        'y = Conv2DBackpropInput(size, w, picture)[T=float, strides=[1, 2, 2, 1], padding="SAME"]',
        "size",
        "1, 4, 6, 1",
        "y/input_sizes",
        "8, 4, 6, 1",
    ),
    "random numbers that are compared": (
        "u = RandomUniform(size)[dtype=float, T=int32]\nten = Const[dtype=float, value=float{10}()]\n"
        "v = Mul(u, ten)[T=float]\nf = Floor(v)[T=float]\nz = Sub(f, f)[T=float]\n"
        "axis = Const[dtype=int32, value=int32{2}()]\ny = ConcatV2(x, z, axis)[N=2, T=float]",
        "size",
        "1, 2, 4",
        "u/shape",
        "8, 2, 4",
    ),
    "a Tile that is joined": (
        "row = Const[dtype=float, value=float{1, 2}(1, 2, 1)]\nf = Tile(row, size)[T=float]\n"
        "i = Identity(f)[T=float]\naxis = Const[dtype=int32, value=int32{2}()]\ny = ConcatV2(x, i, axis)[N=2, T=float]",
        "size",
        "1, 1, 4",
        "f/multiples",
        "8, 1, 4",
    ),
}


@pytest.mark.parametrize("case", REWRITTEN)
def test_constants_with_the_old_size_are_changed(case: str) -> None:
    lines, old_name, old, new_name, new = REWRITTEN[case]
    text = (
        f"x = Placeholder[dtype=float, shape=(1, 2, 3)]\n{old_name} = Const[dtype=int32, value=int32{{{old}}}]\n{lines}"
    )
    nodes, _ = after(text, 'set_input_shape(name=x, shape="8,2,3")', "x", "y")
    assert nodes[new_name] == f"Const[dtype=int32, value=int32{{{new}}}]"
    assert old_name not in nodes
    values = Session(transform(graph_of(text), "x", "y", 'set_input_shape(name=x, shape="8,2,3")')).run(
        {"x": np.arange(48, dtype="f4").reshape(8, 2, 3)}, ["y"]
    )["y"]
    parts = [
        Session(graph_of(text)).run({"x": np.arange(n * 6, n * 6 + 6, dtype="f4").reshape(1, 2, 3)}, ["y"])["y"]
        for n in range(8)
    ]
    np.testing.assert_array_equal(values, np.concatenate(parts, axis=values.shape.index(8)))


def test_a_constant_that_repeats_one_value_is_repeated_more_often() -> None:
    text = """
        x = Placeholder[dtype=float, shape=(2, 3)]
        state = Const[dtype=float, value=float{1, 2, 1, 2}(2, 2)]
        axis = Const[dtype=int32, value=int32{1}()]
        y = ConcatV2(x, state, axis)[N=2, T=float]
    """
    nodes, _ = after(text, "set_input_shape(batch_size=3)", "x", "y")
    assert nodes["state"] == "Const[dtype=float, value=float{1.0, 2.0, 1.0, 2.0, 1.0, 2.0}(3, 2)]"


def test_reshapes_that_follow_each_other_are_all_changed() -> None:
    text = """
        x = Placeholder[dtype=float, shape=(2, 6)]
        a = Const[dtype=int32, value=int32{2, 2, 3}]
        b = Const[dtype=int32, value=int32{4, 3}]
        c = Const[dtype=int32, value=int32{2, 6}]
        p = Reshape(x, a)[T=float]
        q = Reshape(p, b)[T=float]
        y = Reshape(q, c)[T=float]
    """
    nodes, _ = after(text, "set_input_shape(batch_size=5)", "x", "y")
    assert [nodes[f"{name}/shape"].partition("value=")[2] for name in "pqy"] == [
        "int32{5, 2, 3}]",
        "int32{10, 3}]",
        "int32{5, 6}]",
    ]


@pytest.mark.parametrize("case", ["a Reshape of the batch", "a Slice of all", "a StridedSlice of all"])
def test_a_size_becomes_unknown(case: str) -> None:
    lines, name, old, *_ = REWRITTEN[case]
    text = f"x = Placeholder[dtype=float, shape=(1, 2, 3)]\n{name} = Const[dtype=int32, value=int32{{{old}}}]\n{lines}"
    opened = transform(graph_of(text), "x", "y", 'set_input_shape(name=x, shape="-1,2,3")')
    for count in (1, 5):
        feeds = {"x": np.arange(6.0 * count, dtype="f4").reshape(count, 2, 3)}
        fixed = transform(graph_of(text), "x", "y", f'set_input_shape(name=x, shape="{count},2,3")')
        expected, actual = (Session(graph).run(feeds, ["y"])["y"] for graph in (fixed, opened))
        np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize(
    "case",
    ["a BroadcastTo", "a Fill that is joined", "a Tile that is joined", "a transposed convolution"],
)
def test_other_ops_need_a_known_size(case: str) -> None:
    lines, name, old, *_ = REWRITTEN[case]
    text = f"x = Placeholder[dtype=float, shape=(1, 2, 3)]\n{name} = Const[dtype=int32, value=int32{{{old}}}]\n{lines}"
    with pytest.raises(TransformError, match="needs a known size"):
        after(text, 'set_input_shape(name=x, shape="-1,2,3")', "x", "y")


def test_a_shared_constant_stays_for_the_other_node() -> None:
    nodes, _ = after(FLAT + "z = Neg(size)[T=int32]", "set_input_shape(batch_size=2)", "x", "y,z")
    assert nodes["z"] == "Neg(size)[T=int32]"
    assert nodes["flat"] == "Reshape(x, flat/shape)[T=float]"
    assert nodes["size"] == "Const[dtype=int32, value=int32{1, 6}]"


def test_output_shapes_of_changed_nodes_are_removed() -> None:
    text = """
        x = Placeholder[dtype=float, shape=(1, 3), _output_shapes=[(1, 3)]]
        y = Relu(x)[T=float, _output_shapes=[(1, 3)]]
    """
    nodes, _ = after(text, "set_input_shape(batch_size=2)", "x", "y")
    assert nodes == {"x": "Placeholder[dtype=float, shape=(2, 3)]", "y": "Relu(x)[T=float]"}


def test_the_same_shape_changes_nothing() -> None:
    _, report = after(FLAT, 'set_input_shape(name=x, shape="1,2,3")', "x", "y")
    assert report.fired == 0


@pytest.mark.parametrize(
    ("lines", "shape", "problem"),
    [
        (
            "y = Relu(x)[T=float]",
            "1,2",
            r'Placeholder "x" has the shape \[1,2,3\], with 3 dimensions: it cannot be \[1,2\]',
        ),
        (FLAT, "1,2,5", 'the new shapes do not fit: MatMul "y"'),
        (
            "s = Const[dtype=int32, value=int32{6}]\ny = Reshape(x, s)[T=float]",
            "2,2,3",
            'Reshape "y", from .* there is no place for 2',
        ),
        ("y = Squeeze(x)[T=float, squeeze_dims=[0]]", "2,2,3", 'the new shapes do not fit: Squeeze "y"'),
        ("y = Squeeze(x)[T=float]", "2,2,3", 'Squeeze "y" has 3 dimensions instead of 2'),
        ("y = Unpack(x)[T=float, num=1, axis=0]", "2,2,3", 'the new shapes do not fit: Unpack "y"'),
        (
            "z = Const[dtype=int32, value=int32{0}]\no = Const[dtype=int32, value=int32{1}]\n"
            "y = StridedSlice(x, z, o, o)[T=float, Index=int32, shrink_axis_mask=1]",
            "2,2,3",
            'StridedSlice "y" takes the only element of an axis that has 2 now',
        ),
        (
            "c = Const[dtype=float, value=float{1, 2, 3, 4}(2, 2, 1)]\naxis = Const[dtype=int32, value=int32{0}()]\n"
            "y = ConcatV2(x, c, axis)[N=2, T=float]",
            "1,4,3",
            'the new shapes do not fit: ConcatV2 "y"',
        ),
    ],
)
def test_a_size_without_a_place_is_refused(lines: str, shape: str, problem: str) -> None:
    text = lines if lines is FLAT else f"x = Placeholder[dtype=float, shape=(1, 2, 3)]\n{lines}"
    with pytest.raises(TransformError, match=problem):
        after(text, f'set_input_shape(name=x, shape="{shape}")', "x", "y")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("", "there is nothing to set: give name and shape, or batch_size"),
        ("(name=x)", "name and shape must be given equally often, not 1 and 0 times"),
        ("(batch_size=-2)", "batch_size must be positive, not -2"),
        ('(name=y, shape="1,6")', 'MatMul "y" is not a Placeholder: declare it as an input'),
        ('(name=x, shape="1,2,3", name="x:0", shape="2,2,3")', "name has an input twice"),
    ],
)
def test_wrong_arguments_are_refused(arguments: str, problem: str) -> None:
    with pytest.raises(TransformError, match=problem):
        after(FLAT, f"set_input_shape{arguments}", "x", "y")


def test_inputs_of_different_first_sizes_have_no_batch_size() -> None:
    text = "a = Placeholder[dtype=float, shape=(2, 3)]\nb = Placeholder[dtype=float, shape=(5)]\ny = Relu(a)[T=float]"
    with pytest.raises(TransformError, match=r"the first sizes of the inputs differ \(a: \[2,3\], b: \[5\]\)"):
        after(text, "set_input_shape(batch_size=4)", "a,b", "y")
    with pytest.raises(TransformError, match="no declared input is a Placeholder with a first dimension"):
        after(text, "set_input_shape(batch_size=4)", "", "y")


def test_a_verification_begins_again_with_the_new_shape() -> None:
    graph = transform(graph_of(FLAT), "x", "y", "set_input_shape(batch_size=4) fold_constants", verify=True)
    assert Session(graph).run({"x": np.ones((4, 2, 3), "f4")}, ["y"])["y"].tolist() == [[15.5]] * 4


def test_a_constant_is_not_repeated_beyond_the_limit() -> None:
    text = """
        x = Placeholder[dtype=float, shape=(2, 3)]
        state = Const[dtype=float, value=float{1, 1}(2, 1)]
        axis = Const[dtype=int32, value=int32{1}()]
        y = ConcatV2(x, state, axis)[N=2, T=float]
    """
    with pytest.raises(TransformError, match="a constant that is repeated"):
        after(text, "set_input_shape(batch_size=2000000000)", "x", "y")


def test_constants_that_depend_on_each_other_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfmodel.transforms.set_input_shape._MAX_VISITS", 3)
    with pytest.raises(TransformError, match="too many constants depend on each other"):
        after(FLAT, "set_input_shape(batch_size=2)", "x", "y")
