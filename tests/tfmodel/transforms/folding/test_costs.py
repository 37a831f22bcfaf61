"""Folding computes nothing of which nobody knows how long it takes."""

from __future__ import annotations

import numpy as np
import pytest

import tfmodel
from tests.hostile.graphs import constant, graph, node, placeholder
from tfmodel.errors import RunError
from tfmodel.messages import NodeDef
from tfmodel.ops import OPS, is_stateful
from tfmodel.ops.kernels import KERNELS
from tfmodel.transforms.folding.costs import FEW, is_known, operations
from tfmodel.transforms.folding.effort import Effort
from tfmodel.transforms.framework.report import Report

UNKNOWN = """
    BlockLSTM BlockLSTMV2 CTCGreedyDecoder CombinedNonMaxSuppression CropAndResize DenseToDenseSetOperation
    DenseToSparseSetOperation DrawBoundingBoxesV2 EditDistance GRUBlockCell ImageProjectiveTransformV2
    ImageProjectiveTransformV3 LSTMBlockCell NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3
    NonMaxSuppressionV4 NonMaxSuppressionV5 NonMaxSuppressionWithOverlaps ResizeArea ScaleAndTranslate SetSize SparseAdd
    SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul SparseFillEmptyRowsGrad SparseReduceMax
    SparseReduceMaxSparse SparseReduceSum SparseReduceSumSparse SparseReorder SparseSegmentMean
    SparseSegmentMeanWithNumSegments SparseSegmentSqrtN SparseSegmentSqrtNWithNumSegments SparseSegmentSum
    SparseSegmentSumWithNumSegments SparseSoftmax SparseSparseMaximum SparseSparseMinimum SparseTensorDenseAdd
    SparseTensorDenseMatMul SparseToSparseSetOperation UnsortedSegmentJoin
"""
"""The kernels of which nothing tells the cost: a new one is among them, until somebody measures it."""

MANY = np.broadcast_to(np.float32(1), (FEW + 1,))


def folded() -> list[str]:
    """The ops that folding may compute."""
    return [op for op in KERNELS if not (KERNELS[op].takes_runtime or (op in OPS and is_stateful(OPS[op])))]


def test_the_ops_of_which_nobody_knows_the_cost() -> None:
    assert sorted(op for op in folded() if not is_known(op)) == sorted(UNKNOWN.split())


@pytest.mark.parametrize("op", UNKNOWN.split())
def test_an_op_of_unknown_cost_is_computed_for_a_few_elements_only(op: str) -> None:
    Effort().begin(NodeDef(op=op), [MANY[1:]], (FEW,))
    for inputs, shape in (([MANY], None), ([MANY[:1]], (FEW + 1,))):
        with pytest.raises(RunError, match="is not known"):
            Effort().begin(NodeDef(op=op), inputs, shape)


def test_a_rule_that_needs_a_shape_which_is_not_known() -> None:
    large = np.broadcast_to(np.float32(1), (1, 100, 100, 1))
    assert operations(NodeDef(op="Conv2D"), [large, large], None) is None


@pytest.mark.parametrize(
    "op",
    ["BatchCholesky", "Cholesky", "MatrixDeterminant", "MatrixInverse", "Qr", "SelfAdjointEigV2", "Svd"],
)
def test_a_large_matrix_of_one_number_is_not_decomposed(op: str) -> None:
    """110 bytes that would take thirteen seconds."""
    report = Report()
    given = graph(
        placeholder(), constant("c", [1.0], 3_000, 3_000), node("d", op, "c"), node("y", "Mul", "d", "x"),
    )  # fmt: skip
    result = tfmodel.transform(given, "x", "y", "fold_constants(max_constant_size_in_bytes=1000000000)", report=report)
    assert "d" in {each.name for each in result.node}
    assert any("operations" in reason for reason in report.steps[0].refusals)


@pytest.mark.parametrize("op", ["StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"])
def test_random_numbers_without_end_are_not_drawn(op: str) -> None:
    effort = Effort()
    effort.begin(NodeDef(op=op), [np.array([1000, 1000]), np.array([1, 2])], (1000, 1000))
    with pytest.raises(RunError, match="operations"):
        effort.begin(NodeDef(op=op), [np.array([5000, 1000]), np.array([1, 2])], (5000, 1000))


def test_patterns_of_ops_are_those_of_kernels() -> None:
    for op in ("FFT", "IRFFT3D", "TopKV2", "SelfAdjointEigV2", "StatelessRandomUniformFullIntV2", "RandomUniform"):
        assert op in KERNELS
        assert is_known(op)


@pytest.mark.parametrize(
    ("op", "nanoseconds"),
    [("AddV2", 12), ("AsString", 4_000), ("BroadcastArgs", 350), ("Erf", 150), ("GatherV2", 7), ("Pow", 40)],
)
def test_operations_are_no_less_than_was_measured(op: str, nanoseconds: int) -> None:
    """An operation is about half a nanosecond."""
    inputs = [MANY, np.ones(MANY.shape, np.int32), np.int32(0)][: 3 if op == "GatherV2" else 2]
    found = operations(NodeDef(op=op, input=["a", "b", "c"]), inputs, MANY.shape)
    assert found is not None
    assert found >= 2 * nanoseconds * MANY.size
