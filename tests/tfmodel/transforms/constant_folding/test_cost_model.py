"""The cost model of constant folding: unknown costs, and limits that grow with the constants of the graph."""

from __future__ import annotations

import numpy as np
import pytest

import tfmodel
from tests.hostile.graphs import constant, graph, node, placeholder
from tests.kernel_cases import Case, f32, i32, numbers, strings
from tests.kernel_costs import folded_ops
from tfmodel.errors import RunError
from tfmodel.kernels.runtime import KERNELS
from tfmodel.messages import DataType, NodeDef
from tfmodel.transforms.constant_folding.cost_model import (
    MAX_ELEMENTS,
    MIN_PER_ELEMENT,
    UNKNOWN_PER_ELEMENT,
    Effort,
    count_operations,
    is_known,
    operations,
)
from tfmodel.transforms.framework.report import TransformReport

UNKNOWN_OPS = """
    BandedTriangularSolve BlockLSTM BlockLSTMV2 CTCBeamSearchDecoder CTCGreedyDecoder CombinedNonMaxSuppression
    CropAndResize DenseCountSparseOutput DenseToDenseSetOperation DenseToSparseSetOperation DrawBoundingBoxesV2
    EditDistance ExtractJpegShape GRUBlockCell ImageProjectiveTransformV2 ImageProjectiveTransformV3 InplaceAdd
    InplaceSub LSTMBlockCell Lu MatrixSolveLs NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3
    NonMaxSuppressionV4 NonMaxSuppressionV5 NonMaxSuppressionWithOverlaps ResizeArea ScaleAndTranslate SetSize
    SparseAdd SparseBincount SparseCountSparseOutput SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul
    SparseFillEmptyRowsGrad SparseReduceMax SparseReduceMaxSparse SparseReduceSum SparseReduceSumSparse
    SparseReorder SparseSegmentMean SparseSegmentMeanWithNumSegments SparseSegmentSqrtN
    SparseSegmentSqrtNWithNumSegments SparseSegmentSum SparseSegmentSumWithNumSegments SparseSoftmax
    SparseSparseMaximum SparseSparseMinimum SparseTensorDenseAdd SparseTensorDenseMatMul SparseToSparseSetOperation
    UniformDequantize UniformQuantize UniformQuantizedAdd UniformQuantizedClipByValue UniformQuantizedConvolution
    UniformQuantizedConvolutionHybrid UniformQuantizedDot UniformQuantizedDotHybrid UniformRequantize
    UnsortedSegmentJoin
"""
"""The kernels of unknown cost. A new kernel belongs here until its cost is measured."""

MANY = np.broadcast_to(np.float32(1), (MAX_ELEMENTS + 1,))


def test_the_list_of_ops_with_unknown_cost() -> None:
    assert sorted(op for op in folded_ops() if not is_known(op)) == sorted(UNKNOWN_OPS.split())


@pytest.mark.parametrize("op", UNKNOWN_OPS.split())
def test_an_op_of_unknown_cost_is_computed_for_a_few_elements_only(op: str) -> None:
    Effort().add_node(NodeDef(op=op), [MANY[1:]], (MAX_ELEMENTS,))
    for inputs, shape in (([MANY], None), ([MANY[:1]], (MAX_ELEMENTS + 1,))):
        with pytest.raises(RunError, match="is unknown"):
            Effort().add_node(NodeDef(op=op), inputs, shape)


