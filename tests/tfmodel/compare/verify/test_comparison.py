"""`Verification`: changed graphs are run on the inputs of the first one, and their outputs compared."""

from __future__ import annotations

import numpy as np
import pytest

import tfmodel
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel.compare.verify import Verification
from tfmodel.interpreter.feed_sources import Expression


def test_inputs_that_only_a_feed_needs_get_no_random_value():
    graph = graph_of("""
        x = Placeholder[dtype=float]
        m = Neg(x)[T=float]
        y = Relu(m)[T=float]
    """)  # the shape of x is not known
    comparison = Verification({"m": np.ones(3)}).begin(graph, ["y"])
    assert comparison.compare(graph).same


INNER = """
    x = Placeholder[dtype=float]
    m = Neg(x)[T=float]
    y = Relu(m)[T=float]
"""


def verified(before: str, after: str, inputs: list[str], **options) -> tfmodel.VerifyReport:
    """Of the output y, with `inputs` declared."""
    comparison = Verification(**options).begin(graph_of(before), ["y"], inputs)
    return comparison.compare(graph_of(after))


@pytest.mark.parametrize(("changed", "same"), [("m = Abs(x)[T=float]", True), ("y = Elu(m)[T=float]", False)])
def test_declared_inputs_are_fed_whatever_their_op(changed, same):
    name = changed[0]
    after = "\n".join(changed if line.strip()[:1] == name else line for line in INNER.splitlines())
    assert verified(INNER, after, ["m"], shapes={"m": (4, 4)}).same is same


def test_inputs_before_a_declared_input_get_no_random_value():
    assert verified(INNER, INNER, ["x", "m"], shapes={"m": (4,)}).same  # the shape of x is not known


def test_inputs_with_a_default_are_fed_the_default():
    text = """
        false = Const[dtype=bool, value=bool{0}()]
        training = PlaceholderWithDefault(false)[dtype=bool, shape=()]
        y = LogicalAnd(training, training)
    """
    always = text.replace("LogicalAnd(training, training)", "LogicalOr(training, other)")
    assert verified(text, f"{always}\nother = LogicalAnd(training, training)", ["training"]).same
    assert not verified(text, text.replace("LogicalAnd(training, training)", "LogicalNot(training)"), ["training"]).same


SCALED = """
    x = Placeholder[dtype={0}, shape=(3, 4)]
    c = Const[dtype={0}, value={0}{{{1}}}()]
    y = Mul(x, c)[T={0}]
"""


@pytest.mark.parametrize(
    ("dtype", "factors", "options", "same"),
    [
        ("float", (1, 1.00002), {}, True),
        ("float", (1, 1.001), {}, False),
        ("half", (1, 1.001), {}, True),
        ("half", (1, 1.01), {}, False),
        ("half", (1, 1.001), {"rtol": 1e-4}, False),
        ("bfloat16", (1, 1.01), {}, True),
        ("bfloat16", (1, 1.1), {}, False),
        ("float", (1e-7, 2e-7), {}, False),
        ("float", (1e-30, 2e-30), {}, False),
        ("float", (1e-7, 2e-7), {"atol": 1e-6}, True),
        ("float", (0, 1e-7), {}, True),
        ("float", (0, 1e-5), {}, False),
        ("float", (0, 1e-7), {"atol": 0}, False),
    ],
)
def test_differences_within_the_tolerance(dtype, factors, options, same):
    before, after = (SCALED.format(dtype, factor) for factor in factors)
    assert verified(before, after, ["x"], **options).same is same
    feeds = {"x": np.ones((3, 4), "f4")}
    assert tfmodel.verify(graph_of(before), graph_of(after), feeds, "y", **options).same is same


# --- `optimize` ------------------------------------------------------------------------------------------------------

OPEN = """
    x = Placeholder[dtype=float, shape=(-1, 3)]
    y = Relu(x)[T=float]
"""
FIXED = OPEN.replace("-1", "2")


def optimized(text: str, **options) -> tfmodel.Optimized:
    """With the output y."""
    return tfmodel.optimize(graph_of(text), "x", "y", **options)


def test_a_seed_is_for_random_expressions_too():
    feeds = {"x": Expression.parse("random(2, 3)", 3)}
    assert optimized(OPEN, feeds=feeds, seed=3).verification.same
    with pytest.raises(tfmodel.FeedError, match="seed"):
        optimized(OPEN, feeds={"x": np.ones((2, 3))}, seed=3)


@pytest.mark.parametrize("text", [OPEN, FIXED])
def test_expressions_have_the_new_shape_of_an_input(text):
    result = optimized(text, batch_size=4, feeds={"x": Expression.parse("random(4, 3)", 0)})
    assert result.unverified == ""
    assert [output.shape for output in result.verification.outputs] == [(4, 3)]


def test_feeds_without_elements_cannot_be_split_into_parts():
    result = optimized(FIXED, shapes={"x": (-1, 3)}, feeds={"x": np.zeros((0, 3))})
    assert result.unverified == "its inputs have shapes that the model does not take"


def test_a_model_with_random_numbers_is_run_again_in_parts():
    text = (
        FIXED.replace("Relu(x)", "Add(x, noise)")
        + """
        size = Shape(x)[T=float, out_type=int32]
        first = RandomUniform(size)[T=int32, dtype=float]
        second = RandomUniform(size)[T=int32, dtype=float]
        noise = Sub(first, second)[T=float]
    """
    )
    reason = "the outputs of the model differ from run to run: it uses random numbers"
    assert optimized(text, batch_size=4).unverified == reason


def test_the_batch_of_a_transposed_convolution_may_be_a_constant():
    text = """
        x = Placeholder[dtype=float, shape=(-1, 2, 2, 4)]
        sizes = Const[dtype=int32, value=int32{8, 4, 4, 3}(4)]
        w = Const[dtype=float, value=float{0.5}(3, 3, 3, 4)]
        y = Conv2DBackpropInput(sizes, w, x)[T=float, strides=[1, 2, 2, 1], padding="SAME"]
    """
    result = optimized(text)
    assert result.unverified == ""
    assert [output.shape for output in result.verification.outputs] == [(8, 4, 4, 3)]


def test_the_batch_of_one_input_is_that_of_the_other():
    text = """
        x = Placeholder[dtype=float, shape=(-1, 3)]
        state = Placeholder[dtype=float, shape=(8, 2)]
        axis = Const[dtype=int32, value=int32{1}()]
        y = ConcatV2(x, state, axis)[N=2, T=float, Tidx=int32]
    """
    result = tfmodel.optimize(graph_of(text), "x,state", "y")
    assert result.unverified == ""
    assert [output.shape for output in result.verification.outputs] == [(8, 5)]
