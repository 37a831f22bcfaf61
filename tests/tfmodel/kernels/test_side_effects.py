"""Every op of TensorFlow was looked at: it has a side effect in the table of traits, or a reason why it has none."""

from __future__ import annotations

import re

from tfmodel.messages import DataType
from tfmodel.ops import OPS
from tfmodel.ops.traits import SIDE_EFFECTS

HARMLESS_NAMES = {
    "config": "the settings of TPU embeddings, and of the compiler",
    "counter_prefix": "a name in statistics",
    "host_compute_core": "a core of a TPU",
    "host_inputs": "tensors in the memory of the host",
    "input_specs": "types and shapes",
    "logbase": "a number",
    "network_configs": "addresses of TPU hosts that TensorFlow itself made",
    "output_specs": "types and shapes",
    "pattern": "a regular expression",
    "precision_config": "the precision of a product",
    "source": "the name of a gradient, or a tensor",
    "targets": "classes",
    "topology": "the shape of TPUs",
    "tpu_compile_options_proto": "options of the compiler",
    "optimization_configs": "options of the optimizer of datasets",
}
"""Names of inputs and attributes of strings that sound like paths, addresses or programs, but are something else."""

FAMILIES = {
    r"(Resource)?(Sparse)?Apply\w+": "training",
    r"Resource(Scatter|Strided|Gather|CountUpTo)\w*": "elements of variables",
    r"(Resource|Sparse)?(Conditional)?Accumulator\w*": "sums of gradients",
    r"BoostedTrees\w+|IsBoostedTrees\w+": "trees, which TensorFlow 2 has no kernels for",
    r"\w*TPU\w*|\w*DedupData\w*": "TPUs and their embeddings",
    r"Xla\w+|_Xla\w+": "the compiler",
    r"TensorArray\w*|Stack\w*|\w*SparseToTensorsMap|TakeManySparseFromTensorsMap": "tensors in memory",
    r"\w*Queue\w*|Barrier\w*|\w*Stage\w*|(Ordered)?Map(Clear|Size|IncompleteSize)": "tensors that wait in memory",
    r"\w*HashTable\w*|LookupTable\w+|InitializeTable\w*": "tables in memory",
    r"\w*(Iterator|Dataset|Generator|MemoryCache|Counter)\w*": "datasets; those that read are in the table",
    r"\w*Reader\w*": "readers; those that open files are in the table",
    r"\w*(Random|Uniform|Normal|Rng|Multinomial|NonDeterministic)\w*": "random numbers",
    r"\w*CandidateSampler|SampleDistortedBoundingBox\w*": "random samples",
    r"\w*Variable\w*|VarHandleOp|_VarHandlesOp|Assign\w*": "variables",
    r"(Stateless|_|Xla)?(If|While|Case)|RiscWhile|\w*PartitionedCall|For": "calls; the functions are checked",
    r"\w*(StatsAggregator|ThreadPool|SummaryWriter)\w*": "objects in memory",
    r"CudnnRNN\w*": "layers on a GPU",
    r"Collective(Permute|AssignGroupV2)|AllToAll|CrossReplicaSum": "exchange between cores",
    r"_?(Host)?Send|_?(Host)?SendV2": "tensors for other devices",
    r"\w*(SessionHandle|SessionTensor)\w*": "tensors that a session keeps",
    r"_ScopedAllocator\w*|_ParallelConcatStart|_Arg|_Retval|_DeviceArg|_DeviceRetval": "the runtime itself",
    r"Resource(Create|Initialized|Using)Op|StubResourceHandleOp|TestAttr|\w*WeakResourceHandle": "tests of TensorFlow",
    r"Destroy\w+|Is(ResourceHandleRefCounting|TensorFloat32Enabled)|DisableCopyOnRead": "objects in memory",
}
"""Stateful ops without an effect outside of the program's memory, and the reason."""

OTHERS = frozenset(
    {
        "Assert",
        "CheckNumerics",
        "CheckNumericsV2",
        "ConsumeMutexLock",
        "CustomAggregator",
        "DeepCopy",
        "DeleteRpcFutureResource",
    }
    | {
        "DeviceIndex",
        "DevicePlacementOp",
        "DtypeWithDefaultOp",
        "Empty",
        "GraphDefVersion",
        "GuaranteeConst",
        "MutexV2",
    }
    | {"NegTrain", "RequiresOlderGraphVersion", "RpcCheckStatus", "RpcGetValue", "Timestamp", "VarIsInitializedOp"}
)
"""Further stateful ops without such an effect."""

SUSPICIOUS = re.compile(
    r"file|path|dir(?!ection)|url|uri|addr|command|cmd|prefix|pattern|source|target|host|db|log(?!i)|region|library"
    r"|module|program|proto|config|spec|topology"
)


def test_inputs_and_attributes_that_sound_like_paths_belong_to_ops_with_side_effects() -> None:
    wrong = []
    for name in OPS:
        op = OPS[name]
        texts = [row.name for row in op.input_arg if row.type in (DataType.DT_STRING, DataType.DT_INVALID)]
        texts += [row.name for row in op.attr if "string" in row.type]
        if name not in SIDE_EFFECTS:
            suspicious = [text for text in texts if SUSPICIOUS.search(text)]
            wrong += [(name, text) for text in suspicious if not any(known in text for known in HARMLESS_NAMES)]
    assert wrong == []


def test_stateful_ops_have_a_side_effect_or_a_reason() -> None:
    known = re.compile("|".join(f"(?:{pattern})" for pattern in FAMILIES))
    stateful = {name for name in OPS if OPS[name].is_stateful} - SIDE_EFFECTS.keys()
    assert sorted(name for name in stateful - OTHERS if not known.fullmatch(name)) == []
    assert sorted(OTHERS - stateful) == []
