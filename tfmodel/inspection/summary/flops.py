"""How many floating point operations nodes take, of the shapes of what goes in and comes out.

A multiplication with an addition is two. What TensorFlow's profiler counts is counted as there; the rest is told by the
same measure:

    convolution       2 * outputs * filter height * filter width * depth of the filter (1 if it is depthwise); the two
                      gradients of a convolution take as many, and so does a transposed convolution
    MatMul, Einsum    2 * outputs * elements that are summed for each
    element-wise      1 for each output; Rsqrt and SquaredDifference 2, RsqrtGrad 4
    Softmax           5 for each output; with cross entropy 7
    ResizeBilinear    9 for each output: three times a + (b - a) * x
    LRN               6 for each output, and 1 for each element of its window besides the first
    batch norm        2 for each output and 6 for each channel: x * m + (beta - mean * m), m = rsqrt(var + eps) * gamma;
                      in training 4 more for each output, for mean and variance
    reduction         1 for each input, less 1 for each output; a Mean divides besides
    pooling           1 for each element of each window
    AddN              inputs less 1, for each output
    fused ops         the sum of their parts; of quantized ones, the convolution or product only
    moving data       nothing: Reshape, Concat, Gather, Cast, Const, variables, control flow, input and output, ...

`rule_of("Conv2D")` is a function of a Work; None for an op that is not told here. Where TensorFlow differs, these are
right: it estimates the gradients of a convolution by the strides, and counts control inputs of AddN.
"""

from __future__ import annotations

import re
from functools import cache

from .work import (
    Rule,
    average_pool_gradient,
    batch_norm,
    convolution,
    cross_entropy,
    each,
    einsum,
    filter_gradient,
    free,
    fused,
    l2_loss,
    local_response,
    matrices,
    max_pool_gradient,
    mean,
    pool,
    reduction,
    sum_of_many,
    update,
)

__all__ = ["rule_of", "table"]

# For each element of the first output.
_ELEMENT_WISE = """
1 Abs Acos Acosh Add AddV2 Angle ApproximateEqual Asin Asinh AssignAdd AssignSub Atan Atan2 Atanh BiasAdd BiasAddV1
1 Ceil ClipByValue ComplexAbs Cos Cosh Cumprod Cumsum Dequantize Digamma Div DivNoNan Elu EluGrad Equal Erf Erfc
1 Erfinv Exp Expm1 Floor FloorDiv FloorMod Greater GreaterEqual Inv InvGrad IsFinite IsInf IsNan LeakyRelu
1 LeakyReluGrad Less LessEqual Lgamma Log Log1p LogicalAnd LogicalNot LogicalOr Maximum Minimum Mod Mul MulNoNan Ndtri
1 Neg NotEqual Pow QuantizeV2 QuantizedAdd QuantizedBiasAdd QuantizedMul QuantizedRelu QuantizedRelu6 RealDiv
1 Reciprocal ReciprocalGrad Relu Relu6 Relu6Grad ReluGrad Requantize Rint Round Selu SeluGrad Sigmoid SigmoidGrad Sign
1 Sin Sinh Softplus SoftplusGrad Softsign SoftsignGrad Sqrt SqrtGrad Square Sub Tan Tanh TanhGrad TruncateDiv
1 TruncateMod Xdivy Xlog1py Xlogy _MklSwish
2 FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel QuantizeAndDequantize
2 QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4 Rsqrt SquaredDifference
4 RsqrtGrad
5 LogSoftmax Softmax
9 QuantizedResizeBilinear ResizeBilinear
"""

# One for each element of the first input, less one for each output.
_REDUCTIONS = "All Any ArgMax ArgMin BiasAddGrad EuclideanNorm Max Min Prod Sum"

_POOLS = "AvgPool AvgPool3D MaxPool MaxPool3D MaxPoolV2 MaxPoolWithArgmax QuantizedAvgPool QuantizedMaxPool"

