"""`tfmodel.ops.input_roles`: the roles of the inputs of ops."""

from __future__ import annotations

import pytest

from tfmodel.ops import OPS
from tfmodel.ops.input_roles import LAYER_OPS, input_index, input_role, is_maintenance, is_update
from tfmodel.ops.traits import CHECKPOINT_OPS


@pytest.mark.parametrize(
    ("op", "count", "roles"),
    [
        ("Conv2D", 2, [None, "filter"]),
        ("ConcatV2", 3, ["element", "element", "axis"]),
        ("Concat", 3, ["axis", "element", "element"]),
        ("SaveV2", 4, ["file name", "tensor names", "slices", "saved"]),
        ("ResourceSparseApplyAdagrad", 4, ["trained variable", "accumulator slot", "learning rate", None]),
        ("Shape", 1, [""]),
        ("Relu", 1, [None]),
    ],
)
def test_the_roles_of_all_inputs(op: str, count: int, roles: list[str | None]) -> None:
    assert [input_role(op, index, count) for index in range(count)] == roles


def test_fused_ops_give_the_roles_of_further_inputs() -> None:
    assert [input_role("_FusedConv2D", index, 3, ("BiasAdd", "Relu")) for index in range(3)] == ["", "filter", "bias"]


def test_the_input_with_a_role() -> None:
    assert input_index("FusedBatchNormV3", "moving variance") == 4
    assert input_index("BatchNormWithGlobalNormalization", "moving variance") == 2


def test_updates_and_maintenance() -> None:
    assert is_update("ResourceApplyAdam")
    assert is_update("AssignAdd")
    assert not is_update("Assign")
    assert all(is_maintenance(op) for op in ("Assign", "ScalarSummary", *CHECKPOINT_OPS))
    assert not is_maintenance("Conv2D")


def test_layers_exist() -> None:
    assert LAYER_OPS - {*OPS} == {"Conv"}  # an op of later versions
