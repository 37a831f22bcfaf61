"""The peak memory of every kernel is close to its estimate: inputs, outputs, and claims.

Each op is run under a limit, with the inputs of its own cases made long, and with the small inputs of `AMPLIFIED` that
ask for much. An op of which neither says anything has to be in `EXEMPT`, with a reason.
"""

from __future__ import annotations

import sys
from functools import cache

import numpy as np
import pytest

from tests.kernel_cases import Case, cases_of, f32, families, i32, i64, strings
from tests.kernel_cases.audio import wav
from tests.tfmodel.kernels.memory import Measured, grown, measured
from tfmodel.errors import Error
from tfmodel.kernels.runtime import KERNELS
from tfmodel.kernels.runtime.binding import bind
from tfmodel.kernels.runtime.memory_limit import bytes_needed
from tfmodel.messages import DataType
from tfmodel.ops import OPS, is_stateful

MANY = np.int32(1 << 28)
ROWS = 1 << 13

AMPLIFIED = [
    Case("BroadcastTo", [f32(1), i32([1 << 14, 1 << 14])]),
    Case("Empty", [i32([1 << 14, 1 << 14])], dtype=DataType.DT_FLOAT, init=True),
    Case("Fill", [i32([1 << 14, 1 << 14]), np.float32(1)]),
    Case("LinSpace", [np.float32(0), np.float32(1), MANY]),
    Case("Range", [np.int32(0), MANY, np.int32(1)]),
    Case("OneHot", [i32([1]), MANY, np.float32(1), np.float32(0)], axis=-1),
    Case("Tile", [f32(2, 2), i32([1 << 14, 1 << 14])]),
    Case("Pad", [f32(2, 2), i32([[0, 1 << 14], [0, 1 << 14]])]),
    Case("MatrixDiag", [f32(ROWS)]),
    Case("DiagPart", [f32(128, 128)]),
    Case("Bincount", [i32([1]), MANY, i32([])], T=DataType.DT_INT32),
    Case("SparseToDense", [i64([[0]]), i64([1 << 28]), f32(1), np.float32(0)]),
    Case("ScatterNd", [i32([[0]]), f32(1), i32([1 << 28])]),
    Case("UnsortedSegmentSum", [f32(1), i32([0]), MANY]),
    Case("UnsortedSegmentJoin", [strings(["a"]), i32([0]), np.int32(1 << 20)]),
    Case("DecodeWav", [strings(wav())], desired_channels=1, desired_samples=1 << 26),
    Case("DynamicPartition", [f32(1), i32([0])], num_partitions=ROWS),
    Case("Where", [np.ones((1,) * 20 + (ROWS,), bool)]),
    Case("RaggedTensorToSparse", [[*[i64([0, 1])] * 60, i64([0, 2 * ROWS])], f32(2 * ROWS)]),
    Case("RaggedGather", [[i64([0, ROWS])], f32(ROWS), i32([0] * 500)], OUTPUT_RAGGED_RANK=1),
    Case("RaggedRange", [i32([0, 0]), i32([1 << 28, 3]), i32([1, 1])], Tsplits=DataType.DT_INT64),
    Case(
        "RaggedTensorToTensor",
        [i32([-1, -1]), f32(1), np.float32(0), [MANY, i32([0])]],
        row_partition_types=[b"FIRST_DIM_SIZE", b"VALUE_ROWIDS"],
    ),
    Case("SparseSegmentSum", [f32(1, ROWS), i32([0] * 500), i32([0] * 500)]),
    Case("SparseSegmentMeanWithNumSegments", [f32(1, 2), i32([0]), i32([0]), MANY]),
    Case("StringJoin", [[strings("a" * 10_000)] * 200]),
    Case("StringSplit", [strings(["a," * 5_000]), strings(",")]),
    Case("StringSplitV2", [strings(["ab " * 5_000]), strings("")]),
    Case(
        "StringNGrams",
        [strings(["a" * 2_000] * 30), i64([0, 30])],
        separator=b"",
        ngram_widths=[15],
        left_pad=b"",
        right_pad=b"",
        pad_width=0,
        preserve_short_sequences=False,
    ),
    Case("Substr", [strings("a" * 60_000), np.int32(1), np.int32(1)], unit=b"UTF8_CHAR"),
    Case("StringLength", [strings("é" * 30_000)], unit=b"UTF8_CHAR"),
    Case("UnicodeDecode", [strings(["a" * 30_000])], input_encoding=b"UTF-8"),
    Case("UnicodeDecodeWithOffsets", [strings(["a" * 30_000])], input_encoding=b"UTF-8"),
    Case("TopKV2", [np.zeros(1 << 16, np.int8), np.int32(1)]),
    Case("UniqueV2", [np.zeros(1 << 16, np.int8), i32([0])]),
    Case("ResizeBilinear", [f32(1, 1, 1, 1), i32([1 << 14, 1 << 14])]),
    Case("QuantizedResizeBilinear", [np.zeros((1, 1, 1, 1), np.uint8), i32([200, 200]), np.float32(0), np.float32(1)]),
    Case(
        "ExtractImagePatches",
        [f32(1, 4, 4, 2)],
        ksizes=[1, 2, 2, 1],
        strides=[1, 1, 1, 1],
        rates=[1, 1 << 14, 1 << 14, 1],
        padding=b"SAME",
    ),
    *(
        Case(op, [i32([1 << 14, 1 << 14])], seed=1, dtype=DataType.DT_FLOAT)
        for op in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal")
    ),
    Case("RandomUniformInt", [i32([1 << 14, 1 << 14]), i32(0), i32(9)], seed=1),
    Case("StatelessRandomUniform", [i32([1 << 14, 1 << 14]), i32([1, 2])]),
    Case("StatelessRandomNormal", [i32([1 << 14, 1 << 14]), i32([1, 2])]),
    Case("StatelessTruncatedNormal", [i32([1 << 14, 1 << 14]), i32([1, 2])]),
    Case("InvertPermutation", [np.arange(ROWS, dtype=np.int32)]),
    Case("RegexFullMatch", [strings(["a"]), strings("x" * 30_000)]),
    Case("StringSplit", [strings(["a"]), strings("ab c,d" * 5_000)]),
    Case("UnravelIndex", [i32([0, 5, 11]), i32([3] * ROWS)]),
    Case(
        "CombinedNonMaxSuppression",
        [f32(1, 1, 1, 4), f32(1, 1, ROWS), np.int32(1), np.int32(5), np.float32(0.5), np.float32(0)],
        pad_per_class=False,
        clip_boxes=True,
    ),
    Case("ReverseSequence", [np.zeros((2, 1 << 14), bool), i64([2, 3])], seq_dim=1, batch_dim=0),
    Case("EuclideanNorm", [np.ones((1 << 14, 1), np.float16), i32([1])], keep_dims=False),
    Case(
        "QuantizedConcat",
        [
            np.int32(0),
            [np.zeros((1 << 14, 2), np.uint8)] * 2,
            [np.float32(-1), np.float32(-2)],
            [np.float32(1), np.float32(3)],
        ],
    ),
    Case("StridedSliceGrad", [i32([1 << 28]), i32([0]), i32([1]), i32([1]), f32(1)]),
    Case("StringToNumber", [strings(["1.5"] * 1_000)]),
    Case("DecodeBase64", [strings("YWJj" * ROWS)]),
]

