"""`splice`: one model that computes what two models compute one after the other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tfmodel
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import GraphError, Model
from tfmodel.messages import GraphDef, VersionDef

DATA = Path(__file__).parents[2] / "data"
FIRST = """
    x = Placeholder[dtype=float, shape=(-1, 2)]
    h = f(x)
    y = Neg(h)[T=float]
    f: (v: float) -> (r: float = n:y:0)
    f: n = Exp(v)[T=float]
"""
SECOND = """
    x = Placeholder[dtype=float, shape=(-1, 2)]
    scale = Placeholder[dtype=float, shape=()]
    h = f(x)
    z = Mul(h, scale, ^x)[T=float, _class=["loc:@h"]]
    f: (v: float) -> (r: float = n:y:0)
    f: n = Sqrt(v)[T=float]
"""
X = np.array([[1.0, -2.0]], np.float32)


def test_names_and_functions_are_kept_apart():
    model = tfmodel.splice(graph(FIRST), graph(SECOND), {"h": "x"})
    assert [end.tensor for end in model.inputs] == ["x:0", "b/scale:0"]
    assert [end.tensor for end in model.outputs] == ["b/z:0"]
    assert {node.name: (node.op, node.input) for node in model.graph.node} == {
        "x": ("Placeholder", []),
        "h": ("f", ["x"]),
        "y": ("Neg", ["h"]),
        "b/scale": ("Placeholder", []),
        "b/h": ("f_1", ["h"]),
        "b/z": ("Mul", ["b/h", "b/scale", "^h"]),
    }
    result = model.run({"x": X, "b/scale": np.float32(3)})["z"]
    np.testing.assert_allclose(result, 3 * np.sqrt(np.exp(X)), rtol=1e-6)
    assert tfmodel.check(model).is_clean


def test_names_that_do_not_clash_stay():
    second = graph("    input = Placeholder[dtype=float, shape=(-1, 2)]\n    out = Abs(input)[T=float]")
    model = tfmodel.splice(graph(FIRST), second, {"y": "input"})
    assert [node.name for node in model.graph.node] == ["x", "h", "y", "out"]
    np.testing.assert_allclose(model.run({"x": X})["out"], np.exp(X), rtol=1e-6)


def test_a_scope_that_is_given():
    assert tfmodel.splice(graph(FIRST), graph(SECOND), {"h": "x"}, scope="head").outputs[0].tensor == "head/z:0"
    with pytest.raises(GraphError, match='both models have "x", "h": give the second one a scope'):
        tfmodel.splice(graph(FIRST), graph(SECOND), {"h": "x"}, scope="")


def test_outputs_of_the_first_model_are_kept():
    model = tfmodel.splice(graph(FIRST), graph(SECOND), {"h": "x"}, keep_outputs=True)
    assert [end.tensor for end in model.outputs] == ["y:0", "b/z:0"]


def test_equal_functions_are_shared():
    model = tfmodel.splice(graph(FIRST), graph(FIRST), {"h": "x"})
    assert model.graph.library is not None
    assert len(model.graph.library.function) == 1


def test_a_function_that_calls_another_function_is_another_function():
    text = """
        x = Placeholder[dtype=float, shape=(2)]
        y = f(x)
        f: (v: float) -> (r: float = n:r:0)
        f: n = g(v)
        g: (v: float) -> (r: float = n:y:0)
        g: n = Exp(v)[T=float]
    """
    model = tfmodel.splice(graph(text), graph(text.replace("Exp", "Neg")), {"y": "x"})
    x = np.float32([1, 2])
    np.testing.assert_allclose(model.run({"x": x})["y"], -np.exp(x), rtol=1e-6)


def test_models_with_variables_are_frozen():
    model = Model(DATA / "trained" / "model")
    double = graph("    v = Placeholder[dtype=float, shape=(-1, 3)]\n    w = AddV2(v, v)[T=float]")
    joined = model.splice(double, {"y": "v"})
    x = np.float32([[1, 2, 3, 4]])
    np.testing.assert_allclose(joined.run({"x": x})["w"], 2 * model.run({"x": x})["y"], rtol=1e-6)


def test_the_older_writer_and_the_newer_reader_count():
    first = GraphDef(node=graph(FIRST).node, library=graph(FIRST).library, versions=VersionDef(20, 5, [7]))
    second = GraphDef(node=graph(SECOND).node, library=graph(SECOND).library, versions=VersionDef(30, 12, [3]))
    assert tfmodel.splice(first, second, {"h": "x"}).graph.versions == VersionDef(20, 12, [3, 7])


@pytest.mark.parametrize(
    ("second", "connect", "problem"),
    [
        ("    i = Placeholder[dtype=int32, shape=(-1, 2)]\n    o = Neg(i)[T=int32]", {"y": "i"}, "add a Cast"),
        ("    i = Placeholder[dtype=float, shape=(-1, 3)]\n    o = Neg(i)[T=float]", {"y": "i"}, "takes"),
        ("    i = Placeholder[dtype=float]\n    o = Neg(i)[T=float]", {"y": "j"}, 'there is no tensor "j"'),
        ("    i = Placeholder[dtype=float]\n    o = Neg(i)[T=float]", {"q": "i"}, 'there is no tensor "q"'),
        ("    i = Placeholder[dtype=float]\n    o = Neg(i)[T=float]", {}, "nothing is connected"),
        ("    i = Placeholder[dtype=float]\n    o = Neg(i)[T=float]", {"y": "i", "h": "i:0"}, "connected twice"),
    ],
)
def test_tensors_that_cannot_be_connected(second, connect, problem):
    with pytest.raises(GraphError, match=problem):
        tfmodel.splice(graph(FIRST), graph(second), connect)
