"""The table of ops with a special role in a graph: one record for each, and sets of ops derived from the records.

    traits("VarHandleOp").variable        # "handle"
    traits("If").calls                    # Calls(attributes=("then_branch", "else_branch"), first_argument=1)
    traits("Relu")                        # the empty record: nothing special
    node.op in PLACEHOLDERS               # a set, for frequent lookups

Facts about an op that several packages need belong here; a fact that only one transform needs stays in its module. The
declarations of ops (`definitions`) say which ops are stateful; `flops` counts operations; `input_roles` names inputs.
This module imports nothing of tfmodel, and no NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple


class Calls(NamedTuple):
    """The calls of library functions by an op.

    attributes       the attributes that name functions
    first_argument   the input that is the first argument of the functions
    lists            whether the attributes are lists of functions
    """

    attributes: tuple[str, ...]
    first_argument: int = 0
    lists: bool = False


class SideEffect(NamedTuple):
    """An effect of an op on files, connections and the process that runs it.

    kind    "python"     calls a Python function of the running program
            "library"    calls a function of a native library by name
            "write"      writes files
            "read"       reads files
            "list"       lists the files of a folder
            "network"    opens connections, or waits for them
            "exit"       ends the process
            "settings"   changes settings of the process
            "print"      writes text
            "wait"       may wait without end, for data, for a message or for a lock
            "summary"    writes to a summary writer, which another op or program created
            "device"     sets up or shuts down TPUs
            "program"    runs a compiled program that is not part of the graph
            "graph"      runs a graph that is encoded in a string
    name    the input or the attribute that has the path, the address or the name; "" if there is none
    """

    kind: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class OpTraits:
    """The special roles of one op.

    constant           its output is its attribute "value"
    placeholder        it is fed: "required", "optional" if it has a default value, "argument" if a call feeds it
    empty_is_unknown   its attribute "shape" is [] if the shape is unknown, as in the first versions of TensorFlow
    produces_data      it produces data for the graph without being fed, from a queue, a reader, or a dataset
    passes_on          its first output is its first input: "unchanged", "selected" if only one of its inputs or outputs
                       has a value, "default" if it may be fed instead, "read" for the value of a variable, "converted"
                       if it is cast or rounded
    reads_shape        its outputs depend on the shapes of its inputs, not on their elements
    variable           "reference" for variables whose output is the variable itself, as in TensorFlow 1, "handle" for
                       ops whose output is a handle that other ops read, "rare" for variants of these that saved models
                       do not contain
    assigns            it assigns its second input to the variable of its first
    control_flow       its role in loops and conditionals of TensorFlow 1: "enter", "exit", "next_iteration", "merge",
                       "switch", "loop_cond"; "functional" for loops and conditionals that call functions
    calls              how it calls functions; None if it does not, and for rare ops such as For and RemoteCall
    is_while           it is a loop that calls the functions "cond" and "body" repeatedly
    table              "immutable" or "mutable" for lookup tables
    initializes_table  it fills a whole table
    inserts_in_table   it adds elements to a table
    saves              for ops that write tensors to a checkpoint: the first input that is a tensor to write
    restores           for ops that read tensors of a checkpoint: the input with their names, and the input with slices
                       or None
    checkpoint_files   it handles the files of checkpoints in another way
    is_random          its outputs differ from run to run
    is_uniform         its outputs are random numbers from 0 up to, but not including, 1
    effect             "check" if it may stop the run, "print" if it writes text, "none" if it is declared as stateful
                       although its effect cannot be observed; not set for VARIABLES, TABLES and RANDOM
    side_effects       what it does with files, connections and the process
    """

    constant: bool = False
    placeholder: str = ""
    empty_is_unknown: bool = False
    produces_data: bool = False
    passes_on: str = ""
    reads_shape: bool = False
    variable: str = ""
    assigns: bool = False
    control_flow: str = ""
    calls: Calls | None = None
    is_while: bool = False
    table: str = ""
    initializes_table: bool = False
    inserts_in_table: bool = False
    saves: int | None = None
    restores: tuple[int, int | None] | None = None
    checkpoint_files: bool = False
    is_random: bool = False
    is_uniform: bool = False
    effect: str = ""
    side_effects: tuple[SideEffect, ...] = ()


def _does(*effects: str) -> OpTraits:
    """Return a record with side effects such as "read filename": the kind, and the name."""
    return OpTraits(side_effects=tuple(SideEffect(*effect.split()) for effect in effects))


_EMPTY = OpTraits()
_ROWS: list[tuple[str, OpTraits]] = [
    ("Const HostConst", OpTraits(constant=True)),
    ("Placeholder", OpTraits(placeholder="required", empty_is_unknown=True)),
    ("PlaceholderV2", OpTraits(placeholder="required")),
    ("PlaceholderWithDefault", OpTraits(placeholder="optional", passes_on="default")),
    ("_Arg", OpTraits(placeholder="argument")),
    # other inputs
    ("IteratorGetNext IteratorGetNextAsOptional IteratorGetNextSync", OpTraits(produces_data=True)),
    ("QueueDequeue QueueDequeueMany QueueDequeueManyV2 QueueDequeueUpTo", OpTraits(produces_data=True)),
    ("QueueDequeueUpToV2 QueueDequeueV2", OpTraits(produces_data=True)),
    ("ReaderRead ReaderReadUpTo ReaderReadUpToV2 ReaderReadV2", OpTraits(produces_data=True)),
    ("DatasetToSingleElement InfeedDequeue InfeedDequeueTuple Unstage", OpTraits(produces_data=True)),
    # outputs that are inputs
    ("Identity Snapshot StopGradient PreventGradient EnsureShape", OpTraits(passes_on="unchanged")),
    ("RefIdentity CheckNumerics CheckNumericsV2 DebugIdentity GuaranteeConst", OpTraits(passes_on="unchanged")),
    ("Cast QuantizeV2 Dequantize FakeQuantWithMinMaxArgs", OpTraits(passes_on="converted")),
    ("FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel", OpTraits(passes_on="converted")),
    ("QuantizeAndDequantize QuantizeAndDequantizeV2", OpTraits(passes_on="converted")),
    ("QuantizeAndDequantizeV3 QuantizeAndDequantizeV4", OpTraits(passes_on="converted")),
    ("Shape ShapeN Size Rank", OpTraits(reads_shape=True)),
    # variables
    ("Variable", OpTraits(variable="reference", empty_is_unknown=True)),
    ("VariableV2", OpTraits(variable="reference")),
    ("VarHandleOp", OpTraits(variable="handle")),
    ("AutoReloadVariable TemporaryVariable", OpTraits(variable="rare")),
    ("_VarHandlesOp _XlaAotOnlyVarHandleOp", OpTraits(variable="rare")),
    ("Assign AssignVariableOp", OpTraits(assigns=True)),
    ("ReadVariableOp", OpTraits(passes_on="read")),
    # control flow of TensorFlow 1
    ("Enter RefEnter", OpTraits(control_flow="enter", passes_on="unchanged")),
    ("Exit RefExit", OpTraits(control_flow="exit")),
    ("NextIteration RefNextIteration", OpTraits(control_flow="next_iteration")),
    ("Merge RefMerge", OpTraits(control_flow="merge", passes_on="selected")),
    ("_XlaMerge", OpTraits(control_flow="merge")),
    ("Switch RefSwitch _SwitchN", OpTraits(control_flow="switch", passes_on="selected")),
    ("LoopCond", OpTraits(control_flow="loop_cond")),
    # calls
    ("PartitionedCall StatefulPartitionedCall", OpTraits(calls=Calls(("f",)))),
    ("If StatelessIf", OpTraits(control_flow="functional", calls=Calls(("then_branch", "else_branch"), 1))),
    ("Case StatelessCase", OpTraits(control_flow="functional", calls=Calls(("branches",), 1, lists=True))),
    ("While StatelessWhile", OpTraits(control_flow="functional", calls=Calls(("cond", "body")), is_while=True)),
    ("For _If _While", OpTraits(control_flow="functional")),
    # tables
    ("HashTable HashTableV2 AnonymousHashTable", OpTraits(table="immutable")),
    ("MutableHashTable MutableHashTableV2 MutableHashTableOfTensors", OpTraits(table="mutable")),
    ("MutableHashTableOfTensorsV2 MutableDenseHashTable MutableDenseHashTableV2", OpTraits(table="mutable")),
    ("InitializeTable InitializeTableV2 InitializeTableFromDataset", OpTraits(initializes_table=True)),
    ("InitializeTableFromTextFile InitializeTableFromTextFileV2", OpTraits(initializes_table=True)),
    ("LookupTableImport LookupTableImportV2", OpTraits(initializes_table=True)),
    ("LookupTableInsert LookupTableInsertV2", OpTraits(inserts_in_table=True)),
    # checkpoints
    ("RestoreV2 RestoreSlice", OpTraits(restores=(1, 2))),
    ("Restore", OpTraits(restores=(1, None))),
    ("SaveV2 SaveSlices", OpTraits(saves=3)),
    ("Save", OpTraits(saves=2)),
    ("DTensorRestoreV2 DistributedSave MergeV2Checkpoints", OpTraits(checkpoint_files=True)),
    ("ShardedFilename ShardedFilespec", OpTraits(checkpoint_files=True)),
    # random numbers
    ("Multinomial RandomGamma RandomPoisson RandomPoissonV2 RandomShuffle", OpTraits(is_random=True)),
    ("RandomStandardNormal RandomUniformInt TruncatedNormal", OpTraits(is_random=True)),
    ("RandomUniform", OpTraits(is_random=True, is_uniform=True)),
    ("StatelessRandomUniform StatelessRandomUniformV2", OpTraits(is_uniform=True)),
    # other effects
    ("Abort Assert AssertCardinalityDataset", OpTraits(effect="check")),
    ("Print PrintV2", OpTraits(effect="print")),
    ("AnonymousIterator AnonymousIteratorV2 AnonymousIteratorV3 Iterator IteratorV2", OpTraits(effect="none")),
    ("AnonymousMutableDenseHashTable AnonymousMutableHashTable", OpTraits(effect="none")),
    ("AnonymousMutableHashTableOfTensors", OpTraits(effect="none")),
    ("DeviceIndex Empty GraphDefVersion GuaranteeConst Timestamp _Arg", OpTraits(effect="none")),
    ("LookupTableExportV2 LookupTableFindV2 LookupTableSizeV2", OpTraits(effect="none")),
    ("NonDeterministicInts ParameterizedTruncatedNormal RandomCrop", OpTraits(effect="none")),
    ("QueueIsClosedV2 QueueSizeV2 StatelessRandomGetAlg TensorArraySizeV3", OpTraits(effect="none")),
    ("ReadVariableOp ReadVariableXlaSplitND ResourceGather ResourceGatherNd", OpTraits(effect="none")),
    ("VarIsInitializedOp VariableShape _ReadVariablesOp _VarHandlesOp", OpTraits(effect="none")),
    # files, connections and programs
    ("EagerPyFunc PyFunc PyFuncStateless", _does("python")),
    ("XlaCustomCall", _does("library target_name")),
    ("XlaCustomCallV2", _does("library call_target_name")),
    ("DatasetToTFRecord ExperimentalDatasetToTFRecord Save SaveSlices WriteFile", _does("write filename")),
    ("SaveV2", _does("write prefix")),
    ("MergeV2Checkpoints", _does("write destination_prefix", "read checkpoint_prefixes")),
    ("DistributedSave", _does("write directory", "network address")),
    ("SaveDataset SaveDatasetV2", _does("write path")),
    ("SnapshotDataset SnapshotDatasetV2", _does("write path")),
    ("CacheDataset CacheDatasetV2", _does("write filename")),
    ("CreateSummaryFileWriter", _does("write logdir")),
    ("CreateSummaryDbWriter", _does("write db_uri")),
    ("DebugIdentity DebugIdentityV2 DebugNanCount DebugNumericSummary", _does("write debug_urls")),
    ("Copy CopyHost", _does("write debug_ops_spec")),
    ("InitializeTableFromTextFile InitializeTableFromTextFileV2 ReadFile Skipgram", _does("read filename")),
    ("ImmutableConst", _does("read memory_region_name")),
    ("RestoreV2 DTensorRestoreV2", _does("read prefix")),
    ("Restore RestoreSlice", _does("read file_pattern")),
    ("CSVDataset CSVDatasetV2 ExperimentalCSVDataset TextLineDataset TFRecordDataset", _does("read filenames")),
    ("ExperimentalLMDBDataset LMDBDataset", _does("read filenames")),
    ("FixedLengthRecordDataset FixedLengthRecordDatasetV2", _does("read filenames")),
    ("ExperimentalSqlDataset SqlDataset", _does("read data_source_name")),
    ("LoadDataset", _does("read path")),
    ("SnapshotDatasetReader", _does("read shard_dir")),
    ("SnapshotNestedDatasetReader", _does("read")),
    ("FixedLengthRecordReader FixedLengthRecordReaderV2 LMDBReader TFRecordReader TFRecordReaderV2", _does("read")),
    ("TextLineReader TextLineReaderV2 WholeFileReader WholeFileReaderV2", _does("read")),
    ("RecordInput", _does("read file_pattern")),
    ("LoadAndRemapMatrix", _does("read ckpt_path")),
    ("GenerateVocabRemapping", _does("read new_vocab_file", "read old_vocab_file")),
    ("FixedUnigramCandidateSampler", _does("read vocab_file")),
    ("DecodeProtoV2 EncodeProto", _does("read descriptor_source")),
    ("MatchingFiles", _does("list pattern")),
    ("ExperimentalMatchingFilesDataset MatchingFilesDataset", _does("list patterns")),
    ("RpcClient RpcServer", _does("network server_address")),
    ("RpcCall RpcServerRegister RpcServerStart", _does("network")),
    ("DataServiceDataset DataServiceDatasetV2 DataServiceDatasetV3 DataServiceDatasetV4", _does("network address")),
    ("RegisterDataset RegisterDatasetV2", _does("network address")),
    ("Abort WorkerHeartbeat", _does("exit")),
    ("FileSystemSetConfiguration", _does("settings scheme")),
    ("Print", _does("print")),
    ("PrintV2", _does("print output_stream")),
    ("BarrierTakeMany MapUnstage MapUnstageNoKey OrderedMapUnstage OrderedMapUnstageNoKey Unstage", _does("wait")),
    ("MapPeek OrderedMapPeek StagePeek MutexLock SleepOp SleepIdentityOp SleepDataset", _does("wait")),
    ("ExperimentalSleepDataset InfeedDequeue InfeedDequeueTuple OutfeedDequeue OutfeedDequeueTuple", _does("wait")),
    ("OutfeedDequeueTupleV2 OutfeedDequeueV2 QueueDequeue QueueDequeueMany QueueDequeueManyV2", _does("wait")),
    ("QueueDequeueUpTo QueueDequeueUpToV2 QueueDequeueV2", _does("wait")),
    ("QueueEnqueue QueueEnqueueMany QueueEnqueueManyV2 QueueEnqueueV2", _does("wait")),
    ("Recv _HostRecv _Recv CollectiveBcastRecv CollectiveBcastRecvV2 RemoteCall", _does("wait")),
    ("AccumulatorTakeGradient ResourceAccumulatorTakeGradient SparseAccumulatorTakeGradient", _does("wait")),
    ("BarrierInsertMany MapStage OrderedMapStage Stage CollectiveGather CollectiveGatherV2", _does("wait")),
    ("CollectiveReduce CollectiveReduceV2 CollectiveReduceV3 CollectiveReduceScatterV2", _does("wait")),
    ("CollectiveAllToAllV3 CollectiveBcastSend CollectiveBcastSendV2", _does("wait")),
    ("CollectiveInitializeCommunicator InfeedEnqueue InfeedEnqueueTuple OutfeedEnqueue", _does("wait")),
    ("OutfeedEnqueueTuple XlaRecv XlaRecvFromHost", _does("wait")),
    ("NcclAllReduce NcclBroadcast NcclReduce _NcclBroadcastRecv _NcclBroadcastSend", _does("wait")),
    ("_NcclReduceRecv _NcclReduceSend _XlaRecvAtHost _XlaRecvAtHostV2", _does("wait")),
    ("_WaitForDistributedTPU SyncDevice", _does("wait")),
    ("WriteAudioSummary WriteGraphSummary WriteHistogramSummary WriteImageSummary", _does("summary")),
    ("WriteRawProtoSummary WriteScalarSummary WriteSummary ImportEvent", _does("summary")),
    ("StatsAggregatorSetSummaryWriter", _does("summary")),
    ("ConfigureAndInitializeGlobalTPU ConfigureDistributedTPU ConfigureTPUEmbedding", _does("device")),
    ("ConfigureTPUEmbeddingHost ConnectTPUEmbeddingHosts _ConfigureDistributedTPU", _does("device")),
    ("_DisconnectHostFromDistributedTPUSystem _InitializeHostForDistributedTPU", _does("device")),
    ("DTensorSetGlobalTPUArray ShutdownDistributedTPU ShutdownTPUSystem _SetGlobalTPUArray", _does("device")),
    ("_ShutdownDistributedTPU", _does("device")),
    ("DatasetFromGraph", _does("graph")),
    ("TPUExecute TPUExecuteAndUpdateVariables XlaCallModule _XlaRun", _does("program")),
    ("MlirPassthroughOp TfLiteSubgraphExecute _TPUCompileMlir _XlaHostComputeMlir", _does("program")),
]


def _records() -> dict[str, OpTraits]:
    """Return the records by op. An op may have several rows, each for another role."""
    records: dict[str, OpTraits] = {}
    for ops, row in _ROWS:
        roles = {name: getattr(row, name) for name in OpTraits.__slots__ if getattr(row, name) != getattr(_EMPTY, name)}
        for op in ops.split():
            records[op] = replace(records[op], **roles) if op in records else row
    return records


TRAITS: Mapping[str, OpTraits] = _records()
"""The records by op."""


def traits(op: str) -> OpTraits:
    """Return the record of an op; the empty record if it has no special role."""
    return TRAITS.get(op, _EMPTY)


def _ops(condition: Callable[[OpTraits], object]) -> frozenset[str]:
    return frozenset(op for op, record in TRAITS.items() if condition(record))


# --- sets of ops -----------------------------------------------------------------------------------------------------

CONSTS = _ops(lambda record: record.constant)
PLACEHOLDERS_WITHOUT_DEFAULT = _ops(lambda record: record.placeholder == "required")
PLACEHOLDERS = PLACEHOLDERS_WITHOUT_DEFAULT | _ops(lambda record: record.placeholder == "optional")
FED_OPS = _ops(lambda record: record.placeholder)
EMPTY_IS_UNKNOWN = _ops(lambda record: record.empty_is_unknown)
"""Ops whose attribute "shape" is [] both for a scalar and for an unknown shape."""
PIPELINES = _ops(lambda record: record.produces_data)
"""Ops that produce data without being fed."""

PASS_THROUGH = _ops(lambda record: record.passes_on)
"""Ops whose first output is their first input, perhaps cast or rounded. Exit and NextIteration are not among them:
their input and their output belong to different iterations."""
UNCHANGED = _ops(lambda record: record.passes_on == "unchanged")
SHAPE_OPS = _ops(lambda record: record.reads_shape)

REFERENCE_VARIABLES = _ops(lambda record: record.variable == "reference")
VARIABLES = REFERENCE_VARIABLES | _ops(lambda record: record.variable == "handle")
ALL_VARIABLES = _ops(lambda record: record.variable)
VARIABLE_INITIALIZERS = _ops(lambda record: record.assigns)

ENTER = _ops(lambda record: record.control_flow == "enter")
EXIT = _ops(lambda record: record.control_flow == "exit")
NEXT_ITERATION = _ops(lambda record: record.control_flow == "next_iteration")
MERGE = _ops(lambda record: record.control_flow == "merge")
SWITCH = _ops(lambda record: record.control_flow == "switch")
LOOP_COND = _ops(lambda record: record.control_flow == "loop_cond")
FUNCTIONAL_CONTROL_FLOW = _ops(lambda record: record.control_flow == "functional")
CALLS = _ops(lambda record: record.calls == Calls(("f",)))
"""Ops that call the function of their attribute `f` on the same device, and return its results."""
WHILE_LOOPS = _ops(lambda record: record.is_while)
PYTHON_CALLS = _ops(lambda record: any(effect.kind == "python" for effect in record.side_effects))
"""Ops that call Python functions of the running program."""

TABLES = _ops(lambda record: record.table)
MUTABLE_TABLES = _ops(lambda record: record.table == "mutable")
INITIALIZES_TABLE = _ops(lambda record: record.initializes_table)
FILLS_TABLE = INITIALIZES_TABLE | _ops(lambda record: record.inserts_in_table)

SAVES: Mapping[str, int] = {op: record.saves for op, record in TRAITS.items() if record.saves is not None}
"""Ops that write tensors to a checkpoint: the first input that is such a tensor, after file, names and slices."""
RESTORES: Mapping[str, tuple[int, int | None]] = {
    op: record.restores for op, record in TRAITS.items() if record.restores is not None
}
"""Ops that read tensors of a checkpoint: the input with their names, and the input with their slices or None."""
CHECKPOINT_OPS = _ops(lambda record: record.checkpoint_files).union(SAVES, RESTORES)
"""Ops that write and read checkpoints."""

RANDOM = _ops(lambda record: record.is_random)
UNIFORM = _ops(lambda record: record.is_uniform)
CHECKS = _ops(lambda record: record.effect in ("check", "print"))
"""Ops that check or print values for the user."""
SIDE_EFFECTS: Mapping[str, tuple[SideEffect, ...]] = {
    op: record.side_effects for op, record in TRAITS.items() if record.side_effects
}
"""Effects of ops on files, connections and the process; ops without effects are left out."""
STATEFUL_WITHOUT_EFFECT = (
    _ops(lambda record: record.effect == "none") | VARIABLES | TABLES | RANDOM | frozenset(RESTORES)
)
"""Ops declared as stateful whose effect cannot be observed: they read, make handles or draw random numbers."""
