"""The size of outputs is estimated before a node runs, from shape rules or from the elements of its inputs."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from tests.kernel_cases import Case, cases_of, f32, families, i32, i64
from tfmodel.errors import Error, RunError
from tfmodel.kernels.runtime.binding import bind, output_dtypes
from tfmodel.kernels.runtime.memory_limit import bytes_needed, bytes_of
from tfmodel.messages import DataType
from tfmodel.ops import OPS

HUGE = 1 << 27
ROWS = f32(1, 2)
AT = np.zeros((1, 2), np.int64)

BOMBS = [
    Case("Fill", [i32([HUGE]), np.float32(0)]),
    Case("Range", [np.int32(0), np.int32(HUGE), np.int32(1)]),
    Case("RaggedRange", [i32([0, 0]), i32([HUGE, 3]), i32([1, 1])], Tsplits=DataType.DT_INT64),
    Case("SegmentMean", [ROWS, i32([HUGE])]),
    Case("SparseSegmentSum", [ROWS, i32([0]), i32([HUGE])]),
    Case("DynamicStitch", [[i32([HUGE])], [ROWS]]),
    Case("EditDistance", [AT[:, [0, 1, 1]], i64([1]), i64([HUGE, 3, 3])] * 2),
    Case("SparseSoftmax", [AT, f32(1), i64([HUGE, 3])]),
    Case("SparseToDense", [AT, i64([HUGE, 3]), f32(1), np.float32(0)]),
    Case("OneHot", [i32([1]), np.int32(HUGE), np.float32(1), np.float32(0)], axis=-1),
    Case("MatrixDiag", [f32(1 << 13)]),
    Case("BatchMatrixDiag", [f32(1 << 13)]),
    Case("Einsum", [[f32(1 << 13), f32(1 << 13)]], equation=b"i,j->ij"),
]


@pytest.mark.parametrize("case", BOMBS, ids=lambda case: case.op)
def test_memory_is_estimated_before_a_node_runs(case: Case) -> None:
    assert bytes_needed(case.node, case.arrays, output_dtypes(case.node, OPS[case.op])) >= 1 << 27


@pytest.mark.parametrize(("dtype", "size"), [(np.float16, 80), (np.float32, 160), (np.float64, 320)])
def test_the_estimate_is_exact_for_segments(dtype: Any, size: int) -> None:
    """Ten rows of four elements."""
    case = Case("SegmentSum", [np.zeros((2, 4), dtype), i32([0, 9])])
    assert bytes_needed(case.node, case.arrays, output_dtypes(case.node, OPS[case.op])) == size


def test_there_is_a_largest_number_of_bytes() -> None:
    node = Case("TensorListReserve", [np.int32(-1), i64([2**62] * 250)], element_dtype=DataType.DT_FLOAT).node
    assert bytes_needed(node, [np.int32(-1), i64([2**62] * 250)], [DataType.DT_VARIANT]) == sys.maxsize


@pytest.mark.slow(reason="measures the memory that large inputs take")
@pytest.mark.parametrize("family", families())
def test_no_more_is_asked_for_than_there_comes(family: str) -> None:
    excessive = []
    for case in list(cases_of(family))[::7]:
        try:
            types = output_dtypes(case.node, OPS[case.op])
            outputs = bind(case.node)(case.arrays)
        except (Error, KeyError):
            continue
        if bytes_needed(case.node, case.arrays, types) > 8 * sum(map(bytes_of, outputs)) + MORE.get(case.op, 64):
            excessive.append((case, outputs))
    assert not excessive


MORE = {"RaggedTensorToTensor": 1 << 12}
"""Ops that may be said to need more than their outputs, up to a number of bytes."""


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (np.zeros((3, 4), np.float32), 48),
        (np.broadcast_to(np.float32(1), (1 << 20, 1 << 20)), 4 << 40),
        (np.array([b"abc", b""], object), 85),
        (np.array(b"abc", object), 44),
        (np.broadcast_to(np.array(b"abc", object), (1 << 20, 1 << 20)), 44 << 40),
        (np.broadcast_to(np.array([b"abc", b"d"], object), (1 << 40, 2)), 86 << 40),
        (np.array([b"abc", b"", b"d"], object)[::2], 86),
        (np.empty((0, 3), object), 0),
        (object(), 0),
    ],
)
def test_a_view_has_the_size_of_its_elements(value: Any, size: int) -> None:
    assert bytes_of(value) == size


def test_a_node_has_only_so_many_outputs() -> None:
    node = Case("Split", [np.int32(0), f32(2)], num_split=2**31 - 1).node
    with pytest.raises(RunError, match='Split "it" has 2,147,483,647 outputs, more than 65,536'):
        bind(node)
