"""Layers on codes: what is refused and why, and ranges that are measured. What the C++ tool makes: test_quantizing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.golden.quantizing_cases import MODELS, numbers
from tests.tfmodel.transforms.notation import graph
from tests.tfmodel.transforms.running import after
from tfmodel import from_ndarray, run
from tfmodel.errors import TransformError
from tfmodel.messages import AttrValue, GraphDef
from tfmodel.transforms.framework.pipeline import transform

RELU = "x = Placeholder[dtype=float]\ny = Relu(x)[T=float]"
CONV = 'x = Placeholder[dtype=float]\nw = Placeholder[dtype=float]\n' \
       'y = Conv2D(x, w)[T=float, strides=[1, 1, 1, 1], padding="SAME"]'  # fmt: skip
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
        (RELU, "(x)[T=float]", "(x)[T=half]", "it does not take and give floats"),
        (RELU, "Relu(x)", "Relu(x, x)", "it has another number of inputs than its op"),
    ],
)
def test_layers_that_codes_cannot_do_are_left_alone(text: str, old: str, new: str, reason: str) -> None:
    assert after(text, "quantize_nodes")[1].fired > 0
    nodes, report = after(text.replace(old, new), "quantize_nodes")
    assert not nodes["y"].startswith("Dequantize")
    assert report.refusals == {reason: ["y"]}


@pytest.mark.parametrize(
    ("one", "other", "fits"),
    [
        ("(3, 4)", "(4)", True), ("(3, 4)", "()", True), ("(3, 4)", "(1, 4)", True), ("(4)", "(3, 4)", True),
        ("(-1, 4)", "(3, 4)", True), ("?", "(3, 1)", True), ("(2, 3, 4)", "(3, 4)", True),
        ("(3, 4)", "(3, 1)", False), ("(3, 1)", "(1, 4)", False), ("(2, 3, 4)", "(2, 1, 4)", False),
        ("(-1, 3, 3, 4)", "(-1, 1, 1, 4)", False),
    ],
)  # fmt: skip
def test_codes_are_repeated_along_the_first_dimensions_only(one: str, other: str, fits: bool) -> None:
    """TensorFlow has been asked: what does not fit gives wrong numbers there, or fails."""
    text = f"x = Placeholder[dtype=float, shape={one}]\nz = Placeholder[dtype=float, shape={other}]\n"
    _, report = after(text + "y = Mul(x, z)[T=float]", "quantize_nodes")
    assert report.refused == (not fits)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("num_bits=8", "num_bits=4", "it has not 8 bits"),
        ("float{-1}()", "float{0.5}()", "zero is not in its range"),
        ("float{-1}()", "float{-1, -2}", "its range is not two numbers"),
    ],
)
def test_ranges_that_codes_cannot_have_are_left_alone(old: str, new: str, reason: str) -> None:
    _, report = after(FAKE.replace(old, new), "quantize_nodes(ignore_op=Relu)")
    assert reason in report.refusals


def test_a_fake_quantization_does_not_move_over_what_another_node_uses() -> None:
    _, report = after(FAKE + "    z = Neg(r)[T=float]", "quantize_nodes")
    assert report.refusals == {"its Relu is used elsewhere": ["y"]}


def test_a_fake_quantization_does_not_move_before_what_it_waits_for() -> None:
    nodes, report = after(FAKE.replace("(r, lo, hi)", "(r, lo, hi, ^r)"), "quantize_nodes")
    assert report.refusals == {"it waits for what it would come before": ["y"]}
    assert nodes["y_eightbit/quantize"].startswith("QuantizeV2(r, lo, hi)")


def test_codes_of_codes_go_with_what_made_them_if_nobody_else_needs_it() -> None:
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
        ("input_min=2, input_max=1", "input_min must not be greater than input_max, and they are 2 and 1"),
        ("fallback_min=1, fallback_max=2", "zero must lie between fallback_min and fallback_max, which are 1 and 2"),
        ("ignore_op=Rely", 'there is no op "Rely"; did you mean "Relu"'),
    ],
)
def test_ranges_and_ops_that_make_no_sense_are_refused(arguments: str, problem: str) -> None:
    with pytest.raises(TransformError, match=problem):
        after(RELU, f"quantize_nodes({arguments})")


def test_control_inputs_go_over_to_the_layer_on_codes() -> None:
    nodes, _ = after(RELU.replace("(x)", "(x, ^n)") + "\nn = NoOp", "quantize_nodes")
    assert nodes["y/eightbit"].partition("[")[0].endswith(":2, ^n)")


def test_an_input_that_is_an_output_stays() -> None:
    nodes, report = after(RELU, "quantize_nodes(input_min=0, input_max=1)", "x", "x, y")
    assert nodes["x"] == "Placeholder[dtype=float]"
    assert report.refusals == {"it is declared as an output, which is not to become codes": ["x"]}


def test_names_that_are_taken_are_not_taken_again() -> None:
    nodes, _ = after(RELU + "\ny/eightbit = NoOp", "quantize_nodes")
    assert nodes["y/eightbit_1"].startswith("QuantizedRelu")


def test_functions_are_quantized_each_by_itself() -> None:
    text = "a = Placeholder[dtype=float]\nc = f(a)\n" \
           "f: (x: float) -> (r: float = relu:activations:0)\nf: relu = Relu(x)[T=float]"  # fmt: skip
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
    made = graph(written.text)
    for node in made.node:
        if node.name in written.arrays:
            node.attr["value"] = AttrValue(tensor=from_ndarray(written.arrays[node.name]))
    return made


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
    expected, found = run(model(name), feeds, ["y"])["y"], run(frozen, feeds, ["y"])["y"]
    assert np.abs(found - expected).max() < 0.06 * np.abs(expected).max()
