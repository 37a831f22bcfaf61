"""Generated feeds: the tensors that need them, their dtypes and shapes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tfmodel.transforms.run_step import graph_of
from tfmodel.errors import FeedError
from tfmodel.interpreter.feed_sources import Expression
from tfmodel.interpreter.feeds import default_feeds, inputs_needed, random_feeds
from tfmodel.interpreter.session import Session

SESSION = Session(
    graph_of("""
    x = Placeholder[dtype=float, shape=(-1, 8)]
    axis = Const[dtype=int32, value=int32{1}()]
    s = Split(axis, x)[num_split=2, T=float]
    flag = Less(s, s:1)[T=float]
    half = Const[dtype=float, value=float{0.5}()]
    rate = PlaceholderWithDefault(half)[dtype=float, shape=()]
    odd = PlaceholderWithDefault(lost)[dtype=float, shape=(3)]
    lost = Placeholder[dtype=float]
    y = Mul(s:1, rate)[T=float]
    other = Placeholder[dtype=float]
    z = Relu(other)[T=float]
""")
)


@pytest.mark.parametrize(
    ("inputs", "fetches", "fed", "needed"),
    [
        ([], ["y"], [], ["x"]),
        (["s:1"], ["y"], [], ["s:1"]),
        (["s:0"], ["y"], [], ["x"]),
        (["s", "s:1"], ["flag"], [], ["s", "s:1"]),
        (["s:1"], ["flag"], [], ["s:1", "x"]),
        (["s:1", "rate"], ["y"], ["s:1"], ["rate"]),
        (["x", "s:1", "rate"], ["y"], [], ["s:1", "rate"]),
        (["x", "other"], ["flag"], [], ["x"]),
        (["half"], ["y"], ["x"], ["half"]),
        (["y"], ["y"], [], ["y"]),
        ([], ["z"], ["other"], []),
    ],
)
def test_needed_inputs_are_fed_even_if_they_are_not_placeholders(inputs, fetches, fed, needed):
    assert inputs_needed(SESSION, inputs, fetches, fed) == needed


@pytest.mark.parametrize(
    ("name", "dtype", "shape"),
    [
        ("x", "float32", (3, 8)),
        ("s:1", "float32", (3, 4)),
        ("flag", "bool", (3, 4)),
        ("axis", "int32", ()),
    ],
)
def test_types_and_shapes_are_those_that_tensors_have(name, dtype, shape):
    feed = random_feeds(SESSION, [name], batch_size=3 if shape else None)[name]
    assert (feed.dtype.name, feed.shape) == (dtype, shape)


def test_the_numbers_of_an_input_depend_on_its_name_and_the_seed_alone():
    shapes = {"x": (2, 8), "other": (2, 8)}
    first = random_feeds(SESSION, ["x", "other"], shapes=shapes, seed=3)
    second = random_feeds(SESSION, ["other", "x:0"], shapes=shapes, seed=3)
    alone = random_feeds(SESSION, ["x"], shapes={"x": (2, 8)}, seed=3)["x"]
    fed = SESSION.run({"x": Expression.parse("random(2, 8)", 3)}, "x")["x"]
    for same in (second["x:0"], alone, fed):
        np.testing.assert_array_equal(first["x"], same)
    np.testing.assert_array_equal(first["other"], second["other"])
    assert (first["x"] != first["other"]).any()
    assert (first["x"] != random_feeds(SESSION, ["x"], shapes={"x": (2, 8)}, seed=4)["x"]).any()


def test_a_shape_that_a_tensor_cannot_have_is_refused():
    assert random_feeds(SESSION, ["s"], shapes={"s": (7, 4)})["s"].shape == (7, 4)
    with pytest.raises(FeedError, match=r'the shape \[7, 5\] is given for "s", and \[\?, 4\] is expected'):
        random_feeds(SESSION, ["s"], shapes={"s": (7, 5)})


def test_placeholders_with_a_default_get_it():
    assert default_feeds(SESSION, ["x", "rate", "odd"]) == {"rate": np.float32(0.5)}


def test_the_random_ops_are_those_whose_kernels_ask_for_the_generator():
    from tfmodel.kernels import group_of
    from tfmodel.kernels.runtime import KERNELS
    from tfmodel.ops.traits import RANDOM

    in_group = {op for op in KERNELS if group_of(KERNELS[op].function.__module__) == "random"}
    assert {op for op in in_group if KERNELS[op].takes_runtime} == RANDOM
