"""Quantized layers: refusals and measured ranges. Results of the C++ tool are compared in test_quantization_golden."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest

from tests.golden.quantizing.cases import MODELS, numbers
from tests.tfmodel.transforms.graph_notation import graph
from tests.tfmodel.transforms.run_step import after
from tfmodel import from_ndarray, run
from tfmodel.analysis.shapes import Shape
from tfmodel.compare.verify import Verification
from tfmodel.errors import TransformError
from tfmodel.messages import AttrValue, GraphDef
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.report import TransformReport
from tfmodel.transforms.quantization.shape_checks import ShapeChecks, fits

RELU = "x = Placeholder[dtype=float]\ny = Relu(x)[T=float]"
IMAGES = "x = Placeholder[dtype=float, shape=(-1, -1, -1, 2)]\n"
CONV = (
    IMAGES + "w = Placeholder[dtype=float, shape=(3, 3, 2, 4)]\n"
    'y = Conv2D(x, w)[T=float, strides=[1, 1, 1, 1], padding="SAME"]'
)
POOL = IMAGES + 'y = MaxPool(x)[T=float, ksize=[1, 2, 2, 1], strides=[1, 2, 1, 1], padding="SAME"]'
CONCAT = (
    "x = Placeholder[dtype=float]\naxis = Const[dtype=int32, value=int32{1}()]\ny = Concat(axis, x, x)[T=float, N=2]"
)
FAKE = """
    x = Placeholder[dtype=float]
    lo = Const[dtype=float, value=float{-1}()]
    hi = Const[dtype=float, value=float{1}()]
    r = Relu(x)[T=float]
    y = FakeQuantWithMinMaxVars(r, lo, hi)[num_bits=8]
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "reason"),
    [
        (CONV, '"SAME"', '"SAME", data_format="NCHW"', "its layout is not NHWC"),
        (CONV, '"SAME"', '"SAME", dilations=[1, 2, 2, 1]', "it is dilated"),
        (CONV, '"SAME"', '"EXPLICIT"', "it has explicit paddings"),
        (CONV, "[1, 1, 1, 1]", "[1, 2, 1, 1]", "its strides are not the same in both directions"),
        (CONV, "3, 3, 2, 4", "3, 3, 1, 4", "its filter takes 1 of 2 channels"),
        (CONV, "-1, 2)", "-1, -1)", "its filter may not take all channels: their number is not known"),
        (CONV, "(3, 3, 2, 4)", "?", "its filter may not take all channels: their number is not known"),
        (CONV, "(-1, -1,", "(-1, 0,", "one of its inputs is empty"),
        (POOL, "ksize=[1, 2, 2, 1]", "ksize=[1, 1, 1, 2]", "it strides, or has windows, across images or channels"),
        (POOL, "strides=[1, 2, 1, 1]", "strides=[1, 1, 1, 2]", "it strides, or has windows, across images or channels"),
        (CONCAT, "{1}", "{-1}", "its axis is counted from the last"),
        (CONCAT, "Const[dtype=int32, value=int32{1}()]", "Placeholder[dtype=int32]", "its axis is not known"),
        (
            RELU,
            "dtype=float]",
            "dtype=float, shape=(-1, 1, 1, 1, 1, 1)]",
            "one of its inputs has more than 5 dimensions",
        ),
        (RELU, "(x)[T=float]", "(x)[T=half]", "its inputs and outputs are not floats"),
        (RELU, "Relu(x)", "Relu(x, x)", "its op has another number of inputs"),
    ],
)
def test_unsupported_layers_are_left_alone(text: str, old: str, new: str, reason: str) -> None:
    assert after(text, "quantize_nodes")[0]["y"].startswith("Dequantize")
    nodes, report = after(text.replace(old, new), "quantize_nodes")
    assert not nodes["y"].startswith("Dequantize")
    assert report.refusals == {reason: ["y"]}


PRODUCT = """
    a = Placeholder[dtype=quint8]
    b = Placeholder[dtype=quint8]
    low = Const[dtype=float, value=float{0}()]
    high = Const[dtype=float, value=float{1}()]
    y = QuantizedMul(a, b, low, high, low, high)[T1=quint8, T2=quint8, Toutput=qint32]
"""
UNPROVEN = "it may broadcast an input along other than the leading dimensions"


