"""Statistics, held against NumPy's and, where those overflow, against exact arithmetic.

How many values there are, held against NumPy and against what packs them.
"""

from __future__ import annotations

import lzma
import math
import statistics as exact
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tests.support.effort import scaled
from tests.tfmodel.parameters.graphs import const, graph
from tfmodel.messages import DataType
from tfmodel.parameters import statistics
from tfmodel.parameters.listing import weights
from tfmodel.parameters.statistics import compute_histogram, compute_statistics, count_distinct_values
from tfmodel.parameters.weight import Distribution
from tfmodel.transforms.framework.pipeline import transform

SHAPES = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=6)
DTYPES = ["f2", "f4", "f8", ">f4", "i1", "i4", "i8", "u1", "u8", "?"]


def values(dtype):
    return arrays.arrays(np.dtype(dtype), SHAPES)


@given(st.sampled_from(DTYPES).flatmap(values))
def test_statistics_agree_with_numpy(array):
    # Small chunks, to test how results are combined.
    with mock.patch.object(statistics, "_CHUNK", 7):
        actual = compute_statistics(array)
    is_float = array.dtype.kind == "f"
    finite = array[np.isfinite(array)] if is_float else array.ravel()
    assert actual.zeros == np.count_nonzero(array == 0)
    assert (actual.nan, actual.inf) == ((np.isnan(array).sum(), np.isinf(array).sum()) if is_float else (0, 0))
    if not finite.size:
        assert actual.min is actual.max is actual.mean is actual.std is None
        return
    assert (actual.min, actual.max) == (finite.min(), finite.max())
    numbers = [float(number) for number in finite.tolist()]
    size = max(map(abs, numbers))
    if 0 < size < 1e-290:
        return  # such numbers have too few bits for a meaningful mean
    scale = size or 1.0
    scaled = [number / scale for number in numbers]
    assert math.isclose(actual.mean / scale, math.fsum(scaled) / len(scaled), abs_tol=1e-12)
    assert math.isclose(actual.std / scale, exact.pstdev(scaled), rel_tol=1e-6, abs_tol=1e-8)
    if 1e-100 < size < 1e100:  # where NumPy's squares neither overflow nor underflow
        assert math.isclose(actual.mean, finite.mean(dtype="f8"), rel_tol=1e-9, abs_tol=1e-9 * size)
        assert math.isclose(actual.std, finite.std(dtype="f8"), rel_tol=1e-6, abs_tol=1e-8 * size)


@given(st.sampled_from(["f4", "f8", "i4", "u1"]).flatmap(values), st.integers(1, 30))
def test_every_finite_number_is_in_one_interval_of_the_histogram(array, bins):
    actual = compute_statistics(array)
    if actual.min is None:
        return
    with mock.patch.object(statistics, "_CHUNK", 7):
        counts = compute_histogram(array, actual.min, actual.max, bins)
    assert len(counts) == bins
    assert sum(counts) == array.size - actual.nan - actual.inf
    if actual.min != actual.max:
        assert counts[0] and counts[-1]


def test_the_histogram_agrees_with_numpy():
    array = np.random.default_rng(1).normal(size=10_000).astype("f4")
    low, high = float(array.min()), float(array.max())
    expected, _ = np.histogram(array.astype("f8"), 24, (low, high))
    assert np.abs(np.subtract(compute_histogram(array, low, high), expected)).sum() <= 2  # at the edges of intervals


@pytest.mark.parametrize(
    ("array", "mean", "std"),
    [
        (np.full(1000, 0.1, "f4"), float(np.float32(0.1)), 0.0),
        (np.array([1e308, -1e308, 1e308, -1e308]), 0.0, 1e308),
        (np.array([1e308, 1.7e308]), 1.35e308, 0.35e308),
        (np.array([3e-200, 1e-200]), 2e-200, 1e-200),
        (np.array([60000, 60000, 60000], "f2"), 60000.0, 0.0),
        (np.array([2**63 - 1, 2**63 - 1]), 2.0**63, 0.0),
        (np.array([True, False, False, False]), 0.25, math.sqrt(3) / 4),
        (np.array([1e8, 1e8 + 1, 1e8 + 2]), 1e8 + 1, math.sqrt(2 / 3)),
    ],
)
def test_sums_neither_overflow_nor_cancel(array, mean, std):
    statistics = compute_statistics(array)
    assert math.isclose(statistics.mean, mean, rel_tol=1e-12, abs_tol=std * 1e-9)
    assert math.isclose(statistics.std, std, rel_tol=1e-9)


