"""Nodes that are joined, and those that look alike and stay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.tfmodel.export.onnx.test_converters import FLOAT, const, fed, run
from tfmodel.messages import AttrValue, NodeDef

T = {"T": AttrValue(type=FLOAT)}
X = np.float32([[-2, -1, 0], [0.5, 1, np.inf]])


def node(op: str, name: str, *inputs: str) -> NodeDef:
    return NodeDef(name=name, op=op, input=[*inputs], attr=T)


@pytest.mark.parametrize("shape", [(), (1,), (4,), (1, 1), (1, 4)])
def test_a_row_that_is_added_to_a_product_is_its_bias(shape: tuple[int, ...]) -> None:
    x, bias = np.ones((2, 3), np.float32), np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    weights = np.arange(12, dtype=np.float32).reshape(3, 4)
    nodes = [
        fed("x", FLOAT, [None, 3]),
        const("w", weights),
        const("b", bias),
        node("MatMul", "m", "x", "w"),
        node("Add", "y", "b", "m"),
    ]
    (y,), ops = run(nodes, {"x": x}, "y")
    np.testing.assert_allclose(y, x @ weights + bias)
    assert ops == ["Gemm"]


@pytest.mark.parametrize("shape", [(2, 4), (2, 1), (1, 1, 4)])
def test_other_sums_stay(shape: tuple[int, ...]) -> None:
    x, added = np.ones((2, 3), np.float32), np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    weights = np.arange(12, dtype=np.float32).reshape(3, 4)
    nodes = [
        fed("x", FLOAT, [2, 3]),
        const("w", weights),
        const("b", added),
        node("MatMul", "m", "x", "w"),
        node("Add", "y", "m", "b"),
    ]
    (y,), ops = run(nodes, {"x": x}, "y")
    np.testing.assert_allclose(y, x @ weights + added)
    assert ops == ["MatMul", "Add"]


def leaky(factor: Any, *, first: bool) -> list[NodeDef]:
    return [
        fed("x", FLOAT, [None, 3]),
        const("factor", np.float32(factor)),
        node("Mul", "scaled", *(("factor", "x") if first else ("x", "factor"))),
        node("Maximum", "y", *(("scaled", "x") if first else ("x", "scaled"))),
    ]


@pytest.mark.parametrize("factor", [0.2, 1])
@pytest.mark.parametrize("first", [True, False])
def test_a_maximum_with_a_part_is_a_leaky_relu(factor: float, first: bool) -> None:
    (y,), ops = run(leaky(factor, first=first), {"x": X}, "y")
    np.testing.assert_array_equal(y, np.maximum(X, np.float32(factor) * X))
    assert "Max" not in ops


@pytest.mark.parametrize("factor", [-0.5, 0, 1.5, [0.1, 0.2, 0.3]])
def test_a_maximum_with_something_else_stays(factor: Any) -> None:
    (y,), ops = run(leaky(factor, first=False), {"x": X}, "y")
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(y, np.maximum(X, np.float32(factor) * X))
    assert ops == ["Mul", "Max"]
