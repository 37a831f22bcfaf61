"""Graphs for older releases of TensorFlow: equal older ops, no new attributes, and reasons for what stays."""

from __future__ import annotations

import pytest

from tests.tfmodel.transforms.run_step import after
from tfmodel.errors import TransformError

START = """
    x = Placeholder[dtype=float, shape=(3, 4, 5)]
    w = Placeholder[dtype=float, shape=(3, 5, 2)]
    row = Placeholder[dtype=float, shape=(1, 5, 2)]
    open = Placeholder[dtype=float]
    image = Placeholder[dtype=float, shape=(1, 4, 4, 2)]
    g = Const[dtype=float, value=float{1}(2)]
    i = Const[dtype=int32, value=int32{2, 0}]
    zero = Const[dtype=int32, value=int32{0}()]
    one = Const[dtype=int32, value=int32{1}()]
    minus = Const[dtype=int32, value=int32{-1}()]
    pad = Const[dtype=float, value=float{0}()]
    p = Placeholder[dtype=bool, shape=(3, 4, 5)]
    flag = Placeholder[dtype=bool, shape=()]
    size = Const[dtype=int32, value=int32{8, 8}]
"""


def step(nodes: str, version: str) -> tuple[str, list[str]]:
    """Return the node `y` for a release, and the reasons for what stays."""
    result, report = after(START + nodes, f'target_tensorflow(version="{version}")', "x", "y")
    return result["y"], [*report.refusals]


@pytest.mark.parametrize(
    ("version", "node", "older"),
    [
        ("1.4", "AddV2(x, x)[T=float]", "Add(x, x)[T=float]"),
        ("1.5", "AddV2(x, x)[T=float]", "AddV2(x, x)[T=float]"),
        ("1.12", "BatchMatMulV2(x, w)[T=float, adj_x=false]", "BatchMatMul(x, w)[T=float, adj_x=false]"),
        ("1.12", "BatchMatMulV3(x, w)[Ta=float, Tb=float, Tout=float]", "BatchMatMul(x, w)[T=float]"),
        ("2.0", "BatchMatMulV3(x, w)[Ta=float, Tb=float, Tout=float]", "BatchMatMulV2(x, w)[T=float]"),
        (
            "1.2",
            "GatherV2(x, i, zero)[Tparams=float, Tindices=int32, Taxis=int32]",
            "Gather(x, i)[Tindices=int32, Tparams=float]",
        ),
        (
            "1.12",
            "GatherV2(x, i, one)[Tparams=float, Tindices=int32, Taxis=int32, batch_dims=0]",
            "GatherV2(x, i, one)[Taxis=int32, Tindices=int32, Tparams=float]",
        ),
        ("1.12", "SelectV2(p, x, x)[T=float]", "Select(p, x, x)[T=float]"),
        ("1.12", "MatrixDiagV3(x, zero, minus, minus, pad)[T=float]", "MatrixDiag(x)[T=float]"),
        ("1.12", "MatrixDiagPartV2(x, zero, pad)[T=float]", "MatrixDiagPart(x)[T=float]"),
        ("1.12", "Cast(x)[SrcT=float, DstT=int32, Truncate=false]", "Cast(x)[DstT=int32, SrcT=float, Truncate=false]"),
        ("1.9", "Cast(x)[SrcT=float, DstT=int32, Truncate=false]", "Cast(x)[DstT=int32, SrcT=float]"),
        (
            "1.12",
            "FusedBatchNormV3(image, g, g, g, g)[T=float, U=float, is_training=false]",
            "FusedBatchNormV2(image, g, g, g, g)[T=float, U=float, is_training=false]",
        ),
        (
            "1.3",
            "FusedBatchNormV3(image, g, g, g, g)[T=float, U=float, is_training=false]",
            "FusedBatchNorm(image, g, g, g, g)[T=float, is_training=false]",
        ),
        (
            "1.10",
            "StatelessIf(flag, x)[Tcond=bool, Tin=[float], Tout=[float]]",
            "If(flag, x)[Tcond=bool, Tin=[float], Tout=[float]]",
        ),
        ("1.0", "MyOp(x)[anything=float]", "MyOp(x)[anything=float]"),
    ],
)
def test_newer_ops_and_attributes_have_older_equals(version: str, node: str, older: str) -> None:
    assert step(f"    y = {node}", version) == (older, [])


@pytest.mark.parametrize(
    ("version", "node", "reason"),
    [
        ("1.0", "LeakyRelu(x)[T=float]", "LeakyRelu is new in TensorFlow 1.13: there is no older op for it"),
        (
            "1.12",
            "BatchMatMulV2(x, row)[T=float]",
            "BatchMatMulV2 is new in TensorFlow 1.14: its batch dimensions are not known to be equal",
        ),
        (
            "1.12",
            "BatchMatMulV2(x, open)[T=float]",
            "BatchMatMulV2 is new in TensorFlow 1.14: its inputs are not known to have as many dimensions",
        ),
        (
            "2.0",
            "BatchMatMulV3(x, w)[Ta=int8, Tb=uint8, Tout=int32]",
            "BatchMatMulV3 is new in TensorFlow 2.6: its types differ",
        ),
        (
            "1.2",
            "GatherV2(x, i, one)[Tparams=float, Tindices=int32, Taxis=int32]",
            "GatherV2 is new in TensorFlow 1.3: Gather is for axis 0 only",
        ),
        (
            "1.12",
            "GatherV2(x, i, one)[Tparams=float, Tindices=int32, Taxis=int32, batch_dims=1]",
            "its attribute batch_dims is new in TensorFlow 1.14, and has not its default value",
        ),
        (
            "1.12",
            "SelectV2(p, x, open)[T=float]",
            "SelectV2 is new in TensorFlow 1.14: its inputs are not known to have equal shapes",
        ),
        (
            "1.12",
            "MatrixDiagV3(x, one, minus, minus, pad)[T=float]",
            "MatrixDiagV3 is new in TensorFlow 2.2: MatrixDiag is for the main diagonal of square matrices only",
        ),
        (
            "1.3",
            "FusedBatchNormV2(image, g, g, g, g)[T=half, U=float]",
            "FusedBatchNormV2 is new in TensorFlow 1.4: FusedBatchNorm is for float32 only",
        ),
        (
            "1.12",
            "ResizeBilinear(image, size)[T=float, half_pixel_centers=true]",
            "its attribute half_pixel_centers is new in TensorFlow 1.14, and has not its default value",
        ),
    ],
)
def test_the_release_that_a_node_needs_is_named(version: str, node: str, reason: str) -> None:
    spelled, reasons = step(f"    y = {node}", version)
    assert reasons == [reason]
    assert spelled.partition("(")[0] == node.partition("(")[0]


def test_a_batch_norm_whose_sixth_output_is_used_stays() -> None:
    node = """
        n = FusedBatchNormV3(image, g, g, g, g)[T=float, U=float]
        y = Identity(n:5)[T=float]
    """
    result, report = after(START + node, 'target_tensorflow(version="1.12")', "image", "y")
    assert result["n"].startswith("FusedBatchNormV3")
    assert [*report.refusals] == ["FusedBatchNormV3 is new in TensorFlow 1.14, and its output 5 is used"]


def test_a_version_that_does_not_exist_is_refused() -> None:
    with pytest.raises(TransformError, match=r'"1\.99" is not a release of TensorFlow from 1\.0 to 2\.12'):
        step("    y = Relu(x)[T=float]", "1.99")
