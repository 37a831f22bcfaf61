"""How many values there are, held against NumPy and against what packs them."""

from __future__ import annotations

import lzma
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import scaled
from tests.tfmodel.weighing.graphs import const, graph
from tfmodel.messages import DataType
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.weighing.distinct import distinct_of
from tfmodel.weighing.listing import weights

RNG = np.random.default_rng(6)
NORMAL = RNG.normal(size=(300, 500)).astype("f4")


@settings(max_examples=scaled(30))
@given(st.lists(st.floats(width=32), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_values_are_counted_by_their_bits(values, random):
    array = np.float32([random.choice(values) for _ in range(200)])
    counts = np.unique(array.view("u4"), return_counts=True)[1] / 200
    found = distinct_of(array)
    assert found.values == len(counts)
    assert math.isclose(found.bits, -(counts * np.log2(counts)).sum(), abs_tol=1e-9)


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
def test_few_values(array, expected):
    assert distinct_of(array) == expected


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
def test_too_many_values_or_too_few_elements(array):
    assert distinct_of(array) is None


def test_what_is_usual_is_not_looked_at_to_the_end():
    """After a sample the array is not touched: it would give an error."""

    class Watched(np.ndarray):
        seen = 0

        def __getitem__(self, index):
            found = super().__getitem__(index)
            Watched.seen += found.size
            return found

    array = RNG.normal(size=1 << 20).astype("f4").view(Watched)
    assert distinct_of(array) is None
    assert Watched.seen <= 1 << 13


def test_no_packer_is_better_on_numbers_without_order():
    rounded = weights(transform(graph(const("w", NORMAL)), "", "w", "round_weights"), statistics=True)["w"]
    assert rounded.distinct.values <= 257
    packed = len(lzma.compress(rounded.array().tobytes()))
    assert 0.8 * packed < rounded.packed_size < 1.05 * packed


def test_weights_tell_with_statistics_only():
    made = transform(graph(const("w", NORMAL), const("half", NORMAL, DataType.DT_BFLOAT16)), "", "w", "round_weights")
    assert weights(made)["w"].distinct is None
    report = weights(made, statistics=True)
    values, bits = report["w"].distinct
    assert f"{values} values, {bits:.1f} bits each" in report.to_text()
    assert f"1 of few values: 600,000 bytes, at least {report['w'].packed_size:,} in an archive" in report.to_text()
