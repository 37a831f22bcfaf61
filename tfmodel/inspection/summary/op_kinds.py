"""Which ops feed a graph, save it, initialise it, check it, hold its state: tables that others look things up in."""

from __future__ import annotations

__all__ = [
    "ASSIGNS",
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
    "VARIABLES",
]

INPUTS = frozenset({"Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "_Arg"})
"""Ops that are fed."""

_PIPELINES = """
    DatasetToSingleElement InfeedDequeue InfeedDequeueTuple IteratorGetNext IteratorGetNextAsOptional
    IteratorGetNextSync QueueDequeue QueueDequeueMany QueueDequeueManyV2 QueueDequeueUpTo QueueDequeueUpToV2
    QueueDequeueV2 ReaderRead ReaderReadUpTo ReaderReadUpToV2 ReaderReadV2 Unstage
"""
PIPELINES = frozenset(_PIPELINES.split())
"""Ops that give data which no one feeds."""

SOURCES = INPUTS | PIPELINES
"""Ops that data come in by."""

GATHERED = frozenset({"IdentityN", "PartitionedCall", "StatefulPartitionedCall"})
"""Ops that have several outputs because the model has."""

_VARIABLES = "AutoReloadVariable TemporaryVariable VarHandleOp Variable VariableV2 _VarHandlesOp _XlaAotOnlyVarHandleOp"
VARIABLES = frozenset(_VARIABLES.split())
"""Variables: references and handles, and what others have made of them."""

_SAVERS = """
    DTensorRestoreV2 DistributedSave MergeV2Checkpoints Restore RestoreSlice RestoreV2 Save SaveSlices SaveV2
    ShardedFilename ShardedFilespec
"""
SAVERS = frozenset(_SAVERS.split())
"""Ops that write checkpoints and read them."""

_INITIALIZERS = """
    InitializeTable InitializeTableFromDataset InitializeTableFromTextFile InitializeTableFromTextFileV2
    InitializeTableV2 IsVariableInitialized LookupTableImport LookupTableImportV2 MakeIterator VarIsInitializedOp
"""
INITIALIZERS = frozenset(_INITIALIZERS.split())
"""Ops that have to do with first values, whatever they are given."""

ASSIGNS = frozenset({"Assign", "AssignVariableOp"})
"""Ops that may give a first value, or a new one."""

CHECKS = frozenset({"Abort", "Assert", "AssertCardinalityDataset", "Print", "PrintV2"})

_CONDITIONS = """
    All Any Const Equal Greater GreaterEqual Identity IsFinite IsNan Less LessEqual LogicalAnd LogicalNot LogicalOr
    NotEqual Pack Range Rank Shape Size Squeeze StringFormat Switch
"""
CONDITIONS = frozenset(_CONDITIONS.split())
"""Ops that what is checked may be made with."""

_LOSSES = """
    CTCLoss CTCLossV2 SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits
"""
LOSSES = frozenset(_LOSSES.split())
"""Ops that compare what a model says, their first input, with what is true."""

COMPARISONS = frozenset({"SquaredDifference", "Sub"})
"""Ops that losses are often made with, among other things."""

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
NO_OUTPUTS = frozenset(_NO_OUTPUTS.split()) | ASSIGNS | CHECKS | INITIALIZERS | SOURCES | VARIABLES
"""Ops that no one wants the outputs of, if they have any."""