_NOTHING = "it gives nothing, or what a graph already holds"
_SMALL = "it gives a few numbers"
_IMAGE = "it claims what the header of a picture says: tests/hostile/test_pictures.py"
_SQUARE = "inputs made long one by one do not fit each other; what it makes is as large as they are"
_LIKE = "it is the same function as another op, which is tried"
MOST_TRIES = 12
"""Of an op: what says nothing until then is made of small numbers."""

EXEMPT = {
    **dict.fromkeys(("Const", "HostConst", "Placeholder", "PlaceholderV2", "ControlTrigger", "NoOp"), _NOTHING),
    **dict.fromkeys(
        (
            "ConcatOffset",
            "DataFormatVecPermute",
            "StatelessRandomGetAlg",
            "StatelessRandomGetKeyCounter",
            "StatelessRandomGetKeyCounterAlg",
        ),
        _SMALL,
    ),
    **dict.fromkeys(("DecodeBmp", "DecodePng"), _IMAGE),
    **dict.fromkeys(
        (
            "AvgPoolGrad",
            "Eig",
            "FFT2D",
            "FFT3D",
            "IFFT2D",
            "IFFT3D",
            "MatrixInverse",
            "NonMaxSuppressionWithOverlaps",
            "SelfAdjointEigV2",
            "SparseDenseCwiseAdd",
            "SparseDenseCwiseDiv",
            "SparseDenseCwiseMul",
            "SparseTensorDenseAdd",
        ),
        _SQUARE,
    ),
    **dict.fromkeys(("StatelessRandomUniformFullInt", "StatelessRandomUniformInt"), _LIKE),
    "ParseSingleExample": _LIKE,
    "QuantizedReshape": "it gives its input in another shape",
    "ParseTensor": "a repeated message is invalid; the tensor in it is read like that of a Const",
    "SparseToSparseSetOperation": _LIKE,
}
"""Ops whose cases cannot be made long, with the reason why this leaves no gap."""


