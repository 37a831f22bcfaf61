"""Weights of one byte per element. Results of the C++ tool are compared in test_quantization_golden."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.effort import scaled
from tests.tfmodel.transforms.run_step import after, graph_of
from tests.tfmodel.transforms.test_round_weights import FLOATS, constant
from tfmodel import run, to_ndarray
from tfmodel.errors import TransformError
from tfmodel.messages import FunctionDef, FunctionDefLibrary, GraphDef, NodeDef, OpDef
from tfmodel.transforms.framework.pipeline import transform


@settings(max_examples=scaled(40))
@given(st.lists(FLOATS, min_size=1, max_size=80))
def test_dequantized_weights_are_less_than_two_steps_away(values: list[float]) -> None:
    array = np.array(values, np.float32)
    graph = transform(constant(array), "", "w", "quantize_weights(minimum_size=1)")
    step = (max(array.max(), 0) - min(array.min(), 0)) / 255
    actual = run(graph, {}, ["w"])["w"]
    # Half a step, and where zero lies amid two codes, which are rounded in different directions, one more.
    assert (np.abs(actual - array) <= 1.501 * step + 1e-35).all()


def test_zeros_stay_zeros() -> None:
    graph = transform(constant([0.0] * 7 + [-0.0]), "", "w", "quantize_weights(minimum_size=1)")
    assert [node.name for node in graph.node] == ["w_quantized_const", "w_quantized_min", "w_quantized_max", "w"]
    assert run(graph, {}, ["w"])["w"].tolist() == [0] * 8


@pytest.mark.parametrize("values", [[float("nan"), 1], [1, float("-inf")], [-3e38, 3e38]])
def test_weights_that_are_not_finite_are_left_alone(values: list[float]) -> None:
    graph = constant(values)
    assert transform(graph, "", "w", "quantize_weights(minimum_size=1)") == graph


def test_weights_stored_as_one_element_are_left_alone() -> None:
    text = "w = Const[dtype=float, value=float{0.5}(64, 64)]"
    nodes, report = after(text, "quantize_weights")
    assert list(nodes) == ["w"]
    assert [*report.refusals] == ["it is stored as one element, which quantizing would enlarge"]


@pytest.mark.parametrize(("size", "fired"), [(3, 1), (4, 0), (0, 1)])
def test_constants_smaller_than_minimum_size_stay(size: int, fired: int) -> None:
    _, report = after("w = Const[dtype=float, value=float{1, 2, 3}]", f"quantize_weights(minimum_size={size})")
    assert report.fired == fired


def test_new_constants_have_the_control_inputs_of_the_old_one() -> None:
    nodes, _ = after("x = NoOp\nw = Const(^x)[dtype=float, value=float{1, 2}]", "quantize_weights(minimum_size=1)")
    assert [text.partition("[")[0] for name, text in nodes.items() if name.startswith("w_")] == ["Const(^x)"] * 3


def test_new_nodes_do_not_take_existing_names() -> None:
    text = "w_quantized_min = NoOp\nw = Const[dtype=float, value=float{1}]"
    nodes, _ = after(text, "quantize_weights(minimum_size=1)")
    assert nodes["w"].startswith("Dequantize(w_quantized_const, w_quantized_min_1, w_quantized_max)")


def test_constants_of_functions_are_quantized() -> None:
    body = graph_of("w = Const[dtype=float, value=float{1, 2}]\nt = Const[dtype=float]").node
    del body[1].attr["dtype"]
    signature = OpDef(name="f", output_arg=[OpDef.ArgDef(name="r", type=1)])
    function = FunctionDef(signature=signature, node_def=body, ret={"r": "w:output:0"})
    graph = GraphDef(library=FunctionDefLibrary(function=[function]))
    result = transform(graph, "", "", "quantize_weights(minimum_size=1)").library
    assert result is not None
    assert [node.name for node in result.function[0].node_def][:4] == [
        "w_quantized_const",
        "w_quantized_min",
        "w_quantized_max",
        "w",
    ]
    assert result.function[0].node_def[3].input == [
        "w_quantized_const:output:0",
        "w_quantized_min:output:0",
        "w_quantized_max:output:0",
    ]


def test_a_constant_without_a_value_is_an_error() -> None:
    with pytest.raises(TransformError, match='Const "w" has no attribute "value"'):
        after("w = Const[dtype=float]", "quantize_weights")


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(TransformError, match="minimum_size must be >= 0, got -1"):
        after("w = NoOp", "quantize_weights(minimum_size=-1)")


def test_large_weights_that_were_not_decoded_are_not_copied() -> None:
    data = constant(np.zeros((64, 1024)) + np.arange(1024)).to_bytes()
    node: NodeDef = transform(GraphDef.from_bytes(data, lazy=True), "", "w", "quantize_weights").node[0]
    codes = to_ndarray(GraphDef.from_bytes(GraphDef(node=[node]).to_bytes()).node[0].attr["value"].tensor)
    assert codes.shape == (64, 1024)
    assert codes[3, [0, 1023]].tolist() == [0, 255]
