"""Which batch norms normalize with the statistics of the batch, and where their moving averages are."""

from __future__ import annotations

import pytest

from tests.tfmodel.transforms.graph_notation import graph
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel import transform
from tfmodel.analysis.batch_statistics import batch_norms
from tfmodel.graph.view import GraphView
from tfmodel.transforms.framework.report import TransformReport

HEAD = """
    x = Placeholder[dtype=float]
    gamma = Const[dtype=float, value=float{1, 1}(2)]
    none = Const[dtype=float, value=float{}(0)]
    rate = Const[dtype=float, value=float{0.1}()]
    mean = VarHandleOp[dtype=float, shape=(2)]
    mean/read = ReadVariableOp(mean)[dtype=float]
    variance = VarHandleOp[dtype=float, shape=(2)]
    variance/read = ReadVariableOp(variance)[dtype=float]
"""
FUSED = "norm = FusedBatchNormV3(x, gamma, gamma, none, none)[T=float, U=float, is_training=true]"
DIFFERENCES = """
    m = Sub(mean/read, norm:1)[T=float]
    m2 = Mul(m, rate)[T=float]
    m3 = AssignSubVariableOp(mean, m2)[dtype=float]
    v = Sub(variance/read, norm:2)[T=float]
    v2 = Mul(v, rate)[T=float]
    v3 = AssignSubVariableOp(variance, v2)[dtype=float]
"""
SUMS = """
    m = Mul(norm:1, rate)[T=float]
    m2 = Mul(mean/read, rate)[T=float]
    m3 = AddV2(m, m2)[T=float]
    m4 = AssignVariableOp(mean, m3)[dtype=float]
    v = Mul(norm:2, rate)[T=float]
    v2 = Mul(variance/read, rate)[T=float]
    v3 = AddV2(v, v2)[T=float]
    v4 = AssignVariableOp(variance, v3)[dtype=float]
"""
COPIES = """
    m = AssignVariableOp(mean, norm:1)[dtype=float]
    v = AssignVariableOp(variance, norm:2)[dtype=float]
"""
RUNNING = (
    "norm = FusedBatchNormV3(x, gamma, gamma, mean/read, variance/read)[T=float, U=float, is_training=true]" + COPIES
)
MOMENTS = """
    axes = Const[dtype=int32, value=int32{0}(1)]
    mm = Mean(x, axes)[T=float, Tidx=int32, keep_dims=true]
    d = SquaredDifference(x, mm)[T=float]
    vv = Mean(d, axes)[T=float, Tidx=int32, keep_dims=true]
    ms = Squeeze(mm)[T=float]
    vs = Squeeze(vv)[T=float]
    eps = AddV2(vs, rate)[T=float]
    scale = Rsqrt(eps)[T=float]
    shift = Mul(ms, scale)[T=float]
"""
AVERAGED = DIFFERENCES.replace("norm:1", "ms").replace("norm:2", "vs")
USED = "other = FusedBatchNormV3(x, gamma, gamma, mean/read, variance/read)[T=float, U=float, is_training=false]"
CHOSEN = """
    p = Placeholder[dtype=bool]
    sw = Switch(vs, p)[T=float]
"""
RESHAPED = """
    r = Reshape(x, none)[T=float]
    norm = FusedBatchNormV3(r, gamma, gamma, none, none)[T=float, U=float, is_training=true, data_format="NCHW"]
"""


@pytest.mark.parametrize(
    ("nodes", "found"),
    [
        (FUSED, ["norm, no averages"]),
        (FUSED + DIFFERENCES, ["norm, mean, variance"]),
        (FUSED + SUMS, ["norm, mean, variance"]),
        (FUSED + COPIES, ["norm, no averages"]),  # not an average: that of the last batch
        (RUNNING, ["norm, mean, variance"]),
        (MOMENTS + AVERAGED, ["eps, mean, variance"]),
        (MOMENTS, []),  # a layer norm
        (RESHAPED, []),  # a layer norm of Keras
        (FUSED + DIFFERENCES + USED, []),  # the graph has the deployed layer too
        (MOMENTS + AVERAGED + CHOSEN, []),
        (FUSED.replace("is_training=true", "is_training=false"), []),
    ],
)
def test_batch_norms_are_found_with_their_moving_averages(nodes: str, found: list[str]) -> None:
    norms = batch_norms(GraphView(graph_of(f"{HEAD}\n    {nodes}")))
    described = [
        f"{norm.node}, " + (", ".join(tensor.node for tensor in norm.moving) if norm.moving else "no averages")
        for norm in norms
    ]
    assert described == found


FUNCTION = """
    x = Placeholder[dtype=float]
    f: (x: float, m: KIND, v: KIND) -> (r: float = n:y:0)
    f: rm = READ(m)[ATTR]
    f: rv = READ(v)[ATTR]
    f: n = FusedBatchNormV3(x, x, x, rm:OUT:0, rv:OUT:0)[T=float, U=float, is_training=true]
"""


@pytest.mark.parametrize(
    ("kind", "read", "attr", "out", "fused", "left"),
    [
        ("resource", "ReadVariableOp", "dtype=float", "value", "is_training=false", 0),
        ("float", "Identity", "T=float", "output", "is_training=true", 1),  # values that the caller gives
    ],
)
def test_the_variables_of_a_function_are_arguments_with_handles(
    kind: str, read: str, attr: str, out: str, fused: str, left: int
) -> None:
    text = FUNCTION.replace("KIND", kind).replace("READ", read).replace("ATTR", attr).replace("OUT", out)
    report = TransformReport()
    result = transform(
        graph("\n".join(map(str.strip, text.strip().splitlines()))), "", "x", "batch_norms_to_inference", report=report
    )
    assert result.library is not None
    [function] = result.library.function
    assert [node.op for node in function.node_def] == [read, read, "FusedBatchNormV3"]
    assert f"is_training={str(function.node_def[2].attr['is_training'].b).lower()}" == fused
    assert len(report.steps[0].refusals) == left
