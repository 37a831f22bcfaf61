"""Weights in half precision: every bit, and what is lost."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.effort import scaled
from tests.tfmodel.transforms.test_round_weights import constant
from tfmodel import to_ndarray
from tfmodel.messages import DataType, GraphDef
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.half_precision.weights import rounding_loss

HALF, BFLOAT16 = DataType.DT_HALF, DataType.DT_BFLOAT16
TYPES = {"convert_float16": np.float16, "convert_bfloat16": ml_dtypes.bfloat16}
LARGE = {HALF: 65519.996, BFLOAT16: float.fromhex("0x1.fefffep127")}


def bits(step: str, values: Any) -> np.ndarray[Any, Any]:
    """Return the bits of the elements that a transform stores."""
    graph = transform(constant(values), "", "w", f"{step}(weights_only=true, minimum_size=0)")
    content = graph.node[0].attr["value"].tensor.tensor_content
    return np.frombuffer(content, "<u2")


@pytest.mark.parametrize("step", TYPES)
@settings(max_examples=scaled(60))
@given(st.lists(st.integers(0, 2**32 - 1), min_size=2, max_size=50, unique=True))
def test_elements_are_rounded_as_numpy_and_ml_dtypes_round_them(step: str, patterns: list[int]) -> None:
    values = np.array(patterns, np.uint32).view(np.float32)
    limit = 65504 if step == "convert_float16" else 3e38
    values = np.where(np.abs(values) > limit, np.float32(1), values)  # others stay float32; NaN is not > limit
    values[0] = 3
    expected = values.astype(TYPES[step])
    actual = bits(step, values)
    is_nan = np.isnan(values)
    assert (actual == expected.view(np.uint16))[~is_nan].all()
    assert np.isnan(actual.view(TYPES[step])[is_nan].astype(np.float32)).all()


def test_ties_go_to_even_and_subnormal_numbers_stay() -> None:
    values = [1 + 2**-11, 1 + 3 * 2**-11, 2**-24, 3 * 2**-25, -(2**-25), 65519, float("inf"), -0.0]
    assert bits("convert_float16", values).tolist() == [0x3C00, 0x3C02, 1, 2, 0x8000, 0x7BFF, 0x7C00, 0x8000]
    values = [1 + 2**-8, 1 + 3 * 2**-8, 2**-133, float("-inf"), -0.0]
    assert bits("convert_bfloat16", values).tolist() == [0x3F80, 0x3F82, 1, 0xFF80, 0x8000]


@pytest.mark.parametrize("half", [HALF, BFLOAT16])
def test_the_limits_of_overflow_and_underflow_are_exact(half: DataType) -> None:
    dtype = TYPES["convert_float16" if half == HALF else "convert_bfloat16"]
    largest = np.float32(LARGE[half])
    smallest = np.float32(2.0**-25 if half == HALF else 2.0**-134)
    for value in (largest, np.nextafter(largest, np.float32(np.inf)), smallest, np.nextafter(smallest, np.float32(1))):
        loss = rounding_loss(np.array([value, -value, 1], np.float32), half)
        with np.errstate(over="ignore"):
            rounded = np.float32(dtype(value))
        assert (loss.overflowing, loss.vanishing) == (2 * np.isinf(rounded), 2 * (rounded == 0))


def test_a_constant_that_is_stored_as_one_element_is_judged_and_rounded_as_one() -> None:
    graph = GraphDef.from_bytes(constant([0.1]).to_bytes())
    huge = np.broadcast_to(np.float32(1e6), (2**40,))
    assert rounding_loss(huge, HALF).problem == "its values overflow float16"
    assert rounding_loss(huge, HALF).elements == 1
    assert to_ndarray(graph.node[0].attr["value"].tensor).size == 1
