"""Graphs in half precision. Examples of the docstrings are in test_examples."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.tfmodel.transforms.graph_notation import graph as parsed
from tests.tfmodel.transforms.run_step import after, graph_of
from tfmodel import run
from tfmodel.errors import TransformError
from tfmodel.graph import check_graph
from tfmodel.messages import GraphDef
from tfmodel.ops import OPS
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.report import StepReport, TransformReport

X = "x = Placeholder[dtype=float]\n"
W = "w = Const[dtype=float, value=float{1, 2, 3, 4}(2, 2)]\n"
LAYER = X + W + "m = MatMul(x, w)[T=float]\n"


def ops_of(text: str, step: str = "convert_float16", outputs: str = "y") -> dict[str, str]:
    """Return the nodes after a step without their types, by name; check the types."""
    graph = transform(parsed(text), "x", outputs, step)
    assert [str(fault) for fault in check_graph(graph, registry=OPS)] == []
    return {node.name: f"{node.op}({', '.join(node.input)})" for node in graph.node}


def report_of(text: str, step: str = "convert_float16", **options: Any) -> StepReport:
    report = TransformReport()
    transform(parsed(text), "x", "y", step, report=report, **options)
    return report.steps[0]


# --- which nodes -----------------------------------------------------------------------------------------------------


def test_inputs_and_outputs_keep_their_names_and_types() -> None:
    nodes = ops_of(LAYER + "y = Relu(m)[T=float]")
    assert nodes == {
        "x": "Placeholder()",
        "x_float16": "Cast(x)",
        "w": "Const()",
        "m": "MatMul(x_float16, w)",
        "y_float16": "Relu(m)",
        "y": "Cast(y_float16)",
    }


def test_consumers_of_a_declared_output_read_it_in_half_precision() -> None:
    nodes = ops_of(LAYER + "y = Relu(m)[T=float]\nz = Neg(y)[T=float]\nc = NoOp(^y)", outputs="y,z")
    assert nodes["z_float16"] == "Neg(y_float16)"
    assert nodes["c"] == "NoOp(^y)"


def test_an_output_of_a_node_with_several_outputs_stays_float32() -> None:
    text = LAYER + "a = Const[dtype=int32, value=int32{0}()]\ny = Split(a, m)[T=float, num_split=1]"
    nodes = ops_of(text + "\nt = TopK(m)[T=float, k=1]", outputs="t,y")
    assert nodes["t"] == "TopK(m_float32)"
    assert nodes["y"] == "Cast(y_float16)"  # one output


def test_a_sensitive_op_stays_float32_between_casts() -> None:
    nodes = ops_of(LAYER + "s = Softmax(m)[T=float]\ny = MatMul(s, w)[T=float]")
    assert (nodes["s"], nodes["y_float16"]) == ("Softmax(m_float32)", "MatMul(s_float16, w)")


def test_a_sensitive_op_is_converted_on_demand() -> None:
    text = LAYER + "s = Softmax(m)[T=float]\ny = MatMul(s, w)[T=float]"
    assert ops_of(text, "convert_float16(include_op=Softmax)")["s"] == "Softmax(m)"


def test_an_op_without_a_kernel_stays_float32() -> None:
    report = report_of(LAYER + "c = Cholesky(m)[T=float]\ny = MatMul(c, w)[T=float]")
    assert report.refusals == {"its op is not converted to float16": ["c"]}


def test_nodes_between_float32_nodes_stay_float32() -> None:
    text = LAYER + "a = Exp(m)[T=float]\nb = Add(a, a)[T=float]\ny = Log(b)[T=float]"
    report = report_of(text)
    assert report.refusals["the nodes around it stay float32"] == ["b"]
    assert ops_of(text)["b"] == "Add(a, a)"


def test_a_tensor_has_one_cast() -> None:
    nodes = ops_of(LAYER + "a = Exp(m)[T=float]\nb = Log(m)[T=float]\ny = Atan2(a, b)[T=float]")
    assert [name for name, text in nodes.items() if text == "Cast(m)"] == ["m_float32"]


def test_readers_follow_what_they_read() -> None:
    text = LAYER + "y = Shape(m)[T=float, out_type=int32]\ni = Cast(m)[SrcT=float, DstT=int32]\nk = Cast(x)[SrcT=float]"
    nodes = ops_of(text + "\nz = Shape(x)[T=float]", outputs="y,i,z")
    assert (nodes["y"], nodes["i"], nodes["z"]) == ("Shape(m)", "Cast(m)", "Shape(x)")


@pytest.mark.parametrize(("source", "expected"), [("uint8", "MatMul(c, w)"), ("int32", "MatMul(c_float16, w)")])
def test_only_exact_casts_become_casts_to_half_precision(source: str, expected: str) -> None:
    text = f"x = Placeholder[dtype={source}]\nc = Cast(x)[SrcT={source}, DstT=float]\n{W}y = MatMul(c, w)[T=float]"
    assert ops_of(text)["y_float16"] == expected


def test_a_cast_from_half_precision_is_passed_by() -> None:
    text = X + "h = Const[dtype=half, value=half{1, 2, 3, 4}(2, 2)]\nw = Cast(h)[SrcT=half, DstT=float]\n"
    nodes = ops_of(text + "y = MatMul(x, w)[T=float]")
    assert nodes["y_float16"] == "MatMul(x_float16, h)"
    assert "w" not in nodes


def test_weights_that_were_converted_first_are_computed_with_in_half_precision() -> None:
    text = LAYER + "y = Relu(m)[T=float]"
    once = transform(parsed(text), "x", "y", "convert_float16(weights_only=true, minimum_size=1)")
    twice = transform(once, "x", "y", "convert_float16")
    assert {node.name: node.input for node in twice.node}["m"] == ["x_float16", "w_float16"]
    assert [node.name for node in twice.node if node.op == "Cast"] == ["x_float16", "y"]


def test_old_batch_norms_keep_their_statistics() -> None:
    names = [f"{name} = Const[dtype=float, value=float{{1, 2}}]" for name in ("s", "o", "m", "v")]
    text = "\n".join([LAYER.replace("m =", "l ="), *names, "r = Reshape(l, d)[T=float, Tshape=int32]"])
    text += "\nd = Const[dtype=int32, value=int32{-1, 1, 1, 2}]"
    text += "\nb = FusedBatchNorm(r, s, o, m, v)[T=float, is_training=false]\ny = Relu(b)[T=float]"
    graph = transform(parsed(text), "x", "y", "convert_float16")
    norm = next(node for node in graph.node if node.name == "b")
    assert (norm.op, norm.attr["T"].type, norm.attr["U"].type) == ("FusedBatchNormV2", 19, 1)
    assert {node.attr["dtype"].type for node in graph.node if node.name in "somv"} == {1}
    before, result = (run(one, {"x": [[1, -2.0]]}, "y")["y"] for one in (parsed(text), graph))
    assert np.allclose(before, result, rtol=2e-3)


def test_a_batch_norm_that_computes_statistics_stays_float32() -> None:
    text = LAYER + "r = Reshape(m, d)[T=float, Tshape=int32]\nd = Const[dtype=int32, value=int32{-1, 1, 1, 2}]\n"
    text += "s = Const[dtype=float, value=float{1, 2}]\n"
    text += "b = FusedBatchNormV3(r, s, s, s, s)[T=float, U=float, is_training=true]\ny = Relu(b)[T=float]"
    assert report_of(text).refusals["it computes statistics of its input"] == ["b"]


def test_excluded_nodes_and_ops_stay_with_their_weights() -> None:
    text = LAYER + "y = MatMul(m, v)[T=float]\nv = Const[dtype=float, value=float{1, 2}(2, 1)]"
    for argument in ("exclude_node=m", 'exclude_node="m*"'):
        graph = transform(parsed(text), "x", "y", f"convert_float16({argument}, minimum_size=1)")
        types = {node.name: node.attr["dtype"].type for node in graph.node if node.op == "Const"}
        assert types == {"w": 1, "v": 19}
    assert report_of(text, "convert_float16(exclude_op=MatMul, minimum_size=1)").fired == 0


# --- constants -------------------------------------------------------------------------------------------------------


def test_a_mask_that_overflows_stays_float32_with_the_nodes_behind_it() -> None:
    text = LAYER + "big = Const[dtype=float, value=float{-1e9}()]\nz = ZerosLike(m)[T=float]\n"
    text += "a = Mul(z, big)[T=float]\nb = Add(m, a)[T=float]\ny = Softmax(b)[T=float]"
    report = report_of(text)
    assert report.notes == ['1 constant stays float32, since its values overflow float16: "big"']
    assert report.refusals["one of its inputs overflows float16"] == ["a", "b"]
    assert ops_of(text)["b"] == "Add(m_float32, a)"
    assert report_of(text, "convert_bfloat16").notes == []


def test_an_epsilon_that_would_become_zero_stays_float32() -> None:
    text = LAYER + "e = Const[dtype=float, value=float{1e-12}()]\na = Add(m, e)[T=float]\ny = MatMul(a, w)[T=float]"
    report = report_of(text)
    assert report.notes == ['1 constant stays float32, since all its values would become zero in float16: "e"']
    assert report.refusals["one of its inputs would become zero in float16"] == ["a"]
    assert ops_of(text)["y_float16"] == "MatMul(a_float16, w)"


def test_weights_that_become_zero_are_counted() -> None:
    text = X + "w = Const[dtype=float, value=float{1, 1e-9, 0, -1e-10}(2, 2)]\ny = MatMul(x, w)[T=float]"
    assert report_of(text).notes == ["2 of 4 weights become zero in float16"]


@pytest.mark.parametrize("size", [4, 5])
def test_constants_that_are_read_in_both_types_are_stored_once(size: int) -> None:
    nodes = ops_of(
        LAYER + "a = Cholesky(w)[T=float]\ny = MatMul(m, a)[T=float]", f"convert_float16(minimum_size={size})"
    )
    assert nodes["a"] == "Cholesky(w)"
    both = {"w_float16": "Const()", "w": "Cast(w_float16)"} if size == 4 else {"w": "Const()", "w_float16": "Cast(w)"}
    assert {name: text for name, text in nodes.items() if name in both} == both


def test_with_weights_only_large_constants_get_a_cast() -> None:
    text = W + "i = Const[dtype=int32, value=int32{1, 2, 3, 4}]\ns = Const[dtype=float, value=float{0.5}(64, 64)]\n"
    nodes, report = after(text, "convert_float16(weights_only=true, minimum_size=4)")
    assert nodes["w_float16"] == "Const[dtype=half, value=half{1.0, 2.0, 3.0, 4.0}(2, 2)]"
    assert nodes["w"] == "Cast(w_float16)[DstT=float, SrcT=half]"
    assert report.fired == 1
    assert report.refusals == {"it is stored as one element": ["s"]}
    assert after(text, "convert_float16(weights_only=true)")[1].fired == 0


def test_a_constant_keeps_its_control_inputs() -> None:
    text = "c = NoOp\nw = Const(^c)[dtype=float, value=float{1, 2}]"
    nodes, _ = after(text, "convert_float16(weights_only=true, minimum_size=1)")
    assert (nodes["w_float16"].partition("[")[0], nodes["w"].partition("[")[0]) == ("Const(^c)", "Cast(w_float16)")


def test_a_constant_without_a_value_is_an_error() -> None:
    with pytest.raises(TransformError, match='Const "w" has no attribute "value"'):
        after("w = Const[dtype=float]", "convert_float16")


def test_a_note_says_that_variables_must_be_frozen_first() -> None:
    _, report = after("v = VariableV2[dtype=float, shape=(2)]", "convert_float16(weights_only=true)")
    assert report.notes == ["no constant is converted, and there are variables: freeze the graph first"]


# --- loops and functions ---------------------------------------------------------------------------------------------

LOOP = """
    x = Placeholder[dtype=float]
    w = Const[dtype=float, value=float{1, 2, 3, 4}(2, 2)]
    zero = Const[dtype=float, value=float{1, 1}(1, 2)]
    enter = Enter(zero)[T=float, frame_name="f", is_constant=false, parallel_iterations=1]
    enter_x = Enter(x)[T=float, frame_name="f", is_constant=true, parallel_iterations=1]
    enter_w = Enter(w)[T=float, frame_name="f", is_constant=true, parallel_iterations=1]
    merge = Merge(enter, next)[N=2, T=float]
    axes = Const(^merge)[dtype=int32, value=int32{0, 1}]
    limit = Const(^merge)[dtype=float, value=float{30}()]
    total = Sum(merge, axes)[T=float, Tidx=int32, keep_dims=false]
    less = Less(total, limit)[T=float]
    cond = LoopCond(less)
    switch = Switch(merge, cond)[T=float]
    body = MatMul(switch:1, enter_w)[T=float]
    moved = Add(body, enter_x)[T=float]
    next = NextIteration(moved)[T=float]
    y = Exit(switch)[T=float]
