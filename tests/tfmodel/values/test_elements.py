"""The differences of two arrays, compared with the same numbers of whole arrays in NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tfmodel.values.elements import ElementDifferences, aligned, flat_chunks, index_at

NAN, INF = float("nan"), float("inf")
DTYPES = ["f2", "f4", "f8", "i1", "i4", "i8", "u1", "u2", "u8", "?", "c8", "c16"]


def compare(a: Any, b: Any, size: int = 1 << 20, other_size: int = 1 << 20, **tolerances: float) -> ElementDifferences:
    differences = ElementDifferences(**tolerances)
    for chunk, other, weight in aligned(flat_chunks(a, size), flat_chunks(b, other_size)):
        differences.add(chunk, other, weight)
    return differences


@st.composite
def pairs(draw: Any) -> tuple[Any, Any]:
    """Two arrays of one dtype and shape, which have many elements in common."""
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    shape = draw(arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5))
    limits = {"min_value": -(2**60), "max_value": 2**60} if dtype == "f8" else {}
    elements = arrays.from_dtype(dtype, **limits) if dtype.kind != "c" else None
    a = draw(arrays.arrays(dtype, shape, elements=elements))
    b = draw(arrays.arrays(dtype, shape, elements=elements))
    changed = draw(arrays.arrays(bool, shape))
    return a, np.where(changed, b, a).astype(dtype)


@given(pairs(), st.integers(1, 7), st.integers(1, 7))
@np.errstate(all="ignore")
def test_the_numbers_are_those_of_whole_arrays(pair: tuple[Any, Any], size: int, other_size: int) -> None:
    a, b = pair
    differences = compare(a, b, size, other_size)
    different = [x.tobytes() != y.tobytes() for x, y in zip(a.reshape(-1), b.reshape(-1), strict=True)]
    assert (differences.elements, differences.different) == (a.size, sum(different))
    assert differences.first == (different.index(True) if any(different) else -1)

    exact = [abs(x - y) for x, y in zip(a.reshape(-1).tolist(), b.reshape(-1).tolist(), strict=True)]
    wide = np.result_type(a.dtype, np.float64)
    x, y = a.astype(wide).reshape(-1), b.astype(wide).reshape(-1)
    both = np.isfinite(x) & np.isfinite(y)
    gaps = np.where(both, np.abs(x - y), 0)
    if a.dtype.kind in "biu":
        assert differences.max_absolute == max(exact, default=0)
    else:
        assert differences.max_absolute == pytest.approx(gaps.max(initial=0), rel=1e-12)
    if differences.max_absolute:
        assert gaps[differences.max_at] == pytest.approx(gaps.max(), rel=1e-12)
    sizes = np.maximum(np.abs(x), np.abs(y))
    assert differences.max_relative == pytest.approx((gaps[gaps > 0] / sizes[gaps > 0]).max(initial=0), rel=1e-12)
    for side, array in ((differences.before, x), (differences.after, y)):
        norm = np.linalg.norm(array[np.isfinite(array)])
        assert side.norm == pytest.approx(norm, rel=1e-12)
        assert (side.nan, side.infinite) == (np.isnan(array).sum(), (np.isinf(array) & ~np.isnan(array)).sum())
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    assert differences.not_finite == (~both & ~same).sum()
    if differences.not_finite == 0 and math.isfinite(differences.squares):
        assert differences.distance == pytest.approx(np.linalg.norm(gaps), rel=1e-12)


@given(pairs(), st.floats(0, 10), st.floats(0, 1))
@np.errstate(all="ignore")
def test_a_tolerance_is_that_of_numpy(pair: tuple[Any, Any], atol: float, rtol: float) -> None:
    a, b = pair
    if not atol and not rtol:
        return  # then bits are compared
    if a.dtype.kind in "iu":  # NumPy rounds large integers
        close = [
            abs(x - y) <= atol + rtol * abs(y) for x, y in zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)
        ]
    else:
        wide = np.result_type(a.dtype, np.float64)
        close = np.isclose(a.astype(wide), b.astype(wide), rtol, atol, equal_nan=True).ravel().tolist()
    assert compare(a, b, atol=atol, rtol=rtol).different == close.count(False)


@given(pairs(), st.integers(2, 2**40))
def test_one_element_that_stands_for_all_is_compared_once(pair: tuple[Any, Any], count: int) -> None:
    a, b = (np.broadcast_to(np.resize(array, 1), count) for array in pair)
    many, one = compare(a, b), compare(a[:1], b[:1])
    assert (many.elements, many.different) == (count, count * one.different)
    assert many.max_absolute == one.max_absolute
    with np.errstate(all="ignore"):
        assert many.before.norm == pytest.approx(one.before.norm * math.sqrt(count), rel=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "change", "cosine"),
    [
        ([3.0, 4.0], [3.0, 4.0], 0, 1),
        ([3.0, 4.0], [-3.0, -4.0], 2, -1),
        ([1.0, 0.0], [0.0, 1.0], 2**0.5, 0),
        ([0.0, 0.0], [3.0, 4.0], 1, None),
        ([3.0, 4.0], [3.0, 0.0], 0.8, 0.6),
        ([1.0, NAN], [1.0, 2.0], INF, None),
        ([1.0, NAN], [2.0, NAN], 0.5, None),
        ([1.0, INF], [1.0, -INF], INF, None),
        ([0, 255], [255, 255], 2**-0.5, 2**-0.5),
        ([1 + 1j], [1 - 1j], 2**0.5, 0),
        ([], [], 0, None),
    ],
)
def test_the_measure_of_change_and_the_cosine(a: Any, b: Any, change: float, cosine: float | None) -> None:
    differences = compare(np.array(a), np.array(b))
    assert differences.change == pytest.approx(change)
    assert differences.cosine == (None if cosine is None else pytest.approx(cosine, abs=1e-15))


def test_strings_change_by_the_share_that_differs() -> None:
    differences = compare(np.array([b"a", b"b", b"c", b"d"], object), np.array([b"a", b"B", b"c", b"d"], object))
    assert (differences.different, differences.first, differences.change, differences.cosine) == (1, 1, 0.25, None)


def test_the_largest_difference_of_integers_is_exact() -> None:
    assert compare(np.array([-(2**63)]), np.array([2**63 - 1])).max_absolute == 2**64 - 1


def test_numbers_beyond_double_precision() -> None:
    differences = compare(np.array([1e308, 1.0]), np.array([-1e308, 1.0]))
    assert (differences.max_absolute, differences.change, differences.before.norm) == (INF, INF, INF)


@given(arrays.array_shapes(max_side=9), st.data())
def test_an_index_is_that_of_numpy(shape: tuple[int, ...], data: Any) -> None:
    position = data.draw(st.integers(0, math.prod(shape) - 1))
    assert index_at(position, shape) == np.unravel_index(position, shape)
