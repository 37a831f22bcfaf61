"""ConcatV2 and TensorArrays for older runtimes. Results are compared with the C++ tool in the golden cases."""

from __future__ import annotations

from tests.tfmodel.transforms.run_step import after, graph_of
from tfmodel.graph import check_graph
from tfmodel.transforms.backports import backport_tensor_array_v3
from tfmodel.transforms.framework.report import StepReport


def test_the_axis_goes_first_and_control_inputs_stay_last() -> None:
    """The original makes the inputs (^c, a, b, axis)."""
    nodes, _ = after("a = P\nb = P\naxis = Const\nc = NoOp\ny = ConcatV2(a, b, axis, ^c)[N=2]", "backport_concatv2")
    assert nodes["y"] == "Concat(axis, a, b, ^c)[N=2]"


def test_a_64_bit_axis_is_left_alone() -> None:
    _, report = after("a = P\naxis = Const\ny = ConcatV2(a, a, axis)[N=2, Tidx=int64]", "backport_concatv2")
    assert report.refusals == {"its axis is not an int32": ["y"]}


ARRAY = """
    size = Const[dtype=int32]
    a = TensorArrayV3(size)[dtype=float]
    n = TensorArraySizeV3(a, a:1)
"""


def test_a_flow_that_is_declared_as_an_output_is_left_alone() -> None:
    nodes, report = after(ARRAY, "backport_tensor_array_v3", outputs="a:1")
    assert nodes["n"] == "TensorArraySizeV3(a, a:1)"
    assert report.refusals == {"its flow is an output": ["a"]}


def test_the_flow_of_an_array_in_a_loop_is_in_the_loop() -> None:
    loop = graph_of("""
        zero = Const
        enter = Enter(zero)[frame_name="loop"]
        merge = Merge(enter, again)
        limit = Const(^merge)
        less = Less(merge, limit)
        cond = LoopCond(less)
        switch = Switch(merge, cond)
        a = TensorArrayV3(switch:1)[dtype=float]
        next = TensorArraySizeV3(a, a:1)
        again = NextIteration(next)
        exit = Exit(switch)
    """)
    result = backport_tensor_array_v3(loop, outputs=(), report=StepReport("test"))
    assert {node.name: node.input for node in result.node}["a/replacement_flow_node"] == ["^a"]
    assert not check_graph(result)
