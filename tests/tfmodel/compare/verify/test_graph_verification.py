"""`Verification`: changed graphs are run on the inputs of the first one, and their outputs compared."""

from __future__ import annotations

import numpy as np
import pytest

import tfmodel
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel.compare.verify.graph_verification import Verification


def test_inputs_that_only_a_feed_needs_get_no_random_value():
    graph = graph_of("""
        x = Placeholder[dtype=float]
        m = Neg(x)[T=float]
        y = Relu(m)[T=float]
    """)  # the shape of x is not known
    verification = Verification({"m": np.ones(3)})
    verification.begin(graph, ["y"])
    assert verification.compare(graph).same


INNER = """
    x = Placeholder[dtype=float]
    m = Neg(x)[T=float]
    y = Relu(m)[T=float]
"""


def verified(before: str, after: str, inputs: list[str], **options) -> tfmodel.compare.verify.verification.VerifyReport:
    """Of the output y, with `inputs` declared."""
    verification = Verification(**options)
    verification.begin(graph_of(before), ["y"], inputs)
    return verification.compare(graph_of(after))


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
