"""Intervals contain every result, and counters count as their type does."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmodel.messages import AttrValue, DataType, NodeDef
from tfmodel.reports.check.intervals import ANY, Counter, compare, in_type, interval_of, range_of, widened

OPS = {
    "AddV2": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Maximum": np.maximum,
    "Minimum": np.minimum,
    "FloorMod": np.mod,
    "FloorDiv": np.floor_divide,
    "BitwiseAnd": np.bitwise_and,
}
BYTES = st.integers(-128, 127)


def node(op: str, dtype: int, name: str = "T") -> NodeDef:
    return NodeDef(op=op, attr={name: AttrValue(type=dtype)})


@given(st.sampled_from(sorted(OPS)), st.tuples(BYTES, BYTES), st.tuples(BYTES, BYTES), st.floats(0, 1), st.floats(0, 1))
def test_results_of_bytes_lie_in_the_interval(
    op: str, first: tuple[int, int], second: tuple[int, int], along: float, across: float
) -> None:
    sides = [(min(ends), max(ends)) for ends in (first, second)]
    x, y = (math.floor(low + (high - low) * part) for (low, high), part in zip(sides, (along, across), strict=True))
    low, high = interval_of(node(op, DataType.DT_INT8), sides)
    if y or op not in ("FloorMod", "FloorDiv"):
        with np.errstate(over="ignore"):
            assert low <= OPS[op](np.int8(x), np.int8(y)) <= high


@pytest.mark.parametrize(
    ("op", "inputs", "interval"),
    [
        ("Sigmoid", [ANY], (0, 1)),
        ("Relu", [(-2, 5)], (0, 5)),
        ("Abs", [(-7, 5)], (0, 7)),
        ("Neg", [(-2, 5)], (-5, 2)),
        ("Max", [(-2, 5), ANY], (-2, 5)),
        ("ClipByValue", [ANY, (-1, -1), (3, 3)], (-1, 3)),
        ("Select", [(0, 1), (2, 3), (5, 5)], (2, 5)),
        ("RandomUniform", [ANY], (0, 1)),
        ("Mul", [(0, 0), ANY], (0, 0)),
        ("Unknown", [(1, 2)], ANY),
    ],
)
def test_intervals_of_floats(op: str, inputs: list[tuple[float, float]], interval: tuple[float, float]) -> None:
    assert interval_of(node(op, DataType.DT_FLOAT), inputs) == interval


def test_a_cast_that_its_type_cannot_hold_may_be_any_number_of_the_type() -> None:
    cast = node("Cast", DataType.DT_UINT8, "DstT")
    assert interval_of(cast, [(3.7, 9.2)]) == (3, 9)
    assert interval_of(cast, [(3, 300)]) == (0, 255)


@given(BYTES, st.integers(-128, 127), BYTES)
def test_the_steps_of_a_counter(first: int, step: int, target: int) -> None:
    values = [in_type(first + step * number, DataType.DT_INT8) for number in range(256)]
    expected = values.index(target) if target in values else None
    assert Counter(first, step, DataType.DT_INT8, 256).steps_until(target) == expected


@given(BYTES, st.integers(-128, -1) | st.integers(1, 127), st.integers(0, 300))
def test_a_counter_lies_in_its_interval(first: int, step: int, steps: int) -> None:
    low, high = Counter(first, step, DataType.DT_INT8, steps).interval
    assert all(low <= in_type(first + step * number, DataType.DT_INT8) <= high for number in range(steps + 1))


def test_a_float_stops_counting() -> None:
    value, step = np.float32(2**24), np.float32(1)
    assert value + step == value
    assert Counter(0.0, 1.0, DataType.DT_FLOAT, 10**9).interval == (0, 2**25)
    assert Counter(0.0, 1.0, DataType.DT_DOUBLE, 10**9).interval == (0, 10**9)


@pytest.mark.parametrize(
    ("op", "first", "second", "result"),
    [
        ("Less", (0, 1), (2, 3), True),
        ("Less", (0, 2), (2, 3), None),
        ("LessEqual", (0, 2), (2, 3), True),
        ("Greater", (0, 2), (2, 3), False),
        ("GreaterEqual", (4, 9), (2, 3), True),
        ("Equal", (4, 9), (2, 3), False),
        ("NotEqual", (4, 9), (2, 3), True),
        ("NotEqual", (4, 9), (2, 5), None),
    ],
)
def test_comparisons_of_intervals(
    op: str, first: tuple[float, float], second: tuple[float, float], result: bool | None
) -> None:
    assert compare(op, first, second) is result


def test_an_interval_grows_to_round_numbers() -> None:
    assert widened((0.5, 1), (1, 1)) == (0, 1)
    assert widened((-3, 2), (0, 1)) == (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("value", "dtype", "result"),
    [(2**31, DataType.DT_INT32, -(2**31)), (-1, DataType.DT_UINT8, 255), (2.0**24 + 1, DataType.DT_FLOAT, 2.0**24)],
)
def test_a_type_holds_other_numbers(value: float, dtype: int, result: float) -> None:
    assert in_type(value, dtype) == result
    assert range_of(dtype)[0] <= result <= range_of(dtype)[1]
