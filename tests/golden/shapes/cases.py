"""The ops, inputs and attributes for which answers.py records shapes.

case("MatMul", f(2, 3), f(3, 4))                      placeholders of floats
case("Reshape", f(2, 6), ints([3, -1]))               a constant
case("MatMul", f(2, 3), f(4, 3), transpose_b=True)    an attribute
refused("MatMul", f(2, 3), f(2, 3))                   TensorFlow refuses this
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["CASES", "FILE", "REFUSED", "Const", "Made", "Open"]

FILE = Path(__file__).with_name("answers.jsonl.gz")


class Open(NamedTuple):
    """A placeholder."""

    dtype: str
    shape: tuple[int | None, ...] | None


class Const(NamedTuple):
    dtype: str
    value: Any


class Made(NamedTuple):
    """The output of another op."""

    op: str
    arguments: tuple[Any, ...]
    attrs: dict[str, Any]
    port: int = 0


CASES: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {}
REFUSED: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {}


def case(op: str, *arguments: Any, **attrs: Any) -> None:
    CASES.setdefault(op, []).append((arguments, attrs))


def refused(op: str, *arguments: Any, **attrs: Any) -> None:
    REFUSED.setdefault(op, []).append((arguments, attrs))


def each(ops: str, *arguments: Any, **attrs: Any) -> None:
    for op in ops.split():
        case(op, *arguments, **attrs)


def made(op: str, *arguments: Any, port: int = 0, **attrs: Any) -> Made:
    return Made(op, arguments, attrs, port)


def placeholder(dtype: str) -> Any:
    return lambda *shape: Open(dtype, shape)


def constant(dtype: str) -> Any:
    return lambda value: Const(dtype, value)


f, d, h = placeholder("float32"), placeholder("float64"), placeholder("float16")
i, n, b, s = placeholder("int32"), placeholder("int64"), placeholder("bool"), placeholder("string")
z, u = placeholder("complex64"), placeholder("uint8")
ints, longs, floats, texts = constant("int32"), constant("int64"), constant("float32"), constant("string")
anything = Open("float32", None)
q, qi = placeholder("quint8"), placeholder("qint32")
qc = placeholder("qint8")


# --- element by element ----------------------------------------------------------------------------------------------

each(
    """Abs Acos Acosh Asin Asinh Atan Atanh BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0 BesselK0e
    BesselK1 BesselK1e BesselY0 BesselY1 Ceil Cos Cosh Dawsn Digamma Elu Erf Erfc Erfinv Exp Expint Expm1
    FakeQuantWithMinMaxArgs Floor FresnelCos FresnelSin Identity Inv IsFinite IsInf IsNan LeakyRelu Lgamma Log Log1p
    LogSoftmax Ndtri Neg OnesLike RandomShuffle Reciprocal Relu Relu6 Rint Round Rsqrt Selu Sigmoid Sign
    Sin Sinh Snapshot Softmax Softplus Softsign Spence Sqrt Square StopGradient Tan Tanh ZerosLike Rank Size Shape
    L2Loss DeepCopy AsString""",
    f(2, 3),
)
each("PreventGradient CheckNumerics CheckNumericsV2", f(2, 3), message="")
each("Angle Conj Imag Real ComplexAbs FFT IFFT", z(2, 3, 5))
each("FFT2D IFFT2D FFT3D IFFT3D", z(2, 4, 6, 8))
each("LogicalNot Where", b(2, 3))
each("Invert PopulationCount", i(2, 3))
each("Add AddV2 Sub Mul Div RealDiv Maximum Minimum FloorDiv FloorMod", f(4, 1, 3), f(5, 3))
each("Mod TruncateDiv TruncateMod BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift", i(4, 1, 3), i(3))
each(
    """Atan2 Complex DivNoNan Greater GreaterEqual Igamma IgammaGradA Igammac Less LessEqual MulNoNan NextAfter
    Polygamma Pow SquaredDifference Xdivy Xlog1py Xlogy Zeta Equal NotEqual""",
    f(4, 1, 3),
    f(7, 3),
)
each("AddV2 Mul Less", f(), f(2, 3))
each("AddV2 Mul", f(1, 3), f(2, 1))
each("LogicalAnd LogicalOr", b(2, 3), b(3))
each("ApproximateEqual EluGrad LeakyReluGrad Relu6Grad ReluGrad SeluGrad SoftplusGrad SoftsignGrad", f(2, 3), f(2, 3))
each("InvGrad ReciprocalGrad RsqrtGrad SigmoidGrad SqrtGrad TanhGrad FakeQuantWithMinMaxArgsGradient", f(2, 3), f(2, 3))
each("Equal NotEqual", f(2, 3), f(4), incompatible_shape_error=False)
case("AddN", [f(2, 3), f(None, 3), f(2, None)])
case("AccumulateNV2", [f(2, 3), f(2, 3)], shape=[2, 3])
case("Betainc", f(2, 3), f(2, 3), f(2, 3))
case("BiasAdd", f(2, 5, 5, 3), f(3))
case("BiasAdd", f(2, 3, 5, 5), f(3), data_format="NCHW")
case("BiasAdd", f(2, 3), f(None))
case("BiasAddV1", f(2, 3), f(3))
case("BiasAddGrad", f(2, 5, 5, 3))
case("BiasAddGrad", f(2, 3, 5, 5), data_format="NCHW")
case("Bucketize", f(2, 3), boundaries=[1.0, 2.0])
case("Cast", f(2, 3), DstT="int32")
case("ClipByValue", f(2, 3), f(), f())
each("Cumsum Cumprod CumulativeLogsumexp", f(2, 3), ints(1))
case("FakeQuantWithMinMaxVars", f(2, 3), f(), f())
case("FakeQuantWithMinMaxVarsGradient", f(2, 3), f(2, 3), f(), f())
case("FakeQuantWithMinMaxVarsPerChannel", f(2, 3), f(3), f(3))
case("FakeQuantWithMinMaxVarsPerChannelGradient", f(2, 3), f(2, 3), f(3), f(3))
case("IdentityN", [f(2, 3), i(4)])
each("QuantizeAndDequantizeV2", f(2, 3), f(), f())
each("QuantizeAndDequantizeV2", f(2, 3), f(3), f(3), axis=1)
each("QuantizeAndDequantizeV3", f(2, 3), f(), f(), i())
case("Reverse", f(2, 3), Const("bool", [True, False]))
case("ReverseV2", f(2, 3), ints([1]))
case("ReverseSequence", f(2, 3, 4), i(2), seq_dim=1)
case("Roll", f(2, 3), i(), i())
case("Select", b(2, 3), f(2, 3), f(2, 3))
case("Select", b(2), f(2, 3), f(2, 3))
case("Select", b(), f(2, 3), f(2, None))
case("Select", Open("bool", None), f(2, 3), f(2, 3))
case("SelectV2", b(2, 1), f(3), f())
case("DataFormatDimMap", i(2))
case("DataFormatVecPermute", i(4))

# --- reductions ------------------------------------------------------------------------------------------------------

for op in ["Sum", "Mean", "Prod", "Max", "Min", "EuclideanNorm"]:
    case(op, f(2, 3, 4), ints([0, -1]))
    case(op, f(2, 3, 4), ints(1), keep_dims=True)
    case(op, f(2, 3, 4), i(2))
    case(op, f(2, 3, 4), i(2), keep_dims=True)
case("Sum", f(2, 3, 4), ints([]))
case("Sum", f(2, 3, 4), i(None))
case("Sum", f(2, 3, 4), Open("int32", None), keep_dims=True)
each("All Any", b(2, 3), ints([0]))
each("ArgMax ArgMin", f(2, 3, 4), ints(1))
each("ArgMax ArgMin", f(3), ints(0))
each("SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum", f(5, 3), i(5))
each("UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum", f(5, 4, 3), i(5), ints(7))
case("UnsortedSegmentSum", f(5, 4, 3), i(5, 4), ints(7))
each("SparseSegmentMean SparseSegmentSqrtN SparseSegmentSum", f(5, 3), i(4), i(4))
each(
    "SparseSegmentMeanWithNumSegments SparseSegmentSqrtNWithNumSegments SparseSegmentSumWithNumSegments",
    f(5, 3),
    i(4),
    i(4),
    ints(6),
)
each("SparseSegmentMeanGrad SparseSegmentSqrtNGrad SparseSegmentSumGrad", f(5, 3), i(4), i(4), ints(9))
case("Bincount", i(8), ints(5), f(8))
case("DenseBincount", i(8), ints(5), f(8))
case("DenseBincount", i(2, 8), ints(5), f(2, 8))
case("HistogramFixedWidth", f(8), f(2), ints(5))

# --- shapes ----------------------------------------------------------------------------------------------------------

case("ShapeN", [f(2, 3), f(4), f(None, 3), anything])
for shape in ([6, 2], [-1, 4], [3, -1, 2], [12], [-1], [2, 2, 3]):
    case("Reshape", f(4, 3), ints(shape))
case("Reshape", f(4, 3), i(2))
case("Reshape", f(4, 3), i(None))
case("Reshape", f(0, 3), ints([-1, 3]))
case("Reshape", f(1), ints([]))
case(
    "Reshape",
    f(None, 3, 4),
    made(
        "Pack",
        [
            made("StridedSlice", made("Shape", f(None, 3, 4)), ints([0]), ints([1]), ints([1]), shrink_axis_mask=1),
            ints(12),
        ],
    ),
)
case("Reshape", f(None, 3, 4), made("Pack", [ints(-1), ints(12)]))
case("Reshape", f(None, 3, 4), made("Pack", [i(), ints(12)]))
case("Reshape", f(None, 3, 4), made("Shape", f(2, 6, None)))
case("Reshape", f(2, 3, 4), made("ConcatV2", [made("Shape", f(6)), ints([-1])], ints(0)))
case("Reshape", f(2, 3, 4), made("Cast", longs([4, -1]), DstT="int32"))
case("Reshape", f(2, 3, 4), made("Mul", ints([2, 3]), ints([2, 2])))
case("Reshape", f(2, 3, 4), made("Sub", made("Shape", f(5, 8)), ints([1, 2])))
case("Fill", made("FloorDiv", made("Shape", f(5, 8)), ints([2, 2])), f())
case("Fill", made("Maximum", made("Shape", f(5, 8)), ints([6, 6])), f())
case("Fill", made("GatherV2", made("Shape", f(5, 8, 9)), ints([2, 0]), ints(0)), f())
case(
    "Fill",
    made("Pack", [made("Prod", made("Shape", f(5, 8)), ints([0])), made("Size", f(3, 4)), made("Rank", f(3))]),
    f(),
)
case("Fill", made("Slice", made("Shape", f(5, 8, 9)), ints([1]), ints([-1])), f())
case("Fill", made("StridedSlice", made("Shape", f(5, 8, 9)), ints([0]), ints([-1]), ints([1]), begin_mask=1), f())
case("Fill", made("ExpandDims", made("Squeeze", ints([7])), ints(0)), f())
case("Fill", made("Range", ints(2), ints(8), ints(3)), f())
case("Fill", made("Fill", ints([3]), ints(4)), f())
case(
    "Fill",
    made("Cast", made("Mul", made("Cast", made("Shape", f(5, 8)), DstT="float32"), floats(1.5)), DstT="int32"),
    f(),
)
case("Fill", made("Split", ints(0), ints([3, 4, 5, 6]), num_split=2, port=1), f())
case("Fill", made("Pack", [made("Unpack", made("Shape", f(5, 8)), num=2, port=1)]), f())
case("Squeeze", f(1, 3, 1))
case("Squeeze", f(1, 3, 1), axis=[0])
case("Squeeze", f(1, 3, 1), axis=[-1])
for axis in (0, 1, 2, -1, -3):
    case("ExpandDims", f(2, 3), ints(axis))
case("EnsureShape", f(2, 3), shape=[None, 3])
case("EnsureShape", anything, shape=[None, 3])
each("Transpose ConjugateTranspose", f(2, 3, 4), ints([2, 0, 1]))
each("Transpose", f(2, 3, 4), i(3))
each("Transpose", f(2, 3, 4), i(None))
each("Transpose", f(3), i(None))
case("Bitcast", f(2, 3), type="uint8")
case("Bitcast", u(2, 4), type="float32")
case("Bitcast", f(2, 3), type="int32")
case("BroadcastTo", f(2, 1), ints([5, 2, 3]))
case("BroadcastTo", f(2, 1), i(3))
case("BroadcastArgs", ints([2, 1]), ints([3]))
case("BroadcastArgs", i(2), i(3))
case("BroadcastGradientArgs", ints([2, 1]), ints([3]))
case("Tile", f(2, 3), ints([4, 5]))
case("Tile", f(2, 3), i(None))
each("Pad", f(2, 3), ints([[1, 2], [0, 3]]))
case("PadV2", f(2, 3), ints([[1, 2], [0, 3]]), f())
case("Pad", f(2, 3), i(2, 2))
case("Pad", f(2, 3), i(None, 2))
case("Pad", f(2, 3), made("Pack", [made("Pack", [ints(1), i()]), ints([0, 3])]))
case("MirrorPad", f(4, 5), ints([[1, 2], [0, 3]]), mode="REFLECT")
case("MirrorPadGrad", f(7, 8), ints([[1, 2], [0, 3]]), mode="REFLECT")
case("SpaceToBatchND", f(2, 5, 7, 3), ints([2, 4]), ints([[1, 0], [0, 1]]))
case("SpaceToBatchND", f(2, 5, 7, 3), i(2), ints([[1, 0], [0, 1]]))
case("SpaceToBatchND", f(2, 6, 8, 3), ints([2, 4]), i(2, 2))
case("SpaceToBatch", f(2, 5, 7, 3), ints([[1, 0], [0, 1]]), block_size=2)
case("BatchToSpaceND", f(16, 3, 2, 3), ints([2, 4]), ints([[1, 0], [0, 1]]))
case("BatchToSpaceND", f(16, 3, 2, 3), i(2), i(2, 2))
case("BatchToSpace", f(16, 3, 2, 3), ints([[1, 0], [0, 1]]), block_size=2)
case("SpaceToDepth", f(2, 4, 6, 3), block_size=2)
case("SpaceToDepth", f(2, 3, 4, 6), block_size=2, data_format="NCHW")
case("DepthToSpace", f(2, 4, 6, 12), block_size=2)
case("DepthToSpace", f(2, 12, 4, 6), block_size=2, data_format="NCHW")
case("Diag", f(2, 3))
case("DiagPart", f(2, 3, 2, 3))
case("MatrixDiag", f(2, 3))
case("MatrixDiagPart", f(2, 3, 4))
case("MatrixDiagV2", f(2, 3), ints(0), ints(-1), ints(-1), f())
case("MatrixDiagV3", f(2, 3), ints(1), ints(-1), ints(-1), f())
case("MatrixDiagV3", f(2, 3), ints(-2), ints(7), ints(-1), f())
case("MatrixDiagV3", f(2, 2, 3), ints([0, 1]), ints(-1), ints(4), f())
case("MatrixDiagV3", f(2, 3), i(), ints(3), ints(3), f())
case("MatrixDiagPartV2", f(2, 3, 4), ints(0), f())
case("MatrixDiagPartV3", f(2, 3, 4), ints([-1, 1]), f())
case("MatrixDiagPartV3", f(2, 3, 4), i(2), f())
case("MatrixBandPart", f(2, 3, 4), n(), n())
case("MatrixSetDiag", f(2, 3, 4), f(2, 3))
case("MatrixSetDiagV3", f(2, 3, 4), f(2, 3), ints(0))

# --- join, split, slice, gather --------------------------------------------------------------------------------------

for axis in (0, 1, 2, -1):
    case("Pack", [f(2, 3), f(2, 3), f(None, 3)], axis=axis)
case("Pack", [anything, f(2, 3)])
case("Unpack", f(2, 3, 4), num=3, axis=1)
case("Unpack", f(2, 3, 4), num=4, axis=-1)
for axis in (0, 1, -1):
    case("ConcatV2", [f(2, 3), f(2, 3), f(2, 3)], ints(axis))
case("ConcatV2", [f(2, 3), f(2, 5), anything], ints(1))
case("ConcatV2", [f(2, 3), f(2, 5), anything], ints(-1))
case("ConcatV2", [f(2, 3), f(2, 5)], i())
case("ConcatV2", [anything, anything], ints(0))
case("Concat", ints(0), [f(2, 3), f(4, None)])
case("Concat", i(), [f(2, 3), f(4, None)])
case("ConcatOffset", ints(0), [i(2), i(2)])
case("ParallelConcat", [f(1, 3), f(1, 3)], shape=[2, 3])
case("Split", ints(1), f(2, 6), num_split=3)
case("Split", ints(-1), f(2, 6), num_split=2)
case("Split", i(), f(2, 6), num_split=2)
case("SplitV", f(2, 6), ints([1, 2, 3]), ints(1), num_split=3)
case("SplitV", f(2, 6), ints([1, -1, 3]), ints(1), num_split=3)
case("SplitV", f(2, 6), i(3), ints(1), num_split=3)
case("SplitV", f(2, 6), ints([1, 2, 3]), i(), num_split=3)
case("SplitV", f(2, 6), ints([6]), ints(1), num_split=1)
case("DynamicPartition", f(4, 3), i(4), num_partitions=3)
case("DynamicPartition", f(4, 3, 5), i(4, 3), num_partitions=2)
case("DynamicStitch", [ints([0, 2]), ints([1])], [f(2, 3), f(1, 3)])
case("DynamicStitch", [i(2), ints(1)], [f(2, 3), f(3)])
case("ParallelDynamicStitch", [ints([0, 2]), ints([1, 5])], [f(2, 3), f(2, 3)])
case("Slice", f(5, 6, 7), ints([1, 2, 3]), ints([2, -1, 4]))
case("Slice", f(5, 6, 7), i(3), ints([2, -1, 4]))
case("Slice", f(5, 6, 7), ints([1, 2, 3]), i(3))
case("Slice", f(5, 6, 7), i(3), i(None))
case("Slice", anything, i(3), i(3))
case("Slice", f(5, 6), ints([1, 2]), made("Pack", [i(), ints(3)]))
for masks in (
    {},
    {"begin_mask": 1},
    {"end_mask": 2},
    {"begin_mask": 3, "end_mask": 3},
    {"shrink_axis_mask": 1},
    {"shrink_axis_mask": 3},
    {"new_axis_mask": 1},
    {"new_axis_mask": 2},
    {"ellipsis_mask": 1},
    {"ellipsis_mask": 2},
    {"ellipsis_mask": 1, "shrink_axis_mask": 2},
    {"ellipsis_mask": 2, "new_axis_mask": 1},
    {"new_axis_mask": 1, "shrink_axis_mask": 2},
    {"new_axis_mask": 1, "shrink_axis_mask": 1},
):
    case("StridedSlice", f(5, 6, 7), ints([1, 2]), ints([4, 5]), ints([1, 1]), **masks)
    case("StridedSlice", f(5, 6, 7), i(2), i(2), ints([1, 1]), **masks)
    case(
        "StridedSlice",
        f(5, 6, 7),
        ints([-1, 0]),
        ints([-4, 100]),
        ints([-2, 3]),
        **({} if masks.get("shrink_axis_mask", 0) & ~masks.get("new_axis_mask", 0) else masks),
    )
case("StridedSlice", f(5, 6, 7), ints([0, 0, 0]), ints([0, 0, 3]), ints([1, 1, 2]), begin_mask=3, end_mask=3)
case("StridedSlice", f(5, 6, 7), ints([0, 0, 0]), ints([0, 0, 3]), ints([-1, 2, 2]), begin_mask=3, end_mask=3)
case("StridedSlice", f(5, 6), ints([0, 1]), ints([0, 2]), i(2), end_mask=1)
case("StridedSlice", f(5, 6), i(None), i(None), i(None))
case("StridedSlice", f(5, 6), ints([7]), ints([9]), ints([1]))
case("StridedSliceGrad", ints([5, 6]), ints([0]), ints([1]), ints([1]), f(1, 6))
case("Gather", f(5, 6, 7), i(2, 3))
for axis in (0, 1, -1):
    case("GatherV2", f(5, 6, 7), i(2, 3), ints(axis))
case("GatherV2", f(5, 6, 7), i(), ints(0))
case("GatherV2", f(5, 6, 7), i(5, 3), ints(1), batch_dims=1)
case("GatherV2", f(5, 6, 7), i(5, 3), ints(2), batch_dims=1)
case("GatherV2", f(5, 6, 7), i(5, 3), ints(2), batch_dims=-1)
case("GatherNd", f(5, 6, 7), i(2, 4, 2))
case("GatherNd", f(5, 6, 7), i(2, 3))
case("ScatterNd", i(4, 1), f(4, 3), ints([8, 3]))
case("ScatterNd", i(4, 1), f(4, 3), i(2))
each(
    "TensorScatterUpdate TensorScatterAdd TensorScatterSub TensorScatterMax TensorScatterMin ScatterNdNonAliasingAdd",
    f(8, 3),
    i(4, 1),
    f(4, 3),
)
case("TensorStridedSliceUpdate", f(5, 6), ints([1]), ints([2]), ints([1]), f(1, 6))
each("InplaceAdd InplaceSub InplaceUpdate", f(5, 6), i(2), f(2, 6))
for axis in (-1, 0, 1):
    case("OneHot", i(2, 3), ints(5), f(), f(), axis=axis)
case("Unique", f(5))
case("UniqueV2", f(5, 6), ints([1]))
case("UniqueV2", f(5), ints([]))
case("UniqueWithCounts", f(5))
case("UniqueWithCountsV2", f(5, 6), ints([1]))
case("TopKV2", f(5, 6), ints(3))
case("NthElement", f(5, 6), ints(3))
case("InTopK", f(5, 6), i(5), k=2)
case("InTopKV2", f(5, 6), i(5), ints(2))
case("InvertPermutation", i(5))
case("ListDiff", f(5), f(3))
each("LowerBound UpperBound", f(2, 5), f(2, 3))

# --- convolution and pooling -----------------------------------------------------------------------------------------

for padding in ("SAME", "VALID"):
    for strides, dilations in (((1, 1), (1, 1)), ((2, 3), (1, 1)), ((1, 1), (2, 3))):
        nhwc = {"strides": [1, *strides, 1], "dilations": [1, *dilations, 1], "padding": padding}
        nchw = {"strides": [1, 1, *strides], "dilations": [1, 1, *dilations], "padding": padding, "data_format": "NCHW"}
        case("Conv2D", f(2, 16, 17, 6), f(3, 5, 6, 8), **nhwc)
        case("Conv2D", f(2, 6, 16, 17), f(3, 5, 6, 8), **nchw)
        case("DepthwiseConv2dNative", f(2, 16, 17, 6), f(3, 5, 6, 2), **nhwc)
        case("DepthwiseConv2dNative", f(2, 6, 16, 17), f(3, 5, 6, 2), **nchw)
        if strides == (1, 1):
            case(
                "Dilation2D",
                f(2, 16, 17, 6),
                f(3, 5, 6),
                strides=nhwc["strides"],
                rates=nhwc["dilations"],
                padding=padding,
            )
        case(
            "ExtractImagePatches",
            f(2, 16, 17, 6),
            ksizes=[1, 3, 5, 1],
            strides=nhwc["strides"],
            rates=nhwc["dilations"],
            padding=padding,
        )
    for op in ("MaxPool", "AvgPool"):
        case(op, f(2, 16, 17, 6), ksize=[1, 3, 2, 1], strides=[1, 2, 2, 1], padding=padding)
        case(op, f(2, 6, 16, 17), ksize=[1, 1, 3, 2], strides=[1, 1, 2, 2], padding=padding, data_format="NCHW")
    for op in ("MaxPool3D", "AvgPool3D"):
        case(op, f(2, 8, 16, 17, 6), ksize=[1, 3, 3, 2, 1], strides=[1, 1, 2, 2, 1], padding=padding)
        case(
            op, f(2, 6, 8, 16, 17), ksize=[1, 1, 3, 3, 2], strides=[1, 1, 1, 2, 2], padding=padding, data_format="NCDHW"
        )
    case("Conv3D", f(2, 8, 16, 17, 6), f(2, 3, 5, 6, 8), strides=[1, 1, 2, 3, 1], padding=padding)
    case("Conv3D", f(2, 6, 8, 16, 17), f(2, 3, 5, 6, 8), strides=[1, 1, 1, 2, 3], padding=padding, data_format="NCDHW")
    case(
        "Conv3D",
        f(2, 8, 16, 17, 6),
        f(2, 3, 5, 6, 8),
        strides=[1, 1, 1, 1, 1],
        dilations=[1, 2, 2, 2, 1],
        padding=padding,
    )
    case("MaxPoolV2", f(2, 16, 17, 6), ints([1, 3, 2, 1]), ints([1, 2, 2, 1]), padding=padding)
    case("MaxPoolWithArgmax", f(2, 16, 17, 6), ksize=[1, 3, 2, 1], strides=[1, 2, 2, 1], padding=padding)
    case("ExtractVolumePatches", f(2, 8, 16, 17, 6), ksizes=[1, 2, 3, 5, 1], strides=[1, 1, 2, 3, 1], padding=padding)
    case(
        "MaxPoolGrad",
        f(2, 16, 17, 6),
        f(2, 8, 9, 6),
        f(2, 8, 9, 6),
        ksize=[1, 3, 2, 1],
        strides=[1, 2, 2, 1],
        padding=padding,
    )
    case("QuantizedConv2D", q(2, 16, 17, 6), q(3, 5, 6, 8), f(), f(), f(), f(), strides=[1, 2, 2, 1], padding=padding)
    each(
        "QuantizedMaxPool QuantizedAvgPool",
        q(2, 16, 17, 6),
        f(),
        f(),
        ksize=[1, 3, 2, 1],
        strides=[1, 2, 2, 1],
        padding=padding,
    )
case("Conv2D", f(2, 16, 17, 6), f(3, 5, 2, 9), strides=[1, 1, 1, 1], padding="SAME")
case(
    "Conv2D",
    f(2, 16, 17, 6),
    f(3, 5, 6, 8),
    strides=[1, 2, 2, 1],
    padding="EXPLICIT",
    explicit_paddings=[0, 0, 1, 2, 3, 4, 0, 0],
)
case(
    "Conv2D",
    f(2, 6, 16, 17),
    f(3, 5, 6, 8),
    strides=[1, 1, 2, 2],
    padding="EXPLICIT",
    explicit_paddings=[0, 0, 0, 0, 1, 2, 3, 4],
    data_format="NCHW",
)
case(
    "DepthwiseConv2dNative",
    f(2, 16, 17, 6),
    f(3, 5, 6, 2),
    strides=[1, 2, 2, 1],
    padding="EXPLICIT",
    explicit_paddings=[0, 0, 1, 2, 3, 4, 0, 0],
)
case(
    "MaxPool",
    f(2, 16, 17, 6),
    ksize=[1, 3, 3, 1],
    strides=[1, 2, 2, 1],
    padding="EXPLICIT",
    explicit_paddings=[0, 0, 1, 1, 1, 0, 0, 0],
)
case("MaxPool", f(2, 16, 17, 6), ksize=[1, 1, 1, 2], strides=[1, 1, 1, 2], padding="VALID")
case("Conv2DBackpropInput", ints([2, 16, 17, 6]), f(3, 5, 6, 8), f(2, 8, 9, 8), strides=[1, 2, 2, 1], padding="SAME")
case("Conv2DBackpropInput", i(4), f(3, 5, 6, 8), f(2, 8, 9, 8), strides=[1, 2, 2, 1], padding="SAME")
case(
    "Conv2DBackpropInput",
    made("Pack", [i(), ints(16), ints(17), ints(6)]),
    f(3, 5, 6, 8),
    f(2, 8, 9, 8),
    strides=[1, 2, 2, 1],
    padding="SAME",
)
case("Conv2DBackpropInput", ints([16, 17]), f(3, 5, 6, 8), f(2, 8, 9, 8), strides=[1, 2, 2, 1], padding="SAME")
case("Conv2DBackpropFilter", f(2, 16, 17, 6), ints([3, 5, 6, 8]), f(2, 8, 9, 8), strides=[1, 2, 2, 1], padding="SAME")
case(
    "Conv3DBackpropInputV2",
    ints([2, 8, 16, 17, 6]),
    f(2, 3, 5, 6, 8),
    f(2, 8, 8, 9, 8),
    strides=[1, 1, 2, 2, 1],
    padding="SAME",
)
case(
    "Conv3DBackpropFilterV2",
    f(2, 8, 16, 17, 6),
    ints([2, 3, 5, 6, 8]),
    f(2, 8, 8, 9, 8),
    strides=[1, 1, 2, 2, 1],
    padding="SAME",
)
case(
    "DepthwiseConv2dNativeBackpropInput",
    ints([2, 16, 17, 6]),
    f(3, 5, 6, 2),
    f(2, 8, 9, 12),
    strides=[1, 2, 2, 1],
    padding="SAME",
)
case(
    "DepthwiseConv2dNativeBackpropFilter",
    f(2, 16, 17, 6),
    ints([3, 5, 6, 2]),
    f(2, 8, 9, 12),
    strides=[1, 2, 2, 1],
    padding="SAME",
)
case(
    "Dilation2DBackpropInput",
    f(2, 16, 17, 6),
    f(3, 5, 6),
    f(2, 16, 17, 6),
    strides=[1] * 4,
    rates=[1] * 4,
    padding="SAME",
)
case(
    "Dilation2DBackpropFilter",
    f(2, 16, 17, 6),
    f(3, 5, 6),
    f(2, 16, 17, 6),
    strides=[1] * 4,
    rates=[1] * 4,
    padding="SAME",
)
each("FractionalMaxPool FractionalAvgPool", f(2, 16, 17, 6), pooling_ratio=[1.0, 1.44, 1.73, 1.0])
case("AvgPoolGrad", ints([2, 16, 17, 6]), f(2, 8, 9, 6), ksize=[1, 3, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
case(
    "AvgPool3DGrad",
    ints([2, 8, 16, 17, 6]),
    f(2, 8, 8, 9, 6),
    ksize=[1, 1, 2, 2, 1],
    strides=[1, 1, 2, 2, 1],
    padding="SAME",
)
case(
    "MaxPool3DGrad",
    f(2, 8, 16, 17, 6),
    f(2, 8, 8, 9, 6),
    f(2, 8, 8, 9, 6),
    ksize=[1, 1, 2, 2, 1],
    strides=[1, 1, 2, 2, 1],
    padding="SAME",
)
case(
    "MaxPoolGradGrad",
    f(2, 16, 17, 6),
    f(2, 8, 9, 6),
    f(2, 16, 17, 6),
    ksize=[1, 2, 2, 1],
    strides=[1, 2, 2, 1],
    padding="SAME",
)
case(
    "MaxPoolGradV2",
    f(2, 16, 17, 6),
    f(2, 8, 9, 6),
    f(2, 8, 9, 6),
    ints([1, 2, 2, 1]),
    ints([1, 2, 2, 1]),
    padding="SAME",
)

# --- matrices --------------------------------------------------------------------------------------------------------

case("MatMul", f(2, 3), f(3, 4))
case("MatMul", f(3, 2), f(4, 3), transpose_a=True, transpose_b=True)
case("MatMul", anything, f(4, 3))
case("BatchMatMul", f(5, 2, 3), f(5, 3, 4))
case("BatchMatMul", f(5, 3, 2), f(5, 4, 3), adj_x=True, adj_y=True)
for op in ("BatchMatMulV2", "BatchMatMulV3"):
    extra = {"Tout": "float32"} if op == "BatchMatMulV3" else {}
    case(op, f(5, 1, 2, 3), f(6, 3, 4), **extra)
    case(op, f(2, 3), f(6, 4, 3), adj_y=True, **extra)
case("SparseMatMul", f(2, 3), f(3, 4))
case("SparseTensorDenseMatMul", n(7, 2), f(7), longs([4, 5]), f(5, 6))
case("SparseTensorDenseMatMul", n(7, 2), f(7), longs([4, 5]), f(6, 4), adjoint_a=True, adjoint_b=True)
case("QuantizedMatMul", q(2, 3), q(3, 4), f(), f(), f(), f())
for equation in ("ij,jk->ik", "bij,bjk->bik", "ij->ji", "ii->i", "...ij,...jk->...ik", "i,j->ij", "i->", "ij->j"):
    shapes = {"i": 2, "j": 3, "k": 4, "b": 5}
    case(
        "Einsum",
        [
            f(*(6,) * (3 * ("..." in term) // 3), *(shapes[letter] for letter in term.strip(".")))
            for term in equation.partition("->")[0].split(",")
        ],
        equation=equation,
    )
case("Einsum", [f(5, 4, 2, 3), f(4, 3, 7)], equation="b...ij,...jk->...bik")
each("Cholesky MatrixInverse MatrixSquareRoot", f(5, 3, 3))
case("MatrixLogarithm", z(5, 3, 3))
case("CholeskyGrad", f(5, 3, 3), f(5, 3, 3))
case("MatrixDeterminant", f(5, 3, 3))
case("LogMatrixDeterminant", f(5, 3, 3))
case("MatrixSolve", f(5, 3, 3), f(5, 3, 4))
case("MatrixSolveLs", f(5, 6, 3), f(5, 6, 4), Const("float64", 0.0))
case("MatrixTriangularSolve", f(5, 3, 3), f(5, 3, 4))
for shape in ((5, 6, 3), (5, 3, 6)):
    case("Svd", f(*shape))
    case("Svd", f(*shape), full_matrices=True)
    case("Svd", f(*shape), compute_uv=False)
    case("Qr", f(*shape))
    case("Qr", f(*shape), full_matrices=True)
case("SelfAdjointEigV2", f(5, 3, 3))
case("SelfAdjointEigV2", f(5, 3, 3), compute_v=False)
case("Eig", f(5, 3, 3), Tout="complex64")
case("Lu", f(5, 3, 3))
case("Cross", f(5, 3), f(5, 3))

# --- layers ----------------------------------------------------------------------------------------------------------

each("FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3", f(2, 5, 5, 3), f(3), f(3), f(3), f(3), is_training=False)
each("FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3", f(2, 5, 5, 3), f(3), f(3), f(0), f(0))
case("FusedBatchNormV3", f(2, 3, 5, 5), f(3), f(3), f(3), f(3), is_training=False, data_format="NCHW")
case("FusedBatchNormV3", f(2, 4, 5, 5, 3), f(3), f(3), f(3), f(3), is_training=False, data_format="NDHWC")
each("FusedBatchNormGrad FusedBatchNormGradV2", f(2, 5, 5, 3), f(2, 5, 5, 3), f(3), f(3), f(3))
case("FusedBatchNormGradV3", f(2, 5, 5, 3), f(2, 5, 5, 3), f(3), f(3), f(3), f(3))
case("LRN", f(2, 5, 5, 3))
case("SoftmaxCrossEntropyWithLogits", f(5, 3), f(5, 3))
case("SoftmaxCrossEntropyWithLogits", f(5, 3), f(1, 3))
case("SparseSoftmaxCrossEntropyWithLogits", f(5, 3), i(5))
case("CTCLoss", f(7, 2, 5), n(4, 2), i(4), i(2))
case("CTCGreedyDecoder", f(7, 2, 5), i(2))
case("CTCBeamSearchDecoder", f(7, 2, 5), i(2), beam_width=4, top_paths=2)
case("LSTMBlockCell", f(2, 5), f(2, 4), f(2, 4), f(9, 16), f(4), f(4), f(4), f(16))
case("GRUBlockCell", f(2, 5), f(2, 4), f(9, 8), f(9, 4), f(8), f(4))
each("BlockLSTM BlockLSTMV2", n(), f(7, 2, 5), f(2, 4), f(2, 4), f(9, 16), f(4), f(4), f(4), f(16))
case("CudnnRNN", f(7, 2, 5), f(1, 2, 4), f(1, 2, 4), f(99))
case("CudnnRNNV2", f(7, 2, 5), f(2, 2, 4), f(2, 2, 4), f(99), direction="bidirectional")
case("CudnnRNNV3", f(7, 2, 5), f(1, 2, 4), f(), f(99), i(2), rnn_mode="gru")
case("RFFT", f(2, 8), ints([6]))
case("RFFT", f(2, 8), i(1))
case("IRFFT", z(2, 8), ints([6]))
case("RFFT2D", f(2, 8, 9), ints([6, 7]))
case("IRFFT2D", z(2, 8, 9), ints([6, 7]))
case("RFFT3D", f(2, 8, 9, 10), ints([6, 7, 8]))
case("IRFFT3D", z(2, 8, 9, 10), ints([6, 7, 8]))

# --- images ----------------------------------------------------------------------------------------------------------

each("ResizeArea ResizeBicubic ResizeBilinear ResizeNearestNeighbor", f(2, 5, 6, 3), ints([10, 12]))
case("ResizeBilinear", f(2, 5, 6, 3), i(2))
case(
    "ResizeBilinear",
    f(2, 5, 6, 3),
    made("Mul", made("StridedSlice", made("Shape", f(2, 5, 6, 3)), ints([1]), ints([3]), ints([1])), ints([2, 2])),
)
case("ResizeBilinearGrad", f(2, 10, 12, 3), f(2, 5, 6, 3))
case("ResizeBicubicGrad", f(2, 10, 12, 3), f(2, 5, 6, 3))
case("ResizeNearestNeighborGrad", f(2, 10, 12, 3), ints([5, 6]))
case("ScaleAndTranslate", f(2, 5, 6, 3), ints([10, 12]), f(2), f(2))
case("CropAndResize", f(2, 5, 6, 3), f(7, 4), i(7), ints([10, 12]))
case("CropAndResizeGradImage", f(7, 10, 12, 3), f(7, 4), i(7), ints([2, 5, 6, 3]), T="float32")
case("CropAndResizeGradBoxes", f(7, 10, 12, 3), f(2, 5, 6, 3), f(7, 4), i(7))
case("ImageProjectiveTransformV2", f(2, 5, 6, 3), f(2, 8), ints([10, 12]), interpolation="NEAREST")
case("ImageProjectiveTransformV3", f(2, 5, 6, 3), f(2, 8), ints([10, 12]), f(), interpolation="NEAREST")
each("ExtractGlimpse ExtractGlimpseV2", f(2, 5, 6, 3), ints([3, 4]), f(2, 2))
case("NonMaxSuppression", f(7, 4), f(7), ints(3))
case("NonMaxSuppressionV2", f(7, 4), f(7), ints(3), f())
case("NonMaxSuppressionV3", f(7, 4), f(7), ints(3), f(), f())
case("NonMaxSuppressionV4", f(7, 4), f(7), ints(3), f(), f())
case("NonMaxSuppressionV4", f(7, 4), f(7), ints(3), f(), f(), pad_to_max_output_size=True)
case("NonMaxSuppressionV5", f(7, 4), f(7), ints(3), f(), f(), f())
case("NonMaxSuppressionV5", f(7, 4), f(7), ints(3), f(), f(), f(), pad_to_max_output_size=True)
case("NonMaxSuppressionWithOverlaps", f(7, 7), f(7), ints(3), f(), f())
case("CombinedNonMaxSuppression", f(2, 7, 1, 4), f(2, 7, 5), ints(3), ints(10), floats(0.5), floats(0.5))
case(
    "CombinedNonMaxSuppression",
    f(2, 7, 5, 4),
    f(2, 7, 5),
    ints(1),
    ints(10),
    floats(0.5),
    floats(0.5),
    pad_per_class=True,
)
case("SampleDistortedBoundingBox", i(3), f(1, 2, 4))
case("SampleDistortedBoundingBoxV2", i(3), f(1, 2, 4), f())
case("DrawBoundingBoxes", f(2, 5, 6, 3), f(2, 7, 4))
case("DrawBoundingBoxesV2", f(2, 5, 6, 3), f(2, 7, 4), f(1, 3))
each("HSVToRGB RGBToHSV", f(5, 6, 3))
case("AdjustContrastv2", f(5, 6, 3), f())
case("AdjustHue", f(5, 6, 3), f())
case("AdjustSaturation", f(5, 6, 3), f())
each("DecodeJpeg DecodePng DecodeBmp", s())
each("DecodeJpeg DecodePng DecodeBmp", s(), channels=3)
each("DecodeGif DecodeImage ExtractJpegShape", s())
case("DecodeAndCropJpeg", s(), i(4), channels=3)
case("DecodeAndCropJpeg", s(), ints([1, 2, 30, 40]), channels=3)
case("EncodeJpeg", u(5, 6, 3))
case("EncodePng", u(5, 6, 3))

# --- quantized -------------------------------------------------------------------------------------------------------

case("QuantizeV2", f(2, 3), f(), f(), T="quint8")
case("QuantizeV2", f(2, 3), f(3), f(3), T="quint8", axis=1)
case("Dequantize", q(2, 3), f(), f())
case("Dequantize", q(2, 3), f(3), f(3), axis=1)
case("Requantize", qi(2, 3), f(), f(), f(), f(), out_type="quint8")
case("RequantizationRange", qi(2, 3), f(), f())
case("RequantizePerChannel", qi(2, 3), f(3), f(3), f(), f())
case("RequantizationRangePerChannel", qi(2, 3), f(3), f(3), clip_value_max=6.0)
case("QuantizeDownAndShrinkRange", qi(2, 3), f(), f(), out_type="quint8")
each("QuantizedRelu QuantizedRelu6", q(2, 3), f(), f())
case("QuantizedReluX", q(2, 3), f(), f(), f())
each("QuantizedAdd QuantizedMul", q(2, 3), q(3), f(), f(), f(), f())
case("QuantizedBiasAdd", q(2, 3), q(3), f(), f(), f(), f(), out_type="qint32")
case("QuantizedConcat", ints(1), [q(2, 3), q(2, 5)], [f(), f()], [f(), f()])
case("QuantizedReshape", q(4, 3), ints([6, -1]), f(), f())
case("QuantizedInstanceNorm", q(2, 5, 5, 3), f(), f())
case("QuantizedResizeBilinear", q(2, 5, 6, 3), ints([10, 12]), f(), f())
case(
    "QuantizedBatchNormWithGlobalNormalization",
    q(2, 5, 5, 3),
    f(),
    f(),
    q(3),
    f(),
    f(),
    q(3),
    f(),
    f(),
    q(3),
    f(),
    f(),
    q(3),
    f(),
    f(),
    out_type="qint32",
    variance_epsilon=0.1,
    scale_after_normalization=True,
)
case(
    "QuantizedConv2DPerChannel",
    q(2, 16, 17, 6),
    qc(3, 5, 6, 8),
    f(),
    f(),
    f(8),
    f(8),
    strides=[1, 1, 1, 1],
    padding="SAME",
)
case(
    "QuantizedConv2DWithBias",
    q(2, 16, 17, 6),
    qc(3, 5, 6, 8),
    f(8),
    f(),
    f(),
    f(),
    f(),
    strides=[1, 1, 1, 1],
    padding="SAME",
)
case(
    "QuantizedConv2DWithBiasAndRelu",
    q(2, 16, 17, 6),
    qc(3, 5, 6, 8),
    f(8),
    f(),
    f(),
    f(8),
    f(8),
    strides=[1, 1, 1, 1],
    padding="SAME",
)
case(
    "QuantizedConv2DWithBiasAndReluAndRequantize",
    q(2, 16, 17, 6),
    qc(3, 5, 6, 8),
    f(8),
    f(),
    f(),
    f(8),
    f(8),
    f(),
    f(),
    strides=[1, 1, 1, 1],
    padding="SAME",
)
case(
    "QuantizedDepthwiseConv2D",
    q(2, 16, 17, 6),
    qc(3, 5, 6, 2),
    f(),
    f(),
    f(12),
    f(12),
    strides=[1, 1, 1, 1],
    padding="SAME",
)
case(
    "QuantizedDepthwiseConv2DWithBiasAndRelu",
    q(2, 16, 17, 6),
    qc(3, 5, 6, 2),
    f(12),
    f(),
    f(),
    f(),
    f(),
    strides=[1, 1, 1, 1],
    padding="SAME",
)
case("QuantizedMatMulWithBias", q(2, 3), qc(3, 4), f(4), f(), f(), f(), f())
case("QuantizedMatMulWithBiasAndRelu", q(2, 3), qc(3, 4), f(4), f(), f(), f(), f())
case("QuantizedMatMulWithBiasAndReluAndRequantize", q(2, 3), qc(3, 4), f(4), f(), f(), f(), f(), f(), f())
case("QuantizedMatMulWithBiasAndDequantize", q(2, 3), qc(3, 4), f(4), f(), f(), f(), f(), f(), f(), Toutput="float32")
case(
    "FusedPadConv2D",
    f(2, 16, 17, 6),
    ints([[0, 0], [1, 2], [3, 4], [0, 0]]),
    f(3, 5, 6, 8),
    mode="REFLECT",
    strides=[1, 1, 1, 1],
    padding="VALID",
)
case("FusedPadConv2D", f(2, 16, 17, 6), i(4, 2), f(3, 5, 6, 8), mode="REFLECT", strides=[1, 2, 2, 1], padding="SAME")
case(
    "FusedResizeAndPadConv2D",
    f(2, 16, 17, 6),
    ints([32, 33]),
    ints([[0, 0], [1, 2], [3, 4], [0, 0]]),
    f(3, 5, 6, 8),
    mode="REFLECT",
    strides=[1, 1, 1, 1],
    padding="VALID",
)

# --- what is made of numbers, random ---------------------------------------------------------------------------------

case("Placeholder", dtype="float32", shape=[2, None])
case("Placeholder", dtype="float32")
case("Placeholder", dtype="float32", shape=[])
case("PlaceholderWithDefault", f(2, 3), shape=[None, 3])
case("Fill", ints([2, 3]), f())
case("Fill", i(2), f())
case("Fill", i(None), f())
case("Fill", made("Pack", [i(), ints(3)]), f())
case("Empty", ints([2, 3]), dtype="float32")
case("LinSpace", f(), f(), ints(5))
case("Range", ints(1), ints(10), ints(3))
case("Range", ints(10), ints(1), ints(-4))
case("Range", ints(1), i(), ints(3))
case("Range", floats(0.0), floats(1.0), floats(0.1))
case("Range", floats(0.0), floats(1.0), floats(0.25))
case("Range", ints(0), ints(100000), ints(1))
case(
    "Range",
    ints(0),
    made("StridedSlice", made("Shape", f(7, 3)), ints([0]), ints([1]), ints([1]), shrink_axis_mask=1),
    ints(1),
)
each("RandomStandardNormal RandomUniform TruncatedNormal", ints([2, 3]), dtype="float32")
case("RandomUniformInt", ints([2, 3]), i(), i())
case("ParameterizedTruncatedNormal", ints([2, 3]), f(), f(), f(), f())
case("RandomGamma", ints([2, 3]), f(5))
case("RandomPoissonV2", ints([2, 3]), f(5))
case("Multinomial", f(2, 3), ints(5))
each("StatelessRandomNormal StatelessRandomUniform StatelessTruncatedNormal", ints([2, 3]), n(2))
each("StatelessRandomUniformInt", ints([2, 3]), n(2), i(), i())
each(
    "StatelessRandomNormalV2 StatelessRandomUniformV2 StatelessTruncatedNormalV2",
    ints([2, 3]),
    Open("uint64", (1,)),
    Open("uint64", (2,)),
    i(),
)
case("StatelessRandomUniformIntV2", ints([2, 3]), Open("uint64", (1,)), Open("uint64", (2,)), i(), i(), i())
case("StatelessMultinomial", f(2, 3), ints(5), n(2))
case("StatelessRandomBinomial", ints([2, 3]), n(2), f(3), f(3))
case("StatelessRandomGammaV2", ints([2, 3]), n(2), f(3))
case("StatelessRandomPoisson", ints([2, 3]), n(2), f(3), dtype="float32")
case("StatelessRandomGetKeyCounter", n(2))
case("StatelessRandomGetAlg")
each(
    "UniformCandidateSampler LogUniformCandidateSampler LearnedUnigramCandidateSampler",
    n(5, 2),
    num_true=2,
    num_sampled=7,
    unique=True,
    range_max=100,
)
case("RandomGammaGrad", f(2, 1), f(3))

# --- state -----------------------------------------------------------------------------------------------------------

case("VarHandleOp", dtype="float32", shape=[2, 3])
variable = made("VarHandleOp", dtype="float32", shape=[5, 6, 7])
case("ReadVariableOp", variable, dtype="float32")
case("ReadVariableOp", made("Identity", variable), dtype="float32")
case("ReadVariableOp", made("VarHandleOp", dtype="float32", shape=[None, 3]), dtype="float32")
case("ReadVariableOp", Open("resource", ()), dtype="float32")
case("VariableShape", variable)
case("VarIsInitializedOp", variable)
case("ResourceGather", variable, i(2, 3), dtype="float32")
case("ResourceGather", variable, i(5, 3), dtype="float32", batch_dims=1)
case("ResourceGatherNd", variable, i(2, 2), dtype="float32")
case("VariableV2", shape=[2, 3], dtype="float32")
case("VariableV2", shape=[], dtype="float32")
case("Variable", shape=[2, 3], dtype="float32")
case("Variable", shape=[], dtype="float32")
old = made("VariableV2", shape=[5, 6], dtype="float32")
case("Assign", old, f(5, 6))
case("Assign", old, f(7), validate_shape=False)
each("AssignAdd AssignSub", old, f(5, 6))
case("IsVariableInitialized", old)
each("ScatterAdd ScatterUpdate ScatterMax", old, i(2), f(2, 6))
case("ScatterNdUpdate", old, i(2, 1), f(2, 6))
case("CountUpTo", made("VariableV2", shape=[], dtype="int32"), limit=3)
case("ApplyGradientDescent", old, f(), f(5, 6))
case("ApplyMomentum", old, old, f(), f(5, 6), f())
case("ApplyAdam", old, old, old, f(), f(), f(), f(), f(), f(), f(5, 6))
case("TemporaryVariable", shape=[2, 3], dtype="float32")
case("HashTableV2", key_dtype="string", value_dtype="int64")
table = made("HashTableV2", key_dtype="string", value_dtype="int64")
case("LookupTableFindV2", table, s(2, 3), n())
case("LookupTableFindV2", Open("resource", ()), s(2, 3), n())
case("LookupTableSizeV2", table)
case("LookupTableExportV2", table, Tkeys="string", Tvalues="int64")
case(
    "LookupTableFindV2",
    made("MutableHashTableOfTensorsV2", key_dtype="string", value_dtype="int64", value_shape=[4]),
    s(2, 3),
    n(4),
)
queue = made("FIFOQueueV2", component_types=["float32", "int32"], shapes=[[2, 3], []])
case("FIFOQueueV2", component_types=["float32"], shapes=[[2, 3]])
case("QueueDequeueV2", queue, component_types=["float32", "int32"])
case("QueueDequeueManyV2", queue, ints(4), component_types=["float32", "int32"])
case("QueueDequeueUpToV2", queue, ints(4), component_types=["float32", "int32"])
case("QueueDequeueV2", made("FIFOQueueV2", component_types=["float32"]), component_types=["float32"])
case("QueueSizeV2", queue)
iterator = made(
    "IteratorV2", shared_name="", container="", output_types=["float32", "string"], output_shapes=[[None, 3], []]
)
case("IteratorGetNext", iterator, output_types=["float32", "string"], output_shapes=[[None, 3], []])

# --- control flow and lists ------------------------------------------------------------------------------------------

case("Switch", f(2, 3), b())
case("Merge", [f(2, 3), f(2, 3)])
case("Merge", [f(2, 3), f(2, 4)])
case("Merge", [f(2, 3), f(2)])
case("Enter", f(2, 3), frame_name="loop")
case("LoopCond", b())
array = made("TensorArrayV3", ints(5), dtype="float32", element_shape=[2, 3])
case("TensorArrayV3", ints(5), dtype="float32", element_shape=[2, 3])
case("TensorArrayReadV3", array, i(), f(), dtype="float32")
case("TensorArrayGatherV3", array, i(4), f(), dtype="float32")
case("TensorArrayGatherV3", array, i(4), f(), dtype="float32", element_shape=[2, 3])
case("TensorArrayConcatV3", array, f(), dtype="float32")
case("TensorArraySizeV3", array, f())
case("TensorArrayWriteV3", array, i(), f(2, 3), f())
case("TensorArrayScatterV3", array, i(4), f(4, 2, 3), f())
reserved = made("TensorListReserve", ints([2, 3]), ints(5), element_dtype="float32")
whatever = made("TensorListReserve", ints(-1), ints(5), element_dtype="float32")
case("TensorListReserve", ints([2, 3]), ints(5), element_dtype="float32")
case("EmptyTensorList", ints([2, 3]), ints(5), element_dtype="float32")
for handle in (reserved, whatever, Open("variant", ())):
    for shape in (ints([2, -1]), ints(-1), i(2)):
        case("TensorListGetItem", handle, i(), shape, element_dtype="float32")
        case("TensorListStack", handle, shape, element_dtype="float32")
        case("TensorListStack", handle, shape, element_dtype="float32", num_elements=5)
        case("TensorListGather", handle, i(4), shape, element_dtype="float32")
        case("TensorListPopBack", handle, shape, element_dtype="float32")
        case("TensorListConcatV2", handle, shape, longs([]), element_dtype="float32")
    case("TensorListElementShape", handle, shape_type="int32")
    case("TensorListLength", handle)
    case("TensorListConcat", handle, element_dtype="float32")
    case("TensorListConcat", handle, element_dtype="float32", element_shape=[None, 3])
case("TensorListStack", made("TensorListFromTensor", f(5, 2, 3), ints([2, -1])), ints(-1), element_dtype="float32")
case("TensorListStack", made("TensorListSetItem", reserved, i(), f(2, 3)), ints(-1), element_dtype="float32")
case(
    "TensorListStack",
    made("TensorListPushBack", made("EmptyTensorList", ints(-1), ints(5), element_dtype="float32"), f(2, 3)),
    ints(-1),
    element_dtype="float32",
)
case(
    "TensorListStack",
    made("TensorListScatterV2", f(5, 2, 3), i(5), ints([2, -1]), ints(5)),
    ints(-1),
    element_dtype="float32",
)
case("TensorListStack", made("TensorListResize", reserved, ints(7)), ints(-1), element_dtype="float32")
case("TensorListStack", made("TensorListSplit", f(5, 2, 3), ints([-1, 2, 3]), n(2)), ints(-1), element_dtype="float32")

# --- strings and sparse tensors --------------------------------------------------------------------------------------

each("DecodeBase64 EncodeBase64 StringLength StringLower StringStrip StringToNumber StringUpper", s(2, 3))
each("StringToHashBucket StringToHashBucketFast", s(2, 3), num_buckets=5)
case("StringToHashBucketStrong", s(2, 3), num_buckets=5, key=[1, 2])
case("RegexReplace", s(2, 3), s(), s())
case("StaticRegexReplace", s(2, 3), pattern="a", rewrite="b")
case("RegexFullMatch", s(2, 3), s())
case("StaticRegexFullMatch", s(2, 3), pattern="a")
case("StringJoin", [s(2, 3), s(), s(2, 3)])
case("StringJoin", [s(), s()])
case("StringJoin", [s(), Open("string", None)])
case("ReduceJoin", s(2, 3), ints([1]))
case("ReduceJoin", s(2, 3), ints([1]), keep_dims=True)
case("ReduceJoin", s(2, 3), i(1))
case("StringSplit", s(5), s())
case("StringSplitV2", s(5), s())
case("Substr", s(2, 3), i(), i())
case("Substr", s(2, 3), i(2, 3), i(2, 3))
case("StringFormat", [f(2, 3)])
case("DecodeRaw", s(2, 3), out_type="float32")
case("DecodePaddedRaw", s(2, 3), ints(8), out_type="float32")
case("DecodeCompressed", s(2, 3))
case("DecodeCSV", s(5), [f(1), i(0)])
case("UnicodeTranscode", s(2, 3), input_encoding="UTF-8", output_encoding="UTF-8")
case("UnicodeDecode", s(5), input_encoding="UTF-8")
case("UnicodeDecodeWithOffsets", s(5), input_encoding="UTF-8")
case("UnicodeScript", i(2, 3))
case(
    "StringNGrams",
    s(5),
    n(3),
    separator=" ",
    ngram_widths=[2],
    left_pad="",
    right_pad="",
    pad_width=0,
    preserve_short_sequences=False,
)
case("ReadFile", s())
case("MatchingFiles", s())
case("SerializeTensor", f(2, 3))
case("ParseTensor", s(), out_type="float32")
case("DecodeWav", s())
case("DecodeWav", s(), desired_channels=2)
case("EncodeWav", f(100, 2), i())
case("Mfcc", f(2, 7, 9), i())
case("ParseExample", s(5), s(5), [s(), s()], [s()], [f(2)], sparse_types=["int64", "float32"], dense_shapes=[[2]])
case(
    "ParseExampleV2",
    s(5),
    s(5),
    texts(["a"]),
    texts(["b"]),
    texts(["c"]),
    [f(2)],
    num_sparse=1,
    sparse_types=["int64"],
    ragged_value_types=["float32"],
    ragged_split_types=["int64"],
    dense_shapes=[[2]],
)
case(
    "ParseExampleV2",
    s(),
    s(0),
    texts(["a"]),
    texts(["b"]),
    texts(["c"]),
    [f(2)],
    num_sparse=1,
    sparse_types=["int64"],
    ragged_value_types=["float32"],
    ragged_split_types=["int64"],
    dense_shapes=[[2]],
)
case(
    "ParseSingleExample",
    s(),
    [f(2)],
    num_sparse=1,
    sparse_keys=["a"],
    dense_keys=["b"],
    sparse_types=["int64"],
    dense_shapes=[[2]],
)
each("ScalarSummary", s(), f())
case("HistogramSummary", s(), f(5))
case("SparseToDense", n(7, 2), longs([4, 5]), f(7), f())
case("SparseReorder", n(7, 2), f(7), n(2))
case("SparseReshape", n(7, 2), n(2), longs([4, -1, 5]))
case("SparseAdd", n(7, 2), f(7), n(2), n(8, 2), f(8), n(2), f())
case("SparseConcat", [n(7, 2), n(8, 2)], [f(7), f(8)], [n(2), n(2)], concat_dim=0)
case("SparseTensorDenseAdd", n(7, 2), f(7), n(2), f(4, 5))
case("SparseSlice", n(7, 2), f(7), n(2), n(2), n(2))
case("SparseSplit", n(), n(7, 2), f(7), n(2), num_split=2)
case("SparseFillEmptyRows", n(7, 2), f(7), longs([4, 5]), f())
case("SparseSoftmax", n(7, 2), f(7), n(2))
case("SparseReduceSum", n(7, 2), f(7), longs([4, 5]), ints([0]))
case("SparseReduceSum", n(7, 2), f(7), longs([4, 5]), ints([0]), keep_dims=True)
case("SparseReduceMax", n(7, 2), f(7), longs([4, 5]), ints([1]))
each("SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul", n(7, 2), f(7), n(2), f(4, 5))
each("SparseSparseMaximum SparseSparseMinimum", n(7, 2), f(7), n(2), n(8, 2), f(8), n(2))
case("SerializeSparse", n(7, 2), f(7), n(2))
case("DeserializeSparse", s(3), dtype="float32")
case("RaggedRange", i(5), i(5), i())
case("RaggedRange", i(), i(), i())
case("RaggedGather", [n(6)], f(9, 3), i(4), OUTPUT_RAGGED_RANK=1)

# --- what TensorFlow refuses -----------------------------------------------------------------------------------------

refused("MatMul", f(2, 3), f(2, 3))
refused("MatMul", f(2, 3, 4), f(2, 3))
refused("BatchMatMulV2", f(5, 2, 3), f(6, 3, 4))
refused("AddV2", f(2, 3), f(2, 4))
refused("AddN", [f(2, 3), f(2, 4)])
refused("BiasAdd", f(2, 3), f(4))
refused("Conv2D", f(1, 2, 2, 3), f(3, 3, 3, 8), strides=[1, 1, 1, 1], padding="VALID")
refused("Conv2D", f(1, 5, 5, 4), f(3, 3, 3, 8), strides=[1, 1, 1, 1], padding="VALID")
refused("DepthwiseConv2dNative", f(1, 5, 5, 4), f(3, 3, 3, 8), strides=[1, 1, 1, 1], padding="VALID")
refused("MaxPool", f(1, 2, 2, 3), ksize=[1, 3, 3, 1], strides=[1, 1, 1, 1], padding="VALID")
refused("Reshape", f(2, 3), ints([4]))
refused("Reshape", f(2, 3), ints([4, -1]))
refused("Squeeze", f(2, 3), axis=[0])
refused("ExpandDims", f(2, 3), ints(3))
refused("Transpose", f(2, 3), ints([0, 1, 2]))
refused("Pad", f(2, 3), ints([[1, 1]]))
refused("Tile", f(2, 3), ints([1]))
refused("BroadcastTo", f(2, 3), ints([2, 4]))
refused("Sum", f(2, 3), ints([2]))
refused("Pack", [f(2, 3), f(2, 4)])
refused("Unpack", f(2, 3), num=3)
refused("ConcatV2", [f(2, 3), f(2, 4)], ints(0))
refused("Split", ints(1), f(2, 3), num_split=2)
refused("SplitV", f(2, 6), ints([1, 2, 4]), ints(1), num_split=3)
refused("Slice", f(5, 6), ints([1, 7]), ints([2, -1]))
refused("StridedSlice", f(5), ints([7]), ints([8]), ints([1]), shrink_axis_mask=1)
refused("StridedSlice", f(5), ints([0, 0]), ints([1, 1]), ints([1, 1]))
refused("GatherNd", f(5, 6), i(3, 3))
refused("GatherV2", f(5), i(3), ints(1))
refused("SpaceToDepth", f(2, 5, 6, 3), block_size=2)
refused("DepthToSpace", f(2, 4, 6, 3), block_size=2)
refused("SpaceToBatchND", f(2, 5, 7, 3), ints([2, 4]), ints([[0, 0], [0, 1]]))
refused("FusedBatchNormV3", f(2, 5, 5, 3), f(4), f(3), f(3), f(3), is_training=False)
refused("SparseSoftmaxCrossEntropyWithLogits", f(5, 3), i(4))
refused("SoftmaxCrossEntropyWithLogits", f(5, 3), f(5, 4))
refused("Select", b(2, 3), f(2, 3), f(2, 4))
refused("TopKV2", f(5, 6), ints(7))
refused("Einsum", [f(2, 3), f(4, 5)], equation="ij,jk->ik")
refused("Cholesky", f(5, 3, 4))
refused("SegmentSum", f(5, 3), i(5, 3))
refused("ResizeBilinear", f(2, 5, 6), ints([10, 12]))