# Ops that move data, or have nothing to do with floats.
_FREE = """
AsString Assert Assign AssignVariableOp AssignVariableXlaConcatND Batch BatchFunction BatchToSpace BatchToSpaceND
Bitcast BitwiseAnd BitwiseOr BitwiseXor BroadcastArgs BroadcastGradientArgs BroadcastTo Bucketize Case Cast
CheckNumerics CheckNumericsV2 CloseSummaryWriter Complex Concat ConcatOffset ConcatV2 Conj ConjugateTranspose Const
ControlTrigger Copy CopyHost CountUpTo CreateSummaryDbWriter CreateSummaryFileWriter DataFormatDimMap
DataFormatVecPermute DatasetToSingleElement DecodeBase64 DecodeJpeg DecodePng DecodeRaw DeepCopy DepthToSpace
DeserializeManySparse DeserializeSparse DestroyResourceOp DestroyTemporaryVariable Diag DiagPart DisableCopyOnRead
DrawBoundingBoxes DynamicPartition DynamicStitch EagerPyFunc Empty EmptyTensorList EmptyTensorMap EnsureShape Enter
Exit ExpandDims ExtractImagePatches ExtractVolumePatches FakeParam Fill Fingerprint FlushSummaryWriter For Gather
GatherNd GatherV2 GuaranteeConst HostConst Identity IdentityN If Imag ImmutableConst InTopK InTopKV2 InfeedDequeue
InfeedDequeueTuple InplaceUpdate Invert InvertPermutation IsVariableInitialized LeftShift LinSpace ListDiff LoopCond
LowerBound MapDefun MatchingFiles MatrixBandPart MatrixDiag MatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3
MatrixDiagV2 MatrixDiagV3 MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3 Merge MirrorPad MirrorPadGrad Multinomial
NextIteration NoOp NthElement OneHot OnesLike OutfeedEnqueue Pack Pad PadV2 ParallelConcat ParseExample ParseExampleV2
ParseSequenceExample ParseSequenceExampleV2 ParseSingleExample ParseSingleSequenceExample ParseTensor PartitionedCall
Placeholder PlaceholderV2 PlaceholderWithDefault PreventGradient Print PrintV2 PyFunc PyFuncStateless QuantizedConcat
QuantizedConcatV2 QuantizedReshape RaggedGather RaggedRange RaggedTensorFromVariant RaggedTensorToSparse
RaggedTensorToTensor RaggedTensorToVariant RandomGamma RandomPoissonV2 RandomShuffle RandomStandardNormal
RandomUniform RandomUniformInt Range Rank ReadFile ReadVariableOp ReadVariableXlaSplitND Real RecordInput ReduceJoin
RefEnter RefExit RefIdentity RefMerge RefNextIteration RefSelect RefSwitch RemoteCall Reshape ResizeNearestNeighbor
ResourceGather ResourceGatherNd ResourceScatterNdUpdate ResourceScatterUpdate ResourceStridedSliceAssign Reverse
ReverseSequence ReverseV2 RightShift RngReadAndSkip RngSkip Roll Save ScatterNd ScatterNdUpdate ScatterUpdate Select
SelectV2 SerializeManySparse SerializeSparse SerializeTensor Shape ShapeN ShardedFilename ShardedFilespec Size Slice
Snapshot SpaceToBatch SpaceToBatchND SpaceToDepth SparseConcat SparseFillEmptyRows SparseReshape SparseSlice
SparseSplit SparseToDense Split SplitV Squeeze StatefulPartitionedCall StatelessCase StatelessIf StatelessShuffle
StatelessWhile StopGradient StridedSlice StridedSliceAssign StridedSliceGrad SummaryWriter Switch TPUPartitionedCall
TemporaryVariable TensorMapInsert TensorMapLookup TensorScatterUpdate Tile Timestamp TopK TopKV2 Transpose
TruncatedNormal Unbatch Unique UniqueV2 UniqueWithCounts Unpack UnravelIndex UpperBound VarHandleOp VarIsInitializedOp
Variable VariableShape VariableV2 Where While XlaLaunch ZerosLike _Arg _ArrayToList _EagerConst _If _ListToArray
_Retval _While _XlaCompile _XlaRun
"""

