"""Error messages for tensors that do not fit an op name the node, the fault and its position."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernel_cases import Case, f32, i32, i64
from tfmodel.errors import Error, RunError
from tfmodel.kernels.runtime import evaluate
from tfmodel.messages import DataType

REFUSED: list[tuple[Case, str]] = [
    (Case("GatherV2", [f32(3), i32([[0, 5]]), i32(0)]), "indices[0,1] = 5 is not in [0, 3)"),
    (Case("GatherV2", [f32(3), i32(-1), i32(0)]), "indices = -1 is not in [0, 3)"),
    (Case("GatherNd", [f32(2, 3), i32([[0, 1], [1, 3]])]), "indices[1] = [1,3] is out of range for [2,3]"),
    (
        Case("ConcatV2", [[f32(2, 3), f32(2, 4)], i32(0)]),
        "tensors of shapes [2,3] and [2,4] cannot be joined along axis 0",
    ),
    (
        Case("Reshape", [f32(2, 3), i32([4, -1])]),
        "a tensor of shape [2,3] has 6 elements, shape [4,-1] needs a multiple of 4",
    ),
    (Case("Reshape", [f32(2, 3), i32([-1, -1])]), "only one size may be -1"),
    (Case("Squeeze", [f32(2, 3)], squeeze_dims=[1]), "dimension 1 of [2,3] cannot be squeezed, as it is not 1"),
    (Case("Split", [i32(1), f32(2, 3)], num_split=2), "dimension 1 of [2,3] cannot be split into 2 equal parts"),
    (
        Case("StridedSlice", [f32(3), i32([3]), i32([4]), i32([1])], shrink_axis_mask=1),
        "the index 3 is out of range for dimension 0, which has a size of 3",
    ),
    (Case("Slice", [f32(3), i32([2]), i32([2])]), "a slice of [2] from [2] is out of range for [3]"),
    (Case("Transpose", [f32(2, 3), i32([1, 1])]), "perm is [1,1], which has an axis twice"),
    (Case("Fill", [i32([2, -3]), f32()]), "dims is [2,-3], but sizes must not be negative"),
    (Case("TopKV2", [f32(3), i32(4)]), "k is 4, but the last dimension has 3 elements"),
    (
        Case("Placeholder", dtype=DataType.DT_FLOAT, shape=(None, 3)),
        "it must be fed, with a tensor of type float32 and shape [?,3]",
    ),
    (Case("EnsureShape", [f32(2, 3)], shape=(None, 4)), "a tensor of shape [2,3] is not of the expected shape [?,4]"),
    (Case("CheckNumerics", [np.float32([np.nan, np.inf])], message="loss"), "loss : the tensor has NaN and Inf values"),
    (Case("Assert", [np.array(False), [i32([1, 2, 3, 4])]], summarize=2), "assertion failed: [1 2...]"),
    (Case("SparseToDense", [i64([[1], [0]]), i64([3]), f32(2), f32()]), "indices must be sorted and unique"),
    (Case("MirrorPad", [f32(3), i32([[1, 1]])], mode="ROUND"), 'its attribute "mode" is "ROUND", not one of "REFLECT"'),
]


@pytest.mark.parametrize(("case", "words"), REFUSED, ids=[case.op for case, _ in REFUSED])
def test_errors_say_what_is_wrong_and_where(case: Case, words: str) -> None:
    with pytest.raises(Error) as caught:
        evaluate(case.node, case.arrays)
    assert words in str(caught.value)
    assert str(caught.value).startswith(f'{case.op} "it": ')


@pytest.mark.parametrize(
    ("op", "inputs"),
    [
        ("Fill", [i64([2**40, 2**40]), f32()]),
        ("Tile", [f32(3), i64([2**62])]),
        ("BroadcastTo", [f32(1), i64([2**62])]),
        ("ScatterNd", [i64([[0]]), f32(1), i64([2**60])]),
        ("Pad", [f32(3), i64([[2**60, 0]])]),
    ],
)
def test_sizes_beyond_all_memory_are_an_error(op: str, inputs: list[Any]) -> None:
    case = Case(op, inputs)
    with pytest.raises(RunError):
        evaluate(case.node, case.arrays)
