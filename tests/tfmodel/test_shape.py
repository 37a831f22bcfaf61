"""Comparing and merging two shapes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmodel import GraphError
from tfmodel.shape import broadcast, joined, merged, size_of, text, times

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
    assert merged(a, b) == merged(b, a) == expected


@pytest.mark.parametrize(("a", "b"), [((2, 3), (2, 4)), ((2,), (2, 3))])
def test_descriptions_that_do_not_fit_are_refused(a, b):
    with pytest.raises(GraphError, match=r"the shapes \[.*\] and \[.*\] do not fit"):
        merged(a, b)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((2, 3), (2, 4), (2, None)),
        ((2, 3), (2,), None),
        ((2, 3), None, None),
        ((None, 3), (2, 3), (None, 3)),
    ],
)
def test_of_one_or_the_other_only_that_is_known_which_is_true_of_both(a, b, expected):
    assert joined(a, b) == joined(b, a) == expected


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
        both = merged(a, b)
    except GraphError:
        return
    assert joined(both, a) == a
    assert joined(both, b) == b


@given(shapes, shapes, shapes)
def test_joining_does_not_depend_on_the_order(a, b, c):
    assert joined(joined(a, b), c) == joined(a, joined(b, c))


def test_zero_times_an_unknown_size_is_zero():
    assert size_of((None, 0)) == times(0, None) == 0
    assert size_of((None, 2)) is times(2, None) is None
    assert size_of(()) == 1


def test_shapes_in_errors():
    assert text((2, None)) == "[2,?]"
    assert text(None) == "of unknown rank"