"""


def test_the_nodes_of_a_loop_agree() -> None:
    graph = transform(parsed(LOOP), "x", "y", "convert_float16")
    assert [str(fault) for fault in check_graph(graph, registry=OPS)] == []
    flow = {"enter", "merge", "switch", "next", "y_float16"}
    assert {node.attr["T"].type for node in graph.node if node.name in flow} == {19}
    feeds = {"x": np.array([[0.5, 0.25]], np.float32)}
    assert np.allclose(run(parsed(LOOP), feeds, "y")["y"], run(graph, feeds, "y")["y"], rtol=2e-3)


def test_an_excluded_node_of_a_loop_keeps_the_loop_in_float32() -> None:
    nodes = ops_of(LOOP, "convert_float16(exclude_node=next)")
    assert (nodes["merge"], nodes["next"], nodes["y"]) == ("Merge(enter, next)", "NextIteration(moved)", "Exit(switch)")
    assert nodes["body"] == "MatMul(switch_1_float16, enter_w)"


FUNCTION = """
    x = Placeholder[dtype=float]
    y = PartitionedCall(x)[Tin=[float], Tout=[float], f=@f]
    f: (a: float) -> (r: float = m:product:0)
    f: w = Const[dtype=float, value=float{1, 2, 3, 4}(2, 2)]
    f: m = MatMul(a, w:output:0)[T=float]
