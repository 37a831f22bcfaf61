"""The ops that compute in half precision are those for which TensorFlow has kernels."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

from tests.golden.ops.half_kernels import FILE
from tfmodel.messages import DataType
from tfmodel.transforms.half_precision import kernels

GOLDEN = json.loads(FILE.read_text())
LISTS = {name: getattr(kernels, name) for name in ("LAYERS", "FOLLOWERS", "READERS", "SENSITIVE", "UNCONVERTED")}


@pytest.mark.parametrize("half", [DataType.DT_HALF, DataType.DT_BFLOAT16])
def test_an_op_is_converted_only_where_tensorflow_has_a_kernel(half: DataType) -> None:
    dtype = {DataType.DT_HALF: "float16", DataType.DT_BFLOAT16: "bfloat16"}[half]
    expected = {op: GOLDEN[op][dtype] for op in GOLDEN if op not in kernels.UNCONVERTED}
    assert {op: list(kernels.half_attributes(op, half)) for op in expected} == expected


def test_each_op_with_a_kernel_is_in_one_list() -> None:
    assert set[str]().union(*LISTS.values()) == GOLDEN.keys()
    assert [pair for pair in combinations(LISTS, 2) if LISTS[pair[0]] & LISTS[pair[1]]] == []


def test_an_op_without_a_kernel_has_no_attributes() -> None:
    assert kernels.half_attributes("Cholesky", DataType.DT_HALF) == ()
    assert kernels.half_attributes("FusedBatchNormV3", DataType.DT_BFLOAT16) == ()


@pytest.mark.parametrize("name", ["MOVES", "COMBINES", "GATHERS"])
def test_ops_with_rules_of_their_own_are_followers(name: str) -> None:
    assert getattr(kernels, name) <= kernels.FOLLOWERS
