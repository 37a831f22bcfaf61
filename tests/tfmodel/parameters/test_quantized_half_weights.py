"""Weights that are stored in half precision have the names of the float32 weights."""

from __future__ import annotations

import pytest

from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import compare_values, transform, weights
from tfmodel.parameters.quantized import find_half_weights

TEXT = """
    x = Placeholder[dtype=float]
    w = Const[dtype=float, value=float{1, 2, 3, 0.1}(2, 2)]
    y = MatMul(x, w)[T=float]
"""
STEP = "{}(weights_only=true, minimum_size=1)"


@pytest.mark.parametrize(("step", "dtype"), [("convert_float16", "float16"), ("convert_bfloat16", "bfloat16")])
def test_the_weight_has_the_name_of_the_cast(step: str, dtype: str) -> None:
    result = transform(graph(TEXT), "x", "y", STEP.format(step))
    assert [(row.name, row.dtype, row.op, row.role) for row in weights(result)] == [("w", dtype, "MatMul", "matrix")]
    assert [row.name for row in weights(result, as_stored=True)] == [f"w_{dtype}"]


def test_values_are_compared_under_this_name() -> None:
    before = graph(TEXT)
    report = compare_values(before, transform(before, "x", "y", STEP.format("convert_float16")))
    assert [(row.status, row.before.name, row.after.name) for row in report] == [("retyped", "w", "w")]


@pytest.mark.parametrize(
    "text",
    [
        "h = Const[dtype=half]\nw = Cast(h)[SrcT=half, DstT=double]",
        "h = Const[dtype=half]\nw = Cast(h)[SrcT=half, DstT=float]\ny = Relu(h)[T=half]",
        "h = Placeholder[dtype=half]\nw = Cast(h)[SrcT=half, DstT=float]",
        "h = Const[dtype=int32]\nw = Cast(h)[SrcT=int32, DstT=float]",
        "w = Cast[SrcT=half, DstT=float]",
    ],
)
def test_other_casts_are_not_weights(text: str) -> None:
    assert find_half_weights(graph(text).node) == {}
