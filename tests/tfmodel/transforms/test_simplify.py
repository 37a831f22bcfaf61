"""Nodes that change nothing are removed, and steps that do one thing are joined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tfmodel.transforms.graph_notation import graph, spelled
from tfmodel import transform
from tfmodel.interpreter import Session
from tfmodel.messages import GraphDef

CONSTANTS = """
    x = Placeholder[dtype=float, shape=(-1, 3)]
    any = Placeholder[dtype=float]
    one = Const[dtype=float, value=float{1}()]
    two = Const[dtype=float, value=float{2}()]
    zero = Const[dtype=float, value=float{0}()]
    ones = Const[dtype=float, value=float{1}(3)]
    wide = Const[dtype=float, value=float{1}(4, 1)]
    huge = Const[dtype=float, value=float{1e30}()]
    zeros = Const[dtype=float, value=float{0}(3)]
    b = Const[dtype=float, value=float{1, 2, 3}(3)]
    yes = Const[dtype=bool, value=bool{true}()]
    no = Const[dtype=bool, value=bool{false}(3)]
    same_axes = Const[dtype=int32, value=int32{0, 1}]
    swapped = Const[dtype=int32, value=int32{1, 0}]
    begin = Const[dtype=int32, value=int32{0, 0}]
    all = Const[dtype=int32, value=int32{-1, 3}]
    units = Const[dtype=int32, value=int32{1, 1}]
    flat = Const[dtype=int32, value=int32{-1}]
    last = Const[dtype=int32, value=int32{-1}()]
    margins = Const[dtype=int32, value=int32{0}(2, 2)]
    size = Const[dtype=int32, value=int32{3}()]
    first = Const[dtype=int32, value=int32{0}]
    second = Const[dtype=int32, value=int32{1}]
