"""Weights of one byte per element. Results of the C++ tool are compared in test_quantization_golden."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.effort import scaled
from tests.tfmodel.transforms.run_step import after, graph_of
from tests.tfmodel.transforms.test_round_weights import FLOATS, constant
from tfmodel import from_ndarray, run, to_ndarray
from tfmodel.errors import TransformError
from tfmodel.messages import AttrValue, FunctionDef, FunctionDefLibrary, GraphDef, NodeDef, OpDef
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


# --- per channel -----------------------------------------------------------------------------------------------------

KERNEL = np.random.default_rng(0).normal(size=(6, 4, 5, 40)).astype(np.float32) * np.geomspace(0.01, 10, 40)
MATRIX = KERNEL.reshape(120, 40)


def layer(array: Any, reader: str) -> GraphDef:
    """A constant w with a reader."""
    graph = graph_of(f"w = Const[dtype=float]\nx = Placeholder[dtype=float]\n{reader}")
    graph.node[0].attr["value"] = AttrValue(tensor=from_ndarray(array.astype(np.float32)))
    return graph


PER_CHANNEL = "quantize_weights(per_channel=true)"


@pytest.mark.parametrize(
    ("array", "reader", "axis"),
    [
        (KERNEL, "y = Conv2D(x, w)[T=float]", 3),
        (KERNEL, "i = Identity(w)[T=float]\ny = Conv2D(x, i)[T=float]", 3),
        (KERNEL, "y = DepthwiseConv2dNative(x, w)[T=float]", 2),
        (KERNEL, "s = Const[dtype=int32, value=int32{1}]\ny = Conv2DBackpropInput(s, w, x)[T=float]", 2),
        (MATRIX, "y = MatMul(x, w)[T=float]", 1),
        (MATRIX, "y = MatMul(x, w)[T=float, transpose_b=true]", 0),
        (MATRIX, "y = MatMul(w, x)[T=float]", 0),
        (MATRIX, "y = MatMul(w, x)[T=float, transpose_a=true]", 1),
        (KERNEL, "y = BatchMatMulV2(x, w)[T=float, adj_y=true]", 2),
        (MATRIX, "i = Const[dtype=int32, value=int32{1}]\ny = Gather(w, i)[Tparams=float, Tindices=int32]", 0),
    ],
)
def test_the_channels_of_a_weight_depend_on_its_reader(array: Any, reader: str, axis: int) -> None:
    nodes = {node.name: node for node in transform(layer(array, reader), "x", "y", PER_CHANNEL).node}
    assert (nodes["w"].op, nodes["w"].attr["axis"].i) == ("Dequantize", axis)
    assert to_ndarray(nodes["w_quantized_max"].attr["value"].tensor).shape == (array.shape[axis],)


@pytest.mark.parametrize(
    ("array", "reader"),
    [
        (MATRIX, "y = Add(x, w)[T=float]"),
        (MATRIX, "z = MatMul(x, w)[T=float]\ny = MatMul(w, z)[T=float]"),  # its readers have different channels
        (MATRIX.reshape(480, 10), "y = Gather(w, w)[Tparams=float]"),  # a channel has fewer than 16 elements
        (MATRIX, "y = Relu(x, ^w)[T=float]"),
    ],
)
def test_other_constants_have_one_range(array: Any, reader: str) -> None:
    nodes = {node.name: node for node in transform(layer(array, reader), "x", "y", PER_CHANNEL).node}
    assert nodes["w"].attr["mode"].s == b"MIN_FIRST"


@settings(max_examples=scaled(30))
@given(st.lists(st.lists(FLOATS, min_size=32, max_size=32), min_size=1, max_size=5), st.integers(0, 1))
def test_an_element_changes_by_half_a_step_of_its_channel(rows: list[list[float]], axis: int) -> None:
    array = np.array(rows, np.float32)
    reader = f"y = MatMul(x, w)[T=float, transpose_b={'true' if axis == 0 else 'false'}]"
    array = array if axis == 0 else array.T
    graph = transform(layer(array, reader), "x", "y", "quantize_weights(per_channel=true, minimum_size=1)")
    steps = np.abs(array).max(axis=1 - axis, keepdims=True) / 127
    actual = run(graph, {}, ["w"])["w"]
    assert (np.abs(actual - array) <= 0.501 * steps + 1e-35).all()
    assert (actual[array == 0] == 0).all()


def test_small_channels_keep_their_accuracy() -> None:
    """The columns of MATRIX have magnitudes from 0.01 to 10, so one range for all loses the small ones."""

    def error(text: str) -> float:
        graph = transform(layer(MATRIX, "y = MatMul(x, w)[T=float]"), "x", "y", text)
        difference = np.abs(run(graph, {}, ["w"])["w"] - MATRIX)
        return float((difference.max(axis=0) / np.abs(MATRIX).max(axis=0)).max())

    assert error("quantize_weights") > 0.3
    assert error(PER_CHANNEL) < 0.005


def test_large_weights_are_quantized_in_blocks() -> None:
    array = np.random.default_rng(1).normal(size=(70_000, 33))
    graph = transform(layer(array, "y = MatMul(x, w)[T=float]"), "x", "y", PER_CHANNEL)
    steps = np.abs(array).max(axis=0) / 127
    assert (np.abs(run(graph, {}, ["w"])["w"] - array) <= 0.501 * steps).all()


def test_channels_that_are_not_finite_are_left_alone() -> None:
    array = MATRIX.copy()
    array[3, 4] = np.inf
    graph = layer(array, "y = MatMul(x, w)[T=float]")
    assert transform(graph, "x", "y", PER_CHANNEL) == graph


# --- excluded weights ------------------------------------------------------------------------------------------------

TWO_LAYERS = """
    w = Const[dtype=float, value=float{1, 2, 3, 4}(2, 2)]
    i = Identity(w)[T=float]
    v = Const[dtype=float, value=float{1, 2, 3, 4}(2, 2)]
    x = Placeholder[dtype=float]
    first = MatMul(x, i)[T=float]
    y = Mul(first, v)[T=float]
"""


@pytest.mark.parametrize(
    ("arguments", "quantized"),
    [
        ("per_channel=false", "w v"),
        ("exclude_node=w", "v"),
        ("exclude_node=first", "v"),
        ("exclude_node=i", "v"),
        ("exclude_node=w, exclude_node=y", ""),
        ("exclude_op=MatMul", "v"),
        ("exclude_op=MatMul, exclude_op=Mul", ""),
        ("exclude_op=Mul", "w"),
        ('exclude_node="fir*"', "v"),
        ('exclude_node="?"', ""),
        ('exclude_node="?[w]"', "w v"),
    ],
)
def test_excluded_weights_stay(arguments: str, quantized: str) -> None:
    nodes, _ = after(TWO_LAYERS, f"quantize_weights(minimum_size=1, {arguments})")
    assert " ".join(name for name, text in nodes.items() if text.startswith("Dequantize")) == quantized
