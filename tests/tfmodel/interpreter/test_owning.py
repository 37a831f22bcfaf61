"""In-place kernels overwrite their first input only if nothing else refers to that array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from pbwire import text
from tests.support.effort import scaled
from tests.support.strategies_graphs import Model, models
from tfmodel.interpreter import Session
from tfmodel.kernels.runtime import KERNELS
from tfmodel.messages import GraphDef

CHAIN = """
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "w" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
           attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 2 } }
                                                float_val: [1, -2, 3, -4] } } } }
    node { name: "product" op: "MatMul" input: ["x", "w"] attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "half" op: "Mul" input: ["product", "w"] attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "relu" op: "Relu" input: "half" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "first" op: "Relu" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "second" op: "Relu" input: "w" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "same" op: "Identity" input: "relu" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "third" op: "Sub" input: ["same", "relu"] attr { key: "T" value { type: DT_FLOAT } } }
"""
X = np.array([[1, 2], [-3, 4]], np.float32)


@pytest.mark.parametrize(
    ("fetches", "owning"),
    [
        (["relu:0"], ["half", "relu"]),
        (["relu:0", "half:0"], ["half"]),  # what is fetched stays as it is
        (["relu:0", "product:0"], ["relu"]),
        (["first:0", "second:0"], []),  # what is fed, and a constant
        (["third:0"], ["half", "relu"]),  # not third: what it takes first is what it takes next
    ],
)
def test_a_step_owns_a_new_array_that_no_other_step_takes(fetches: list[str], owning: list[str]) -> None:
    session = Session(text.loads(CHAIN, GraphDef))
    plan = session.plan(["x"], fetches)
    assert sorted(step.node.name for step in plan.steps if step.owns and step.node.op != "_Target") == owning


@pytest.mark.parametrize("fetch", ["product", "half", "relu", "first", "second", "third"])
def test_other_fetches_do_not_change_a_result(fetch: str) -> None:
    session = Session(text.loads(CHAIN, GraphDef))
    everything = session.run({"x": X}, ["product", "half", "relu", "first", "second", "third"])
    alone = session.run({"x": X}, [fetch])
    assert np.array_equal(alone[fetch], everything[fetch])
    assert X.tolist() == [[1, 2], [-3, 4]]


@settings(max_examples=scaled(60))
@given(models())
def test_observing_a_run_does_not_change_its_results(model: Model) -> None:
    session = Session(model.graph)
    feeds = {name: np.asarray(value, bool if name == "p" else np.float32) for name, value in model.feeds.items()}
    watched = session.run(feeds, model.outputs, observer=lambda *_: None)
    for name, value in watched.items():
        assert np.array_equal(session.run(feeds, [name])[name], value, equal_nan=True)


def _arrays(op: str) -> list[Any]:
    image, channels = np.linspace(-2, 8, 24, dtype=np.float32).reshape(1, 2, 3, 4), np.arange(1, 5, dtype=np.float32)
    return {
        "FusedBatchNorm": [image, *[channels] * 4],
        "FusedBatchNormV2": [image, *[channels] * 4],
        "FusedBatchNormV3": [image, *[channels] * 4],
    }.get(op, [image, channels])


@pytest.mark.parametrize("op", [op for op in KERNELS if KERNELS[op].takes_own])
def test_a_kernel_gives_the_same_in_place(op: str) -> None:
    kernel, inputs = KERNELS[op], _arrays(op)
    if op in ("Relu", "Relu6"):
        inputs = inputs[:1]
    attributes = dict.fromkeys(kernel.attributes, b"NHWC") | {
        "epsilon": 0.1,
        "is_training": False,
        "exponential_avg_factor": 1.0,
    }
    attributes = {name: value for name, value in attributes.items() if name in kernel.attributes}
    expected, own = kernel.function(*inputs, **attributes), inputs[0].copy()
    actual = kernel.function(own, *inputs[1:], own=True, **attributes)
    first, second = (result[0] if isinstance(result, tuple) else result for result in (expected, actual))
    assert np.array_equal(first, second)
    assert not np.shares_memory(first, inputs[0])
    assert np.shares_memory(second, own)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("size", [0, 1, 8191, 8192, 8193, 20_000])
def test_a_relu_of_any_size_is_the_maximum_with_zero(size: int, dtype: type) -> None:
    x = (np.arange(size) % 7 - 3).astype(dtype)
    if dtype != np.int32:
        x[::5], x[::11] = np.nan, -np.inf
    relu, expected = KERNELS["Relu"].function, np.maximum(x, 0)
    np.testing.assert_array_equal(relu(x), expected)
    np.testing.assert_array_equal(relu(np.repeat(x, 2)[::2]), expected)
    np.testing.assert_array_equal(relu(x.copy(), own=True), expected)