def test_many_small_nodes_of_unknown_cost_are_not_computed() -> None:
    """An EditDistance of 4,096 elements takes a tenth of a second, in a node of a hundred bytes."""
    effort = Effort()
    with pytest.raises(RunError, match="constants take more"):
        for _ in range(10**10 // (UNKNOWN_PER_ELEMENT * MAX_ELEMENTS) + 1):
            effort.add_node(NodeDef(op="EditDistance"), [MANY[1:]], None)


def test_a_matrix_of_unknown_shape_counts_with_all_its_elements() -> None:
    diagonals = np.ones((3, 2000), np.float32)
    assert (operations(NodeDef(op="BatchMatrixDiag"), [diagonals], None) or 0) >= MIN_PER_ELEMENT * 3 * 2000 * 2000


def test_a_rule_that_needs_an_unknown_shape() -> None:
    large = np.broadcast_to(np.float32(1), (1, 100, 100, 1))
    assert operations(NodeDef(op="Conv2D"), [large, large], None) is None


@pytest.mark.parametrize(
    "op",
    ["BatchCholesky", "Cholesky", "MatrixDeterminant", "MatrixInverse", "Qr", "SelfAdjointEigV2", "Svd"],
)
def test_a_large_matrix_of_one_number_is_not_decomposed(op: str) -> None:
    """110 bytes would take thirteen seconds."""
    report = TransformReport()
    model = graph(
        placeholder(),
        constant("c", [1.0], 3_000, 3_000),
        node("d", op, "c"),
        node("y", "Mul", "d", "x"),
    )
    result = tfmodel.transform(model, "x", "y", "fold_constants(max_constant_size_in_bytes=1000000000)", report=report)
    assert "d" in {node.name for node in result.node}
    assert any("operations" in reason for reason in report.steps[0].refusals)


@pytest.mark.parametrize("op", ["StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"])
def test_very_many_random_numbers_are_not_drawn(op: str) -> None:
    effort = Effort()
    effort.add_node(NodeDef(op=op), [np.array([1000, 1000]), np.array([1, 2])], (1000, 1000))
    with pytest.raises(RunError, match="operations"):
        effort.add_node(NodeDef(op=op), [np.array([5000, 1000]), np.array([1, 2])], (5000, 1000))


def test_patterns_of_ops_are_those_of_kernels() -> None:
    for op in ("FFT", "IRFFT3D", "TopKV2", "SelfAdjointEigV2", "StatelessRandomUniformFullIntV2", "RandomUniform"):
        assert op in KERNELS
        assert is_known(op)


def test_an_element_wise_op_costs_what_its_inputs_broadcast_to() -> None:
    """Two vectors of one number each ask for 9,000,000 results, which would take nine seconds."""
    report = TransformReport()
    model = graph(
        placeholder(),
        constant("a", [1.0], 3_000, 1),
        constant("b", [1.0], 1, 3_000),
        node("d", "Igamma", "a", "b"),
        node("y", "Mul", "d", "x"),
    )
    result = tfmodel.transform(model, "x", "y", "fold_constants(max_constant_size_in_bytes=1000000000)", report=report)
    assert "d" in {node.name for node in result.node}
    assert any("operations" in reason for reason in report.steps[0].refusals)


HALVES = numbers((5_000,), np.float16)


@pytest.mark.parametrize(
    ("case", "nanoseconds"),
    [
        (Case("AddV2", [f32(5_000), f32(5_000)]), 12 * 5_000),
        (Case("AsString", [f32(5_000)]), 4_000 * 5_000),
        (Case("BatchMatrixInverse", [f32(1_000, 2, 2)]), 640 * 1_000),
        (Case("BroadcastArgs", [i32([1] * 5_000), i32([1])]), 350 * 5_000),
        (Case("Cast", [HALVES], DstT=DataType.DT_INT32), 28 * 5_000),
        (Case("Cast", [f32(5_000)], DstT=DataType.DT_FLOAT8_E5M2), 76 * 5_000),
        (Case("Elu", [HALVES]), 40 * 5_000),
        (Case("Erf", [f32(5_000)]), 150 * 5_000),
        (Case("Fingerprint", [f32(5_000, 1), np.array(b"farmhash64", object)]), 5_000 * 5_000),
        (Case("GatherV2", [f32(5_000), i32([0] * 5_000), np.int32(0)]), 7 * 5_000),
        (Case("LRN", [f32(3_000, 2, 2, 8)]), 54 * 96_000),
        (Case("MatMul", [f32(5_000, 3), f32(3, 2)]), 225 * 10_000),
        (
            Case(
                "MaxPoolGrad",
                [f32(370, 6, 7, 3), f32(370, 6, 4, 3), f32(370, 6, 4, 3)],
                ksize=[1, 2, 5, 1],
                strides=[1, 1, 2, 1],
                padding=b"SAME",
            ),
            11_000_000,
        ),
        (Case("Pow", [f32(5_000), f32(5_000)]), 170 * 5_000),
        (Case("Pow", [numbers((5_000,), np.complex128)] * 2), 330 * 5_000),
        (Case("RaggedRange", [np.int32(0), i32([1] * 5_000), np.int32(1)], Tsplits=DataType.DT_INT64), 3_900 * 5_000),
        (Case("RegexFullMatch", [strings(["a"]), strings("x" * 1_000)]), 10_000 * 1_000),
        (Case("ResizeBilinear", [f32(1_110, 6, 5, 3), i32([3, 10])]), 2_700_000),
        (Case("Roll", [f32(2, 3), i32([1] * 5_000), i32([1] * 5_000)]), 1_760 * 5_000),
        (Case("SelectV2", [numbers((5_000, 3, 2), np.bool_), f32(3, 1), f32(2)]), 35 * 30_000),
        (Case("Selu", [HALVES]), 39 * 5_000),
        (Case("Sinh", [numbers((5_000,), np.complex64)]), 98 * 5_000),
        (Case("Softmax", [f32(5_000, 10)]), 104 * 50_000),
        (Case("Softmax", [numbers((2, 5_000), np.float16)]), 100 * 10_000),
        (Case("StringSplit", [strings(["ab c,d" * 5_000]), strings(" ")]), 2_300 * 30_000),
        (Case("UnicodeEncode", [i32([97]), i32([0, *[1] * 5_000])], output_encoding=b"UTF-8"), 2_570 * 5_000),
        (Case("UniqueV2", [i32(np.ones((3, 2, 16_666))), i32([1])]), 7_000 * 99_996),
        (Case("UnravelIndex", [i32([0, 5, 11]), i32([1] * 10_000)]), 4_200 * 10_000),
        (Case("UnsortedSegmentSum", [np.ones((6, 3_000), np.float16), i32([4, 0, 1, 1, 1, 0]), i32(6)]), 31 * 18_000),
        (Case("StaticRegexReplace", [strings(["a" * 20_000])], pattern=b"(a|aa)+$", rewrite=b""), 300 * 20_000),
        (Case("Xdivy", [HALVES, HALVES]), 36 * 5_000),
        (Case("Xlog1py", [HALVES, HALVES]), 102 * 5_000),
        (Case("Xlogy", [HALVES, HALVES]), 57 * 5_000),
    ],
    ids=lambda value: value.op if isinstance(value, Case) else "",
)
def test_at_least_half_of_the_measured_time_is_counted(case: Case, nanoseconds: int) -> None:
    """An operation is about half a nanosecond."""
    operations = count_operations(case.node, case.arrays, np.shape(case.arrays[0]))
    assert operations is not None
    assert operations >= nanoseconds


LARGE = np.broadcast_to(np.float32(1), (3_000, 3_000))
PRODUCT = Case("MatMul", [f32(2, 2), f32(2, 2)]).node


def test_a_product_of_large_matrices_takes_too_long() -> None:
    with pytest.raises(RunError, match="constants take more than 10,000,000,000 operations"):
        Effort().add_node(PRODUCT, [LARGE, LARGE], (3_000, 3_000))


def test_the_limit_grows_with_large_constants() -> None:
    effort = Effort()
    effort.add_constants([np.ones((3_000, 3_000), np.float32)])
    effort.add_node(PRODUCT, [LARGE, LARGE], (3_000, 3_000))


def test_a_repeated_value_does_not_raise_the_limit() -> None:
    effort = Effort()
    effort.add_constants([LARGE])
    with pytest.raises(RunError):
        effort.add_node(PRODUCT, [LARGE, LARGE], (3_000, 3_000))


def test_work_adds_up() -> None:
    effort = Effort()
    half = np.broadcast_to(np.float32(1), (1_500, 1_500))
    effort.add_node(PRODUCT, [half, half], (1_500, 1_500))
    with pytest.raises(RunError):
        effort.add_node(PRODUCT, [half, half], (1_500, 1_500))


def test_strings_are_read_slowly() -> None:
    node = Case("StringLower", [np.array(b"", object)]).node
    effort = Effort()
    effort.add_node(node, [np.array(b"a" * 9_000_000, object)], ())
    with pytest.raises(RunError):
        effort.add_node(node, [np.array(b"a" * 9_000_000, object)], ())


def test_released_values_do_not_count() -> None:
    effort = Effort()
    value = np.broadcast_to(np.float32(1), (1 << 25,))
    effort.hold([value])
    effort.drop(value)
    effort.hold([value, value])
    with pytest.raises(RunError, match="new constants are 16 times larger than the present ones"):
        effort.hold([value])


def test_a_value_repeated_very_often_is_refused() -> None:
    node = Case("Neg", [f32(1)]).node
    with pytest.raises(RunError, match="much larger than the constants that it is computed from"):
        Effort().add_node(node, [np.broadcast_to(np.float32(1), (1 << 40,))], None)
