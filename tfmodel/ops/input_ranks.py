"""The ranks of inputs that TensorFlow's shape inference allows, whatever else is known about a node.

    check_ranks("RestoreV2", [(), (None,), (4,)])      # raises GraphError for an input of another rank

A line of the table has an op, or several joined by `|`, and the ranks of its inputs in order:

    2       two dimensions
    1+      at least one
    0..1    none or one
    -       any
    1+*     at least one, in each of a variable number of inputs

Inputs after the last word may have any rank. `python -m tests.golden.importing.ranks` asks TensorFlow 2.12 for the
table: each input of an op in turn gets every rank, and all other shapes are unknown, for many values of each attribute,
and small constants for integers. A rank is in the table if TensorFlow accepts it for any of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from ..errors import GraphError
from ..values.shape import Shape, shape_to_text

_MANY = 1 << 30

_CHECKED_WHEN_RUN = """
AccumulateNV2 AllCandidateSampler BroadcastArgs BroadcastTo ConjugateTranspose Conv2DBackpropFilter
Conv2DBackpropInput Conv3DBackpropFilter Conv3DBackpropFilterV2 Conv3DBackpropInput Conv3DBackpropInputV2
CropAndResize CropAndResizeGradBoxes CropAndResizeGradImage DecodeAndCropJpeg DecodeBase64 DecodeBmp DecodeCSV
DecodeCompressed DecodeGif DecodeImage DecodeJpeg DecodePaddedRaw DecodePng DecodeRaw DecodeWav
DepthwiseConv2dNativeBackpropFilter DepthwiseConv2dNativeBackpropInput Dilation2D Dilation2DBackpropFilter
Dilation2DBackpropInput ExtractGlimpse ExtractGlimpseV2 ExtractImagePatches ExtractVolumePatches
FakeQuantWithMinMaxArgsGradient FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannelGradient
FixedUnigramCandidateSampler FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3 GatherV2 IRFFT IRFFT2D
IRFFT3D ImageProjectiveTransformV2 ImageProjectiveTransformV3 LearnedUnigramCandidateSampler
LogUniformCandidateSampler MatrixBandPart MatrixDiag MatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3 MatrixDiagV2
MatrixDiagV3 MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3 Mfcc OneHot QuantizedAdd QuantizedAvgPool
QuantizedBatchNormWithGlobalNormalization QuantizedBiasAdd QuantizedConcat QuantizedConcatV2 QuantizedConv2D
QuantizedConv2DAndRelu QuantizedConv2DAndReluAndRequantize QuantizedConv2DAndRequantize QuantizedConv2DPerChannel
QuantizedConv2DWithBias QuantizedConv2DWithBiasAndRelu QuantizedConv2DWithBiasAndReluAndRequantize
QuantizedConv2DWithBiasAndRequantize QuantizedConv2DWithBiasSignedSumAndReluAndRequantize
QuantizedConv2DWithBiasSumAndRelu QuantizedConv2DWithBiasSumAndReluAndRequantize QuantizedDepthwiseConv2D
QuantizedDepthwiseConv2DWithBias QuantizedDepthwiseConv2DWithBiasAndRelu
QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize QuantizedInstanceNorm QuantizedMatMul QuantizedMatMulWithBias
QuantizedMatMulWithBiasAndDequantize QuantizedMatMulWithBiasAndRelu QuantizedMatMulWithBiasAndReluAndRequantize
QuantizedMatMulWithBiasAndRequantize QuantizedMaxPool QuantizedMul QuantizedRelu QuantizedRelu6 QuantizedReluX
QuantizedReshape QuantizedResizeBilinear RFFT RFFT2D RFFT3D ResizeArea ResizeBicubic ResizeBicubicGrad ResizeBilinear
ResizeBilinearGrad ResizeNearestNeighbor ResizeNearestNeighborGrad ResourceGather ResourceGatherNd Slice
SoftmaxCrossEntropyWithLogits SparseAdd SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul SparseReduceMax
SparseReduceSum SparseReorder SparseSlice SparseSoftmax SparseSoftmaxCrossEntropyWithLogits SparseSparseMaximum
SparseSparseMinimum SparseSplit TensorArrayConcatV2 TensorArrayConcatV3 TensorArrayGatherV3 TensorArrayReadV2
TensorArrayReadV3 TensorArrayScatterV2 TensorArrayScatterV3 TensorArraySplitV2 TensorArraySplitV3 TensorArrayWriteV2
TensorArrayWriteV3 TensorListConcat TensorListConcatV2 TensorListGather TensorListGetItem TensorListPopBack
TensorListStack ThreadUnsafeUnigramCandidateSampler Transpose UniformCandidateSampler Unique UniqueV2 UniqueWithCounts
UniqueWithCountsV2
"""

CHECKED_WHEN_RUN = frozenset(_CHECKED_WHEN_RUN.split())
"""Ops whose shape rules refuse inputs that TensorFlow accepts when it imports the graph: it refuses them in the run."""

_RANKS = """
AccumulatorApplyGradient|AccumulatorSetGlobalStep|AccumulatorTakeGradient|ApplyGradientDescent|ArgMax|ArgMin - 0
AddManySparseToTensorsMap|AddSparseToTensorsMap|SerializeManySparse|SerializeSparse|SparseReorder|SparseReshape 2 1 1
AdjustContrastv2 3+ 0
AdjustHue|AdjustSaturation|AllToAll|DrawBoundingBoxesV2|FFT3D|IFFT3D 3+
AllCandidateSampler|DeserializeManySparse|FixedUnigramCandidateSampler|KthOrderStatistic 2
All|Any|EuclideanNorm|Max|Mean|Min|Prod|ReduceJoin|Sum|TensorListConcatV2|TensorListFromTensor|TensorListStack - 0..1
AnonymousMutableDenseHashTable|EmptyTensorList|ExperimentalMatchingFilesDataset|MatchingFiles 0..1
ApplyAdaMax|ResourceApplyAdaMax - - - 0 0 0 0 0
ApplyAdadelta|ResourceApplyAdadelta - - - 0 0 0
ApplyAdagradDA|ApplyCenteredRMSProp|ApplyFtrl|ApplyFtrlV2|ResourceApplyAdagradDA - - - - 0 0 0 0
ApplyAdagradV2|FakeQuantWithMinMaxVarsGradient|ResourceApplyAdagradV2 - - 0 0
ApplyAdagrad|ResourceApplyAdagrad|SegmentProdV2|SegmentSumV2|UnsortedSegmentJoin|UnsortedSegmentMax - - 0
ApplyAdam|ResourceApplyAdam - - - 0 0 0 0 0 0
ApplyAddSign|ApplyPowerSign|QuantizedAdd|ResourceApplyAddSign|ResourceApplyPowerSign - - 0 0 0 0
ApplyMomentum|ResourceApplyKerasMomentum|ResourceApplyMomentum - - 0 - 0
ApplyProximalAdagrad|ResourceApplyProximalAdagrad - - 0 0 0
ApplyProximalGradientDescent|ExperimentalSlidingWindowDataset|ParallelBatchDataset|QuantizedReluX - 0 0 0
ApplyRMSProp|ResourceApplyRMSProp - - - 0 0 0 0
AssertCardinalityDataset|BatchDataset|Bincount|BytesProducedStatsDataset|CacheDataset - 0
AssertNextDataset|AssertPrevDataset|BoostedTreesUpdateEnsemble|BroadcastTo|Conv2DBackpropFilter - 1
AudioMicrofrontend|AvgPool3DGrad|AvgPoolGrad|BarrierClose|BarrierIncompleteSize|BarrierReadySize 1
AvgPool3D|ExtractVolumePatches|MaxPool3D|MaxPool3DGrad 5
AvgPool|Conv2DBackpropInputV2|ExtractImagePatches|FractionalAvgPool|FractionalMaxPool|FractionalMaxPoolGrad|LRN 4
BandedTriangularSolve|BatchMatMul|BatchMatMulV2|BatchMatMulV3|DenseToDenseSetOperation|MatrixSolve 2+ 2+
BarrierInsertMany 1 1 1+
Batch 1+*
BatchDatasetV2|CacheDatasetV2|FakeQuantWithMinMaxVars|QuantizeDownAndShrinkRange|QuantizedRelu|QuantizedRelu6 - 0 0
BatchToSpace|SpaceToBatch 4 2
BiasAddGrad|Cholesky|CholeskyGrad|Eig|FFT2D|IFFT2D|LogMatrixDeterminant|Lu|MatrixDeterminant|MatrixDiagPart 2+
BiasAdd|BiasAddV1|IRFFT2D|RFFT2D 2+ 1
BlockLSTMGrad|BlockLSTMGradV2 - 3 2 2 2 1 1 1 1
BlockLSTM|BlockLSTMV2 - 3 - - - - - - 1
BoostedTreesCalculateBestFeatureSplit 1 4 0 0 0 0
BoostedTreesCalculateBestFeatureSplitV2 1 4* 1 1 0 0 0 0
BoostedTreesCalculateBestGainsPerFeature 1 3* 0 0 0 -
BoostedTreesCenterBias - 2 2 0 0
BoostedTreesCreateEnsemble|BoostedTreesCreateQuantileStreamResource|BoostedTreesDeserializeEnsemble 0 0 0
BoostedTreesGetEnsembleStates|BoostedTreesQuantileStreamResourceDeserialize 0
BoostedTreesMakeQuantileSummaries 1* 1 0
BoostedTreesMakeStatsSummary 1 2 2 1*
BoostedTreesQuantileStreamResourceAddSummaries 0 2*
BoostedTreesQuantileStreamResourceFlush|ExperimentalRandomDataset|ExperimentalSleepDataset|GenerateVocabRemapping 0 0
BoostedTreesQuantileStreamResourceGetBucketBoundaries|BoostedTreesSerializeEnsemble|CountUpTo|DatasetToSingleElement 0
BoostedTreesSparseCalculateBestFeatureSplit 1 2 1 1 0 0 0 0
BroadcastArgs|BroadcastGradientArgs|ListDiff|ReaderRead|SparseFillEmptyRowsGrad 1 1
CSVDatasetV2 0..1 0 0 0 0 0 0 1 0..1* 1
CSVDataset|ExperimentalCSVDataset 0..1 0 0 0 0 0 0 1 0..1*
CTCBeamSearchDecoder|CTCGreedyDecoder 3 1
CTCLoss|CTCLossV2 3 2 1 1
CollectiveBcastRecvV2|CropAndResizeGradImage|CudnnRNNParamsToCanonical|CudnnRNNParamsToCanonicalV2 - - - 1
CollectiveGatherV2|CollectiveReduceScatterV2 1+ - - -
CollectiveGather|DeserializeSparse|Diag|FFT|Gather|HSVToRGB|IFFT|LogSoftmax|MatrixDiag|NthElement|RGBToHSV|Softmax 1+
CombinedNonMaxSuppression 4 3 0 0 0 0
ComputeAccidentalHits|InTopK|InTopKV2|SparseSoftmaxCrossEntropyWithLogits 2 1
Concat 0 1+*
ConcatV2|RiscConcat 1+* 0
Conv2DBackpropFilterV2 - 4
Conv2DBackpropInput 1 4 4
Conv3DBackpropFilterV2|DepthwiseConv2dNativeBackpropFilter|ExperimentalAssertNextDataset|Reshape|Reverse|ReverseV2 - 1
Conv3DBackpropInputV2|DepthwiseConv2dNativeBackpropInput|Empty|InvertPermutation|KernelLabelRequired 1
Conv3D|MaxPool3DGradGrad 5 5
CropAndResize 4 2 1 1
Cross|ScatterNdNonAliasingAdd|TensorScatterAdd|TensorScatterMax|TensorScatterMin|TensorScatterSub 1+ 1+
CudnnRNNParamsSize|ExperimentalSqlDataset|LinSpace|RandomDatasetV2|Range|RangeDataset|ReaderReadUpToV2 0 0 0
CudnnRNNV3 3 3 - 1 1
CudnnRNN|CudnnRNNV2 3 3 - 1
DTensorRestoreV2|InitializeTableV2|RestoreV2|SaveSlices|SaveV2|XlaRngBitGenerator 0 1 1
DecodeCSV - 0..1*
DecodeGif|DecodeWav|DeleteSessionTensor|ExtractJpegShape|GetElementAtIndex|GetSessionTensor 0
DenseBincount 0..2 0
DenseToSparseBatchDataset|ExperimentalDenseToSparseBatchDataset|StatefulStandardNormalV2|StatefulTruncatedNormal - 0 1
DenseToSparseSetOperation 2+ 2 1 1
DepthToSpace|SpaceToDepth 4..5
Dilation2D|DrawBoundingBoxes 4 3
EditDistance|SparseSparseMaximum|SparseSparseMinimum|SparseToSparseSetOperation 2 1 1 2 1 1
EncodeJpeg|EncodeJpegVariableQuality|EncodePng 3
EncodeProto - 2+*
EncodeWav|Multinomial 2 0
EnsureShape 0..3
ExperimentalBytesProducedStatsDataset|ExperimentalLatencyStatsDataset|LatencyStatsDataset|LoadAndRemapMatrix - 0
ExperimentalMapAndBatchDataset|MapAndBatchDataset - -* 0 0 0
FakeQuantWithMinMaxVarsPerChannel|SparseSegmentMean|SparseSegmentSqrtN|SparseSegmentSum 1+ 1 1
Fill|InitializeTableFromTextFile|MergeV2Checkpoints|ReaderRestoreState|StringSplit|StringSplitV2 1 0
Fingerprint 1+ 0
FixedLengthRecordDataset|FixedLengthRecordDatasetV2 0..1 0 0 0 0
FusedBatchNormGradV3 4..5 4..5 1 1 1
FusedBatchNormGrad|FusedBatchNormGradV2 4 4 1 1 1
FusedBatchNormV3 4..5 1 1
FusedBatchNorm|FusedBatchNormV2 4 1 1
GRUBlockCellGrad 2 2 2
GRUBlockCell|LSTMBlockCell|LSTMBlockCellGrad|LowerBound|MatMul|RiscDot|SparseMatMul|UpperBound 2 2
GatherNd|ResourceGatherNd - 1+
GatherV2 1+ - 0
GenerateBoundingBoxProposals 4 4 2 3 0 0 0
HistogramFixedWidth - 1 0
IRFFT3D|RFFT3D 3+ 1
IRFFT|RFFT|ReverseSequence|SegmentMax|SegmentMean|SegmentMin|SegmentProd|SegmentSum 1+ 1
ImageProjectiveTransformV2|ImageProjectiveTransformV3 4 - 1
InitializeTable 1 1 1
InitializeTableFromDataset|InitializeTableFromTextFileV2|RandomDataset|ReaderReadV2|ReaderRestoreStateV2|Restore 0 0
IsBoostedTreesEnsembleInitialized|IsBoostedTreesQuantileStreamResourceInitialized|IteratorGetNext 0
IteratorGetNextSync|LoadDataset|LookupTableExportV2|LookupTableFindV2|LookupTableInsertV2|LookupTableSizeV2|LoopCond 0
LRNGrad 4 4 4
LearnedUnigramCandidateSampler|LogUniformCandidateSampler|MakeUnique|SparseCountSparseOutput|SparseDenseCwiseAdd 2
LookupTableExport|LookupTableImport|LookupTableInsert|LookupTableSize|NonDeterministicInts|QueueClose|QueueSize 1
LookupTableFind 1 - 0..1
LookupTableImportV2 0 1 1+
LookupTableRemoveV2 0 1+
MatchingFilesDataset|MutableDenseHashTableV2|TensorListReserve 0..1
MatrixDiagPartV2|MatrixDiagPartV3 2+ 0..1 0
MatrixDiagV2|MatrixDiagV3 1+ 0..1 0 0 0
MatrixInverse|MatrixLogarithm|MatrixSquareRoot|Qr|SelfAdjointEigV2|Svd 2+
MatrixSetDiag 2+ 1+
MatrixSetDiagV2|MatrixSetDiagV3 2+ 1+ 0..1
MatrixSolveLs 2+ 2+ 0
MatrixTriangularSolve|TridiagonalSolve 2+ 2+
MaxPoolGradGradV2 4 - - 1 1
MaxPoolGradGradWithArgmax 4 - 4
MaxPoolGradGrad|QuantizedDepthwiseConv2D|QuantizedDepthwiseConv2DWithBias|QuantizedDepthwiseConv2DWithBiasAndRelu 4 4
MaxPoolGrad|MaxPoolGradV2|MaxPoolGradWithArgmax|MaxPoolWithArgmax 4
Mfcc 3 0
MirrorPad|MirrorPadGrad|Pad|PadV2|SparseSliceGrad - 2
MultiDeviceIteratorGetNextFromShard|OptionalGetValue|PrintV2|QuantizedConcat|ReadFile|ReaderNumRecordsProducedV2 0
NonMaxSuppression 2 1 0
NonMaxSuppressionV2 2 1 0 0
NonMaxSuppressionV3|NonMaxSuppressionV4|NonMaxSuppressionWithOverlaps 2 1 0 0 0
NonMaxSuppressionV5 2 1 0 0 0 0
PaddedBatchDataset|PaddedBatchDatasetV2|PrefetchDataset|RefSwitch|RegexFullMatch|RepeatDataset - 0
ParameterizedTruncatedNormal 1 0..1 0..1 0..1 0..1
QuantizeAndDequantizeV2|QuantizeAndDequantizeV4|QuantizeV2 - 0..1 0..1
QuantizeAndDequantizeV3 - 0..1 0..1 0
QuantizeAndDequantizeV4Grad - - 0..1 0..1
QuantizedAvgPool|QuantizedInstanceNorm|QuantizedMaxPool 4 0 0
QuantizedBatchNormWithGlobalNormalization 4 - - 1 - - 1 - - 1 - - 1
QuantizedBiasAdd 2+ 1 0 0 0 0
QuantizedConv2D 4 4 0 0 0 0
QuantizedConv2DAndReluAndRequantize 4 4 0 0 0..1 0..1 0 0
QuantizedConv2DAndRelu|QuantizedConv2DPerChannel 4 4 0 0 0..1 0..1
QuantizedConv2DAndRequantize 4 4 0 0 0 0 0 0
QuantizedConv2DWithBiasAndReluAndRequantize|QuantizedConv2DWithBiasAndRequantize 4 4 1 0 0 0..1 0..1 0 0
QuantizedConv2DWithBiasSignedSumAndReluAndRequantize 4 4 1 0 0 0..1 0..1 0 0
QuantizedConv2DWithBiasSumAndReluAndRequantize 4 4 1 0 0 0..1 0..1 0 0
QuantizedConv2DWithBias|QuantizedConv2DWithBiasAndRelu|QuantizedConv2DWithBiasSumAndRelu 4 4 1 0 0 0..1 0..1
QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize 4 4
QuantizedMatMul 2 2 0 0 0 0
QuantizedMatMulWithBiasAndDequantize|QuantizedMatMulWithBiasAndReluAndRequantize 2 2 1 0 0 0 0 0 0
QuantizedMatMulWithBiasAndRequantize 2 2 1 0 0 0 0 0 0
QuantizedMatMulWithBias|QuantizedMatMulWithBiasAndRelu 2 2 1 0 0 0 0
QuantizedReshape - 1 0 0
QuantizedResizeBilinear 4 1 0 0
RaggedRange 0..1 0..1 0..1
RaggedTensorToSparse|RaggedTensorToVariant 1* 1+
RaggedTensorToVariantGradient|TensorListGather|TensorListGetItem|TensorListScatter|TensorListScatterV2 - - 0..1
RandomGamma|RandomPoissonV2|RandomStandardNormal|RandomUniform|ReaderNumRecordsProduced|ReaderNumWorkUnitsCompleted 1
RandomIndexShuffle 0..1 - 0..1
RandomUniformInt|TensorArrayReadV3 1 0 0
ReaderNumWorkUnitsCompletedV2|ReaderResetV2|ReaderSerializeStateV2|ReduceDataset|RefSelect|TensorArrayV3 0
ReaderReadUpTo|TensorArrayGatherV3 1 1 0
ReaderReset|ReaderSerializeState|RiscRandomUniform|SdcaFprint|StackClose|StackCloseV2|StatelessRandomGetKeyCounter 1
RegexReplace|RequantizationRange|RngReadAndSkip|RngSkip|ShardDataset|ShuffleDatasetV2 - 0 0
RequantizationRangePerChannel|RiscSlice|Slice - 1 1
RequantizePerChannel - 1 1 0 0
Requantize|ShuffleAndRepeatDataset|ShuffleDatasetV3|WindowDataset - 0 0 0 0
ResizeArea|ResizeBicubic|ResizeBilinear|ResizeNearestNeighbor|ResizeNearestNeighborGrad|ScaleAndTranslate 4 1
ResourceAccumulatorApplyGradient|ResourceAccumulatorSetGlobalStep|ResourceAccumulatorTakeGradient - 0
ResourceApplyAdamWithAmsgrad - - - - 0 0 0 0 0 0
ResourceApplyCenteredRMSProp|ResourceApplyFtrl|ResourceApplyFtrlV2 - - - - 0 0 0 0
ResourceApplyGradientDescent|SaveDataset|SaveDatasetV2|SkipDataset|SnapshotDataset|SnapshotDatasetV2 - 0
ResourceApplyProximalGradientDescent|SamplingDataset|ShuffleDataset|SlidingWindowDataset - 0 0 0
ResourceScatterNdAdd|ResourceScatterNdMax|ResourceScatterNdMin|ResourceScatterNdSub|ResourceScatterNdUpdate - 1+ 1+
ResourceSparseApplyAdadelta - - - 0 0 0 - 1
ResourceSparseApplyAdagrad - - 0 - 1
ResourceSparseApplyAdagradDA|ResourceSparseApplyFtrl|ResourceSparseApplyFtrlV2 - - - - 1 0 0 0 0
ResourceSparseApplyAdagradV2 - - 0 0 - 1
ResourceSparseApplyCenteredRMSProp - - - - 0 0 0 0 - 1
ResourceSparseApplyKerasMomentum|ResourceSparseApplyMomentum - - 0 - 1 0
ResourceSparseApplyProximalAdagrad - - 0 0 0 - 1
ResourceSparseApplyProximalGradientDescent - 0 0 0 - 1
ResourceSparseApplyRMSProp - - - 0 0 0 0 - 1
RestoreSlice|ShardedFilename|SobolSample|SqlDataset 0 0 0
Roll 1+ 0..1 0..1
SampleDistortedBoundingBox 1 3
SampleDistortedBoundingBoxV2 1 3 0
Save 0 1
ScatterNd 1+ 1+ 1
ScatterNdAdd|ScatterNdMax|ScatterNdMin|ScatterNdSub|ScatterNdUpdate - 1+ 1+
ShardedFilespec|SleepDataset|SnapshotDatasetReader|WriteFile 0 0
ShuffleAndRepeatDatasetV2 - 0 0 0 0 0
SparseAccumulatorApplyGradient|SparseAccumulatorTakeGradient|Switch|TakeDataset|TensorListResize - 0
SparseAddGrad - 2 2
SparseAdd|StatefulRandomBinomial|XlaDynamicSlice - - 1
SparseDenseCwiseDiv|SparseDenseCwiseMul|ThreadUnsafeUnigramCandidateSampler|TopKUnique|TopKWithUnique 2
SparseFillEmptyRows 2 1 1 0
SparseSegmentMeanGrad|SparseSegmentMeanWithNumSegments|SparseSegmentSqrtNGrad 1+ 1 1 0
SparseSegmentSqrtNWithNumSegments|SparseSegmentSumGrad|SparseSegmentSumWithNumSegments 1+ 1 1 0
SparseSoftmax 2 1 1
SparseTensorDenseMatMul 2 1 1 2
SparseToDense|Tile|UnravelIndex - 1
SplitV|TopKV2|Unbatch|Unpack 1+
StatefulUniformInt - 0 1 0 0
StatefulUniform|StatefulUniformFullInt - 0 1
StatelessMultinomial 2 0 1
StatelessParameterizedTruncatedNormal|StatelessRandomBinomial|StatelessRandomGammaV2|StatelessRandomNormal 1 1
StatelessRandomGammaV3|StatelessRandomNormalV2|StatelessRandomUniformFullIntV2|StatelessRandomUniformV2 1 1 1 0
StatelessRandomGetKeyCounterAlg|StridedSliceGrad|TakeManySparseFromTensorsMap|TensorArrayCloseV3|TensorArrayGradV3 1
StatelessRandomPoisson|StatelessRandomUniform|StatelessRandomUniformFullInt|StatelessTruncatedNormal|StringNGrams 1 1
StatelessRandomUniformInt 1 1 0 0
StatelessRandomUniformIntV2 1 1 1 0 0 0
StatelessSampleDistortedBoundingBox 1 3 0 1
StatelessTruncatedNormalV2 1 1 1 0
StridedSlice - 1 1 1
TFRecordDataset|TextLineDataset 0..1 0 0
TensorArrayConcatV2|TensorArrayConcatV3 1 0
TensorArrayGradWithShape|TensorArraySizeV3|TruncatedNormal|Unique 1
TensorArrayScatterV3 1 1 1+ 0
TensorArraySplitV3 1 - 1 0
TensorArrayWriteV3 1 0 - 0
TensorListPushBackBatch 1 1+
TensorListScatterIntoExistingList - 1+ 1
TensorListSplit 1+ 0..1 1
TensorScatterUpdate 1+ 1+
TpuHandleToProtoKey|UncompressElement 0
TridiagonalMatMul 2+ 2+ 2+ 2+
UnicodeEncode 1 1
UniformCandidateSampler 2
UniformQuantizedConvolution 2+ 2+ 0 0 0..1 0..1 0..1 0..1
UniformQuantizedConvolutionHybrid 2+ 2+ 0..1 0..1
UniformQuantizedDot 2 2 0 0 0..1 0..1 0..1 0..1
UniformQuantizedDotHybrid 2 2 0..1 0..1
UnsortedSegmentMin|UnsortedSegmentProd|UnsortedSegmentSum - - 0
"""


class _Ranks(NamedTuple):
    """The smallest and the largest rank of each input: of the first ones, of those in a list, and of the last ones."""

    first: list[tuple[int, int]]
    listed: tuple[int, int] | None
    last: list[tuple[int, int]]


@cache
def _table() -> Mapping[str, _Ranks]:
    return {op: ranks for ops, ranks in map(_parse, _RANKS.strip().splitlines()) for op in ops.split("|")}


def _parse(line: str) -> tuple[str, _Ranks]:
    ops, *words = line.split()
    lists = [place for place, word in enumerate(words) if word.endswith("*")]
    ranks = [_range(word.removesuffix("*")) for word in words]
    if not lists:
        return ops, _Ranks(ranks, None, [])
    return ops, _Ranks(ranks[: lists[0]], ranks[lists[0]], ranks[lists[0] + 1 :])


def _range(word: str) -> tuple[int, int]:
    if word == "-":
        return 0, _MANY
    low, _, high = word.removesuffix("+").partition("..")
    return int(low), int(high) if high else _MANY if word.endswith("+") else int(low)


def check_ranks(op: str, shapes: Sequence[Shape | None]) -> None:
    """Raise GraphError if an input of an op has a rank that TensorFlow never accepts."""
    ranks = _table().get(op)
    if ranks is None:
        return
    first, listed, last = ranks
    allowed = first
    if listed is not None:
        allowed = [*first, *[listed] * (len(shapes) - len(first) - len(last)), *last]
    for place, (shape, (low, high)) in enumerate(zip(shapes, allowed, strict=False)):
        if shape is not None and not low <= len(shape) <= high:
            expected = f"{low}" if low == high else f"at least {low}" if high == _MANY else f"at most {high}"
            plural = "" if expected == "1" else "s"
            raise GraphError(f"its input {place} needs {expected} dimension{plural}, and is {shape_to_text(shape)}")
