"""Random numbers have the right shapes, types and ranges, and come from the generator of the run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.kernel_cases import Case, f32, i32, i64
from tfmodel.errors import RunError
from tfmodel.kernels.runtime import evaluate
from tfmodel.messages import DataType

FLOATS = [DataType.DT_FLOAT, DataType.DT_DOUBLE, DataType.DT_HALF, DataType.DT_BFLOAT16]
SHAPES = [(), (0,), (5,), (2, 3), (40, 50)]
UNIFORM, NORMAL, TRUNCATED = "RandomUniform", "RandomStandardNormal", "TruncatedNormal"
ONE_OF_EACH = [
    Case(UNIFORM, [i32([3])], dtype=DataType.DT_FLOAT),
    Case(NORMAL, [i32([3])], dtype=DataType.DT_FLOAT),
    Case(TRUNCATED, [i32([3])], dtype=DataType.DT_FLOAT),
    Case("RandomUniformInt", [i32([3]), i32(0), i32(1000)]),
    Case("RandomShuffle", [f32(30)]),
    Case("Multinomial", [np.zeros((1, 99), np.float32), i32(3)]),
    Case("RandomGamma", [i32([3]), np.float32(1)]),
    Case("RandomPoissonV2", [i32([3]), np.float32(99)]),
]


def drawn(case: Case, seed: int = 1) -> Any:
    """The output of a node, with a generator of this seed."""
    runtime: Any = SimpleNamespace(random=np.random.default_rng(seed))
    [output] = evaluate(case.node, case.arrays, runtime=runtime)
    return output


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("op", [UNIFORM, NORMAL, TRUNCATED])
def test_floats_have_the_shape_and_the_type_that_are_asked_for(op: str, dtype: DataType, shape: Any) -> None:
    numpy = {DataType.DT_DOUBLE: np.float64, DataType.DT_HALF: np.float16}.get(dtype, np.float32)
    numbers = drawn(Case(op, [i64(shape)], dtype=dtype))
    assert (numbers.shape, numbers.dtype) == (shape, numpy)


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
def test_uniform_numbers_reach_zero_but_never_one(dtype: DataType) -> None:
    numbers = drawn(Case(UNIFORM, [i32([100_000])], dtype=dtype)).astype(np.float64)
    assert 0 <= numbers.min() < 0.01 and 0.99 < numbers.max() < 1
    assert abs(numbers.mean() - 0.5) < 0.01


@pytest.mark.parametrize(("op", "deviation", "largest"), [(NORMAL, 1.0, 6), (TRUNCATED, 0.8796, 2)])
def test_normal_numbers_spread_as_they_should(op: str, deviation: float, largest: float) -> None:
    numbers = drawn(Case(op, [i32([100_000])], dtype=DataType.DT_FLOAT))
    assert abs(numbers.mean()) < 0.02
    assert numbers.std() == pytest.approx(deviation, abs=0.01)
    assert largest * 0.6 < np.abs(numbers).max() <= largest


@pytest.mark.parametrize(("low", "high"), [(0, 3), (-5, 5), (-(2**31), 2**31 - 1), (7, 8)])
def test_integers_lie_between_their_limits(low: int, high: int) -> None:
    numbers = drawn(Case("RandomUniformInt", [i32([2000]), i32(low), i32(high)]))
    assert numbers.dtype == np.int32 and numbers.min() >= low and numbers.max() < high
    assert high - low > 10 or set(numbers.tolist()) == set(range(low, high))


def test_empty_ranges_are_refused() -> None:
    with pytest.raises(RunError, match="minval must be less than maxval, but they are 3 and 3"):
        drawn(Case("RandomUniformInt", [i32([2]), i32(3), i32(3)]))


@pytest.mark.parametrize("shape", [(), (0,), (1,), (50,), (50, 2)], ids=str)
def test_shuffling_moves_whole_rows_and_loses_none(shape: Any) -> None:
    value = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    rows = drawn(Case("RandomShuffle", [value]))
    assert rows.shape == shape and sorted(rows.tolist() if shape else []) == (value.tolist() if shape else [])
    assert shape[:1] != (50,) or rows.tolist() != value.tolist()


def test_classes_come_as_often_as_their_logits_say() -> None:
    logits = np.log(np.float32([[1, 2, 7], [5, 5, 1e-30]]))
    classes = drawn(Case("Multinomial", [logits, i32(20_000)], output_dtype=DataType.DT_INT32))
    shares = [np.bincount(row, minlength=3) / 20_000 for row in classes]
    assert classes.dtype == np.int32 and np.allclose(shares, [[0.1, 0.2, 0.7], [0.5, 0.5, 0]], atol=0.02)


@pytest.mark.parametrize(("rows", "classes", "count"), [(0, 3, 2), (2, 3, 0), (0, 0, 2), (2, 1, 4)])
def test_draws_from_few_classes_or_none(rows: int, classes: int, count: int) -> None:
    assert drawn(Case("Multinomial", [np.zeros((rows, classes), np.float32), i32(count)])).shape == (rows, count)


@pytest.mark.parametrize("op", ["RandomGamma", "RandomPoisson", "RandomPoissonV2"])
def test_each_parameter_gets_the_requested_number_of_draws(op: str) -> None:
    numbers = drawn(Case(op, [i32([20_000]), np.float32([[1], [9]])]))
    assert numbers.shape == (20_000, 2, 1)
    assert np.allclose(numbers.mean(0), [[1], [9]], rtol=0.05)  # the mean of both is their parameter


@pytest.mark.parametrize("case", ONE_OF_EACH, ids=lambda case: case.op)
def test_the_generator_of_the_run_decides(case: Case) -> None:
    assert drawn(case, seed=1).tolist() == drawn(case, seed=1).tolist() != drawn(case, seed=2).tolist()


@pytest.mark.parametrize("seeds", [{"seed": 1}, {"seed2": 7}], ids=str)
@pytest.mark.parametrize("case", ONE_OF_EACH[-2:], ids=lambda case: case.op)
def test_gamma_and_poisson_distributions_with_seeds_are_refused(case: Case, seeds: dict[str, int]) -> None:
    with pytest.raises(RunError, match=r"numbers for its seeds, .* are not available"):
        drawn(Case(case.op, case.inputs, **case.attributes, **seeds))


@pytest.mark.parametrize("case", ONE_OF_EACH, ids=lambda case: case.op)
def test_without_a_run_there_is_no_generator(case: Case) -> None:
    with pytest.raises(RunError, match="random numbers need the generator of a run"):
        evaluate(case.node, case.arrays)


@pytest.mark.parametrize("shape", [[-1], [[2]], [2, -3]], ids=str)
@pytest.mark.parametrize("op", [UNIFORM, NORMAL, TRUNCATED])
def test_invalid_shapes_are_refused(op: str, shape: Any) -> None:
    with pytest.raises(RunError, match="shape"):
        drawn(Case(op, [i32(shape)], dtype=DataType.DT_FLOAT))
