"""The roles of inputs of ops, such as "filter" and "bias", where TensorFlow's own declarations do not name them.

    input_role("Conv2D", 1, 2)            # "filter"
    input_role("ConcatV2", 0, 3)          # "element"
    input_index("BiasAdd", "bias")        # 1

A line of a table has an op, or several joined by `|`, and the roles of its inputs in order. "-" is an input without a
role here, "_" stands for a blank, and "name*" is a variable number of inputs before the following ones. Inputs after
the last name have no role here.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from .traits import CHECKPOINT_OPS

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

# The attribute "fused_ops" determines the other inputs of these ops.
_FUSED = {"_FusedConv2D": "filter", "_FusedDepthwiseConv2dNative": "depthwise filter", "_FusedMatMul": "matrix"}

# Inputs that TensorFlow names differently, and inputs of frequent ops, so that their declarations need not be read.
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
IsVariableInitialized|VarIsInitializedOp|VariableShape|DestroyResourceOp|DisableCopyOnRead|Shape -
ScalarSummary|HistogramSummary|ImageSummary|TensorSummaryV2|MergeSummary|AudioSummaryV2 tag
"""

# The first input of an update is the variable to change. An input whose role ends in "slot" is a variable too.
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
"""Ops that multiply by weights. A bias is often added to their output."""

_APPLIES = re.compile("(Resource)?(Sparse)?Apply")


def _parse(table: str) -> dict[str, tuple[str, ...]]:
    rows = {}
    for line in table.strip().replace("\n    ", " ").splitlines():
        ops, *names = line.split()
        roles = tuple(name.replace("_", " ") for name in names)
        rows.update(dict.fromkeys(ops.split("|"), roles))
    return rows


@cache
def _roles() -> dict[str, tuple[str, ...]]:
    """Return the roles of the inputs of each op."""
    return {op: names for table in (_WEIGHTS, _OTHERS, _MAINTENANCE, _UPDATES) for op, names in _parse(table).items()}


@cache
def _maintenance_ops() -> frozenset[str]:
    return CHECKPOINT_OPS.union(_parse(_MAINTENANCE))


@cache
def _update_ops() -> frozenset[str]:
    return frozenset(_parse(_UPDATES))


def _base_op(op: str) -> str:
    """Return the op that stands for an update in the tables: ApplyAdam for ResourceSparseApplyAdam."""
    return _APPLIES.sub("Apply", op, count=1) if "Apply" in op else op


def is_maintenance(op: str) -> bool:
    """Return whether an op initializes, saves, restores or describes values."""
    return op in _maintenance_ops()


_GRADIENT = re.compile(r"(^|/)gradient(s|_tape)([_/\d]|$)|_grad/")


def is_gradient_name(node: str) -> bool:
    """Return whether the name of a node says that it computes gradients."""
    return "grad" in node and _GRADIENT.search(node) is not None


@lru_cache(10_000)
def is_update(op: str) -> bool:
    """Return whether an op is a training step that changes a variable, its first input."""
    return _base_op(op) in _update_ops()


def input_index(op: str, role: str) -> int:
    """Return the index of the first input of an op with that role. The tables must list the op, without `name*`."""
    return _roles()[op].index(role)


def input_role(op: str, index: int, count: int, fused: tuple[str, ...] = ()) -> str | None:
    """Return the role of input number `index` of an op with `count` inputs.

    The result is None if the tables do not tell, so that the declared name counts, and "" if the input has no role.
    `fused` is the attribute "fused_ops", for ops that have one.
    """
    if op in _FUSED:
        return _fused_role(op, index, fused)
    names = _roles().get(_base_op(op), ())
    repeated = next((number for number, name in enumerate(names) if name.endswith("*")), len(names))
    count_after = len(names) - repeated - 1
    if index < repeated:
        role = names[index]
    elif repeated == len(names) or index >= count:  # a data input after control inputs, which is invalid
        return None
    else:
        role = names[index - count] if index >= count - count_after else names[repeated][:-1]
    if role == "-":
        return "" if is_maintenance(op) else None
    return role


def _fused_role(op: str, index: int, fused: tuple[str, ...]) -> str | None:
    names = ["", _FUSED[op]]
    for op_name in fused:
        names += {"BiasAdd": ["bias"], "FusedBatchNorm": _NORM}.get(op_name, [])
    return names[index] if index < len(names) else None
