"""The number of floating point operations (FLOPs) of a node, computed from the shapes of its inputs and first output.

A multiplication with an addition counts as two. Ops that TensorFlow's profiler counts are counted in the same way;
the other ops are counted by the same rules:

    convolution       2 * outputs * filter height * filter width * depth of the filter (1 if it is depthwise); each of
                      the two gradients of a convolution takes as many, and so does a transposed convolution
    MatMul, Einsum    2 * outputs * elements that are summed for each output; more for an Einsum of three or more inputs
    element-wise      1 for each output; Rsqrt, SquaredDifference and fake quantization 2, RsqrtGrad 4
    Softmax           5 for each output; with cross entropy 7 for each element of the first input
    ResizeBilinear    9 for each output: three times a + (b - a) * x
    LRN               5 for each output, and 1 for each element of its window
    batch norm        2 for each output and 6 for each channel: x * m + (beta - mean * m), m = rsqrt(var + eps) * gamma;
                      in training 4 more for each output, for mean and variance
    reduction         1 for each input, less 1 for each output; Mean adds the division
    pooling           1 for each element of each window
    AddN              inputs less 1, for each output
    fused ops         the base op and the steps in "fused_ops"; ops without this attribute: the convolution or product
    moving data       0: Reshape, Concat, Gather, Cast, Const, variables, control flow, input and output, ...

`flop_rule("Conv2D")` returns a function of a NodeShapes; None for an op without a rule. Two rules correct TensorFlow's
profiler, which estimates the gradients of a convolution by the strides, and counts control inputs of AddN.

This module needs no NumPy. `reports.summary` counts the FLOPs of models with it; constant folding estimates costs with
it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import NamedTuple, TypeAlias

from ..graph import attr
from ..messages import NodeDef
from ..values.shape import Shape, count_elements


class UnknownShapeError(Exception):
    """The FLOPs of a node depend on a shape that is unknown."""


class NodeShapes(NamedTuple):
    """A node and the shapes of its inputs and of its first output; None for unknown shapes and dimensions."""

    node: NodeDef
    inputs: Sequence[Shape | None]
    output: Shape | None

    def sizes(self, index: int) -> tuple[int, ...]:
        """Return the shape of an input.

        Raises UnknownShapeError if it is unknown, GraphError if it is larger than a tensor can be.
        """
        shape = self.inputs[index] if index < len(self.inputs) else None
        if shape is None or None in shape or count_elements(shape) is None:
            raise UnknownShapeError
        return shape  # type: ignore[return-value]  # no None is left

    @property
    def input_elements(self) -> int:
        """Return the number of elements of the first input. Raises UnknownShapeError if it is unknown."""
        return prod(self.sizes(0))

    @property
    def output_elements(self) -> int:
        """Return the number of elements of the first output. Raises UnknownShapeError if it is unknown."""
        size = count_elements(self.output)
        if size is None:
            raise UnknownShapeError
        return size


FlopRule: TypeAlias = Callable[[NodeShapes], int]


def per_output(count: int) -> FlopRule:
    return lambda shapes: count * shapes.output_elements


def no_flops(shapes: NodeShapes) -> int:
    """Return 0: the op has no floating point operations, whatever its shapes are."""
    return 0


def reduction(shapes: NodeShapes) -> int:
    return max(0, shapes.input_elements - shapes.output_elements)


def mean(shapes: NodeShapes) -> int:
    return shapes.input_elements


def pool(shapes: NodeShapes) -> int:
    return prod(_window_sizes(shapes)) * shapes.output_elements


def _window_sizes(shapes: NodeShapes) -> list[int]:
    if "ksize" not in shapes.node.attr:
        raise UnknownShapeError
    return attr(shapes.node, "ksize", list[int])


def average_pool_gradient(shapes: NodeShapes) -> int:
    return 2 * prod(_window_sizes(shapes)) * prod(shapes.sizes(1))


def max_pool_gradient(shapes: NodeShapes) -> int:
    return (prod(_window_sizes(shapes)) + 1) * prod(shapes.sizes(1))


def convolution(filters: int = 1, results: int | None = None, *, depthwise: bool = False) -> FlopRule:
    """Return the rule of a convolution.

    Input number `filters` is the filter, in HWIO. Input number `results` has the shape of the result of the
    convolution; None if that is the first output.
    """

    def rule(shapes: NodeShapes) -> int:
        shape = shapes.sizes(filters)
        count = shapes.output_elements if results is None else prod(shapes.sizes(results))
        return 2 * count * prod(shape[:-2] if depthwise else shape[:-1])

    return rule


def filter_gradient(*, depthwise: bool = False) -> FlopRule:
    """Return the rule of the gradient of a filter: the output has the shape of the filter."""

    def rule(shapes: NodeShapes) -> int:
        shape = shapes.output
        size = count_elements(None if shape is None else shape[:-2] if depthwise else shape[:-1])
        if size is None:
            raise UnknownShapeError
        return 2 * prod(shapes.sizes(2)) * size

    return rule


def matrices(shapes: NodeShapes) -> int:
    shape = shapes.sizes(0)
    if len(shape) < 2:
        raise UnknownShapeError
    flag = next((name for name in ("transpose_a", "adj_x") if name in shapes.node.attr), "transpose_a")
    return 2 * shapes.output_elements * shape[-2 if attr(shapes.node, flag, bool, False) else -1]


def einsum(shapes: NodeShapes) -> int:
    """Count the products of the terms for each combination of labels, and one addition. One term is a reduction."""
    terms = attr(shapes.node, "equation", str).replace(" ", "").partition("->")[0].split(",")
    sizes: dict[str, int] = {}
    for index, term in enumerate(terms):
        shape = shapes.sizes(index)
        before, dots, after = term.partition("...")
        if len(before) + len(after) > len(shape):
            raise UnknownShapeError
        inner = shape[len(before) : len(shape) - len(after)]
        ellipsis = {f"...{axis}": size for axis, size in enumerate(reversed(inner))} if dots else {}
        labels = {**dict(zip(before, shape, strict=False)), **ellipsis}
        labels |= dict(zip(after, shape[len(shape) - len(after) :], strict=True))
        for label, size in labels.items():
            sizes[label] = max(size, sizes.get(label, 0))
    return (
        len(terms) * prod(sizes.values()) if len(terms) > 1 else max(0, shapes.input_elements - shapes.output_elements)
    )


def sum_of_many(shapes: NodeShapes) -> int:
    return shapes.output_elements * max(0, len(shapes.inputs) - 1)


def l2_loss(shapes: NodeShapes) -> int:
    return max(0, 3 * shapes.input_elements - 1)


def batch_norm(shapes: NodeShapes) -> int:
    training = attr(shapes.node, "is_training", bool, True)
    return shapes.output_elements * (6 if training else 2) + 6 * prod(shapes.sizes(1))


def local_response(shapes: NodeShapes) -> int:
    """Count a square, an addition for each element of a window, times alpha, plus bias, a power, and a division."""
    return shapes.output_elements * (2 * attr(shapes.node, "depth_radius", int, 5) + 1 + 5)


def update(shapes: NodeShapes) -> int:
    """Count one operation for each element that is added to a variable."""
    return prod(shapes.sizes(1))


def cross_entropy(shapes: NodeShapes) -> int:
    return 7 * shapes.input_elements


_FUSED_STEPS = {"BiasAdd": 1, "FusedBatchNorm": 2, "Add": 1}


def fused(base: FlopRule) -> FlopRule:
    """Return the rule of a fused op: the base op, then for each step of "fused_ops" its operations for each output."""

    def rule(shapes: NodeShapes) -> int:
        steps = attr(shapes.node, "fused_ops", list[str], [])
        return base(shapes) + shapes.output_elements * sum(_FUSED_STEPS.get(step, 1) for step in steps)

    return rule


# --- the table -------------------------------------------------------------------------------------------------------

# In each line, a number of operations for each element of the first output, and the ops that take it.
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

# One operation for each element of the first input, less one for each output.
_REDUCTIONS = "All Any ArgMax ArgMin BiasAddGrad EuclideanNorm Max Min Prod Sum"

_POOLS = "AvgPool AvgPool3D MaxPool MaxPool3D MaxPoolV2 MaxPoolWithArgmax QuantizedAvgPool QuantizedMaxPool"

# Ops without floating point operations: they move data, or compute integers, strings and other types.
_WITHOUT_FLOPS = """
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

