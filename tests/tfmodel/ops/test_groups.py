"""Every op has its parts in one group: kernel, shape rule."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

from tfmodel.ops import OPS
from tfmodel.ops.groups import group_of, groups, import_shape_rules
from tfmodel.ops.runtime import KERNELS
from tfmodel.ops.shape_rules import elementwise_ops, shape_rules

WITHOUT_SHAPE_RULE: dict[str, str] = {}
"""Ops with a kernel that need no shape rule, with the reason."""


def _reason(text: str, ops: str) -> None:
    WITHOUT_SHAPE_RULE.update(dict.fromkeys(ops.split(), text))


_reason(
    "a handle or variant, and nothing is inferred of its elements",
    """AnonymousMutableDenseHashTable AnonymousMutableHashTableOfTensors MutableDenseHashTable
    MutableHashTableOfTensors OptionalFromValue OptionalNone OptionalHasValue Stack TensorArray TensorArrayV2
    TensorListConcatLists TensorListPushBackBatch TensorArrayWrite TensorArraySplit TensorArrayUnpack TensorArrayScatter
    TensorArraySize StackPush""",
)
_reason(
    "the shape is that of an element that was stored",
    """LookupTableExport OptionalGetValue StackPop StackPopV2 TensorArrayConcat TensorArrayGather TensorArrayGatherV2
    TensorArrayPack TensorArrayRead""",
)
_reason("the function decides, and it is not followed", "BatchFunction RemoteCall FakeParam ToBool")
_reason(
    "replaced by the op without Batch, before GraphDef version 9",
    """BatchCholesky BatchMatrixBandPart BatchMatrixDeterminant BatchMatrixDiag BatchMatrixDiagPart BatchMatrixInverse
    BatchMatrixSetDiag BatchMatrixSolve BatchMatrixTriangularSolve""",
)
_reason(
    "the values of the inputs decide",
    """DenseToDenseSetOperation DenseToSparseSetOperation SparseToSparseSetOperation SetSize EditDistance
    RaggedTensorToSparse RaggedTensorToTensor SparseFillEmptyRowsGrad SparseReduceMaxSparse SparseReduceSumSparse
    UnicodeEncode UnravelIndex UnsortedSegmentJoin""",
)
_reason("rare: write one when a model has it", "Fingerprint GuaranteeConst")


def test_groups_are_listed_from_the_packages() -> None:
    assert {"array", "math", "nn"} <= {*groups()}
    assert "runtime" not in groups()
    assert group_of("tfmodel.ops.array.slicing") == "array"
    assert group_of("tfmodel.ops.runtime.binding") == group_of("tfmodel.graph") == ""


def test_kernel_and_shape_rule_of_an_op_are_in_one_group() -> None:
    rules = {op: group_of(module.__name__) for module in import_shape_rules() for op in module.RULES}
    kernels = {op: group_of(KERNELS[op].function.__module__) for op in KERNELS}
    wrong = {op: f"kernel in {kernels[op]}, shape rule in {rules[op]}" for op in rules.keys() & kernels}
    assert {op: text for op, text in wrong.items() if kernels[op] != rules[op]} == {}


def test_an_op_has_one_shape_rule() -> None:
    counts = Counter(op for module in import_shape_rules() for op in module.RULES)
    assert [op for op, count in counts.items() if count > 1] == []


def test_elementwise_ops_have_rules() -> None:
    assert elementwise_ops() <= shape_rules().keys()


def test_every_kernel_has_a_shape_rule_or_a_reason() -> None:
    with_outputs = {op for op in KERNELS if OPS[op].output_arg}
    missing = with_outputs - shape_rules().keys() - WITHOUT_SHAPE_RULE.keys()
    assert not missing, f"write shape rules in tfmodel/ops/GROUP/shapes.py, or say why not: {sorted(missing)}"
    stale = {op for op in WITHOUT_SHAPE_RULE if op in shape_rules() or op not in KERNELS}
    assert not stale, f"not needed in WITHOUT_SHAPE_RULE: {sorted(stale)}"


def test_shape_rules_need_no_numpy() -> None:
    program = (
        "import sys; sys.modules['numpy'] = None; from tfmodel.ops.shape_rules import *; print(len(shape_rules()))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(result.stdout) == len(shape_rules())
