"""`extract`: the part of a model between some tensors and others computes what the whole model computes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tfmodel
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import ModelError

DATA = Path(__file__).parents[2] / "data"
GRAPH = """
    x = Placeholder[dtype=float, shape=(-1, 2)]
    a = Relu(x)[T=float]
    b = f(a)
    c = Neg(b)[T=float]
    other = g(x)
    f: (v: float) -> (r: float = n:y:0)
    f: n = Exp(v)[T=float]
    g: (v: float) -> (r: float = n:y:0)
    g: n = Sqrt(v)[T=float]
"""
X = np.array([[1.0, -2.0]], np.float32)


def test_inputs_become_placeholders():
    part = tfmodel.extract(graph(GRAPH), "a", "c")
    assert [(node.name, node.op) for node in part.graph.node] == [("a", "Placeholder"), ("b", "f"), ("c", "Neg")]
    assert [(end.tensor, end.dtype, end.shape) for end in part.inputs] == [("a:0", "float32", (None, 2))]
    np.testing.assert_allclose(part.run({"a": X})["c"], -np.exp(X), rtol=1e-6)


def test_nodes_do_not_wait_for_an_input_that_is_left_out():
    text = """
        x = Placeholder[dtype=float]
        train = Placeholder[dtype=bool]
        n = NoOp(^x)
        a = Relu(x)[T=float]
        y = Neg(a, ^train, ^n)[T=float]
    """
    part = tfmodel.extract(graph(text), "a", "y")
    assert [(node.name, node.input) for node in part.graph.node] == [("n", []), ("a", []), ("y", ["a", "^n"])]


def test_functions_that_are_not_called_are_left_out():
    library = tfmodel.extract(graph(GRAPH), "a", "c").graph.library
    assert library is not None
    assert [function.signature.name for function in library.function if function.signature] == ["f"]


def test_the_keys_of_the_signature_name_tensors():
    model = tfmodel.Model(DATA / "trained" / "model")
    part = tfmodel.extract(model, "x", "layer/BiasAdd")
    assert [end.tensor for end in part.inputs + part.outputs] == ["x:0", "layer/BiasAdd:0"]
    assert part.signatures["serving_default"].inputs[0].name == "x"


def test_variables_and_their_checkpoint_stay():
    model = tfmodel.Model(DATA / "trained" / "model.meta")
    part = model.extract("layer/MatMul", "y")
    feed = np.ones((1, 3), np.float32)
    expected = model.run({"layer/MatMul": feed}, "y")["y"]
    np.testing.assert_array_equal(part.run({"layer/MatMul": feed})["y"], expected)
    assert tfmodel.check(part).is_clean


def test_a_name_that_does_not_exist():
    with pytest.raises(tfmodel.GraphError, match=r'there is no tensor "othr"; did you mean "other"\?'):
        tfmodel.extract(graph(GRAPH), "a", "othr")


def test_nothing_to_extract():
    with pytest.raises(ModelError, match="nothing to extract"):
        tfmodel.extract(graph(GRAPH), "a", "")