@pytest.mark.parametrize(
    ("one", "other", "is_fitting"),
    [
        ((3, 4), (4,), True),
        ((3, 4), (), True),
        (None, (), True),
        ((3, 4), (1, 4), True),
        ((4,), (3, 4), True),
        ((None, 4), (3, 4), True),
        ((2, 3, 4), (3, 4), True),
        ((None, 3, 4), (None, 3, 4), True),
        ((None, 3, 3, 4), (4,), True),
        ((None, 1), (1,), True),
        ((1, None, 4), (3, 4), True),
        ((2, 1, 4), (4,), True),
        ((3, 4), (3, 1), False),
        ((3, 1), (1, 4), False),
        ((2, 3, 4), (2, 1, 4), False),
        ((3, 1), (4,), False),
        ((None, 3, 3, 4), (None, 1, 1, 4), False),
        ((None, None, None, 4), (None, 1, 1, 4), False),
        ((2, None), (2, 3), False),
        ((2, None, 4), (2, None, 4), False),
        ((None, 3), (2, None, 3), False),
        (None, (3, 1), False),
        (None, None, False),
    ],
)
def test_broadcasting_is_along_leading_dimensions_only(one: Shape, other: Shape, is_fitting: bool) -> None:
    """For other shapes TensorFlow returns wrong numbers, or fails."""
    assert fits(one, other) == fits(other, one) == is_fitting
    for size in (1, 2, 3) if is_fitting and one is not None and other is not None else ():  # what is not known
        shapes = [[size if dimension is None else dimension for dimension in shape or ()] for shape in (one, other)]
        with contextlib.suppress(ValueError):
            np.broadcast_shapes(*shapes)  # ValueError if the shapes do not fit
            codes, other_codes = (np.ones(shape, np.uint8) for shape in shapes)
            run(graph(PRODUCT), {"a": codes, "b": other_codes}, ["y"])  # RunError if the kernel refuses it


def test_a_layer_with_unknown_shapes_is_left_alone() -> None:
    """Channels are multiplied by weights computed from them, in images of any size."""
    text = (
        IMAGES
        + """
        axes = Const[dtype=int32, value=int32{1, 2}]
        m = Mean(x, axes)[T=float, keep_dims=true]
        y = Mul(x, m)[T=float]
    """
    )
    assert after(text, "quantize_nodes")[1].refusals == {UNPROVEN: ["y"]}


@pytest.mark.parametrize(
    "gate",
    [
        "g = Sigmoid(x)[T=float]",
        "three = Const[dtype=float, value=float{3}]\na = AddV2(three, x)[T=float]\ng = Relu6(a)[T=float]",
        "c = Const[dtype=float, value=float{3, 4}]\na = Sub(x, c)[T=float]\nb = Tanh(a)[T=float]\n"
        "g = BiasAdd(b, c)[T=float]",
    ],
)
def test_inputs_of_the_same_unknown_shape_fit(gate: str) -> None:
    text = f"{IMAGES}{gate}\ny = Mul(x, g)[T=float]"
    assert after(text, "quantize_nodes")[0]["y"].startswith("Dequantize")
    other = text.replace("x = ", "z = Placeholder[dtype=float, shape=(-1, -1, -1, 2)]\nx = ").replace("Mul(x", "Mul(z")
    assert after(other, "quantize_nodes")[1].refusals == {UNPROVEN: ["y"]}


def test_the_search_for_an_equal_shape_ends_in_a_cycle() -> None:
    lines = [f"n{number} = Relu(n{(number + 1) % 5000})[T=float]" for number in range(5000)]
    sizes = ShapeChecks(graph("\n".join(lines)))
    assert sizes.origin("n0") == sizes.origin("n1")


# --- ranges ----------------------------------------------------------------------------------------------------------

