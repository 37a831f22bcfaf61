"""Differences of two tensors: the number of elements, and the sizes of the differences."""

from __future__ import annotations

import numpy as np
import pytest

from tfmodel.messages import DataType, TensorProto, TensorShapeProto
from tfmodel.reports.diff import Rules
from tfmodel.reports.diff.values import compare_tensors
from tfmodel.values.tensors import from_ndarray

NAN, INF = float("nan"), float("inf")


def compare(a, b, dtype="f4", **rules):
    return compare_tensors(from_ndarray(np.array(a, dtype)), from_ndarray(np.array(b, dtype)), Rules(**rules))


@pytest.mark.parametrize(
    ("a", "b", "dtype", "different", "absolute", "relative"),
    [
        ([1, 2, 3], [1, 2, 4], "f4", 1, 1, 0.25),
        ([1, 2, 3], [0, 0, 0], "f4", 3, 3, 1),
        ([1, -1], [-1, 1], "f8", 2, 2, 2),
        ([1, 2], [1, 3], "f2", 1, 1, 1 / 3),
        ([-(2**63), 0], [2**63 - 1, 0], "i8", 1, 2.0**64, 2),
        ([0, 255], [255, 255], "u1", 1, 255, 1),
        ([True, False], [True, True], "?", 1, 1, 1),
        ([1 + 1j, 2], [1, 2], "c8", 1, 1, 1 / 2**0.5),
        ([NAN, 1], [1, 1], "f4", 1, INF, INF),
        ([INF, 1], [-INF, 1], "f4", 1, INF, INF),
        ([0.0, 1], [-0.0, 1], "f4", 1, 0, 0),
        (1.5, 2, "f4", 1, 0.5, 0.25),
    ],
)
def test_elements_that_differ_are_counted(a, b, dtype, different, absolute, relative):
    change = compare(a, b, dtype)
    assert (change.elements, change.different) == (np.size(a), different)
    assert change.max_absolute == absolute
    assert change.max_relative == pytest.approx(relative)


@pytest.mark.parametrize(("a", "b", "same"), [(b"model", b"model", True), (b"model", b"other", False)])
def test_single_strings_are_compared(a, b, same):
    assert (compare(a, b, object) is None) == same


@pytest.mark.parametrize(
    ("a", "b", "rules", "same"),
    [
        ([1, 100], [1.001, 100.1], {"rtol": 2e-3}, True),
        ([1, 100], [1.001, 100.1], {"rtol": 5e-4}, False),
        ([1, 100], [1.5, 100.5], {"atol": 0.5}, True),
        ([1, 100], [1.5, 100.75], {"atol": 0.5}, False),
        ([0.0], [-0.0], {"atol": 1e-9}, True),
        ([NAN, INF], [NAN, INF], {"atol": 1e-9}, True),
        ([NAN], [1], {"atol": 1e9}, False),
        ([1], [NAN], {"rtol": 1e9}, False),
        ([1], [INF], {"rtol": 1}, False),
    ],
)
def test_tolerances(a, b, rules, same):
    assert (compare(a, b, **rules) is None) is same


def test_only_elements_beyond_the_tolerance_are_counted():
    change = compare([1, 1, 1, 1], [1, 1.1, 2, 3], atol=0.5)
    assert (change.different, change.max_absolute, change.first) == (2, 2, (2,))


def test_the_index_of_the_first_difference():
    b = np.zeros((2, 3, 4))
    b[1, 2, 0] = 1
    assert compare(np.zeros((2, 3, 4)), b).first == (1, 2, 0)


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ([1, 2, 3], [1, 2, 4], "1 of 3 elements differ, first [2], by at most 1 (relative 0.25)"),
        ([1, 2], [2, 4], "all 2 elements differ, by at most 2 (relative 0.5)"),
        (1, 2, "differs by 1 (relative 0.5)"),
        ([b"a", b"b"], [b"a", b"c"], "1 of 2 elements differ, first [1]"),
    ],
)
def test_the_text_of_a_difference(a, b, words):
    assert str(compare(a, b, object if isinstance(a, list) and isinstance(a[0], bytes) else "f4")) == words


def test_storage_does_not_matter():
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=3)])
    once = TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=shape, float_val=[7])
    assert compare_tensors(once, from_ndarray(np.full(3, 7, "f4") + np.zeros(3, "f4")), Rules()) is None


def test_tensors_of_one_repeated_element_take_no_time_and_memory():
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=10**6), TensorShapeProto.Dim(size=10**6)])
    one, other = (TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=shape, float_val=[value]) for value in (1, 3))
    change = compare_tensors(one, other, Rules())
    assert (change.elements, change.different, change.max_absolute) == (10**12, 10**12, 2)


def test_chunks_of_a_large_tensor_are_added_up():
    a = np.zeros(3_000_000, "f4")
    b = a.copy()
    b[[5, 1_500_000, 2_999_999]] = 1, 2, 3
    change = compare(a, b)
    assert (change.different, change.max_absolute, change.first) == (3, 3, (5,))


@pytest.mark.parametrize(
    ("b", "problem"),
    [
        (from_ndarray(np.zeros(2, "f8")), "the type differs"),
        (from_ndarray(np.zeros((1, 2), "f4")), "the shape differs"),
        (TensorProto(dtype=DataType.DT_FLOAT, tensor_content=b"12"), "it cannot be compared: "),
    ],
)
def test_tensors_that_cannot_be_compared(b, problem):
    change = compare_tensors(from_ndarray(np.zeros(2, "f4")), b, Rules())
    assert change.elements is None
    assert str(change).startswith(problem)


def test_two_tensors_with_the_same_damage_are_equal():
    damaged = TensorProto(dtype=DataType.DT_FLOAT, tensor_content=b"12")
    assert compare_tensors(damaged, TensorProto(dtype=DataType.DT_FLOAT, tensor_content=b"12"), Rules()) is None
