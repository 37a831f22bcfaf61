"""Comparing and merging two shapes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmodel import GraphError
from tfmodel.values.shape import (
    broadcast,
    count_elements,
    generalize_shapes,
    merge_shapes,
    multiply_dims,
    shape_to_text,
)

dims = st.none() | st.integers(0, 3)
shapes = st.none() | st.lists(dims, max_size=3).map(tuple)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((None, 3), (2, None), (2, 3)),
        (None, (2, None), (2, None)),
        (None, None, None),
    ],
)
def test_shapes_of_one_tensor_are_merged(a, b, expected):
    assert merge_shapes(a, b) == merge_shapes(b, a) == expected


@pytest.mark.parametrize(("a", "b"), [((2, 3), (2, 4)), ((2,), (2, 3))])
def test_descriptions_that_do_not_fit_are_refused(a, b):
    with pytest.raises(GraphError, match=r"the shapes \[.*\] and \[.*\] do not fit"):
        merge_shapes(a, b)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((2, 3), (2, 4), (2, None)),
        ((2, 3), (2,), None),
        ((2, 3), None, None),
        ((None, 3), (2, 3), (None, 3)),
    ],
)
def test_only_facts_about_both_shapes_are_known(a, b, expected):
    assert generalize_shapes(a, b) == generalize_shapes(b, a) == expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((4, 1, 3), (5, 3), (4, 5, 3)),
        ((), (2, 3), (2, 3)),
        ((None,), (5,), (5,)),
        ((None,), (1,), (None,)),
        ((None,), (None,), (None,)),
        (None, (2,), None),
    ],
)
def test_broadcasting(a, b, expected):
    assert broadcast(a, b) == broadcast(b, a) == expected


def test_shapes_that_do_not_broadcast_are_refused():
    with pytest.raises(GraphError, match=r"the shapes \[2,3\] and \[4\] do not fit"):
        broadcast((2, 3), (4,))


@given(shapes, shapes)
def test_the_merged_shape_is_one_that_both_allow(a, b):
    try:
        both = merge_shapes(a, b)
    except GraphError:
        return
    assert generalize_shapes(both, a) == a
    assert generalize_shapes(both, b) == b


@given(shapes, shapes, shapes)
def test_joining_does_not_depend_on_the_order(a, b, c):
    assert generalize_shapes(generalize_shapes(a, b), c) == generalize_shapes(a, generalize_shapes(b, c))


def test_zero_times_an_unknown_size_is_zero():
    assert count_elements((None, 0)) == multiply_dims(0, None) == 0
    assert count_elements((None, 2)) is multiply_dims(2, None) is None
    assert count_elements(()) == 1


def test_shapes_in_errors():
    assert shape_to_text((2, None)) == "[2,?]"
    assert shape_to_text(None) == "of unknown rank"
