"""The ops that can compute in half precision, and those that should not.

    half_attributes("MatMul", DataType.DT_HALF)      # ("T",): the attributes that become float16
    "Softmax" in SENSITIVE                           # it has a kernel, but stays float32 by default

An op is listed only if TensorFlow 2.12 has a CPU kernel in half precision wherever it has one for float32.
`tests/golden/ops/half_kernels.json` has the kernels that TensorFlow registers, and a test compares them with the lists.
"""

from __future__ import annotations

from functools import cache

from ...messages import DataType
from ...ops.traits import CONSTS, PLACEHOLDERS, SHAPE_OPS


def op_set(text: str) -> frozenset[str]:
    """Return the names of ops in a text, with blanks between them."""
    return frozenset(text.split())


LAYERS = op_set("""
    BatchMatMul BatchMatMulV2 BatchMatMulV3 BlockLSTM BlockLSTMV2 Conv2D Conv2DBackpropFilter Conv2DBackpropInput Conv3D
    Conv3DBackpropFilter Conv3DBackpropFilterV2 Conv3DBackpropInput Conv3DBackpropInputV2 DepthwiseConv2dNative
    DepthwiseConv2dNativeBackpropFilter DepthwiseConv2dNativeBackpropInput Dilation2D Dilation2DBackpropFilter
    Dilation2DBackpropInput Einsum FusedPadConv2D FusedResizeAndPadConv2D LSTMBlockCell MatMul SparseMatMul
    """)
"""Ops that do most of the work of a network. They compute in half precision."""

FOLLOWERS = op_set("""
    Abs Acos Add AddN AddV2 Asin Asinh Atan Atan2 AvgPool AvgPool3D AvgPool3DGrad AvgPoolGrad BatchMatrixBandPart
    BatchMatrixDiag BatchMatrixDiagPart BatchMatrixSetDiag BatchToSpace BatchToSpaceND BiasAdd BiasAddGrad BiasAddV1
    BroadcastTo Ceil ClipByValue Concat ConcatV2 ConjugateTranspose Cos DepthToSpace Diag DiagPart Div DivNoNan
    DynamicPartition DynamicStitch Elu EluGrad EnsureShape Enter Erf Erfc Exit ExpandDims ExtractImagePatches
    ExtractVolumePatches Fill Floor FloorDiv FusedBatchNormGradV2 FusedBatchNormGradV3 FusedBatchNormV2 FusedBatchNormV3
    Gather GatherNd GatherV2 Identity Inv InvGrad LeakyRelu LeakyReluGrad MatrixBandPart MatrixDiag MatrixDiagPart
    MatrixDiagPartV2 MatrixDiagPartV3 MatrixDiagV2 MatrixDiagV3 MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3 Max
    MaxPool MaxPool3D MaxPool3DGradGrad MaxPoolGrad MaxPoolGradGrad MaxPoolGradGradV2 MaxPoolGradV2
    MaxPoolGradWithArgmax MaxPoolV2 MaxPoolWithArgmax Maximum Merge Min Minimum MirrorPad MirrorPadGrad Mul MulNoNan Neg
    NextIteration OneHot OnesLike Pack Pad PadV2 ParallelConcat ParallelDynamicStitch PreventGradient RealDiv Reciprocal
    ReciprocalGrad Relu Relu6 Relu6Grad ReluGrad Reshape ResizeNearestNeighbor Reverse ReverseSequence ReverseV2 Roll
    Round ScatterNd Select SelectV2 Selu SeluGrad Sigmoid SigmoidGrad Sign Sin Slice Snapshot Softsign SoftsignGrad
    SpaceToBatch SpaceToBatchND SpaceToDepth Split SplitV Squeeze StopGradient StridedSlice StridedSliceGrad Sub Switch
    Tanh TanhGrad TensorScatterAdd TensorScatterMax TensorScatterMin TensorScatterSub TensorScatterUpdate
    TensorStridedSliceUpdate Tile TileGrad TopK TopKV2 Transpose TruncateDiv Unpack ZerosLike
    """)
"""Ops that take the precision of the nodes around them: they move numbers, or compute each number of a result from few
others."""

READERS = (
    op_set("""
    ArgMax ArgMin Equal Greater GreaterEqual IsFinite IsInf IsNan Less LessEqual NotEqual ToBool Where
    """)
    | SHAPE_OPS
)
"""Ops whose results are not floats. They read half precision if all their floats come in half precision."""

SENSITIVE = op_set("""
    Acosh Atanh BatchNormWithGlobalNormalization BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0
    BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Cosh Cross Cumprod Cumsum CumulativeLogsumexp Digamma EuclideanNorm
    Exp Expm1 FloorMod HSVToRGB L2Loss LRN LRNGrad Lgamma Log Log1p LogSoftmax Mean Pow Prod RGBToHSV Rsqrt RsqrtGrad
    SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum Sinh Softmax SoftmaxCrossEntropyWithLogits Softplus
    SoftplusGrad SparseSoftmaxCrossEntropyWithLogits Sqrt SqrtGrad Square SquaredDifference Sum Tan UnsortedSegmentMax
    UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum Xdivy Xlog1py Xlogy
    """)
"""Ops that stay float32 unless the user asks for them: exponentials, logarithms, powers and roots, whose results are
often too large or too small for float16, and sums of many numbers."""