NEGATIVE = """
    x = Placeholder[dtype=float, shape=(-1, 1)]
    w = Const[dtype=float, value=float{-2}(1, 1)]
    m = MatMul(x, w)[T=float]
    c = Const[dtype=float, value=float{1, 2, 3}]
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("y = Relu(m)[T=float]", 0),
        ("y = Relu6(m)[T=float]", 0),
        ("y = Add(m, m)[T=float]", -8),
        ("y = Mul(m, m)[T=float]", 16),
        ("y = MatMul(m, w)[T=float]", 8),
        ("y = BiasAdd(m, w1)[T=float]", -4),
    ],
)
def test_negative_sums_keep_their_values(line: str, expected: float) -> None:
    """Their range ends at the largest of them; the next layer would refuse it, or clip to zero."""
    text = NEGATIVE + "w1 = Const[dtype=float, value=float{0}]\n" + line
    quantized = transform(graph(text), "x", "y", "quantize_nodes")
    assert not any(node.op in ("Add", "BiasAdd", "MatMul", "Mul") for node in quantized.node)
    actual = run(quantized, {"x": np.float32([[2]])}, ["y"])["y"]
    np.testing.assert_allclose(actual, [[expected]], rtol=0.02, atol=0.01)


def test_zero_is_added_to_a_range_only_where_it_may_be_missing() -> None:
    guarded = after(NEGATIVE + "y = Relu(m)[T=float]", "quantize_nodes")[0]
    assert guarded["m/eightbit/requant_max"] == "Relu(m/eightbit/requant_range:1)[T=float]"
    assert "m/eightbit/requant_max" in guarded["m/eightbit/requantize"]
    many = NEGATIVE.replace("(1, 1)", "(1, 64)")
    for text in (NEGATIVE + "y = Sigmoid(m)[T=float]", NEGATIVE, many + "y = Relu(m)[T=float]"):
        assert "m/eightbit/requant_max" not in after(text, "quantize_nodes")[0]
    fallback = after(NEGATIVE + "y = Relu(m)[T=float]", "quantize_nodes(fallback_min=-1, fallback_max=1)")[0]
    assert "m/eightbit/requant_max" not in fallback


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("num_bits=8", "num_bits=4", "it does not have 8 bits"),
        ("float{-1}()", "float{0.5}()", "zero is not in its range"),
        ("float{-1}()", "float{-1, -2}", "its range is not two numbers"),
    ],
)
def test_fake_quantizations_with_unsupported_ranges_are_left_alone(old: str, new: str, reason: str) -> None:
    _, report = after(FAKE.replace(old, new), "quantize_nodes(ignore_op=Relu)")
    assert reason in report.refusals


def test_a_range_of_only_zero_is_left_alone() -> None:
    zeros = FAKE.replace("float{-1}", "float{0}").replace("float{1}", "float{0}")
    assert "its range is only zero" in after(zeros, "quantize_nodes(ignore_op=Relu)")[1].refusals


def test_a_fake_quantization_does_not_move_over_a_shared_node() -> None:
    _, report = after(FAKE + "    z = Neg(r)[T=float]", "quantize_nodes")
    assert report.refusals == {"its Relu is used elsewhere": ["y"]}


def test_a_fake_quantization_does_not_move_over_a_source_of_its_control_inputs() -> None:
    nodes, report = after(FAKE.replace("(r, lo, hi)", "(r, lo, hi, ^r)"), "quantize_nodes")
    assert report.refusals == {"it has a control input from a node that it would move over": ["y"]}
    assert nodes["y_eightbit/quantize"].startswith("QuantizeV2(r, lo, hi)")


def test_redundant_quantization_is_removed_with_its_unused_inputs() -> None:
    text = """
        c = Placeholder[dtype=quint8]
        lo = Placeholder[dtype=float]
        hi = Placeholder[dtype=float]
        d = Dequantize(c, lo, hi)[T=quint8, mode="MIN_FIRST"]
        axis = Const[dtype=int32, value=int32{0}]
        low = Min(d, axis)[T=float]
        high = Max(d, axis)[T=float]
        q = QuantizeV2(d, low, high)[T=quint8, mode="MIN_FIRST"]
        y = QuantizedRelu(q:0, q:1, q:2)[Tinput=quint8]
    """
    assert list(after(text, "quantize_nodes", outputs="y")[0]) == ["c", "lo", "hi", "axis", "y"]
    assert after(text, "quantize_nodes", outputs="y")[0]["y"].startswith("QuantizedRelu(c, lo, hi)")
    assert "d" in after(text, "quantize_nodes", outputs="y,high")[0]
    other = text.replace("Max(d,", "Max(lo,")
    assert after(other, "quantize_nodes", outputs="y")[0]["y"].startswith("QuantizedRelu(q:0")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("input_min=1", "You must pass both input_min and input_max into quantize_nodes"),
        ("fallback_max=1", "You must pass both fallback_min and fallback_max into quantize_nodes"),
        ("input_min=2, input_max=1", "input_min must be less than input_max, got 2 and 1"),
        ("input_min=1, input_max=1", "input_min must be less than input_max, got 1 and 1"),
        ("fallback_min=0, fallback_max=0", "fallback_min must be less than fallback_max, got 0 and 0"),
        ("input_min=-1e999, input_max=1", "input_min and input_max must be finite, got -inf and 1"),
        ("fallback_min=1, fallback_max=2", "zero must be between fallback_min and fallback_max, got 1 and 2"),
        ("ignore_op=Rely", 'unknown op "Rely"; did you mean "Relu"'),
    ],
)
def test_invalid_ranges_and_ops_are_refused(arguments: str, problem: str) -> None:
    with pytest.raises(TransformError, match=problem):
        after(RELU, f"quantize_nodes({arguments})")


def test_control_inputs_move_to_the_quantized_layer() -> None:
    nodes, _ = after(RELU.replace("(x)", "(x, ^n)") + "\nn = NoOp", "quantize_nodes")
    assert nodes["y/eightbit"].partition("[")[0].endswith(":2, ^n)")


def test_an_input_that_is_an_output_stays() -> None:
    nodes, report = after(RELU, "quantize_nodes(input_min=0, input_max=1)", "x", "x, y")
    assert nodes["x"] == "Placeholder[dtype=float]"
    assert report.refusals == {"it is declared as an output, which must stay float": ["x"]}


def test_the_next_layer_takes_floats_that_may_be_fed() -> None:
    layers = graph("x = Placeholder[dtype=float, shape=(4)]\nr = Relu(x)[T=float]\ny = Relu6(r)[T=float]")
    fed = {"x": np.ones(4, np.float32), "r": np.array([-1, 1, 3, 9], np.float32)}
    for inputs, expected in (("x", 1.0), ("x,r", [0.0, 1.0, 3.0, 6.0])):
        actual = run(transform(layers, inputs, "y", "quantize_nodes"), fed, ["y"])["y"]
        assert np.abs(actual - np.asarray(expected)).max() < 0.05


def test_new_nodes_do_not_take_existing_names() -> None:
    nodes, _ = after(RELU + "\ny/eightbit = NoOp", "quantize_nodes")
    assert nodes["y/eightbit_1"].startswith("QuantizedRelu")


def test_functions_are_quantized_each_by_itself() -> None:
    text = (
        "a = Placeholder[dtype=float]\nc = f(a)\n"
        "f: (x: float) -> (r: float = relu:activations:0)\nf: relu = Relu(x)[T=float]"
    )
    before = graph(text)
    result = transform(before, "a", "c", "quantize_nodes")
    assert result.library is not None
    function = result.library.function[0]
    assert function.ret == {"r": "relu:output:0"}
    assert [node.op for node in function.node_def][-2:] == ["QuantizedRelu", "Dequantize"]
    x = numbers(3, 4)
    assert np.abs(run(result, {"a": x}, ["c"])["c"] - np.maximum(x, 0)).max() < 0.01


# --- measuring -------------------------------------------------------------------------------------------------------


def model(name: str) -> GraphDef:
    written = MODELS[name]
    graph_def = graph(written.text)
    for node in graph_def.node:
        if node.name in written.arrays:
            node.attr["value"] = AttrValue(tensor=from_ndarray(written.arrays[node.name]))
    return graph_def


@pytest.mark.parametrize("name", ["mlp", "network"])
def test_ranges_that_the_interpreter_prints_are_frozen(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Quantize, log, run, freeze: without TensorFlow."""
    feeds = MODELS[name].feeds
    quantized = transform(model(name), "x", "y", "quantize_weights(minimum_size=16) quantize_nodes strip_unused_nodes")
    measured = sum(node.op == "RequantizationRange" for node in quantized.node)
    message = "__requant_min_max:"
    logging = transform(
        quantized, "x", "y", f'insert_logging(op=RequantizationRange, show_name=true, message="{message}")'
    )
    run(logging, feeds, ["y"])
    log = tmp_path / "log"
    log.write_text(capfd.readouterr().err)
    assert log.read_text().count(message) == measured > 1
    frozen = transform(quantized, "x", "y", f'freeze_requantization_ranges(min_max_log_file="{log}")')
    assert not any(node.op == "RequantizationRange" for node in frozen.node)
    expected, actual = run(model(name), feeds, ["y"])["y"], run(frozen, feeds, ["y"])["y"]
    assert np.abs(actual - expected).max() < 0.06 * np.abs(expected).max()


def test_quantized_inputs_are_not_fed_the_floats_of_the_verification() -> None:
    model = graph("x = Placeholder[dtype=float, shape=(2, 3)]\ny = Relu(x)[T=float]")
    report = TransformReport()
    text = "quantize_nodes(input_min=-1, input_max=1) remove_device"
    transform(model, "x", "y", text, report=report, verify=Verification(rtol=0.1, atol=0.1))
    assert [step.verdict.partition(" (")[0] for step in report.steps] == [
        "not compared, since it is fed other values",
        "outputs equal on random inputs",
    ]


@pytest.mark.parametrize(
    ("names", "quantized"),
    [("z", "y"), ("x", "y z"), ("y", "z"), ('"y*"', "z"), ('"?"', ""), ("x, exclude_node=z", "y")],
)
def test_excluded_layers_stay(names: str, quantized: str) -> None:
    text = "x = Placeholder[dtype=float]\ny = Relu(x)[T=float]\nz = Relu6(y)[T=float]"
    nodes, _ = after(text, f"quantize_nodes(exclude_node={names})")
    assert " ".join(name for name in "yz" if f"{name}/eightbit" in nodes) == quantized