# Families of ops without floating point operations.
_FAMILIES_WITHOUT_FLOPS = re.compile(
    r"_?(Abort|Barrier|Collective|Debug|Decode|Delete|Encode|FIFOQueue|FixedLength|HashTable|InitializeTable|Iterator|"
    r"Lookup|MakeIterator|MergeV2Checkpoints|Mutable|Mutex|MultiDeviceIterator|Optional|PaddingFIFO|ParameterizedTrunc|"
    r"PriorityQueue|Queue|RandomShuffleQueue|Reader|Recv|Regex|Restore|Save|Scatter(Nd)?Update|Send|Stack|Stateful(Std|"
    r"Uniform|Truncated|Standard)|Stateless(Random|Truncated|Multinomial)|Static|String|Substr|TensorArray|TensorList|"
    r"TFRecord|TextLine|Unicode|VarHandles|ReadVariables|WholeFile|Write|Switch|Host|Arg|Retval|Device|Anonymous|Stage|"
    r"Unstage).*|.*(Dataset|DatasetV[0-9]|Summary|SummaryV2|Iterator|IteratorV2|Queue|Barrier)"
)

_RULES: dict[str, FlopRule] = {
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
    "Conv2DBackpropInput|Conv3DBackpropInput|Conv3DBackpropInputV2": convolution(1, 2),
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


# Quantized convolutions and products: their names list the ops that are fused to them.
_QUANTIZED = {
    r"QuantizedConv2D\w*": convolution(),
    r"QuantizedDepthwiseConv2D\w*": convolution(depthwise=True),
    r"QuantizedMatMul\w*": matrices,
}


@cache
def flop_rules() -> dict[str, FlopRule]:
    """Return the rules by op. `flop_rule` also knows the ops that match `_FAMILIES_WITHOUT_FLOPS` or `_QUANTIZED`."""
    rules: dict[str, FlopRule] = dict.fromkeys(_WITHOUT_FLOPS.split(), no_flops)
    rules.update(dict.fromkeys(_REDUCTIONS.split(), reduction))
    rules.update(dict.fromkeys(_POOLS.split(), pool))
    for line in _ELEMENT_WISE.strip().splitlines():
        count, *ops = line.split()
        rules.update(dict.fromkeys(ops, per_output(int(count))))
    for ops_of_rule, rule in _RULES.items():
        rules.update(dict.fromkeys(ops_of_rule.split("|"), rule))
    return rules


@cache
def flop_rule(op: str) -> FlopRule | None:
    """Return the rule of an op; None if it has none."""
    rule = flop_rules().get(op)
    if rule is None and op.startswith("Quantized"):
        rule = next((quantized for pattern, quantized in _QUANTIZED.items() if re.fullmatch(pattern, op)), None)
    return no_flops if rule is None and _FAMILIES_WITHOUT_FLOPS.fullmatch(op) else rule
