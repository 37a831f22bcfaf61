"""Inputs and outputs get the names of the signature."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tfmodel.transforms.run_step import graph_of
from tfmodel.errors import ModelError
from tfmodel.interpreter import Session
from tfmodel.messages import MetaGraphDef
from tfmodel.model import Model
from tfmodel.optimizer import optimize
from tfmodel.source.metagraph import make_meta_graph

GRAPH = """
    serving_x = Placeholder[dtype=float, shape=(2, 4)]
    axis = Const[dtype=int32, value=int32{1}()]
    scores = Relu(serving_x)[T=float]
    parts = Split(axis, scores)[num_split=2, T=float]
    y = Neg(scores)[T=float]
"""


def model(inputs: dict[str, str], outputs: dict[str, str], graph: str = GRAPH) -> MetaGraphDef:
    return make_meta_graph(graph_of(graph), signatures={"serving_default": {"inputs": inputs, "outputs": outputs}})


@pytest.mark.parametrize(
    ("outputs", "names", "nodes"),
    [
        ({"result": "y:0"}, ["result"], "x=Placeholder scores=Relu result=Neg"),
        ({"y": "y:0"}, ["y"], "x=Placeholder scores=Relu y=Neg"),
        ({"scores": "y:0"}, ["scores"], "x=Placeholder scores_1=Relu scores=Neg"),
        ({"a b": "y:0"}, ["a_b"], "x=Placeholder scores=Relu a_b=Neg"),
        ({"a": "y:0", "b": "y:0"}, ["a"], "x=Placeholder scores=Relu a=Neg"),
        (
            {"low": "parts:0", "high": "parts:1"},
            ["high", "low"],
            "x=Placeholder axis=Const scores=Relu parts=Split high=Identity low=Identity",
        ),
        ({"x": "y:0"}, ["x"], "x_1=Placeholder scores=Relu x=Neg"),
        ({"y": "serving_x:0"}, ["x"], "x=Placeholder"),
    ],
)
def test_outputs_have_the_keys_of_the_signature_as_names(outputs: dict[str, str], names: list[str], nodes: str) -> None:
    optimized = optimize(model({"x": "serving_x:0"}, outputs), names="signature")
    assert optimized.outputs == names
    assert {f"{node.name}={node.op}" for node in optimized.graph.node} == set(nodes.split())


def test_the_signature_and_the_values_are_those_of_the_model() -> None:
    meta = model({"x": "serving_x:0"}, {"low": "parts:0", "high": "parts:1"})
    optimized = Model(meta).optimize(names="signature")
    signature = optimized.meta.signature_def["serving_default"]
    assert signature.inputs["x"].name == "x:0"
    assert {key: info.name for key, info in signature.outputs.items()} == {"low": "low:0", "high": "high:0"}
    feeds = {"x": np.arange(8, dtype="f4").reshape(2, 4) - 3}
    expected, actual = Session(meta).run(feeds), Session(optimized).run(feeds)
    assert {key: value.tolist() for key, value in actual.items()} == {key: expected[key].tolist() for key in expected}


def test_a_tensor_that_is_not_in_the_signature_keeps_its_name() -> None:
    optimized = optimize(model({"x": "serving_x:0"}, {"result": "y:0"}), outputs="scores,y", names="signature")
    assert (optimized.inputs, optimized.outputs) == (["x"], ["scores", "result"])


def test_a_model_without_signatures_is_refused() -> None:
    with pytest.raises(ModelError, match="no signature that could give names"):
        optimize(graph_of(GRAPH), "serving_x", "y", names="signature")


def test_an_output_that_other_nodes_read_gets_the_name_of_one_of_them() -> None:
    text = GRAPH + "    z = Add(y, scores)[T=float]"
    meta = model({"x": "serving_x:0"}, {"scores": "y:0", "y": "z:0"}, text)
    optimized = optimize(meta, names="signature")
    assert {node.name: (node.op, list(node.input)) for node in optimized.graph.node} == {
        "x": ("Placeholder", []),
        "scores_1": ("Relu", ["x:0"]),
        "scores": ("Neg", ["scores_1"]),
        "y": ("Add", ["scores", "scores_1"]),
    }