def test_a_broadcast_number_takes_no_time():
    array = np.broadcast_to(np.float32(0), (1 << 30, 1 << 10))
    statistics = compute_statistics(array)
    assert (statistics.min, statistics.max, statistics.zeros) == (0, 0, 1 << 40)
    assert sum(compute_histogram(array, 0, 0)) == 1 << 40
    part = np.broadcast_to(np.float32([1, 2, 3]), (1 << 30, 3))
    assert (compute_statistics(part).mean, compute_statistics(part).zeros) == (2, 0)


class TestBars:
    def test_higher_blocks_mean_more_numbers(self):
        assert Distribution(0, 1, (0, 1, 50, 100)).bar() == " ▁▄█"
        assert Distribution(0, 1, (0, 1, 50, 100)).bar(ascii=True) == " .=@"

    def test_a_single_number_is_in_the_middle(self):
        counts = compute_histogram(np.ones(5), 1, 1, 5)
        assert counts == (0, 0, 5, 0, 0)

    def test_an_empty_histogram(self):
        assert Distribution(0, 0, ()).bar() == ""
        assert Distribution(0, 0, (0, 0)).bar() == "  "


RNG = np.random.default_rng(6)
NORMAL = RNG.normal(size=(300, 500)).astype("f4")


@settings(max_examples=scaled(30))
@given(st.lists(st.floats(width=32), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_distinct_values_are_counted_by_their_bits(values, random):
    array = np.float32([random.choice(values) for _ in range(200)])
    counts = np.unique(array.view("u4"), return_counts=True)[1] / 200
    distinct = count_distinct_values(array)
    assert distinct.values == len(counts)
    assert math.isclose(distinct.bits, -(counts * np.log2(counts)).sum(), abs_tol=1e-9)


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.zeros(16, "f4"), (1, 0.0)),
        (np.broadcast_to(np.float32(3), (1000, 1000)), (1, 0.0)),
        (np.float32([1, 2] * 50), (2, 1.0)),
        (np.float32([0.0, -0.0] * 50), (2, 1.0)),
        (np.arange(256, dtype="f4").repeat(1000), (256, 8.0)),
        (np.arange(1024, dtype="f8").repeat(1000), (1024, 10.0)),
        (np.arange(256, dtype="f4").repeat(1000).reshape(256, 1000).T, (256, 8.0)),
    ],
)
def test_arrays_of_few_values(array, expected):
    assert count_distinct_values(array) == expected


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(15, "f4"),
        np.zeros(100, "i4"),
        np.arange(16, dtype="f4"),
        np.arange(1025, dtype="f4").repeat(1000),
        np.concatenate([np.zeros(1 << 16, "f4"), np.arange(2000, dtype="f4")]),
        NORMAL,
    ],
    ids=["small", "integers", "all different", "1,025 values", "many at the end", "usual"],
)
def test_arrays_with_too_many_values_or_too_few_elements(array):
    assert count_distinct_values(array) is None


def test_arrays_of_many_values_are_only_sampled():
    """After a sample the array is not read: it would give an error."""

    class Watched(np.ndarray):
        seen = 0

        def __getitem__(self, index):
            part = super().__getitem__(index)
            Watched.seen += part.size
            return part

    array = RNG.normal(size=1 << 20).astype("f4").view(Watched)
    assert count_distinct_values(array) is None
    assert Watched.seen <= 1 << 13


def test_no_compressor_beats_the_bound_on_random_order():
    rounded = weights(transform(graph(const("w", NORMAL)), "", "w", "round_weights"), statistics=True)["w"]
    assert rounded.distinct.values <= 257
    packed = len(lzma.compress(rounded.array().tobytes()))
    assert 0.8 * packed < rounded.packed_size < 1.05 * packed


def test_distinct_values_need_statistics():
    model = transform(graph(const("w", NORMAL), const("half", NORMAL, DataType.DT_BFLOAT16)), "", "w", "round_weights")
    assert weights(model)["w"].distinct is None
    report = weights(model, statistics=True)
    values, bits = report["w"].distinct
    assert f"{values} values, {bits:.1f} bits each" in report.to_text()
    packed_size = report["w"].packed_size
    assert f"1 with few distinct values: 600,000 bytes, at least {packed_size:,} in an archive" in report.to_text()
