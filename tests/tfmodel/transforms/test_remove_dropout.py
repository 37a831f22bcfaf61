"""Dropout that keeps everything is removed, however it is written."""

from __future__ import annotations

import pytest

from tests.tfmodel.transforms.graph_notation import graph, spelled
from tfmodel import transform
from tfmodel.transforms.framework.report import TransformReport

START = """
    x = Placeholder[dtype=float, shape=(-1, 4, 8)]
    other = Placeholder[dtype=float]
    one = Const[dtype=float, value=float{1}()]
    zero = Const[dtype=float, value=float{0}()]
    half = Const[dtype=float, value=float{0.5}()]
    zeros = Const[dtype=float, value=float{0}(8)]
    units = Const[dtype=int32, value=int32{1}]
    first = Const[dtype=int32, value=int32{0}]
    size = Const[dtype=int32, value=int32{1}()]
    seed = Const[dtype=int64, value=int64{1, 2}]
    key = Const[dtype=uint64, value=uint64{1}]
    counter = Const[dtype=uint64, value=uint64{1, 2}]
    algorithm = Const[dtype=int32, value=int32{1}()]
    shape = Shape(x)[T=float]
    u = RandomUniform(shape)[dtype=float, T=int32]
"""

FLOOR = "sum = Add(one, u)[T=float]; mask = Floor(sum)[T=float]; y = Mul(x, mask)[T=float]"
COMPARISON = (
    "less = GreaterEqual(u, zero)[T=float]; mask = Cast(less)[SrcT=bool, DstT=float]; y = Mul(x, mask)[T=float]"
)
CHOICE = "keep = GreaterEqual(u, zero)[T=float]; y = SelectV2(keep, x, zero)[T=float]"


def result(nodes: str) -> str:
    """Return the tensor or the node that takes the place of `y`."""
    lines = [line.strip() for line in f"{START}\n{nodes}\nend = Sin(y)[T=float]".replace("; ", "\n").splitlines()]
    nodes_by_name = {
        node.name: node for node in transform(graph("\n".join(lines)), "x, other", "end", "remove_dropout").node
    }
    tensor = nodes_by_name["end"].input[0]
    return tensor if tensor in START.split() else spelled(nodes_by_name[tensor]).partition(" = ")[2]


def reason(nodes: str) -> list[str]:
    lines = [line.strip() for line in f"{START}\n{nodes}".replace("; ", "\n").splitlines()]
    report = TransformReport()
    transform(graph("\n".join(lines)), "x, other", "y", "remove_dropout", report=report)
    return [*report.steps[0].refusals]


@pytest.mark.parametrize("nodes", [FLOOR, COMPARISON, CHOICE])
def test_the_spellings_of_dropout(nodes):
    assert result(nodes) == "x"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Add(one, u)", "AddV2(u, one)"),
        ("Mul(x, mask)", "Mul(mask, x)"),
        ("Floor(sum)", "Floor(same); same = Identity(sum)"),
        ("Add(one, u)[T=float]", "Add(one, n)[T=float]; m = Mul(u, one)[T=float]; n = Add(m, zero)[T=float]"),
    ],
)
def test_ops_that_may_be_between(old, new):
    assert result(FLOOR.replace(old, new)) == "x"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("GreaterEqual(u, zero)", "LessEqual(zero, u)"),
        ("GreaterEqual(u, zero)", "Less(u, one)"),
        ("GreaterEqual(u, zero)", "Greater(one, u)"),
    ],
)
def test_comparisons_that_are_always_true(old, new):
    assert result(COMPARISON.replace(old, new)) == "x"


@pytest.mark.parametrize(
    "random",
    [
        "StatelessRandomUniform(shape, seed)[dtype=float, T=int32, Tseed=int64]",
        "StatelessRandomUniformV2(shape, key, counter, algorithm)[dtype=float, Tshape=int32]",
    ],
)
def test_stateless_random_numbers(random):
    assert result(COMPARISON.replace("(u,", "(v,") + f"; v = {random}") == "x"


@pytest.mark.parametrize(
    "nodes",
    [
        FLOOR.replace("Add(one, u)", "Add(half, u)"),
        FLOOR.replace("Floor(", "Ceil("),
        COMPARISON.replace("zero)", "half)"),
        COMPARISON.replace("GreaterEqual(", "Greater("),
        CHOICE.replace("(keep, x, zero)", "(keep, zero, x)").replace("GreaterEqual(u, zero)", "Less(u, half)"),
    ],
)
def test_dropout_that_does_something_stays(nodes):
    assert result(nodes).startswith(("Mul", "SelectV2"))


class TestShapes:
    """The mask must not be larger than the tensor."""

    OTHER = "; shape2 = Shape(t)[T=float]; v = RandomUniform({})[dtype=float, T=int32]"

    def with_shape(self, shape: str, tensor: str = "other", more: str = "") -> str:
        nodes = FLOOR.replace("u)", "v)").replace("(x,", f"({tensor},")
        return nodes + f"; v = RandomUniform({shape})[dtype=float, T=int32]" + more

    def test_of_the_tensor_itself(self):
        assert result(self.with_shape("s", more="; s = Shape(other)[T=float]")) == "other"

    def test_of_a_tensor_with_only_elementwise_ops_between(self):
        more = "; r = Relu(other)[T=float]; t = RealDiv(r, half)[T=float]; s = Shape(r)[T=float]"
        assert result(self.with_shape("s", "t", more)) == "RealDiv(r, half)[T=float]"

    def test_a_constant_that_fits(self):
        more = "; s = Const[dtype=int32, value=int32{1, 4, 8}]"
        assert result(self.with_shape("s", "x", more)) == "x"

    def test_a_noise_shape_with_the_size_of_the_batch(self):
        more = (
            "; b = StridedSlice(shape, first, units, units)[T=int32, Index=int32, shrink_axis_mask=1]"
            "; s = Pack(b, size, size)[N=3, T=int32]"
        )
        assert result(self.with_shape("s", "x", more)) == "x"

    @pytest.mark.parametrize(
        ("tensor", "more"),
        [
            ("other", "; s = Shape(x)[T=float]"),
            ("x", "; s = Const[dtype=int32, value=int32{2, 4, 8}]"),
            ("x", "; s = Shape(other)[T=float]"),
        ],
    )
    def test_another_shape(self, tensor, more):
        nodes = self.with_shape("s", tensor, more)
        assert result(nodes).startswith("Mul(")
        assert reason(nodes) == ["the mask of the dropout may be larger than the tensor"]

    def test_another_tensor_to_choose(self):
        assert reason(CHOICE.replace("x, zero)", "x, zeros)")) == ["its third input may be larger than the tensor"]


def test_a_keep_probability_that_is_fed_is_unknown():
    lines = [line.strip() for line in f"{START}\n{FLOOR}".replace("; ", "\n").splitlines()]
    nodes = transform(graph("\n".join(lines)), "x, one", "y", "remove_dropout").node
    assert "y = Mul(x, mask)[T=float]" in map(spelled, nodes)


def test_deploy_leaves_no_random_numbers():
    nodes = f"div = RealDiv(x, one)[T=float]; {FLOOR}".replace("Mul(x,", "Mul(div,")
    lines = [line.strip() for line in f"{START}\n{nodes}\nend = Sin(y)[T=float]".replace("; ", "\n").splitlines()]
    from tfmodel.transforms.framework.recipes import RECIPES

    result = transform(graph("\n".join(lines)), "x", "end", RECIPES["deploy"])
    assert [spelled(node) for node in result.node][1:] == ["end = Sin(x:0)[T=float]"]