"""


def simplified(nodes: str) -> GraphDef:
    """Return the graph with `y` as its output after the transform, without nodes that `y` does not need."""
    lines = [line.strip() for line in f"{CONSTANTS}\n{nodes}\nend = Sin(y)[T=float]".splitlines()]
    return transform(graph("\n".join(lines)), "x, any", "end", "simplify strip_unused_nodes")


def result(nodes: str) -> str:
    """Return what takes the place of `y`: a tensor, or a node in text form."""
    by_name = {node.name: node for node in simplified(nodes).node}
    tensor = by_name["end"].input[0]
    return tensor if tensor in CONSTANTS.split() else spelled(by_name[tensor]).partition(" = ")[2]


@pytest.mark.parametrize(
    "node",
    [
        "Mul(x, one)[T=float]",
        "Mul(one, x)[T=float]",
        "Mul(x, ones)[T=float]",
        "RealDiv(x, one)[T=float]",
        "Div(x, one)[T=float]",
        "Pow(x, one)[T=float]",
        "Add(x, zero)[T=float]",
        "AddV2(zeros, x)[T=float]",
        "Sub(x, zero)[T=float]",
        "BiasAdd(x, zeros)[T=float]",
        "Cast(x)[SrcT=float, DstT=float]",
        "Select(yes, x, any)[T=float]",
        "SelectV2(no, zero, x)[T=float]",
        "AddN(x)[N=1, T=float]",
        "ConcatV2(x, last)[N=1, T=float]",
        "Concat(last, x)[N=1, T=float]",
        "Transpose(x, same_axes)[T=float]",
        "Reshape(x, all)[T=float]",
        "Pad(x, margins)[T=float]",
        "PadV2(x, margins, one)[T=float]",
        'MirrorPad(x, margins)[T=float, mode="REFLECT"]',
        "Slice(x, begin, all)[T=float, Index=int32]",
        "StridedSlice(x, begin, all, units)[T=float, Index=int32, end_mask=3]",
        "StridedSlice(x, all, all, units)[T=float, Index=int32, begin_mask=3, end_mask=1]",
        "Tile(x, units)[T=float]",
    ],
)
def test_a_node_that_changes_nothing_is_removed(node):
    assert result(f"y = {node}") == "x"


@pytest.mark.parametrize(
    "node",
    [
        "Mul(x, two)[T=float]",
        "Mul(x, wide)[T=float]",
        "Mul(any, ones)[T=float]",
        "RealDiv(one, x)[T=float]",
        "Pow(one, x)[T=float]",
        "Sub(zero, x)[T=float]",
        "SelectV2(no, x, any)[T=float]",
        "SelectV2(yes, zero, x)[T=float]",
        "Transpose(x, swapped)[T=float]",
        "Reshape(any, all)[T=float]",
        "Slice(x, units, all)[T=float, Index=int32]",
        "StridedSlice(x, begin, all, units)[T=float, Index=int32]",
        "StridedSlice(x, begin, all, units)[T=float, Index=int32, end_mask=3, shrink_axis_mask=1]",
        "Tile(x, same_axes)[T=float]",
    ],
)
def test_a_node_that_may_change_something_stays(node):
    assert result(f"y = {node}").startswith(node.partition("[")[0])


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ("a = Neg(x)[T=float]; y = Neg(a)[T=float]", "x"),
        ("a = Relu(x)[T=float]; y = Relu(a)[T=float]", "Relu(x)[T=float]"),
        ("a = Transpose(x, swapped)[T=float]; y = Transpose(a, swapped)[T=float]", "x"),
        ("a = Reshape(x, flat)[T=float]; y = Reshape(a, all)[T=float]", "x"),
        ("a = Reshape(any, flat)[T=float]; y = Reshape(a, all)[T=float]", "Reshape(any, all)[T=float]"),
        ("a = ExpandDims(any, last)[T=float]; y = Squeeze(a)[T=float, squeeze_dims=[-1]]", "any"),
        ("a = Squeeze(any)[T=float, squeeze_dims=[-1]]; y = ExpandDims(a, last)[T=float]", "any"),
        ("a = Mul(x, one)[T=float]; b2 = Neg(a)[T=float]; y = Neg(b2)[T=float]", "x"),
    ],
)
def test_two_nodes_that_do_one_thing(nodes, expected):
    assert result(nodes.replace("; ", "\n")) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected", "constant"),
    [
        ("Add(x, two)[T=float]", "Add(a, two)[T=float]", "Add(x, y/joined)[T=float]", 4),
        ("Sub(x, two)[T=float]", "AddV2(a, b)[T=float]", "AddV2(x, y/joined)[T=float]", [-1, 0, 1]),
        ("BiasAdd(x, b)[T=float]", "Sub(a, two)[T=float]", "BiasAdd(x, y/joined)[T=float]", [-1, 0, 1]),
        ("Mul(x, two)[T=float]", "Mul(b, a)[T=float]", "Mul(x, y/joined)[T=float]", [2, 4, 6]),
        ("RealDiv(x, two)[T=float]", "RealDiv(a, two)[T=float]", "RealDiv(x, y/joined)[T=float]", 4),
    ],
)
def test_constants_are_joined(first, second, expected, constant):
    nodes = f"a = {first}\ny = {second}"
    assert result(nodes) == expected
    assert Session(simplified(nodes)).run({}, ["y/joined"])["y/joined"].tolist() == constant


@pytest.mark.parametrize(
    ("nodes", "why"),
    [
        ("a = Mul(x, huge)[T=float]\ny = Mul(a, huge)[T=float]", "the product would be infinite"),
        ("a = Add(x, two)[T=float]\nother = Add(a, x)[T=float]\ny = Add(a, two, ^other)[T=float]", "a is used twice"),
        ("a = Add(x, two, ^any)[T=float]\ny = Add(a, two)[T=float]", "a waits for another node"),
        ("a = Mul(any, b)[T=float]\ny = Mul(a, wide)[T=float]", "the constant would be larger than both"),
    ],
)
def test_constants_that_cannot_be_joined_stay(nodes, why):
    assert "y/joined" not in result(nodes), why


class TestSizes:
    def test_the_size_of_a_batch_becomes_open(self):
        assert (
            result("""
                shape = Shape(x)[T=float]
                batch = StridedSlice(shape, first, second, second)[T=int32, Index=int32, shrink_axis_mask=1]
                sizes = Pack(batch, size)[N=2, T=int32]
                neg = Neg(any)[T=float]
                y = Reshape(neg, sizes)[T=float]
            """)
            == "Reshape(neg, y/sizes)[T=float]"
        )

    def test_a_size_that_is_known_becomes_a_constant(self):
        nodes = simplified("""
            shape = Shape(x)[T=float]
            rows = StridedSlice(shape, second, end_of, second)[T=int32, Index=int32]
            end_of = Const[dtype=int32, value=int32{2}]
            y = Fill(rows, one)[T=float]
        """)
        assert "rows = Const[dtype=int32, value=int32{3}]" in map(spelled, nodes.node)

    @pytest.mark.parametrize("sizes", ["Pack(batch, batch)[N=2, T=int32]", "Pack(batch, last)[N=2, T=int32]"])
    def test_sizes_stay_unless_one_is_open(self, sizes):
        text = result(f"""
            shape = Shape(any)[T=float]
            batch = StridedSlice(shape, first, second, second)[T=int32, Index=int32, shrink_axis_mask=1]
            sizes = {sizes}
            y = Reshape(any, sizes)[T=float]
        """)
        assert text == "Reshape(any, sizes)[T=float]"


def test_control_inputs_are_passed_on():
    assert result("a = Mul(x, one, ^any)[T=float]\ny = Neg(a)[T=float]") == "Neg(x, ^any)[T=float]"


def test_a_declared_node_becomes_an_identity():
    text = "x = Placeholder[dtype=float]\none = Const[dtype=float, value=float{1}()]\ny = Mul(x, one)[T=float]"
    nodes = transform(graph(text), "x", "y", "simplify").node
    assert "y = Identity(x)[T=float]" in map(spelled, nodes)


def test_a_constant_that_is_fed_has_an_unknown_value():
    text = "x = Placeholder[dtype=float]\none = Const[dtype=float, value=float{1}()]\ny = Mul(x, one)[T=float]"
    nodes = transform(graph(text), "x, one", "y", "simplify").node
    assert "y = Mul(x, one)[T=float]" in map(spelled, nodes)


def test_functions_are_simplified():
    text = """
        f: (a: float) -> (r: float = same:z:0)
        f: one = Const[dtype=float, value=float{1}()]
        f: neg = Neg(a)[T=float]
        f: back = Neg(neg:y:0)[T=float]
        f: same = Mul(back:y:0, one:output:0)[T=float]
        x = Placeholder[dtype=float]
        y = PartitionedCall(x)[f=@f, Tin=[float], Tout=[float]]
    """
    result = transform(graph(text), "x", "y", "simplify")
    assert "same = Identity(a)[T=float]" in map(spelled, result.library.function[0].node_def)


def test_a_filled_constant_of_any_size_takes_no_time():
    text = """
        x = Placeholder[dtype=float]
        big = Const[dtype=float, value=float{1}(100000, 100000)]
        a = Mul(x, big)[T=float]
        y = Mul(a, big)[T=float]
    """
    nodes = {node.name: node for node in transform(graph(text), "x", "y", "simplify").node}
    assert nodes["y"].input == ["a", "big"]


OPERANDS = ["x", "one", "two", "zero", "ones", "b", "zeros"]


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Add", "AddV2", "Mul", "Sub", "RealDiv"]), st.sampled_from(OPERANDS[1:]), st.booleans()
        ),
        min_size=1,
        max_size=6,
    )
)
def test_chains_of_arithmetic_compute_the_same(steps):
    """In double precision: after a difference of nearly equal numbers, float32 has few correct digits left.

    Elements that are nearly zero or infinite on the way are not compared, since they may be exactly that instead.
    """
    lines = [*CONSTANTS.splitlines()]
    tensor = "x"
    for number, (op, operand, is_first) in enumerate(steps):
        operands = (operand, tensor) if is_first else (tensor, operand)
        lines.append(f"    n{number} = {op}({', '.join(operands)})[T=float]")
        tensor = f"n{number}"
    before = graph("\n".join(lines).replace("float", "double"))
    after = transform(before, "x", tensor, "simplify")
    feeds = {"x": np.array([[1, -2, 0.5], [3, 7, -0.25]])}
    with np.errstate(all="ignore"):
        values = Session(before).run(feeds, [f"n{number}" for number in range(len(steps))])
        actual = Session(after).run(feeds, [tensor])[tensor]
    sizes = np.abs([np.broadcast_to(value, actual.shape) for value in values.values()])
    is_ordinary = ((sizes == 0) | ~np.isfinite(sizes) | ((sizes > 1e-6) & (sizes < 1e6))).all(axis=0)
    expected, actual = (np.where(np.isinf(each), np.inf, each) for each in (values[tensor], actual))  # 1 / -0 and 1 / 0
    np.testing.assert_allclose(actual[is_ordinary], expected[is_ordinary], rtol=1e-6)