@cache
def cases() -> dict[str, list[Case]]:
    cases_by_op: dict[str, list[Case]] = {}
    for family in families():
        for case in cases_of(family):
            cases_by_op.setdefault(case.op, []).append(case)
    return cases_by_op


def tried(op: str) -> list[Measured]:
    """Measure the memory of an op for its enlarged cases, up to the first conclusive one."""
    measurements: list[Measured] = []
    for case in cases()[op][:3]:
        node = case.node
        try:
            bind(node)(case.arrays)
        except Error:
            continue
        measured(node, case.arrays)  # what is imported or made once is made now
        for inputs in grown(case):
            measurements.append(measured(node, inputs))
            if measurements[-1].is_large or len(measurements) == MOST_TRIES:
                return measurements
    return measurements


@pytest.mark.slow(reason="measures the memory that large inputs take")
@pytest.mark.parametrize("part", range(4))
def test_long_inputs_take_memory_in_proportion(part: int) -> None:
    for op in sorted(cases())[part::4]:
        measurements = tried(op)
        assert all(measurement.is_modest for measurement in measurements), (op, measurements)
        assert (
            op in EXEMPT
            or op in {case.op for case in AMPLIFIED}
            or any(measurement.is_large for measurement in measurements)
        ), op


@pytest.mark.parametrize("case", AMPLIFIED, ids=lambda case: case.op)
def test_small_inputs_that_ask_for_much_are_refused_or_modest(case: Case) -> None:
    inputs = case.arrays
    measured(case.node, inputs)  # modules that a first call imports, and patterns that it compiles, do not count
    measurement = measured(case.node, inputs)
    assert measurement.is_modest, measurement
    assert measurement.is_large, measurement


@pytest.mark.parametrize(
    "case",
    [
        Case("Empty", [i32([3] * ROWS)], dtype=DataType.DT_FLOAT, init=True),
        Case("Fill", [i32([3] * ROWS), np.float32(1)]),
        Case("QuantizedReshape", [np.zeros((2, 3), np.uint8), i32([3] * ROWS), np.float32(0), np.float32(1)]),
        Case("Reshape", [f32(2, 3), i32([3] * ROWS)]),
    ],
    ids=lambda case: case.op,
)
def test_a_shape_of_thousands_of_sizes_is_refused_without_their_product(case: Case) -> None:
    """The product of 100,000 sizes, in the words of an error, takes minutes."""
    with pytest.raises(Error, match=r"8,192 sizes, but a tensor has at most 254 dimensions"):
        bind(case.node)(case.arrays)


def test_thousands_of_sizes_need_no_number_of_thousands_of_digits() -> None:
    sizes = i64([1 << 40] * ROWS)
    case = Case("SparseSoftmax", [i64([[0, 0]]), f32(1), sizes])
    assert bytes_needed(case.node, case.arrays, case.types) == sys.maxsize


