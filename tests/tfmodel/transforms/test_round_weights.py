"""Weights of few values. Results of the C++ tool are compared in test_quantization_golden."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.effort import scaled
from tests.tfmodel.transforms.run_step import after
from tfmodel import from_ndarray, to_ndarray
from tfmodel.errors import TransformError
from tfmodel.messages import AttrValue, DataType, FunctionDef, FunctionDefLibrary, GraphDef, NodeDef, OpDef
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.report import TransformReport

FLOATS = st.floats(-1e6, 1e6, width=32)


def constant(values: object) -> GraphDef:
    tensor = from_ndarray(np.array(values, np.float32))
    attributes = {"dtype": AttrValue(type=DataType.DT_FLOAT), "value": AttrValue(tensor=tensor)}
    return GraphDef(node=[NodeDef(name="w", op="Const", attr=attributes)])


def rounded(values: list[float], num_steps: int) -> np.ndarray:
    result = transform(constant(values), "", "w", f"round_weights(num_steps={num_steps})")
    return to_ndarray(result.node[0].attr["value"].tensor)


@settings(max_examples=scaled(40))
@given(st.lists(FLOATS, min_size=16, max_size=80), st.integers(1, 300))
def test_rounded_weights_have_few_values_at_most_half_a_step_away(values: list[float], num_steps: int) -> None:
    array = np.array(values, np.float32)
    result = rounded(values, num_steps)
    assert len(set(result.tolist())) <= num_steps + 1
    step = (float(array.max()) - float(array.min())) / num_steps
    assert (np.abs(result.astype(float) - array) <= 0.5001 * step + 1e-4 * np.abs(array).max()).all()


def test_equal_weights_stay_unchanged() -> None:
    assert rounded([0.3] * 20, 4).tolist() == [np.float32(0.3)] * 20


def test_the_range_of_negative_weights_ends_below_zero() -> None:
    assert np.abs(rounded([*np.linspace(-101, -100, 30)], 10) - np.linspace(-101, -100, 30)).max() < 0.051


def test_a_constant_keeps_the_control_inputs_that_hold_it_in_its_loop() -> None:
    values = ", ".join(map(str, range(16)))
    nodes, report = after(f"x = NoOp\nw = Const(^x)[dtype=float, value=float{{{values}}}]", "round_weights")
    assert nodes["w"].startswith("Const(^x)[")
    assert report.fired == 1


def test_constants_that_are_left_alone_are_reported() -> None:
    _, report = after(f"w = Const[dtype=float, value=float{{{', '.join(['nan', *'1' * 20])}}}]", "round_weights")
    assert report.refusals == {"its elements or their range are not finite, or the steps would be too small": ["w"]}


def test_num_steps_must_be_positive() -> None:
    with pytest.raises(TransformError, match="num_steps must be 1 or more, not 0"):
        rounded([1.0] * 16, 0)


@pytest.mark.parametrize("attributes", [{"dtype": AttrValue(placeholder="T")}, {"dtype": AttrValue(type=1)}])
def test_a_constant_of_a_function_that_only_a_call_completes_stays(attributes: dict[str, AttrValue]) -> None:
    """Its type is an attribute of the function, or it has no value."""
    function = FunctionDef(
        signature=OpDef(name="f"), node_def=[NodeDef(name="w", op="Const", attr=attributes), *constant(range(99)).node]
    )
    graph = GraphDef(library=FunctionDefLibrary(function=[function]))
    report = TransformReport()
    result = transform(graph, "", "", "round_weights(num_steps=4)", report=report).library
    assert result is not None
    assert result.function[0].node_def[0] is function.node_def[0]
    assert result.function[0].node_def[1] != function.node_def[1]
    assert report.steps[0].refused == 1


@pytest.mark.parametrize(
    ("arguments", "rounded_names"),
    [
        ("num_steps=4", "w v"),
        ("exclude_node=w", "v"),
        ('exclude_node="first*"', "v"),
        ("exclude_op=Mul", "w"),
        ("exclude_op=MatMul, exclude_op=Mul", ""),
    ],
)
def test_excluded_weights_stay(arguments: str, rounded_names: str) -> None:
    values = ", ".join(map(str, range(16)))
    text = f"""
        w = Const[dtype=float, value=float{{{values}}}(4, 4)]
        i = Identity(w)[T=float]
        v = Const[dtype=float, value=float{{{values}}}(4, 4)]
        x = Placeholder[dtype=float]
        first = MatMul(x, i)[T=float]
        y = Mul(first, v)[T=float]
    """
    before, _ = after(text, "remove_device")
    nodes, _ = after(text, f"round_weights({arguments})")
    assert " ".join(name for name in nodes if nodes[name] != before[name]) == rounded_names


def test_a_constant_of_a_function_is_excluded_by_its_reader() -> None:
    matmul = NodeDef(name="y", op="MatMul", input=["x", "w:output:0"], attr={"T": AttrValue(type=1)})
    body = [*constant(np.arange(99).reshape(9, 11)).node, matmul]
    function = FunctionDef(signature=OpDef(name="f", input_arg=[OpDef.ArgDef(name="x", type=1)]), node_def=body)
    graph = GraphDef(library=FunctionDefLibrary(function=[function]))
    assert transform(graph, "", "", "round_weights(num_steps=4, exclude_op=MatMul)") == graph
    assert transform(graph, "", "", "round_weights(num_steps=4)") != graph
