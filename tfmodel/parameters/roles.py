"""The roles of inputs of ops, such as "filter" and "bias", where TensorFlow's own declarations do not name them.

A line of a table has an op, or several joined by `|`, and the roles of its inputs in order: "-" for an input without a
role here, "_" in place of a blank, "name*" for a variable number of inputs before the following ones. Inputs after the
last name have no role here.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import cache

__all__ = ["LAYER_OPS", "PASS_THROUGH", "Relevance", "input_role", "rate_relevance"]


class Relevance(IntEnum):
    """The relevance of a use for the purpose of a weight, the most relevant first."""

    WEIGHT = 0
    SLOT = 1  # of an optimizer
    OTHER = 2
    GRADIENT = 3
    UPDATE = 4
    MAINTENANCE = 5  # initializing, saving, restoring, summaries


_WEIGHTS = """
Conv2D|Conv3D|Conv - filter
DepthwiseConv2dNative|QuantizedDepthwiseConv2D - depthwise_filter
DepthwiseConv2dNativeBackpropInput input_sizes depthwise_filter -
Conv2DBackpropInput|Conv3DBackpropInputV2 input_sizes transposed_filter -
Conv2DBackpropInputV2|Conv3DBackpropInput - transposed_filter -
QuantizedConv2D|QuantizedConv2DPerChannel|QuantizedConv2DAndRelu|QuantizedConv2DAndRequantize - filter
QuantizedConv2DAndReluAndRequantize - filter
QuantizedConv2DWithBias|QuantizedConv2DWithBiasAndRelu|QuantizedConv2DWithBiasAndRequantize - filter bias
QuantizedConv2DWithBiasAndReluAndRequantize|QuantizedConv2DWithBiasSumAndRelu - filter bias
QuantizedConv2DWithBiasSumAndReluAndRequantize|QuantizedConv2DWithBiasSignedSumAndReluAndRequantize - filter bias
QuantizedDepthwiseConv2DWithBias|QuantizedDepthwiseConv2DWithBiasAndRelu - depthwise_filter bias
QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize - depthwise_filter bias
FusedPadConv2D - paddings filter
FusedResizeAndPadConv2D - size paddings filter
Dilation2D - structuring_element
MatMul|BatchMatMul|BatchMatMulV2|BatchMatMulV3|SparseMatMul|QuantizedMatMul matrix matrix
SparseTensorDenseMatMul - - - matrix
Einsum|XlaEinsum matrix*
QuantizedMatMulWithBias|QuantizedMatMulWithBiasAndRelu|QuantizedMatMulWithBiasAndRequantize - matrix bias
QuantizedMatMulWithBiasAndReluAndRequantize|QuantizedMatMulWithBiasAndDequantize - matrix bias
BiasAdd|BiasAddV1|QuantizedBiasAdd - bias
FusedBatchNorm|FusedBatchNormV2|FusedBatchNormV3|_FusedBatchNormEx - gamma beta moving_mean moving_variance
BatchNormWithGlobalNormalization - moving_mean moving_variance beta gamma
QuantizedBatchNormWithGlobalNormalization - - - moving_mean - - moving_variance - - beta - - gamma
_MklLayerNorm - gamma beta
GatherV2 embedding indices axis
Gather|GatherNd|ResourceGather|ResourceGatherNd|SparseSegmentSum|SparseSegmentMean|SparseSegmentSqrtN embedding
LSTMBlockCell - cell_state state recurrent_kernel peephole peephole peephole recurrent_bias
BlockLSTM|BlockLSTMV2 length - cell_state state recurrent_kernel peephole peephole peephole recurrent_bias
GRUBlockCell - state recurrent_kernel recurrent_kernel recurrent_bias recurrent_bias
CudnnRNN|CudnnRNNV2|CudnnRNNV3 - state cell_state recurrent_kernel
"""

_NORM = ["gamma", "beta", "moving mean", "moving variance"]

# The attribute "fused_ops" gives the further inputs of these ops.
_FUSED = {"_FusedConv2D": "filter", "_FusedDepthwiseConv2dNative": "depthwise filter", "_FusedMatMul": "matrix"}

# Inputs that TensorFlow names differently, and ops of every graph, whose declarations then need not be read.
_OTHERS = """
Add|AddV2|Mul|Sub|RealDiv|Div|FloorDiv|FloorMod|Mod|TruncateDiv|DivNoNan|MulNoNan|Maximum|Minimum operand operand
SquaredDifference|Less|LessEqual|Greater|GreaterEqual|Equal|NotEqual|LogicalAnd|LogicalOr operand operand
AddN operand*
Pow base exponent
Reshape|BroadcastTo - shape
Fill shape value
ExpandDims|ArgMax|ArgMin|Sum|Mean|Max|Min|Prod|All|Any - axis
Transpose|ConjugateTranspose - permutation
ConcatV2 element* axis
Concat axis element*
Pack|IdentityN element*
Split axis -
Slice - begin size
StridedSlice - begin end strides
Pad|MirrorPad|PadV2 - paddings value
Tile - multiples
Range start limit step
SpaceToBatchND - block_shape paddings
BatchToSpaceND - block_shape crops
ResizeBilinear|ResizeNearestNeighbor - size
Select|SelectV2 condition operand operand
Switch|RefSwitch - predicate
PlaceholderWithDefault default
RandomUniform|RandomStandardNormal|TruncatedNormal shape
"""

_MAINTENANCE = """
Assign|AssignVariableOp - initial_value
SaveV2 file_name tensor_names slices saved*
RestoreV2 file_name tensor_names slices
Save|SaveSlices|Restore|RestoreSlice|ShardedFilename|ShardedFilespec|MergeV2Checkpoints
IsVariableInitialized|VarIsInitializedOp|VariableShape|DestroyResourceOp|DisableCopyOnRead|Shape -
ScalarSummary|HistogramSummary|ImageSummary|TensorSummaryV2|MergeSummary|AudioSummaryV2 tag
"""

# The first input of an update is the variable; slots are those after it that are variables too.
_UPDATES = """
ApplyGradientDescent|ApplyProximalGradientDescent trained_variable learning_rate
ApplyAdam|ApplyAdamWithAmsgrad|ApplyAdaMax trained_variable m_slot v_slot
ApplyMomentum|ApplyKerasMomentum trained_variable momentum_slot learning_rate
ApplyAdagrad|ApplyAdagradV2|ApplyProximalAdagrad trained_variable accumulator_slot learning_rate
ApplyAdagradDA trained_variable gradient_slot squared_gradient_slot
ApplyAdadelta trained_variable accumulator_slot update_slot learning_rate
ApplyRMSProp trained_variable mean_square_slot momentum_slot learning_rate
ApplyCenteredRMSProp trained_variable mean_gradient_slot mean_square_slot momentum_slot learning_rate
ApplyFtrl|ApplyFtrlV2 trained_variable accumulator_slot linear_slot
ApplyAddSign|ApplyPowerSign trained_variable m_slot learning_rate
AssignAdd|AssignAddVariableOp counter increment
AssignSub|AssignSubVariableOp moving_average decrement
"""

LAYER_OPS = frozenset(
    op for line in _WEIGHTS.splitlines() if re.search("filter|matrix", line) for op in line.split(" ")[0].split("|")
) | set(_FUSED)
"""Ops whose output a bias is added to."""

_PASSES = """
Identity ReadVariableOp Cast Enter RefEnter RefIdentity Switch RefSwitch Merge RefMerge _SwitchN StopGradient
PreventGradient Snapshot CheckNumerics CheckNumericsV2 GuaranteeConst DebugIdentity EnsureShape PlaceholderWithDefault
FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel QuantizeV2 Dequantize
QuantizeAndDequantize QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4
"""

PASS_THROUGH = frozenset(_PASSES.split())
"""Ops whose first output is their first input: unchanged, cast, or rounded."""

_APPLIES = re.compile("(Resource)?(Sparse)?(Apply)")
_GRADIENT = re.compile(r"(^|/)gradient(s|_tape)([_/\d]|$)|_grad/")


def _parse(table: str) -> dict[str, tuple[str, ...]]:
    rows = {}
    for line in table.strip().replace("\n    ", " ").splitlines():
        ops, *names = line.split()
        spelled = tuple(name.replace("_", " ") for name in names)
        rows.update(dict.fromkeys(ops.split("|"), spelled))
    return rows


@cache
def _rows() -> dict[str, tuple[Relevance, tuple[str, ...]]]:
    """Return, for each op, the relevance of its table and the roles of its inputs."""
    parts = (
        (Relevance.WEIGHT, _WEIGHTS),
        (Relevance.OTHER, _OTHERS),
        (Relevance.MAINTENANCE, _MAINTENANCE),
        (Relevance.UPDATE, _UPDATES),
    )
    return {op: (relevance, names) for relevance, table in parts for op, names in _parse(table).items()}


def _row(op: str) -> tuple[Relevance, tuple[str, ...]]:
    op = _APPLIES.sub(r"\3", op, count=1) if "Apply" in op else op
    return _rows().get(op, (Relevance.OTHER, ()))


def input_role(op: str, index: int, count: int, fused: tuple[str, ...] = ()) -> str | None:
    """Return the role of input number `index` of `count` of an op; None if it is unknown here, "" for no role.

    `fused` is the attribute "fused_ops", for ops that have one.
    """
    if op in _FUSED:
        return _fused_role(op, index, fused)
    table, names = _row(op)
    repeated = next((at for at, name in enumerate(names) if name.endswith("*")), len(names))
    behind = len(names) - repeated - 1
    if index < repeated:
        role = names[index]
    elif repeated == len(names) or index >= count:  # control inputs precede it, which is invalid
        return None
    else:
        role = names[index - count] if index >= count - behind else names[repeated][:-1]
    if role == "-":
        return "" if table is Relevance.MAINTENANCE else None
    return role


def _fused_role(op: str, index: int, fused: tuple[str, ...]) -> str | None:
    names = ["", _FUSED[op]]
    for op_name in fused:
        names += {"BiasAdd": ["bias"], "FusedBatchNorm": _NORM}.get(op_name, [])
    return names[index] if index < len(names) else None


def rate_relevance(op: str, role: str, node: str) -> Relevance:
    """Return how relevant it is that the node named `node` uses something in this role."""
    table = _row(op)[0]
    if table is Relevance.MAINTENANCE or (table is Relevance.UPDATE and role in ("trained variable", "")):
        return table
    if role.endswith(" slot") or role in _STATE:
        return Relevance.SLOT
    if _GRADIENT.search(node):
        return Relevance.GRADIENT
    return Relevance.WEIGHT if role in _WEIGHT_ROLES else Relevance.OTHER


_STATE = ("beta1 power", "beta2 power", "counter", "moving average")

_WEIGHT_ROLES = {
    "filter",
    "depthwise filter",
    "transposed filter",
    "structuring element",
    "matrix",
    "bias",
    "gamma",
    "beta",
    "moving mean",
    "moving variance",
    "scale",
    "embedding",
    "recurrent kernel",
    "recurrent bias",
    "peephole",
}
