"""Tables of ops that feed a graph, save, initialize and check it, and hold its state."""

from __future__ import annotations

from ...ops.traits import CALLS, PLACEHOLDERS, VARIABLE_INITIALIZERS, VARIABLES

__all__ = [
    "ALL_VARIABLES",
    "CHECKS",
    "COMPARISONS",
    "CONDITIONS",
    "FUNCTIONAL",
    "GATHERED",
    "INITIALIZERS",
    "INPUTS",
    "LOSSES",
    "NO_OUTPUTS",
    "PIPELINES",
    "SAVERS",
    "SHAPES",
    "SOURCES",
]

INPUTS = PLACEHOLDERS | {"_Arg"}
"""Ops that are fed."""

_PIPELINES = """
    DatasetToSingleElement InfeedDequeue InfeedDequeueTuple IteratorGetNext IteratorGetNextAsOptional
    IteratorGetNextSync QueueDequeue QueueDequeueMany QueueDequeueManyV2 QueueDequeueUpTo QueueDequeueUpToV2
    QueueDequeueV2 ReaderRead ReaderReadUpTo ReaderReadUpToV2 ReaderReadV2 Unstage
"""
PIPELINES = frozenset(_PIPELINES.split())
"""Ops that produce data without being fed."""

SOURCES = INPUTS | PIPELINES
"""Ops through which data enter the graph."""

GATHERED = CALLS | {"IdentityN"}
"""Ops that have several outputs because the model has several."""

ALL_VARIABLES = VARIABLES | {"AutoReloadVariable", "TemporaryVariable", "_VarHandlesOp", "_XlaAotOnlyVarHandleOp"}
"""Variables: references, handles, and variants of them."""

_SAVERS = """
    DTensorRestoreV2 DistributedSave MergeV2Checkpoints Restore RestoreSlice RestoreV2 Save SaveSlices SaveV2
    ShardedFilename ShardedFilespec
"""
SAVERS = frozenset(_SAVERS.split())
"""Ops that write and read checkpoints."""

_INITIALIZERS = """
    InitializeTable InitializeTableFromDataset InitializeTableFromTextFile InitializeTableFromTextFileV2
    InitializeTableV2 IsVariableInitialized LookupTableImport LookupTableImportV2 MakeIterator VarIsInitializedOp
"""
INITIALIZERS = frozenset(_INITIALIZERS.split())
"""Ops that always concern initial values."""

CHECKS = frozenset({"Abort", "Assert", "AssertCardinalityDataset", "Print", "PrintV2"})

_CONDITIONS = """
    All Any Const Equal Greater GreaterEqual Identity IsFinite IsNan Less LessEqual LogicalAnd LogicalNot LogicalOr
    NotEqual Pack Range Rank Shape Size Squeeze StringFormat Switch
"""
CONDITIONS = frozenset(_CONDITIONS.split())
"""Ops that compute conditions of checks."""

_LOSSES = """
    CTCLoss CTCLossV2 SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits
"""
LOSSES = frozenset(_LOSSES.split())
"""Ops that compare a prediction, their first input, with the truth."""

COMPARISONS = frozenset({"SquaredDifference", "Sub"})
"""Ops that losses often consist of, among other uses."""

SHAPES = frozenset({"BroadcastArgs", "Rank", "Shape", "ShapeN", "Size", "VariableShape"})

_FUNCTIONAL = "Case For If StatelessCase StatelessIf StatelessWhile While _If _While"
FUNCTIONAL = frozenset(_FUNCTIONAL.split())
"""Loops and conditionals of TensorFlow 2."""

_NO_OUTPUTS = """
    CloseSummaryWriter Const ControlTrigger DeleteIterator DestroyResourceOp FlushSummaryWriter HashTable HashTableV2
    Iterator IteratorV2 LoopCond MutableHashTable MutableHashTableV2 NextIteration NoOp OneShotIterator QueueClose
    QueueCloseV2 QueueEnqueue QueueEnqueueMany QueueEnqueueManyV2 QueueEnqueueV2 RefNextIteration RefSwitch StackV2
    Switch WriteFile
"""
NO_OUTPUTS = frozenset(_NO_OUTPUTS.split()) | VARIABLE_INITIALIZERS | CHECKS | INITIALIZERS | SOURCES | ALL_VARIABLES
"""Ops whose outputs, if any, are not outputs of a model."""
