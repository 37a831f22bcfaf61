"""The ops that have a kernel, listed so that reports need not import all kernels and NumPy to know them.

A new kernel needs its op in this table; a test compares the table with the registered kernels.
"""

from __future__ import annotations

__all__ = ["KERNEL_OPS", "KERNEL_OPS_BY_GROUP"]

_WITH_KERNEL = {
    "array": """
        BatchMatrixBandPart BatchMatrixDiag BatchMatrixDiagPart BatchMatrixSetDiag BatchToSpace BatchToSpaceND Bitcast
        BroadcastArgs BroadcastGradientArgs BroadcastTo CheckNumerics CheckNumericsV2 Concat ConcatOffset ConcatV2
        ConjugateTranspose Const DebugGradientIdentity DeepCopy DepthToSpace Diag DiagPart DynamicPartition
        DynamicStitch Empty EnsureShape ExpandDims ExtractImagePatches ExtractVolumePatches Fill Gather GatherNd
        GatherV2 GuaranteeConst HostConst Identity IdentityN InvertPermutation ListDiff LowerBound MatrixBandPart
        MatrixDiag MatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3 MatrixDiagV2 MatrixDiagV3 MatrixSetDiag
        MatrixSetDiagV2 MatrixSetDiagV3 MirrorPad OneHot OnesLike Pack Pad PadV2 ParallelDynamicStitch Placeholder
        PlaceholderV2 PlaceholderWithDefault PreventGradient Rank Reshape Reverse ReverseSequence ReverseV2 Roll
        ScatterNd ScatterNdNonAliasingAdd Shape ShapeN Size Slice Snapshot SpaceToBatch SpaceToBatchND SpaceToDepth
        Split SplitV Squeeze StopGradient StridedSlice StridedSliceGrad TensorScatterAdd TensorScatterMax
        TensorScatterMin TensorScatterSub TensorScatterUpdate TensorStridedSliceUpdate Tile Transpose Unique UniqueV2
        UniqueWithCounts UniqueWithCountsV2 Unpack UnravelIndex UpperBound Where ZerosLike
    """,
    "control_flow": """
        Assert BatchFunction Case ControlTrigger FakeParam For If LoopCond NoOp PartitionedCall Print PrintV2 RemoteCall
        StatefulPartitionedCall StatelessCase StatelessIf StatelessWhile Timestamp ToBool While
    """,
    "data_flow": """
        AnonymousHashTable AnonymousMutableDenseHashTable AnonymousMutableHashTable AnonymousMutableHashTableOfTensors
        EmptyTensorList HashTable HashTableV2 InitializeTable InitializeTableFromTextFile InitializeTableFromTextFileV2
        InitializeTableV2 LookupTableExport LookupTableExportV2 LookupTableFind LookupTableFindV2 LookupTableImport
        LookupTableImportV2 LookupTableInsert LookupTableInsertV2 LookupTableRemoveV2 LookupTableSize LookupTableSizeV2
        MutableDenseHashTable MutableDenseHashTableV2 MutableHashTable MutableHashTableOfTensors
        MutableHashTableOfTensorsV2 MutableHashTableV2 OptionalFromValue OptionalGetValue OptionalHasValue OptionalNone
        Stack StackClose StackCloseV2 StackPop StackPopV2 StackPush StackPushV2 StackV2 TensorArray TensorArrayClose
        TensorArrayCloseV2 TensorArrayCloseV3 TensorArrayConcat TensorArrayConcatV2 TensorArrayConcatV3
        TensorArrayGather TensorArrayGatherV2 TensorArrayGatherV3 TensorArrayPack TensorArrayRead TensorArrayReadV2
        TensorArrayReadV3 TensorArrayScatter TensorArrayScatterV2 TensorArrayScatterV3 TensorArraySize TensorArraySizeV2
        TensorArraySizeV3 TensorArraySplit TensorArraySplitV2 TensorArraySplitV3 TensorArrayUnpack TensorArrayV2
        TensorArrayV3 TensorArrayWrite TensorArrayWriteV2 TensorArrayWriteV3 TensorListConcat TensorListConcatLists
        TensorListConcatV2 TensorListElementShape TensorListFromTensor TensorListGather TensorListGetItem
        TensorListLength TensorListPopBack TensorListPushBack TensorListPushBackBatch TensorListReserve TensorListResize
        TensorListScatter TensorListScatterIntoExistingList TensorListScatterV2 TensorListSetItem TensorListSplit
        TensorListStack
    """,
    "image": """
        AdjustContrastv2 AdjustHue AdjustSaturation CombinedNonMaxSuppression CropAndResize DecodeBmp DecodePng
        DrawBoundingBoxes DrawBoundingBoxesV2 HSVToRGB ImageProjectiveTransformV2 ImageProjectiveTransformV3
        NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionV4 NonMaxSuppressionV5
        NonMaxSuppressionWithOverlaps RGBToHSV ResizeArea ResizeBicubic ResizeBilinear ResizeNearestNeighbor
        ScaleAndTranslate
    """,
    "linalg": """
        BatchCholesky BatchMatrixDeterminant BatchMatrixInverse BatchMatrixSolve BatchMatrixTriangularSolve Cholesky
        Einsum LogMatrixDeterminant MatrixDeterminant MatrixInverse MatrixSolve MatrixTriangularSolve Qr
        SelfAdjointEigV2 Svd
    """,
    "math": """
        Abs AccumulateNV2 Acos Acosh Add AddN AddV2 All Angle Any ApproximateEqual ArgMax ArgMin Asin Asinh Atan Atan2
        Atanh BatchMatMul BatchMatMulV2 BatchMatMulV3 BesselI0 BesselI0e BesselI1 BesselI1e Bincount BitwiseAnd
        BitwiseOr BitwiseXor Bucketize Cast Ceil ClipByValue Complex ComplexAbs Conj Cos Cosh Cross Cumprod Cumsum
        CumulativeLogsumexp DenseBincount Digamma Div DivNoNan Equal Erf Erfc Erfinv EuclideanNorm Exp Expm1 FFT FFT2D
        FFT3D Floor FloorDiv FloorMod Greater GreaterEqual HistogramFixedWidth IFFT IFFT2D IFFT3D IRFFT IRFFT2D IRFFT3D
        Igamma Igammac Imag Inv InvGrad Invert IsFinite IsInf IsNan LeftShift Less LessEqual Lgamma LinSpace Log Log1p
        LogicalAnd LogicalNot LogicalOr MatMul Max Maximum Mean Min Minimum Mod Mul MulNoNan Ndtri Neg NextAfter
        NotEqual Polygamma PopulationCount Pow Prod RFFT RFFT2D RFFT3D Range Real RealDiv Reciprocal ReciprocalGrad
        RightShift Rint Round Rsqrt RsqrtGrad SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum Select SelectV2
        Sigmoid SigmoidGrad Sign Sin Sinh SparseMatMul SparseSegmentMean SparseSegmentMeanWithNumSegments
        SparseSegmentSqrtN SparseSegmentSqrtNWithNumSegments SparseSegmentSum SparseSegmentSumWithNumSegments Sqrt
        SqrtGrad Square SquaredDifference Sub Sum Tan Tanh TanhGrad TruncateDiv TruncateMod UnsortedSegmentMax
        UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum Xdivy Xlog1py Xlogy Zeta
    """,
    "nn": """
        AvgPool AvgPool3D AvgPoolGrad BatchNormWithGlobalNormalization BiasAdd BiasAddGrad BiasAddV1 BlockLSTM
        BlockLSTMV2 CTCGreedyDecoder Conv2D Conv2DBackpropFilter Conv2DBackpropInput Conv3D Conv3DBackpropInputV2
        DepthwiseConv2dNative DepthwiseConv2dNativeBackpropFilter DepthwiseConv2dNativeBackpropInput Dilation2D Elu
        EluGrad FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3 FusedPadConv2D FusedResizeAndPadConv2D GRUBlockCell
        InTopK InTopKV2 L2Loss LRN LSTMBlockCell LeakyRelu LeakyReluGrad LogSoftmax MaxPool MaxPool3D MaxPoolGrad
        MaxPoolGradV2 MaxPoolV2 MaxPoolWithArgmax NthElement Relu Relu6 Relu6Grad ReluGrad Selu SeluGrad Softmax
        SoftmaxCrossEntropyWithLogits Softplus SoftplusGrad Softsign SoftsignGrad SparseSoftmaxCrossEntropyWithLogits
        TopK TopKV2 _FusedBatchNormEx _FusedConv2D _FusedDepthwiseConv2dNative _FusedMatMul
    """,
    "parsing": """
        AudioSpectrogram DecodeCSV DecodePaddedRaw DecodeRaw DecodeWav Mfcc ParseExample ParseExampleV2
        ParseSingleExample ParseTensor SerializeTensor
    """,
    "quantized": """
        Dequantize FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel
        QuantizeAndDequantize QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4
        QuantizeDownAndShrinkRange QuantizeV2 QuantizedAdd QuantizedAvgPool QuantizedBatchNormWithGlobalNormalization
        QuantizedBiasAdd QuantizedConcat QuantizedConv2D QuantizedMatMul QuantizedMaxPool QuantizedMul QuantizedRelu
        QuantizedRelu6 QuantizedReshape QuantizedResizeBilinear RequantizationRange Requantize
    """,
    "random": """
        Multinomial RandomGamma RandomPoisson RandomPoissonV2 RandomShuffle RandomStandardNormal RandomUniform
        RandomUniformInt StatelessRandomGetAlg StatelessRandomGetKeyCounter StatelessRandomGetKeyCounterAlg
        StatelessRandomNormal StatelessRandomNormalV2 StatelessRandomUniform StatelessRandomUniformFullInt
        StatelessRandomUniformFullIntV2 StatelessRandomUniformInt StatelessRandomUniformIntV2 StatelessRandomUniformV2
        TruncatedNormal
    """,
    "sparse": """
        DenseToDenseSetOperation DenseToSparseSetOperation EditDistance RaggedGather RaggedRange RaggedTensorToSparse
        RaggedTensorToTensor SetSize SparseAdd SparseConcat SparseCross SparseCrossHashed SparseCrossV2
        SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul SparseFillEmptyRows SparseFillEmptyRowsGrad
        SparseReduceMax SparseReduceMaxSparse SparseReduceSum SparseReduceSumSparse SparseReorder SparseReshape
        SparseSlice SparseSoftmax SparseSparseMaximum SparseSparseMinimum SparseSplit SparseTensorDenseAdd
        SparseTensorDenseMatMul SparseToDense SparseToSparseSetOperation
    """,
    "state": """
        Assign AssignAdd AssignAddVariableOp AssignSub AssignSubVariableOp AssignVariableOp CountUpTo DestroyResourceOp
        DestroyTemporaryVariable IsVariableInitialized ReadVariableOp RefIdentity ResourceCountUpTo ResourceGather
        ResourceGatherNd ResourceScatterAdd ResourceScatterDiv ResourceScatterMax ResourceScatterMin ResourceScatterMul
        ResourceScatterSub ResourceScatterUpdate RestoreV2 ScatterAdd ScatterDiv ScatterMax ScatterMin ScatterMul
        ScatterSub ScatterUpdate TemporaryVariable VarHandleOp VarIsInitializedOp Variable VariableShape VariableV2
    """,
    "string": """
        AsString DecodeBase64 EncodeBase64 Fingerprint ReduceJoin RegexFullMatch RegexReplace StaticRegexFullMatch
        StaticRegexReplace StringFormat StringJoin StringLength StringLower StringNGrams StringSplit StringSplitV2
        StringStrip StringToHashBucket StringToHashBucketFast StringToHashBucketStrong StringToNumber StringUpper Substr
        UnicodeDecode UnicodeDecodeWithOffsets UnicodeEncode UnicodeTranscode UnsortedSegmentJoin
    """,
}

KERNEL_OPS_BY_GROUP = {group: names.split() for group, names in _WITH_KERNEL.items()}
"""The ops with a kernel, sorted, by group."""

KERNEL_OPS = frozenset(op for ops in KERNEL_OPS_BY_GROUP.values() for op in ops)
"""The ops with a kernel."""