"""


def test_a_function_keeps_its_signature() -> None:
    graph = transform(parsed(FUNCTION), "x", "y", "convert_float16")
    assert graph.library is not None
    function = graph.library.function[0]
    assert {node.name: node.input for node in function.node_def} == {
        "a_float16": ["a"],
        "w": [],
        "m": ["a_float16:y:0", "w:output:0"],
        "m_float32": ["m:product:0"],
    }
    assert function.ret == {"r": "m_float32:y:0"}
    feeds = {"x": np.array([[0.5, 0.25]], np.float32)}
    assert run(graph, feeds, "y")["y"].tolist() == run(parsed(FUNCTION), feeds, "y")["y"].tolist()


def test_types_that_a_call_decides_stay() -> None:
    text = FUNCTION.replace("f: m = MatMul(a, w:output:0)[T=float]", "f: m = MatMul(a, w:output:0)")
    graph = parsed(text)
    assert transform(graph, "x", "y", "convert_float16") is graph


# --- verification ----------------------------------------------------------------------------------------------------


def test_the_cost_is_reported_for_each_output_and_accepted() -> None:
    report = TransformReport()
    graph = parsed(LAYER + "y = Relu(m)[T=float]\nz = Softmax(m)[T=float]")
    feeds = {"x": np.array([[0.1, 7.3]], np.float32)}
    transform(graph, "x", "y,z", "convert_float16 sort_by_execution_order", report=report, verify=feeds)
    step, later = report.steps
    assert [row.name for row in step.differences] == ["y", "z"]
    assert 0 < step.differences[0].relative < 1e-3
    assert later.differences == step.differences
    assert "  y: float32[1,2]: differs by " in report.to_text(verbose=False)
    ((row, _),) = [json.loads(report.to_json())["steps"][0]["differences"]]
    assert (row["name"], row["absolute"], row["within"]) == ("y", step.differences[0].absolute, True)


@pytest.mark.parametrize("step", ["convert_float16", "convert_bfloat16", "quantize_weights(minimum_size=1)"])
def test_a_tolerance_of_the_user_counts(step: str) -> None:
    from tfmodel.compare.verify import Verification

    graph = parsed(LAYER.replace("1, 2, 3", "1.1, 0.3, 2.7") + "y = Relu(m)[T=float]")
    verification = Verification({"x": np.array([[0.1, 7.3]], np.float32)}, rtol=1e-6)
    with pytest.raises(TransformError, match="refused, it would change what the graph computes"):
        transform(graph, "x", "y", step, verify=verification)


def test_an_exact_transform_before_it_is_still_refused() -> None:
    graph = parsed(LAYER + "y = Relu(m)[T=float]")
    steps = ["rename_op(old_op_name=Relu, new_op_name=Tanh)", "convert_float16"]
    with pytest.raises(TransformError, match="rename_op: refused"):
        transform(graph, "x", "y", steps, verify={"x": np.array([[0.1, 7.3]], np.float32)})


OVERFLOW = (
    LAYER + "s = Mul(m, m)[T=float]\nt = MatMul(s, w)[T=float]\nu = Softmax(t)[T=float]\ny = MatMul(u, w)[T=float]"
)
FEEDS = {"x": np.array([[90.0, 90.0]], np.float32)}  # m is about 500, s about 290,000


def test_nodes_that_overflow_are_kept_in_float32_on_demand() -> None:
    graph = parsed(OVERFLOW)
    report = TransformReport()
    result = transform(graph, "x", "y", "convert_float16(keep_overflow=true)", report=report, verify=FEEDS)
    types = {node.name: node.attr["T"].type for node in result.node if "T" in node.attr}
    assert types == {"m": 19, "s": 1, "t": 1, "u": 1, "y_float16": 19}
    (note,) = report.steps[0].notes
    assert note == '2 nodes overflow float16, "t" with 1.43e+06; stay float32: "s", "t"'


def test_optimize_has_the_feeds_too() -> None:
    from tfmodel import optimize

    step = "convert_float16(keep_overflow=true)"
    result = optimize(parsed(OVERFLOW), "x", "y", transforms=step, feeds={"x:0": FEEDS["x"]})
    assert result.report.steps[-1].notes == ['2 nodes overflow float16, "t" with 1.43e+06; stay float32: "s", "t"']
    assert result.verification is not None and result.verification.outputs[0].relative < 1e-3


def test_overflow_is_reported_where_the_result_is_refused() -> None:
    with pytest.raises(TransformError, match=r"finite difference; 2 nodes overflow .*; keep_overflow=true"):
        report_of(OVERFLOW, verify=FEEDS)


def test_a_refused_conversion_does_not_let_a_later_transform_change_results() -> None:
    steps = ["convert_float16(ignore_errors=true)", "rename_op(old_op_name=Softmax, new_op_name=Sigmoid)"]
    with pytest.raises(TransformError, match="rename_op: refused, it would change what the graph computes"):
        transform(parsed(OVERFLOW), "x", "y", steps, verify=FEEDS)


def test_a_graph_of_many_nodes_stays_linear() -> None:
    lines = [
        LAYER,
        *(f"n{i} = Relu({f'n{i - 1}' if i else 'm'})[T=float]" for i in range(3000)),
        "y = Neg(n2999)[T=float]",
    ]
    graph: GraphDef = transform(graph_of("\n".join(lines)), "x", "y", "convert_float16")
    assert sum(node.op == "Cast" for node in graph.node) == 2
