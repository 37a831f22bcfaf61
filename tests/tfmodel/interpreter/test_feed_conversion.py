"""Feeds become arrays of the tensor's dtype and shape; values that do not fit raise FeedError."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.tfmodel.transforms.run_step import graph_of
from tfmodel import RunError
from tfmodel.errors import FeedError
from tfmodel.interpreter import Session
from tfmodel.interpreter.feeds import random_feeds

SESSION = Session(
    graph_of("""
    x = Placeholder[dtype=float, shape=(-1, 2)]
    any = Placeholder[dtype=float, shape=()]
    some = PlaceholderWithDefault(any)[dtype=float, shape=()]
    words = Placeholder[dtype=string]
    open = Placeholder[dtype=float]
    strange = NoOpThatIsKnown
""")
)


@pytest.mark.parametrize(
    ("name", "value", "array"),
    [
        ("x", [[1, 2]], np.array([[1, 2]], np.float32)),
        ("x", np.ones((0, 2)), np.ones((0, 2), np.float32)),
        ("any", [1, 2], np.array([1, 2], np.float32)),  # a Placeholder without sizes takes any shape
        ("some", 1, np.array(1, np.float32)),
        ("words", [["a"], [b"b"]], np.array([[b"a"], [b"b"]], object)),
    ],
)
def test_feeds_that_fit(name: str, value: Any, array: Any) -> None:
    actual = SESSION.run({name: value}, name)[name]
    assert (actual.dtype, actual.shape, actual.tolist()) == (array.dtype, array.shape, array.tolist())


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("x", [1, 2], 'the feed "x" has shape [2], and [?, 2] is expected'),
        ("x", [["a"]], 'the feed "x" is not float32: strings cannot become float32'),
        ("some", [1, 2], 'the feed "some" has shape [2], and [] is expected'),
        ("x", [[1, 2], [3]], 'the feed "x" is not an array: [0] has 2 elements, and [1] has 1 element; give all lists'),
        ("x", [[1, 2], 3], "[0] has 2 elements, and [1] is not a list"),
        ("x", [[[1], [2]], [[3], []]], "[0][0] has 1 element, and [1][1] has 0 elements"),
        ("x", [np.ones(2), np.ones(3)], "[0] has 2 elements, and [1] has 3 elements"),
        ("strange", [[1, 2], [3]], "[0] has 2 elements, and [1] has 1 element"),
        ("words", [["a", "b"], ["c"]], "[0] has 2 elements, and [1] has 1 element"),
    ],
)
def test_feeds_that_do_not_fit(name: str, value: Any, problem: str) -> None:
    with pytest.raises(FeedError) as caught:
        SESSION.run({name: value}, name)
    assert problem in str(caught.value)


def test_a_list_that_contains_itself_is_not_an_array() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(FeedError, match="is no"):
        SESSION.run({"x": endless}, "x")


class TestShapes:
    @pytest.mark.parametrize(
        ("name", "shapes", "problem"),
        [
            ("x", {"x": (3, 3)}, 'the shape [3, 3] is given for "x", and [?, 2] is expected'),
            ("x", {"any": (3, 3)}, 'but the random inputs are "x"'),
            ("open", {"open": (-1,)}, 'no random value can be made for "open": negative dimensions'),
        ],
    )
    def test_that_do_not_fit(self, name: str, shapes: dict[str, Any], problem: str) -> None:
        with pytest.raises(FeedError) as caught:
            random_feeds(SESSION, [name], shapes=shapes)
        assert problem in str(caught.value)

    @pytest.mark.parametrize(
        ("name", "problem"),
        [
            ("open", r'the shape of "open" is not known: give it in shapes=, or a value in feeds='),
            ("words", r"takes strings, for which there are no random values: give some in feeds="),
        ],
    )
    def test_of_unknown_size_are_not_the_callers_mistake(self, name: str, problem: str) -> None:
        with pytest.raises(RunError, match=problem) as caught:
            random_feeds(SESSION, [name])
        assert not isinstance(caught.value, FeedError)