# Families of such ops.
_FREE_FAMILIES = re.compile(
    r"_?(Abort|Barrier|Collective|Debug|Decode|Delete|Encode|FIFOQueue|FixedLength|HashTable|InitializeTable|Iterator|"
    r"Lookup|MakeIterator|MergeV2Checkpoints|Mutable|Mutex|MultiDeviceIterator|Optional|PaddingFIFO|ParameterizedTrunc|"
    r"PriorityQueue|Queue|RandomShuffleQueue|Reader|Recv|Regex|Restore|Save|Scatter(Nd)?Update|Send|Stack|Stateful(Std|"
    r"Uniform|Truncated|Standard)|Stateless(Random|Truncated|Multinomial)|Static|String|Substr|TensorArray|TensorList|"
    r"TFRecord|TextLine|Unicode|VarHandles|ReadVariables|WholeFile|Write|Switch|Host|Arg|Retval|Device|Anonymous|Stage|"
    r"Unstage).*|.*(Dataset|DatasetV[0-9]|Summary|SummaryV2|Iterator|IteratorV2|Queue|Barrier)"
)

_RULES: dict[str, Rule] = {
    "Mean": mean,
    "AddN": sum_of_many,
    "AccumulateNV2": sum_of_many,
    "L2Loss": l2_loss,
    "LRN": local_response,
    "SegmentSum|SegmentMean|SegmentMax|SegmentMin|SegmentProd": mean,
    "UnsortedSegmentSum|UnsortedSegmentMax|UnsortedSegmentMin|UnsortedSegmentProd": mean,
    "AssignAddVariableOp|AssignSubVariableOp": update,
    "MatMul|BatchMatMul|BatchMatMulV2|BatchMatMulV3|SparseMatMul": matrices,
    "_FusedMatMul": fused(matrices),
    "Einsum|XlaEinsum": einsum,
    "Conv2D|Conv3D|Conv|Dilation2D": convolution(),
    "DepthwiseConv2dNative": convolution(depthwise=True),
    "Conv2DBackpropInput|Conv3DBackpropInputV2": convolution(1, 2),
    "DepthwiseConv2dNativeBackpropInput": convolution(1, 2, depthwise=True),
    "Conv2DBackpropFilter|Conv3DBackpropFilterV2": filter_gradient(),
    "DepthwiseConv2dNativeBackpropFilter": filter_gradient(depthwise=True),
    "_FusedConv2D": fused(convolution()),
    "_FusedDepthwiseConv2dNative": fused(convolution(depthwise=True)),
    "FusedPadConv2D": convolution(2),
    "FusedResizeAndPadConv2D": convolution(3),
    "FusedBatchNorm|FusedBatchNormV2|FusedBatchNormV3|_FusedBatchNormEx": batch_norm,
    "SoftmaxCrossEntropyWithLogits|SparseSoftmaxCrossEntropyWithLogits": cross_entropy,
    "AvgPoolGrad": average_pool_gradient,
    "MaxPoolGrad|MaxPoolGradV2": max_pool_gradient,
}


# Quantized convolutions and products, which are called after all that they do besides.
_QUANTIZED = {
    r"QuantizedConv2D\w*": convolution(),
    r"QuantizedDepthwiseConv2D\w*": convolution(depthwise=True),
    r"QuantizedMatMul\w*": matrices,
}


@cache
def table() -> dict[str, Rule]:
    """The rules by op; families of ops have theirs besides."""
    rules: dict[str, Rule] = dict.fromkeys(_FREE.split(), free)
    rules.update(dict.fromkeys(_REDUCTIONS.split(), reduction))
    rules.update(dict.fromkeys(_POOLS.split(), pool))
    for line in _ELEMENT_WISE.strip().splitlines():
        count, *ops = line.split()
        rules.update(dict.fromkeys(ops, each(int(count))))
    for ops_of_rule, rule in _RULES.items():
        rules.update(dict.fromkeys(ops_of_rule.split("|"), rule))
    return rules


@cache
def rule_of(op: str) -> Rule | None:
    """How to count the work of an op; None if that is not known."""
    rule = table().get(op)
    if rule is None and op.startswith("Quantized"):
        rule = next((found for pattern, found in _QUANTIZED.items() if re.fullmatch(pattern, op)), None)
    return free if rule is None and _FREE_FAMILIES.fullmatch(op) else rule