UNCONVERTED = (
    op_set("""
    AsString BatchNormWithGlobalNormalizationGrad Bitcast BlockLSTMGrad BlockLSTMGradV2 Cast Copy CopyHost
    CropAndResize CropAndResizeGradBoxes CropAndResizeGradImage DebugGradientIdentity DebugIdentity
    DebugNanCount DebugNumericSummaryV2 DecodePaddedRaw DecodeRaw Dequantize DeserializeManySparse
    DeserializeSparse DrawBoundingBoxes DrawBoundingBoxesV2 EditDistance FakeParam Fingerprint HistogramSummary
    ImageProjectiveTransformV2 ImageProjectiveTransformV3 ImageSummary ImmutableConst InplaceAdd
    InplaceSub InplaceUpdate IsotonicRegression LSTMBlockCellGrad ListDiff LowerBound MatrixInverse
    MaxPool3DGrad NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionV4 NonMaxSuppressionV5 NthElement
    ParseTensor Qr RaggedGather RaggedTensorToSparse RaggedTensorToTensor ResizeArea ResizeBicubic
    ResizeBilinear ResizeBilinearGrad ResizeNearestNeighborGrad ScalarSummary ScaleAndTranslate
    ScatterNdNonAliasingAdd SerializeManySparse SerializeSparse SerializeTensor SparseAdd SparseConcat
    SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul SparseFillEmptyRows SparseFillEmptyRowsGrad
    SparseReduceMax SparseReduceMaxSparse SparseReduceSum SparseReduceSumSparse SparseReorder SparseSegmentMean
    SparseSegmentMeanGrad SparseSegmentMeanWithNumSegments SparseSegmentSqrtN SparseSegmentSqrtNGrad
    SparseSegmentSqrtNWithNumSegments SparseSegmentSum SparseSegmentSumGrad SparseSegmentSumWithNumSegments
    SparseSlice SparseSliceGrad SparseSoftmax SparseSparseMaximum SparseSparseMinimum SparseSplit
    SparseTensorDenseAdd SparseTensorDenseMatMul SparseToDense StatelessIf StatelessMultinomial
    StatelessParameterizedTruncatedNormal StatelessRandomBinomial StatelessRandomGammaV2 StatelessRandomGammaV3
    StatelessRandomNormal StatelessRandomNormalV2 StatelessRandomPoisson StatelessRandomUniform
    StatelessRandomUniformV2 StatelessShuffle StatelessTruncatedNormal StatelessTruncatedNormalV2
    TensorArrayConcatV2 TensorArrayGatherV2 TensorArrayReadV2 TensorArrayScatterV2 TensorArraySplitV2
    TensorArrayWriteV2 TensorSummary TensorSummaryV2 Unbatch UnbatchGrad Unique UniqueV2 UniqueWithCounts
    UniqueWithCountsV2 UpperBound
    """)
    | PLACEHOLDERS
    | CONSTS
)
"""Ops with kernels that stay float32 nevertheless. Their floats are coordinates, scores, random or sparse numbers, or
elements of encoded and stored tensors, or their results are always float32."""

GATHERS = op_set("Gather GatherNd GatherV2")
"""Ops that count as layers if they read a constant: casting a part of a table is less work than casting the table."""

MOVES = op_set("""
    BroadcastTo Concat ConcatV2 EnsureShape Enter Exit ExpandDims Fill Gather GatherNd GatherV2 Identity Merge
    NextIteration Pack Reshape Reverse ReverseV2 Select SelectV2 Slice Snapshot Split SplitV Squeeze StopGradient
    StridedSlice Switch Tile Transpose Unpack
    """)
"""Ops whose results are numbers of their inputs."""

COMBINES = op_set("Add AddN AddV2 BiasAdd Mul Neg Sub")
"""Ops whose results may be as large as their inputs, or larger."""

_ATTRIBUTES = {
    "BatchMatMulV3": ("Ta", "Tb", "Tout"),
    "Gather": ("Tparams",),
    "GatherNd": ("Tparams",),
    "GatherV2": ("Tparams",),
    "SparseMatMul": ("Ta", "Tb"),
}
"""The attributes that become half precision, for ops where it is not T alone."""

_ONLY = {
    DataType.DT_HALF: op_set("""
        AvgPool AvgPoolGrad FusedBatchNormV3
        BatchNormWithGlobalNormalization BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0 BesselK0e
        BesselK1 BesselK1e BesselY0 BesselY1 BlockLSTM BlockLSTMV2 Conv3DBackpropFilter Conv3DBackpropInput Diag
        DiagPart Digamma FusedPadConv2D FusedResizeAndPadConv2D LRN LRNGrad LSTMBlockCell Lgamma
        """),
    DataType.DT_BFLOAT16: op_set(
        "AvgPool3D AvgPool3DGrad BatchMatMulV3 MaxPool3D MaxPool3DGradGrad SparseMatMul Where"
    ),
}
"""The ops that have kernels for one of the two types only."""


@cache
def half_attributes(op: str, half: DataType) -> tuple[str, ...]:
    """Return the attributes of an op that may be `half` in place of float32, together; empty if there are none."""
    if op not in LAYERS | FOLLOWERS | READERS | SENSITIVE:
        return ()
    if any(op in ops for dtype, ops in _ONLY.items() if dtype != half):
        return ()
    return _ATTRIBUTES.get(op, ("T",))