IN_A_SESSION = """
    AnonymousHashTable AnonymousMutableDenseHashTable AnonymousMutableHashTable
    AnonymousMutableHashTableOfTensors Assign AssignAdd AssignAddVariableOp AssignSub AssignSubVariableOp
    AssignVariableOp BatchFunction Case CountUpTo DestroyResourceOp DestroyTemporaryVariable EmptyTensorList
    FakeParam For HashTable HashTableV2 If InitializeTable InitializeTableFromTextFile
    InitializeTableFromTextFileV2 InitializeTableV2 IsVariableInitialized LookupTableExport LookupTableExportV2
    LookupTableFind LookupTableFindV2 LookupTableImport LookupTableImportV2 LookupTableInsert
    LookupTableInsertV2 LookupTableRemoveV2 LookupTableSize LookupTableSizeV2 LoopCond
    MutableDenseHashTable MutableDenseHashTableV2 MutableHashTable MutableHashTableOfTensors
    MutableHashTableOfTensorsV2 MutableHashTableV2 OptionalFromValue OptionalGetValue OptionalHasValue
    OptionalNone PartitionedCall Print PrintV2 RaggedTensorFromVariant RaggedTensorToVariant
    RaggedTensorToVariantGradient RandomGamma RandomPoisson RandomPoissonV2
    ReadVariableOp RefIdentity RemoteCall ResourceCountUpTo
    ResourceGather ResourceGatherNd ResourceScatterNdAdd ResourceScatterNdMax ResourceScatterNdMin
    ResourceScatterNdSub ResourceScatterNdUpdate ScatterNdAdd ScatterNdMax ScatterNdMin ScatterNdSub ScatterNdUpdate
    ResourceScatterAdd ResourceScatterDiv ResourceScatterMax ResourceScatterMin
    ResourceScatterMul ResourceScatterSub ResourceScatterUpdate RestoreV2 ScatterAdd ScatterDiv ScatterMax
    ScatterMin ScatterMul ScatterSub ScatterUpdate Stack StackClose StackCloseV2 StackPop StackPopV2 StackPush
    StackPushV2 StackV2 StatefulPartitionedCall StatelessCase StatelessIf StatelessWhile TemporaryVariable
    TensorArray TensorArrayClose TensorArrayCloseV2 TensorArrayCloseV3 TensorArrayConcat TensorArrayConcatV2
    TensorArrayConcatV3 TensorArrayGather TensorArrayGatherV2 TensorArrayGatherV3 TensorArrayPack
    TensorArrayRead TensorArrayReadV2 TensorArrayReadV3 TensorArrayScatter TensorArrayScatterV2
    TensorArrayScatterV3 TensorArraySize TensorArraySizeV2 TensorArraySizeV3 TensorArraySplit TensorArraySplitV2
    TensorArraySplitV3 TensorArrayUnpack TensorArrayV2 TensorArrayV3 TensorArrayWrite TensorArrayWriteV2
    TensorArrayWriteV3 TensorListConcat TensorListConcatLists TensorListConcatV2 TensorListElementShape
    TensorListFromTensor TensorListGather TensorListGetItem TensorListLength TensorListPopBack
    TensorListPushBack TensorListPushBackBatch TensorListReserve TensorListResize TensorListScatter
    TensorListScatterIntoExistingList TensorListScatterV2 TensorListSetItem TensorListSplit TensorListStack
    Timestamp ToBool VarHandleOp VarIsInitializedOp Variable VariableShape VariableV2 While
"""
"""Ops that have no cases since they need a session: variables, tables, lists, functions, random numbers that are
remembered. tests/hostile/test_scratch.py and tests/hostile/test_shapes.py attack those that make anything large; the
others give what they are given."""

OF_PICTURES = {
    *("DecodeAndCropJpeg", "DecodeGif", "DecodeImage", "DecodeJpeg", "ExtractJpegShape"),
    *("EncodeJpeg", "EncodeJpegVariableQuality", "EncodePng"),
}
"""Ops of files that test_photos.py has; tests/hostile/test_pictures.py attacks them."""

PLAIN = {"FakeParam", "LoopCond", "ToBool"}
"""Of these, the ops of conditions and loops: they give a bool, or what they are given."""


def needs_session(op: str) -> bool:
    """Return whether the outputs of an op depend on state, functions, references or handles too."""
    declared = OPS[op]
    arguments = (*declared.input_arg, *declared.output_arg)
    handles = (DataType.DT_RESOURCE, DataType.DT_VARIANT)
    return (
        is_stateful(declared)
        or KERNELS[op].takes_runtime
        or any(arg.is_ref or arg.type in handles or arg.name == "handle" for arg in arguments)
    )


def test_no_kernel_is_forgotten() -> None:
    exempt = set(IN_A_SESSION.split())
    assert KERNELS.keys() - cases().keys() == exempt | OF_PICTURES
    assert {op for op in exempt if not needs_session(op)} == PLAIN
    assert EXEMPT.keys() <= cases().keys()
