"""Values of weights that the page carries: which ones, and that the bytes are right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmodel.drawing.page.carried import MAX_SHARE, carry, shares


@given(st.lists(st.integers(0, 10_000), max_size=30), st.integers(0, 100_000))
def test_shares_are_at_most_the_sizes_and_the_total_and_small_tensors_are_whole(sizes, total):
    result = shares(sizes, total)
    assert sum(result) <= total
    assert all(share <= size for share, size in zip(result, sizes, strict=True))
    if sum(sizes) <= total:
        assert result == sizes
    assert all(share == size for share, size in zip(result, sizes, strict=True) if size * len(sizes) <= total)


def test_one_large_tensor_does_not_take_everything():
    assert shares([10 * MAX_SHARE, 100], 8 * MAX_SHARE) == [MAX_SHARE, 100]


ARRAYS = [
    np.arange(6, dtype=np.float32).reshape(2, 3),
    np.arange(24, dtype=np.float64).reshape(2, 3, 4).transpose(2, 0, 1),
    np.array([True, False]),
    np.float16([1.5, -2]),
    np.arange(3, dtype=">i4"),
    np.int8([[-1], [2]]),
    np.broadcast_to(np.float32(3), (4, 2)),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: str(array.dtype))
def test_bytes_of_whole_arrays_give_their_values(array):
    content = bytearray()
    carry(np.ones(3, np.int8), 3, content)
    row = carry(array, array.nbytes, content)
    first = np.frombuffer(content, np.dtype(row["type"]), row["count"], row["at"])
    assert row["at"] % 8 == 0
    assert np.array_equal(first.reshape(array.shape), array)


@pytest.mark.parametrize(
    ("shape", "share", "count"),
    [
        ((5, 4, 3), 130, 24),
        ((5, 4, 3), 40, 9),
        ((5, 4, 3), 8, 2),
        ((5,), 12, 3),
        ((), 4, 1),
        ((7, 2), 20, 4),
        ((3, 0), 9, 0),
    ],
)
def test_of_larger_arrays_whole_slices_or_rows_are_carried(shape, share, count):
    row = carry(np.zeros(shape, np.float32), share, bytearray())
    assert (row["count"] if row else 0) == count
