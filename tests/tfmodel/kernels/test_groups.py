"""Every op with a kernel has its other parts: a shape rule in the same group and a FLOP rule, or a reason not to.

That every kernel claims its memory, or needs to claim none, is tested in test_memory_claims.py.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

from tfmodel.analysis.flops import flop_rule
from tfmodel.analysis.shape_rules.table import elementwise_ops, import_shape_rules, shape_rules
from tfmodel.kernels import group_of, groups
from tfmodel.kernels.runtime import KERNELS
from tfmodel.ops import OPS

WITHOUT_SHAPE_RULE: dict[str, str] = {}
"""Ops with a kernel that need no shape rule, with the reason."""


WITHOUT_FLOP_RULE: dict[str, str] = {}
"""Ops with a kernel whose floating point operations are not counted, with the reason."""


def _reason(text: str, ops: str, table: dict[str, str] = WITHOUT_SHAPE_RULE) -> None:
    table.update(dict.fromkeys(ops.split(), text))


_reason(
    "a handle or variant, and nothing is inferred of its elements",
    """AnonymousMutableDenseHashTable AnonymousMutableHashTableOfTensors MutableDenseHashTable
    MutableHashTableOfTensors OptionalFromValue OptionalNone OptionalHasValue Stack TensorArray TensorArrayV2
    TensorListConcatLists TensorListPushBackBatch TensorArrayWrite TensorArraySplit TensorArrayUnpack TensorArrayScatter
    TensorArraySize StackPush""",
)
_reason(
    "the shape is that of an element that was stored",
    """LookupTableExport OptionalGetValue StackPop StackPopV2 TensorArrayConcat TensorArrayGather TensorArrayGatherV2
    TensorArrayPack TensorArrayRead""",
)
_reason("the function decides, and it is not followed", "BatchFunction RemoteCall FakeParam ToBool")
_reason(
    "replaced by the op without Batch, before GraphDef version 9",
    """BatchCholesky BatchMatrixBandPart BatchMatrixDeterminant BatchMatrixDiag BatchMatrixDiagPart BatchMatrixInverse
    BatchMatrixSetDiag BatchMatrixSolve BatchMatrixTriangularSolve""",
)
_reason(
    "the values of the inputs decide",
    """DenseToDenseSetOperation DenseToSparseSetOperation SparseToSparseSetOperation SetSize EditDistance
    RaggedTensorToSparse RaggedTensorToTensor SparseFillEmptyRowsGrad SparseReduceMaxSparse SparseReduceSumSparse
    UnicodeEncode UnravelIndex UnsortedSegmentJoin""",
)
_reason("rare: write one when a model has it", "Fingerprint GuaranteeConst")


def _no_flops(text: str, ops: str) -> None:
    _reason(text, ops, WITHOUT_FLOP_RULE)


_no_flops(
    "the number of operations depends on the values, not only on the shapes",
    """CTCBeamSearchDecoder CTCGreedyDecoder CombinedNonMaxSuppression DenseToDenseSetOperation
    DenseToSparseSetOperation DrawBoundingBoxesV2 EditDistance NonMaxSuppression NonMaxSuppressionV2
    NonMaxSuppressionV3 NonMaxSuppressionV4 NonMaxSuppressionV5 NonMaxSuppressionWithOverlaps ScaleAndTranslate
    ResizeArea SetSize SparseCross SparseCrossHashed SparseCrossV2 SparseToSparseSetOperation UniqueWithCountsV2""",
)
_no_flops(
    "depends on the algorithm: decompositions and transforms have no agreed count",
    """BatchCholesky BatchMatrixDeterminant BatchMatrixInverse BatchMatrixSolve BatchMatrixTriangularSolve Cholesky
    BandedTriangularSolve Eig LogMatrixDeterminant Lu MatrixDeterminant MatrixInverse MatrixSolve MatrixSolveLs
    MatrixTriangularSolve Qr SelfAdjointEigV2 Svd
    AudioSpectrogram FFT FFT2D FFT3D IFFT IFFT2D IFFT3D IRFFT IRFFT2D IRFFT3D Mfcc RFFT RFFT2D RFFT3D""",
)
_no_flops(
    "a series or continued fraction of as many terms as the values need",
    "BesselI0 BesselI0e BesselI1 BesselI1e Igamma Igammac Polygamma Zeta",
)
_no_flops(
    "a sparse tensor: the shapes that matter are rarely known",
    """SparseAdd SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul SparseFillEmptyRowsGrad SparseReduceMax
    SparseReduceMaxSparse SparseReduceSum SparseReduceSumSparse SparseReorder SparseSoftmax SparseSparseMaximum
    SparseSparseMinimum SparseTensorDenseAdd SparseTensorDenseMatMul SparseSegmentMean SparseSegmentMeanWithNumSegments
    SparseSegmentSqrtN SparseSegmentSqrtNWithNumSegments SparseSegmentSum SparseSegmentSumWithNumSegments""",
)
_no_flops(
    "not counted by TensorFlow's profiler, and rare or cheap in models: write a rule when a model needs it",
    """AdjustContrastv2 AdjustHue AdjustSaturation BatchNormWithGlobalNormalization BlockLSTM BlockLSTMV2 CropAndResize
    Cross CumulativeLogsumexp InplaceAdd InplaceSub ResourceScatterNdAdd ResourceScatterNdMax ResourceScatterNdMin
    ResourceScatterNdSub ScatterNdAdd ScatterNdMax ScatterNdMin ScatterNdSub GRUBlockCell
    HSVToRGB ImageProjectiveTransformV2 ImageProjectiveTransformV3 LSTMBlockCell
    NextAfter QuantizeDownAndShrinkRange QuantizedBatchNormWithGlobalNormalization RGBToHSV RandomPoisson
    RequantizationRange RequantizationRangePerChannel RequantizePerChannel ResizeBicubic
    ResourceScatterAdd ResourceScatterDiv ResourceScatterMax ResourceScatterMin
    ResourceScatterMul ResourceScatterSub ScatterAdd ScatterDiv ScatterMax ScatterMin ScatterMul ScatterSub
    ScatterNdNonAliasingAdd TensorScatterAdd TensorScatterMax TensorScatterMin TensorScatterSub UniformDequantize
    UniformQuantize UniformQuantizedAdd UniformQuantizedClipByValue UniformQuantizedConvolution
    UniformQuantizedConvolutionHybrid UniformQuantizedDot UniformQuantizedDotHybrid UniformRequantize""",
)
_no_flops(
    "moves data or counts integers, but is not listed as such",
    """BatchMatrixBandPart BatchMatrixDiag BatchMatrixDiagPart BatchMatrixSetDiag Bincount DenseBincount
    DenseCountSparseOutput ExtractJpegShape HistogramFixedWidth RaggedBincount RaggedCountSparseOutput SparseBincount
    SparseCountSparseOutput ParallelDynamicStitch PopulationCount RaggedTensorToVariantGradient
    ResourceCountUpTo TensorStridedSliceUpdate ToBool
    UnsortedSegmentJoin""",
)


def test_groups_are_listed_from_the_packages() -> None:
    assert {"array", "math", "nn"} <= {*groups()}
    assert "runtime" not in groups()
    assert group_of("tfmodel.kernels.array.slicing_and_joining") == "array"
    assert group_of("tfmodel.kernels.runtime.binding") == group_of("tfmodel.graph") == ""


def test_kernel_and_shape_rule_of_an_op_are_in_one_group() -> None:
    rules = {op: module.__name__.rpartition(".")[2] for module in import_shape_rules() for op in module.RULES}
    kernels = {op: group_of(KERNELS[op].function.__module__) for op in KERNELS}
    wrong = {op: f"kernel in {kernels[op]}, shape rule in {rules[op]}" for op in rules.keys() & kernels}
    assert {op: text for op, text in wrong.items() if not f"{rules[op]}_".startswith(f"{kernels[op]}_")} == {}


def test_an_op_has_one_shape_rule() -> None:
    counts = Counter(op for module in import_shape_rules() for op in module.RULES)
    assert [op for op, count in counts.items() if count > 1] == []


def test_elementwise_ops_have_rules() -> None:
    assert elementwise_ops() <= shape_rules().keys()


def test_every_kernel_has_a_shape_rule_or_a_reason() -> None:
    with_outputs = {op for op in KERNELS if OPS[op].output_arg}
    missing = with_outputs - shape_rules().keys() - WITHOUT_SHAPE_RULE.keys()
    assert not missing, f"write shape rules in tfmodel/analysis/shape_rules/GROUP.py, or say why not: {sorted(missing)}"
    stale = {op for op in WITHOUT_SHAPE_RULE if op in shape_rules() or op not in KERNELS}
    assert not stale, f"not needed in WITHOUT_SHAPE_RULE: {sorted(stale)}"


def test_every_kernel_has_a_flop_rule_or_a_reason() -> None:
    missing = {op for op in KERNELS if flop_rule(op) is None} - WITHOUT_FLOP_RULE.keys()
    assert not missing, f"add rules to tfmodel/analysis/flops.py, or say why not: {sorted(missing)}"
    stale = {op for op in WITHOUT_FLOP_RULE if op not in KERNELS or flop_rule(op) is not None}
    assert not stale, f"not needed in WITHOUT_FLOP_RULE: {sorted(stale)}"


def test_shape_rules_need_no_numpy() -> None:
    rules = "from tfmodel.analysis.shape_rules.table import shape_rules; print(len(shape_rules()))"
    program = f"import sys; sys.modules['numpy'] = None; {rules}"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(result.stdout) == len(shape_rules())
