"""Tensors become constants; what cannot be bound is named."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import TransformError, to_ndarray, transform
from tfmodel.analysis.variables.preparation import bind_tensors
from tfmodel.interpreter import Session

GRAPH = """
    x = Placeholder[dtype=float, shape=(-1, 2)]
    keep = Placeholder[dtype=float, shape=()]
    mask = Placeholder[dtype=float, shape=(2)]
    name = Placeholder[dtype=string, shape=()]
    split = Split(axis, x)[T=float, num_split=2]
    axis = Const[dtype=int32, value=int32{1}()]
    left = Mul(split:1, keep)[T=float]
    y = Mul(x, mask)[T=float]
"""


@pytest.mark.parametrize(
    ("tensor", "value", "expected"),
    [
        ("keep", 1, np.float32(1)),
        ("keep:0", 0.5, np.float32(0.5)),
        ("mask", 1, np.ones(2, "f4")),
        ("mask", [1, 2], np.array([1, 2], "f4")),
        ("name", "a", np.array(b"a", object)),
        ("x", [[1, 2]], np.array([[1, 2]], "f4")),
        ("x", 0, np.float32(0)),
    ],
)
def test_a_placeholder_becomes_a_constant(tensor, value, expected):
    nodes = {node.name: node for node in bind_tensors(graph(GRAPH), {tensor: value}).node}
    constant = nodes[tensor.removesuffix(":0")]
    assert (constant.op, list(constant.input)) == ("Const", [])
    np.testing.assert_array_equal(to_ndarray(constant.attr["value"].tensor), expected)


def test_a_number_fills_a_huge_shape_without_memory():
    huge = graph("x = Placeholder[dtype=float, shape=(1000000, 1000000, 1000000)]")
    assert bind_tensors(huge, {"x": 1}).ByteSize() < 200


def test_one_of_several_outputs_is_bound_by_a_new_constant():
    bound = bind_tensors(graph(GRAPH), {"split:1": [[3]]})
    assert [node.input for node in bound.node if node.name == "left"] == [["split/1", "keep"]]
    feeds = {"x": [[1, 2]], "keep": 2}
    assert Session(bound).run(feeds, ["left"])["left"] == [[6]]


def test_the_results_are_those_of_the_fed_graph():
    before = graph(GRAPH)
    after = transform(before, "x", "y", 'bind_inputs(name=mask, value="[2, 3]")')
    feeds = {"x": np.ones((1, 2), "f4")}
    expected = Session(before).run(feeds | {"mask": [2, 3]}, ["y"])["y"]
    np.testing.assert_array_equal(Session(after).run(feeds, ["y"])["y"], expected)


@pytest.mark.parametrize(
    ("tensor", "value", "problem"),
    [
        ("kep", 1, 'there is no node "kep"; did you mean "keep"'),
        ("^keep", 1, "keep"),
        ("split:2", 1, "2 outputs"),
        ("keep", "a", "\"keep\" is float32 and cannot be bound to 'a'"),
        ("keep", True, "it is a bool"),
        ("mask", [1, 2, 3], "its shape is [3], not [2]"),
    ],
)
def test_tensors_that_cannot_be_bound_are_named(tensor, value, problem):
    with pytest.raises(TransformError) as caught:
        bind_tensors(graph(GRAPH), {tensor: value})
    assert problem in str(caught.value)


def test_one_of_several_outputs_cannot_be_bound_if_it_is_declared():
    with pytest.raises(TransformError, match='"split:1" is a declared output of Split "split", which has several'):
        transform(graph(GRAPH), "x", "split:1", 'bind_inputs(name="split:1", value="[[3]]")')


def test_a_tensor_is_bound_once():
    with pytest.raises(TransformError, match='"keep" is bound twice'):
        bind_tensors(graph(GRAPH), {"keep": 1, "keep:0": 2})


def test_a_declared_input_cannot_be_bound():
    with pytest.raises(TransformError, match='"keep" is a declared input, which is fed'):
        transform(graph(GRAPH), "keep", "y", "bind_inputs(name=keep, value=1)")
