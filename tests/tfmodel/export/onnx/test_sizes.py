"""Numbers that are computed from sizes: which are always equal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tfmodel.export.onnx.conversion.model import OnnxGraph, Value
from tfmodel.export.onnx.conversion.scope import Scope
from tfmodel.export.onnx.conversion.sizes import Sizes, same_number
from tfmodel.messages import DataType

INT64, FLOAT = DataType.DT_INT64, DataType.DT_FLOAT
GRAPH = OnnxGraph()
X = Value(FLOAT, (None, None, 8), "x")


def const(elements: Any) -> Value:
    array = np.array(elements, np.int64)
    return Value(INT64, array.shape, data=array)


def add(op: str, *inputs: Value, dtype: DataType = INT64, **attributes: Any) -> Value:
    return GRAPH.add(op, inputs, types=[dtype], attributes=attributes)[0]


def equal(one: Value, other: Value) -> bool:
    known = Sizes()
    known.follow([GRAPH])
    return same_number(known.number(one), known.number(other))


def is_length(number: Value, tensor: Value) -> bool:
    return equal(number, add("Gather", add("Shape", tensor), const(0)))


def size(axis: int) -> Value:
    return add("Gather", add("Shape", X), const(axis))


def turned(*order: int) -> Value:
    value = add("Transpose", X, dtype=FLOAT, perm=list(order))
    value.shape = tuple((X.shape or ())[axis] for axis in order)
    return value


@pytest.mark.parametrize(
    ("number", "is_first"),
    [
        (lambda: size(0), True),
        (lambda: size(1), False),
        (lambda: add("Max", size(0), const(0)), True),
        (lambda: add("Max", size(0), const(1)), False),
        (lambda: add("Min", size(0), add("Max", const(1), size(0))), True),
        (lambda: add("Min", size(0), add("Max", const(1), size(1))), False),
        (lambda: add("Min", size(0), const(1 << 30)), False),
        (lambda: add("Add", size(0), const(0)), False),
        (lambda: add("Cast", add("Squeeze", add("Slice", add("Shape", X), const([0]), const([1])), const([0]))), True),
        (lambda: add("Gather", add("Gather", add("Shape", X), const([1, 0, 2])), const(1)), True),
        (lambda: add("Gather", add("Shape", turned(1, 0, 2)), const(1)), True),
        (lambda: add("Gather", add("Gather", add("Shape", X), const([3])), const(0)), False),  # X has three sizes
        (lambda: const(8), False),
    ],
)
def test_a_number_is_the_first_size_of_a_tensor(number: Callable[[], Value], is_first: bool) -> None:
    assert is_length(number(), X) == is_first


def test_sizes_are_followed_through_what_keeps_them() -> None:
    rows = turned(1, 0, 2)
    assert is_length(size(1), rows)
    backwards = add("Slice", rows, const([-1]), const([-(1 << 63)]), const([0]), const([-1]), dtype=FLOAT)
    assert is_length(size(1), backwards)
    assert not is_length(size(1), add("Slice", rows, const([0]), const([5]), const([0]), dtype=FLOAT))
    assert is_length(const(8), turned(2, 0, 1))


def test_a_loop_without_results_tells_nothing() -> None:
    scope = Scope()
    scope.add("Loop", types=[])
    (sizes,) = scope.add("Shape", X, types=[INT64])
    ones, others = (scope.add("Gather", sizes, const(0), types=[INT64])[0] for _ in range(2))
    assert scope.same_numbers(ones, others)


def test_a_number_of_very_many_sizes_is_not_looked_into() -> None:
    number = size(0)
    for _ in range(100):
        number = add("Max", number, number)
    deep = size(0)
    for limit in range(3000):
        deep = add("Max", deep, const(limit))
    assert equal(number, size(0))
    assert not equal(deep, size(0))


def test_numbers_of_two_sizes_are_not_equal() -> None:
    assert equal(add("Max", size(0), const(-3)), size(0))
    assert not equal(add("Min", size(0), size(1)), size(0))
